//! Use-it-or-lose-it policies: a source that does not use its rate loses it (source rule 13).
//!
//! SR, the rate at which a source really sends, is Nrm / T with T the time since its last in-rate FRM cell. All
//! sections are those of Kalyanaraman, Jain, Goyal, Fahmy, Samudra, *Use-it-or-lose-it policies for the available bit
//! rate (ABR) service in ATM networks*, 1998.

use super::Limits;
use crate::family::family;
use cellway_kernel::error::SpecError;
use cellway_kernel::units::Fraction;

family! {
    /// What a source does about a rate that it does not use.
    UiliSpec: UiliConfig;
    none => Never,
    august_1995 => August1995,
    baseline => Baseline,
    count_based => CountBased,
    time_based => TimeBased,
    joint => Joint,
}

#[allow(clippy::derivable_impls)]
impl Default for UiliSpec {
    fn default() -> Self {
        UiliSpec::none(none::Never {})
    }
}

/// What a policy knows of its source.
#[derive(Clone, Copy, Debug)]
pub struct UiliContext {
    /// The source's parameters, of which policies use PCR, ICR, RDF and Nrm.
    pub limits: Limits,
    /// Transient buffer exposure, in cells.
    pub tbe: f64,
    /// Fixed round-trip time, in s.
    pub frtt: f64,
    /// Cell time of the host's line, in s.
    pub slot: f64,
}

/// Parameters of a policy.
pub trait UiliConfig {
    /// Builds it.
    ///
    /// # Errors
    /// For parameters that make no sense; paths are relative to the parameters.
    fn build(&self, context: &UiliContext) -> Result<Box<dyn Uili>, SpecError>;
}

/// An in-rate FRM cell is about to go, not the first.
#[derive(Clone, Copy, Debug)]
pub struct FrmEvent {
    /// ACR before it [cells/s].
    pub acr: f64,
    /// T, since the last in-rate FRM cell, in s.
    pub since_last: f64,
}

/// A policy of one source. It sees its FRM and BRM cells, and keeps no books.
pub trait Uili: Send {
    /// An FRM cell is about to go: the new ACR, at most the old.
    fn frm(&mut self, event: &FrmEvent) -> f64;

    /// A BRM cell has come with explicit rate `er`, and with CI or NI set where `no_increase`: whether it may raise
    /// ACR. The decrease that it may ask for is none of the policy's business.
    fn brm(&mut self, _acr: f64, _er: f64, _no_increase: bool) -> bool {
        true
    }
}

/// Rule 5b of August 1995: after a reduction the next BRM cell does not raise ACR, unless PNI is set.
#[derive(Clone, Copy, Debug)]
struct Rule5b {
    pni: bool,
    pending: bool,
}

impl Rule5b {
    fn new(pni: bool) -> Rule5b {
        Rule5b { pni, pending: false }
    }

    fn reduced(&mut self) {
        self.pending = !self.pni;
    }

    fn may_increase(&mut self) -> bool {
        !std::mem::take(&mut self.pending)
    }
}

/// The reduction of the baseline and the joint proposal: by a constant part, while ACR > SR + ICR; with rule 5b.
struct StepDown {
    tdf: f64,
    icr: f64,
    nrm: f64,
    floor: Floor,
    rule_5b: Rule5b,
}

/// What [`StepDown`] does not go below.
enum Floor {
    Icr,
    /// SR + ICR.
    Goal,
}

impl StepDown {
    fn new(tdf: Fraction, pni: bool, floor: Floor, limits: &Limits) -> Result<StepDown, SpecError> {
        let (tdf, icr, nrm) = (fraction("tdf", tdf)?, limits.icr, f64::from(limits.nrm));
        Ok(StepDown { tdf, icr, nrm, floor, rule_5b: Rule5b::new(pni) })
    }
}

impl Uili for StepDown {
    fn frm(&mut self, event: &FrmEvent) -> f64 {
        let goal = self.nrm / event.since_last + self.icr;
        if event.acr <= goal {
            return event.acr;
        }
        self.rule_5b.reduced();
        let floor = match self.floor {
            Floor::Icr => self.icr,
            Floor::Goal => goal,
        };
        (event.acr * (1.0 - self.tdf)).max(floor)
    }

    fn brm(&mut self, _acr: f64, _er: f64, _no_increase: bool) -> bool {
        self.rule_5b.may_increase()
    }
}

fn fraction(name: &str, value: Fraction) -> Result<f64, SpecError> {
    if (0.0..=1.0).contains(&value.0) {
        return Ok(value.0);
    }
    Err(SpecError::new(name, "no fraction of ACR").found(value.0).allowed("0 to 1"))
}

fn above_zero(name: &str, value: f64) -> Result<f64, SpecError> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(SpecError::new(name, "no factor").found(value).allowed("a number above 0"))
}

#[cfg(test)]
mod trial;
