//! AAL5 frames of a network: sent, good, and spoiled by each cause.

use super::Network;
use crate::host::{Fates, FrameFate};
use cellway_kernel::invariant;
use cellway_kernel::table::Table;

/// The frames of one flow at one destination.
struct Row {
    flow: usize,
    node: usize,
    sent: u64,
    fates: Fates,
    under_way: u64,
}

impl Network {
    /// Flows that carry frames, at each destination.
    fn frames(&self) -> impl Iterator<Item = Row> {
        let flows = self.topology.flows.iter().enumerate();
        let rows = flows.flat_map(move |(flow, f)| {
            let sent = self.host(f.from).frames_offered(f.links[0].1);
            let ends = f.links.iter().map(|&(l, label)| (self.topology.links[l].to, label));
            let hosts = ends.filter(|&(node, _)| self.topology.is_host(node));
            hosts.map(move |(node, label)| {
                let (fates, under_way) = self.host(node).frames(label);
                Row { flow, node, sent, fates, under_way }
            })
        });
        rows.filter(|row| row.sent > 0)
    }

    pub(super) fn frame_table(&self) -> Table {
        let rows: Vec<Row> = self.frames().collect();
        let table = Table::new("frames")
            .names("vc", rows.iter().map(|r| self.vc_names[self.topology.flows[r.flow].vc].as_str()))
            .names("direction", rows.iter().map(|r| self.direction(r.flow)))
            .names("destination", rows.iter().map(|r| self.topology.nodes[r.node].as_str()))
            .counts("sent", "1", rows.iter().map(|r| r.sent));
        let fate = |fate: FrameFate| rows.iter().map(move |r| r.fates[fate as usize]);
        let table = FrameFate::ALL.into_iter().fold(table, |table, f| table.counts(f.name(), "1", fate(f)));
        table.counts("under_way", "1", rows.iter().map(|r| r.under_way))
    }

    /// Every frame sent was good, was spoiled for one cause, or is under way, at each destination.
    pub(super) fn check_frames(&self) {
        for Row { flow, node, sent, fates, under_way } in self.frames() {
            let known: u64 = fates.iter().sum();
            let component =
                format_args!("VC {} at {}", self.vc_names[self.topology.flows[flow].vc], self.topology.nodes[node]);
            invariant!(sent == known + under_way, component, "{sent} frames sent, {fates:?}, {under_way} under way");
        }
    }
}
