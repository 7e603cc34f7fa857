//! What a port tells ABR sources: rate algorithms, which mark data cells or write into RM cells.
//!
//! An algorithm hears of the cells that arrive for its port, of the RM cells of the VCs that leave by it, and of those
//! that come back for them. It decides and keeps no books; the port counts.

mod interval;

use crate::abr::rm::Rm;
use crate::cell::Label;
use crate::family::family;
use cellway_kernel::error::SpecError;
use cellway_kernel::time::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

family! {
    /// How a port tells ABR sources of congestion, or of their rates.
    RateSpec: RateConfig;
    efci => Efci,
    relative_rate => RelativeRate,
    erica => Erica,
    erica_plus => EricaPlus,
    capc => Capc,
}

/// Parameters of an algorithm.
pub trait RateConfig {
    /// Builds the state for one port.
    ///
    /// # Errors
    /// Where a parameter is impossible.
    fn build(&self, port: &RateContext) -> Result<Box<dyn RateAlgorithm>, SpecError>;
}

/// What an algorithm knows of its port from the start.
#[derive(Clone, Debug)]
pub struct RateContext {
    /// Rate of the line [cells/s].
    pub line: f64,
    /// Per label the minimum cell rate of its VC [cells/s]; 0 where there is none.
    pub mcr: Vec<f64>,
    /// ABR VCs set up here that have data of their own to send, not only RM cells to return.
    pub setup: usize,
}

/// What an algorithm sees of its port when it is asked.
#[derive(Clone, Copy, Debug)]
pub struct RateView {
    /// ABR cells that wait at the port.
    pub queue: u64,
}

/// Which cell of an ABR VC arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AbrCell {
    /// User data.
    Data,
    /// RM cell on its way to the destination.
    Forward,
    /// RM cell of the opposite direction, on its way back to its source.
    Backward,
}

/// What an algorithm says to a cell that arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Heard {
    /// The cell gets EFCI, if it is a data cell.
    pub congested: bool,
    /// [`next_timer`](RateAlgorithm::next_timer) or a recorded quantity has changed.
    pub changed: bool,
}

/// Decides what the VCs of one port hear.
pub trait RateAlgorithm: Send {
    /// A cell of ABR VC `vc` arrives for the port; `view` is from before it.
    fn cell(&mut self, now: Time, vc: Label, kind: AbrCell, view: &RateView) -> Heard;

    /// A cell of another VC arrives that is served no later than ABR cells: its capacity is not ABR's.
    fn background(&mut self, _now: Time) {}

    /// A forward RM cell of `vc` arrives for the port, after [`cell`](Self::cell) has heard of it.
    fn forward_rm(&mut self, _now: Time, _vc: Label, _rm: &mut Rm, _view: &RateView) {}

    /// A backward RM cell comes for the source of `vc`, whose cells leave by the port.
    fn backward_rm(&mut self, _now: Time, _vc: Label, _rm: &mut Rm, _view: &RateView) {}

    /// When [`timer`](Self::timer) wants to be called.
    fn next_timer(&self) -> Time {
        Time::NEVER
    }

    /// The instant has come.
    fn timer(&mut self, _now: Time, _view: &RateView) {}

    /// What a recorder can ask of this algorithm.
    fn quantities(&self) -> &'static [RateQuantity];

    /// The present value of one of the [`quantities`](Self::quantities).
    fn quantity(&self, which: RateQuantity) -> f64;
}

/// A quantity of a port's rate algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum RateQuantity {
    /// What each VC that is limited here should get [cells/s]; CAPC's ERS.
    FairShare = 0,
    /// Overload factor z: ABR input rate over ABR capacity.
    Overload = 1,
    /// Active VCs, averaged if the algorithm averages them.
    Active = 2,
    /// What ABR cells should use, the target rate less higher priorities [cells/s].
    Capacity = 3,
    /// Rate of ABR cells that arrive [cells/s].
    Input = 4,
    /// Rate of the other cells that are subtracted [cells/s].
    Background = 5,
    /// Largest allocation of the present interval [cells/s].
    MaxAlloc = 6,
    /// Part of the capacity that is aimed at: the target utilisation, or ERICA+'s f(Tq).
    Target = 7,
    /// 1 while the port tells sources of congestion by a bit, else 0.
    Congested = 8,
}

impl RateQuantity {
    /// All quantities, in the order of their numbers.
    pub const ALL: [RateQuantity; 9] = [
        RateQuantity::FairShare,
        RateQuantity::Overload,
        RateQuantity::Active,
        RateQuantity::Capacity,
        RateQuantity::Input,
        RateQuantity::Background,
        RateQuantity::MaxAlloc,
        RateQuantity::Target,
        RateQuantity::Congested,
    ];

    /// Name in documents and result tables.
    pub const fn name(self) -> &'static str {
        match self {
            RateQuantity::FairShare => "fair_share",
            RateQuantity::Overload => "overload",
            RateQuantity::Active => "active",
            RateQuantity::Capacity => "capacity",
            RateQuantity::Input => "input",
            RateQuantity::Background => "background",
            RateQuantity::MaxAlloc => "max_alloc",
            RateQuantity::Target => "target",
            RateQuantity::Congested => "congested",
        }
    }

    /// Its unit.
    pub const fn unit(self) -> &'static str {
        match self {
            RateQuantity::Overload | RateQuantity::Active | RateQuantity::Target | RateQuantity::Congested => "1",
            _ => "cells/s",
        }
    }
}

/// Refuses a value outside its range.
fn within(name: &str, value: f64, ok: bool, allowed: &str) -> Result<(), SpecError> {
    if ok { Ok(()) } else { Err(SpecError::new(name, "a value out of range").found(value).allowed(allowed)) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An RM cell with these rates.
    pub(crate) fn rm(ccr: f64, er: f64) -> Rm {
        Rm { backward: false, bn: false, ci: false, ni: false, er, ccr, mcr: 0.0 }
    }

    #[test]
    fn quantities_have_their_numbers_and_names() {
        for (number, quantity) in RateQuantity::ALL.into_iter().enumerate() {
            assert_eq!(quantity as usize, number);
            assert_eq!(serde_json::to_value(quantity).unwrap(), quantity.name());
        }
    }
    #[test]
    fn the_schema_names_the_quantities_of_each_kind() {
        let schema = serde_json::to_value(schemars::schema_for!(RateSpec)).unwrap();
        let variants = schema["oneOf"].as_array().unwrap();
        assert_eq!(variants.len(), RateSpec::KINDS.len());
        for variant in variants {
            let kind = &variant["properties"]["kind"]["const"];
            let spec: RateSpec = serde_json::from_value(serde_json::json!({ "kind": kind })).unwrap();
            let defined = variant["$ref"].as_str().map(|name| &schema["$defs"][name.trim_start_matches("#/$defs/")]);
            let named = variant.get("x-quantities").or(defined.and_then(|one| one.get("x-quantities")));
            let context = RateContext { line: 1e5, mcr: vec![0.0], setup: 1 };
            let quantities = serde_json::to_value(spec.config().build(&context).unwrap().quantities()).unwrap();
            assert_eq!(named, Some(&quantities), "{kind}");
        }
    }
}
