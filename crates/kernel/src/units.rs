//! Quantities with a unit in the type: rates, cell counts, and the exact clock of a line.

use crate::time::{Duration, PS_PER_SECOND};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Bits of one cell on the line: 53 octets (I.361).
pub const CELL_BITS: u64 = 53 * 8;

/// Rate of a line in bit/s of whole cells (header and payload): parameter, integer, at least 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BitRate(u64);

impl BitRate {
    /// `bps` bit/s.
    pub const fn from_bps(bps: u64) -> BitRate {
        BitRate(bps)
    }

    /// Bit/s.
    pub const fn bps(self) -> u64 {
        self.0
    }

    /// The same rate in cells/s, exactly.
    pub const fn cells(self) -> CellRate {
        CellRate { num: self.0, den: CELL_BITS }
    }
}

/// Rate of cells: `num / den` cells/s, exact, in JSON `[num, den]`.
///
/// A rational, because 155.52 Mbit/s is no whole number of cells per second and a paced source must not drift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct CellRate {
    num: u64,
    den: u64,
}

impl CellRate {
    /// `num / den` cells/s.
    pub const fn new(num: u64, den: u64) -> CellRate {
        CellRate { num, den }
    }

    /// The rate closest to `cells_per_second`, to 1e-6 cells/s.
    pub fn from_f64(cells_per_second: f64) -> CellRate {
        CellRate { num: (cells_per_second * 1e6).round() as u64, den: 1_000_000 }
    }

    /// Cells per second.
    pub fn per_second(self) -> f64 {
        self.num as f64 / self.den as f64
    }

    /// True for 0 cells/s, and for the meaningless n/0.
    pub const fn is_zero(self) -> bool {
        self.num == 0 || self.den == 0
    }

    /// Cells that this rate makes in `d`, rounded up: `ceil(num * d / den)`.
    pub fn cells_in(self, d: Duration) -> u64 {
        let exact = self.num as u128 * d.ps() as u128;
        exact.div_ceil(self.den as u128 * PS_PER_SECOND as u128) as u64
    }

    /// Ordering by value.
    pub fn exceeds(self, other: CellRate) -> bool {
        self.num as u128 * other.den as u128 > other.num as u128 * self.den as u128
    }
}

impl From<(u64, u64)> for CellRate {
    fn from((num, den): (u64, u64)) -> CellRate {
        CellRate { num, den }
    }
}

impl From<CellRate> for (u64, u64) {
    fn from(r: CellRate) -> (u64, u64) {
        (r.num, r.den)
    }
}

/// A number of cells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cells(pub u64);

/// A number of bytes (octets) of user data.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A probability or other fraction in [0, 1].
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fraction(pub f64);

macro_rules! unit_schema {
    ($($ty:ty => $name:literal, $schema:tt;)*) => {$(
        impl schemars::JsonSchema for $ty {
            fn schema_name() -> Cow<'static, str> { $name.into() }
            fn inline_schema() -> bool { true }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema { schemars::json_schema!($schema) }
        }
    )*};
}

unit_schema! {
    BitRate => "BitRate", {"type": "integer", "minimum": 1, "format": "bit-rate"};
    CellRate => "CellRate", {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2, "format": "cell-rate"};
    Cells => "Cells", {"type": "integer", "minimum": 0, "format": "cells"};
    Bytes => "Bytes", {"type": "integer", "minimum": 0, "format": "bytes"};
    Fraction => "Fraction", {"type": "number", "minimum": 0, "maximum": 1, "format": "fraction"};
}

/// The exact clock of equal slots: successive slot ends `floor(k * period)` picoseconds after an epoch.
///
/// The period is rational: at 155.52 Mbit/s a cell lasts 2 726 337.448... ps. The fraction is carried from slot to
/// slot without rounding (remainder of an integer division), so slot k is exact for every k; nothing drifts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellClock {
    whole: u64,
    part: u64,
    den: u64,
    carry: u64,
}

impl CellClock {
    /// A clock that ticks `rate` times a second.
    ///
    /// # Panics
    /// For a rate of zero, or beyond 2^63 cells/s.
    pub fn of_rate(rate: CellRate) -> CellClock {
        assert!(!rate.is_zero() && rate.num < 1 << 63, "a clock needs a positive rate");
        let ps = rate.den as u128 * PS_PER_SECOND as u128;
        let num = rate.num as u128;
        let whole = u64::try_from(ps / num).expect("a period below 2^64 ps");
        CellClock { whole, part: (ps % num) as u64, den: rate.num, carry: 0 }
    }

