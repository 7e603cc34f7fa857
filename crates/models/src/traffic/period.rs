//! Lengths of periods: a mean and how lengths vary about it.

use cellway_kernel::error::SpecError;
use cellway_kernel::rng::Stream;
use cellway_kernel::time::Duration;
use rand::RngExt;
use rand_distr::{Distribution, Exp1, OpenClosed01};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the lengths of on and off periods vary about their mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PeriodDistribution {
    /// Exponential: memoryless, standard deviation equal to the mean.
    #[default]
    Exponential,
    /// Every period equals the mean.
    Deterministic,
    /// Pareto: heavy-tailed; many such sources together make long-range dependent traffic (Willinger et al. 1997).
    Pareto,
}

/// Whether a time varies about its mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Variation {
    /// It always equals the mean.
    #[default]
    Deterministic,
    /// Exponential: memoryless, standard deviation equal to the mean.
    Exponential,
}

/// Shape of Pareto periods where none is given, as measured for on and off periods of Ethernet stations.
const DEFAULT_SHAPE: f64 = 1.5;
/// Nearer to 1 the mean consists of periods longer than any run.
const LEAST_SHAPE: f64 = 1.01;
const LARGEST_SHAPE: f64 = 100.0;

/// Draws the lengths of periods: one random number each, none where they are all equal.
pub(super) enum Periods {
    Deterministic(Duration),
    /// Mean [ps].
    Exponential(f64),
    /// Shortest period [ps] and shape: P(X > x) = (scale / x)^shape.
    Pareto {
        scale: f64,
        shape: f64,
    },
}

impl Periods {
    /// Periods of the parameter `mean` with a `distribution` and, for Pareto only, a shape: the parameter `name`.
    ///
    /// # Errors
    /// For a shape without Pareto, or one whose mean is infinite or beyond any use.
    pub(super) fn new(
        mean: Duration,
        distribution: PeriodDistribution,
        name: &str,
        shape: Option<f64>,
    ) -> Result<Periods, SpecError> {
        match (distribution, shape) {
            (PeriodDistribution::Pareto, _) => {
                let shape = shape.unwrap_or(DEFAULT_SHAPE);
                if !(LEAST_SHAPE..=LARGEST_SHAPE).contains(&shape) {
                    return Err(SpecError::new(name, "a Pareto shape whose periods have no usable mean")
                        .found(shape)
                        .allowed(format_args!("{LEAST_SHAPE} to {LARGEST_SHAPE}")));
                }
                Ok(Periods::Pareto { scale: mean.ps() as f64 * (shape - 1.0) / shape, shape })
            }
            (_, Some(shape)) => {
                Err(SpecError::new(name, "only Pareto periods have a shape").found(shape).allowed("null"))
            }
            (PeriodDistribution::Deterministic, None) => Ok(Periods::Deterministic(mean)),
            (PeriodDistribution::Exponential, None) => Ok(Periods::Exponential(mean.ps() as f64)),
        }
    }

    /// Periods of a `mean` without or with exponential variation.
    pub(super) fn varying(mean: Duration, variation: Variation) -> Periods {
        match variation {
            Variation::Deterministic => Periods::Deterministic(mean),
            Variation::Exponential => Periods::Exponential(mean.ps() as f64),
        }
    }

    /// The length of a whole period.
    pub(super) fn draw(&self, stream: &mut Stream) -> Duration {
        match *self {
            Periods::Deterministic(length) => length,
            Periods::Exponential(mean) => nearest_ps(mean * exponential(stream)),
            Periods::Pareto { scale, shape } => nearest_ps(pareto(scale, shape, stream)),
        }
    }

    /// What is left of a period that a stationary process is in: density (1 - F(x)) / mean.
    pub(super) fn draw_remainder(&self, stream: &mut Stream) -> Duration {
        match *self {
            Periods::Deterministic(length) => nearest_ps(length.ps() as f64 * stream.random::<f64>()),
            Periods::Exponential(_) => self.draw(stream),
            // 1 - F is flat up to the shortest period, and beyond it the tail of a Pareto law with a shape less by one.
            Periods::Pareto { scale, shape } => {
                if stream.random_bool((shape - 1.0) / shape) {
                    nearest_ps(scale * stream.random::<f64>())
                } else {
                    nearest_ps(pareto(scale, shape - 1.0, stream))
                }
            }
        }
    }
}

