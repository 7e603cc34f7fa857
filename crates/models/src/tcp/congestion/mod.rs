//! Congestion control and loss recovery: when the window opens and closes, and what is sent next.
//!
//! The sender counts, times and transmits; an algorithm sets `cwnd` and `ssthresh` and chooses among the segments that
//! the [`Window`] offers.

use super::window::{Next, Window};
use crate::family::family;

family! {
    /// Congestion control and loss recovery of a TCP sender.
    CongestionSpec: CongestionConfig;
    tahoe => Tahoe,
    reno => Reno,
    new_reno => NewReno,
    sack => Sack,
    sack1 => Sack1,
}

impl Default for CongestionSpec {
    fn default() -> Self {
        CongestionSpec::sack(sack::Sack {})
    }
}

/// Parameters of an algorithm.
pub trait CongestionConfig {
    /// Builds the state for one connection, whose first byte is `w.una`.
    fn build(&self, w: &Window) -> Box<dyn Congestion>;

    /// True where it makes use of selective acknowledgements, so that the receiver sends them.
    fn selective(&self) -> bool {
        false
    }
}

/// Duplicate acknowledgements that mean a loss (RFC 5681, section 3.2).
pub const DUPLICATES: u32 = 3;

/// What an acknowledgement makes the sender do besides sending what [`Congestion::next`] allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reaction {
    /// Nothing.
    Continue,
    /// A loss is detected: the first segment that is not acknowledged goes at once, and the timer starts anew.
    FastRetransmit,
    /// A loss is detected, but what goes is left to [`Congestion::next`]; the timer starts anew.
    Restart,
    /// New data is acknowledged, but more is missing: the first segment that is not acknowledged goes at once. The timer
    /// starts anew only for the `first` of these (RFC 6582, section 3.2, step 3).
    Partial {
        /// It is the first since the loss was detected.
        first: bool,
    },
}

/// Congestion control of one connection.
pub trait Congestion: Send {
    /// An acknowledgement of nothing new while data is outstanding; it selectively acknowledges `news` bytes more.
    fn duplicate(&mut self, w: &mut Window, news: u32) -> Reaction;

    /// An acknowledgement of `acked` new bytes; `w.una` has moved already.
    fn acknowledged(&mut self, w: &mut Window, acked: u32) -> Reaction;

    /// The retransmission timer has expired, `again` for the same data. Sets `ssthresh`; the sender then sets `cwnd` to
    /// one segment and begins again at `w.una`.
    fn timed_out(&mut self, w: &mut Window, again: bool);

    /// What may be sent now, if anything; `unsent` are the bytes of the next segment of new data, 0 if there is none.
    fn next(&self, w: &Window, unsent: u32) -> Option<Next> {
        w.in_order(unsent)
    }

    /// This segment is sent; `w` does not count it yet.
    fn sent(&mut self, _w: &mut Window, _next: Next) {}
}
