//! Credit-based, per-VC, link-by-link flow control: what the two ends of a link keep for one VC.
//!
//! The sender of a link forwards a cell only with credit; the receiver returns credit cells. Scheduling knows nothing
//! of credits except which queues may send (N23 paper, section 4.6).

pub mod ends;

use crate::family::family;
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::{CellRate, Cells};

family! {
    /// Flow control of one VC on one link.
    CreditSpec: CreditConfig;
    n23 => N23,
    cup => Cup,
    n123 => N123,
    additive => Additive,
}

/// What a scheme needs to know of the link and its return path.
#[derive(Clone, Copy, Debug)]
pub struct LinkLoop {
    /// From the start of a data cell to the arrival of a credit cell that left as that cell arrived: both propagation
    /// delays, one data cell time and one credit cell time.
    pub round_trip: Duration,
    /// One cell time of the data direction, rounded down.
    pub cell: Duration,
    /// Cell rate of the data direction.
    pub rate: CellRate,
}

impl LinkLoop {
    /// Cells that `rate` sends in `r`, rounded up: eq. (3) of the N23 paper, N3 = R B_VC / Cell_Size.
    ///
    /// Delays are whole picoseconds; that rounding (up to 4 ps in a loop) must not cost a cell.
    fn cells(rate: CellRate, r: Duration) -> u64 {
        rate.cells_in(Duration::from_ps(r.ps().saturating_sub(4)))
    }

    /// Cells that the line itself sends in one round trip.
    fn line_cells(&self) -> u64 {
        LinkLoop::cells(self.rate, self.round_trip)
    }
}

/// The sizes that a scheme runs with on one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizing {
    /// Zone for what is in flight at line rate; 0 except for N123.
    pub n1: u64,
    /// Cells forwarded per credit cell.
    pub n2: u64,
    /// Cells that keep the VC going during one round trip.
    pub n3: u64,
    /// R, the period over which E counts; the loop itself for schemes without R.
    pub r: Duration,
}

impl Sizing {
    /// The VC's buffer at the receiver: N1 + N2 + N3.
    pub fn buffer(&self) -> u64 {
        self.n1 + self.n2 + self.n3
    }
}

/// Parameters of a scheme.
pub trait CreditConfig {
    /// Sizes on a given link.
    ///
    /// # Errors
    /// Where the scheme cannot work on this link; the error says why.
    fn sizing(&self, link: &LinkLoop) -> Result<Sizing, SpecError>;

    /// State of the sending end.
    fn sender(&self, sizing: &Sizing) -> Box<dyn CreditSender>;

    /// State of the receiving end.
    fn receiver(&self, sizing: &Sizing) -> Box<dyn CreditReceiver>;

    /// How long a sender without credit waits before it asks for some; `None`: for ever.
    fn timeout(&self) -> Option<Duration>;

    /// Period of redundant credit cells; `None`: none are sent.
    fn redundant(&self) -> Option<Duration>;
}

/// The sending end of a link, for one VC.
pub trait CreditSender: Send {
    /// True while a data cell may go.
    fn may_send(&self) -> bool {
        self.balance() > 0
    }

    /// Cells that may go before the next credit cell.
    fn balance(&self) -> u64;

    /// A data cell started at `now`.
    fn sent(&mut self, now: Time);

    /// An intact credit cell with `value` arrived.
    fn credited(&mut self, now: Time, value: u32);

    /// What a request carries to the receiver.
    fn request(&self) -> u32 {
        0
    }
}

/// The receiving end of a link, for one VC.
pub trait CreditReceiver: Send {
    /// A data cell of the VC arrived over the link.
    fn arrived(&mut self) {}

    /// A data cell of the VC left the buffer (by every branch of a multicast VC). True when a credit cell is due.
    fn forwarded(&mut self) -> bool;

    /// The value of the credit cell that starts now, with `held` cells of the VC in the buffer; `None`: no need to send.
    ///
    /// Read when the cell starts, not when it became due, so that waiting for the line costs no credit.
    fn value(&mut self, held: u64) -> Option<u32>;

    /// The sender asked for credit; the request carried `count`.
    fn requested(&mut self, _count: u32) {}
}

/// Counts forwarded cells towards the next credit cell.
struct EveryN2 {
    n2: u64,
    since: u64,
}

impl EveryN2 {
    fn new(n2: u64) -> EveryN2 {
        EveryN2 { n2, since: 0 }
    }

    /// A cell was forwarded; true if a credit cell is due.
    #[inline]
    fn forwarded(&mut self) -> bool {
        self.since += 1;
        self.since >= self.n2
    }

    /// A credit cell starts. What was forwarded while it waited for the line counts towards the next, so that credit
    /// cells come once in N2 cells on average (section 7.4 of the N23 paper); but never one at once, as absolute
    /// credits repeat nothing. A credit cell that was not due starts the count anew.
    fn credit_cell(&mut self) {
        self.since = self.since.saturating_sub(self.n2).min(self.n2 - 1);
    }
}

/// A receiving end that tells after each N2 cells how many places of a zone are free.
struct FreePlaces {
    every_n2: EveryN2,
    zone: u64,
}

impl FreePlaces {
    fn new(n2: u64, zone: u64) -> Box<FreePlaces> {
        Box::new(FreePlaces { every_n2: EveryN2::new(n2), zone })
    }
}

impl CreditReceiver for FreePlaces {
    fn forwarded(&mut self) -> bool {
        self.every_n2.forwarded()
    }

    fn value(&mut self, held: u64) -> Option<u32> {
        let free = self.zone.saturating_sub(held);
        // "A credit cell need not be sent when the combined area is totally occupied" (N23 paper, section 4.3).
        if free == 0 {
            return None;
        }
        self.every_n2.credit_cell();
        Some(free as u32)
    }
}

/// Checks N2 and settles N3 from its own value, from a target bandwidth, or for the full line rate.
fn zones(
    n2: Cells,
    n3: Option<Cells>,
    target: Option<CellRate>,
    r: Duration,
    link: &LinkLoop,
) -> Result<(u64, u64), SpecError> {
    const LARGEST: u64 = 1 << 30;
    if n2.0 == 0 || n2.0 > LARGEST {
        return Err(SpecError::new("n2", "a credit cell cannot follow every N2 forwarded cells")
            .found(n2.0)
            .allowed(format_args!("1 to {LARGEST} cells")));
    }
    let n3 = match (n3, target) {
        (Some(_), Some(_)) => {
            return Err(SpecError::new("target", "both n3 and target are given, and each fixes N3")
                .allowed("one of them (eq. 3: N3 = R x target)"));
        }
        (Some(n3), None) => n3.0,
        (None, Some(target)) if target.is_zero() || target.exceeds(link.rate) => {
            return Err(SpecError::new("target", "the target bandwidth of the VC is impossible on this link")
                .found(format_args!("{:.6} cells/s", target.per_second()))
                .allowed(format_args!("more than 0 and at most {:.6} cells/s", link.rate.per_second())));
        }
        (None, Some(target)) => LinkLoop::cells(target, r),
        (None, None) => LinkLoop::cells(link.rate, r),
    };
    if n3 > LARGEST {
        return Err(SpecError::new("n3", "the N3 zone is too large")
            .found(n3)
            .allowed(format_args!("0 to {LARGEST} cells")));
    }
    Ok((n2.0, n3))
}

fn positive(name: &str, value: Option<Duration>) -> Result<(), SpecError> {
    match value {
        Some(Duration::ZERO) => {
            Err(SpecError::new(name, "a period of no length").found("0 s").allowed("more than 0 s"))
        }
        _ => Ok(()),
    }
}
