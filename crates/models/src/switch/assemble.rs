//! Assembles a switch from the parts that the network builder provides.

use super::foresight::MANY_VCS;
use super::memory::{Memory, Queue};
use super::port::{Branch, Origin, Port, PortQueue};
use super::rates::{PortRate, RmCells, Role};
use super::{Input, InputVc, Policing, Route, Switch, Timer, Way};
use crate::abr::rm::Rm;
use crate::cell::Label;
use crate::credit::ends::{ReceiverEnd, SenderEnd, staggered};
use crate::line::OutputLine;
use crate::post::Post;
use crate::rate::RateAlgorithm;
use cellway_kernel::agenda::Agenda;
use cellway_kernel::link::LinkId;
use cellway_kernel::rng::name_hash;
use cellway_kernel::time::Phase;

/// The parts from which the network builder makes a switch.
pub struct SwitchParts {
    /// Its name.
    pub name: String,
    /// Inputs: link, port of the opposite direction, and per label the branches and the receiving end.
    pub inputs: Vec<InputParts>,
    /// Output ports.
    pub ports: Vec<PortParts>,
    /// Shared memory in cells; `u64::MAX` is unlimited.
    pub memory: u64,
}

/// One input of [`SwitchParts`].
pub struct InputParts {
    /// Its link.
    pub link: LinkId,
    /// Name of the link.
    pub name: String,
    /// Port whose link is the opposite direction.
    pub return_port: Option<u32>,
    /// Per label: where its cells go.
    pub vcs: Vec<InputVcParts>,
}

/// One VC on one input of [`SwitchParts`].
pub struct InputVcParts {
    /// Its branches: port, and label there.
    pub branches: Vec<(u32, Label)>,
    /// Receiving end of its flow control.
    pub receiver: Option<ReceiverEnd>,
    /// What enforces its contract, where it enters the network.
    pub policing: Option<Policing>,
    /// Of an ABR VC: contents of its RM cells, and the port and label there by which the opposite direction leaves.
    /// Backward RM cells, which come by this input, inform of that direction.
    pub rm: Option<(Post<Rm>, (u32, Label))>,
}

/// One port of [`SwitchParts`].
pub struct PortParts {
    /// Name of its link.
    pub name: String,
    /// The line.
    pub line: OutputLine,
    /// True where all VCs of a priority group share a queue.
    pub shares_queue: bool,
    /// Admission policy.
    pub policy: Box<dyn crate::buffer::BufferPolicy>,
    /// Buffer in cells; `u64::MAX` is unlimited.
    pub capacity: u64,
    /// Rate algorithm for the ABR VCs that leave here.
    pub rate: Option<Box<dyn RateAlgorithm>>,
    /// Per label: what leaves there.
    pub branches: Vec<BranchParts>,
}

/// One VC at one port of [`PortParts`].
pub struct BranchParts {
    /// Priority group.
    pub group: u8,
    /// Sending end of its flow control.
    pub credit: Option<SenderEnd>,
    /// Its cells form frames, the last cell of each with AAU.
    pub framed: bool,
    /// Some of its cells may be tagged (CLP = 1).
    pub may_be_tagged: bool,
    /// What the port's rate algorithm hears of its cells.
    pub role: Role,
}

