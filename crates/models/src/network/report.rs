//! Results: the tables of a run.

use super::{Network, Station};
use crate::buffer::DropReason;
use crate::cell::{Cell, Kind, Label};
use crate::credit::ends::{ReceiverEnd, SenderEnd};
use crate::host::AbrState;
use crate::switch::{Books, Switch};
use crate::traffic::Exchanges;
use cellway_kernel::invariant;
use cellway_kernel::link::LinkId;
use cellway_kernel::table::Table;
use cellway_kernel::time::Time;
use std::collections::HashMap;

/// Counts at the start of the measurement.
#[derive(Default)]
pub(super) struct Mark {
    at: Time,
    delivered: HashMap<(usize, usize), u64>,
    sent: Vec<(u64, u64)>,
    tcp: Vec<u64>,
}

const KINDS: [Kind; 4] = [Kind::Data, Kind::Credit, Kind::CreditRequest, Kind::Rm];

impl Network {
    /// Rates, utilisations and marked peaks count from now: the end of the warm-up.
    pub fn mark(&mut self) {
        let delivered = self.deliveries().map(|(flow, node, books)| ((flow, node), books.cells)).collect();
        let sent = (0..self.net.links.len()).map(|l| (self.net.links[l].sent(), self.line_sent(l, Kind::Data)));
        self.mark = Mark { at: self.net.now(), delivered, sent: sent.collect(), tcp: self.tcp_delivered() };
        for station in &mut self.net.nodes {
            if let Station::Switch(switch) = station {
                switch.mark();
            }
        }
    }

    /// All tables of results, checked for conservation first.
    ///
    /// # Panics
    /// As [`Network::check_books`].
    pub fn tables(&mut self) -> Vec<Table> {
        self.check_books();
        let mut tables = vec![
            self.vc_table(),
            self.link_table(),
            self.queue_table(),
            self.switch_table(),
            self.drop_table(),
            self.policing_table(),
            self.credit_table(),
            self.abr_table(),
            self.frame_table(),
            self.tcp_table(&self.mark.tcp, self.elapsed()),
        ];
        tables.extend(self.recorded_tables());
        tables
    }

    fn elapsed(&self) -> f64 {
        self.net.now().since(self.mark.at).seconds()
    }

    /// Cells of a kind sent on a link.
    fn line_sent(&self, link: LinkId, kind: Kind) -> u64 {
        match &self.net.nodes[self.topology.links[link].from] {
            Station::Host(host) => host.line_sent(kind),
            Station::Switch(switch) => switch.line_sent(link, kind),
        }
    }

    /// Flow, destination node and books of every destination.
    fn deliveries(&self) -> impl Iterator<Item = (usize, usize, crate::host::Delivered)> {
        self.topology.flows.iter().enumerate().flat_map(move |(f, flow)| {
            let ends = flow.links.iter().map(|&(l, label)| (self.topology.links[l].to, label));
            let hosts = ends.filter(|&(node, _)| self.topology.is_host(node));
            hosts.map(move |(node, label)| (f, node, self.host(node).delivered(label)))
        })
    }

