//! Weighted fair queuing: each VC gets at least its weight's share of the line, cell by cell as near to a fluid as it goes.

use super::{QueueId, Schedule, ScheduleConfig, ScheduleContext};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::Time;
use cellway_kernel::units::{CellClock, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::collections::binary_heap::{BinaryHeap, PeekMut};

/// Weighted fair queuing (packet-by-packet generalised processor sharing): the cell goes next that would be finished
/// first if the line served all waiting VCs at once, each in proportion to its weight.
///
/// A VC's weight is its minimum cell rate; VCs without one weigh `default_share` of the line's rate together, in equal
/// parts (so without any minimum all VCs are equal). No cell leaves later than one cell time after the fluid server would
/// have finished it. The fluid server serves one priority group; what the line gives to other groups does not count.
///
/// At switches only: a host keeps counts of what its VCs offer, not cells. Cannot be combined with credit flow control: the
/// fluid server knows arrivals, not credit, so a VC that had waited for credit would then hold the line.
///
/// Source: Parekh and Gallager, A generalized processor sharing approach to flow control, IEEE/ACM ToN 1(3), 1993; the
/// equivalent Demers, Keshav and Shenker, Analysis and simulation of a fair queueing algorithm, SIGCOMM 1989.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wfq {
    /// What the VCs without a minimum cell rate weigh together, as a fraction of the line's rate; above 0. Default: 0.01.
    #[serde(default = "default_share")]
    pub default_share: Fraction,
}

fn default_share() -> Fraction {
    Fraction(0.01)
}

impl Default for Wfq {
    fn default() -> Self {
        Wfq { default_share: default_share() }
    }
}

impl ScheduleConfig for Wfq {
    fn build(&self, context: &ScheduleContext<'_>) -> Result<Box<dyn Schedule>, SpecError> {
        let Fraction(share) = self.default_share;
        if !(share > 0.0 && share <= 1.0) {
            return Err(SpecError::new("default_share", "VCs without a minimum would never be served")
                .found(share)
                .allowed("above 0, at most 1"));
        }
        let cell = CellClock::of_line(context.line).shortest().ps();
        let line = context.line.cells().per_second();
        let minimum = |k: usize| context.queues[k].1.filter(|rate| !rate.is_zero()).map(|rate| rate.per_second());
        let without = (0..context.queues.len()).filter(|&k| minimum(k).is_none()).count();
        let weights: Vec<f64> =
            (0..context.queues.len()).map(|k| minimum(k).unwrap_or(share * line / without as f64)).collect();
        let total: f64 = weights.iter().sum();
        let places = context.queues.iter().map(|&(queue, _)| queue as usize + 1).max().unwrap_or(0);
        let mut queues: Vec<Queue> = (0..places).map(|_| Queue::new(LEAST_WEIGHT, cell)).collect();
        for (&(queue, _), weight) in context.queues.iter().zip(&weights) {
            let weight = (weight / total * TOTAL_WEIGHT as f64).round() as u64;
            queues[queue as usize] = Queue::new(weight.max(LEAST_WEIGHT), cell);
        }
        Ok(Box::new(FairQueuing { fluid: Fluid::new(cell), queues, waiting: Waiting::new(places) }))
    }

    fn shares_queue(&self) -> bool {
        false
    }

    fn stamps_arrivals(&self) -> bool {
        true
    }
}

/// Weights are integers that add up to about this.
const TOTAL_WEIGHT: u64 = 1 << 30;
/// A millionth of that: no VC weighs less.
const LEAST_WEIGHT: u64 = 1 << 10;

/// Work is counted in 2^-62 ps of the line's time, virtual time in such units for each unit of weight.
///
/// Work ends below 2^62 ps, so it fits 124 bits, and virtual time 114, because weights are at least 2^10. A cell of weight w
/// advances its queue's tags by cell / w, rounded down: by less than 2^-32 ps of work.
const SCALE: u32 = 62;

struct FairQueuing {
    fluid: Fluid,
    queues: Vec<Queue>,
    waiting: Waiting,
}

