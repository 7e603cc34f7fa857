//! Names become numbers: nodes, links, the flows of each VC, and the labels that cells carry on each link.

use crate::cell::{Cell, Label};
use crate::spec;
use cellway_kernel::error::SpecError;
use cellway_kernel::link::LinkId;
use cellway_kernel::time::Duration;
use cellway_kernel::units::{BitRate, CellClock};
use std::collections::HashMap;

/// Number of a node: hosts first, then switches, each in the order of the document.
pub(super) type NodeId = usize;

pub(super) struct Topology {
    pub(super) nodes: Vec<String>,
    pub(super) hosts: usize,
    pub(super) links: Vec<LinkInfo>,
    /// Per VC its forward flow and, where anything goes back, its return flow.
    pub(super) flows: Vec<Flow>,
    /// Per link the flows on it; the place in this list is the label.
    pub(super) labels: Vec<Vec<usize>>,
    link_ids: HashMap<String, LinkId>,
    node_ids: HashMap<String, NodeId>,
}

pub(super) struct LinkInfo {
    pub(super) name: String,
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) rate: BitRate,
    pub(super) delay: Duration,
    /// The link of the opposite direction.
    pub(super) reverse: Option<LinkId>,
}

impl LinkInfo {
    pub(super) fn cell_time(&self) -> Duration {
        CellClock::of_line(self.rate).shortest()
    }

    /// From the start of a cell to its arrival.
    pub(super) fn latency(&self) -> Duration {
        self.cell_time() + self.delay
    }
}

/// Cells of one VC in one direction.
pub(super) struct Flow {
    pub(super) vc: usize,
    /// From the last host back to the first.
    pub(super) returning: bool,
    pub(super) from: NodeId,
    pub(super) to: Vec<NodeId>,
    /// The links, each after the one that feeds it, and the label on each.
    pub(super) links: Vec<(LinkId, Label)>,
}

impl Flow {
    pub(super) fn label_on(&self, link: LinkId) -> Option<Label> {
        self.links.iter().find(|&&(l, _)| l == link).map(|&(_, label)| label)
    }
}

const FASTEST: u64 = 100_000_000_000_000;
/// With the time of a cell still well within what [`Time::plus`](cellway_kernel::time::Time::plus) may be given.
const LONGEST_DELAY: Duration = Duration::from_ps(1 << 60);

impl Topology {
    pub(super) fn new(scenario: &spec::Scenario) -> Result<Topology, SpecError> {
        let nodes: Vec<String> = scenario.hosts.keys().chain(scenario.switches.keys()).cloned().collect();
        let hosts = scenario.hosts.len();
        let node_ids: HashMap<String, NodeId> = nodes.iter().cloned().zip(0..).collect();
        if let Some(name) = scenario.switches.keys().find(|name| scenario.hosts.contains_key(*name)) {
            return Err(SpecError::new(format!("switches.{name}"), "a host has the same name").found(name));
        }
        let links = links(&scenario.links, &node_ids)?;
        let link_ids: HashMap<String, LinkId> = links.iter().map(|l| l.name.clone()).zip(0..).collect();
        one_interface(hosts, &links, &nodes)?;
        let labels = vec![Vec::new(); links.len()];
        let mut topology = Topology { nodes, hosts, links, flows: Vec::new(), labels, link_ids, node_ids };
        for (v, (name, vc)) in scenario.vcs.iter().enumerate() {
            topology.add_vc(v, vc).map_err(|e| e.under(&format!("vcs.{name}")))?;
        }
        Ok(topology)
    }

    pub(super) fn link(&self, name: &str) -> Option<LinkId> {
        self.link_ids.get(name).copied()
    }

    pub(super) fn node(&self, name: &str) -> Option<NodeId> {
        self.node_ids.get(name).copied()
    }

    pub(super) fn is_host(&self, node: NodeId) -> bool {
        node < self.hosts
    }

    /// The forward flow of a VC; the return flow, if any, is the next.
    pub(super) fn forward_flow(&self, vc: usize) -> usize {
        self.flows.partition_point(|f| f.vc < vc)
    }

