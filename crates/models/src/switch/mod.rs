//! The switch: shared memory, output ports, and the ends of flow-controlled VC links.

mod assemble;
mod foresight;
mod governed;
mod memory;
mod observe;
mod policing;
mod port;
mod rates;

pub use assemble::{BranchParts, InputParts, InputVcParts, PortParts, SwitchParts};
pub use observe::SwitchGauge;
pub use policing::{Policed, Policing};
pub use port::{Books, Branch, Port, TaggedBooks};
pub use rates::Role;

use crate::buffer::DropReason;
use crate::cell::{Cell, Kind, Label};
use crate::credit::ends::ReceiverEnd;
use crate::line::Signal;
use cellway_kernel::agenda::Agenda;
use cellway_kernel::link::{LinkId, Wires};
use cellway_kernel::node::Node;
use cellway_kernel::probe::Gauge;
use cellway_kernel::time::{Duration, Moment, Phase, Time};
use memory::{Memory, UNICAST};
use port::Origin;
use rates::RmCells;

/// A switch with shared memory and output queueing.
///
/// Cells arrive complete (store and forward), are stored once, and leave through one port, or for a multicast VC through
/// several ports independently of each other. Within one instant: lines that become free send, timers, arrivals, idle
/// lines start (see [`Phase`]).
pub struct Switch {
    name: String,
    inputs: Vec<Input>,
    ports: Vec<Port>,
    memory: Memory,
    /// Room for the branches that admit a cell of several.
    admitted: Vec<(u32, Label)>,
    /// It has more VCs than fit the cache nearest to the processor.
    foresees: bool,
    /// Copies that VCs without credit flow control may store.
    shared_limit: u64,
    shared: u64,
    /// Copies of flow-controlled VCs, which have their own places.
    reserved: u64,
    peak: u64,
    gauge: Option<Box<Gauge>>,
    /// Next arrivals, by input.
    arrivals: Agenda,
    /// Next starts, by port; then timers.
    agenda: Agenda,
    timers: Vec<Timer>,
}

/// An input: its link, and the port of the opposite direction, where credit cells leave.
struct Input {
    link: LinkId,
    return_port: Option<u32>,
    /// Of an RM cell that comes soon, the label.
    foreseen_rm: Option<Label>,
    /// By label: by itself, since every cell asks it.
    routes: Vec<Route>,
    /// By label, of ABR VCs: by itself too, since it is asked for ahead of the cell.
    rm: Vec<Option<RmCells>>,
    /// By label.
    vcs: Vec<InputVc>,
}

/// Where the cells of one VC go, and whom to ask.
#[derive(Clone, Copy)]
struct Route {
    way: Way,
    policed: bool,
    /// Some rate algorithm hears of its cells.
    heard: bool,
    /// Where its cells go; the first of [several](Way::Several).
    port: u32,
    /// Their label there.
    label: Label,
}

/// One VC on one input.
struct InputVc {
    /// Copies of this VC in the switch; not kept where its port is governed.
    stored: u64,
    receiver: Option<ReceiverEnd>,
    policing: Option<Policing>,
    gauge: Option<Box<Gauge>>,
    /// All ports where its cells go, and their labels there.
    branches: Box<[(u32, Label)]>,
}

/// How cells of a VC leave the switch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By one port, which is [plain](Port::plain).
    Plain,
    /// By one port.
    One,
    /// By several ports.
    Several,
}

#[derive(Clone, Copy)]
enum Timer {
    CreditTimeout { port: u32, label: Label },
    RedundantCredit { input: u32, label: Label, period: Duration },
    Rate { port: u32 },
}

impl Switch {
    /// True if nothing else of this node comes before an idle line starts at `now`.
    #[inline]
    fn may_start_at_once(&self, now: Time) -> bool {
        now.at(Phase::Start) < self.agenda.first_moment().min(self.arrivals.first_moment())
    }

    /// Plans the next start of a line, or does it at once where nothing else of this node can come in between.
    fn plan(&mut self, now: Time, port: u32, wires: &mut Wires<'_, Cell>) {
        let start = self.ports[port as usize].line.next_start(now);
        let planned = self.agenda.moment(port as usize);
        if start == planned {
            return;
        }
        if start.time() == now && planned == Moment::NEVER && self.may_start_at_once(now) {
            self.serve(now, port, wires);
        } else {
            self.agenda.set(port as usize, start);
        }
    }

