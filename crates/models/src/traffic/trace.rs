//! Trace: cells at given times.

use super::{Application, Offer, Traffic, TrafficConfig, TrafficContext, stop_after_start};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::Cells;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Replays a list of events, once or periodically, to the picosecond.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// The events in order of time, at least one; several at one instant are offered in order of the list.
    pub events: Vec<TraceEvent>,
    /// Period after which the list begins again; longer than the time of the last event. Default: it is played once.
    #[serde(default)]
    pub repeat: Option<Duration>,
    /// Each event is one message (an AAL5 frame): its last cell carries AAU. Default: false, cells without structure.
    #[serde(default)]
    pub as_message: bool,
    /// Added to the time of every event. Default: 0 s.
    #[serde(default)]
    pub start: Duration,
    /// When it ends: events from then on are not offered. Default: never.
    #[serde(default)]
    pub stop: Option<Duration>,
}

/// Cells at one instant of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceEvent {
    /// When, since the start of the trace.
    pub at: Duration,
    /// How many cells, at least 1; they leave back to back where nothing holds them up.
    pub cells: Cells,
}

impl TrafficConfig for Trace {
    fn build(&self, _context: &TrafficContext<'_>) -> Result<Application, SpecError> {
        let Some(last) = self.events.last() else {
            return Err(SpecError::new("events", "a trace without events")
                .found("an empty list")
                .allowed("at least one"));
        };
        for (i, event) in self.events.iter().enumerate() {
            if event.cells.0 == 0 {
                return Err(SpecError::new(format!("events[{i}].cells"), "an event without cells")
                    .found("0 cells")
                    .allowed("at least 1 cell"));
            }
            if i > 0 && event.at < self.events[i - 1].at {
                return Err(SpecError::new(format!("events[{i}].at"), "the events are not in order of time")
                    .found(format_args!("{} s", event.at.seconds()))
                    .allowed(format_args!("at least {} s, as the event before", self.events[i - 1].at.seconds())));
            }
        }
        if let Some(repeat) = self.repeat
            && repeat <= last.at
        {
            return Err(SpecError::new("repeat", "the trace begins again before it is over")
                .found(format_args!("{} s", repeat.seconds()))
                .allowed(format_args!("more than {} s, the time of the last event", last.at.seconds())));
        }
        let stop = stop_after_start(self.start, self.stop)?;
        let mut replay = Replay {
            next: Time::NEVER,
            events: self.events.clone().into_boxed_slice(),
            position: 0,
            base: Time::ZERO.saturating_add(self.start),
            repeat: self.repeat,
            as_message: self.as_message,
            stop,
        };
        replay.plan();
        Ok(Application::one_way(replay))
    }

    fn sends_frames(&self) -> bool {
        self.as_message
    }
}

struct Replay {
    next: Time,
    events: Box<[TraceEvent]>,
    position: usize,
    /// Start of the present round.
    base: Time,
    repeat: Option<Duration>,
    as_message: bool,
    stop: Time,
}

impl Replay {
    fn plan(&mut self) {
        let next = self.base.saturating_add(self.events[self.position].at);
        self.next = if next < self.stop { next } else { Time::NEVER };
    }
}

impl Traffic for Replay {
    fn next_offer(&self) -> Time {
        self.next
    }

    fn offer(&mut self, _now: Time) -> Offer {
        let cells = self.events[self.position].cells.0;
        self.position += 1;
        if self.position == self.events.len() {
            self.position = 0;
            // Without repetition the next round is never.
            self.base = self.repeat.map_or(Time::NEVER, |period| self.base.saturating_add(period));
        }
        self.plan();
        if self.as_message { Offer::Message(cells) } else { Offer::Cells(cells) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, error};
    use super::*;
    use serde_json::json;

    #[test]
    fn events_come_once_at_their_times() {
        let spec = json!({"kind": "trace", "start": 100, "as_message": true,
            "events": [{"at": 0, "cells": 3}, {"at": 7, "cells": 1}, {"at": 7, "cells": 2}]});
        let offers: Vec<_> = Trial::new(&spec, 1).collect();
        assert_eq!(offers, [(100, Offer::Message(3)), (107, Offer::Message(1)), (107, Offer::Message(2))]);
    }

    #[test]
    fn a_million_rounds_are_exact() {
        let spec = json!({"kind": "trace", "repeat": 1000, "events": [{"at": 1, "cells": 1}, {"at": 999, "cells": 2}]});
        let offers: Vec<_> = Trial::new(&spec, 1).skip(2_000_000).take(2).collect();
        assert_eq!(offers, [(1_000_000_001, Offer::Cells(1)), (1_000_000_999, Offer::Cells(2))]);
    }

    #[test]
    fn stop_cuts_a_round() {
        let spec = json!({"kind": "trace", "repeat": 10, "start": 5, "stop": 26,
            "events": [{"at": 0, "cells": 1}, {"at": 1, "cells": 1}]});
        let times: Vec<u64> = Trial::new(&spec, 1).map(|o| o.0).collect();
        assert_eq!(times, [5, 6, 15, 16, 25]);
    }

    #[test]
    fn impossible_parameters_are_located() {
        let with = |events, repeat| json!({"kind": "trace", "events": events, "repeat": repeat});
        assert_eq!(error(&with(json!([]), json!(null))).path, "events");
        assert_eq!(
            error(&with(json!([{"at": 0, "cells": 1}, {"at": 1, "cells": 0}]), json!(null))).path,
            "events[1].cells"
        );
        assert_eq!(
            error(&with(json!([{"at": 2, "cells": 1}, {"at": 1, "cells": 1}]), json!(null))).path,
            "events[1].at"
        );
        assert_eq!(error(&with(json!([{"at": 2, "cells": 1}]), json!(2))).path, "repeat");
    }
}
