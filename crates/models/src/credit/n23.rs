//! N23: absolute credit update with the cells of the last round trip subtracted.

use super::{CreditConfig, CreditReceiver, CreditSender, FreePlaces, LinkLoop, Sizing, positive, zones};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::{CellRate, Cells};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The N23 scheme: a credit cell after every N2 forwarded cells says how much of the VC's N2 + N3 buffer is free; the
/// sender subtracts E, the cells it sent during the last R, and forgets its old count (absolute update).
///
/// Source: Kung, Morris, Charuhas and Lin, *Use of link-by-link flow control in maximizing ATM network performance*
/// (1993), section 4, equations (1) to (3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct N23 {
    /// Cells forwarded per credit cell, at least 1. Credit cells take at most 1/N2 of the return link.
    #[serde(default = "ten_cells")]
    pub n2: Cells,
    /// Size of the N3 zone, which keeps the VC going for one round trip. Default: from `target`.
    #[serde(default)]
    pub n3: Option<Cells>,
    /// Bandwidth that N3 is sized for: N3 = ceil(R x target), eq. (3). Default: the rate of the link.
    #[serde(default)]
    pub target: Option<CellRate>,
    /// R, the time over which the sender counts E. Default: the loop of this link (both propagation delays, a data
    /// cell and a credit cell). It may be up to one cell time shorter than the loop (it then counts as the loop); if it
    /// is shorter the buffer overflows, and if it exceeds the loop by more than N3 cell times credits evaluate to
    /// zero and the VC can stall for ever, which only a `timeout` heals.
    #[serde(default)]
    pub r: Option<Duration>,
    /// How long a sender with waiting cells and no credit waits before it asks for credit (section 4.5). Default: for ever.
    #[serde(default)]
    pub timeout: Option<Duration>,
    /// Period of redundant credit cells that the receiver sends besides (section 4.5). Default: none.
    #[serde(default)]
    pub redundant: Option<Duration>,
}

pub(super) fn ten_cells() -> Cells {
    Cells(10)
}

impl CreditConfig for N23 {
    fn sizing(&self, link: &LinkLoop) -> Result<Sizing, SpecError> {
        positive("timeout", self.timeout)?;
        positive("redundant", self.redundant)?;
        let (round_trip, cell) = (link.round_trip.ps(), link.cell.ps());
        let r = self.r.map_or(round_trip, Duration::ps);
        if r + cell < round_trip {
            return Err(SpecError::new(
                "r",
                "R is shorter than the loop of this link, so E would miss cells in flight and \
                the receiver's buffer would overflow",
            )
            .found(cells_and_us(r, cell))
            .allowed(format_args!("{} or more (the loop less one cell time)", cells_and_us(round_trip - cell, cell))));
        }
        // Cells start a slot apart and R is a whole number of slots beyond the loop, or the border would be a matter
        // of picoseconds.
        let beyond = (r.saturating_sub(round_trip) + cell / 2) / cell;
        let r = Duration::from_ps(round_trip + beyond * cell);
        let (n2, n3) = zones(self.n2, self.n3, self.target, r, link)?;
        if beyond > n3 && self.timeout.is_none() {
            return Err(SpecError::new(
                "r",
                "R exceeds the loop of this link by more than N3 cell times, so that all credits \
                can evaluate to zero and the VC stalls for ever",
            )
            .found(cells_and_us(r.ps(), cell))
            .allowed(format_args!("at most {}, or a timeout", cells_and_us(round_trip + n3 * cell, cell))));
        }
        Ok(Sizing { n1: 0, n2, n3, r })
    }

    fn sender(&self, sizing: &Sizing) -> Box<dyn CreditSender> {
        Box::new(Sender { credit: sizing.buffer(), r: sizing.r, starts: VecDeque::new() })
    }

    fn receiver(&self, sizing: &Sizing) -> Box<dyn CreditReceiver> {
        FreePlaces::new(sizing.n2, sizing.buffer())
    }

    fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    fn redundant(&self) -> Option<Duration> {
        self.redundant
    }
}