    #[inline(never)]
    fn special_cell(&mut self, now: Time, input: usize, cell: Cell, wires: &mut Wires<'_, Cell>) {
        match cell.kind() {
            Kind::Credit => self.credit_cell(now, input, cell, wires),
            Kind::CreditRequest => self.credit_request(now, input, cell, wires),
            Kind::Data | Kind::Rm => {
                let route = self.inputs[input].routes[cell.label() as usize];
                self.forward(now, input, cell, route, wires);
            }
        }
    }

    fn credit_request(&mut self, now: Time, input: usize, cell: Cell, wires: &mut Wires<'_, Cell>) {
        let vc = &mut self.inputs[input].vcs[cell.label() as usize];
        if vc.receiver.as_mut().is_some_and(|r| r.requested(cell.handle(), cell.corrupted())) {
            self.send_credit_cell(now, input as u32, cell.label(), wires);
        }
    }

    /// A cell arrives. At a plain port this does what [`forward`](Switch::forward) does, without its questions.
    /// True if it went straight through. A data cell has a `route`.
    #[inline(always)]
    fn arrival(
        &mut self,
        now: Time,
        input: usize,
        cell: Cell,
        route: Option<Route>,
        wires: &mut Wires<'_, Cell>,
    ) -> bool {
        let (Kind::Data, Some(route)) = (cell.kind(), route) else {
            self.special_cell(now, input, cell, wires);
            return false;
        };
        let Route { way: Way::Plain, port: port_id, label, .. } = route else {
            self.forward(now, input, cell, route, wires);
            return false;
        };
        let port = &mut self.ports[port_id as usize];
        let cell = cell.relabelled(label);
        let branch = &mut port.branches[label as usize];
        if self.shared >= self.shared_limit {
            branch.refused(DropReason::MemoryFull);
        } else if port.sharing >= port.capacity {
            branch.refused(DropReason::BufferFull);
        } else if port.line.is_idle(now)
            && now.at(Phase::Start) < self.agenda.first_moment().min(self.arrivals.first_moment())
        {
            branch.through += 1;
            self.peak = self.peak.max(self.shared + self.reserved + 1);
            port.line.transmit(now, cell, wires);
            return true;
        } else {
            branch.arrived += 1;
            branch.came();
            let planned = port.line.is_awaited();
            let queue = &mut port.queues[branch.queue as usize];
            self.memory.push(&mut queue.cells, cell, UNICAST);
            if !queue.active {
                queue.active = true;
                port.line.activate(now, queue.group, branch.queue);
            }
            port.sharing += 1;
            port.queued += 1;
            self.shared += 1;
            self.peak = self.peak.max(self.shared + self.reserved);
            if !planned {
                self.agenda.set(port_id as usize, port.line.next_start(now));
            }
        }
        false
    }

    /// As long as nothing else comes first, cells of one input go straight through: [`arrival`](Switch::arrival), without
    /// what cannot have changed since a cell went through just before.
    #[inline(always)]
    fn pass_on(&mut self, input: usize, limit: Moment, wires: &mut Wires<'_, Cell>) {
        if self.arrivals.first_entry() != input {
            return;
        }
        let others = self.agenda.first_moment().min(self.arrivals.second_moment()).min(limit);
        let Input { link, routes, .. } = &self.inputs[input];
        while let Some((now, cell)) = wires.link(*link).next_cell() {
            if now.at(Phase::Start) >= others || cell.kind() != Kind::Data {
                break;
            }
            let Route { way: Way::Plain, port, label, .. } = routes[cell.label() as usize] else { break };
            let port = &mut self.ports[port as usize];
            // Where nothing waits for the line, the buffer is empty.
            if !port.line.is_idle(now) {
                break;
            }
            wires.link(*link).receive();
            port.branches[label as usize].through += 1;
            port.line.transmit(now, cell.relabelled(label), wires);
        }
        self.arrivals.set(input, wires.link(*link).next_moment());
    }

    /// A cell for one or several ports: policed; admitted and stored, or dropped and counted.
    #[inline(never)]
    fn forward(&mut self, now: Time, input: usize, cell: Cell, route: Route, wires: &mut Wires<'_, Cell>) {
        let Route { port, label, policed, heard, .. } = route;
        let mut cell = cell;
        if policed && let Some(policing) = &mut self.inputs[input].vcs[cell.label() as usize].policing {
            match policing.judge(now, cell) {
                Some(judged) => cell = judged,
                None => return self.discarded(now, input, cell.label(), wires),
            }
        }
        if heard {
            cell = match cell.kind() {
                Kind::Data => self.hear_data(now, input, cell, route),
                _ => self.hear_rm(now, input, cell, route),
            };
        }
        // A port that only one of several branches leads to is not governed.
        if self.ports[port as usize].governed {
            self.govern(now, port, label, cell, wires);
        } else {
            self.forward_in_full(now, input, cell, route, wires);
        }
    }

