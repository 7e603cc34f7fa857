//! Bursts of back-to-back cells between idle periods.

use super::period::{Periods, Variation};
use super::{Application, Offer, Traffic, TrafficConfig, TrafficContext, start_and_phase, stop_after_start};
use cellway_kernel::error::SpecError;
use cellway_kernel::rng::Stream;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::{CellClock, Cells};
use rand_distr::{Distribution, Geometric};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Alternates bursts of back-to-back cells at the rate of the host's line with idle periods.
///
/// A burst is handed to the host as a whole. The idle period begins when the last cell would have left on an idle
/// line, so the offered load is burst / (burst + idle) of the line, both in time; where flow control or other VCs
/// hold the burst up, the next one comes no later and waits in the host. For an application that waits, see `rpc`.
///
/// Source: N23 paper, section 5, "most other patterns alternate idle periods with bursts of back-to-back cells".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Burst {
    /// Cells of a burst, or their mean; at least 1.
    pub cells: Cells,
    /// How the number of cells varies. Default: deterministic.
    #[serde(default)]
    pub length: BurstLength,
    /// Idle period after a burst, or its mean; 0 s makes the source as fast as the line.
    pub idle: Duration,
    /// How the idle periods vary. Default: deterministic.
    #[serde(default)]
    pub idle_distribution: Variation,
    /// Each burst is one message (an AAL5 frame): its last cell carries AAU. Default: false, cells without structure.
    #[serde(default)]
    pub as_message: bool,
    /// When it begins. Default: 0 s.
    #[serde(default)]
    pub start: Duration,
    /// Time from the start to the first burst. Default: random within one mean cycle of burst and idle period, so
    /// that sources do not march in step.
    #[serde(default)]
    pub phase: Option<Duration>,
    /// When it ends: no burst begins from then on; one that has begun is sent to its end. Default: never.
    #[serde(default)]
    pub stop: Option<Duration>,
}

/// How the number of cells of bursts varies about its mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BurstLength {
    /// Every burst has the same number of cells.
    #[default]
    Deterministic,
    /// Geometric, at least 1 cell: after each cell the burst ends with probability 1/mean.
    Geometric,
}

/// More cells in one burst than any line sends within the range of time.
const LARGEST: u64 = 1 << 40;

impl TrafficConfig for Burst {
    fn build(&self, context: &TrafficContext<'_>) -> Result<Application, SpecError> {
        if !(1..=LARGEST).contains(&self.cells.0) {
            return Err(SpecError::new("cells", "a burst without cells or without end")
                .found(format_args!("{} cells", self.cells.0))
                .allowed("1 to 2^40 cells"));
        }
        let more = match self.length {
            BurstLength::Deterministic => None,
            BurstLength::Geometric => Some(Geometric::new(1.0 / self.cells.0 as f64).expect("a mean of at least 1")),
        };
        let stop = stop_after_start(self.start, self.stop)?;
        let clock = context.line_clock();
        let burst = clock.clone().ticks(self.cells.0);
        let cycle = Duration::from_ps(burst.ps().saturating_add(self.idle.ps()));
        let mut next = start_and_phase(context, self.start, self.phase, cycle);
        if next >= stop {
            next = Time::NEVER;
        }
        Ok(Application::one_way(Bursts {
            next,
            stop,
            clock,
            cells: self.cells.0,
            more,
            idle: Periods::varying(self.idle, self.idle_distribution),
            as_message: self.as_message,
            stream: context.stream(""),
        }))
    }

    fn sends_frames(&self) -> bool {
        self.as_message
    }
}

struct Bursts {
    next: Time,
    stop: Time,
    /// The line's clock runs through the bursts only, and carries its fraction over idle periods: nothing drifts.
    clock: CellClock,
    cells: u64,
    /// Cells after a burst's first, where bursts vary.
    more: Option<Geometric>,
    idle: Periods,
    as_message: bool,
    stream: Stream,
}

impl Traffic for Bursts {
    fn next_offer(&self) -> Time {
        self.next
    }

