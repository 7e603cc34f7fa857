//! First in, first out: one queue for all VCs of a priority group.

use super::{QueueId, Schedule, ScheduleConfig, ScheduleContext};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All VCs of a priority group share one queue in order of arrival.
///
/// Cannot be combined with credit flow control: one VC without credit would block all others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fifo {}

impl ScheduleConfig for Fifo {
    fn build(&self, _context: &ScheduleContext<'_>) -> Result<Box<dyn Schedule>, SpecError> {
        Ok(Box::new(OneQueue { ready: None }))
    }

    fn shares_queue(&self) -> bool {
        true
    }
}

struct OneQueue {
    ready: Option<QueueId>,
}

impl Schedule for OneQueue {
    fn keeps_order(&self) -> bool {
        true
    }

    fn activate(&mut self, _now: Time, queue: QueueId) {
        self.ready = Some(queue);
    }

    fn next(&mut self, _now: Time) -> Option<QueueId> {
        self.ready.take()
    }
}
