//! ABR at a host: the source of a VC, beside it the destination of the opposite direction, and their RM cells.

use super::{Host, Sending};
use crate::abr::destination::Destination;
use crate::abr::rm::Rm;
use crate::abr::source::{Source, Turn, Waiting, rule_4_cell};
use crate::cell::{Cell, Kind};
use crate::post::Post;
use cellway_kernel::agenda::Agenda;
use cellway_kernel::link::Wires;
use cellway_kernel::probe::Gauge;
use cellway_kernel::time::{Phase, Time};

/// The parts from which the network builder makes the ABR ends of a VC that a host sends.
pub struct AbrParts {
    /// The source of this direction.
    pub source: Source,
    /// The destination of the opposite direction, whose BRM cells go with this one.
    pub destination: Destination,
    /// Contents of the RM cells of this direction.
    pub post: Post<Rm>,
}

/// RM cells of one direction at the host that sends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AbrBooks {
    /// In-rate FRM cells that its source sent.
    pub frm_sent: u64,
    /// Out-of-rate FRM cells that its source sent.
    pub frm_out_of_rate: u64,
    /// BRM cells that came for its source.
    pub brm_received: u64,
    /// In-rate BRM cells that the destination beside it sent.
    pub brm_sent: u64,
    /// Out-of-rate BRM cells that the destination beside it sent.
    pub brm_out_of_rate: u64,
    /// FRM cells that came for the destination beside it.
    pub frm_received: u64,
    /// RM cells that came with errors, which the CRC-10 finds.
    pub discarded: u64,
}

impl AbrBooks {
    /// RM cells sent.
    pub fn sent(&self) -> u64 {
        self.frm_sent + self.frm_out_of_rate + self.brm_sent + self.brm_out_of_rate
    }
}

#[repr(C, align(64))]
pub(super) struct AbrEnds {
    pub(super) source: Source,
    /// Entry of the host's agenda.
    entry: u32,
    /// Handle of the next RM cell.
    handle: u32,
    /// Something waited when the host last looked.
    busy: bool,
    pub(super) destination: Destination,
    post: Post<Rm>,
    /// ER of the last BRM cell.
    pub(super) er: f64,
    pub(super) books: AbrBooks,
    pub(super) acr_gauge: Option<Box<Gauge>>,
    pub(super) er_gauge: Option<Box<Gauge>>,
}

impl AbrEnds {
    pub(super) fn new(parts: AbrParts, entry: u32) -> AbrEnds {
        let AbrParts { source, destination, post } = parts;
        AbrEnds {
            er: source.limits().pcr,
            source,
            destination,
            post,
            handle: 0,
            entry,
            busy: false,
            books: AbrBooks::default(),
            acr_gauge: None,
            er_gauge: None,
        }
    }

    pub(super) fn originating_due(&self) -> Time {
        self.destination.originating_due()
    }

    /// A data cell of the opposite direction, with another EFCI than the one before.
    pub(super) fn data_arrived(&mut self, cell: Cell) {
        self.destination.rule_1_data(cell);
    }

    fn waiting(&self, data: bool) -> Waiting {
        Waiting { data, brm: self.destination.in_rate_waits() }
    }

    /// When this VC next wants the line.
    fn next_turn(&mut self, now: Time, data: bool) -> Time {
        let waiting = self.waiting(data);
        let busy = waiting.data || waiting.brm;
        if busy && !self.busy {
            self.source.resume(now);
        }
        self.busy = busy;
        if self.destination.out_of_rate_waits() { now } else { self.source.next_turn(waiting) }
    }

    fn rm_cell(&mut self, vc: u32, rm: Rm, in_rate: bool) -> Cell {
        let cell = rule_4_cell(Kind::Rm, vc, self.handle, in_rate);
        self.post.push(self.handle, rm);
        self.handle = self.handle.wrapping_add(1);
        cell
    }

    fn observe(&mut self, now: Time) {
        if let Some(gauge) = &mut self.acr_gauge {
            gauge.set(now, self.source.acr());
        }
        if let Some(gauge) = &mut self.er_gauge {
            gauge.set(now, self.er);
        }
    }
}

