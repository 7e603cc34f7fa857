//! The payload of an ABR resource management cell (TM 4.0, "RM cell format"; I.371 has the same fields).
//!
//! ```text
//! octet of the cell
//!   6       protocol identifier: 1
//!   7       DIR | BN | CI | NI | RA | 3 reserved bits
//!   8-9     ER    explicit cell rate            } 16-bit floating point,
//!   10-11   CCR   current cell rate             } see `rate`
//!   12-13   MCR   minimum cell rate             }
//!   14-17   QL    queue length        } used by I.371 only
//!   18-21   SN    sequence number     }
//!   22-51   reserved: 0x6A each
//!   52-53   6 reserved bits | CRC-10
//! ```
//!
//! The CRC-10 is the remainder of the 374 bits before it, times x^10, by x^10 + x^9 + x^5 + x^4 + x + 1. The cell's
//! header has payload type 110 and, for a virtual path connection, VCI 6.

use super::{Error, PAYLOAD_LEN, Payload, RmRate};
use crc::{CRC_10_ATM, Crc};
use std::ops::Range;

static CRC_10: Crc<u16> = Crc::<u16>::new(&CRC_10_ATM);
/// The generator, its x^10 included.
const GENERATOR: u16 = 0x633;

/// The protocol identifier of ABR.
pub const PROTOCOL_ID: u8 = 1;
/// What reserved octets hold.
pub const FILL: u8 = 0x6a;

/// Places in the payload, whose octet 0 is octet 6 of the cell.
mod at {
    use super::Range;

    pub(super) const PROTOCOL: usize = 0;
    pub(super) const FLAGS: usize = 1;
    pub(super) const ER: usize = 2;
    pub(super) const CCR: usize = 4;
    pub(super) const MCR: usize = 6;
    pub(super) const QL: usize = 8;
    pub(super) const SN: usize = 12;
    pub(super) const FILL: Range<usize> = 16..46;
    pub(super) const CRC: usize = 46;
}

const DIR: u8 = 0x80;
const BN: u8 = 0x40;
const CI: u8 = 0x20;
const NI: u8 = 0x10;
const RA: u8 = 0x08;

/// Which way an RM cell goes with respect to the data of its connection (DIR).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// With the data: from the source to the destination.
    #[default]
    Forward,
    /// Against the data: back to the source.
    Backward,
}

/// The meaning of an RM cell. The default is a forward cell with nothing set and all rates zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RmCell {
    /// Direction (DIR).
    pub direction: Direction,
    /// Backward explicit congestion notification (BN): a switch or the destination made the cell, not the source.
    pub backward_notification: bool,
    /// Congestion indication (CI): the source shall lower its rate.
    pub congestion: bool,
    /// No increase (NI): the source shall not raise its rate.
    pub no_increase: bool,
    /// Request/acknowledge (RA): of I.371; TM 4.0 sends 0.
    pub request: bool,
    /// Explicit cell rate (ER): the most that the source may send; elements on the way lower it.
    pub explicit_rate: RmRate,
    /// Current cell rate (CCR): the rate that the source was allowed when it made the cell.
    pub current_rate: RmRate,
    /// Minimum cell rate (MCR) of the connection.
    pub minimum_rate: RmRate,
    /// Queue length (QL), cells: of I.371; TM 4.0 sends 0.
    pub queue_length: u32,
    /// Sequence number (SN): of I.371; TM 4.0 sends 0.
    pub sequence: u32,
}

impl RmCell {
    /// The 48 octets of payload.
    pub fn emit(&self) -> Payload {
        let mut payload = [0; PAYLOAD_LEN];
        payload[at::PROTOCOL] = PROTOCOL_ID;
        for (flag, set) in [
            (DIR, self.direction == Direction::Backward),
            (BN, self.backward_notification),
            (CI, self.congestion),
            (NI, self.no_increase),
            (RA, self.request),
        ] {
            payload[at::FLAGS] |= if set { flag } else { 0 };
        }
        put(&mut payload, at::ER, self.explicit_rate.bits().to_be_bytes());
        put(&mut payload, at::CCR, self.current_rate.bits().to_be_bytes());
        put(&mut payload, at::MCR, self.minimum_rate.bits().to_be_bytes());
        put(&mut payload, at::QL, self.queue_length.to_be_bytes());
        put(&mut payload, at::SN, self.sequence.to_be_bytes());
        payload[at::FILL].fill(FILL);
        seal(&mut payload);
        payload
    }

