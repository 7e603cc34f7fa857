//! CAPC: one rate for all VCs, moved in proportion to the distance of the load from its target.

use super::interval::Interval;
use super::{AbrCell, Heard, RateAlgorithm, RateConfig, RateContext, RateQuantity, RateView, within};
use crate::abr::rm::Rm;
use crate::cell::Label;
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::{Cells, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Congestion avoidance with proportional control: the port keeps one explicit rate ERS for all VCs and multiplies it
/// at the end of each interval by min(ERU, 1 + (1 - z) Rup) below the target load, by max(ERF, 1 - (z - 1) Rdn) above.
///
/// It counts no VCs and remembers nothing of them. ERS begins at the target rate and stays between 10 cells/s and the
/// target rate of the line (choices). Source: Barnhart, *Explicit rate performance evaluation*, ATM Forum 94-0983,
/// October 1994, as given by Jain, *Congestion control and traffic management in ATM networks*, Computer Networks and
/// ISDN Systems 28 (1996), section on CAPC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-quantities" = QUANTITIES))] // as `quantities` below: Python checks what is recorded
pub struct Capc {
    /// Part of the line that is aimed at, in (0, 1]; higher priorities are subtracted. Default: 0.95.
    #[serde(default = "ninety_five")]
    pub target_utilisation: Fraction,
    /// Averaging interval. Default: 1 ms, a choice.
    #[serde(default = "one_ms")]
    pub interval: Duration,
    /// The interval ends earlier with this many ABR cells. Default: null, by time only.
    #[serde(default)]
    pub interval_cells: Option<Cells>,
    /// Rup, the gain below the target load; published between 0.025 and 0.1. Default: 0.1. More than 0.
    #[serde(default = "tenth")]
    pub rup: f64,
    /// Rdn, the gain above the target load; published between 0.2 and 0.8. Default: 0.8. More than 0.
    #[serde(default = "four_fifths")]
    pub rdn: f64,
    /// ERU, the largest factor in one interval, more than 1. Default: 1.5.
    #[serde(default = "one_and_a_half")]
    pub eru: f64,
    /// ERF, the smallest factor in one interval, in (0, 1). Default: 0.5.
    #[serde(default = "half")]
    pub erf: f64,
    /// CI is set in backward RM cells when more ABR cells than this wait. Default: null, never.
    #[serde(default)]
    pub threshold: Option<Cells>,
}

fn ninety_five() -> Fraction {
    Fraction(0.95)
}
fn one_ms() -> Duration {
    Duration::from_ms(1)
}
fn tenth() -> f64 {
    0.1
}
fn four_fifths() -> f64 {
    0.8
}
fn one_and_a_half() -> f64 {
    1.5
}
fn half() -> f64 {
    0.5
}

const QUANTITIES: &[RateQuantity] = &[
    RateQuantity::FairShare,
    RateQuantity::Overload,
    RateQuantity::Capacity,
    RateQuantity::Input,
    RateQuantity::Background,
    RateQuantity::Target,
];

/// ERS below this could not come back in reasonable time; it is also the rate of out-of-rate RM cells (TCR).
const LEAST: f64 = 10.0;

impl RateConfig for Capc {
    fn build(&self, port: &RateContext) -> Result<Box<dyn RateAlgorithm>, SpecError> {
        let target = self.target_utilisation.0;
        within("target_utilisation", target, target > 0.0 && target <= 1.0, "more than 0, at most 1")?;
        within("rup", self.rup, self.rup > 0.0 && self.rup.is_finite(), "more than 0")?;
        within("rdn", self.rdn, self.rdn > 0.0 && self.rdn.is_finite(), "more than 0")?;
        within("eru", self.eru, self.eru > 1.0 && self.eru.is_finite(), "more than 1")?;
        within("erf", self.erf, self.erf > 0.0 && self.erf < 1.0, "between 0 and 1")?;
        Ok(Box::new(Proportional {
            interval: Interval::new(self.interval, self.interval_cells)?,
            spec: self.clone(),
            line: port.line,
            ers: target * port.line,
            overload: 0.0,
            capacity: target * port.line,
            input: 0.0,
            background: 0.0,
        }))
    }
}

struct Proportional {
    spec: Capc,
    interval: Interval,
    line: f64,
    ers: f64,
    overload: f64,
    capacity: f64,
    input: f64,
    background: f64,
}

impl Proportional {
    fn close(&mut self, now: Time) {
        let seen = self.interval.close(now);
        let target = self.spec.target_utilisation.0 * self.line;
        self.input = seen.abr / seen.seconds;
        self.background = seen.background / seen.seconds;
        self.capacity = (target - self.background).max(0.0);
        let z = match (self.capacity > 0.0, self.input > 0.0) {
            (true, _) => self.input / self.capacity,
            (false, true) => f64::INFINITY,
            (false, false) => 1.0,
        };
        self.overload = z;
        let factor = if z < 1.0 {
            (1.0 + (1.0 - z) * self.spec.rup).min(self.spec.eru)
        } else {
            (1.0 - (z - 1.0) * self.spec.rdn).max(self.spec.erf)
        };
        self.ers = (self.ers * factor).min(target).max(LEAST.min(target));
    }
}

impl RateAlgorithm for Proportional {
    fn cell(&mut self, now: Time, _vc: Label, _kind: AbrCell, _view: &RateView) -> Heard {
        let changed = self.interval.abr_cell(now);
        if changed {
            self.close(now);
        }
        Heard { congested: false, changed }
    }

    fn background(&mut self, _now: Time) {
        self.interval.background_cell();
    }

    fn backward_rm(&mut self, _now: Time, _vc: Label, rm: &mut Rm, view: &RateView) {
        rm.er = rm.er.min(self.ers);
        rm.ci |= self.spec.threshold.is_some_and(|threshold| view.queue > threshold.0);
    }

    fn next_timer(&self) -> Time {
        self.interval.ends()
    }

    fn timer(&mut self, now: Time, _view: &RateView) {
        self.close(now);
    }

    fn quantities(&self) -> &'static [RateQuantity] {
        QUANTITIES
    }

    fn quantity(&self, which: RateQuantity) -> f64 {
        match which {
            RateQuantity::FairShare => self.ers,
            RateQuantity::Overload => self.overload,
            RateQuantity::Capacity => self.capacity,
            RateQuantity::Input => self.input,
            RateQuantity::Background => self.background,
            _ => self.spec.target_utilisation.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::tests::rm;

    fn capc() -> Capc {
        serde_json::from_str(r#"{"target_utilisation": 0.5, "interval": 1000000000}"#).unwrap()
    }

    /// ERS after intervals of 1 ms with so many ABR and other cells, on a line of 100 000 cells/s (target 50 000).
    fn ers(spec: &Capc, intervals: &[(u64, u64)]) -> Vec<f64> {
        let mut port = spec.build(&RateContext { line: 1e5, mcr: vec![0.0], setup: 1 }).unwrap();
        let view = RateView { queue: 7 };
        let mut rates = Vec::new();
        for &(abr, other) in intervals {
            let end = port.next_timer();
            let mid = Time::from_ps(end.ps() - 500_000_000);
            for _ in 0..abr {
                port.cell(mid, 0, AbrCell::Data, &view);
            }
            (0..other).for_each(|_| port.background(mid));
            port.timer(end, &view);
            let mut back = rm(0.0, 1e9);
            port.backward_rm(end, 0, &mut back, &view);
            rates.push(back.er);
        }
        rates
    }

    #[track_caller]
    fn near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (f, e) in found.iter().zip(expected) {
            assert!((f / e - 1.0).abs() < 1e-12, "{found:?}, expected {expected:?}");
        }
    }

    #[test]
    fn the_published_factors() {
        // z = 1.2: 1 - 0.2 * 0.8 = 0.84; z = 2: 0.2, bounded by ERF; z = 0.5: 1 + 0.5 * 0.1; other cells leave 25 000: z = 1.
        near(&ers(&capc(), &[(60, 0), (100, 0), (25, 0), (25, 25)]), &[42_000.0, 21_000.0, 22_050.0, 22_050.0]);
        let steep = Capc { rup: 10.0, ..capc() };
        near(&ers(&steep, &[(100, 0), (25, 0), (25, 0)]), &[25_000.0, 37_500.0, 50_000.0]);
    }

    #[test]
    fn without_capacity_the_rate_falls_to_its_floor_and_returns() {
        let none = ers(&capc(), &[(10, 60); 40]);
        assert_eq!(*none.last().unwrap(), LEAST);
        assert!(none.windows(2).all(|w| w[1] <= w[0]));
        near(&ers(&capc(), &[(0, 60), (0, 0)]), &[50_000.0, 50_000.0]);
    }

    #[test]
    fn a_long_queue_sets_ci() {
        for (threshold, ci) in [(None, false), (Some(6), true), (Some(7), false)] {
            let spec = Capc { threshold: threshold.map(Cells), ..capc() };
            let mut port = spec.build(&RateContext { line: 1e5, mcr: vec![0.0], setup: 1 }).unwrap();
            let mut back = rm(0.0, 3.0);
            port.backward_rm(Time::ZERO, 0, &mut back, &RateView { queue: 7 });
            assert_eq!((back.er, back.ci, back.ni), (3.0, ci, false));
        }
    }
}