    fn offer(&mut self, now: Time) -> Offer {
        let cells = match &self.more {
            None => self.cells,
            Some(more) => more.sample(&mut self.stream).min(LARGEST) + 1,
        };
        let idle = self.idle.draw(&mut self.stream);
        self.next = now.saturating_add(self.clock.ticks(cells)).saturating_add(idle);
        if self.next >= self.stop {
            self.next = Time::NEVER;
        }
        if self.as_message { Offer::Message(cells) } else { Offer::Cells(cells) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{LINE, Trial, error, ps};
    use super::*;
    use cellway_kernel::units::BitRate;
    use serde_json::json;

    fn line() -> CellClock {
        CellClock::of_line(BitRate::from_bps(LINE))
    }

    #[test]
    fn fixed_bursts_and_idle_periods_do_not_drift() {
        let spec = json!({"kind": "burst", "cells": 10, "idle": 1_000_003, "phase": 5});
        for (k, offer) in Trial::new(&spec, 1).take(100_001).enumerate() {
            let k = k as u64;
            assert_eq!(offer, (5 + line().span(10 * k).ps() + 1_000_003 * k, Offer::Cells(10)));
        }
    }

    #[test]
    fn a_message_has_the_cells_of_its_burst() {
        let spec = json!({"kind": "burst", "cells": 7, "idle": ps(1.0), "as_message": true});
        assert_eq!(Trial::new(&spec, 1).nth(3).unwrap().1, Offer::Message(7));
    }

    /// Mean and variance of 50 000 geometric lengths (m and m (m - 1)) and of the exponential idle periods: the mean
    /// within 4 sigma, the variance within 4 sigma of its estimate, variance sqrt(8/n) (the fourth central moment is
    /// 9 times the variance squared).
    #[test]
    fn random_bursts_and_idle_periods_follow_their_laws() {
        let (mean, idle) = (20.0_f64, 1e8_f64);
        let spec = json!({"kind": "burst", "cells": 20, "length": "geometric",
            "idle": 100_000_000, "idle_distribution": "exponential"});
        let offers: Vec<(u64, f64)> = Trial::new(&spec, 4)
            .take(50_001)
            .map(|(t, offer)| match offer {
                Offer::Cells(n) if n >= 1 => (t, n as f64),
                other => panic!("{other:?}"),
            })
            .collect();
        let idles: Vec<f64> =
            offers.windows(2).map(|w| (w[1].0 - w[0].0) as f64 - w[0].1 * line().period_seconds() * 1e12).collect();
        let lengths: Vec<f64> = offers.iter().map(|o| o.1).collect();
        for (sample, mean, variance) in [(lengths, mean, mean * (mean - 1.0)), (idles, idle, idle * idle)] {
            let n = sample.len() as f64;
            let average = sample.iter().sum::<f64>() / n;
            let spread = sample.iter().map(|x| (x - average).powi(2)).sum::<f64>() / n;
            assert!((average - mean).abs() < 4.0 * (variance / n).sqrt(), "mean {average}, expected {mean}");
            assert!((spread / variance - 1.0).abs() < 4.0 * (8.0 / n).sqrt(), "variance {spread}, expected {variance}");
        }
    }

    /// Without a phase the first burst of 4000 sources falls anywhere in the cycle: mean half of it, within 4 sigma.
    #[test]
    fn first_bursts_are_spread_over_a_cycle() {
        let spec = json!({"kind": "burst", "cells": 10, "idle": ps(0.001)});
        let cycle = ps(0.001) + line().span(10).ps();
        let firsts: Vec<u64> = (0..4000).map(|seed| Trial::new(&spec, seed).next().unwrap().0).collect();
        assert!(firsts.iter().all(|&t| t < cycle));
        let mean = firsts.iter().sum::<u64>() as f64 / 4000.0 / cycle as f64;
        assert!((mean - 0.5).abs() < 4.0 / (12.0_f64 * 4000.0).sqrt(), "{mean}");
    }

    #[test]
    fn no_burst_begins_at_the_stop() {
        let spec =
            json!({"kind": "burst", "cells": 1, "idle": ps(1.0), "phase": 0, "stop": line().span(1).ps() + ps(1.0)});
        assert_eq!(Trial::new(&spec, 1).count(), 1);
        let spec = json!({"kind": "burst", "cells": 1, "idle": 0, "phase": 10, "stop": 10});
        assert_eq!(Trial::new(&spec, 1).count(), 0);
    }

    #[test]
    fn impossible_parameters_are_located() {
        assert_eq!(error(&json!({"kind": "burst", "cells": 0, "idle": 1})).path, "cells");
        assert_eq!(error(&json!({"kind": "burst", "cells": u64::MAX, "idle": 1})).path, "cells");
        assert_eq!(error(&json!({"kind": "burst", "cells": 1, "idle": 1, "start": 2, "stop": 1})).path, "stop");
    }
}
