//! Probes of a scenario: installs their recorders, and reads them.

use super::{Network, Station};
use crate::cell::{Kind, Label};
use crate::host::AbrRate;
use crate::observe::{self, Passages, Passing, Shared, Throughput, Trace, Traced};
use crate::rate::RateQuantity;
use crate::spec::{Counted, Probe};
use crate::switch::SwitchGauge;
use crate::tcp::sender::Quantity;
use cellway_kernel::error::SpecError;
use cellway_kernel::link::{Fate, LinkId};
use cellway_kernel::probe::{Meter, Sample};
use cellway_kernel::table::Table;
use cellway_kernel::time::Duration;

/// A recorder and what it belongs to.
pub(super) struct Recording {
    kind: &'static str,
    node: Option<String>,
    link: Option<String>,
    vc: Option<String>,
    /// Which of several quantities of the same kind.
    quantity: Option<&'static str>,
    unit: &'static str,
    every: Option<Duration>,
    place: Place,
}

enum Place {
    Switch { node: usize, gauge: SwitchGauge },
    HostCredit { node: usize, label: Label },
    HostRate { node: usize, label: Label, rate: AbrRate },
    Bursts { flow: usize },
    Tcp { vc: usize, connection: u32, quantity: Quantity },
    Throughput(Shared<Meter>),
    Trace { link: LinkId, trace: Shared<Vec<Traced>> },
    Delay { destination: String, from: Shared<Passages>, to: Shared<Passages> },
}

impl Place {
    /// The TCP connection that it belongs to, of those on its VC; 0 for everything else.
    fn connection(&self) -> u64 {
        match self {
            Place::Tcp { connection, .. } => u64::from(*connection),
            _ => 0,
        }
    }
}

pub(super) fn install(network: &mut Network, probes: &[Probe]) -> Result<(), SpecError> {
    for (i, probe) in probes.iter().enumerate() {
        let path = format!("probes[{i}]");
        let installed = match probe {
            Probe::Trace { link } => network.install_trace(link),
            Probe::Queue { node, link, vc, every } => {
                network.install_queue(node, link.as_deref(), vc.as_deref(), *every)
            }
            Probe::Credit { link, vc, every } => network.install_credit(link, vc, *every),
            Probe::Rate { link, quantity, every } => network.install_rate(link, *quantity, *every),
            Probe::Throughput { link, vc, cells, every } => {
                network.install_throughput(link, vc.as_deref(), *cells, *every)
            }
            Probe::Delay { vc, to } => network.install_delays(vc, to.as_deref()),
            Probe::Acr { vc, returning, every } => network.install_abr_rate(vc, *returning, AbrRate::Acr, *every),
            Probe::Er { vc, returning, every } => network.install_abr_rate(vc, *returning, AbrRate::Er, *every),
            Probe::Bursts { vc } => network.install_bursts(vc),
            Probe::Tcp { vc, connection, quantity, every } => network.install_tcp(vc, *connection, *quantity, *every),
        };
        installed.map_err(|e| e.under(&path))?;
    }
    Ok(())
}

fn positive(every: Option<Duration>) -> Result<(), SpecError> {
    match every {
        Some(Duration::ZERO) => Err(SpecError::new("every", "a bin of no length").allowed("more than 0 s")),
        _ => Ok(()),
    }
}

impl Network {
    fn find_link(&self, name: &str) -> Result<LinkId, SpecError> {
        self.topology.link(name).ok_or_else(|| SpecError::new("link", "no link has this name").found(name))
    }

    /// The label of a VC on a link, of its forward or its return flow.
    fn find_label(&self, vc: &str, link: LinkId) -> Result<Label, SpecError> {
        let v = self.find_vc(vc)?;
        let mut flows = self.topology.flows.iter().filter(|f| f.vc == v);
        flows.find_map(|f| f.label_on(link)).ok_or_else(|| {
            let message = format!("VC {vc} does not use link {}", self.topology.links[link].name);
            SpecError::new("vc", message)
        })
    }

