//! The rates of RM cells: 16-bit floating point (TM 4.0, format of the RM cell).
//!
//! ```text
//!  16   15   14  13  12  11  10   9   8   7   6   5   4   3   2   1
//! | 0 | nz |     e (5 bits)     |           m (9 bits)              |     2^e (1 + m/512) nz   cells/s
//! ```
//!
//! From 1 cell/s to 2^31 (1 + 511/512) = 4 290 772 992 cells/s in steps of less than 0.2 %, and zero.

use cellway_kernel::units::CellRate;

/// The bit nz: the rate is not zero.
const NONZERO: u16 = 1 << 14;
/// Bits of the mantissa.
const MANTISSA_BITS: u32 = 9;
/// The largest exponent.
const MAX_EXPONENT: u32 = 31;

/// A rate that an RM cell can carry, in cells/s. The default is zero.
///
/// Values compare as the rates they are: the one bit nz = 0 makes a zero of any e and m, and all zeros are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RmRate(u16);

impl RmRate {
    /// No cells at all.
    pub const ZERO: RmRate = RmRate(0);
    /// The least rate above zero: 1 cell/s.
    pub const MIN_POSITIVE: RmRate = RmRate(NONZERO);
    /// The largest rate: 2^31 (1 + 511/512) cells/s.
    pub const MAX: RmRate = RmRate(0x7fff);

    /// The rate that these 16 bits mean. The reserved first bit is not looked at, nor are e and m of a zero.
    pub const fn from_bits(bits: u16) -> RmRate {
        if bits & NONZERO == 0 { RmRate::ZERO } else { RmRate(bits & 0x7fff) }
    }

    /// The 16 bits; the reserved bit is 0, and so is all of a zero.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The largest rate that does not exceed `rate`, exactly.
    ///
    /// Down and never up, so that a source that obeys an explicit rate stays within what the switch computed. Less
    /// than 1 cell/s becomes zero; more than [`RmRate::MAX`] becomes that.
    pub fn from_cell_rate(rate: CellRate) -> RmRate {
        if rate.is_zero() {
            return RmRate::ZERO;
        }
        let (num, den) = <(u64, u64)>::from(rate);
        match (num / den).checked_ilog2() {
            None => RmRate::ZERO,
            Some(e) if e > MAX_EXPONENT => RmRate::MAX,
            Some(e) => {
                // 512 + m = floor(512 rate / 2^e), between 512 and 1023.
                let significand = (u128::from(num) << MANTISSA_BITS) / (u128::from(den) << e);
                RmRate::pack(e, significand as u16)
            }
        }
    }

    /// The largest rate that does not exceed `cells_per_second`, exactly; see [`RmRate::from_cell_rate`]. A negative
    /// number, or not a number, becomes zero.
    pub fn from_per_second(cells_per_second: f64) -> RmRate {
        if cells_per_second.is_nan() || cells_per_second < 1.0 {
            return RmRate::ZERO;
        }
        // A double is 2^(e - 1023) (1 + m/2^52): the format wanted is a prefix of it.
        let bits = cells_per_second.to_bits();
        let e = (bits >> 52) as u32 - 1023;
        if e > MAX_EXPONENT {
            return RmRate::MAX;
        }
        RmRate::pack(e, 1 << MANTISSA_BITS | (bits >> (52 - MANTISSA_BITS)) as u16 & 0x1ff)
    }

    /// 2^e significand/512, for a significand of 512 to 1023: its first bit is implied.
    const fn pack(e: u32, significand: u16) -> RmRate {
        RmRate(NONZERO | (e as u16) << MANTISSA_BITS | significand & 0x1ff)
    }

    /// True for no cells at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// (e, 512 + m), for a rate that is not zero.
    const fn unpack(self) -> (u32, u64) {
        ((self.0 >> MANTISSA_BITS) as u32 & MAX_EXPONENT, (1 << MANTISSA_BITS | self.0 & 0x1ff) as u64)
    }

    /// The rate, exactly and in lowest terms.
    pub const fn cell_rate(self) -> CellRate {
        if self.is_zero() {
            return CellRate::new(0, 1);
        }
        let (e, significand) = self.unpack();
        let num = significand << e;
        let halvings = if num.trailing_zeros() < MANTISSA_BITS { num.trailing_zeros() } else { MANTISSA_BITS };
        CellRate::new(num >> halvings, 1 << (MANTISSA_BITS - halvings))
    }

    /// The rate in cells/s, exactly.
    pub const fn per_second(self) -> f64 {
        if self.is_zero() {
            return 0.0;
        }
        let (e, significand) = self.unpack();
        (significand << e) as f64 / 512.0
    }
}

