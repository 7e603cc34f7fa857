//! Credit Update Protocol: the counter form of N23, without R.

use super::{CreditConfig, CreditReceiver, CreditSender, EveryN2, LinkLoop, Sizing, n23::ten_cells, positive, zones};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::{CellRate, Cells};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The Credit Update Protocol: the receiver returns Vr, the number of cells it has forwarded; the sender, which has sent
/// Vs, may send N2 + N3 - (Vs - Vr) more.
///
/// Nothing to estimate, no stall from a wrong R, and lost credit cells heal with the next one. A lost data cell would be
/// missed for ever; a request (see `timeout`) carries Vs, and the receiver then counts the missing cells as forwarded.
///
/// Source: Kung, Blackwell and Chapman, *Credit-based flow control for ATM networks: credit update protocol, adaptive
/// credit allocation, and statistical multiplexing*, SIGCOMM 1994, section 3. Counters are 32 bit and wrap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cup {
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

impl CreditConfig for Cup {
    fn sizing(&self, link: &LinkLoop) -> Result<Sizing, SpecError> {
        positive("timeout", self.timeout)?;
        positive("redundant", self.redundant)?;
        let (n2, n3) = zones(self.n2, self.n3, self.target, link.round_trip, link)?;
        Ok(Sizing { n1: 0, n2, n3, r: link.round_trip })
    }

    fn sender(&self, sizing: &Sizing) -> Box<dyn CreditSender> {
        Box::new(Sender { window: sizing.buffer() as u32, vs: 0, vr: 0 })
    }

    fn receiver(&self, sizing: &Sizing) -> Box<dyn CreditReceiver> {
        Box::new(Receiver { every_n2: EveryN2::new(sizing.n2), arrived: 0, vr: 0 })
    }

    fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    fn redundant(&self) -> Option<Duration> {
        self.redundant
    }
}

struct Sender {
    window: u32,
    vs: u32,
    vr: u32,
}

impl CreditSender for Sender {
    fn balance(&self) -> u64 {
        u64::from(self.window.saturating_sub(self.vs.wrapping_sub(self.vr)))
    }

    fn sent(&mut self, _now: Time) {
        self.vs = self.vs.wrapping_add(1);
    }

    fn credited(&mut self, _now: Time, value: u32) {
        self.vr = value;
    }

    fn request(&self) -> u32 {
        self.vs
    }
}

struct Receiver {
    every_n2: EveryN2,
    arrived: u32,
    vr: u32,
}

impl CreditReceiver for Receiver {
    fn arrived(&mut self) {
        self.arrived = self.arrived.wrapping_add(1);
    }

    fn forwarded(&mut self) -> bool {
        self.vr = self.vr.wrapping_add(1);
        self.every_n2.forwarded()
    }

    fn value(&mut self, _held: u64) -> Option<u32> {
        self.every_n2.credit_cell();
        Some(self.vr)
    }

    fn requested(&mut self, count: u32) {
        // A line keeps its order: what was sent before the request and has not arrived is lost.
        let lost = count.wrapping_sub(self.arrived);
        self.arrived = count;
        self.vr = self.vr.wrapping_add(lost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_credits_heal_and_lost_cells_heal_by_request() {
        let sizing = Sizing { n1: 0, n2: 2, n3: 4, r: Duration::ZERO };
        let config = Cup { n2: Cells(2), n3: Some(Cells(4)), target: None, timeout: None, redundant: None };
        let (mut sender, mut receiver) = (config.sender(&sizing), config.receiver(&sizing));
        for _ in 0..6 {
            sender.sent(Time::ZERO);
        }
        assert!(!sender.may_send());
        // Five of the six arrive and leave; the first credit cell is lost, the second heals it.
        let due = (0..5)
            .filter(|_| {
                receiver.arrived();
                receiver.forwarded()
            })
            .count();
        assert!(due > 0);
        sender.credited(Time::ZERO, receiver.value(0).unwrap());
        assert_eq!(sender.balance(), 5, "one cell is missing");
        receiver.requested(sender.request());
        sender.credited(Time::ZERO, receiver.value(0).unwrap());
        assert_eq!(sender.balance(), 6, "the request accounts for it");
    }
}
