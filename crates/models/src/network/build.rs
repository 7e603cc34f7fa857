//! From the document to nodes and links.

use super::topology::{Flow, NodeId, Topology};
use super::{Network, Station, probes, report::Mark};
use crate::abr::AbrContext;
use crate::abr::rm::Rm;
use crate::buffer::BufferContext;
use crate::cell::{Cell, Label};
use crate::credit::LinkLoop;
use crate::credit::ends::{ReceiverEnd, SenderEnd};
use crate::host::{AbrParts, Frame, Host, HostParts, ReceivingParts, SendingParts};
use crate::line::{GROUPS, OutputLine};
use crate::police::{Action, PoliceContext};
use crate::post::Post;
use crate::rate::{RateAlgorithm, RateContext, RateSpec};
use crate::schedule::{ScheduleContext, ScheduleSpec};
use crate::spec::{self, Scenario};
use crate::switch::{BranchParts, InputParts, InputVcParts, Policing, PortParts, Role, Switch, SwitchParts};
use crate::traffic::{Silence, Traffic, TrafficContext, TrafficSpec};
use cellway_kernel::error::SpecError;
use cellway_kernel::link::{Link, LinkId};
use cellway_kernel::net::{Ends, Net};
use cellway_kernel::rng::stream;
use cellway_kernel::time::Duration;
use cellway_kernel::units::{CELL_BITS, CellRate};
use std::collections::HashMap;

/// How far one node may run ahead of another, in cell times of the fastest link, where links are long enough for it.
/// Measured: with few VCs 128 to 2048 are equally fast and 8 to 32 twice as slow; with 500 TCP sources 2048 take two
/// thirds of the time of 256, because a node's VCs stay in the cache for more cells of each.
const WINDOW_CELLS: u64 = 2048;

pub(super) fn network(scenario: &Scenario) -> Result<Network, SpecError> {
    if scenario.version != spec::VERSION {
        return Err(SpecError::new("version", "this engine reads another version of the document")
            .found(scenario.version)
            .allowed(spec::VERSION));
    }
    let topology = Topology::new(scenario)?;
    let used = used_links(scenario, &topology);
    let posts = topology.flows.iter().map(|f| scenario.vcs[f.vc].abr.as_ref().map(|_| Post::default()));
    let posts = posts.collect();
    let frames = topology.flows.iter().map(|f| f.to.iter().map(|_| Post::default()).collect()).collect();
    let mut builder = Builder {
        scenario,
        topology: &topology,
        used: &used,
        applications: HashMap::new(),
        abr_ends: HashMap::new(),
        posts,
        frames,
    };
    builder.check_contracts()?;
    builder.build_applications()?;
    builder.build_abr_ends()?;
    let mut nodes = Vec::new();
    for node in 0..topology.nodes.len() {
        let name = &topology.nodes[node];
        nodes.push(if topology.is_host(node) {
            let host = builder.host(node).map_err(|e| e.under(&format!("hosts.{name}")))?;
            Station::Host(Box::new(host))
        } else {
            let switch = builder.switch(node).map_err(|e| e.under(&format!("switches.{name}")))?;
            Station::Switch(Box::new(switch))
        });
    }
    let links = builder.links()?;
    let mut ends = vec![Ends::default(); nodes.len()];
    for l in (0..topology.links.len()).filter(|&l| used[l]) {
        ends[topology.links[l].to].inputs.push(l);
        ends[topology.links[l].from].outputs.push(l);
    }
    let shortest = topology.links.iter().map(|l| l.cell_time().ps()).min().unwrap_or(1);
    let net = Net::new(nodes, links, ends, Duration::from_ps(shortest * WINDOW_CELLS));
    let vc_names = scenario.vcs.keys().cloned().collect();
    let mut network = Network { net, topology, vc_names, recordings: Vec::new(), mark: Mark::default() };
    probes::install(&mut network, &scenario.probes)?;
    network.mark();
    Ok(network)
}

/// The algorithm of a port, and what it hears of each VC by label.
type PortRateParts = (Option<Box<dyn RateAlgorithm>>, Vec<Role>);