fn cells_and_us(ps: u64, cell: u64) -> String {
    format!("{:.2} cell times ({:.3} us)", ps as f64 / cell as f64, ps as f64 / 1e6)
}

struct Sender {
    credit: u64,
    r: Duration,
    /// Starts of the cells sent during the last R; no more than N2 + N3 of them, as none goes without credit.
    starts: VecDeque<Time>,
}

impl CreditSender for Sender {
    fn balance(&self) -> u64 {
        self.credit
    }

    fn sent(&mut self, now: Time) {
        self.credit -= 1;
        self.starts.push_back(now);
    }

    fn credited(&mut self, now: Time, value: u32) {
        while self.starts.front().is_some_and(|&start| start + self.r <= now) {
            self.starts.pop_front();
        }
        // Eq. (1) and (2): Credit_Count = C - E.
        self.credit = u64::from(value).saturating_sub(self.starts.len() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: u64 = 1_000_000;

    fn link(loop_cells: u64) -> LinkLoop {
        let cell = Duration::from_ps(CELL);
        LinkLoop { round_trip: Duration::from_ps(loop_cells * CELL), cell, rate: CellRate::new(1_000_000, 1) }
    }

    fn n23(n3: Option<u64>, r_cells: Option<f64>) -> N23 {
        N23 {
            n2: Cells(10),
            n3: n3.map(Cells),
            target: None,
            r: r_cells.map(|r| Duration::from_ps((r * CELL as f64) as u64)),
            timeout: None,
            redundant: None,
        }
    }

    #[test]
    fn n3_for_the_full_rate_is_the_loop() {
        let sizing = n23(None, None).sizing(&link(155)).unwrap();
        assert_eq!((sizing.n2, sizing.n3, sizing.buffer()), (10, 155, 165));
        assert_eq!(sizing.r.ps(), 155 * CELL);
    }

    #[test]
    fn r_that_cannot_work_is_refused() {
        let on = |loop_cells, n3, r| n23(Some(n3), Some(r)).sizing(&link(loop_cells)).map(|s| s.r.ps() / CELL);
        assert_eq!(on(155, 51, 155.0), Ok(155));
        assert_eq!(on(156, 51, 155.0), Ok(156), "one cell time short counts as the loop");
        assert!(on(157, 51, 155.0).unwrap_err().message.contains("overflow"));
        assert_eq!(on(104, 51, 155.0), Ok(155));
        // PAPER TRAP: at loops <= 101 with R = 155 and N3 = 51 every credit evaluates to zero.
        assert!(on(101, 51, 155.0).unwrap_err().message.contains("stalls"));
        let mut patient = n23(Some(51), Some(155.0));
        patient.timeout = Some(Duration::from_us(1));
        assert!(patient.sizing(&link(101)).is_ok());
    }

    #[test]
    fn update_is_absolute_and_subtracts_the_last_r() {
        let config = n23(Some(51), None);
        let sizing = config.sizing(&link(155)).unwrap();
        let mut sender = config.sender(&sizing);
        assert_eq!(sender.balance(), 61, "Credit_Count starts at N2 + N3");
        for k in 0..30 {
            sender.sent(Time::from_ps(k * CELL));
        }
        assert_eq!(sender.balance(), 31);
        // At slot 160 the cells of slots 6 to 29 lie in the last 155 slots: E = 24.
        sender.credited(Time::from_ps(160 * CELL), 61);
        assert_eq!(sender.balance(), 37);
        sender.credited(Time::from_ps(160 * CELL), 20);
        assert_eq!(sender.balance(), 0, "C < E gives no credit, not a negative one");
    }

    #[test]
    fn receiver_reports_free_space_after_n2_cells() {
        let config = n23(Some(5), Some(155.0));
        let mut receiver = config.receiver(&Sizing { n1: 0, n2: 3, n3: 5, r: Duration::ZERO });
        assert!(!receiver.forwarded() && !receiver.forwarded() && receiver.forwarded());
        assert_eq!(receiver.value(8), None, "a full buffer needs no credit cell");
        assert!(receiver.forwarded(), "the credit stays due");
        assert_eq!(receiver.value(6), Some(2));
        assert!(!receiver.forwarded());
    }
}