/// One VC, in the fluid server and in the real one.
struct Queue {
    weight: u64,
    /// Virtual time that one cell takes.
    step: u128,
    /// Virtual finish time of the last cell that came.
    last: u128,
    /// The fluid server has not finished that cell.
    busy: bool,
    /// The virtual finish times of the cells that wait here: the first run, and the others, of which there are few.
    run: Run,
    later: VecDeque<Run>,
}

/// Cells whose finish times follow each other in steps.
#[derive(Clone, Copy)]
struct Run {
    first: u128,
    cells: u64,
}

impl Run {
    const EMPTY: Run = Run { first: 0, cells: 0 };
}

impl Queue {
    fn new(weight: u64, cell: u64) -> Queue {
        let step = (u128::from(cell) << SCALE) / u128::from(weight);
        Queue { weight, step, last: 0, busy: false, run: Run::EMPTY, later: VecDeque::new() }
    }

    /// A cell with tag `last` comes; it `follows` if the fluid server has not finished the one before.
    #[inline]
    fn add(&mut self, follows: bool) {
        if self.run.cells == 0 {
            self.run = Run { first: self.last, cells: 1 };
        } else if !follows {
            self.later.push_back(Run { first: self.last, cells: 1 });
        } else {
            self.later.back_mut().unwrap_or(&mut self.run).cells += 1;
        }
    }

    /// Takes the first cell's tag.
    #[inline]
    fn take(&mut self) {
        self.run.first = self.run.first.saturating_add(self.step);
        self.run.cells -= 1;
        if self.run.cells == 0
            && let Some(next) = self.later.pop_front()
        {
            self.run = next;
        }
    }
}

/// The fluid server: generalised processor sharing of the work that the line does for this group.
///
/// Its virtual time grows at 1 / (weight of the busy queues) for each unit of work. Between two changes of the busy
/// queues that is a line through a point, which is kept exactly: a queue ends at a tag, where virtual time and work are
/// both integers, and where a queue begins in between, the point is the last one before at which both are. So nothing adds
/// up: virtual time is that of an exact fluid server to which cells come at most 2^-32 ps earlier.
struct Fluid {
    /// Length of a cell in ps.
    cell: u64,
    /// When the present cell started; none before the first.
    started: Option<Time>,
    /// Work done before that, in ps.
    done: u64,
    /// A point of the line: work, and virtual time there.
    at_work: u128,
    virtual_time: u128,
    /// Weight of the busy queues.
    busy_weight: u64,
    /// Tags at which busy queues may end; a queue's tag here may be older than its last.
    ends: BinaryHeap<Reverse<(u128, QueueId)>>,
    /// Work at the first of these.
    next_end: u128,
    /// That may come while the present cell is on the line.
    ends_in_cell: bool,
}

impl Fluid {
    fn new(cell: u64) -> Fluid {
        Fluid {
            cell,
            started: None,
            done: 0,
            at_work: 0,
            virtual_time: 0,
            busy_weight: 0,
            ends: BinaryHeap::new(),
            next_end: u128::MAX,
            ends_in_cell: false,
        }
    }

    /// Work that the line has done for this group.
    #[inline]
    fn work(&self, now: Time) -> u128 {
        let present = self.started.map_or(0, |started| now.since(started).ps().min(self.cell));
        u128::from(self.done + present) << SCALE
    }

    /// A cell starts on the line.
    #[inline]
    fn cell_starts(&mut self, now: Time) {
        if self.started.is_some() {
            self.done += self.cell;
        }
        self.started = Some(now);
        self.look_ahead();
    }

    #[inline]
    fn look_ahead(&mut self) {
        self.ends_in_cell = self.next_end <= u128::from(self.done + self.cell) << SCALE;
    }

    /// Ends the queues that the fluid server has emptied by `work`.
    fn advance(&mut self, work: u128, queues: &mut [Queue]) {
        while self.next_end <= work {
            let Some(mut first) = self.ends.peek_mut() else { return };
            let Reverse((tag, q)) = *first;
            (self.at_work, self.virtual_time) = (self.next_end, tag);
            let queue = &mut queues[q as usize];
            if queue.last == tag {
                queue.busy = false;
                self.busy_weight -= queue.weight;
                PeekMut::pop(first);
            } else {
                *first = Reverse((queue.last, q));
                drop(first);
            }
            self.find_next_end();
        }
    }

