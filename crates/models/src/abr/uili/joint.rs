//! The joint source-based proposal of December 1995.

use super::{Floor, StepDown, Uili, UiliConfig, UiliContext};
use cellway_kernel::error::SpecError;
use cellway_kernel::units::Fraction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// If ACR > SR + ICR, then ACR falls by ACR x TDF, not below SR + ICR, and the next BRM cell does not raise it.
///
/// Source: UILI paper, section 5.4: the reduction and the floor of `count_based` with ICR as headroom, but rule 5b of
/// `august_1995` instead of the region in which increases are ignored. TM 4.0, appendix I.8, describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// Timeout decrease factor, the part of ACR that is lost each time, 0 to 1. Default: 1/16.
    #[serde(default = "sixteenth")]
    pub tdf: Fraction,
    /// Prohibit no increase: disables rule 5b. Default: false.
    #[serde(default)]
    pub pni: bool,
}

fn sixteenth() -> Fraction {
    Fraction(1.0 / 16.0)
}

impl UiliConfig for Joint {
    fn build(&self, context: &UiliContext) -> Result<Box<dyn Uili>, SpecError> {
        Ok(Box::new(StepDown::new(self.tdf, self.pni, Floor::Goal, &context.limits)?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, event};
    use serde_json::json;

    #[test]
    fn falls_to_the_rate_and_the_headroom_and_ignores_one_increase() {
        // SR = 32 / 1 ms = 32 000, ICR 8 000.
        let mut policy = Trial::new(&json!({"kind": "joint"})).icr(8_000.0).policy();
        assert_eq!(policy.frm(&event(100_000.0, 1e-3)), 93_750.0);
        assert!(!policy.brm(93_750.0, 300_000.0, false), "rule 5b");
        assert!(policy.brm(93_750.0, 300_000.0, false), "once");
        assert_eq!(policy.frm(&event(40_100.0, 1e-3)), 40_000.0);
        assert_eq!(policy.frm(&event(40_000.0, 1e-3)), 40_000.0);
        assert_eq!(Trial::new(&json!({"kind": "joint", "tdf": -0.5})).error().path, "tdf");
    }

    #[test]
    fn rule_5b_can_be_disabled() {
        let mut policy = Trial::new(&json!({"kind": "joint", "pni": true})).policy();
        policy.frm(&event(300_000.0, 1.0));
        assert!(policy.brm(100_000.0, 300_000.0, false));
    }
}