impl Switch {
    /// Assembles a switch.
    pub fn new(parts: SwitchParts) -> Switch {
        let mut timers = Vec::new();
        let arrivals = Agenda::new(parts.inputs.iter().map(|i| name_hash(&i.name)));
        let mut salts: Vec<u64> = parts.ports.iter().map(|p| name_hash(&p.name)).collect();
        let mut timer_name = |name: String, timer: Timer| {
            salts.push(name_hash(&name));
            timers.push(timer);
            (salts.len() - 1) as u32
        };

        let mut ports: Vec<Port> = Vec::new();
        for (p, part) in parts.ports.into_iter().enumerate() {
            let groups = part.branches.iter().map(|b| b.group + 1).max().unwrap_or(0);
            let queue = |group| PortQueue { cells: Queue::EMPTY, group, active: false };
            let queues = match part.shares_queue {
                true => (0..groups).map(queue).collect(),
                false => part.branches.iter().map(|b| queue(b.group)).collect(),
            };
            let branches = part.branches.into_iter().enumerate().map(|(label, of)| {
                let queue = if part.shares_queue { u32::from(of.group) } else { label as u32 };
                let mut branch = Branch::new(queue, of.framed, of.may_be_tagged, of.role);
                branch.rest.timer = of.credit.as_ref().filter(|c| c.has_timeout()).map(|_| {
                    let timer = Timer::CreditTimeout { port: p as u32, label: label as Label };
                    timer_name(format!("{} timeout {label}", part.name), timer)
                });
                branch.credit = of.credit.map(Box::new);
                branch
            });
            let branches = branches.collect();
            let rate = part.rate.map(|algorithm| {
                let entry = timer_name(format!("{} rate", part.name), Timer::Rate { port: p as u32 });
                PortRate::new(algorithm, entry)
            });
            ports.push(Port {
                branches,
                name: part.name.clone(),
                line: part.line,
                admits_until_full: part.policy.admits_until_full(),
                policy: part.policy,
                capacity: part.capacity,
                sharing: 0,
                active_vcs: 0,
                queued: 0,
                rate,
                abr_queued: 0,
                queues,
                gauge: None,
                plain: false,
                governed: false,
            });
        }

        let mut reserved = 0;
        let mut inputs = Vec::new();
        let mut redundant = Vec::new();
        for (i, part) in parts.inputs.into_iter().enumerate() {
            let (mut routes, mut vcs, mut rms) = (Vec::new(), Vec::new(), Vec::new());
            for (label, InputVcParts { branches, receiver, policing, rm }) in part.vcs.into_iter().enumerate() {
                for &(port, out) in &branches {
                    let branch = &mut ports[port as usize].branches[out as usize];
                    branch.rest.origin = Origin { input: i as u32, label: label as Label };
                    branch.shares_buffer = receiver.is_none();
                }
                if let Some(receiver) = &receiver {
                    reserved += receiver.buffer;
                    if let Some(period) = receiver.redundant {
                        let name = format!("{} redundant {label}", part.name);
                        let timer = Timer::RedundantCredit { input: i as u32, label: label as Label, period };
                        let entry = timer_name(name.clone(), timer);
                        redundant.push((entry, staggered(&name, period)));
                    }
                }
                let (port, label) = branches[0];
                let way = if branches.len() == 1 { Way::One } else { Way::Several };
                let rm = rm.map(|(contents, informs)| RmCells { contents, informs });
                let (policed, branches) = (policing.is_some(), branches.into());
                let vc = InputVc { branches, stored: 0, receiver, policing, gauge: None };
                let heard = Switch::is_heard(&ports, &vc, rm.as_ref());
                routes.push(Route { way, policed, heard, port, label });
                vcs.push(vc);
                rms.push(rm);
            }
            let (link, return_port) = (part.link, part.return_port);
            inputs.push(Input { link, return_port, foreseen_rm: None, routes, rm: rms, vcs });
        }

        let mut agenda = Agenda::new(salts);
        for (entry, first) in redundant {
            agenda.set(entry as usize, first.at(Phase::Timer));
        }
        for rate in ports.iter().filter_map(|p| p.rate.as_ref()) {
            agenda.set(rate.entry(), rate.next_timer().at(Phase::Timer));
        }
        let foresees = ports.iter().map(|port| port.branches.len()).sum::<usize>() >= MANY_VCS;
        let mut switch = Switch {
            name: parts.name,
            inputs,
            ports,
            memory: Memory::new(),
            admitted: Vec::new(),
            foresees,
            shared_limit: parts.memory.saturating_sub(reserved),
            shared: 0,
            reserved: 0,
            peak: 0,
            gauge: None,
            arrivals,
            agenda,
            timers,
        };
        switch.find_plain_ports();
        switch
    }

    /// Finds the ports whose cells concern nobody but their books and queues.
    pub(super) fn find_plain_ports(&mut self) {
        for port in &mut self.ports {
            let of_branches = port.branches.iter().all(|b| b.credit.is_none() && b.rest.gauge.is_none());
            port.governed = port.gauge.is_none() && of_branches && self.gauge.is_none();
            let ungoverned = port.admits_until_full && port.line.keeps_order();
            port.plain = port.governed && ungoverned && !port.branches.iter().any(|b| b.may_be_tagged);
        }
        for (route, vc) in self.inputs.iter().flat_map(|input| input.routes.iter().zip(&input.vcs)) {
            for &(port, _) in &vc.branches {
                let port = &mut self.ports[port as usize];
                port.governed &= route.way != Way::Several && vc.receiver.is_none() && vc.gauge.is_none();
                port.plain &= port.governed && !route.policed && !route.heard;
            }
        }
        for route in self.inputs.iter_mut().flat_map(|input| &mut input.routes) {
            if route.way != Way::Several {
                route.way = if self.ports[route.port as usize].plain { Way::Plain } else { Way::One };
            }
        }
    }
}
