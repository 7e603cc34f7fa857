//! The send window: what is outstanding, and how much may be (RFC 9293, section 3.3.1; RFC 5681).

use super::scoreboard::Scoreboard;
use super::segment::{Block, Seq};

/// What a sender knows of its flight, and the two variables that congestion control sets.
#[derive(Clone, Debug)]
pub struct Window {
    /// Largest segment (SMSS) (bytes).
    pub mss: u32,
    /// The receiver's window (bytes).
    pub offered: u32,
    /// The congestion window (bytes).
    pub cwnd: u32,
    /// The slow start threshold (bytes).
    pub ssthresh: u32,
    /// The first byte that is not acknowledged (SND.UNA).
    pub una: Seq,
    /// The next byte to send in order (SND.NXT); behind `max` after a time-out.
    pub nxt: Seq,
    /// The byte after the last one ever sent.
    pub max: Seq,
    /// What selective acknowledgements say; empty without them.
    pub scoreboard: Scoreboard,
    /// What congestion avoidance has saved up of the next byte, in units of 1 / cwnd.
    credit: u64,
}

/// Why a segment is next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It follows the one before: new data, or all over again after a time-out.
    InOrder,
    /// It is missing at the receiver.
    Missing,
    /// It is the last one missing, sent to hear from the receiver (RFC 6675, NextSeg rule 4).
    Rescue,
}

/// A segment that may be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Next {
    /// Its bytes.
    pub block: Block,
    /// Why it is next.
    pub reason: Reason,
}

impl Window {
    /// A window before anything is sent; the first byte is `start`.
    pub fn new(start: Seq, mss: u32, offered: u32, cwnd: u32, ssthresh: u32) -> Window {
        let scoreboard = Scoreboard::new(mss, start);
        Window { mss, offered, cwnd, ssthresh, una: start, nxt: start, max: start, scoreboard, credit: 0 }
    }

    /// Bytes sent and not acknowledged (FlightSize).
    pub fn flight(&self) -> u32 {
        self.max.since(self.una)
    }

    /// Half of the flight, at least two segments (RFC 5681, equation 4).
    pub fn half_flight(&self) -> u32 {
        (self.flight() / 2).max(2 * self.mss)
    }

    /// Half of the window in whole segments, at least two, as 4.3BSD has it (Stevens, *TCP/IP Illustrated 2*, 29.4).
    pub fn half_window(&self) -> u32 {
        (self.cwnd.min(self.offered) / 2 / self.mss).max(2) * self.mss
    }

    /// `acked` bytes are new: slow start by at most a segment, or congestion avoidance by a segment in a round trip
    /// (RFC 5681, section 3.1, equations 2 and 3, the latter with its fractions kept). Never beyond the receiver's
    /// window, which bounds the flight anyway.
    pub fn open(&mut self, acked: u32) {
        if self.cwnd < self.ssthresh {
            self.cwnd += acked.min(self.mss);
        } else {
            self.credit += u64::from(self.mss) * u64::from(self.mss);
            let cwnd = u64::from(self.cwnd);
            if self.credit >= cwnd {
                self.cwnd += (self.credit / cwnd) as u32;
                self.credit %= cwnd;
            }
        }
        self.cwnd = self.cwnd.min(self.offered);
    }

    /// True where the receiver's window has room for new data of so many bytes.
    pub fn has_room(&self, bytes: u32) -> bool {
        self.flight() + bytes <= self.offered
    }

    /// New data: the next `unsent` bytes, at most a segment, if the receiver's window allows.
    pub fn new_data(&self, unsent: u32) -> Option<Next> {
        let fits = unsent > 0 && self.has_room(unsent);
        fits.then(|| Next { block: Block::new(self.max, self.max.plus(unsent)), reason: Reason::InOrder })
    }

    /// What follows in order, if both windows allow: after a time-out what was sent before, without what is known to
    /// have arrived, and then new data.
    pub fn in_order(&self, unsent: u32) -> Option<Next> {
        let new = Block::new(self.max, self.max.plus(unsent));
        let (block, behind) = if self.nxt.before(self.max) {
            let block = self.scoreboard.missing_from(self.nxt, self.max).unwrap_or(new);
            (block, self.scoreboard.sacked().bytes_between(self.una, block.start))
        } else {
            (new, 0)
        };
        let outstanding = block.end.since(self.una);
        let fits = !block.is_empty() && outstanding - behind <= self.cwnd && outstanding <= self.offered;
        fits.then_some(Next { block, reason: Reason::InOrder })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(cwnd: u32, ssthresh: u32) -> Window {
        Window::new(Seq(0), 1000, 64_000, cwnd, ssthresh)
    }

    #[test]
    fn slow_start_doubles_and_avoidance_adds_a_segment_in_a_round_trip() {
        let mut w = window(1000, 8000);
        for expected in [2000, 4000, 8000, 9000, 10_000, 11_000] {
            for _ in 0..w.cwnd / 1000 {
                w.open(1000);
            }
            // Within a round trip the increment shrinks with the window: a little less than a segment each.
            assert!(w.cwnd <= expected && w.cwnd + 350 >= expected, "{} of {expected}", w.cwnd);
        }
    }

    #[test]
    fn the_window_opens_no_wider_than_the_receiver_offers() {
        let mut w = window(63_500, 64_000);
        w.open(1000);
        assert_eq!(w.cwnd, 64_000);
        w.open(1000);
        assert_eq!(w.cwnd, 64_000);
    }

    /// mss^2 / cwnd is 1.7 bytes for the windows of long paths: the fraction is not lost.
    #[test]
    fn fractions_add_up() {
        let mut w = Window::new(Seq(0), 1024, 1_000_000, 600_000, 1000);
        for _ in 0..10_000 {
            w.open(1024);
        }
        let exact = (600_000f64.powi(2) + 2.0 * 10_000.0 * 1024f64.powi(2)).sqrt();
        assert!((f64::from(w.cwnd) - exact).abs() < 1.0, "{} and {exact}", w.cwnd);
    }

    #[test]
    fn halves_are_at_least_two_segments() {
        let mut w = window(15_500, 64_000);
        w.max = Seq(9001);
        assert_eq!((w.half_window(), w.half_flight()), (7000, 4500));
        w.max = Seq(100);
        w.cwnd = 1000;
        assert_eq!((w.half_window(), w.half_flight()), (2000, 2000));
    }
}