    fn find_vc(&self, vc: &str) -> Result<usize, SpecError> {
        let found = self.vc_names.iter().position(|name| name == vc);
        found.ok_or_else(|| SpecError::new("vc", "no VC has this name").found(vc))
    }

    fn install_trace(&mut self, name: &str) -> Result<(), SpecError> {
        let link = self.find_link(name)?;
        let trace = Shared::new(Vec::new());
        self.net.links[link].observe(Box::new(Trace(trace.clone())));
        let place = Place::Trace { link, trace };
        self.add("trace", None, Some(name), None, "", None, place);
        Ok(())
    }

    fn install_queue(
        &mut self,
        node_name: &str,
        link: Option<&str>,
        vc: Option<&str>,
        every: Option<Duration>,
    ) -> Result<(), SpecError> {
        positive(every)?;
        let node = self.topology.node(node_name).filter(|&n| !self.topology.is_host(n));
        let node = node.ok_or_else(|| SpecError::new("node", "no switch has this name").found(node_name))?;
        let id = link.map(|name| self.find_link(name)).transpose()?;
        let Station::Switch(switch) = &self.net.nodes[node] else { unreachable!("node {node} is a switch") };
        let gauge = match (id, vc) {
            (None, None) => SwitchGauge::Memory,
            (Some(link), vc) => {
                let none = || SpecError::new("link", "no port of this switch, or none that a VC uses").found(node_name);
                let port = switch.port_of(link).ok_or_else(none)?;
                match vc {
                    None => SwitchGauge::Port { port },
                    Some(vc) => SwitchGauge::Queue { port, label: self.find_label(vc, link)? },
                }
            }
            (None, Some(vc)) => {
                let v = self.find_vc(vc)?;
                let flows = self.topology.flows.iter().filter(|f| f.vc == v);
                let mut steps = flows.flat_map(|f| f.links.iter());
                let found = steps.find_map(|&(link, label)| Some((switch.input_of(link)?, label)));
                let none = || SpecError::new("vc", format!("VC {vc} does not come through {node_name}"));
                let (input, label) = found.ok_or_else(none)?;
                SwitchGauge::Vc { input, label }
            }
        };
        self.only_once(|place| matches!(place, Place::Switch { node: n, gauge: g } if (*n, *g) == (node, gauge)))?;
        let Station::Switch(switch) = &mut self.net.nodes[node] else { unreachable!("node {node} is a switch") };
        switch.record(gauge, every);
        self.add("queue", Some(node_name), link, vc, "cells", every, Place::Switch { node, gauge });
        Ok(())
    }

    fn install_credit(&mut self, link_name: &str, vc: &str, every: Option<Duration>) -> Result<(), SpecError> {
        positive(every)?;
        let link = self.find_link(link_name)?;
        let label = self.find_label(vc, link)?;
        let node = self.topology.links[link].from;
        let has = match &self.net.nodes[node] {
            Station::Host(h) => h.senders().any(|(l, v, _)| (l, v) == (link, label)),
            Station::Switch(s) => s.senders().any(|(l, v, _)| (l, v) == (link, label)),
        };
        if !has {
            return Err(SpecError::new("vc", format!("VC {vc} is not flow controlled on link {link_name}")));
        }
        let port = match &self.net.nodes[node] {
            Station::Switch(switch) => switch.port_of(link),
            Station::Host(_) => None,
        };
        self.only_once(|place| match (place, port) {
            (Place::HostCredit { node: n, label: l }, _) => (*n, *l) == (node, label),
            (Place::Switch { node: n, gauge }, Some(port)) => {
                (*n, *gauge) == (node, SwitchGauge::Credit { port, label })
            }
            _ => false,
        })?;
        let place = match &mut self.net.nodes[node] {
            Station::Host(host) => {
                host.record_credit(label, every);
                Place::HostCredit { node, label }
            }
            Station::Switch(switch) => {
                let port = switch.port_of(link).expect("a flow-controlled VC uses this port");
                let gauge = SwitchGauge::Credit { port, label };
                switch.record(gauge, every);
                Place::Switch { node, gauge }
            }
        };
        let node_name = self.topology.nodes[node].clone();
        self.add("credit", Some(&node_name), Some(link_name), Some(vc), "cells", every, place);
        Ok(())
    }

