//! What a resource management (RM) cell says, as it travels: rates are exact, the byte form is [`crate::wire::rm`].

use crate::wire::RmRate;
use crate::wire::rm::{Direction, RmCell};

/// The contents of an RM cell. They wait in the post of the cell's flow, under the cell's handle.
///
/// Source: TM 4.0, section 5.10.3.1 (RM-cell structure).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Rm {
    /// DIR: on its way back to the source.
    pub backward: bool,
    /// BN: made by a switch or the destination, not turned round.
    pub bn: bool,
    /// CI: the source shall lower its rate.
    pub ci: bool,
    /// NI: the source shall not raise its rate.
    pub ni: bool,
    /// ER: the most that the source may send [cells/s].
    pub er: f64,
    /// CCR: what the source was allowed when it made the cell [cells/s].
    pub ccr: f64,
    /// MCR: the minimum rate of the contract [cells/s].
    pub mcr: f64,
}

impl Rm {
    /// With each rate rounded down to one that 16 bits can say.
    #[must_use]
    pub fn encoded(self) -> Rm {
        let round = |rate: f64| RmRate::from_per_second(rate).per_second();
        Rm { er: round(self.er), ccr: round(self.ccr), mcr: round(self.mcr), ..self }
    }
}

impl From<Rm> for RmCell {
    fn from(rm: Rm) -> RmCell {
        RmCell {
            direction: if rm.backward { Direction::Backward } else { Direction::Forward },
            backward_notification: rm.bn,
            congestion: rm.ci,
            no_increase: rm.ni,
            explicit_rate: RmRate::from_per_second(rm.er),
            current_rate: RmRate::from_per_second(rm.ccr),
            minimum_rate: RmRate::from_per_second(rm.mcr),
            ..RmCell::default()
        }
    }
}

impl From<RmCell> for Rm {
    fn from(cell: RmCell) -> Rm {
        Rm {
            backward: cell.direction == Direction::Backward,
            bn: cell.backward_notification,
            ci: cell.congestion,
            ni: cell.no_increase,
            er: cell.explicit_rate.per_second(),
            ccr: cell.current_rate.per_second(),
            mcr: cell.minimum_rate.per_second(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Through the 48 octets and back: what the encoding of TM 4.0 keeps is what `encoded` keeps.
        #[test]
        fn octets_hold_the_encoded_contents(
            flags: [bool; 4], er in 0.0..4e9f64, ccr in 0.0..400_000.0f64, mcr in 0.0..100_000.0f64,
        ) {
            let [backward, bn, ci, ni] = flags;
            let rm = Rm { backward, bn, ci, ni, er, ccr, mcr };
            let read = RmCell::parse(&RmCell::from(rm).emit()).expect("a cell just made");
            prop_assert_eq!(Rm::from(read), rm.encoded());
            prop_assert!(rm.encoded().er <= er && er < rm.encoded().er.max(1.0) * (1.0 + 1.0 / 512.0));
        }
    }

    #[test]
    fn known_octets() {
        // 353 207.5 cells/s (an STM-1) = 2^18 (1 + 177/512), rounded down; TCR, 10 = 2^3 (1 + 128/512).
        let rm = Rm { backward: true, bn: false, ci: true, ni: false, er: 353_207.5, ccr: 10.0, mcr: 0.0 };
        let octets = RmCell::from(rm).emit();
        assert_eq!(octets[..8], [1, 0b1010_0000, 0x64, 0xb1, 0x46, 0x80, 0, 0]);
        assert_eq!(rm.encoded().er, 352_768.0);
    }
}
