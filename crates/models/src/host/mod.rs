//! The host: applications at the ends of VCs, sharing one network interface.

mod abr;
mod assemble;
mod backlog;
mod books;
mod bursts;
mod observe;
mod reassembly;

use crate::abr::rm::Rm;
use crate::cell::{Cell, Kind, Label};
use crate::credit::ends::{ReceiverEnd, SenderEnd};
use crate::line::{OutputLine, Signal};
use crate::post::Post;
use crate::traffic::{Offer, Traffic};
use abr::AbrEnds;
pub use abr::{AbrBooks, AbrParts};
pub use assemble::{HostParts, ReceivingParts, SendingParts};
use backlog::Backlog;
pub use books::{Delivered, Sent};
pub use bursts::Burst;
use bursts::Bursts;
use cellway_kernel::agenda::Agenda;
use cellway_kernel::invariant;
use cellway_kernel::link::{Link, LinkId, Wires};
use cellway_kernel::node::Node;
use cellway_kernel::time::{Duration, Moment, Phase, Time};
pub use observe::{AbrRate, AbrState};
use reassembly::Reassembly;
pub use reassembly::{Fates, Frame, FrameFate};

/// A host with one line to the network and one from it.
///
/// What applications offer waits here, as counts rather than cells; cells are made when the line takes them. Cells that
/// arrive are consumed at once.
pub struct Host {
    name: String,
    line: Option<OutputLine>,
    input: Option<LinkId>,
    sending: Vec<Sending>,
    receiving: Vec<Receiving>,
    /// The next cell that comes in.
    arrival: Moment,
    /// The line, then timers.
    agenda: Agenda,
    timers: Vec<Timer>,
}

const LINE: usize = 0;
const TIMERS: usize = 1;

#[derive(Clone, Copy)]
enum Timer {
    Application {
        vc: u32,
    },
    CreditTimeout {
        vc: u32,
    },
    RedundantCredit {
        label: Label,
        period: Duration,
    },
    /// The next turn of an ABR source, or of a congested ABR destination.
    Abr {
        vc: u32,
    },
}

/// A VC that this host sends; its number is its label on the line. What every cell touches comes first, in two lines of
/// the cache.
#[repr(C, align(64))]
struct Sending {
    backlog: Backlog,
    abr: Option<Box<AbrEnds>>,
    credit: Option<Box<SenderEnd>>,
    sent: u64,
    /// Of these, cells of an endless offer.
    sent_endless: u64,
    offered: u64,
    /// Handle of the next cell.
    sequence: u32,
    application_entry: u32,
    group: u8,
    active: bool,
    timer: Option<u32>,
    application: Box<dyn Traffic>,
    /// Records messages, where somebody asked.
    bursts: Option<Box<Bursts>>,
    /// Cells of a stream that may wait.
    most_waiting: u64,
    /// Frames offered, posted to each destination.
    frames: Box<[Post<Frame>]>,
    frames_offered: u64,
}

/// A VC that this host receives; its number is its label on the input. What every cell touches comes first, in one line
/// of the cache.
#[repr(C, align(64))]
struct Receiving {
    /// Sequence number of the next cell, if none is lost.
    expected: u32,
    /// Cells need more than to be counted: credit, or ABR.
    special: bool,
    /// EFCI as the ABR destination last heard it.
    efci: bool,
    /// The sending VC of the opposite direction: its application answers, or awaits the answer.
    partner: Option<u32>,
    /// Contents of RM cells, of an ABR VC.
    rm: Option<Post<Rm>>,
    receiver: Option<Box<ReceiverEnd>>,
    books: Delivered,
    frames: Reassembly,
}

impl Sending {
    fn offer(&mut self, cells: u64, ends_message: bool) {
        self.offered += cells;
        self.backlog.add(cells, ends_message);
    }

    /// A frame of so many cells waits behind all others.
    fn post_frame(&mut self, cells: u64) {
        let last = self.sequence.wrapping_add(self.backlog.cells as u32).wrapping_sub(1);
        self.frames_offered += 1;
        for post in &self.frames {
            post.push(last, Frame::new(cells));
        }
    }

