//! An output line: credit cells first, then the priority groups, and within a group its discipline.
//!
//! Shared by switch ports and hosts' network interfaces. It decides what goes next and when; what a queue holds is its
//! owner's business.

use crate::cell::{Cell, Kind, Label};
use crate::schedule::{QueueId, Schedule};
use cellway_kernel::link::{Link, LinkId, Wires};
use cellway_kernel::ring::Ring;
use cellway_kernel::time::{Moment, Phase, Time};
use cellway_kernel::units::{BitRate, CellClock};
use std::collections::VecDeque;

/// A control cell that waits for the line. Its content is read when it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signal {
    /// A credit cell for the VC with `label` on input `input`.
    Credit {
        /// Input of this node.
        input: u32,
        /// The VC on that input.
        label: Label,
    },
    /// A request for credit, for the VC with `label` on this line.
    Request {
        /// The VC on this line.
        label: Label,
    },
}

/// The sending side of a link.
pub struct OutputLine {
    link: LinkId,
    clock: CellClock,
    free_at: Time,
    groups: Vec<Group>,
    /// In all groups queues go in the order of their activation.
    keeps_order: bool,
    /// Some discipline must hear of every cell.
    stamps: bool,
    /// Bit g: a queue of group g waits to send.
    ready: u64,
    signals: VecDeque<Signal>,
    sent: [u64; 4],
}

struct Group {
    /// `None` where queues go in the order of their activation.
    schedule: Option<Box<dyn Schedule>>,
    /// The queues that wait, in order of activation, where there is no schedule.
    waiting: Ring<QueueId>,
    /// How many wait, where there is one.
    scheduled: u32,
}

/// Most priority groups of a line.
pub const GROUPS: usize = 64;

impl OutputLine {
    /// The line of `link`, with one discipline for each priority group; group 0 goes first.
    pub fn new(link: LinkId, rate: BitRate, groups: Vec<Box<dyn Schedule>>) -> OutputLine {
        assert!(groups.len() <= GROUPS);
        let clock = CellClock::of_line(rate);
        let keeps_order = groups.iter().all(|schedule| schedule.keeps_order());
        let stamps = groups.iter().any(|schedule| schedule.stamps_arrivals());
        let group = |schedule: Box<dyn Schedule>| Group {
            schedule: (!schedule.keeps_order()).then_some(schedule),
            waiting: Ring::new(16, 0),
            scheduled: 0,
        };
        let groups = groups.into_iter().map(group).collect();
        OutputLine {
            link,
            clock,
            free_at: Time::ZERO,
            groups,
            keeps_order,
            stamps,
            ready: 0,
            signals: VecDeque::new(),
            sent: [0; 4],
        }
    }

    /// Cells sent of one kind.
    pub fn sent(&self, kind: Kind) -> u64 {
        self.sent[kind as usize]
    }

    /// Its link.
    pub fn link(&self) -> LinkId {
        self.link
    }

    /// When the last cell has left.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// Queue `queue` of `group` may send.
    #[inline]
    pub fn activate(&mut self, now: Time, group: u8, queue: QueueId) {
        self.ready |= 1 << group;
        let group = &mut self.groups[group as usize];
        match &mut group.schedule {
            None => group.waiting.push(queue),
            Some(schedule) => {
                group.scheduled += 1;
                schedule.activate(now, queue);
            }
        }
    }

    /// A cell joined queue `queue` of `group`.
    #[inline]
    pub fn arrived(&mut self, now: Time, group: u8, queue: QueueId) {
        if self.stamps
            && let Some(schedule) = &mut self.groups[group as usize].schedule
        {
            schedule.arrived(now, queue);
        }
    }

    /// Takes the queue that goes next. It may turn out to have lost its credit; then ask again.
    #[inline]
    pub fn next_queue(&mut self, now: Time) -> Option<QueueId> {
        if self.ready == 0 {
            return None;
        }
        let number = self.ready.trailing_zeros();
        let group = &mut self.groups[number as usize];
        let (first, last) = match &mut group.schedule {
            None => (group.waiting.take(), group.waiting.is_empty()),
            Some(schedule) => {
                group.scheduled -= 1;
                (schedule.next(now), group.scheduled == 0)
            }
        };
        if last {
            self.ready &= !(1 << number);
        }
        first
    }