impl From<RmRate> for CellRate {
    fn from(rate: RmRate) -> CellRate {
        rate.cell_rate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cellway_kernel::units::BitRate;
    use proptest::prelude::*;

    #[test]
    fn known_values() {
        assert_eq!(RmRate::MAX.per_second(), 2f64.powi(31) * (1.0 + 511.0 / 512.0));
        assert_eq!(RmRate::MAX.cell_rate(), CellRate::new(4_290_772_992, 1));
        assert_eq!(RmRate::MIN_POSITIVE.cell_rate(), CellRate::new(1, 1));
        assert_eq!(RmRate::from_bits(0x4001).cell_rate(), CellRate::new(513, 512));
        assert_eq!(RmRate::from_bits(0x4100).cell_rate(), CellRate::new(3, 2));
        // e = 18, m = 177: the 149.76 Mbit/s that an STM-1 has for cells are 353 207.5 cells/s = 2^18 (1 + 177.86/512).
        let stm1 = RmRate::from_cell_rate(BitRate::from_bps(149_760_000).cells());
        assert_eq!((stm1.bits(), stm1.per_second()), (0x64b1, 352_768.0));
        // TCR, 10 cells/s = 2^3 (1 + 128/512), needs no rounding.
        assert_eq!(RmRate::from_per_second(10.0).bits(), 0x4680);
        assert_eq!(RmRate::from_per_second(10.0).per_second(), 10.0);
    }

    #[test]
    fn ends_of_the_range() {
        let rates = [(0.0, 0), (0.999_999, 0), (1.0, 0x4000), (4_290_772_991.9, 0x7ffe), (4_290_772_992.0, 0x7fff)];
        for (rate, bits) in rates {
            assert_eq!(RmRate::from_per_second(rate).bits(), bits, "{rate}");
        }
        for (rate, expected) in [
            (f64::INFINITY, RmRate::MAX),
            (1e300, RmRate::MAX),
            (4_294_967_296.0, RmRate::MAX),
            (-5.0, RmRate::ZERO),
            (f64::NEG_INFINITY, RmRate::ZERO),
            (f64::NAN, RmRate::ZERO),
            (f64::MIN_POSITIVE, RmRate::ZERO),
        ] {
            assert_eq!(RmRate::from_per_second(rate), expected, "{rate}");
        }
        assert_eq!(RmRate::from_cell_rate(CellRate::new(u64::MAX, 1)), RmRate::MAX);
        assert_eq!(RmRate::from_cell_rate(CellRate::new(u64::MAX, u64::MAX)), RmRate::MIN_POSITIVE);
        assert_eq!(RmRate::from_cell_rate(CellRate::new(u64::MAX - 1, u64::MAX)), RmRate::ZERO);
        assert_eq!(RmRate::from_cell_rate(CellRate::new(0, 1)), RmRate::ZERO);
        assert_eq!(RmRate::from_cell_rate(CellRate::new(1, 0)), RmRate::ZERO);
    }

    #[test]
    fn every_code_round_trips_and_rounds_down() {
        let mut previous = RmRate::ZERO;
        for bits in NONZERO..=RmRate::MAX.bits() {
            let rate = RmRate::from_bits(bits);
            assert_eq!(rate.bits(), bits);
            assert_eq!(RmRate::from_bits(bits | 0x8000), rate, "the reserved bit is ignored");
            assert_eq!(RmRate::from_per_second(rate.per_second()), rate);
            assert_eq!(RmRate::from_cell_rate(rate.cell_rate()), rate);
            assert_eq!(rate.cell_rate().per_second(), rate.per_second());
            // Anything less, however little, is the code below.
            assert!(previous < rate && previous.per_second() < rate.per_second());
            assert_eq!(RmRate::from_per_second(rate.per_second().next_down()), previous);
            let (num, den) = rate.cell_rate().into();
            assert_eq!(RmRate::from_cell_rate(CellRate::new(num * 1_000_000 - 1, den * 1_000_000)), previous);
            previous = rate;
        }
    }

    #[test]
    fn without_nz_every_code_is_zero() {
        for bits in (0..NONZERO).chain(0x8000..0x8000 + NONZERO) {
            assert_eq!(RmRate::from_bits(bits), RmRate::ZERO);
        }
        assert_eq!((RmRate::ZERO.per_second(), RmRate::ZERO.cell_rate()), (0.0, CellRate::new(0, 1)));
    }

    proptest! {
        /// Never above the rate asked for, and less than 1/512 below it.
        #[test]
        fn rounds_down_by_less_than_one_step(num in 1u64..1 << 40, den in 1u64..1 << 20) {
            prop_assume!(num >= den && num / den < 1 << 32);
            let rate = CellRate::new(num, den);
            let code = RmRate::from_cell_rate(rate);
            prop_assert!(!code.cell_rate().exceeds(rate));
            prop_assert!(code == RmRate::MAX || code.per_second() * 513.0 / 512.0 > rate.per_second() * (1.0 - 1e-12));
        }

        #[test]
        fn both_encodings_agree(cells in 0u64..1 << 33, part in 0u64..1024) {
            let exact = CellRate::new(cells * 1024 + part, 1024);
            prop_assert_eq!(RmRate::from_cell_rate(exact), RmRate::from_per_second(exact.per_second()));
        }
    }
}