    /// True if a cell offered now would not have to wait for another of this VC, or for credit.
    #[inline]
    fn may_pass(&self) -> bool {
        self.backlog.is_empty() && self.credit.as_ref().is_none_or(|c| c.may_send()) && self.abr.is_none()
    }

    /// Nothing but the line has to hear of its cells.
    #[inline]
    fn is_unhindered(&self) -> bool {
        self.credit.is_none() && self.abr.is_none() && self.bursts.is_none()
    }

    /// The first data cell that waits, or one of an endless offer, which starts at `now`.
    #[inline]
    fn next_waiting_cell(&mut self, now: Time, vc: u32) -> Cell {
        self.sent_endless += u64::from(self.backlog.cells == 0);
        let ends_message = self.backlog.take();
        self.next_cell(now, vc, ends_message)
    }

    /// The next cell of this VC, which starts at `now`.
    #[inline]
    fn next_cell(&mut self, now: Time, vc: u32, ends_message: bool) -> Cell {
        let cell = Cell::new(Kind::Data, vc, self.sequence);
        self.sequence = self.sequence.wrapping_add(1);
        self.sent += 1;
        if let Some(credit) = &mut self.credit {
            credit.sent(now);
        }
        if ends_message { cell.ending_frame() } else { cell }
    }
}

impl Host {
    /// True if nothing else of this host comes before the idle line starts at `now`.
    #[inline]
    fn may_start_at_once(&self, now: Time) -> bool {
        now.at(Phase::Start) < self.agenda.first_moment().min(self.arrival)
    }

    /// Plans the next start of the line, or does it at once where nothing else of this host can come in between.
    #[inline]
    fn plan(&mut self, now: Time, wires: &mut Wires<'_, Cell>) {
        let Some(line) = &self.line else { return };
        let start = line.next_start(now);
        let planned = self.agenda.moment(LINE);
        if start == planned {
            return;
        }
        if start.time() == now && planned == Moment::NEVER && self.may_start_at_once(now) {
            self.serve(now, wires);
        } else {
            self.agenda.set(LINE, start);
        }
    }

    /// The application of VC `vc` runs, and again before `limit` while nothing else of this host can come in between.
    #[inline(always)]
    fn application(&mut self, now: Time, vc: u32, limit: Moment, wires: &mut Wires<'_, Cell>) {
        let sending = &mut self.sending[vc as usize];
        let entry = sending.application_entry as usize;
        let others = match self.agenda.first_entry() == entry {
            true => self.arrival.min(self.agenda.second_moment()),
            false => self.arrival.min(self.agenda.first_moment()),
        };
        let line = self.line.as_mut().filter(|line| line.is_idle(now));
        if let Some(line) = line
            && sending.backlog.is_empty()
            && sending.is_unhindered()
            && now.at(Phase::Start) < others
            && let Some(pace) = sending.application.pace()
        {
            // Nothing waits: cells go straight to the line.
            let link = wires.link(line.link());
            let mut cell = Cell::new(Kind::Data, vc, sending.sequence);
            let mut goes_on = true;
            let first = sending.sequence;
            while goes_on && pace.next.at(Phase::Start) < others && line.is_free(pace.next) {
                line.transmit_over(pace.next, cell, link);
                cell = cell.next();
                goes_on = pace.step() && pace.next.at(Phase::Timer) < limit;
            }
            sending.sequence = cell.handle();
            let cells = u64::from(cell.handle().wrapping_sub(first));
            sending.offered += cells;
            sending.sent += cells;
            if pace.next >= pace.until {
                sending.application.pace_ended();
            }
            let next = sending.application.next_offer();
            return self.agenda.set(entry, next.at(Phase::Timer));
        }
        let (offer, next) = sending.application.run(now);
        let next = next.at(Phase::Timer);
        self.agenda.set(entry, next);
        if offer == Offer::Cells(1)
            && now.at(Phase::Start) < others.min(next)
            && sending.may_pass()
            && let Some(line) = self.line.as_mut().filter(|line| line.is_idle(now))
        {
            sending.offered += 1;
            let cell = sending.next_cell(now, vc, false);
            return line.transmit(now, cell, wires);
        }
        self.keep(now, vc, offer, wires);
    }