    /// True if a cell that came now could start now: nothing waits, and no discipline must hear of it first.
    #[inline]
    pub fn is_idle(&self, now: Time) -> bool {
        self.free_at <= now && self.ready == 0 && self.signals.is_empty() && !self.stamps
    }

    /// The same for a line that was idle before and has sent its own cells since: nothing else can have come to wait.
    #[inline]
    pub fn is_free(&self, now: Time) -> bool {
        self.free_at <= now
    }

    /// True where in all groups queues go in the order of their activation.
    #[inline]
    pub fn keeps_order(&self) -> bool {
        self.keeps_order
    }

    /// Where [order is kept](Self::keeps_order): the group and the queue that go next. They do with
    /// [`first_went`](Self::first_went).
    #[inline]
    pub fn first_queue(&self) -> Option<(usize, QueueId)> {
        debug_assert!(self.keeps_order, "a discipline has a say in what goes next");
        if self.ready == 0 {
            return None;
        }
        let group = self.ready.trailing_zeros() as usize;
        Some((group, self.groups[group].waiting.front()))
    }

    /// The group and the queue that go next, where no other and no control cell waits and no discipline has a say.
    #[inline]
    pub fn only_queue(&self) -> Option<(usize, QueueId)> {
        if !self.keeps_order || self.has_signals() || !self.ready.is_power_of_two() {
            return None;
        }
        let (group, queue) = self.first_queue()?;
        (self.groups[group].waiting.len() == 1).then_some((group, queue))
    }

    /// The first queue of `group` sends; it waits `again` behind the others, or not.
    #[inline]
    pub fn first_went(&mut self, group: usize, again: bool) {
        let waiting = &mut self.groups[group].waiting;
        if again {
            return waiting.rotate();
        }
        waiting.take();
        if waiting.is_empty() {
            self.ready &= !(1 << group);
        }
    }

    /// True where anything waits for the line; its start is planned then, and more that waits changes nothing of it.
    #[inline]
    pub fn is_awaited(&self) -> bool {
        self.ready != 0 || !self.signals.is_empty()
    }

    /// True where a control cell waits.
    #[inline]
    pub fn has_signals(&self) -> bool {
        !self.signals.is_empty()
    }

    /// A control cell waits.
    pub fn signal(&mut self, signal: Signal) {
        self.signals.push_back(signal);
    }

    /// Takes the control cell that goes next.
    #[inline]
    pub fn next_signal(&mut self) -> Option<Signal> {
        self.signals.pop_front()
    }

    /// When the line next takes a cell, seen from `now`.
    ///
    /// A line that becomes free goes on before the arrivals of that instant; an idle line starts after them. A credit
    /// cell always starts after them, so that the cells that arrive at that very instant count as held.
    #[inline]
    pub fn next_start(&self, now: Time) -> Moment {
        if !self.signals.is_empty() {
            self.free_at.max(now).at(Phase::Start)
        } else if self.ready == 0 {
            Moment::NEVER
        } else if self.free_at <= now {
            now.at(Phase::Start)
        } else {
            self.free_at.at(Phase::Service)
        }
    }

    /// The same for a line that has just taken a cell and for which no control cell waits.
    #[inline]
    pub fn next_service(&self) -> Moment {
        if self.ready == 0 { Moment::NEVER } else { self.free_at.at(Phase::Service) }
    }

    /// Sends a cell that starts at `now`.
    #[inline(always)]
    pub fn transmit(&mut self, now: Time, cell: Cell, wires: &mut Wires<'_, Cell>) {
        self.take(now, cell);
        wires.send(self.link, now, self.free_at, cell);
    }

    /// Sends a cell that starts at `now` over `link`, this line's, which is a host's: nobody waits for its first cell.
    #[inline(always)]
    pub fn transmit_over(&mut self, now: Time, cell: Cell, link: &mut Link<Cell>) {
        self.take(now, cell);
        link.send(now, self.free_at, cell);
    }

    #[inline(always)]
    fn take(&mut self, now: Time, cell: Cell) {
        // After a pause the slots count from this cell; back to back they follow the exact clock.
        if now > self.free_at {
            self.clock.restart();
        }
        self.free_at = now.plus(self.clock.tick());
        self.sent[cell.kind() as usize] += 1;
    }
}