    fn install_rate(&mut self, name: &str, quantity: RateQuantity, every: Option<Duration>) -> Result<(), SpecError> {
        positive(every)?;
        let link = self.find_link(name)?;
        let node = self.topology.links[link].from;
        let Station::Switch(switch) = &mut self.net.nodes[node] else {
            return Err(SpecError::new("link", "the port of a host has no rate algorithm").found(name));
        };
        let none = || SpecError::new("link", "a port without rate algorithm, or without ABR VC").found(name);
        let port = switch.port_of(link).ok_or_else(none)?;
        let quantities = switch.rate_quantities(port).ok_or_else(none)?;
        if !quantities.contains(&quantity) {
            let names: Vec<&str> = quantities.iter().map(|q| q.name()).collect();
            return Err(SpecError::new("quantity", "the port's rate algorithm has no such quantity")
                .found(quantity.name())
                .allowed(names.join(", ")));
        }
        let gauge = SwitchGauge::Rate { port, quantity };
        self.only_once(|place| matches!(place, Place::Switch { node: n, gauge: g } if (*n, *g) == (node, gauge)))?;
        let Station::Switch(switch) = &mut self.net.nodes[node] else { unreachable!("node {node} is a switch") };
        switch.record(gauge, every);
        let node_name = self.topology.nodes[node].clone();
        let place = Place::Switch { node, gauge };
        self.add("rate", Some(&node_name), Some(name), None, quantity.unit(), every, place);
        self.recordings.last_mut().expect("just added").quantity = Some(quantity.name());
        Ok(())
    }

    fn install_throughput(
        &mut self,
        name: &str,
        vc: Option<&str>,
        counted: Counted,
        every: Duration,
    ) -> Result<(), SpecError> {
        positive(Some(every))?;
        let link = self.find_link(name)?;
        let label = match (vc, counted) {
            (None, _) => None,
            (Some(vc), Counted::Data) => Some(self.find_label(vc, link)?),
            // Credit cells carry the label of the link that they are for, the opposite one.
            (Some(vc), Counted::Credit) => {
                let back = self.topology.links[link].reverse;
                let back = back.ok_or_else(|| SpecError::new("link", "no credit cells travel on a one-way link"))?;
                Some(self.find_label(vc, back)?)
            }
            (Some(_), Counted::All) => {
                return Err(SpecError::new("cells", "the cells of one VC are data or credit")
                    .found("all")
                    .allowed("data, credit"));
            }
        };
        let meter = Shared::new(Meter::new(every));
        self.net.links[link].observe(Box::new(Throughput { meter: meter.clone(), label, counted }));
        let kind = match counted {
            Counted::Data => "throughput",
            Counted::Credit => "credit_throughput",
            Counted::All => "total_throughput",
        };
        self.add(kind, None, Some(name), vc, "cells/s", Some(every), Place::Throughput(meter));
        Ok(())
    }

