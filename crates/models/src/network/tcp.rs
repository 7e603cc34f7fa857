//! TCP connections of a network: their table and their probes.

use super::{Network, Station};
use crate::tcp::receiver::Receiver;
use crate::tcp::sender::{Quantity, Sender};
use crate::traffic::TcpEnd;
use cellway_kernel::error::SpecError;
use cellway_kernel::probe::Sample;
use cellway_kernel::table::Table;
use cellway_kernel::time::Duration;

/// Both ends of one connection.
struct Connection<'a> {
    vc: &'a str,
    number: u64,
    sender: &'a Sender,
    receiver: &'a Receiver,
}

impl Network {
    /// All connections, by VC and number.
    fn connections(&self) -> impl Iterator<Item = Connection<'_>> {
        let end = |flow: usize| {
            let flow = &self.topology.flows[flow];
            self.host(flow.from).traffic(flow.links[0].1).tcp()
        };
        (0..self.topology.flows.len()).flat_map(move |flow| {
            let vc = self.vc_names[self.topology.flows[flow].vc].as_str();
            let (senders, receivers) = match end(flow) {
                Some(TcpEnd::Senders(senders)) => match end(flow + 1) {
                    Some(TcpEnd::Receivers(receivers)) => (senders, receivers),
                    _ => unreachable!("VC {vc} has TCP senders and no receivers"),
                },
                _ => (&[][..], &[][..]),
            };
            let ends = senders.iter().zip(receivers).zip(0..);
            ends.map(move |((sender, receiver), number)| Connection { vc, number, sender, receiver })
        })
    }

    /// Bytes delivered in order, of each connection.
    pub(super) fn tcp_delivered(&self) -> Vec<u64> {
        self.connections().map(|c| c.receiver.counts().delivered).collect()
    }

    /// The table `tcp`; `marked` is what was delivered when the measurement began, `elapsed` seconds ago.
    pub(super) fn tcp_table(&self, marked: &[u64], elapsed: f64) -> Table {
        let rows: Vec<Connection<'_>> = self.connections().collect();
        let since_mark = || rows.iter().zip(marked).map(|(c, before)| c.receiver.counts().delivered - before);
        let sent = |get: fn(&Sender) -> u64| rows.iter().map(move |c| get(c.sender));
        let came = |get: fn(&Receiver) -> u64| rows.iter().map(move |c| get(c.receiver));
        Table::new("tcp")
            .names("vc", rows.iter().map(|c| c.vc))
            .counts("connection", "1", rows.iter().map(|c| c.number))
            .counts("delivered", "bytes", came(|r| r.counts().delivered))
            .counts("delivered_marked", "bytes", since_mark())
            .numbers("goodput", "bit/s", since_mark().map(|bytes| 8.0 * bytes as f64 / elapsed))
            .counts("acknowledged", "bytes", sent(|s| s.counts().acknowledged))
            .counts("sent", "bytes", sent(|s| s.counts().bytes))
            .counts("segments", "1", sent(|s| s.counts().segments))
            .counts("retransmissions", "1", sent(|s| s.counts().retransmissions))
            .counts("timeouts", "1", sent(|s| s.counts().timeouts))
            .counts("fast_retransmits", "1", sent(|s| s.counts().fast_retransmits))
            .counts("duplicate_acks", "1", sent(|s| s.counts().duplicate_acks))
            .counts("acks_received", "1", sent(|s| s.counts().acks))
            .counts("acks_sent", "1", came(|r| r.counts().acks))
            .counts("segments_received", "1", came(|r| r.counts().segments))
            .counts("out_of_order", "1", came(|r| r.counts().out_of_order))
            .counts("duplicates", "1", came(|r| r.counts().duplicates))
            .counts("gave_up", "1", sent(|s| u64::from(s.has_given_up())))
            .counts("cwnd", "bytes", sent(|s| u64::from(s.window().cwnd)))
            .numbers("srtt", "s", rows.iter().map(|c| c.sender.rto().smoothed().map_or(f64::NAN, Duration::seconds)))
            .numbers("rto", "s", rows.iter().map(|c| c.sender.rto().timeout().seconds()))
    }

    /// The sender of a connection.
    fn tcp_sender(&mut self, v: usize, connection: u32) -> Option<&mut Sender> {
        let flow = &self.topology.flows[self.topology.forward_flow(v)];
        let (from, label) = (flow.from, flow.links[0].1);
        let Station::Host(host) = &mut self.net.nodes[from] else { return None };
        host.traffic_mut(label).tcp_senders().get_mut(connection as usize)
    }

    /// Begins to record a quantity of the sender of a connection.
    pub(super) fn observe_tcp(
        &mut self,
        v: usize,
        connection: u32,
        quantity: Quantity,
        every: Option<Duration>,
    ) -> Result<(), SpecError> {
        let Some(sender) = self.tcp_sender(v, connection) else {
            let message = format!("VC {} has no TCP connection of this number", self.vc_names[v]);
            return Err(SpecError::new("connection", message).found(connection));
        };
        sender.observe(quantity, every);
        Ok(())
    }

    /// What was recorded.
    pub(super) fn observed_tcp(&mut self, v: usize, connection: u32, quantity: Quantity) -> Vec<Sample> {
        let now = self.net.now();
        let gauge = self.tcp_sender(v, connection).and_then(|sender| sender.observed(quantity, now));
        gauge.map_or(Vec::new(), |gauge| gauge.samples().to_vec())
    }
}
