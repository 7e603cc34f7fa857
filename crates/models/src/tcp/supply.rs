//! What the application of a sender has written so far: all at once or at a rate, without end or so many bytes.

use cellway_kernel::time::Time;
use cellway_kernel::units::CellClock;

/// The bytes that an application writes.
#[derive(Clone, Debug)]
pub struct Supply {
    /// Bytes in all; `u64::MAX` without end.
    total: u64,
    written: u64,
    /// Bytes of one writing.
    block: u64,
    /// Paces the writings; none writes everything at the start.
    clock: Option<CellClock>,
    next: Time,
}

impl Supply {
    /// An application that begins at `start`. With a `clock` it writes `block` bytes there and at each tick.
    pub fn new(start: Time, total: u64, block: u32, clock: Option<CellClock>) -> Supply {
        Supply { total, written: 0, block: u64::from(block), clock, next: start }
    }

    /// When it writes next.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Writes what is due by `now`.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        while self.next <= now {
            self.written = match &mut self.clock {
                None => self.total,
                Some(clock) => {
                    self.next = self.next.saturating_add(clock.tick());
                    self.total.min(self.written + self.block)
                }
            };
            if self.written == self.total {
                self.next = Time::NEVER;
            }
        }
    }

    /// Bytes of the next segment after the first `sent` bytes: a full one of `mss`, or what is left at the end, or 0
    /// while less is written (Nagle's rule, RFC 1122, section 4.2.3.4).
    #[inline]
    pub fn segment(&self, sent: u64, mss: u32) -> u32 {
        let waiting = self.written - sent;
        if waiting >= u64::from(mss) {
            mss
        } else if self.written == self.total {
            waiting as u32
        } else {
            0
        }
    }

    /// True when everything is written, and that was so many bytes.
    pub fn is_complete(&self, bytes: u64) -> bool {
        bytes == self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cellway_kernel::units::CellRate;

    #[test]
    fn everything_at_once() {
        let mut supply = Supply::new(Time::from_ps(5), 2500, 1000, None);
        supply.advance(Time::from_ps(4));
        assert_eq!((supply.segment(0, 1000), supply.next()), (0, Time::from_ps(5)));
        supply.advance(Time::from_ps(5));
        assert_eq!([0, 1000, 2000, 2500].map(|sent| supply.segment(sent, 1000)), [1000, 1000, 500, 0]);
        assert_eq!(supply.next(), Time::NEVER);
    }

    #[test]
    fn at_a_rate() {
        // 1000 bytes each 3 ps and a third.
        let clock = CellClock::of_rate(CellRate::new(300_000_000_000, 1));
        let mut supply = Supply::new(Time::from_ps(100), 3400, 1000, Some(clock));
        let mut times = Vec::new();
        while supply.next() != Time::NEVER {
            times.push(supply.next().ps());
            supply.advance(supply.next());
        }
        assert_eq!(times, [100, 103, 106, 110]);
        assert_eq!([2000, 3000, 3400].map(|sent| supply.segment(sent, 1000)), [1000, 400, 0]);
    }
}
