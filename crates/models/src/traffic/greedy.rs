//! Greedy: always has another cell.

use super::{Application, Offer, Traffic, TrafficConfig, TrafficContext, start_and_phase, stop_after_start};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sends as much as flow control and the host's line allow, from `start` to `stop`.
///
/// Source: N23 paper, section 5, "the simplest pattern is called greedy".
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Greedy {
    /// When it begins. Default: 0 s.
    #[serde(default)]
    pub start: Duration,
    /// Added to the start. Default: random within one cell time of the host's line, so that sources do not march in step.
    #[serde(default)]
    pub phase: Option<Duration>,
    /// When it ends. Default: never.
    #[serde(default)]
    pub stop: Option<Duration>,
}

impl TrafficConfig for Greedy {
    fn build(&self, context: &TrafficContext<'_>) -> Result<Application, SpecError> {
        let stop = stop_after_start(self.start, self.stop)?;
        let start = start_and_phase(context, self.start, self.phase, context.line_clock().shortest());
        Ok(Application::one_way(Always { next: start, stop }))
    }
}

struct Always {
    next: Time,
    stop: Time,
}

impl Traffic for Always {
    fn next_offer(&self) -> Time {
        self.next
    }

    fn offer(&mut self, now: Time) -> Offer {
        if now < self.stop {
            self.next = self.stop;
            Offer::Endless
        } else {
            self.next = Time::NEVER;
            Offer::Nothing
        }
    }
}