    #[inline(never)]
    fn forward_in_full(&mut self, now: Time, input: usize, cell: Cell, route: Route, wires: &mut Wires<'_, Cell>) {
        let at_once = self.may_start_at_once(now);
        let vc = &mut self.inputs[input].vcs[cell.label() as usize];
        let refused = match &mut vc.receiver {
            Some(receiver) => (!receiver.arrived(vc.stored)).then_some(DropReason::CreditOverrun),
            None => (self.shared >= self.shared_limit).then_some(DropReason::MemoryFull),
        };
        if route.way == Way::Several {
            return self.forward_to_several(now, input, cell, refused, wires);
        }
        let Route { port: port_id, label, .. } = route;
        let port = &mut self.ports[port_id as usize];
        if !port.admit(label, cell, refused) {
            return;
        }
        if at_once && port.line.is_idle(now) && port.may_send(label) {
            // Nothing waits and nothing else can come first: what storing and serving would do, without the memory.
            port.passes(now, label, cell);
            port.line.transmit(now, cell.relabelled(label), wires);
            self.peak = self.peak.max(self.shared + self.reserved + 1);
            if self.gauge.is_some() || vc.gauge.is_some() {
                self.store_copy(now, input, cell.label());
                self.forwarded(now, Origin { input: input as u32, label: cell.label() }, wires);
            } else if vc.receiver.as_mut().is_some_and(|r| r.forwarded()) {
                self.send_credit_cell(now, input as u32, cell.label(), wires);
            }
        } else {
            self.store_copy(now, input, cell.label());
            self.enqueue(now, port_id, label, cell, UNICAST);
            self.plan(now, port_id, wires);
        }
    }

    /// Point to multipoint: one stored copy, and an entry in the queue of each branch that admits the cell.
    fn forward_to_several(
        &mut self,
        now: Time,
        input: usize,
        cell: Cell,
        refused: Option<DropReason>,
        wires: &mut Wires<'_, Cell>,
    ) {
        let mut admitted = std::mem::take(&mut self.admitted);
        admitted.clear();
        let branches = &self.inputs[input].vcs[cell.label() as usize].branches;
        let admits = |&&(port, label): &&(u32, Label)| self.ports[port as usize].admit(label, cell, refused);
        admitted.extend(branches.iter().filter(admits));
        if !admitted.is_empty() {
            self.store_copy(now, input, cell.label());
            let copy = self.memory.store_copy(admitted.len() as u32);
            for &(port, label) in &admitted {
                self.enqueue(now, port, label, cell, copy);
            }
            for &(port, _) in &admitted {
                self.plan(now, port, wires);
            }
        }
        self.admitted = admitted;
    }

    #[inline]
    fn store_copy(&mut self, now: Time, input: usize, label: Label) {
        let vc = &mut self.inputs[input].vcs[label as usize];
        vc.stored += 1;
        if let Some(gauge) = &mut vc.gauge {
            gauge.set(now, vc.stored as f64);
        }
        let count = if vc.receiver.is_none() { &mut self.shared } else { &mut self.reserved };
        *count += 1;
        self.peak = self.peak.max(self.copies());
        self.observe(now);
    }

    fn enqueue(&mut self, now: Time, port: u32, label: Label, cell: Cell, copy: u32) {
        let port = &mut self.ports[port as usize];
        port.stored(label, cell);
        let branch = &mut port.branches[label as usize];
        let queue = &mut port.queues[branch.queue as usize];
        self.memory.push(&mut queue.cells, cell.relabelled(label), copy);
        port.line.arrived(now, queue.group, branch.queue);
        if !queue.active {
            if branch.may_send() {
                queue.active = true;
                port.line.activate(now, queue.group, branch.queue);
            } else if let (Some(timer), Some(credit)) = (branch.rest.timer, &mut branch.credit)
                && credit.blocked(now)
            {
                self.agenda.set(timer as usize, credit.deadline().at(Phase::Timer));
            }
        }
        port.observe(now, label);
    }