    /// What is offered waits for the line.
    #[inline(never)]
    fn keep(&mut self, now: Time, vc: u32, offer: Offer, wires: &mut Wires<'_, Cell>) {
        let sending = &mut self.sending[vc as usize];
        match offer {
            Offer::Cells(n) => {
                let room = sending.most_waiting.saturating_sub(sending.backlog.cells);
                sending.offer(n.min(room), false);
            }
            Offer::Message(n) => {
                sending.offer(n, true);
                sending.post_frame(n);
                if let Some(bursts) = &mut sending.bursts {
                    bursts.offered(now, n);
                }
            }
            Offer::Endless => sending.backlog.endless = true,
            Offer::Nothing => sending.backlog.endless = false,
        }
        self.wake(now, vc);
        self.plan(now, wires);
    }

    /// VC `vc` has cells or credit that it may have lacked.
    #[inline]
    fn wake(&mut self, now: Time, vc: u32) {
        let sending = &self.sending[vc as usize];
        if sending.active {
            return;
        }
        if sending.abr.is_some() {
            self.wake_abr(now, vc);
        } else if !sending.backlog.is_empty() {
            self.queue_up(now, vc);
        }
    }

    /// VC `vc`, which has a cell to send, waits for the line, or for the credit that it lacks.
    #[inline]
    fn queue_up(&mut self, now: Time, vc: u32) {
        let sending = &mut self.sending[vc as usize];
        let Some(line) = &mut self.line else { return };
        match &mut sending.credit {
            Some(credit) if !credit.may_send() => {
                credit.blocked(now);
                if let Some(timer) = sending.timer {
                    self.agenda.set(timer as usize, credit.deadline().at(Phase::Timer));
                }
            }
            _ => {
                sending.active = true;
                line.activate(now, sending.group, vc);
            }
        }
    }

    /// The line is free. Where a single VC waits that nothing holds back, its cells go one after the other until
    /// something else of this host comes first; otherwise this [serves](Host::serve) one cell.
    #[inline(always)]
    fn stream(&mut self, now: Time, limit: Moment, wires: &mut Wires<'_, Cell>) {
        let others = self.agenda.second_moment().min(self.arrival).min(limit);
        if let Some(line) = &mut self.line
            && let Some((group, vc)) = line.only_queue()
            && let sending = &mut self.sending[vc as usize]
            && sending.is_unhindered()
            && !sending.backlog.is_empty()
        {
            let link = wires.link(line.link());
            let mut start = now;
            loop {
                let cell = sending.next_waiting_cell(start, vc);
                line.transmit_over(start, cell, link);
                start = line.free_at();
                if sending.backlog.is_empty() {
                    sending.active = false;
                    line.first_went(group, false);
                    break;
                }
                if start.at(Phase::Service) >= others {
                    break;
                }
            }
            self.agenda.set_first(line.next_service());
        } else {
            self.serve(now, wires);
        }
    }

    #[inline(never)]
    fn serve(&mut self, now: Time, wires: &mut Wires<'_, Cell>) {
        if !self.send_signal(now, wires) {
            self.send_data(now, wires);
        }
        let next = self.line.as_ref().map_or(Moment::NEVER, |line| line.next_start(now));
        if next != self.agenda.moment(LINE) {
            self.agenda.set(LINE, next);
        }
    }

    #[inline]
    fn send_data(&mut self, now: Time, wires: &mut Wires<'_, Cell>) {
        let Some(line) = &mut self.line else { return };
        while let Some(vc) = line.next_queue(now) {
            let sending = &mut self.sending[vc as usize];
            sending.active = false;
            if sending.credit.as_ref().is_some_and(|c| !c.may_send()) {
                continue;
            }
            let cell = if sending.abr.is_some() {
                let Some(cell) = sending.next_abr_cell(now, vc) else {
                    // The rate has fallen since it got its turn at the line.
                    sending.plan_abr(now, &mut self.agenda);
                    continue;
                };
                cell
            } else if sending.backlog.is_empty() {
                continue;
            } else {
                sending.next_waiting_cell(now, vc)
            };
            line.transmit(now, cell, wires);
            if cell.aau()
                && let Some(bursts) = &mut sending.bursts
            {
                bursts.departed(line.free_at());
            }
            self.wake(now, vc);
            return;
        }
    }