    fn find_next_end(&mut self) {
        self.next_end = self.ends.peek().map_or(u128::MAX, |&Reverse((tag, _))| {
            let work = (tag - self.virtual_time).saturating_mul(u128::from(self.busy_weight));
            self.at_work.saturating_add(work)
        });
        self.look_ahead();
    }

    /// Queue `q` becomes busy at `work`: the virtual time at which its cell begins.
    fn begin(&mut self, work: u128, q: QueueId, queue: &mut Queue) -> u128 {
        if self.busy_weight == 0 {
            self.at_work = work;
        } else {
            let weight = u128::from(self.busy_weight);
            let passed = (work - self.at_work) / weight;
            self.virtual_time += passed;
            self.at_work += passed * weight;
        }
        queue.busy = true;
        self.busy_weight += queue.weight;
        self.ends.push(Reverse((self.virtual_time.saturating_add(queue.step), q)));
        self.find_next_end();
        self.virtual_time
    }
}

impl Schedule for FairQueuing {
    fn stamps_arrivals(&self) -> bool {
        true
    }

    fn arrived(&mut self, now: Time, q: QueueId) {
        if self.fluid.ends_in_cell {
            let work = self.fluid.work(now);
            self.fluid.advance(work, &mut self.queues);
        }
        let queue = &mut self.queues[q as usize];
        let follows = queue.busy;
        let start = if follows { queue.last } else { self.fluid.begin(self.fluid.work(now), q, queue) };
        queue.last = start.saturating_add(queue.step);
        queue.add(follows);
    }

    fn activate(&mut self, _now: Time, q: QueueId) {
        self.waiting.add(self.queues[q as usize].run.first, q);
    }

    fn next(&mut self, now: Time) -> Option<QueueId> {
        let q = self.waiting.take()?;
        self.queues[q as usize].take();
        self.fluid.cell_starts(now);
        Some(q)
    }
}

/// The queues that have a cell, by the tag of their first: a knock-out tournament of which one path is replayed for each
/// change. A queue that was taken keeps its place until the next change, because mostly it comes back at once.
struct Waiting {
    /// Place 1 holds the first of all queues, places 2k and 2k + 1 the two that met for place k; the second half the queues.
    ///
    /// Each is a tag without its lowest [`SHORTER`] bits, a turn, and a queue, from the most significant bit: tags as near
    /// as that, less than 2^-6 ps of work, go in the order in which their queues came.
    places: Box<[u128]>,
    taken: Option<QueueId>,
    turn: u16,
}

/// Queues are numbered as labels are, below 2^24.
const QUEUE_BITS: u32 = 24;
const TURN_BITS: u32 = 16;
const SHORTER: u32 = 26;
const ABSENT: u128 = u128::MAX;
/// Tags are below 2^114 but for cells that would leave after the range of time.
const LAST_TAG: u128 = (1 << 114) - (1 << SHORTER) - 1;

impl Waiting {
    fn new(queues: usize) -> Waiting {
        let places = vec![ABSENT; 2 * queues.next_power_of_two()];
        Waiting { places: places.into_boxed_slice(), taken: None, turn: 0 }
    }

    #[inline]
    fn add(&mut self, tag: u128, queue: QueueId) {
        self.turn = self.turn.wrapping_add(1);
        if self.taken == Some(queue) {
            self.taken = None;
        }
        let tag = tag.min(LAST_TAG) >> SHORTER << (TURN_BITS + QUEUE_BITS);
        self.set(queue, tag | u128::from(self.turn) << QUEUE_BITS | u128::from(queue));
    }

    #[inline]
    fn take(&mut self) -> Option<QueueId> {
        if let Some(queue) = self.taken.take() {
            self.set(queue, ABSENT);
        }
        let first = self.places[1];
        if first != ABSENT {
            self.taken = Some(first as QueueId & ((1 << QUEUE_BITS) - 1));
        }
        self.taken
    }

    #[inline]
    fn set(&mut self, queue: QueueId, mut first: u128) {
        let places = &mut self.places[..];
        let mut at = places.len() / 2 + queue as usize;
        places[at] = first;
        while at > 1 {
            first = first.min(places[at ^ 1]);
            at /= 2;
            places[at] = first;
        }
    }
}

#[cfg(test)]
mod tests;
