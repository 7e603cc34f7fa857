//! The continuous-state leaky bucket of I.371 and TM 4.0, in exact arithmetic.

use super::Pace;
use cellway_kernel::time::Time;

/// A bucket that drains at one unit of time for each unit of time, and into which each conforming cell pours a period.
///
/// Source: ITU-T I.371, annex A, and ATM Forum TM 4.0, section 4.4.3 (X, LCT, I and L there).
#[derive(Clone, Debug)]
pub(super) struct LeakyBucket {
    pace: Pace,
    /// L: a cell conforms while the bucket holds no more than this.
    limit: u128,
    /// X, as of the last compliance time.
    level: u128,
    /// LCT.
    last: Time,
}

impl LeakyBucket {
    pub(super) fn new(pace: Pace, limit: u128) -> LeakyBucket {
        LeakyBucket { pace, limit, level: 0, last: Time::ZERO }
    }

    /// X', or 0 where that is negative.
    fn level(&self, now: Time) -> u128 {
        self.level.saturating_sub(self.pace.units(now.since(self.last)))
    }

    /// Whether a cell at `now` would conform.
    pub(super) fn has_room(&self, now: Time) -> bool {
        self.level(now) <= self.limit
    }

    /// A cell at `now` counts.
    pub(super) fn pour(&mut self, now: Time) {
        self.level = self.level(now) + self.pace.period;
        self.last = now;
    }

    /// A cell at `now` counts if it conforms.
    pub(super) fn conforms(&mut self, now: Time) -> bool {
        let conforms = self.has_room(now);
        if conforms {
            self.pour(now);
        }
        conforms
    }
}
