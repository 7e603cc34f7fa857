//! N123: absolute credit without subtraction, paid for with a zone for what is in flight.

use super::{
    CreditConfig, CreditReceiver, CreditSender, FreePlaces, LinkLoop, Sizing, n23::ten_cells, positive, zones,
};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::{CellRate, Cells};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The N123 scheme: a credit cell gives the free part of the N2 and N3 zones, and the sender takes it as it is; the
/// N1 zone absorbs what the sender had sent at line rate during the round trip.
///
/// Simpler than N23 (no R, no E), but its buffer grows with the rate of the link instead of the rate of the VC.
/// Source: N23 paper, section 3, and Kung and Chapman, *The FCVC proposal for ATM networks* (1993).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct N123 {
    /// Size of the N1 zone. Default: the cells that the link sends in one loop. Smaller values overflow and are refused.
    #[serde(default)]
    pub n1: Option<Cells>,
    /// Cells forwarded per credit cell, at least 1.
    #[serde(default = "ten_cells")]
    pub n2: Cells,
    /// Size of the N3 zone. Default: from `target`.
    #[serde(default)]
    pub n3: Option<Cells>,
    /// Bandwidth that N3 is sized for: N3 = ceil(loop x target). Default: the rate of the link.
    #[serde(default)]
    pub target: Option<CellRate>,
    /// How long a sender with waiting cells and no credit waits before it asks for credit. Default: for ever.
    #[serde(default)]
    pub timeout: Option<Duration>,
    /// Period of redundant credit cells. Default: none.
    #[serde(default)]
    pub redundant: Option<Duration>,
}

impl CreditConfig for N123 {
    fn sizing(&self, link: &LinkLoop) -> Result<Sizing, SpecError> {
        positive("timeout", self.timeout)?;
        positive("redundant", self.redundant)?;
        let (n2, n3) = zones(self.n2, self.n3, self.target, link.round_trip, link)?;
        let needed = link.line_cells();
        let n1 = self.n1.map_or(needed, |n1| n1.0);
        if n1 < needed || n1 > 1 << 30 {
            return Err(SpecError::new("n1", "the N1 zone must hold what the link sends in one loop")
                .found(n1)
                .allowed(format_args!("{needed} to {} cells", 1u64 << 30)));
        }
        Ok(Sizing { n1, n2, n3, r: link.round_trip })
    }

    fn sender(&self, sizing: &Sizing) -> Box<dyn CreditSender> {
        Box::new(Sender { credit: sizing.n2 + sizing.n3 })
    }

    fn receiver(&self, sizing: &Sizing) -> Box<dyn CreditReceiver> {
        FreePlaces::new(sizing.n2, sizing.n2 + sizing.n3)
    }

    fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    fn redundant(&self) -> Option<Duration> {
        self.redundant
    }
}

struct Sender {
    credit: u64,
}

impl CreditSender for Sender {
    fn balance(&self) -> u64 {
        self.credit
    }

    fn sent(&mut self, _now: Time) {
        self.credit -= 1;
    }

    fn credited(&mut self, _now: Time, value: u32) {
        self.credit = u64::from(value);
    }
}
