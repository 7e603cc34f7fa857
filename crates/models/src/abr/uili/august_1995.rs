//! Rule 5 of the source specification of August 1995: time-based, multiplicative headroom, floor ICR.

use super::{FrmEvent, Rule5b, Uili, UiliConfig, UiliContext, above_zero};
use cellway_kernel::error::SpecError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// If T > TOF x Nrm / ACR and ACR > ICR, then ACR falls by ACR x T x TDF, not below ICR, and the next BRM cell does
/// not raise it.
///
/// TDF = TDFF / RDF x (the smallest power of 2 that is PCR or more). Its unit is 1/s, and which number RDF is there
/// was a matter of taste: see `rdf`.
///
/// Source: UILI paper, section 3 (rules 5a and 5b) and section 4.2 (PNI).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct August1995 {
    /// Time-out factor: a source keeps ACR while it sends at ACR / TOF or faster; above 0. Default: 2.
    #[serde(default = "two")]
    pub tof: f64,
    /// TDFF, the factor of TDF that was negotiated; at least 0, which disables rule 5a. Default: 1/8.
    #[serde(default = "eighth")]
    pub tdff: f64,
    /// Which number RDF is in TDF. Default: fraction, with which ACR falls to ICR at once, as the paper describes.
    #[serde(default)]
    pub rdf: RdfReading,
    /// TDF itself [1/s], at least 0, instead of the formula. Default: by the formula.
    #[serde(default)]
    pub tdf: Option<f64>,
    /// Prohibit no increase: disables rule 5b. Default: false.
    #[serde(default)]
    pub pni: bool,
}

/// Readings of RDF in the formula of TDF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RdfReading {
    /// The fraction that rule 8 uses: with 1/512, TDFF 1/8 and PCR 155.52 Mbit/s, TDF is 3.4e7 /s.
    #[default]
    Fraction,
    /// Its reciprocal: with 512 instead, TDF is 128 /s.
    Divisor,
}

fn two() -> f64 {
    2.0
}

fn eighth() -> f64 {
    0.125
}

impl UiliConfig for August1995 {
    fn build(&self, context: &UiliContext) -> Result<Box<dyn Uili>, SpecError> {
        let tof = above_zero("tof", self.tof)?;
        for (name, value) in [("tdff", Some(self.tdff)), ("tdf", self.tdf)] {
            if let Some(value) = value
                && !(value >= 0.0 && value.is_finite())
            {
                return Err(SpecError::new(name, "no factor").found(value).allowed("a number of at least 0"));
            }
        }
        let limits = context.limits;
        let rdf = match self.rdf {
            RdfReading::Fraction => limits.rdf,
            RdfReading::Divisor => 1.0 / limits.rdf,
        };
        let power = (limits.pcr.ceil() as u64).next_power_of_two() as f64;
        let tdf = self.tdf.unwrap_or(self.tdff / rdf * power);
        let rule_5b = Rule5b::new(self.pni);
        Ok(Box::new(Policy { tof, tdf, icr: limits.icr, nrm: f64::from(limits.nrm), rule_5b }))
    }
}

struct Policy {
    tof: f64,
    /// [1/s]
    tdf: f64,
    icr: f64,
    nrm: f64,
    rule_5b: Rule5b,
}

impl Uili for Policy {
    fn frm(&mut self, event: &FrmEvent) -> f64 {
        let FrmEvent { acr, since_last: t } = *event;
        if t > self.tof * self.nrm / acr && acr > self.icr {
            self.rule_5b.reduced();
            (acr - acr * t * self.tdf).max(self.icr)
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

    fn trial(parameters: &serde_json::Value) -> Trial {
        Trial::new(parameters).pcr(366_792.45).icr(2_358.0).rdf(1.0 / 512.0)
    }

    #[test]
    fn both_readings_of_tdf() {
        // 2^19 = 524 288 is the smallest power of 2 from 366 792 cells/s on.
        for (reading, tdf) in [("fraction", 33_554_432.0), ("divisor", 128.0)] {
            let mut policy = trial(&json!({"kind": "august_1995", "rdf": reading})).policy();
            let mut direct = trial(&json!({"kind": "august_1995", "tdf": tdf})).policy();
            for t in [1e-9, 2e-4, 1e-3, 4e-3] {
                let e = event(300_000.0, t);
                let (by_formula, given) = (policy.frm(&e), direct.frm(&e));
                assert_eq!(by_formula, given, "{reading}, T = {t}");
            }
        }
    }

    #[test]
    fn rule_5a_acts_beyond_the_multiplicative_headroom_only() {
        let mut policy = trial(&json!({"kind": "august_1995", "tdf": 100.0})).policy();
        // TOF Nrm / ACR = 640 us at 100 000 cells/s.
        assert_eq!(policy.frm(&event(100_000.0, 640e-6)), 100_000.0);
        let after = policy.frm(&event(100_000.0, 641e-6));
        assert!((after - 100_000.0 * (1.0 - 0.0641)).abs() < 1e-6, "{after}");
        // Never below ICR, also with the rate in between (section 5.2.3).
        assert_eq!(policy.frm(&event(100_000.0, 0.02)), 2_358.0);
        assert_eq!(policy.frm(&event(2_358.0, 1.0)), 2_358.0);
    }

    #[test]
    fn rule_5b_ignores_one_increase_unless_pni() {
        for pni in [false, true] {
            let mut policy = trial(&json!({"kind": "august_1995", "pni": pni})).policy();
            assert!(policy.brm(100_000.0, 300_000.0, false));
            policy.frm(&event(100_000.0, 0.1));
            assert_eq!(policy.brm(2_358.0, 300_000.0, false), pni);
            assert!(policy.brm(2_358.0, 300_000.0, false));
        }
    }

    #[test]
    fn impossible_parameters_are_located() {
        for (name, value) in [("tof", 0.0), ("tdff", -1.0), ("tdf", -0.5)] {
            assert_eq!(trial(&json!({"kind": "august_1995", name: value})).error().path, name);
        }
    }
}
