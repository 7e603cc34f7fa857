//! Constant bit rate: one cell each period, exactly.

use super::{Application, Offer, Pace, Traffic, TrafficConfig, TrafficContext, start_and_phase, stop_after_start};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::{CellClock, CellRate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One cell every 1/rate; cell k comes at floor(k / rate) picoseconds after the first, without drift.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cbr {
    /// Cells per second; more than the host's line can carry builds a queue in the host.
    pub rate: CellRate,
    /// When it begins. Default: 0 s.
    #[serde(default)]
    pub start: Duration,
    /// Added to the start. Default: random within one period, so that sources do not march in step.
    #[serde(default)]
    pub phase: Option<Duration>,
    /// When it ends. Default: never.
    #[serde(default)]
    pub stop: Option<Duration>,
}

impl TrafficConfig for Cbr {
    fn build(&self, context: &TrafficContext<'_>) -> Result<Application, SpecError> {
        let clock = positive_rate("rate", self.rate)?;
        let stop = stop_after_start(self.start, self.stop)?;
        let first = start_and_phase(context, self.start, self.phase, clock.shortest());
        let next = if first < stop { first } else { Time::NEVER };
        Ok(Application::one_way(Periodic { pace: Pace { next, until: stop, clock } }))
    }
}

/// The clock of a rate that must be positive.
pub(super) fn positive_rate(name: &str, rate: CellRate) -> Result<CellClock, SpecError> {
    // 10^-6 to 10^12 cells/s: a period from 1 ps to 11 days.
    let (num, den) = rate.into();
    if rate.is_zero() || !(1e-6..=1e12).contains(&rate.per_second()) {
        return Err(SpecError::new(name, "a rate that no source can have")
            .found(format_args!("{num}/{den} cells/s"))
            .allowed("1e-6 to 1e12 cells/s"));
    }
    if num >= 1 << 63 {
        return Err(SpecError::new(name, "a rate with more digits than the clock can hold")
            .found(format_args!("{num}/{den} cells/s"))
            .allowed("a numerator below 2^63"));
    }
    Ok(CellClock::of_rate(rate))
}

struct Periodic {
    pace: Pace,
}

impl Traffic for Periodic {
    fn next_offer(&self) -> Time {
        self.pace.next
    }

    fn offer(&mut self, _now: Time) -> Offer {
        if !self.pace.step() {
            self.pace_ended();
        }
        Offer::Cells(1)
    }

    fn pace(&mut self) -> Option<&mut Pace> {
        Some(&mut self.pace)
    }

    fn pace_ended(&mut self) {
        self.pace.next = Time::NEVER;
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{LINE, Trial, error, ps};
    use super::*;
    use serde_json::json;

    #[test]
    fn a_million_cells_do_not_drift() {
        let rate = CellRate::new(LINE, 4240);
        let spec = json!({"kind": "cbr", "rate": rate, "start": 10, "phase": 3});
        let clock = CellClock::of_rate(rate);
        for (k, offer) in Trial::new(&spec, 1).take(1_000_001).enumerate() {
            assert_eq!(offer, (13 + clock.span(k as u64).ps(), Offer::Cells(1)));
        }
    }

    #[test]
    fn stop_is_the_end_also_before_the_first_cell() {
        let spec = json!({"kind": "cbr", "rate": [10, 1], "phase": 0, "stop": ps(1.0)});
        assert_eq!(Trial::new(&spec, 1).count(), 10);
        let spec = json!({"kind": "cbr", "rate": [10, 1], "phase": ps(1.0), "stop": ps(0.5)});
        assert_eq!(Trial::new(&spec, 1).next(), None);
    }

    #[test]
    fn the_range_of_time_is_the_end_of_the_slowest() {
        // One cell in 10^18 ps, and 2^62 ps in all.
        let spec = json!({"kind": "cbr", "rate": [1, 1_000_000], "phase": 0});
        assert_eq!(Trial::new(&spec, 1).count(), 5);
    }

    #[test]
    fn impossible_parameters_are_located() {
        for rate in [[0, 1], [1, 0], [u64::MAX, 1], [1 << 63, 1 << 40], [1, u64::MAX]] {
            assert_eq!(error(&json!({"kind": "cbr", "rate": rate})).path, "rate");
        }
        assert_eq!(error(&json!({"kind": "cbr", "rate": [1, 1], "stop": 0})).path, "stop");
    }
}
