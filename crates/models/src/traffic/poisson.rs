//! Poisson: cells at independent, exponentially distributed gaps.

use super::cbr::positive_rate;
use super::{Application, Offer, Traffic, TrafficConfig, TrafficContext, stop_after_start};
use cellway_kernel::error::SpecError;
use cellway_kernel::rng::Stream;
use cellway_kernel::time::{Duration, PS_PER_SECOND, Time};
use cellway_kernel::units::CellRate;
use rand_distr::{Distribution, Exp1};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Single cells of a Poisson process: the M of M/D/1.
///
/// The process is stationary from its start, so there is no phase. The exact instants are rounded down to
/// picoseconds, and the fraction is kept for the next gap: rounding never adds up, and the rate has no bias.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Poisson {
    /// Mean rate [cells/s], 1e-6 to 1e12; more than the host's line can carry builds a queue in the host.
    pub rate: CellRate,
    /// When it begins. Default: 0 s.
    #[serde(default)]
    pub start: Duration,
    /// When it ends. Default: never.
    #[serde(default)]
    pub stop: Option<Duration>,
}

impl TrafficConfig for Poisson {
    fn build(&self, context: &TrafficContext<'_>) -> Result<Application, SpecError> {
        let mean = positive_rate("rate", self.rate)?.period_seconds() * PS_PER_SECOND as f64;
        let stop = stop_after_start(self.start, self.stop)?;
        let next = Time::ZERO.saturating_add(self.start);
        let mut source = Random { next, fraction: 0.0, mean, stop, stream: context.stream("") };
        source.step();
        Ok(Application::one_way(source))
    }
}

struct Random {
    next: Time,
    /// Of a picosecond, by which the exact instant is later than `next`.
    fraction: f64,
    /// Mean gap [ps].
    mean: f64,
    stop: Time,
    stream: Stream,
}

impl Random {
    fn step(&mut self) {
        let unit: f64 = Exp1.sample(&mut self.stream);
        let gap = unit * self.mean + self.fraction;
        let whole = gap.floor();
        self.fraction = gap - whole;
        self.next = self.next.saturating_add(Duration::from_ps(whole as u64));
        if self.next >= self.stop {
            self.next = Time::NEVER;
        }
    }
}

impl Traffic for Random {
    fn next_offer(&self) -> Time {
        self.next
    }

    fn offer(&mut self, _now: Time) -> Offer {
        self.step();
        Offer::Cells(1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, error, ps};
    use serde_json::json;

    /// The count in t is Poisson: its mean within 4 sigma = 4 sqrt(rate t); at 1e11 cells/s gaps are 10 ps, and
    /// rounding each to the nearest or downwards would be off by up to 5 %.
    #[test]
    fn the_rate_has_no_bias_even_at_gaps_of_a_few_picoseconds() {
        for rate in [1_000u64, 1_000_000, 100_000_000_000] {
            let cells = 200_000;
            let t = Trial::new(&json!({"kind": "poisson", "rate": [rate, 1]}), 1).nth(cells - 1).unwrap().0 as f64;
            let expected = t * 1e-12 * rate as f64;
            assert!((cells as f64 - expected).abs() < 4.0 * expected.sqrt(), "{rate} cells/s: {expected}");
        }
    }

    /// Kolmogorov's distance between 20 000 gaps and the exponential law: below 1.95 / sqrt(n) with 99.9 %.
    #[test]
    fn gaps_are_exponential() {
        let times: Vec<u64> =
            Trial::new(&json!({"kind": "poisson", "rate": [1000, 1]}), 7).take(20_001).map(|o| o.0).collect();
        let mut gaps: Vec<f64> = times.windows(2).map(|w| (w[1] - w[0]) as f64 * 1e-9).collect();
        gaps.sort_by(f64::total_cmp);
        let n = gaps.len() as f64;
        let distance =
            gaps.iter().enumerate().map(|(i, g)| (1.0 - (-g).exp() - i as f64 / n).abs()).fold(0.0, f64::max);
        assert!(distance < 1.95 / n.sqrt(), "distance {distance}");
        // Neighbouring gaps have no correlation (4 sigma = 4 / sqrt(n); the standard deviation is the mean).
        let gaps: Vec<f64> = times.windows(2).map(|w| (w[1] - w[0]) as f64 * 1e-9).collect();
        let correlation = gaps.windows(2).map(|w| (w[0] - 1.0) * (w[1] - 1.0)).sum::<f64>() / n;
        assert!(correlation.abs() < 4.0 / n.sqrt(), "correlation {correlation}");
    }

    #[test]
    fn start_and_stop_bound_it() {
        let spec = json!({"kind": "poisson", "rate": [1000, 1], "start": ps(1.0), "stop": ps(2.0)});
        let times: Vec<u64> = Trial::new(&spec, 1).map(|o| o.0).collect();
        assert!((873..=1127).contains(&times.len()), "4 sigma: {}", times.len());
        assert!(times.iter().all(|t| (ps(1.0)..ps(2.0)).contains(t)));
    }

    #[test]
    fn impossible_parameters_are_located() {
        assert_eq!(error(&json!({"kind": "poisson", "rate": [0, 1]})).path, "rate");
        assert_eq!(error(&json!({"kind": "poisson", "rate": [1, 0]})).path, "rate");
        assert_eq!(error(&json!({"kind": "poisson", "rate": [1, 1], "start": 5, "stop": 5})).path, "stop");
    }
}