impl Sending {
    /// The cell that an ABR VC sends at `now`, if it has one.
    pub(super) fn next_abr_cell(&mut self, now: Time, vc: u32) -> Option<Cell> {
        let data = !self.backlog.is_empty();
        let abr = self.abr.as_mut()?;
        // Out-of-rate BRM cells are no newer than what waits in-rate, so they go first (destination rule 4).
        if let Some(rm) = abr.destination.take_out_of_rate() {
            abr.books.brm_out_of_rate += 1;
            let cell = abr.rm_cell(vc, rm, false);
            self.rm_sent(now);
            return Some(cell);
        }
        let turn = abr.source.turn(now, abr.waiting(data))?;
        let frm = abr.source.took(now, turn);
        let cell = match turn {
            Turn::Data => return Some(self.next_waiting_cell(now, vc)),
            Turn::Backward => {
                abr.books.brm_sent += 1;
                let rm = abr.destination.take_in_rate()?;
                abr.rm_cell(vc, rm, true)
            }
            Turn::Forward => {
                abr.books.frm_sent += 1;
                abr.observe(now);
                abr.rm_cell(vc, frm?, true)
            }
            Turn::OutOfRate => {
                abr.books.frm_out_of_rate += 1;
                abr.rm_cell(vc, frm?, false)
            }
        };
        self.rm_sent(now);
        Some(cell)
    }

    /// An RM cell starts: it takes credit as any other.
    fn rm_sent(&mut self, now: Time) {
        if let Some(credit) = &mut self.credit {
            credit.sent(now);
        }
    }

    /// When an ABR VC next wants the line.
    fn abr_turn(&mut self, now: Time) -> Time {
        let data = !self.backlog.is_empty();
        self.abr.as_mut().map_or(Time::NEVER, |abr| abr.next_turn(now, data))
    }

    /// Plans the next turn of an ABR VC that has none at `now`.
    pub(super) fn plan_abr(&mut self, now: Time, agenda: &mut Agenda) {
        let next = self.abr_turn(now);
        let Some(abr) = &self.abr else { return };
        agenda.set(abr.entry as usize, next.min(abr.originating_due()).at(Phase::Timer));
    }
}

impl Host {
    /// ABR VC `vc`, which does not wait for the line, has cells, credit or a rate that it may have lacked.
    #[inline(never)]
    pub(super) fn wake_abr(&mut self, now: Time, vc: u32) {
        let sending = &mut self.sending[vc as usize];
        let data = !sending.backlog.is_empty();
        let Some(abr) = &mut sending.abr else { return };
        let next = abr.next_turn(now, data);
        let originating = abr.originating_due();
        let goes_now = next <= now;
        let planned = if goes_now { originating } else { next.min(originating) };
        self.agenda.set(abr.entry as usize, planned.at(Phase::Timer));
        if goes_now {
            self.queue_up(now, vc);
        }
    }

    /// The turn of an ABR source has come, or a congested destination may speak.
    #[inline(never)]
    pub(super) fn abr_timer(&mut self, now: Time, vc: u32, wires: &mut Wires<'_, Cell>) {
        let sending = &mut self.sending[vc as usize];
        if let Some(abr) = &mut sending.abr {
            abr.destination.rule_5_originate(now);
            if sending.active {
                self.agenda.set(abr.entry as usize, abr.originating_due().at(Phase::Timer));
                return;
            }
        }
        self.send_abr_at_once(now, vc, wires);
        self.wake(now, vc);
        self.plan(now, wires);
    }

    /// Where the turn of an ABR VC has come that is the first on the agenda, and its cell can start at once: what waking
    /// the VC and serving the line would do, without their plans.
    #[inline]
    fn send_abr_at_once(&mut self, now: Time, vc: u32, wires: &mut Wires<'_, Cell>) {
        let others = self.agenda.second_moment().min(self.arrival);
        let Some(line) = self.line.as_mut().filter(|line| line.is_idle(now)) else { return };
        let sending = &mut self.sending[vc as usize];
        if sending.credit.is_none()
            && now.at(Phase::Start) < others
            && sending.abr_turn(now) <= now
            && let Some(cell) = sending.next_abr_cell(now, vc)
        {
            line.transmit(now, cell, wires);
            if let (true, Some(bursts)) = (cell.aau(), &mut sending.bursts) {
                bursts.departed(line.free_at());
            }
        }
    }

    /// An RM cell arrives: an FRM cell for the destination here, or a BRM cell for the source.
    #[inline(never)]
    pub(super) fn rm_cell(&mut self, now: Time, label: usize, cell: Cell, wires: &mut Wires<'_, Cell>) {
        self.arrived_specially(now, label, cell, wires);
        let receiving = &mut self.receiving[label];
        receiving.books.rm += 1;
        let (Some(post), Some(vc)) = (&receiving.rm, receiving.partner) else { return };
        let Some(abr) = &mut self.sending[vc as usize].abr else { return };
        let rm = post.take(cell.handle());
        if cell.corrupted() {
            abr.books.discarded += 1;
            return;
        }
        if rm.backward {
            abr.books.brm_received += 1;
            if !rm.bn {
                abr.er = rm.er;
            }
            abr.source.brm(now, &rm);
            abr.observe(now);
        } else {
            abr.books.frm_received += 1;
            abr.destination.frm(now, rm, !cell.clp());
            receiving.efci = false; // by destination rule 2
        }
        self.wake(now, vc);
        self.plan(now, wires);
    }
}
