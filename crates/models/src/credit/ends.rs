//! The two ends of a flow-controlled VC link, with what every scheme shares: books, time-outs, redundant credits.

use super::{CreditReceiver, CreditSender, CreditSpec, LinkLoop, Sizing};
use cellway_kernel::error::SpecError;
use cellway_kernel::probe::Gauge;
use cellway_kernel::rng::name_hash;
use cellway_kernel::time::{Duration, Time};

/// Sending end of one VC on one link.
pub struct SenderEnd {
    scheme: Box<dyn CreditSender>,
    timeout: Option<Duration>,
    /// When to ask for credit; never while nothing waits or credit is there.
    deadline: Time,
    /// Kind of scheme.
    pub kind: &'static str,
    /// Its sizes.
    pub sizing: Sizing,
    /// Intact credit cells that arrived.
    pub received: u64,
    /// Credit cells that the CRC-32 rejected.
    pub discarded: u64,
    /// Requests for credit sent after a time-out.
    pub requests: u64,
    /// Records the balance, where somebody asked.
    pub gauge: Option<Box<Gauge>>,
}

impl SenderEnd {
    /// The sending end of `spec` on a link.
    ///
    /// # Errors
    /// Where the scheme cannot work on the link.
    pub fn new(spec: &CreditSpec, link: &LinkLoop) -> Result<SenderEnd, SpecError> {
        let config = spec.config();
        let sizing = config.sizing(link)?;
        Ok(SenderEnd {
            scheme: config.sender(&sizing),
            timeout: config.timeout(),
            deadline: Time::NEVER,
            kind: spec.kind(),
            sizing,
            received: 0,
            discarded: 0,
            requests: 0,
            gauge: None,
        })
    }

    /// True while a data cell may go.
    #[inline]
    pub fn may_send(&self) -> bool {
        self.scheme.may_send()
    }

    /// Cells that may go before the next credit cell.
    pub fn balance(&self) -> u64 {
        self.scheme.balance()
    }

    /// Whether this end ever asks for credit.
    pub fn has_timeout(&self) -> bool {
        self.timeout.is_some()
    }

    /// A data cell started at `now`.
    #[inline]
    pub fn sent(&mut self, now: Time) {
        self.scheme.sent(now);
        self.observe(now);
    }

    /// A credit cell arrived; a corrupted one is discarded by its CRC-32 (section 4.5 of the N23 paper).
    pub fn credit_cell(&mut self, now: Time, value: u32, corrupted: bool) {
        if corrupted {
            self.discarded += 1;
            return;
        }
        self.received += 1;
        self.scheme.credited(now, value);
        self.deadline = Time::NEVER;
        self.observe(now);
    }

    /// Cells wait and there is no credit: starts the time-out, unless it runs. True if it was started.
    pub fn blocked(&mut self, now: Time) -> bool {
        match self.timeout {
            Some(timeout) if self.deadline == Time::NEVER => {
                self.deadline = now + timeout;
                true
            }
            _ => false,
        }
    }

    /// When to ask for credit.
    pub fn deadline(&self) -> Time {
        self.deadline
    }

    /// The deadline has come: counts a request and starts the next time-out.
    pub fn ask(&mut self, now: Time) {
        self.requests += 1;
        self.deadline = self.timeout.map_or(Time::NEVER, |t| now + t);
    }

    /// Nothing waits any more: no request is needed.
    pub fn relax(&mut self) {
        self.deadline = Time::NEVER;
    }

    /// What a request carries.
    pub fn request(&self) -> u32 {
        self.scheme.request()
    }

    fn observe(&mut self, now: Time) {
        if let Some(gauge) = &mut self.gauge {
            gauge.set(now, self.scheme.balance() as f64);
        }
    }
}

/// Receiving end of one VC on one link.
pub struct ReceiverEnd {
    scheme: Box<dyn CreditReceiver>,
    /// A credit cell waits for the return line.
    pending: bool,
    /// Period of redundant credit cells.
    pub redundant: Option<Duration>,
    /// Size of the VC's buffer here, in cells: N1 + N2 + N3.
    pub buffer: u64,
    /// Credit cells sent.
    pub sent: u64,
    /// Most cells of the VC held at once.
    pub peak: u64,
    /// Cells that came although the buffer was full: sent without credit.
    pub overruns: u64,
}

impl ReceiverEnd {
    /// The receiving end of `spec` on a link.
    ///
    /// # Errors
    /// Where the scheme cannot work on the link.
    pub fn new(spec: &CreditSpec, link: &LinkLoop) -> Result<ReceiverEnd, SpecError> {
        let config = spec.config();
        let sizing = config.sizing(link)?;
        Ok(ReceiverEnd {
            scheme: config.receiver(&sizing),
            pending: false,
            redundant: config.redundant(),
            buffer: sizing.buffer(),
            sent: 0,
            peak: 0,
            overruns: 0,
        })
    }

    /// A data cell of the VC arrived, when `held` were here before it. False if the buffer has no room for it.
    #[inline]
    pub fn arrived(&mut self, held: u64) -> bool {
        self.scheme.arrived();
        if held >= self.buffer {
            self.overruns += 1;
            return false;
        }
        self.peak = self.peak.max(held + 1);
        true
    }

    /// A data cell of the VC left. True if a credit cell must be put on the return line.
    #[inline]
    pub fn forwarded(&mut self) -> bool {
        self.scheme.forwarded() && self.wants_credit_cell()
    }

    /// The sender asked for credit, or a redundant credit is due. True if a credit cell must be put on the return line.
    pub fn wants_credit_cell(&mut self) -> bool {
        !std::mem::replace(&mut self.pending, true)
    }

    /// A request arrived. True if a credit cell must be put on the return line.
    pub fn requested(&mut self, count: u32, corrupted: bool) -> bool {
        if corrupted {
            return false;
        }
        self.scheme.requested(count);
        self.wants_credit_cell()
    }

    /// The return line is free: the value of the credit cell that starts now; `None` if it need not be sent.
    pub fn stamp(&mut self, held: u64) -> Option<u32> {
        self.pending = false;
        let value = self.scheme.value(held);
        self.sent += u64::from(value.is_some());
        value
    }
}

/// The first instant of a periodic timer: spread over the period by name, so that timers do not fire in step.
pub fn staggered(name: &str, period: Duration) -> Time {
    Time::ZERO + Duration::from_ps(1 + name_hash(name) % period.ps())
}