    fn install_delays(&mut self, vc: &str, to: Option<&str>) -> Result<(), SpecError> {
        let v = self.find_vc(vc)?;
        let flow = &self.topology.flows[self.topology.forward_flow(v)];
        let wanted = |n: &usize| to.is_none_or(|name| self.topology.nodes[*n] == name);
        let destinations: Vec<usize> = flow.to.iter().copied().filter(wanted).collect();
        if destinations.is_empty() {
            return Err(SpecError::new("to", format!("no destination of VC {vc}")).found(to.unwrap_or("")));
        }
        let (first, label) = flow.links[0];
        let from = Shared::new(Passages::default());
        let ends: Vec<(usize, LinkId, Label)> = destinations
            .iter()
            .filter_map(|&d| {
                flow.links.iter().find(|&&(l, _)| self.topology.links[l].to == d).map(|&(l, label)| (d, l, label))
            })
            .collect();
        self.net.links[first].observe(Box::new(Passing { passages: from.clone(), label, arrivals: false }));
        for (destination, link, label) in ends {
            let to = Shared::new(Passages::default());
            self.net.links[link].observe(Box::new(Passing { passages: to.clone(), label, arrivals: true }));
            let destination = self.topology.nodes[destination].clone();
            let place = Place::Delay { destination: destination.clone(), from: from.clone(), to };
            self.add("delay", Some(&destination), None, Some(vc), "s", None, place);
        }
        Ok(())
    }

    /// The host that sends a flow, and the flow's label on its line.
    fn source_of(&self, flow: usize) -> (usize, Label) {
        let flow = &self.topology.flows[flow];
        (flow.from, flow.links[0].1)
    }

    fn install_abr_rate(
        &mut self,
        vc: &str,
        returning: bool,
        rate: AbrRate,
        every: Option<Duration>,
    ) -> Result<(), SpecError> {
        positive(every)?;
        let flow = self.topology.forward_flow(self.find_vc(vc)?) + usize::from(returning);
        let flow = self.topology.flows.get(flow).filter(|f| f.returning == returning).map(|_| flow);
        let none = || SpecError::new("vc", "no ABR VC").found(vc);
        let (node, label) = self.source_of(flow.ok_or_else(none)?);
        if self.host(node).abr(label).is_none() {
            return Err(none());
        }
        self.only_once(|place| {
            matches!(place, Place::HostRate { node: n, label: l, rate: r } if (*n, *l, *r) == (node, label, rate))
        })?;
        if let Station::Host(host) = &mut self.net.nodes[node] {
            host.record_rate(label, rate, every);
        }
        let kind = match rate {
            AbrRate::Acr => "acr",
            AbrRate::Er => "er",
        };
        let name = self.topology.nodes[node].clone();
        self.add(kind, Some(&name), None, Some(vc), "cells/s", every, Place::HostRate { node, label, rate });
        Ok(())
    }

    fn install_bursts(&mut self, vc: &str) -> Result<(), SpecError> {
        let v = self.find_vc(vc)?;
        self.only_once(|place| matches!(place, Place::Bursts { flow } if self.topology.flows[*flow].vc == v))?;
        for flow in (0..self.topology.flows.len()).filter(|&f| self.topology.flows[f].vc == v).collect::<Vec<_>>() {
            let (node, label) = self.source_of(flow);
            if let Station::Host(host) = &mut self.net.nodes[node] {
                host.record_bursts(label);
            }
            let name = self.topology.nodes[node].clone();
            self.add("bursts", Some(&name), None, Some(vc), "s", None, Place::Bursts { flow });
        }
        Ok(())
    }

    fn install_tcp(
        &mut self,
        vc_name: &str,
        connection: u32,
        quantity: Quantity,
        every: Option<Duration>,
    ) -> Result<(), SpecError> {
        positive(every)?;
        let vc = self.find_vc(vc_name)?;
        let wanted = (vc, connection, quantity);
        self.only_once(
            |place| matches!(place, Place::Tcp { vc, connection, quantity } if (*vc, *connection, *quantity) == wanted),
        )?;
        self.observe_tcp(vc, connection, quantity, every)?;
        let kind = match quantity {
            Quantity::Cwnd => "cwnd",
            Quantity::Ssthresh => "ssthresh",
            Quantity::Rto => "rto",
            Quantity::Srtt => "srtt",
            Quantity::InFlight => "in_flight",
        };
        let place = Place::Tcp { vc, connection, quantity };
        self.add(kind, None, None, Some(vc_name), quantity.unit(), every, place);
        Ok(())
    }

