//! On-off: cells at the peak rate during on periods, nothing during off periods.

use super::cbr::positive_rate;
use super::period::{PeriodDistribution, Periods};
use super::{Application, Offer, Pace, Traffic, TrafficConfig, TrafficContext, stop_after_start};
use cellway_kernel::error::SpecError;
use cellway_kernel::rng::Stream;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::CellRate;
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Alternates on periods, in which cells come equally spaced at `peak`, with silent off periods.
///
/// The clock of the peak rate stands still during off periods: what is left of a cell's slot when an on period ends
/// is spent in the next one. So cells are never closer than 1/peak, spacing within a period is exact, and the mean
/// rate is exactly peak * on / (on + off), however short the periods.
///
/// Source: the on-off (packet-train, interrupted Poisson) source of the ATM literature; Pareto periods after
/// Willinger, Taqqu, Sherman and Wilson, *Self-similarity through high-variability*, 1997.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnOff {
    /// Rate during on periods [cells/s]; more than the host's line can carry builds a queue in the host.
    pub peak: CellRate,
    /// Mean length of the on periods, at least one cell at the peak rate: shorter ones would hold no cell.
    pub on: Duration,
    /// Mean length of the off periods; 0 s makes it a constant-rate source.
    pub off: Duration,
    /// How the on periods vary. Default: exponential.
    #[serde(default)]
    pub on_distribution: PeriodDistribution,
    /// How the off periods vary. Default: exponential.
    #[serde(default)]
    pub off_distribution: PeriodDistribution,
    /// Shape of Pareto on periods, 1.01 to 100; up to 2 the variance is infinite. Default: 1.5 for Pareto periods.
    #[serde(default)]
    pub on_shape: Option<f64>,
    /// Shape of Pareto off periods, 1.01 to 100; up to 2 the variance is infinite. Default: 1.5 for Pareto periods.
    #[serde(default)]
    pub off_shape: Option<f64>,
    /// When it begins. Default: 0 s.
    #[serde(default)]
    pub start: Duration,
    /// If given, a whole on period begins that long after the start, with its first cell in the middle of a slot of
    /// 1/peak, so that a period of n slots holds n cells whatever its rounding. Default: the source is stationary
    /// from the start, on with probability on / (on + off) and with a remaining period of the equilibrium law.
    #[serde(default)]
    pub phase: Option<Duration>,
    /// When it ends. Default: never.
    #[serde(default)]
    pub stop: Option<Duration>,
}

impl TrafficConfig for OnOff {
    fn build(&self, context: &TrafficContext<'_>) -> Result<Application, SpecError> {
        let clock = positive_rate("peak", self.peak)?;
        if self.on < clock.shortest() {
            return Err(SpecError::new("on", "an on period shorter than one cell at the peak rate")
                .found(format_args!("{} s", self.on.seconds()))
                .allowed(format_args!("at least {} s", clock.shortest().seconds())));
        }
        let on = Periods::new(self.on, self.on_distribution, "on_shape", self.on_shape)?;
        let off = Periods::new(self.off, self.off_distribution, "off_shape", self.off_shape)?;
        let stop = stop_after_start(self.start, self.stop)?;
        let start = Time::ZERO.saturating_add(self.start);
        let mut stream = context.stream("");
        let (begin, first_on, left) = match self.phase {
            Some(phase) => (start.saturating_add(phase), on.draw(&mut stream), clock.shortest().ps() / 2),
            None => {
                let mut chance = context.stream(".phase");
                let share = self.on.ps() as f64 / (self.on.ps() as f64 + self.off.ps() as f64);
                let left = chance.random_range(0..clock.shortest().ps());
                if chance.random_bool(share) {
                    (start, on.draw_remainder(&mut chance), left)
                } else {
                    (start.saturating_add(off.draw_remainder(&mut chance)), on.draw(&mut stream), left)
                }
            }
        };
        let next = begin.saturating_add(Duration::from_ps(left));
        let on_end = begin.saturating_add(first_on);
        let pace = Pace { next, until: Time::ZERO, clock };
        let mut source = Alternating { pace, on_end, stop, on, off, stream };
        source.settle();
        Ok(Application::one_way(source))
    }
}

struct Alternating {
    /// Until the end of the on period or of the source.
    pace: Pace,
    on_end: Time,
    stop: Time,
    on: Periods,
    off: Periods,
    stream: Stream,
}

impl Alternating {
    /// Takes a next cell that falls beyond the on period into a later one, or ends the source.
    #[inline(never)]
    fn settle(&mut self) {
        let next = &mut self.pace.next;
        while *next >= self.on_end && *next < self.stop {
            let left = next.since(self.on_end);
            let begin = self.on_end.saturating_add(self.off.draw(&mut self.stream));
            self.on_end = begin.saturating_add(self.on.draw(&mut self.stream));
            *next = begin.saturating_add(left);
        }
        if *next >= self.stop {
            *next = Time::NEVER;
        }
        self.pace.until = self.on_end.min(self.stop);
    }
}

impl Traffic for Alternating {
    fn next_offer(&self) -> Time {
        self.pace.next
    }

    fn offer(&mut self, _now: Time) -> Offer {
        if !self.pace.step() {
            self.settle();
        }
        Offer::Cells(1)
    }

    fn pace(&mut self) -> Option<&mut Pace> {
        Some(&mut self.pace)
    }