    fn add_vc(&mut self, v: usize, vc: &spec::Vc) -> Result<(), SpecError> {
        let from = self.host_of(&vc.from, "from")?;
        let to = vc.to.iter().enumerate().map(|(i, name)| self.host_of(name, &format!("to[{i}]")));
        let to = to.collect::<Result<Vec<_>, _>>()?;
        let mut links = Vec::new();
        for (i, name) in vc.links.iter().enumerate() {
            links.push(self.link(name).ok_or_else(|| {
                SpecError::new(format!("links[{i}]"), "the route uses a link that does not exist").found(name)
            })?);
        }
        self.check_tree(from, &to, &links)?;
        let back = match why_back(vc)? {
            Some(why) => Some(self.return_path(&to, &links, why)?),
            None => None,
        };
        self.add_flow(Flow { vc: v, returning: false, from, to: to.clone(), links: Vec::new() }, &links)?;
        if let Some(back) = back {
            self.add_flow(Flow { vc: v, returning: true, from: to[0], to: vec![from], links: Vec::new() }, &back)?;
        }
        Ok(())
    }

    fn add_flow(&mut self, mut flow: Flow, links: &[LinkId]) -> Result<(), SpecError> {
        for &link in links {
            let label = self.labels[link].len();
            if label >= Cell::LABELS {
                return Err(SpecError::new("links", format!("too many VCs on link {}", self.links[link].name)));
            }
            self.labels[link].push(self.flows.len());
            flow.links.push((link, label as Label));
        }
        self.flows.push(flow);
        Ok(())
    }

    fn host_of(&self, name: &str, path: &str) -> Result<NodeId, SpecError> {
        match self.node(name) {
            Some(node) if self.is_host(node) => Ok(node),
            Some(_) => Err(SpecError::new(path, "a VC ends at hosts, and this is a switch").found(name)),
            None => Err(SpecError::new(path, "no host has this name").found(name)),
        }
    }

    /// The links form a tree from `from` whose leaves are exactly `to`.
    fn check_tree(&self, from: NodeId, to: &[NodeId], links: &[LinkId]) -> Result<(), SpecError> {
        let error = |i: usize, message: String| Err(SpecError::new(format!("links[{i}]"), message));
        let mut reached = vec![from];
        let mut inner = vec![from];
        for (i, &link) in links.iter().enumerate() {
            let LinkInfo { name, from: tail, to: head, .. } = &self.links[link];
            if !reached.contains(tail) {
                return error(i, format!("link {name} starts where the route has not come yet"));
            }
            if reached.contains(head) {
                return error(i, format!("link {name} leads back to a node of the route: no tree"));
            }
            if *tail != from && self.is_host(*tail) {
                return error(i, format!("the route passes through host {}", self.nodes[*tail]));
            }
            reached.push(*head);
            inner.push(*tail);
        }
        for (i, node) in to.iter().enumerate() {
            if !reached.contains(node) || *node == from {
                let message = format!("the route does not lead to {}", self.nodes[*node]);
                return Err(SpecError::new(format!("to[{i}]"), message));
            }
            if to[..i].contains(node) {
                return Err(SpecError::new(format!("to[{i}]"), "the same destination twice").found(&self.nodes[*node]));
            }
        }
        match reached.iter().find(|n| !inner.contains(n) && !to.contains(n)) {
            Some(&end) => {
                Err(SpecError::new("links", format!("the route ends at {}, no destination", self.nodes[end])))
            }
            None if to.is_empty() => Err(SpecError::new("to", "no destination").allowed("at least one host")),
            None => Ok(()),
        }
    }

    fn return_path(&self, to: &[NodeId], links: &[LinkId], why: &str) -> Result<Vec<LinkId>, SpecError> {
        if to.len() != 1 {
            return Err(SpecError::new("to", format!("{why}, so there is one destination"))
                .found(to.len())
                .allowed("one host"));
        }
        let back = links.iter().rev().map(|&l| {
            self.links[l].reverse.ok_or_else(|| {
                let message = format!("{why}, but link {} has no opposite direction", self.links[l].name);
                SpecError::new("links", message)
            })
        });
        back.collect()
    }