    /// The line of `port` is free and takes what goes next, if anything does.
    #[inline(always)]
    fn serve(&mut self, now: Time, port_id: u32, wires: &mut Wires<'_, Cell>) {
        let port = &mut self.ports[port_id as usize];
        if !port.governed || port.line.has_signals() {
            return self.serve_in_full(now, port_id, wires);
        }
        match port.plain {
            true => self.send_plainly(now, port_id, wires),
            false => self.send_governed(now, port_id, wires),
        }
        self.agenda.set(port_id as usize, self.ports[port_id as usize].line.next_service());
    }

    /// What [`send_data`](Switch::send_data) does, for a plain port, where a queue that waits for the line holds a cell
    /// and may send.
    #[inline(always)]
    fn send_plainly(&mut self, now: Time, port_id: u32, wires: &mut Wires<'_, Cell>) {
        let port = &mut self.ports[port_id as usize];
        if let Some((group, queue)) = port.line.first_queue() {
            let cell = port.take_plainly(group, queue, &mut self.memory);
            self.shared -= 1;
            port.line.transmit(now, cell, wires);
        }
    }

    #[inline(never)]
    fn serve_in_full(&mut self, now: Time, port: u32, wires: &mut Wires<'_, Cell>) {
        if self.ports[port as usize].line.has_signals() && self.send_signal(now, port, wires) {
            // The data waits for another cell time.
        } else if self.ports[port as usize].governed {
            self.send_governed(now, port, wires);
        } else {
            self.send_data(now, port, wires);
        }
        let next = self.ports[port as usize].line.next_start(now);
        if next != self.agenda.moment(port as usize) {
            self.agenda.set(port as usize, next);
        }
    }

    fn send_data(&mut self, now: Time, port_id: u32, wires: &mut Wires<'_, Cell>) {
        let port = &mut self.ports[port_id as usize];
        while let Some(q) = port.line.next_queue(now) {
            let queue = &mut port.queues[q as usize];
            // Only a VC's own queue, which has the number of the VC, can lack credit: shared queues carry none.
            if queue.cells.is_empty() || port.branches.get(q as usize).is_some_and(|b| !b.may_send()) {
                queue.active = false;
                continue;
            }
            let (cell, freed) = port.take_in_full(now, q, &mut self.memory);
            let branch = &mut port.branches[cell.label() as usize];
            let queue = &mut port.queues[q as usize];
            queue.active = !queue.cells.is_empty() && branch.may_send();
            if queue.active {
                port.line.activate(now, queue.group, q);
            } else if !queue.cells.is_empty()
                && let (Some(timer), Some(credit)) = (branch.rest.timer, &mut branch.credit)
                && credit.blocked(now)
            {
                self.agenda.set(timer as usize, credit.deadline().at(Phase::Timer));
            }
            port.line.transmit(now, cell, wires);
            let origin = branch.rest.origin;
            port.observe(now, cell.label());
            if freed {
                self.forwarded(now, origin, wires);
            }
            return;
        }
    }

    /// The last branch has sent a cell: its copy is free, and a credit cell may be due upstream.
    #[inline]
    fn forwarded(&mut self, now: Time, origin: Origin, wires: &mut Wires<'_, Cell>) {
        let vc = &mut self.inputs[origin.input as usize].vcs[origin.label as usize];
        vc.stored -= 1;
        if let Some(gauge) = &mut vc.gauge {
            gauge.set(now, vc.stored as f64);
        }
        let credit_due = match &mut vc.receiver {
            None => {
                self.shared -= 1;
                false
            }
            Some(receiver) => {
                self.reserved -= 1;
                receiver.forwarded()
            }
        };
        self.observe(now);
        if credit_due {
            self.send_credit_cell(now, origin.input, origin.label, wires);
        }
    }

    /// Cells in the memory.
    #[inline]
    fn copies(&self) -> u64 {
        self.shared + self.reserved
    }

    #[inline]
    fn observe(&mut self, now: Time) {
        let stored = self.copies();
        if let Some(gauge) = &mut self.gauge {
            gauge.set(now, stored as f64);
        }
    }

    fn send_credit_cell(&mut self, now: Time, input: u32, label: Label, wires: &mut Wires<'_, Cell>) {
        let Some(port) = self.inputs[input as usize].return_port else { return };
        self.ports[port as usize].line.signal(Signal::Credit { input, label });
        self.plan(now, port, wires);
    }