    fn pace_ended(&mut self) {
        self.settle();
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{LINE, Trial, error, ps};
    use super::*;
    use cellway_kernel::units::CellClock;
    use serde_json::json;

    /// One cell of the line, rounded down [ps].
    const SLOT: u64 = 2_726_337;

    #[test]
    fn without_off_periods_a_million_cells_keep_to_the_clock() {
        let spec = json!({"kind": "on_off", "peak": [LINE, 424], "on": 777 * SLOT, "off": 0,
            "on_distribution": "deterministic"});
        let mut trial = Trial::new(&spec, 5);
        let clock = CellClock::of_rate(CellRate::new(LINE, 424));
        let first = trial.next().unwrap().0;
        for k in 1..=1_000_000 {
            assert_eq!(trial.next(), Some((first + clock.span(k).ps(), Offer::Cells(1))));
        }
    }

    #[test]
    fn deterministic_periods_hold_a_whole_number_of_cells_whatever_their_rounding() {
        for rounding in [0, 1] {
            let (on, off) = (10 * SLOT + 4 + rounding, 20 * SLOT);
            let spec = json!({"kind": "on_off", "peak": [LINE, 424], "on": on, "off": off, "phase": 5000, "start": 1000,
                "on_distribution": "deterministic", "off_distribution": "deterministic"});
            let times: Vec<u64> = Trial::new(&spec, 1).take(1000).map(|(t, _)| t).collect();
            for (cycle, cells) in times.chunks(10).enumerate() {
                let begin = 6000 + cycle as u64 * (on + off);
                assert!(begin <= cells[0] && cells[9] < begin + on, "cycle {cycle}: {cells:?}");
            }
        }
    }

    #[test]
    fn cells_are_never_closer_than_the_peak_rate() {
        for distribution in ["exponential", "pareto"] {
            let spec = json!({"kind": "on_off", "peak": [LINE, 424], "on": 3 * SLOT, "off": SLOT / 5,
                "on_distribution": distribution, "off_distribution": distribution});
            let times: Vec<u64> = Trial::new(&spec, 3).take(20_000).map(|(t, _)| t).collect();
            assert!(times.windows(2).all(|w| w[1] - w[0] >= SLOT));
        }
    }

    /// The time spent on within t has variance t (off^2 var(on) + on^2 var(off)) / (on + off)^3 (alternating renewal
    /// process), here 2 on^2 off^2 t / (on + off)^3; the cells must agree with the mean within 4 sigma.
    #[test]
    fn mean_rate_is_the_closed_form_even_for_short_periods() {
        for (on, off) in [(1, 1), (3, 10), (40, 15)] {
            let spec = json!({"kind": "on_off", "peak": [LINE, 424], "on": on * SLOT + 1, "off": off * SLOT});
            let cells = 100_000;
            let t = (Trial::new(&spec, 2).nth(cells - 1).unwrap().0 / SLOT) as f64;
            let (on, off) = (on as f64, off as f64);
            let expected = t * on / (on + off);
            let sigma = (2.0 * on * on * off * off * t / (on + off).powi(3)).sqrt();
            assert!(
                (cells as f64 - expected).abs() < 4.0 * sigma + 1.0,
                "{cells} cells, expected {expected} +- {sigma}"
            );
        }
    }

    /// Over seeds, the share of sources with a cell in the first slot is on / (on + off): within 4.5 sigma of the
    /// binomial of 4000, for every law, because every law starts in its equilibrium.
    #[test]
    fn the_start_is_stationary() {
        for distribution in ["exponential", "deterministic", "pareto"] {
            let spec = json!({"kind": "on_off", "peak": [LINE, 424], "on": 10 * SLOT, "off": 30 * SLOT,
                "on_distribution": distribution, "off_distribution": distribution});
            for window in [0, 17] {
                let within = |t: u64| (window * SLOT..(window + 1) * SLOT).contains(&t);
                let hits = (0..4000)
                    .filter(|&seed| {
                        Trial::new(&spec, seed).take_while(|&(t, _)| t < (window + 1) * SLOT).any(|(t, _)| within(t))
                    })
                    .count() as f64;
                assert!((hits - 1000.0).abs() < 4.5 * (4000.0_f64 * 0.25 * 0.75).sqrt(), "{distribution}: {hits}");
            }
        }
    }

    #[test]
    fn stop_is_the_end() {
        let spec = json!({"kind": "on_off", "peak": [1000, 1], "on": ps(0.01), "off": ps(0.01),
            "start": ps(1.0), "stop": ps(3.0)});
        let times: Vec<u64> = Trial::new(&spec, 1).map(|(t, _)| t).collect();
        assert!(times.len() > 700 && times.iter().all(|t| (ps(1.0)..ps(3.0)).contains(t)), "{} cells", times.len());
    }

    #[test]
    fn impossible_parameters_are_located() {
        let good = json!({"kind": "on_off", "peak": [1000, 1], "on": ps(0.01), "off": ps(0.01)});
        for (key, value, path) in [
            ("peak", json!([0, 1]), "peak"),
            ("peak", json!([u64::MAX, u64::MAX / 1000]), "peak"),
            ("on", json!(ps(0.0001)), "on"),
            ("on_shape", json!(1.5), "on_shape"),
            ("off_shape", json!(0.5), "off_shape"),
            ("stop", json!(0), "stop"),
        ] {
            let mut bad = good.clone();
            bad[key] = value;
            assert_eq!(error(&bad).path, path);
        }
        let mut pareto = good.clone();
        pareto["off_distribution"] = json!("pareto");
        pareto["off_shape"] = json!(1.0);
        assert_eq!(error(&pareto).path, "off_shape");
    }
}
