//! Service disciplines within one priority group of an output line. Groups themselves are served by strict priority.

use crate::family::family;
use cellway_kernel::error::SpecError;
use cellway_kernel::time::Time;
use cellway_kernel::units::{BitRate, CellRate};

/// Number of a queue within its port.
pub type QueueId = u32;

family! {
    /// Which queue of a priority group goes next.
    ScheduleSpec: ScheduleConfig;
    round_robin => RoundRobin,
    fifo => Fifo,
    wfq => Wfq,
}

#[allow(clippy::derivable_impls)]
impl Default for ScheduleSpec {
    fn default() -> Self {
        ScheduleSpec::round_robin(round_robin::RoundRobin {})
    }
}

/// Parameters of a discipline.
pub trait ScheduleConfig {
    /// Builds the state for one priority group.
    ///
    /// # Errors
    /// For parameters that make no sense; paths are relative to the parameters.
    fn build(&self, context: &ScheduleContext<'_>) -> Result<Box<dyn Schedule>, SpecError>;

    /// True where all VCs of a group wait in one queue, in order of arrival; false for a queue per VC.
    fn shares_queue(&self) -> bool;

    /// True for disciplines that must hear of every cell that joins a queue: not for hosts, which keep counts of cells,
    /// and not for VCs with credits, whose cells may wait without being ready.
    fn stamps_arrivals(&self) -> bool {
        false
    }
}

/// What a discipline needs to know of its line and its priority group.
#[derive(Clone, Copy, Debug)]
pub struct ScheduleContext<'a> {
    /// Rate of the line.
    pub line: BitRate,
    /// The queues of the group, and the minimum cell rate of the VC in each; where VCs share a queue, its number is that
    /// of the group, and it has none.
    pub queues: &'a [(QueueId, Option<CellRate>)],
}

/// Chooses among the queues that may send: those with a cell and, under flow control, with credit.
///
/// A queue enters with [`activate`](Schedule::activate) and leaves with [`next`](Schedule::next); after its cell is
/// sent the port activates it again if it may send more. The port keeps all counts.
pub trait Schedule: Send {
    /// True for disciplines that take the queues in the order of their activation. The line then does so itself, and
    /// asks nothing: a call for every cell is saved.
    fn keeps_order(&self) -> bool {
        false
    }

    /// True for disciplines that must hear of every cell that joins a queue.
    fn stamps_arrivals(&self) -> bool {
        false
    }

    /// A cell joined `queue`; called before `activate`, and only if [`stamps_arrivals`](Schedule::stamps_arrivals).
    fn arrived(&mut self, _now: Time, _queue: QueueId) {}

    /// `queue` may send; it is not among the waiting ones yet.
    fn activate(&mut self, now: Time, queue: QueueId);

    /// Takes the queue that goes next; there is one whenever more queues were activated than taken.
    fn next(&mut self, now: Time) -> Option<QueueId>;
}