    fn send_signal(&mut self, now: Time, wires: &mut Wires<'_, Cell>) -> bool {
        let Some(line) = &mut self.line else { return false };
        while let Some(signal) = line.next_signal() {
            let cell = match signal {
                Signal::Credit { label, .. } => {
                    let receiver = self.receiving[label as usize].receiver.as_mut();
                    // Nothing is held: this host consumes cells as they arrive.
                    receiver.and_then(|r| r.stamp(0)).map(|value| Cell::new(Kind::Credit, label, value))
                }
                Signal::Request { label } => {
                    let credit = self.sending[label as usize].credit.as_ref();
                    credit.map(|c| Cell::new(Kind::CreditRequest, label, c.request()))
                }
            };
            if let Some(cell) = cell {
                line.transmit(now, cell, wires);
                return true;
            }
        }
        false
    }

    fn arrival(&mut self, now: Time, cell: Cell, wires: &mut Wires<'_, Cell>) {
        let label = cell.label();
        match cell.kind() {
            Kind::Data => self.deliver(now, label as usize, cell, wires),
            Kind::Rm => self.rm_cell(now, label as usize, cell, wires),
            Kind::Credit => self.credit_cell(now, label, cell, wires),
            Kind::CreditRequest => {
                let receiver = self.receiving[label as usize].receiver.as_mut();
                if receiver.is_some_and(|r| r.requested(cell.handle(), cell.corrupted())) {
                    self.send_credit_cell(now, label, wires);
                }
            }
        }
    }

    #[inline(never)]
    fn credit_cell(&mut self, now: Time, label: Label, cell: Cell, wires: &mut Wires<'_, Cell>) {
        let sending = &mut self.sending[label as usize];
        let Some(credit) = &mut sending.credit else { return };
        credit.credit_cell(now, cell.handle(), cell.corrupted());
        if let Some(timer) = sending.timer {
            self.agenda.set(timer as usize, credit.deadline().at(Phase::Timer));
        }
        self.wake(now, label);
        self.plan(now, wires);
    }

    /// Takes the cells that arrive before `bound` and need only be counted, up to the first that needs more.
    #[inline(always)]
    fn consume(&mut self, link: &mut Link<Cell>, bound: Moment) -> Option<(Time, Cell)> {
        while link.next_moment() < bound {
            let (now, cell) = link.receive()?;
            let Some(receiving) = self.receiving.get_mut(cell.label() as usize) else { return Some((now, cell)) };
            let plain = cell.kind() == Kind::Data && !cell.aau() && !cell.corrupted();
            if !plain || receiving.special || cell.handle() != receiving.expected {
                return Some((now, cell));
            }
            receiving.books.cells += 1;
            receiving.expected = cell.handle().wrapping_add(1);
        }
        None
    }

    #[inline]
    fn deliver(&mut self, now: Time, label: usize, cell: Cell, wires: &mut Wires<'_, Cell>) {
        let receiving = &mut self.receiving[label];
        receiving.books.cells += 1;
        if cell.handle() != receiving.expected {
            receiving.frames.lost(receiving.expected, cell.handle());
        }
        if cell.corrupted() {
            receiving.books.corrupted += 1;
            receiving.frames.corrupted(cell.handle());
        }
        receiving.expected = cell.handle().wrapping_add(1);
        if receiving.special {
            self.arrived_specially(now, label, cell, wires);
        }
        if cell.aau() {
            self.message(now, label, cell.handle(), wires);
        }
    }

    /// A data or RM cell of a VC with credit or ABR.
    #[inline(never)]
    fn arrived_specially(&mut self, now: Time, label: usize, cell: Cell, wires: &mut Wires<'_, Cell>) {
        let receiving = &mut self.receiving[label];
        if receiving.rm.is_some()
            && cell.kind() == Kind::Data
            && cell.efci() != std::mem::replace(&mut receiving.efci, cell.efci())
            && let Some(vc) = receiving.partner
            && let Some(abr) = &mut self.sending[vc as usize].abr
        {
            abr.data_arrived(cell);
        }
        if let Some(receiver) = &mut receiving.receiver {
            receiver.arrived(0);
            if receiver.forwarded() {
                self.send_credit_cell(now, label as Label, wires);
            }
        }
    }