    /// A quantity has one recorder: asking twice would give both the bins of the second.
    fn only_once(&self, same: impl Fn(&Place) -> bool) -> Result<(), SpecError> {
        match self.recordings.iter().position(|r| same(&r.place)) {
            Some(i) => Err(SpecError::new("", format!("probe {i} records the same already"))),
            None => Ok(()),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn add(
        &mut self,
        kind: &'static str,
        node: Option<&str>,
        link: Option<&str>,
        vc: Option<&str>,
        unit: &'static str,
        every: Option<Duration>,
        place: Place,
    ) {
        let owned = |s: Option<&str>| s.map(str::to_owned);
        let (node, link, vc) = (owned(node), owned(link), owned(vc));
        self.recordings.push(Recording { kind, node, link, vc, quantity: None, unit, every, place });
    }

    /// What the series of a recording holds.
    fn samples(&mut self, which: usize) -> Vec<Sample> {
        let now = self.net.now();
        match &self.recordings[which].place {
            Place::Switch { node, gauge } => match &mut self.net.nodes[*node] {
                Station::Switch(switch) => switch.recorded(*gauge, now).samples().to_vec(),
                Station::Host(_) => Vec::new(),
            },
            Place::HostCredit { node, label } => match &mut self.net.nodes[*node] {
                Station::Host(host) => host.recorded_credit(*label, now).samples().to_vec(),
                Station::Switch(_) => Vec::new(),
            },
            Place::HostRate { node, label, rate } => match &mut self.net.nodes[*node] {
                Station::Host(host) => host.recorded_rate(*label, *rate, now).samples().to_vec(),
                Station::Switch(_) => Vec::new(),
            },
            Place::Tcp { vc, connection, quantity } => {
                let (vc, connection, quantity) = (*vc, *connection, *quantity);
                self.observed_tcp(vc, connection, quantity)
            }
            Place::Throughput(meter) => {
                let mut meter = meter.get();
                meter.close_bins(now);
                meter.samples().to_vec()
            }
            Place::Trace { .. } | Place::Delay { .. } | Place::Bursts { .. } => Vec::new(),
        }
    }

    /// Tables `probes`, `series`, `trace`, `delays` and `bursts`.
    pub(super) fn recorded_tables(&mut self) -> Vec<Table> {
        let list = &self.recordings;
        let probes = Table::new("probes")
            .counts("probe", "1", 0..list.len() as u64)
            .names("kind", list.iter().map(|r| r.kind))
            .optional_names("node", list.iter().map(|r| r.node.clone()))
            .optional_names("link", list.iter().map(|r| r.link.clone()))
            .optional_names("vc", list.iter().map(|r| r.vc.clone()))
            .optional_names("quantity", list.iter().map(|r| r.quantity.map(str::to_owned)))
            .optional_names("direction", list.iter().map(|r| self.direction_of(r)))
            .names("unit", list.iter().map(|r| r.unit))
            .counts("every_ps", "ps", list.iter().map(|r| r.every.map_or(0, Duration::ps)))
            .counts("connection", "1", list.iter().map(|r| r.place.connection()));
        let mut rows: Vec<(u64, Sample)> = Vec::new();
        for probe in 0..self.recordings.len() {
            rows.extend(self.samples(probe).into_iter().map(|s| (probe as u64, s)));
        }
        let series = Table::new("series")
            .counts("probe", "1", rows.iter().map(|r| r.0))
            .counts("time_ps", "ps", rows.iter().map(|r| r.1.time.ps()))
            .numbers("value", "", rows.iter().map(|r| r.1.value))
            .numbers("max", "", rows.iter().map(|r| r.1.max));
        vec![probes, series, self.trace_table(), self.delay_table(), self.burst_table()]
    }

    fn trace_table(&self) -> Table {
        let mut rows: Vec<(LinkId, Traced)> = Vec::new();
        for recording in &self.recordings {
            if let Place::Trace { link, trace } = &recording.place {
                rows.extend(trace.get().iter().map(|&t| (*link, t)));
            }
        }
        rows.sort_by_key(|(link, t)| (t.start, *link));
        let vc = |link: LinkId, t: &Traced| {
            // Credit cells carry the label of the link that they are for, the opposite one.
            let labels = if t.cell.kind() == Kind::Credit { self.topology.links[link].reverse } else { Some(link) };
            let flow = *self.topology.labels[labels?].get(t.cell.label() as usize)?;
            Some(self.vc_names[self.topology.flows[flow].vc].clone())
        };
        Table::new("trace")
            .counts("time_ps", "ps", rows.iter().map(|(_, t)| t.start.ps()))
            .counts("arrival_ps", "ps", rows.iter().map(|(_, t)| t.arrival.ps()))
            .names("link", rows.iter().map(|(l, _)| self.topology.links[*l].name.as_str()))
            .optional_names("vc", rows.iter().map(|(l, t)| vc(*l, t)))
            .names("kind", rows.iter().map(|(_, t)| kind_name(t.cell.kind())))
            .counts("seq", "1", rows.iter().map(|(_, t)| u64::from(t.cell.handle())))
            .names("fate", rows.iter().map(|(_, t)| fate_name(t.fate)))
    }

    /// The direction of what a recording of one direction of a VC records.
    fn direction_of(&self, recording: &Recording) -> Option<&'static str> {
        match recording.place {
            Place::HostRate { node, label, .. } => {
                let line = self.topology.links.iter().position(|l| l.from == node)?;
                Some(self.direction_on(line, label))
            }
            Place::Bursts { flow } => Some(self.direction(flow)),
            _ => None,
        }
    }

    fn burst_table(&self) -> Table {
        let mut rows = Vec::new();
        for recording in &self.recordings {
            if let (Place::Bursts { flow }, Some(vc)) = (&recording.place, &recording.vc) {
                let (node, label) = self.source_of(*flow);
                // A last cell that still leaves has not left.
                let left = self.host(node).recorded_bursts(label).iter().filter(|b| b.departed <= self.net.now());
                rows.extend(left.map(|burst| (vc, self.direction(*flow), burst)));
            }
        }
        Table::new("bursts")
            .names("vc", rows.iter().map(|r| r.0.as_str()))
            .names("direction", rows.iter().map(|r| r.1))
            .counts("offered_ps", "ps", rows.iter().map(|r| r.2.offered.ps()))
            .counts("departed_ps", "ps", rows.iter().map(|r| r.2.departed.ps()))
            .counts("cells", "cells", rows.iter().map(|r| r.2.cells))
    }

    fn delay_table(&self) -> Table {
        let mut rows = Vec::new();
        for recording in &self.recordings {
            if let (Place::Delay { destination, from, to }, Some(vc)) = (&recording.place, &recording.vc) {
                let joined = observe::delays(&from.get().0, &to.get().0);
                // Links note arrivals ahead of time; those that lie in the future have not happened.
                let arrived = joined.into_iter().filter(|&(_, _, came)| came < self.net.now());
                rows.extend(arrived.map(|(seq, sent, came)| (vc, destination, seq, sent, came)));
            }
        }
        Table::new("delays")
            .names("vc", rows.iter().map(|r| r.0.as_str()))
            .names("destination", rows.iter().map(|r| r.1.as_str()))
            .counts("seq", "1", rows.iter().map(|r| u64::from(r.2)))
            .counts("sent_ps", "ps", rows.iter().map(|r| r.3.ps()))
            .counts("delay_ps", "ps", rows.iter().map(|r| r.4.since(r.3).ps()))
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Data => "data",
        Kind::Credit => "credit",
        Kind::CreditRequest => "request",
        Kind::Rm => "rm",
    }
}

fn fate_name<C>(fate: Fate<C>) -> &'static str {
    match fate {
        Fate::Intact => "delivered",
        Fate::Altered(_) => "corrupted",
        Fate::Lost => "lost",
    }
}