    /// The clock of a line: one tick for each cell of 424 bits.
    pub fn of_line(rate: BitRate) -> CellClock {
        CellClock::of_rate(rate.cells())
    }

    /// The length of the next slot; it is `floor` or `ceil` of the period.
    #[inline]
    pub fn tick(&mut self) -> Duration {
        let sum = self.carry + self.part;
        let over = sum >= self.den;
        self.carry = if over { sum - self.den } else { sum };
        Duration::from_ps(self.whole + u64::from(over))
    }

    /// The length of the next `slots` slots together, or 2^64 - 1 ps where it is longer.
    #[inline]
    pub fn ticks(&mut self, slots: u64) -> Duration {
        let sum = u128::from(self.carry) + u128::from(slots) * u128::from(self.part);
        self.carry = (sum % u128::from(self.den)) as u64;
        let ps = u128::from(slots) * u128::from(self.whole) + sum / u128::from(self.den);
        Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
    }

    /// Makes the present instant the epoch: the next slot starts a new count.
    #[inline]
    pub fn restart(&mut self) {
        self.carry = 0;
    }

    /// The period rounded down: no slot is shorter.
    pub const fn shortest(&self) -> Duration {
        Duration::from_ps(self.whole)
    }

    /// The period in seconds, for display and rate arithmetic.
    pub fn period_seconds(&self) -> f64 {
        (self.whole as f64 + self.part as f64 / self.den as f64) / PS_PER_SECOND as f64
    }

    /// The length of the first `slots` slots after an epoch: `floor(slots * period)`.
    ///
    /// # Panics
    /// When that exceeds 2^64 ps.
    pub fn span(&self, slots: u64) -> Duration {
        let fraction = slots as u128 * self.part as u128 / self.den as u128;
        let ps = slots as u128 * self.whole as u128 + fraction;
        Duration::from_ps(u64::try_from(ps).expect("a span below 2^64 ps"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn design_cell_times() {
        // 53 octets at 149.76 Mbit/s last 53/18 720 000 s, at 155.52 Mbit/s 2 726 337.448... ps.
        let sdh = CellClock::of_line(BitRate::from_bps(149_760_000));
        assert_eq!((sdh.whole, sdh.part * 18_720_000 / sdh.den), (2_831_196, 10_880_000));
        assert_eq!(CellClock::of_line(BitRate::from_bps(155_520_000)).whole, 2_726_337);
    }

    proptest! {
        /// Summing ticks gives the closed form, which is within 1 ps of the exact rational.
        #[test]
        fn ticks_equal_span(bps in 1_000u64..1_000_000_000_000, slots in 1u64..2_000) {
            let mut clock = CellClock::of_line(BitRate::from_bps(bps));
            let fresh = clock;
            let sum: u64 = (0..slots).map(|_| clock.tick().ps()).sum();
            prop_assert_eq!(sum, fresh.span(slots).ps());
            let exact_num = slots as u128 * CELL_BITS as u128 * PS_PER_SECOND as u128;
            prop_assert!((sum as u128) * bps as u128 <= exact_num && exact_num < (sum as u128 + 1) * bps as u128);
        }

        /// Taking slots in strides leaves the clock where single ticks would.
        #[test]
        fn strides_equal_ticks(bps in 1_000u64..1_000_000_000_000, strides in prop::collection::vec(0u64..50, 1..20)) {
            let mut by_stride = CellClock::of_line(BitRate::from_bps(bps));
            let mut by_one = by_stride;
            for slots in strides {
                let sum: u64 = (0..slots).map(|_| by_one.tick().ps()).sum();
                prop_assert_eq!(by_stride.ticks(slots).ps(), sum);
                prop_assert_eq!(by_stride, by_one);
            }
        }

        /// No drift after 10^9 cells.
        #[test]
        fn no_drift(bps in 1_000_000u64..1_000_000_000_000) {
            let clock = CellClock::of_line(BitRate::from_bps(bps));
            let ps = clock.span(1_000_000_000).ps() as u128;
            let exact_num = 1_000_000_000u128 * CELL_BITS as u128 * PS_PER_SECOND as u128;
            prop_assert!(ps * bps as u128 <= exact_num && exact_num < (ps + 1) * bps as u128);
        }

        #[test]
        fn cells_in_rounds_up(num in 1u64..1_000_000, us in 0u64..1_000_000) {
            let cells = CellRate::new(num, 1).cells_in(Duration::from_us(us));
            prop_assert!(cells * 1_000_000 >= num * us);
            prop_assert!(cells == 0 || (cells - 1) * 1_000_000 < num * us);
        }
    }
}
