//! No policy: a source keeps a rate that it does not use, until rule 5 (ADTF) takes it away.

use super::{FrmEvent, Uili, UiliConfig, UiliContext};
use cellway_kernel::error::SpecError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// ACR stays as it is. With ADTF, source rule 5, this is what the ATM Forum decided in December 1995.
///
/// Source: UILI paper, section 6; TM 4.0, source rule 5.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Never {}

impl UiliConfig for Never {
    fn build(&self, _context: &UiliContext) -> Result<Box<dyn Uili>, SpecError> {
        Ok(Box::new(self.clone()))
    }
}

impl Uili for Never {
    fn frm(&mut self, event: &FrmEvent) -> f64 {
        event.acr
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, event};
    use serde_json::json;

    #[test]
    fn nothing_is_lost() {
        let mut policy = Trial::new(&json!({"kind": "none"})).policy();
        assert_eq!(policy.frm(&event(300_000.0, 10.0)), 300_000.0);
        assert!(policy.brm(300_000.0, 350_000.0, false));
    }
}