    /// Reads 48 octets of payload. Reserved bits and octets are covered by the CRC and otherwise not looked at, so
    /// that a later format that uses them is still understood.
    ///
    /// # Errors
    /// [`Error::Crc`] for a cell with errors; [`Error::Field`] for one of another protocol than ABR.
    pub fn parse(payload: &Payload) -> Result<RmCell, Error> {
        if !crc_is_good(payload) {
            return Err(Error::Crc);
        }
        if payload[at::PROTOCOL] != PROTOCOL_ID {
            return Err(Error::Field { field: "RM protocol identifier", value: payload[at::PROTOCOL].into() });
        }
        let flag = |flag| payload[at::FLAGS] & flag != 0;
        let rate = |at| RmRate::from_bits(u16::from_be_bytes(take(payload, at)));
        Ok(RmCell {
            direction: if flag(DIR) { Direction::Backward } else { Direction::Forward },
            backward_notification: flag(BN),
            congestion: flag(CI),
            no_increase: flag(NI),
            request: flag(RA),
            explicit_rate: rate(at::ER),
            current_rate: rate(at::CCR),
            minimum_rate: rate(at::MCR),
            queue_length: u32::from_be_bytes(take(payload, at::QL)),
            sequence: u32::from_be_bytes(take(payload, at::SN)),
        })
    }
}

fn put<const N: usize>(payload: &mut Payload, at: usize, octets: [u8; N]) {
    payload[at..at + N].copy_from_slice(&octets);
}

fn take<const N: usize>(payload: &Payload, at: usize) -> [u8; N] {
    std::array::from_fn(|i| payload[at + i])
}

/// Writes the CRC-10 into the last ten bits of a payload, from all bits before it (OAM cells of I.610 end alike).
pub fn seal(payload: &mut Payload) {
    let reserved = payload[at::CRC] >> 2;
    // The catalogue's CRC goes by octets; the six reserved bits that remain are divided one by one.
    let mut remainder = CRC_10.checksum(&payload[..at::CRC]) ^ u16::from(reserved) << 4;
    for _ in 0..6 {
        remainder <<= 1;
        if remainder & 0x400 != 0 {
            remainder ^= GENERATOR;
        }
    }
    put(payload, at::CRC, (u16::from(reserved) << 10 | remainder).to_be_bytes());
}