fn exponential(stream: &mut Stream) -> f64 {
    Exp1.sample(stream)
}

fn pareto(scale: f64, shape: f64, stream: &mut Stream) -> f64 {
    let u: f64 = OpenClosed01.sample(stream);
    scale * u.powf(-1.0 / shape)
}

/// The cast saturates: a period beyond 2^64 ps never ends.
fn nearest_ps(ps: f64) -> Duration {
    Duration::from_ps(ps.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cellway_kernel::rng::stream;

    const MEAN: Duration = Duration::from_ms(3);

    fn periods(distribution: PeriodDistribution, shape: Option<f64>) -> Periods {
        Periods::new(MEAN, distribution, "shape", shape).unwrap()
    }

    /// Share of `count` draws above each of a few lengths, against the closed form `tail`; 4.5 sigma of the binomial.
    fn check_tail(draw: impl Fn(&mut Stream) -> Duration, tail: impl Fn(f64) -> f64) {
        let mut s = stream(1, "tail");
        let drawn: Vec<f64> = (0..40_000).map(|_| draw(&mut s).seconds() / MEAN.seconds()).collect();
        for x in [0.1, 0.25, 0.5, 0.9, 1.5, 3.0, 8.0] {
            let share = drawn.iter().filter(|&&d| d > x).count() as f64 / drawn.len() as f64;
            let p = tail(x);
            let allowed = 4.5 * (p * (1.0 - p) / drawn.len() as f64).sqrt() + 1e-9;
            assert!((share - p).abs() <= allowed, "P(X > {x}) is {share}, expected {p} within {allowed}");
        }
    }

    #[test]
    fn exponential_periods_follow_their_law_and_have_no_memory() {
        let p = periods(PeriodDistribution::Exponential, None);
        check_tail(|s| p.draw(s), |x| (-x).exp());
        check_tail(|s| p.draw_remainder(s), |x| (-x).exp());
    }

    #[test]
    fn pareto_periods_follow_their_law_and_their_remainders_the_equilibrium_law() {
        for shape in [1.2, 1.5, 3.0] {
            let p = periods(PeriodDistribution::Pareto, Some(shape));
            let least = (shape - 1.0) / shape;
            check_tail(|s| p.draw(s), |x| if x < least { 1.0 } else { (least / x).powf(shape) });
            // Integral of the tail from x, over the mean 1.
            let remainder = |x: f64| {
                if x < least { 1.0 - x } else { least * (least / x).powf(shape - 1.0) / (shape - 1.0) }
            };
            check_tail(|s| p.draw_remainder(s), remainder);
        }
    }

    #[test]
    fn deterministic_periods_draw_nothing_and_their_remainders_are_uniform() {
        let p = periods(PeriodDistribution::Deterministic, None);
        let (mut used, unused) = (stream(1, "x"), stream(1, "x"));
        assert_eq!(p.draw(&mut used), MEAN);
        assert_eq!(used, unused);
        check_tail(|s| p.draw_remainder(s), |x| (1.0 - x).max(0.0));
    }

    #[test]
    fn a_period_without_end_saturates() {
        assert_eq!(nearest_ps(f64::INFINITY).ps(), u64::MAX);
        assert_eq!(nearest_ps(0.5).ps(), 1);
    }

    #[test]
    fn shapes_without_a_mean_or_without_pareto_are_refused() {
        for shape in [f64::NAN, -1.0, 1.0, 1e9] {
            let error = Periods::new(MEAN, PeriodDistribution::Pareto, "on_shape", Some(shape)).err().unwrap();
            assert_eq!((error.path.as_str(), error.allowed.as_str()), ("on_shape", "1.01 to 100"));
        }
        let error = Periods::new(MEAN, PeriodDistribution::Exponential, "on_shape", Some(1.5)).err().unwrap();
        assert_eq!(error.allowed, "null");
    }
}
