//! The time-based proposal of December 1995.

use super::{FrmEvent, Rule5b, Uili, UiliConfig, UiliContext, above_zero};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// If ACR > `ACR_max`, then ACR = Max(ACR x (1 - T / Tc), `ACR_max`), and the next BRM cell does not raise it.
///
/// Source: UILI paper, section 5.3; that rule 5b stays as in `august_1995`, section 7.2.3.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeBased {
    /// What `ACR_max` is. Default: sum.
    #[serde(default)]
    pub floor: Floor,
    /// Time-out factor of the floor `max`, above 0. Default: 2.
    #[serde(default = "two")]
    pub tof: f64,
    /// Tc, the silence that takes all of ACR; more than 0 s. Default: Max(ADDF x FRTT, TBE / PCR), which with the
    /// default TBE is most of a minute.
    #[serde(default)]
    pub tc: Option<Duration>,
    /// ADDF of the default of Tc, above 0. Default: 2.
    #[serde(default = "two")]
    pub addf: f64,
    /// Prohibit no increase: disables rule 5b. Default: false.
    #[serde(default)]
    pub pni: bool,
}

/// The two floors that the proposal suggests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Floor {
    /// ICR + SR.
    #[default]
    Sum,
    /// Max(ICR, TOF x SR).
    Max,
}

fn two() -> f64 {
    2.0
}

impl UiliConfig for TimeBased {
    fn build(&self, context: &UiliContext) -> Result<Box<dyn Uili>, SpecError> {
        let limits = context.limits;
        let tof = above_zero("tof", self.tof)?;
        let addf = above_zero("addf", self.addf)?;
        let tc = match self.tc {
            None => (addf * context.frtt).max(context.tbe / limits.pcr),
            Some(tc) => above_zero("tc", tc.seconds())?,
        };
        let rule_5b = Rule5b::new(self.pni);
        Ok(Box::new(Policy { floor: self.floor, tof, tc, icr: limits.icr, nrm: f64::from(limits.nrm), rule_5b }))
    }
}

struct Policy {
    floor: Floor,
    tof: f64,
    /// [s]
    tc: f64,
    icr: f64,
    nrm: f64,
    rule_5b: Rule5b,
}

impl Uili for Policy {
    fn frm(&mut self, event: &FrmEvent) -> f64 {
        let FrmEvent { acr, since_last: t } = *event;
        let sr = self.nrm / t;
        let acr_max = match self.floor {
            Floor::Max => self.icr.max(self.tof * sr),
            Floor::Sum => self.icr + sr,
        };
        if acr > acr_max {
            self.rule_5b.reduced();
            (acr * (1.0 - t / self.tc)).max(acr_max)
        } else {
            acr
        }
    }

    fn brm(&mut self, _acr: f64, _er: f64, _no_increase: bool) -> bool {
        self.rule_5b.may_increase()
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, event};
    use serde_json::json;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-6 * b, "{a}, not {b}");
    }

    #[test]
    fn both_floors() {
        // SR = 32 / 1 ms = 32 000, ICR 8 000: floors 40 000 and 64 000.
        for (floor, least) in [("sum", 40_000.0), ("max", 64_000.0)] {
            let spec = json!({"kind": "time_based", "floor": floor, "tc": 100_000_000_000u64});
            let mut policy = Trial::new(&spec).icr(8_000.0).policy();
            near(policy.frm(&event(100_000.0, 1e-3)), 99_000.0);
            assert!(!policy.brm(99_000.0, 300_000.0, false), "rule 5b");
            near(policy.frm(&event(least + 1.0, 1e-3)), least);
            assert!(!policy.brm(least, 300_000.0, false));
            assert_eq!(policy.frm(&event(least, 1e-3)), least);
            assert!(policy.brm(least, 300_000.0, false));
        }
        // Where the source was silent for longer than Tc nothing but the floor is left.
        let mut policy = Trial::new(&json!({"kind": "time_based", "tc": 1_000_000_000u64})).icr(8_000.0).policy();
        near(policy.frm(&event(300_000.0, 1.0)), 8_032.0);
    }

    #[test]
    fn tc_follows_round_trip_and_exposure() {
        // ADDF FRTT = 60 ms against TBE / PCR = 4096 / 366 792 = 11 ms; the largest exposure takes over at 45 s.
        for (tbe, tc) in [(4_096.0, 0.06), (16_777_215.0, 16_777_215.0 / 366_792.0)] {
            let trial = Trial::new(&json!({"kind": "time_based"})).pcr(366_792.0).icr(2_358.0);
            let mut policy = trial.exposure(tbe, 0.03).policy();
            near(policy.frm(&event(66_000.0, 3e-3)), 66_000.0 * (1.0 - 3e-3 / tc));
        }
    }

    #[test]
    fn impossible_parameters_are_located() {
        for (name, value) in [("tof", json!(0.0)), ("addf", json!(-1.0)), ("tc", json!(0))] {
            assert_eq!(Trial::new(&json!({"kind": "time_based", name: value})).error().path, name);
        }
    }

    #[test]
    fn rule_5b_can_be_disabled() {
        let mut policy = Trial::new(&json!({"kind": "time_based", "pni": true})).policy();
        policy.frm(&event(300_000.0, 1.0));
        assert!(policy.brm(100_000.0, 300_000.0, false));
    }
}