struct Builder<'a> {
    scenario: &'a Scenario,
    topology: &'a Topology,
    used: &'a [bool],
    /// Applications by flow, until their host takes them.
    applications: HashMap<usize, Box<dyn Traffic>>,
    /// ABR ends by flow, until the host that sends it takes them.
    abr_ends: HashMap<usize, AbrParts>,
    /// Contents of RM cells by flow, of ABR VCs.
    posts: Vec<Option<Post<Rm>>>,
    /// Where each destination of a flow learns of its frames.
    frames: Vec<Vec<Post<Frame>>>,
}

impl Builder<'_> {
    /// The link's loop, for flow control of its cells.
    fn link_loop(&self, link: LinkId) -> Result<LinkLoop, SpecError> {
        let forward = &self.topology.links[link];
        let Some(back) = forward.reverse else {
            return Err(SpecError::new("", "credit cells return over the opposite direction, which this link lacks")
                .found(&forward.name)
                .allowed("a link in both directions"));
        };
        let round_trip = forward.latency() + self.topology.links[back].latency();
        let rate = CellRate::new(forward.rate.bps(), CELL_BITS);
        Ok(LinkLoop { round_trip, cell: forward.cell_time(), rate })
    }

    /// Every credit entry belongs to a link of its VC, and its scheme can work there; priorities and rates exist.
    fn check_contracts(&self) -> Result<(), SpecError> {
        for (v, (name, vc)) in self.scenario.vcs.iter().enumerate() {
            let flows = self.topology.flows.iter().filter(|f| f.vc == v);
            let used: Vec<LinkId> = flows.flat_map(|f| f.links.iter().map(|&(l, _)| l)).collect();
            for (link_name, credit) in &vc.credit {
                let path = format!("vcs.{name}.credit.{link_name}");
                let link = self.topology.link(link_name).filter(|l| used.contains(l)).ok_or_else(|| {
                    let names: Vec<&str> = used.iter().map(|&l| self.topology.links[l].name.as_str()).collect();
                    let error = SpecError::new(&path, "the VC does not use this link").found(link_name);
                    error.allowed(names.join(", "))
                })?;
                self.link_loop(link)
                    .and_then(|link_loop| SenderEnd::new(credit, &link_loop).map(drop))
                    .map_err(|e| e.under(&path))?;
            }
            if let Some(mcr) = vc.mcr {
                let slowest = used.iter().map(|&l| self.topology.links[l].rate).min();
                let (_, den) = mcr.into();
                if den == 0 || slowest.is_some_and(|rate| mcr.exceeds(rate.cells())) {
                    return Err(SpecError::new(format!("vcs.{name}.mcr"), "a rate that no network can guarantee here")
                        .found(format_args!("{} cells/s", mcr.per_second()))
                        .allowed("at most the rate of the slowest line on the route"));
                }
            }
            if vc.police.is_some() {
                let path = format!("vcs.{name}.police");
                let flow = self.topology.forward_flow(v);
                let (first, _) = self.topology.flows[flow].links[0];
                if self.topology.is_host(self.topology.links[first].to) {
                    return Err(SpecError::new(path, "no switch on the route, so nobody polices the VC"));
                }
                self.policing(flow, first).map_err(|e| e.under(&path))?;
            }
            if usize::from(vc.priority) >= GROUPS {
                let path = format!("vcs.{name}.priority");
                return Err(SpecError::new(path, "no such priority group").found(vc.priority).allowed("0 to 63"));
            }
        }
        Ok(())
    }

    fn build_applications(&mut self) -> Result<(), SpecError> {
        for (v, (name, vc)) in self.scenario.vcs.iter().enumerate() {
            let flow = self.topology.forward_flow(v);
            let line = self.topology.links[self.topology.flows[flow].links[0].0].rate;
            let context = TrafficContext { seed: self.scenario.seed, vc: name, line };
            let built = vc.traffic.config().build(&context);
            let application = built.map_err(|e| e.under(&format!("vcs.{name}.traffic")))?;
            self.applications.insert(flow, application.source);
            if let Some(responder) = application.responder {
                self.applications.insert(flow + 1, responder);
            } else if self.topology.opposite_flow(flow).is_some() {
                let application = self.return_application(flow + 1, vc, name)?;
                self.applications.insert(flow + 1, application);
            }
        }
        Ok(())
    }

    fn return_application(&self, flow: usize, vc: &spec::Vc, name: &str) -> Result<Box<dyn Traffic>, SpecError> {
        let Some(traffic) = &vc.return_traffic else { return Ok(Box::new(Silence)) };
        let line = self.topology.links[self.topology.flows[flow].links[0].0].rate;
        let context = TrafficContext { seed: self.scenario.seed, vc: &format!("{name} return"), line };
        let built = traffic.config().build(&context);
        Ok(built.map_err(|e| e.under(&format!("vcs.{name}.return_traffic")))?.source)
    }

    /// What sends the cells of a flow; `None` where it only carries RM cells.
    fn traffic_of(&self, flow: usize) -> Option<&TrafficSpec> {
        let vc = self.vc_of(flow);
        let own = self.topology.flows[flow].returning && !vc.traffic.config().answers();
        if own { vc.return_traffic.as_ref() } else { Some(&vc.traffic) }
    }

    fn build_abr_ends(&mut self) -> Result<(), SpecError> {
        for (v, (name, vc)) in self.scenario.vcs.iter().enumerate() {
            let Some(abr) = &vc.abr else { continue };
            let forward = self.topology.forward_flow(v);
            let returning = vc.return_abr.as_ref().map_or(("abr", abr), |abr| ("return_abr", abr));
            let sources = [(forward, ("abr", abr)), (forward + 1, returning)];
            let both_ways = [forward, forward + 1].map(|f| &self.topology.flows[f].links);
            let hops = both_ways.into_iter().flatten().map(|&(l, _)| self.topology.links[l].latency());
            let round_trip = hops.fold(Duration::ZERO, |sum, hop| sum + hop);
            for (i, &(flow, (path, abr))) in sources.iter().enumerate() {
                // The host that sends a flow receives the opposite one.
                let (_, (other_path, other)) = sources[1 - i];
                let line = self.topology.links[self.topology.flows[flow].links[0].0].rate;
                let context = AbrContext { line, mcr: vc.mcr, round_trip };
                let under = |path: &str, e: SpecError| e.under(&format!("vcs.{name}.{path}"));
                let source = abr.source(&context).map_err(|e| under(path, e))?;
                let destination = other.destination().map_err(|e| under(other_path, e))?;
                let post = self.posts[flow].clone().expect("every ABR flow has a post");
                self.abr_ends.insert(flow, AbrParts { source, destination, post });
            }
        }
        Ok(())
    }

    fn vc_of(&self, flow: usize) -> &spec::Vc {
        &self.scenario.vcs[self.topology.flows[flow].vc]
    }

    fn sender(&self, flow: usize, link: LinkId) -> Result<Option<SenderEnd>, SpecError> {
        let spec = self.vc_of(flow).credit.get(&self.topology.links[link].name);
        spec.map(|credit| SenderEnd::new(credit, &self.link_loop(link)?)).transpose()
    }

    fn receiver(&self, flow: usize, link: LinkId) -> Result<Option<ReceiverEnd>, SpecError> {
        let spec = self.vc_of(flow).credit.get(&self.topology.links[link].name);
        spec.map(|credit| ReceiverEnd::new(credit, &self.link_loop(link)?)).transpose()
    }

    /// True where the flow's cells form frames.
    fn sends_frames(&self, flow: usize) -> bool {
        self.traffic_of(flow).is_some_and(|traffic| traffic.config().sends_frames())
    }

    /// True where cells of the flow may be tagged on their way.
    fn may_be_tagged(&self, flow: usize) -> bool {
        let police = self.vc_of(flow).police.as_ref().filter(|_| !self.topology.flows[flow].returning);
        // Out-of-rate RM cells carry CLP = 1.
        self.vc_of(flow).abr.is_some() || police.is_some_and(|police| police.config().action() == Action::Tag)
    }

    /// The policing of a flow that comes over `link`: at the first switch, of cells from the source.
    fn policing(&self, flow: usize, link: LinkId) -> Result<Option<Policing>, SpecError> {
        let Flow { returning, links, .. } = &self.topology.flows[flow];
        let vc = self.vc_of(flow);
        let Some(police) = vc.police.as_ref().filter(|_| !returning && links[0].0 == link) else { return Ok(None) };
        let context =
            PoliceContext { mcr: vc.mcr, line: self.topology.links[link].rate, framed: self.sends_frames(flow) };
        Ok(Some(Policing::new(police.kind(), police.config().build(&context)?)))
    }

    /// The output line of `link`, with a discipline for each priority group that its VCs use.
    fn line(&self, link: LinkId, schedule: &ScheduleSpec) -> Result<OutputLine, SpecError> {
        let flows = &self.topology.labels[link];
        let rate = self.topology.links[link].rate;
        let config = schedule.config();
        let groups = flows.iter().map(|&f| self.vc_of(f).priority + 1).max().unwrap_or(0);
        let groups = (0..groups).map(|group| {
            let of_group = |&(_, f): &(u32, usize)| self.vc_of(f).priority == group;
            let queues: Vec<_> = match config.shares_queue() {
                true => vec![(u32::from(group), None)],
                false => {
                    (0..).zip(flows.iter().copied()).filter(of_group).map(|(q, f)| (q, self.vc_of(f).mcr)).collect()
                }
            };
            config.build(&ScheduleContext { line: rate, queues: &queues }).map_err(|e| e.under("schedule"))
        });
        let groups = groups.collect::<Result<Vec<_>, _>>()?;
        if config.shares_queue() || config.stamps_arrivals() {
            for &flow in flows {
                if self.vc_of(flow).credit.contains_key(&self.topology.links[link].name) {
                    let vc = &self.scenario.vcs.keys()[self.topology.flows[flow].vc];
                    let why = match config.shares_queue() {
                        true => "shares its queue: without credit it would block all others",
                        false => "is scheduled by its arrivals: after a wait for credit it would block all others",
                    };
                    let message = format!("VC {vc} is flow controlled by credits here, but {why}");
                    return Err(SpecError::new("schedule", message)
                        .found(schedule.kind())
                        .allowed("a discipline that knows which queues may send, for example round_robin"));
                }
            }
        }
        Ok(OutputLine::new(link, rate, groups))
    }

    fn host(&mut self, node: NodeId) -> Result<Host, SpecError> {
        let name = self.topology.nodes[node].clone();
        let output = self.topology.links.iter().position(|l| l.from == node);
        let input = self.topology.links.iter().position(|l| l.to == node);
        let schedule = &self.scenario.hosts[&name].schedule;
        if schedule.config().stamps_arrivals() {
            return Err(SpecError::new(
                "schedule",
                "a host keeps counts of cells, whose arrivals no discipline can stamp",
            )
            .found(schedule.kind())
            .allowed("round_robin; fair queuing belongs at the switch"));
        }
        if schedule.config().shares_queue() {
            return Err(SpecError::new(
                "schedule",
                "a host keeps what each VC offers apart, so its VCs cannot share a queue",
            )
            .found(schedule.kind())
            .allowed("a discipline with a queue for each VC, for example round_robin"));
        }
        let line = output.map(|link| self.line(link, schedule)).transpose()?;
        let mut sending = Vec::new();
        for &flow in output.map_or(&[][..], |l| &self.topology.labels[l]) {
            let link = output.expect("a host that sends has a link");
            let returning = if self.topology.flows[flow].returning { " return" } else { "" };
            let vc = &self.scenario.vcs.keys()[self.topology.flows[flow].vc];
            sending.push(SendingParts {
                name: format!("{vc}{returning}"),
                group: self.vc_of(flow).priority,
                credit: self.sender(flow, link)?,
                application: self.applications.remove(&flow).expect("every flow has an application"),
                abr: self.abr_ends.remove(&flow),
                frames: self.frames[flow].clone(),
            });
        }
        let mut receiving = Vec::new();
        for &flow in input.map_or(&[][..], |l| &self.topology.labels[l]) {
            let link = input.expect("a host that receives has a link");
            receiving.push(ReceivingParts {
                partner: self.partner(flow, output),
                receiver: self.receiver(flow, link)?,
                rm: self.posts[flow].clone(),
                frames: self.frames_to(flow, node),
            });
        }
        Ok(Host::new(HostParts { name, line, input, sending, receiving }))
    }

    /// Where host `node` learns of the frames of a flow.
    fn frames_to(&self, flow: usize, node: NodeId) -> Post<Frame> {
        let place = self.topology.flows[flow].to.iter().position(|&n| n == node);
        self.frames[flow][place.expect("a flow ends only at its destinations")].clone()
    }

    /// The label on `output` of the opposite flow of the same VC: whose application hears of messages.
    fn partner(&self, flow: usize, output: Option<LinkId>) -> Option<u32> {
        self.topology.flows[self.topology.opposite_flow(flow)?].label_on(output?)
    }

    fn switch(&self, node: NodeId) -> Result<Switch, SpecError> {
        let name = &self.topology.nodes[node];
        let spec = &self.scenario.switches[name];
        let of = |end: fn(&super::topology::LinkInfo) -> NodeId| -> Vec<LinkId> {
            (0..self.topology.links.len()).filter(|&l| end(&self.topology.links[l]) == node).collect()
        };
        let outputs = of(|l| l.from);
        // Links on which nothing can travel take no place in the switch's agenda.
        let used = |links: Vec<LinkId>| links.into_iter().filter(|&l| self.used[l]).collect::<Vec<_>>();
        for port in spec.ports.keys() {
            if !outputs.iter().any(|&l| self.topology.links[l].name == *port) {
                let names: Vec<&str> = outputs.iter().map(|&l| self.topology.links[l].name.as_str()).collect();
                return Err(SpecError::new(format!("ports.{port}"), "this switch has no such port")
                    .found(port)
                    .allowed(names.join(", ")));
            }
        }
        let (inputs, outputs) = (used(of(|l| l.to)), used(outputs));
        let port_of: HashMap<LinkId, u32> = outputs.iter().copied().zip(0..).collect();
        let mut port_parts = Vec::new();
        for &link in &outputs {
            port_parts.push(self.port(link, spec)?);
        }
        let mut input_parts = Vec::new();
        let mut reserved = 0;
        for &link in &inputs {
            let mut vcs = Vec::new();
            for &flow in &self.topology.labels[link] {
                let next = self.topology.flows[flow].links.iter();
                let branches: Vec<(u32, Label)> =
                    next.filter_map(|&(l, label)| Some((*port_of.get(&l)?, label))).collect();
                let receiver = self.receiver(flow, link)?;
                reserved += receiver.as_ref().map_or(0, |r| r.buffer);
                let policing = self.policing(flow, link)?;
                let rm = self.posts[flow].clone().zip(self.opposite_branch(flow, link, &port_of));
                vcs.push(InputVcParts { branches, receiver, policing, rm });
            }
            let info = &self.topology.links[link];
            let return_port = info.reverse.and_then(|l| port_of.get(&l).copied());
            input_parts.push(InputParts { link, name: info.name.clone(), return_port, vcs });
        }
        let memory = spec.memory.map_or(u64::MAX, |m| m.0);
        if memory == 0 || memory < reserved {
            return Err(SpecError::new(
                "memory",
                "the memory is smaller than what flow-controlled VCs reserve (N1 + N2 + N3 each)",
            )
            .found(format_args!("{memory} cells"))
            .allowed(format_args!("at least {} cells, or unlimited", reserved.max(1))));
        }
        Ok(Switch::new(SwitchParts { name: name.clone(), inputs: input_parts, ports: port_parts, memory }))
    }

    /// Where the opposite direction of a flow leaves the node at which it arrives by `link`: the port, and the label.
    fn opposite_branch(&self, flow: usize, link: LinkId, ports: &HashMap<LinkId, u32>) -> Option<(u32, Label)> {
        let back = self.topology.links[link].reverse?;
        let opposite = &self.topology.flows[self.topology.opposite_flow(flow)?];
        Some((*ports.get(&back)?, opposite.label_on(back)?))
    }

    fn port(&self, link: LinkId, spec: &spec::Switch) -> Result<PortParts, SpecError> {
        let name = self.topology.links[link].name.clone();
        let default = spec::Port::default();
        let port = spec.ports.get(&name).unwrap_or(&default);
        let under = |e: SpecError| e.under(&format!("ports.{name}"));
        if port.buffer.is_some_and(|b| b.0 == 0) {
            return Err(under(
                SpecError::new("buffer", "a port without any buffer")
                    .found("0 cells")
                    .allowed("at least 1 cell, or unlimited"),
            ));
        }
        let capacity = port.buffer.map_or(u64::MAX, |b| b.0);
        let rate = self.topology.links[link].rate.cells().per_second();
        let (algorithm, roles) = self.rate(link, port.rate.as_ref()).map_err(|e| under(e.under("rate")))?;
        let mut branches = Vec::new();
        let mut weights = Vec::new();
        for (label, &flow) in self.topology.labels[link].iter().enumerate() {
            let vc = self.vc_of(flow);
            weights.push(vc.mcr.map_or(0.0, |mcr| mcr.per_second() / rate));
            branches.push(BranchParts {
                group: vc.priority,
                credit: self.sender(flow, link).map_err(under)?,
                framed: self.sends_frames(flow),
                may_be_tagged: self.may_be_tagged(flow),
                role: roles.get(label).copied().unwrap_or_default(),
            });
        }
        let policy = port.discard.config().build(&BufferContext { capacity, weights: &weights });
        Ok(PortParts {
            line: self.line(link, &port.schedule).map_err(under)?,
            shares_queue: port.schedule.config().shares_queue(),
            policy: policy.map_err(|e| under(e.under("discard")))?,
            capacity,
            rate: algorithm,
            name,
            branches,
        })
    }

    /// The rate algorithm of a port, if an ABR VC leaves there, and what it hears of each VC.
    fn rate(&self, link: LinkId, spec: Option<&RateSpec>) -> Result<PortRateParts, SpecError> {
        let Some(spec) = spec else { return Ok((None, Vec::new())) };
        let vcs: Vec<&spec::Vc> = self.topology.labels[link].iter().map(|&flow| self.vc_of(flow)).collect();
        let line = self.topology.links[link].rate.cells().per_second();
        let mcr = vcs.iter().map(|vc| vc.mcr.map_or(0.0, CellRate::per_second)).collect();
        let has_data = |&&flow: &&usize| self.vc_of(flow).abr.is_some() && self.traffic_of(flow).is_some();
        let setup = self.topology.labels[link].iter().filter(has_data).count();
        let algorithm = spec.config().build(&RateContext { line, mcr, setup })?;
        let Some(last) = vcs.iter().filter(|vc| vc.abr.is_some()).map(|vc| vc.priority).max() else {
            return Ok((None, Vec::new()));
        };
        let role = |vc: &&spec::Vc| match (vc.abr.is_some(), vc.priority <= last) {
            (true, _) => Role::Abr,
            (false, true) => Role::Background,
            (false, false) => Role::Unheard,
        };
        Ok((Some(algorithm), vcs.iter().map(role).collect()))
    }

    fn links(&self) -> Result<Vec<Link<Cell>>, SpecError> {
        let mut links = Vec::new();
        for (i, info) in self.topology.links.iter().enumerate() {
            let mut link = Link::new(info.cell_time(), info.delay, Cell::BLANK);
            for (k, impairment) in self.scenario.links[i].impairments.iter().enumerate() {
                let random = stream(self.scenario.seed, &format!("links.{}.impairments.{k}", info.name));
                let built = impairment.config().build(random);
                link.impair(built.map_err(|e| e.under(&format!("links[{i}].impairments[{k}]")))?);
            }
            links.push(link);
        }
        Ok(links)
    }
}

/// Links on which cells can travel: those of routes, and those on which credit cells return.
fn used_links(scenario: &Scenario, topology: &Topology) -> Vec<bool> {
    let mut used: Vec<bool> = topology.labels.iter().map(|flows| !flows.is_empty()).collect();
    for vc in scenario.vcs.values() {
        for name in vc.credit.keys() {
            if let Some(back) = topology.link(name).and_then(|l| topology.links[l].reverse) {
                used[back] = true;
            }
        }
    }
    used
}