/// Whether the last ten bits of a payload are the CRC-10 of those before: the whole is then divisible.
pub fn crc_is_good(payload: &Payload) -> bool {
    CRC_10.checksum(payload) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> RmCell {
        RmCell {
            direction: Direction::Backward,
            congestion: true,
            no_increase: true,
            explicit_rate: RmRate::from_per_second(353_207.0),
            current_rate: RmRate::from_per_second(1000.0),
            queue_length: 0x0102_0304,
            sequence: 0xdead_beef,
            ..RmCell::default()
        }
    }

    /// Long division of the first `bits` bits times x^10, bit by bit: the definition, without tables.
    fn divided(payload: &Payload, bits: usize) -> u16 {
        let message = (0..bits).map(|i| payload[i / 8] >> (7 - i % 8) & 1);
        message.chain([0; 10]).fold(0, |remainder, bit| {
            let shifted = remainder << 1 | u16::from(bit);
            if shifted & 0x400 != 0 { shifted ^ GENERATOR } else { shifted }
        })
    }

    #[test]
    fn catalogue_check_value() {
        assert_eq!(CRC_10.checksum(b"123456789"), 0x199);
    }

    /// The octets in full; the CRCs come from a division of the whole as one integer, outside this program.
    #[test]
    fn known_cells() {
        let mut empty = [0x6a; 48];
        empty[..16].copy_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        empty[46..].copy_from_slice(&[0x01, 0x9a]);
        assert_eq!(RmCell::default().emit(), empty);

        let forward = RmCell {
            explicit_rate: RmRate::from_per_second(353_207.0),
            current_rate: RmRate::from_per_second(1000.0),
            minimum_rate: RmRate::from_per_second(10.0),
            ..RmCell::default()
        };
        let mut octets = empty;
        octets[2..8].copy_from_slice(&[0x64, 0xb1, 0x53, 0xe8, 0x46, 0x80]);
        octets[46..].copy_from_slice(&[0x03, 0xaa]);
        assert_eq!(forward.emit(), octets);

        let mut octets = empty;
        octets[1..16]
            .copy_from_slice(&[0xb0, 0x64, 0xb1, 0x53, 0xe8, 0, 0, 0x01, 0x02, 0x03, 0x04, 0xde, 0xad, 0xbe, 0xef]);
        octets[46..].copy_from_slice(&[0x00, 0x06]);
        assert_eq!(sample().emit(), octets);
    }

    #[test]
    fn flags_from_the_most_significant_bit() {
        let flags = |cell: RmCell| cell.emit()[1];
        let none = RmCell::default();
        assert_eq!(flags(RmCell { direction: Direction::Backward, ..none }), 0x80);
        assert_eq!(flags(RmCell { backward_notification: true, ..none }), 0x40);
        assert_eq!(flags(RmCell { congestion: true, ..none }), 0x20);
        assert_eq!(flags(RmCell { no_increase: true, ..none }), 0x10);
        assert_eq!(flags(RmCell { request: true, ..none }), 0x08);
    }

    #[test]
    fn every_single_and_double_error_is_detected() {
        let good = sample().emit();
        for first in 0..8 * PAYLOAD_LEN {
            let mut wrong = good;
            wrong[first / 8] ^= 0x80 >> (first % 8);
            assert_eq!(RmCell::parse(&wrong), Err(Error::Crc), "bit {first}");
            for second in 0..first {
                wrong[second / 8] ^= 0x80 >> (second % 8);
                assert!(!crc_is_good(&wrong), "bits {first} and {second}");
                wrong[second / 8] ^= 0x80 >> (second % 8);
            }
        }
    }

    #[test]
    fn another_protocol_is_refused() {
        let mut other = sample().emit();
        other[0] = 2;
        assert_eq!(RmCell::parse(&other), Err(Error::Crc));
        seal(&mut other);
        assert_eq!(RmCell::parse(&other), Err(Error::Field { field: "RM protocol identifier", value: 2 }));
    }

    #[test]
    fn reserved_bits_do_not_matter() {
        let mut later = sample().emit();
        later[1] |= 0x07;
        later[2] |= 0x80;
        later[16..46].fill(0);
        later[46] |= 0xfc;
        seal(&mut later);
        assert_eq!(later[46] >> 2, 0x3f, "sealing keeps the reserved bits");
        assert_eq!(RmCell::parse(&later), Ok(sample()));
    }

    proptest! {
        #[test]
        fn round_trip(flags in any::<[bool; 5]>(), rates in any::<[u16; 3]>(), queue_length: u32, sequence: u32) {
            let [er, ccr, mcr] = rates.map(RmRate::from_bits);
            let cell = RmCell {
                direction: if flags[0] { Direction::Backward } else { Direction::Forward },
                backward_notification: flags[1],
                congestion: flags[2],
                no_increase: flags[3],
                request: flags[4],
                explicit_rate: er,
                current_rate: ccr,
                minimum_rate: mcr,
                queue_length,
                sequence,
            };
            prop_assert_eq!(RmCell::parse(&cell.emit()), Ok(cell));
        }

        /// Both shortcuts (octets first, then six bits; and divisibility of the whole) agree with the definition.
        #[test]
        fn crc_is_the_remainder(octets in any::<[[u8; 16]; 3]>()) {
            let mut payload: Payload = octets.concat().try_into().unwrap();
            seal(&mut payload);
            let sent = u16::from_be_bytes([payload[46], payload[47]]) & 0x3ff;
            prop_assert_eq!(sent, divided(&payload, 374));
            prop_assert!(crc_is_good(&payload));
        }

        /// Every burst of at most ten bits is detected.
        #[test]
        fn bursts_are_detected(start in 0usize..375, pattern in 1u16..1024) {
            let mut wrong = sample().emit();
            for i in (0..10).filter(|i| pattern >> i & 1 != 0 && start + i < 384) {
                wrong[(start + i) / 8] ^= 0x80 >> ((start + i) % 8);
            }
            prop_assume!(wrong != sample().emit());
            prop_assert_eq!(RmCell::parse(&wrong), Err(Error::Crc));
        }
    }
}