    fn vc_table(&self) -> Table {
        let rows: Vec<_> = self.deliveries().collect();
        let source = |f: usize| {
            let flow = &self.topology.flows[f];
            (self.host(flow.from), flow.links[0].1)
        };
        let exchanges = |f: usize| {
            let (host, label) = source(f);
            host.traffic(label).exchanges()
        };
        let rate = |&(f, node, books): &(usize, usize, crate::host::Delivered)| {
            let before = self.mark.delivered.get(&(f, node)).copied().unwrap_or(0);
            (books.cells - before) as f64 / self.elapsed()
        };
        let mean = |e: Exchanges| e.total_time.seconds() / e.responses as f64;
        let counts =
            |get: fn(Exchanges) -> u64| rows.iter().map(|r| exchanges(r.0).map_or(0, get)).collect::<Vec<u64>>();
        Table::new("vcs")
            .names("vc", rows.iter().map(|r| self.vc_names[self.topology.flows[r.0].vc].as_str()))
            .names("direction", rows.iter().map(|r| self.direction(r.0)))
            .names("destination", rows.iter().map(|r| self.topology.nodes[r.1].as_str()))
            .counts("offered", "cells", rows.iter().map(|r| source(r.0)).map(|(h, l)| h.sent(l).offered))
            .counts("waiting", "cells", rows.iter().map(|r| source(r.0)).map(|(h, l)| h.sent(l).waiting))
            .counts("sent", "cells", rows.iter().map(|r| source(r.0)).map(|(h, l)| h.sent(l).sent))
            .counts("delivered", "cells", rows.iter().map(|r| r.2.cells))
            .counts("corrupted", "cells", rows.iter().map(|r| r.2.corrupted))
            .numbers("rate", "cells/s", rows.iter().map(rate))
            .counts("messages", "1", rows.iter().map(|r| r.2.messages))
            .counts("spoiled_messages", "1", rows.iter().map(|r| r.2.spoiled))
            .counts("requests", "1", counts(|e| e.requests))
            .counts("repeated", "1", counts(|e| e.repeated))
            .counts("responses", "1", counts(|e| e.responses))
            .numbers("mean_response", "s", rows.iter().map(|r| exchanges(r.0).map_or(f64::NAN, mean)))
            .numbers(
                "longest_response",
                "s",
                rows.iter().map(|r| exchanges(r.0).map_or(f64::NAN, |e| e.longest.seconds())),
            )
    }

    fn link_table(&self) -> Table {
        let all = 0..self.topology.links.len();
        let sent = |kind: Kind| all.clone().map(move |l| self.line_sent(l, kind));
        let share = |l: usize, cells: u64| {
            let rate = self.topology.links[l].rate.cells().per_second();
            cells as f64 / (rate * self.elapsed())
        };
        Table::new("links")
            .names("link", self.topology.links.iter().map(|l| l.name.as_str()))
            .counts("rate", "bit/s", self.topology.links.iter().map(|l| l.rate.bps()))
            .counts("delay", "ps", self.topology.links.iter().map(|l| l.delay.ps()))
            .counts("data_cells", "cells", sent(Kind::Data))
            .counts("credit_cells", "cells", sent(Kind::Credit))
            .counts("request_cells", "cells", sent(Kind::CreditRequest))
            .counts("rm_cells", "cells", sent(Kind::Rm))
            .counts("lost", "cells", all.clone().map(|l| self.net.links[l].errors().0))
            .counts("corrupted", "cells", all.clone().map(|l| self.net.links[l].errors().1))
            .numbers("utilisation", "1", all.clone().map(|l| share(l, self.net.links[l].sent() - self.mark.sent[l].0)))
            .numbers(
                "data_utilisation",
                "1",
                all.clone().map(|l| share(l, self.line_sent(l, Kind::Data) - self.mark.sent[l].1)),
            )
    }

    /// Switch, link, label and books of every VC at every port.
    fn books(&self) -> impl Iterator<Item = (&Switch, LinkId, Label, Books)> {
        self.switches().flat_map(|s| s.books().map(move |(link, label, books)| (s, link, label, books)))
    }

    fn vc_on(&self, link: LinkId, label: Label) -> &str {
        &self.vc_names[self.topology.flows[self.topology.labels[link][label as usize]].vc]
    }

