//! Baseline rule 5: the rule of August 1995 with a count-based reduction and an additive headroom.

use super::{Floor, StepDown, Uili, UiliConfig, UiliContext};
use cellway_kernel::error::SpecError;
use cellway_kernel::units::Fraction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// If ACR > SR + ICR, then ACR falls by ACR x TDF, not below ICR, and the next BRM cell does not raise it.
///
/// Source: UILI paper, end of section 4.2: the interim solution. What it did not replace is as in `august_1995`, the
/// floor among it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// Timeout decrease factor, the part of ACR that is lost each time, 0 to 1. Default: 1/8.
    #[serde(default = "eighth")]
    pub tdf: Fraction,
    /// Prohibit no increase: disables rule 5b. Default: false.
    #[serde(default)]
    pub pni: bool,
}

fn eighth() -> Fraction {
    Fraction(0.125)
}

impl UiliConfig for Baseline {
    fn build(&self, context: &UiliContext) -> Result<Box<dyn Uili>, SpecError> {
        Ok(Box::new(StepDown::new(self.tdf, self.pni, Floor::Icr, &context.limits)?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, event};
    use serde_json::json;

    #[test]
    fn falls_by_a_constant_part_while_beyond_the_headroom() {
        // SR = 32 / 1 ms = 32 000, ICR 8 000.
        let mut policy = Trial::new(&json!({"kind": "baseline"})).icr(8_000.0).policy();
        assert_eq!(policy.frm(&event(40_001.0, 1e-3)), 40_001.0 * 0.875);
        assert!(!policy.brm(35_000.0, 300_000.0, false), "rule 5b");
        assert_eq!(policy.frm(&event(40_000.0, 1e-3)), 40_000.0);
        assert!(policy.brm(40_000.0, 300_000.0, false));
        assert_eq!(policy.frm(&event(8_500.0, 1e9)), 8_000.0, "the floor");
    }

    #[test]
    fn rule_5b_can_be_disabled() {
        let mut policy = Trial::new(&json!({"kind": "baseline", "pni": true})).policy();
        policy.frm(&event(300_000.0, 1.0));
        assert!(policy.brm(100_000.0, 300_000.0, false));
        assert_eq!(Trial::new(&json!({"kind": "baseline", "tdf": 1.5})).error().path, "tdf");
    }
}