    /// The flow of the same VC in the opposite direction.
    pub(super) fn opposite_flow(&self, flow: usize) -> Option<usize> {
        let opposite = if self.flows[flow].returning { flow - 1 } else { flow + 1 };
        let same_vc = self.flows.get(opposite)?.vc == self.flows[flow].vc;
        same_vc.then_some(opposite)
    }
}

/// Why a VC needs its return flow, if it does.
fn why_back(vc: &spec::Vc) -> Result<Option<&'static str>, SpecError> {
    let answers = vc.traffic.config().answers();
    if let Some(traffic) = &vc.return_traffic
        && (answers || traffic.config().answers())
    {
        return Err(SpecError::new("return_traffic", "an application that answers has the return direction to itself")
            .found(traffic.kind())
            .allowed("return_traffic that does not answer, with traffic that does not either"));
    }
    if vc.abr.is_none() && vc.return_abr.is_some() {
        return Err(SpecError::new("return_abr", "ABR service has two directions, and the other has no parameters")
            .allowed("abr too"));
    }
    Ok(if answers {
        Some("the application answers")
    } else if vc.return_traffic.is_some() {
        Some("data goes back")
    } else {
        vc.abr.is_some().then_some("ABR sends resource management cells back")
    })
}

fn links(specs: &[spec::Link], node_ids: &HashMap<String, NodeId>) -> Result<Vec<LinkInfo>, SpecError> {
    let mut ends: HashMap<(NodeId, NodeId), LinkId> = HashMap::new();
    let mut names: HashMap<&str, LinkId> = HashMap::new();
    let mut links = Vec::new();
    for (i, link) in specs.iter().enumerate() {
        let at = |field: &str| format!("links[{i}].{field}");
        let node = |field: &str, name: &str| {
            let id = node_ids.get(name).copied();
            id.ok_or_else(|| SpecError::new(at(field), "no host or switch has this name").found(name))
        };
        let (from, to) = (node("from", &link.from)?, node("to", &link.to)?);
        if from == to {
            return Err(SpecError::new(at("to"), "a link leads back to its own node").found(&link.to));
        }
        if names.insert(&link.name, i).is_some() || ends.insert((from, to), i).is_some() {
            return Err(SpecError::new(at("name"), "the same link twice").found(&link.name));
        }
        if link.rate.bps() == 0 || link.rate.bps() > FASTEST {
            return Err(SpecError::new(at("rate"), "a rate that no line can have")
                .found(format_args!("{} bit/s", link.rate.bps()))
                .allowed("1 bit/s to 100 Tbit/s"));
        }
        if link.delay > LONGEST_DELAY {
            return Err(SpecError::new(at("delay"), "a delay longer than any run")
                .found(format_args!("{} ps", link.delay.ps()))
                .allowed("at most 2^60 ps (13 days)"));
        }
        links.push(LinkInfo { name: link.name.clone(), from, to, rate: link.rate, delay: link.delay, reverse: None });
    }
    for (&(from, to), &i) in &ends {
        links[i].reverse = ends.get(&(to, from)).copied();
    }
    Ok(links)
}

fn one_interface(hosts: usize, links: &[LinkInfo], nodes: &[String]) -> Result<(), SpecError> {
    for (what, end) in [("from", 0), ("to", 1)] {
        let mut seen = vec![false; hosts];
        for (i, link) in links.iter().enumerate() {
            let node = if end == 0 { link.from } else { link.to };
            if node < hosts && std::mem::replace(&mut seen[node], true) {
                return Err(SpecError::new(format!("links[{i}].{what}"), "a host has one network interface")
                    .found(format_args!("a second link {what} {}", nodes[node]))
                    .allowed("a switch in between"));
            }
        }
    }
    Ok(())
}
