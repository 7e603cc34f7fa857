//! Policing: which cells of a VC keep its traffic contract. A policer judges; the switch tags, discards and counts.

use crate::cell::Cell;
use crate::family::family;
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, PS_PER_SECOND, Time};
use cellway_kernel::units::{BitRate, CellRate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

family! {
    /// How the network enforces the contract of a VC where it enters.
    PoliceSpec: PoliceConfig;
    gcra => Gcra,
    frame_gcra => FrameGcra,
}

mod leaky_bucket;

/// Parameters of a policer.
pub trait PoliceConfig {
    /// Builds it for one VC.
    ///
    /// # Errors
    /// For parameters that make no sense; paths are relative to the parameters.
    fn build(&self, context: &PoliceContext) -> Result<Box<dyn Policer>, SpecError>;

    /// What becomes of cells that break the contract.
    fn action(&self) -> Action;
}

/// What a policer needs to know of its VC.
#[derive(Clone, Copy, Debug)]
pub struct PoliceContext {
    /// The minimum cell rate of its contract.
    pub mcr: Option<CellRate>,
    /// Rate of the line on which its cells come from the host.
    pub line: BitRate,
    /// Its cells form frames, the last of each with AAU. Cells of other VCs each stand for themselves.
    pub framed: bool,
}

/// What becomes of cells that break the contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// They go on with CLP = 1.
    #[default]
    Tag,
    /// They are dropped where they enter.
    Discard,
}

impl Action {
    fn ruling(self) -> Ruling {
        match self {
            Action::Tag => Ruling::Tag,
            Action::Discard => Ruling::Discard,
        }
    }
}

/// A policer's answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ruling {
    /// The cell keeps the contract.
    Conforms,
    /// The contract does not speak of this cell: it passes as it is.
    Spared,
    /// It passes with CLP = 1.
    Tag,
    /// It is dropped.
    Discard,
}

/// Judges each cell of a VC as it comes.
pub trait Policer: Send {
    /// Judges `cell`, which comes at `now`.
    fn judge(&mut self, now: Time, cell: Cell) -> Ruling;
}

/// A rate, and the units of time in which arithmetic with its period is exact: with a rate of num / den cells/s, a period
/// is den / num seconds, which is 10^12 den units of 1 / num ps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pace {
    units_per_ps: u64,
    period: u128,
}

impl Pace {
    /// The pace of the policed rate: the parameter `rate`, or the VC's minimum cell rate.
    ///
    /// # Errors
    /// Where neither is given, or the rate is none.
    fn new(rate: Option<CellRate>, context: &PoliceContext) -> Result<Pace, SpecError> {
        let Some(rate) = rate.or(context.mcr) else {
            return Err(SpecError::new("rate", "no rate to police: the VC has no minimum cell rate (mcr) either"));
        };
        let (num, den) = rate.into();
        if rate.is_zero() || num >= 1 << 63 || !(1e-6..=1e12).contains(&rate.per_second()) {
            return Err(SpecError::new("rate", "a rate that cannot be policed")
                .found(format_args!("{num}/{den} cells/s"))
                .allowed("1e-6 to 1e12 cells/s, with a numerator below 2^63"));
        }
        Ok(Pace { units_per_ps: num, period: u128::from(den) * u128::from(PS_PER_SECOND) })
    }

    /// A duration in these units.
    fn units(self, d: Duration) -> u128 {
        u128::from(d.ps()) * u128::from(self.units_per_ps)
    }
}
