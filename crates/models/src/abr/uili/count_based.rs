//! The count-based proposal of December 1995.

use super::{FrmEvent, Uili, UiliConfig, UiliContext, fraction};
use cellway_kernel::error::SpecError;
use cellway_kernel::units::{CellRate, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// At an FRM cell: if ACR > SR + headroom, then ACR = Max(SR + headroom, ACR x (1 - TDF)). A BRM cell raises ACR only
/// where the source was using all of it, ACR <= SR, at its last FRM cell.
///
/// Source: UILI paper, section 5.2, with the pseudo-code of 5.2.7.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CountBased {
    /// How far ACR may exceed the rate at which the source sends. Default: 10 Mbit/s, which the paper recommends:
    /// 23 585 cells/s.
    #[serde(default = "ten_megabit")]
    pub headroom: CellRate,
    /// Timeout decrease factor, the part of ACR that is lost each time, 0 to 1; 0 disables the policy. Default: 1/8;
    /// the paper recommends 1/8 or 1/16.
    #[serde(default = "eighth")]
    pub tdf: Fraction,
    /// Prohibit rule 5: the first FRM cell after a rise of ACR lowers nothing. The paper finds it unnecessary with a
    /// small TDF, and that with it an idle source may keep its rate (section 5.2.4). Default: true, as in the
    /// pseudo-code.
    #[serde(default = "yes")]
    pub pr5: bool,
    /// Delta of the comparison ACR <= SR + Delta, which is there because cells start at certain instants only.
    /// Default: what one cell time of the host's line makes of SR, that is SR = Nrm / (T - cell time).
    #[serde(default)]
    pub delta: Option<CellRate>,
}

fn ten_megabit() -> CellRate {
    CellRate::new(10_000_000, 424)
}

fn eighth() -> Fraction {
    Fraction(0.125)
}

fn yes() -> bool {
    true
}

impl UiliConfig for CountBased {
    fn build(&self, context: &UiliContext) -> Result<Box<dyn Uili>, SpecError> {
        let rate = |rate: CellRate| if rate.is_zero() { 0.0 } else { rate.per_second() };
        Ok(Box::new(Policy {
            headroom: rate(self.headroom),
            tdf: fraction("tdf", self.tdf)?,
            delta: self.delta.map(rate),
            nrm: f64::from(context.limits.nrm),
            slot: context.slot,
            prohibits: self.pr5,
            acr_ok: true,
            pr5: false,
        }))
    }
}

struct Policy {
    headroom: f64,
    tdf: f64,
    delta: Option<f64>,
    nrm: f64,
    slot: f64,
    /// PR5 is in use.
    prohibits: bool,
    acr_ok: bool,
    pr5: bool,
}

impl Policy {
    /// ACR <= SR + Delta.
    fn uses(&self, acr: f64, t: f64) -> bool {
        match self.delta {
            Some(delta) => acr <= self.nrm / t + delta,
            None => acr * (t - self.slot) <= self.nrm,
        }
    }
}

impl Uili for Policy {
    fn frm(&mut self, event: &FrmEvent) -> f64 {
        let FrmEvent { mut acr, since_last: t } = *event;
        let sr = self.nrm / t;
        self.acr_ok = self.uses(acr, t) || self.tdf == 0.0;
        if !self.pr5 {
            if acr > sr + self.headroom {
                acr = (sr + self.headroom).max(acr * (1.0 - self.tdf));
            }
        } else {
            self.pr5 = false;
        }
        acr
    }

    fn brm(&mut self, acr: f64, er: f64, no_increase: bool) -> bool {
        if !no_increase && self.acr_ok {
            self.pr5 = self.prohibits && acr < er;
        }
        self.acr_ok
    }
}

#[cfg(test)]
mod tests;
