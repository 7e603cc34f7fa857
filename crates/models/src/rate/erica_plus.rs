//! ERICA+: ERICA that aims at a queueing delay instead of a utilisation.

use super::erica::{self, Aging, Aim, CcrSource, Erica, State};
use super::{RateAlgorithm, RateConfig, RateContext, within};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::Duration;
use cellway_kernel::units::{Cells, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// ERICA with the whole capacity that higher priorities leave, times a function of the queueing delay Tq of ABR cells:
/// b T0 / ((b - 1) Tq + T0) up to the wanted delay T0, max(QDLF, a T0 / ((a - 1) Tq + T0)) beyond.
///
/// Tq is the ABR cells that wait over the rate that higher priorities leave. Sources as of `erica`; queue control:
/// thesis, section 6.19.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-quantities" = erica::QUANTITIES))] // as `quantities` below: Python checks what is recorded
pub struct EricaPlus {
    /// T0, the wanted queueing delay, more than 0. Default: 500 us, a choice. Where it is much shorter than the round trip the queue swings.
    #[serde(default = "half_ms")]
    pub t0: Duration,
    /// a, how fast the target falls when the delay exceeds T0; more than 1. Default: 1.15.
    #[serde(default = "default_a")]
    pub a: f64,
    /// b, how far the target exceeds the capacity when there is no queue; at least 1. Default: 1.05. With 1.0 it does
    /// not, and the queue fills slowly.
    #[serde(default = "default_b")]
    pub b: f64,
    /// QDLF, the queue drain limit factor: least part of the capacity that is given out, in (0, 1]. Default: 0.5.
    #[serde(default = "half")]
    pub qdlf: Fraction,
    /// As of `erica`: averaging interval. Default: 1 ms.
    #[serde(default = "erica::one_ms")]
    pub interval: Duration,
    /// As of `erica`: the interval ends earlier with this many ABR cells. Default: 100 cells.
    #[serde(default = "erica::hundred_cells")]
    pub interval_cells: Option<Cells>,
    /// As of `erica`: while z is at most 1 + delta all get what one got. Default: 0.1.
    #[serde(default = "erica::tenth")]
    pub delta: f64,
    /// As of `erica`: least z. Default: `null`.
    #[serde(default)]
    pub overload_min: Option<f64>,
    /// As of `erica`: largest z. Default: `null`.
    #[serde(default)]
    pub overload_max: Option<f64>,
    /// As of `erica`: weight of the newest interval. Default: 1.
    #[serde(default = "erica::one")]
    pub load_weight: Fraction,
    /// As of `erica`: what a silent VC counts from one interval to the next. Default: 0.
    #[serde(default = "erica::zero")]
    pub activity_decay: Fraction,
    /// As of `erica`: backward RM cells make a VC active too. Default: false.
    #[serde(default)]
    pub bidirectional_counting: bool,
    /// As of `erica`: where the rate of a VC is from. Default: `forward_rm`.
    #[serde(default)]
    pub ccr: CcrSource,
    /// As of `erica`: the switch-based use-it-or-lose-it policy. Default: `null`.
    #[serde(default)]
    pub aging: Option<Aging>,
}

fn half_ms() -> Duration {
    Duration::from_us(500)
}
fn default_a() -> f64 {
    1.15
}
fn default_b() -> f64 {
    1.05
}
fn half() -> Fraction {
    Fraction(0.5)
}

impl RateConfig for EricaPlus {
    fn build(&self, port: &RateContext) -> Result<Box<dyn RateAlgorithm>, SpecError> {
        if self.t0 == Duration::ZERO {
            return Err(SpecError::new("t0", "no queue cannot be aimed at").allowed("more than 0 s"));
        }
        let qdlf = self.qdlf.0;
        within("a", self.a, self.a > 1.0 && self.a.is_finite(), "more than 1")?;
        within("b", self.b, self.b >= 1.0 && self.b.is_finite(), "at least 1")?;
        within("qdlf", qdlf, qdlf > 0.0 && qdlf <= 1.0, "more than 0, at most 1")?;
        let control = QueueControl { t0: self.t0.seconds(), a: self.a, b: self.b, qdlf };
        let shared = Erica {
            target_utilisation: Fraction(1.0),
            interval: self.interval,
            interval_cells: self.interval_cells,
            delta: self.delta,
            overload_min: self.overload_min,
            overload_max: self.overload_max,
            load_weight: self.load_weight,
            activity_decay: self.activity_decay,
            bidirectional_counting: self.bidirectional_counting,
            ccr: self.ccr,
            aging: self.aging.clone(),
        };
        Ok(Box::new(State::new(&shared, control, port)?))
    }
}

/// f(Tq).
struct QueueControl {
    t0: f64,
    a: f64,
    b: f64,
    qdlf: f64,
}

impl QueueControl {
    fn factor(&self, tq: f64) -> f64 {
        let hyperbola = |c: f64| c * self.t0 / ((c - 1.0) * tq + self.t0);
        if tq <= self.t0 { hyperbola(self.b) } else { hyperbola(self.a).max(self.qdlf) }
    }
}

impl Aim for QueueControl {
    fn capacity(&self, line: f64, background: f64, queue: f64) -> (f64, f64) {
        let left = (line - background).max(0.0);
        let factor = if left > 0.0 { self.factor(queue / left) } else { self.qdlf };
        (left * factor, factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTROL: QueueControl = QueueControl { t0: 1e-3, a: 1.15, b: 1.05, qdlf: 0.5 };

    #[test]
    fn the_hyperbolas_meet_at_the_wanted_delay() {
        assert_eq!(CONTROL.factor(0.0), 1.05);
        assert!((CONTROL.factor(0.5e-3) - 1.05 / 1.025).abs() < 1e-15);
        assert!((CONTROL.factor(1e-3) - 1.0).abs() < 1e-15);
        assert!((CONTROL.factor(1.000_001e-3) - 1.0).abs() < 1e-6);
        assert!((CONTROL.factor(5e-3) - 1.15 / 1.75).abs() < 1e-15);
        assert_eq!(CONTROL.factor(1.0), 0.5, "drain limit");
        assert_eq!(QueueControl { b: 1.0, ..CONTROL }.factor(0.3e-3), 1.0);
    }

    #[test]
    fn the_delay_is_the_queue_over_what_is_left() {
        // 50 000 of 100 000 cells/s are left; 250 cells wait 5 ms.
        let (capacity, factor) = CONTROL.capacity(1e5, 5e4, 250.0);
        assert!((factor - 1.15 / 1.75).abs() < 1e-12 && (capacity - 5e4 * factor).abs() < 1e-9);
        assert_eq!(CONTROL.capacity(1e5, 2e5, 250.0), (0.0, 0.5));
    }
}
