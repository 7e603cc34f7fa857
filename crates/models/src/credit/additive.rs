//! Additive credit update, for comparison: credits are added up, and a lost credit cell is lost for ever.

use super::{CreditConfig, CreditReceiver, CreditSender, LinkLoop, Sizing, n23::ten_cells, positive, zones};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::{CellRate, Cells};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Additive updating: a credit cell carries the number of cells forwarded since the last one, and the sender adds it to
/// its count.
///
/// Equal to N23 on perfect links; a lost credit cell, or a lost data cell, takes credit away permanently.
/// Source: N23 paper, section 3, on the "relative or additive" methods of its references [6, 7, 12].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Additive {
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
    /// Period of redundant credit cells (they carry what was forwarded since the last). Default: none.
    #[serde(default)]
    pub redundant: Option<Duration>,
}

impl CreditConfig for Additive {
    fn sizing(&self, link: &LinkLoop) -> Result<Sizing, SpecError> {
        positive("timeout", self.timeout)?;
        positive("redundant", self.redundant)?;
        let (n2, n3) = zones(self.n2, self.n3, self.target, link.round_trip, link)?;
        Ok(Sizing { n1: 0, n2, n3, r: link.round_trip })
    }

    fn sender(&self, sizing: &Sizing) -> Box<dyn CreditSender> {
        Box::new(Sender { credit: sizing.buffer() })
    }

    fn receiver(&self, sizing: &Sizing) -> Box<dyn CreditReceiver> {
        Box::new(Receiver { n2: sizing.n2, since_credit: 0 })
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
        self.credit += u64::from(value);
    }
}

struct Receiver {
    n2: u64,
    since_credit: u64,
}

impl CreditReceiver for Receiver {
    fn forwarded(&mut self) -> bool {
        self.since_credit += 1;
        self.since_credit >= self.n2
    }

    fn value(&mut self, _held: u64) -> Option<u32> {
        let value = std::mem::take(&mut self.since_credit);
        (value > 0).then_some(value as u32)
    }
}