    /// Sends a control cell if one waits; its content is as of now.
    fn send_signal(&mut self, now: Time, port: u32, wires: &mut Wires<'_, Cell>) -> bool {
        while let Some(signal) = self.ports[port as usize].line.next_signal() {
            let cell = match signal {
                Signal::Credit { input, label } => {
                    let vc = &mut self.inputs[input as usize].vcs[label as usize];
                    let value = vc.receiver.as_mut().and_then(|r| r.stamp(vc.stored));
                    value.map(|value| Cell::new(Kind::Credit, label, value))
                }
                Signal::Request { label } => {
                    let credit = self.ports[port as usize].branches[label as usize].credit.as_ref();
                    credit.map(|c| Cell::new(Kind::CreditRequest, label, c.request()))
                }
            };
            if let Some(cell) = cell {
                self.ports[port as usize].line.transmit(now, cell, wires);
                return true;
            }
        }
        false
    }

    /// A credit cell for a VC that leaves by the port opposite to `input`.
    fn credit_cell(&mut self, now: Time, input: usize, cell: Cell, wires: &mut Wires<'_, Cell>) {
        let Some(port_id) = self.inputs[input].return_port else { return };
        let port = &mut self.ports[port_id as usize];
        let branch = &mut port.branches[cell.label() as usize];
        let Some(credit) = &mut branch.credit else { return };
        credit.credit_cell(now, cell.handle(), cell.corrupted());
        let queue = &mut port.queues[branch.queue as usize];
        if !queue.active && !queue.cells.is_empty() {
            if credit.may_send() {
                queue.active = true;
                port.line.activate(now, queue.group, branch.queue);
            } else {
                credit.blocked(now);
            }
        }
        if let Some(timer) = branch.rest.timer {
            self.agenda.set(timer as usize, credit.deadline().at(Phase::Timer));
        }
        self.plan(now, port_id, wires);
    }

    fn timer(&mut self, now: Time, entry: usize, wires: &mut Wires<'_, Cell>) {
        match self.timers[entry - self.ports.len()] {
            Timer::CreditTimeout { port: port_id, label } => {
                let port = &mut self.ports[port_id as usize];
                let branch = &mut port.branches[label as usize];
                let Some(credit) = &mut branch.credit else { return };
                if branch.queued > 0 && !credit.may_send() {
                    credit.ask(now);
                    port.line.signal(Signal::Request { label });
                } else {
                    credit.relax();
                }
                self.agenda.set(entry, credit.deadline().at(Phase::Timer));
                self.plan(now, port_id, wires);
            }
            Timer::Rate { port } => self.rate_timer(now, port),
            Timer::RedundantCredit { input, label, period } => {
                self.agenda.set(entry, (now + period).at(Phase::Timer));
                let vc = &mut self.inputs[input as usize].vcs[label as usize];
                if vc.receiver.as_mut().is_some_and(|r| r.wants_credit_cell()) {
                    self.send_credit_cell(now, input, label, wires);
                }
            }
        }
    }
}

impl Node<Cell> for Switch {
    #[inline]
    fn expect(&mut self, input: usize, wires: &mut Wires<'_, Cell>) {
        let link = wires.link(self.inputs[input].link);
        if self.arrivals.moment(input) == Moment::NEVER && link.next_moment() < Moment::NEVER {
            self.arrivals.set(input, link.next_moment());
            if self.foresees {
                self.inputs[input].foresee_first(link, &self.ports);
            }
        }
    }

    fn advance(&mut self, horizon: Time, wires: &mut Wires<'_, Cell>) {
        let limit = horizon.at(Phase::Service);
        loop {
            let (arrival, planned) = (self.arrivals.first_moment(), self.agenda.first_moment());
            if arrival.min(planned) >= limit {
                break;
            }
            if arrival < planned {
                let input = self.arrivals.first_entry();
                let link = wires.link(self.inputs[input].link);
                let Some((now, cell)) = link.receive() else { break };
                if self.foresees {
                    self.inputs[input].foresee_next(link, &self.ports);
                }
                // Looked up before the agenda has its turn, which takes about as long as a cache that misses it.
                let route = self.inputs[input].routes.get(cell.label() as usize).copied();
                self.arrivals.set_first(link.next_moment());
                if self.arrival(now, input, cell, route, wires) {
                    self.pass_on(input, limit, wires);
                }
            } else {
                let (now, entry) = (planned.time(), self.agenda.first_entry());
                if entry < self.ports.len() {
                    self.serve(now, entry as u32, wires);
                } else {
                    self.timer(now, entry, wires);
                }
            }
        }
    }

    fn next_action(&self) -> Time {
        self.agenda.first_moment().min(self.arrivals.first_moment()).time()
    }
}
