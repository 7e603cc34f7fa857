//! Round robin: a queue for each VC, one cell from each in turn.

use super::{QueueId, Schedule, ScheduleConfig, ScheduleContext};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Each VC has its own queue, and the queues that have a cell (and credit) send one cell each in turn.
///
/// Source: the discipline of the N23 paper, section 5 ("within each group, VCs that have both cells and credit are
/// serviced in round-robin"). A queue that becomes ready joins at the end of the round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoundRobin {}

impl ScheduleConfig for RoundRobin {
    fn build(&self, _context: &ScheduleContext<'_>) -> Result<Box<dyn Schedule>, SpecError> {
        Ok(Box::new(Turns { waiting: VecDeque::new() }))
    }

    fn shares_queue(&self) -> bool {
        false
    }
}

struct Turns {
    waiting: VecDeque<QueueId>,
}

impl Schedule for Turns {
    fn keeps_order(&self) -> bool {
        true
    }

    fn activate(&mut self, _now: Time, queue: QueueId) {
        self.waiting.push_back(queue);
    }

    fn next(&mut self, _now: Time) -> Option<QueueId> {
        self.waiting.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cellway_kernel::units::BitRate;

    #[test]
    fn busy_queues_take_turns() {
        let context = ScheduleContext { line: BitRate::from_bps(155_520_000), queues: &[] };
        let mut s = RoundRobin {}.build(&context).expect("no parameters");
        for q in 0..3 {
            s.activate(Time::ZERO, q);
        }
        let mut order = Vec::new();
        for _ in 0..7 {
            let q = s.next(Time::ZERO).expect("three queues are busy");
            order.push(q);
            s.activate(Time::ZERO, q);
        }
        assert_eq!(order, [0, 1, 2, 0, 1, 2, 0]);
    }
}