    #[inline(never)]
    fn message(&mut self, now: Time, label: usize, last: u32, wires: &mut Wires<'_, Cell>) {
        let receiving = &mut self.receiving[label];
        if !receiving.frames.end(last) {
            receiving.books.spoiled += 1;
            return;
        }
        receiving.books.messages += 1;
        if let Some(vc) = receiving.partner {
            let sending = &mut self.sending[vc as usize];
            sending.application.message_received(now, last);
            let next = sending.application.next_offer();
            invariant!(next >= now, self.name, "the application of VC {vc} wants to run in the past");
            if next == now {
                self.application(now, vc, now.at(Phase::Timer), wires);
            } else {
                self.agenda.set(sending.application_entry as usize, next.at(Phase::Timer));
            }
        }
    }

    fn send_credit_cell(&mut self, now: Time, label: Label, wires: &mut Wires<'_, Cell>) {
        if let Some(line) = &mut self.line {
            line.signal(Signal::Credit { input: 0, label });
            self.plan(now, wires);
        }
    }

    #[inline(always)]
    fn timer(&mut self, now: Time, entry: usize, limit: Moment, wires: &mut Wires<'_, Cell>) {
        match self.timers[entry - TIMERS] {
            Timer::Application { vc } => self.application(now, vc, limit, wires),
            Timer::Abr { vc } => self.abr_timer(now, vc, wires),
            Timer::CreditTimeout { vc } => self.credit_timeout(now, entry, vc, wires),
            Timer::RedundantCredit { label, period } => self.redundant_credit(now, entry, label, period, wires),
        }
    }

    #[inline(never)]
    fn credit_timeout(&mut self, now: Time, entry: usize, vc: u32, wires: &mut Wires<'_, Cell>) {
        let sending = &mut self.sending[vc as usize];
        let (Some(credit), Some(line)) = (&mut sending.credit, &mut self.line) else { return };
        if !sending.backlog.is_empty() && !credit.may_send() {
            credit.ask(now);
            line.signal(Signal::Request { label: vc });
        } else {
            credit.relax();
        }
        self.agenda.set(entry, credit.deadline().at(Phase::Timer));
        self.plan(now, wires);
    }

    #[inline(never)]
    fn redundant_credit(
        &mut self,
        now: Time,
        entry: usize,
        label: Label,
        period: Duration,
        wires: &mut Wires<'_, Cell>,
    ) {
        self.agenda.set(entry, (now + period).at(Phase::Timer));
        let receiver = self.receiving[label as usize].receiver.as_mut();
        if receiver.is_some_and(|r| r.wants_credit_cell()) {
            self.send_credit_cell(now, label, wires);
        }
    }
}

impl Node<Cell> for Host {
    #[inline]
    fn expect(&mut self, _input: usize, wires: &mut Wires<'_, Cell>) {
        if let Some(input) = self.input {
            self.arrival = wires.link(input).next_moment();
        }
    }

    fn advance(&mut self, horizon: Time, wires: &mut Wires<'_, Cell>) {
        let limit = horizon.at(Phase::Service);
        loop {
            let planned = self.agenda.first_moment();
            if self.arrival.min(planned) >= limit {
                break;
            }
            if self.arrival < planned
                && let Some(input) = self.input
            {
                let other = self.consume(wires.link(input), planned.min(limit));
                self.arrival = wires.link(input).next_moment();
                if let Some((now, cell)) = other {
                    self.arrival(now, cell, wires);
                }
            } else {
                match self.agenda.first_entry() {
                    LINE => self.stream(planned.time(), limit, wires),
                    entry => self.timer(planned.time(), entry, limit, wires),
                }
            }
        }
    }

    fn next_action(&self) -> Time {
        self.agenda.first_moment().min(self.arrival).time()
    }
}
