//! Bernoulli: in each slot a cell or none, independently.

use super::cbr::positive_rate;
use super::{Application, Offer, Traffic, TrafficConfig, TrafficContext, start_and_phase, stop_after_start};
use cellway_kernel::error::SpecError;
use cellway_kernel::rng::Stream;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::{CellClock, CellRate, Fraction};
use rand_distr::{Distribution, Geometric};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One cell with a fixed probability in each slot of an exact grid: N such sources are the Geo^N of Geo^N/D/1.
///
/// Slot k begins at `phase` + floor(k * slot) since the start of the run, whatever `start` is: sources of one slot
/// and phase share one grid for ever. The cell comes at the beginning of its slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bernoulli {
    /// Probability of a cell in a slot, 0 to 1; the load in cells per slot.
    pub probability: Fraction,
    /// Slots per second. Default: one slot is one cell time of the host's line.
    #[serde(default)]
    pub slot: Option<CellRate>,
    /// When it begins: the first slot is the first of the grid from then on. Default: 0 s.
    #[serde(default)]
    pub start: Duration,
    /// Beginning of the grid's slot 0. Default: random within one slot, so that sources do not march in step; 0 s for
    /// all makes them slot-synchronous.
    #[serde(default)]
    pub phase: Option<Duration>,
    /// When it ends. Default: never.
    #[serde(default)]
    pub stop: Option<Duration>,
}

impl TrafficConfig for Bernoulli {
    fn build(&self, context: &TrafficContext<'_>) -> Result<Application, SpecError> {
        let rate = self.slot.unwrap_or(context.line.cells());
        let mut clock = positive_rate("slot", rate)?;
        let misses = Geometric::new(self.probability.0)
            .map_err(|_| SpecError::new("probability", "no probability").found(self.probability.0).allowed("0 to 1"))?;
        let stop = stop_after_start(self.start, self.stop)?;
        let grid = start_and_phase(context, Duration::ZERO, self.phase, clock.shortest());
        let start = Time::ZERO.saturating_add(self.start);
        let before = if start > grid { rate.cells_in(start.since(grid)) } else { 0 };
        let next = grid.saturating_add(clock.ticks(before));
        let mut source = Slotted { next, stop, clock, misses, stream: context.stream("") };
        source.skip(0);
        Ok(Application::one_way(source))
    }
}

struct Slotted {
    next: Time,
    stop: Time,
    clock: CellClock,
    misses: Geometric,
    stream: Stream,
}

impl Slotted {
    /// Goes `slots` on, and past the empty slots: one draw of their number in place of one per slot.
    fn skip(&mut self, slots: u64) {
        let slots = self.misses.sample(&mut self.stream).saturating_add(slots);
        self.next = self.next.saturating_add(self.clock.ticks(slots));
        if self.next >= self.stop {
            self.next = Time::NEVER;
        }
    }
}

impl Traffic for Slotted {
    fn next_offer(&self) -> Time {
        self.next
    }

    fn offer(&mut self, _now: Time) -> Offer {
        self.skip(1);
        Offer::Cells(1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{LINE, Trial, error, ps};
    use super::*;
    use cellway_kernel::units::BitRate;
    use serde_json::json;

    fn slots(spec: &serde_json::Value, seed: u64, count: usize) -> Vec<u64> {
        let clock = CellClock::of_line(BitRate::from_bps(LINE));
        Trial::new(spec, seed)
            .take(count)
            .map(|(t, _)| {
                // Slot k begins at floor(k * slot), so t lies less than 1 ps before k * slot.
                let k = BitRate::from_bps(LINE).cells().cells_in(Duration::from_ps(t));
                assert_eq!(clock.span(k).ps(), t, "not on the grid");
                k
            })
            .collect()
    }

    #[test]
    fn every_slot_is_taken_at_probability_1_for_a_million_slots() {
        let spec = json!({"kind": "bernoulli", "probability": 1.0, "phase": 0});
        assert!(slots(&spec, 1, 1_000_000).into_iter().eq(0..1_000_000));
    }

    /// Load and gaps: the number of cells in n slots is binomial (4 sigma); gaps are geometric, so the share of
    /// immediate neighbours is p (4 sigma).
    #[test]
    fn cells_are_independent_from_slot_to_slot() {
        for p in [0.01, 0.3, 0.9] {
            let taken = slots(&json!({"kind": "bernoulli", "probability": p, "phase": 0}), 3, 50_000);
            let n = (taken[taken.len() - 1] + 1) as f64;
            let cells = taken.len() as f64;
            assert!((cells - n * p).abs() < 4.0 * (n * p * (1.0 - p)).sqrt(), "p = {p}: {cells} of {n}");
            let neighbours = taken.windows(2).filter(|w| w[1] == w[0] + 1).count() as f64;
            assert!((neighbours - cells * p).abs() < 4.0 * (cells * p * (1.0 - p)).sqrt() + 1.0, "p = {p}");
        }
    }

    #[test]
    fn the_grid_does_not_depend_on_the_start() {
        let late = json!({"kind": "bernoulli", "probability": 1.0, "phase": 0, "start": ps(1.0)});
        let first = slots(&late, 1, 3);
        assert_eq!(first, [366_793, 366_794, 366_795], "the first slot from 1 s on: ceil(155.52e6 / 424)");
    }

    #[test]
    fn a_slot_of_its_own_and_a_phase() {
        let spec = json!({"kind": "bernoulli", "probability": 1.0, "slot": [3, 1], "phase": 7, "stop": ps(2.0)});
        let times: Vec<u64> = Trial::new(&spec, 1).map(|o| o.0).collect();
        assert_eq!(times, (0..6).map(|k| k * 1_000_000_000_000 / 3 + 7).collect::<Vec<_>>());
    }

    #[test]
    fn probability_0_is_silence() {
        assert_eq!(Trial::new(&json!({"kind": "bernoulli", "probability": 0.0}), 1).next(), None);
    }

    #[test]
    fn impossible_parameters_are_located() {
        for p in [-0.1, 1.1] {
            assert_eq!(error(&json!({"kind": "bernoulli", "probability": p})).path, "probability");
        }
        assert_eq!(error(&json!({"kind": "bernoulli", "probability": 0.5, "slot": [0, 1]})).path, "slot");
        assert_eq!(error(&json!({"kind": "bernoulli", "probability": 0.5, "stop": 0})).path, "stop");
    }
}
