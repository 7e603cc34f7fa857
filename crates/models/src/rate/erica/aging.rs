//! Switch-based use-it-or-lose-it: allocations that are not used fade.

use super::measured::RateMeter;
use super::within;
use crate::cell::Label;
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::{CELL_BITS, CellRate, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Grants a VC less the more its declared rate CCR exceeds what the port sees of it: the allocation is divided by
/// 1 + e^(alpha u) - e^(alpha delta), where u is CCR over the smoothed measured rate.
///
/// The paper prints the function, not its use; the reading here: nothing is withdrawn up to u = delta, where the
/// function is 0; beyond, it is the reduction; the divisor is smoothed like the rate; and a VC keeps what it uses and
/// at least `floor`. Idle sources send no RM cells and hear nothing of it: they need the source's own time-out (ADTF).
///
/// Source: Kalyanaraman, Jain, Goyal, Fahmy and Samudra, *Use-it-or-lose-it policies for the available bit rate (ABR)
/// service in ATM networks* (1998), section 5.5, after ATM Forum 95-1599.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Aging {
    /// Steepness, more than 0. Default: 0.5, a choice. Steeper functions withdraw more and overshoot sooner.
    #[serde(default = "half")]
    pub alpha: f64,
    /// CCR over measured rate up to which nothing is withdrawn, at least 1. Default: 1.1, a choice.
    #[serde(default = "eleven_tenths")]
    pub delta: f64,
    /// Weight of the newest averaging interval in the smoothed rate and divisor, in (0, 1]. Default: 1/16, a choice.
    #[serde(default = "sixteenth")]
    pub weight: Fraction,
    /// Rate that is left to each VC. Default: 1 Mbit/s, a choice: a source must be able to start again.
    #[serde(default = "one_mbit")]
    pub floor: CellRate,
}

fn half() -> f64 {
    0.5
}
fn eleven_tenths() -> f64 {
    1.1
}
fn sixteenth() -> Fraction {
    Fraction(1.0 / 16.0)
}
fn one_mbit() -> CellRate {
    CellRate::new(1_000_000, CELL_BITS)
}

impl Aging {
    /// State for so many VCs, with rates over windows of `window`.
    pub(super) fn build(&self, vcs: usize, window: Duration) -> Result<AgingState, SpecError> {
        within("alpha", self.alpha, self.alpha > 0.0 && self.alpha.is_finite(), "more than 0")?;
        within("delta", self.delta, self.delta >= 1.0 && self.delta.is_finite(), "at least 1")?;
        let weight = self.weight.0;
        within("weight", weight, weight > 0.0 && weight <= 1.0, "more than 0, at most 1")?;
        let floor = self.floor.per_second();
        within("floor", floor, floor.is_finite(), "a rate")?;
        let meter = RateMeter::new(vcs, window, weight);
        let (alpha, delta) = (self.alpha, self.delta);
        Ok(AgingState { alpha, delta, weight, floor, meter, left: vec![1.0; vcs] })
    }
}

pub(super) struct AgingState {
    alpha: f64,
    delta: f64,
    weight: f64,
    floor: f64,
    meter: RateMeter,
    /// By VC: the smoothed part of its allocation that is left to it.
    left: Vec<f64>,
}

impl AgingState {
    /// A cell of `vc`.
    #[inline]
    pub(super) fn count(&mut self, now: Time, vc: Label) {
        self.meter.count(now, vc);
    }

    /// What is left of `allocation` [cells/s] for a VC that declares `ccr`; `new`: the first answer of an interval.
    pub(super) fn aged(&mut self, now: Time, vc: Label, ccr: f64, allocation: f64, new: bool) -> f64 {
        let Some(used) = self.meter.rate(now, vc) else { return allocation };
        let left = &mut self.left[vc as usize];
        if new {
            let ratio = if used > 0.0 { ccr / used } else { f64::INFINITY };
            let reduction = (self.alpha * ratio).exp() - (self.alpha * self.delta).exp();
            *left += self.weight * (1.0 / (1.0 + reduction.max(0.0)) - *left);
        }
        (allocation * *left).max(used).max(self.floor).min(allocation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    /// What is left of 100 000 cells/s after each of `count` ms, with `cells` cells in each, for a VC that declares `ccr`.
    fn aged(aging: &Aging, cells: u64, ccr: f64, count: u64) -> Vec<f64> {
        let mut state = aging.build(1, Duration::from_ms(1)).unwrap();
        let answer = |k: u64| {
            (0..cells.max(1)).for_each(|c| state.count(Time::from_ps((k - 1) * MS + c * MS / cells.max(1)), 0));
            state.aged(Time::from_ps(k * MS), 0, ccr, 100_000.0, true)
        };
        (1..=count).map(answer).collect()
    }

    fn sharp() -> Aging {
        Aging { alpha: 0.5, delta: 1.1, weight: Fraction(1.0), floor: CellRate::new(1000, 1) }
    }

    #[test]
    fn what_is_used_is_left() {
        for ccr in [10_000.0, 11_000.0] {
            assert_eq!(aged(&sharp(), 10, ccr, 5), [100_000.0; 5], "u up to delta");
        }
    }

    #[test]
    fn the_function_of_the_paper_is_the_reduction() {
        // u = 2: 1 + e - e^0.55.
        let expected = 100_000.0 / (1.0 + 1f64.exp() - 0.55f64.exp());
        let found = aged(&sharp(), 10, 20_000.0, 3);
        assert!(found.iter().all(|rate| (rate / expected - 1.0).abs() < 1e-12), "{found:?} for {expected}");
        assert!(aged(&sharp(), 10, 40_000.0, 1)[0] < expected, "the more is retained the less is granted");
    }

    #[test]
    fn a_vc_keeps_what_it_uses_and_the_floor() {
        assert_eq!(aged(&sharp(), 10, 1e6, 1), [10_000.0]);
        assert_eq!(aged(&Aging { floor: CellRate::new(30_000, 1), ..sharp() }, 10, 1e6, 1), [30_000.0]);
        let mut state = sharp().build(1, Duration::from_ms(1)).unwrap();
        assert_eq!(state.aged(Time::ZERO, 0, 1e6, 70_000.0, true), 70_000.0, "nothing is known yet");
        state.count(Time::ZERO, 0);
        assert_eq!(state.aged(Time::from_ps(MS), 0, 1e6, 500.0, true), 500.0, "never more than the allocation");
    }

    #[test]
    fn smoothing_delays_the_withdrawal() {
        let slow = Aging { weight: Fraction(0.25), ..sharp() };
        let found = aged(&slow, 10, 40_000.0, 20);
        assert!(found[0] > 70_000.0 && found.windows(2).all(|w| w[1] <= w[0]), "{found:?}");
    }
}