    /// Which way the cells with `label` on `link` travel.
    pub(super) fn direction_on(&self, link: LinkId, label: Label) -> &'static str {
        self.direction(self.topology.labels[link][label as usize])
    }

    pub(super) fn direction(&self, flow: usize) -> &'static str {
        if self.topology.flows[flow].returning { "return" } else { "forward" }
    }

    fn queue_table(&self) -> Table {
        let rows: Vec<_> = self.books().collect();
        Table::new("queues")
            .names("node", rows.iter().map(|r| r.0.name()))
            .names("link", rows.iter().map(|r| self.topology.links[r.1].name.as_str()))
            .names("vc", rows.iter().map(|r| self.vc_on(r.1, r.2)))
            .names("direction", rows.iter().map(|r| self.direction_on(r.1, r.2)))
            .counts("arrived", "cells", rows.iter().map(|r| r.3.arrived))
            .counts("dropped", "cells", rows.iter().map(|r| r.3.dropped()))
            .counts("departed", "cells", rows.iter().map(|r| r.3.departed))
            .counts("queued", "cells", rows.iter().map(|r| r.3.queued))
            .counts("peak", "cells", rows.iter().map(|r| r.3.peak()))
            .counts("peak_marked", "cells", rows.iter().map(|r| r.3.peak_marked))
            .counts("arrived_clp0", "cells", rows.iter().map(|r| r.3.arrived - r.3.tagged.arrived))
            .counts("dropped_clp0", "cells", rows.iter().map(|r| r.3.dropped() - r.3.tagged.dropped))
            .counts("departed_clp0", "cells", rows.iter().map(|r| r.3.departed - r.3.tagged.departed))
            .counts("queued_clp0", "cells", rows.iter().map(|r| r.3.queued - r.3.tagged.queued))
    }

    fn switch_table(&self) -> Table {
        let rows: Vec<_> = self.switches().map(|s| (s.name(), s.stored())).collect();
        Table::new("switches")
            .names("node", rows.iter().map(|r| r.0))
            .counts("stored", "cells", rows.iter().map(|r| r.1.0))
            .counts("peak", "cells", rows.iter().map(|r| r.1.1))
    }

    fn drop_table(&self) -> Table {
        let rows: Vec<_> = self
            .books()
            .flat_map(|(s, link, label, books)| {
                DropReason::ALL.into_iter().map(move |why| (s, link, label, why, books.dropped[why as usize]))
            })
            .filter(|r| r.4 > 0)
            .collect();
        Table::new("drops")
            .names("node", rows.iter().map(|r| r.0.name()))
            .names("link", rows.iter().map(|r| self.topology.links[r.1].name.as_str()))
            .names("vc", rows.iter().map(|r| self.vc_on(r.1, r.2)))
            .names("direction", rows.iter().map(|r| self.direction_on(r.1, r.2)))
            .names("reason", rows.iter().map(|r| r.3.name()))
            .counts("cells", "cells", rows.iter().map(|r| r.4))
    }

    fn policing_table(&self) -> Table {
        let of_switch = |s| Switch::policed(s).map(move |(link, label, policing)| (s, link, label, policing));
        let rows: Vec<_> = self.switches().flat_map(of_switch).collect();
        Table::new("policing")
            .names("vc", rows.iter().map(|r| self.vc_on(r.1, r.2)))
            .names("node", rows.iter().map(|r| r.0.name()))
            .names("kind", rows.iter().map(|r| r.3.kind))
            .counts("conforming", "cells", rows.iter().map(|r| r.3.books.conforming))
            .counts("spared", "cells", rows.iter().map(|r| r.3.books.spared))
            .counts("tagged", "cells", rows.iter().map(|r| r.3.books.tagged))
            .counts("discarded", "cells", rows.iter().map(|r| r.3.books.discarded))
    }

    fn credit_table(&self) -> Table {
        let mut senders: Vec<(LinkId, Label, &SenderEnd)> = Vec::new();
        let mut receivers: HashMap<(LinkId, Label), &ReceiverEnd> = HashMap::new();
        for station in &self.net.nodes {
            match station {
                Station::Host(host) => {
                    senders.extend(host.senders());
                    receivers.extend(host.receivers().map(|(link, label, r)| ((link, label), r)));
                }
                Station::Switch(switch) => {
                    senders.extend(switch.senders());
                    receivers.extend(switch.receivers().map(|(link, label, r)| ((link, label), r)));
                }
            }
        }
        senders.sort_by_key(|&(link, label, _)| (link, label));
        let receiver = |&(link, label, _): &(LinkId, Label, &SenderEnd)| receivers[&(link, label)];
        Table::new("credits")
            .names("link", senders.iter().map(|s| self.topology.links[s.0].name.as_str()))
            .names("vc", senders.iter().map(|s| self.vc_on(s.0, s.1)))
            .names("scheme", senders.iter().map(|s| s.2.kind))
            .counts("n1", "cells", senders.iter().map(|s| s.2.sizing.n1))
            .counts("n2", "cells", senders.iter().map(|s| s.2.sizing.n2))
            .counts("n3", "cells", senders.iter().map(|s| s.2.sizing.n3))
            .counts("r_ps", "ps", senders.iter().map(|s| s.2.sizing.r.ps()))
            .counts("balance", "cells", senders.iter().map(|s| s.2.balance()))
            .counts("credit_cells_sent", "cells", senders.iter().map(|s| receiver(s).sent))
            .counts("credit_cells_received", "cells", senders.iter().map(|s| s.2.received))
            .counts("discarded", "cells", senders.iter().map(|s| s.2.discarded))
            .counts("requests", "cells", senders.iter().map(|s| s.2.requests))
            .counts("peak_receiver", "cells", senders.iter().map(|s| receiver(s).peak))
            .counts("overflow", "cells", senders.iter().map(|s| receiver(s).overruns))
    }

    /// Per direction of an ABR VC, its loop: FRM cells from its source, BRM cells from its destination.
    fn abr_table(&self) -> Table {
        let state = |flow: usize| {
            let of = &self.topology.flows[flow];
            self.host(of.from).abr(of.links[0].1)
        };
        let both = |flow: usize| Some((flow, state(flow)?, state(self.topology.opposite_flow(flow)?)?));
        let rows: Vec<(usize, AbrState, AbrState)> = (0..self.topology.flows.len()).filter_map(both).collect();
        Table::new("abr")
            .names("vc", rows.iter().map(|r| self.vc_names[self.topology.flows[r.0].vc].as_str()))
            .names("direction", rows.iter().map(|r| self.direction(r.0)))
            .numbers("acr", "cells/s", rows.iter().map(|r| r.1.acr))
            .numbers("er", "cells/s", rows.iter().map(|r| r.1.er))
            .counts("frm_sent", "cells", rows.iter().map(|r| r.1.books.frm_sent))
            .counts("frm_out_of_rate", "cells", rows.iter().map(|r| r.1.books.frm_out_of_rate))
            .counts("frm_received", "cells", rows.iter().map(|r| r.2.books.frm_received))
            .counts("brm_sent", "cells", rows.iter().map(|r| r.2.books.brm_sent))
            .counts("brm_out_of_rate", "cells", rows.iter().map(|r| r.2.books.brm_out_of_rate))
            .counts("brm_dropped", "cells", rows.iter().map(|r| r.2.dropped))
            .counts("brm_received", "cells", rows.iter().map(|r| r.1.books.brm_received))
            .counts("rm_discarded", "cells", rows.iter().map(|r| r.1.books.discarded))
    }

    /// Every cell sent on a link has arrived, is on its way, or was lost by the line.
    pub(super) fn check_links(&self) {
        for (l, info) in self.topology.links.iter().enumerate() {
            let by_kind: u64 = KINDS.iter().map(|&k| self.line_sent(l, k)).sum();
            let sent = self.net.links[l].sent();
            invariant!(by_kind == sent, info.name, "{by_kind} cells of all kinds, {sent} sent");
        }
        for flow in &self.topology.flows {
            for &(link, label) in &flow.links {
                self.check_hop(flow.vc, link, label);
            }
        }
    }

    /// Over one link of a VC: sent = arrived + in flight + lost.
    fn check_hop(&self, vc: usize, link: LinkId, label: Label) {
        let info = &self.topology.links[link];
        let sent = match &self.net.nodes[info.from] {
            Station::Host(host) => host.sent(label).sent + host.sent(label).rm,
            Station::Switch(switch) => switch.departed(link, label),
        };
        let came = match &self.net.nodes[info.to] {
            Station::Host(host) => host.delivered(label).cells + host.delivered(label).rm,
            Station::Switch(switch) => switch.received(link, label),
        };
        let (lost, _) = self.net.links[link].errors();
        let travelling = |c: &Cell| matches!(c.kind(), Kind::Data | Kind::Rm) && c.label() == label;
        let in_flight = self.net.links[link].in_flight().filter(travelling).count() as u64;
        let component = format_args!("VC {} on {}", self.vc_names[vc], info.name);
        let balanced = came + in_flight <= sent && sent <= came + in_flight + lost;
        invariant!(balanced, component, "{sent} sent, {came} arrived, {in_flight} in flight, {lost} lost by the line");
    }
}
