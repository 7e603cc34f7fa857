//! Cell headers (I.361) and their error control (I.432).
//!
//! ```text
//!          8   7   6   5   4   3   2   1           8   7   6   5   4   3   2   1
//! octet 1 |      GFC      |   VPI 8-5     |       |           VPI 12-5            |
//!       2 |   VPI 4-1     |   VCI 16-13   |       |   VPI 4-1     |   VCI 16-13   |
//!       3 |           VCI 12-5            |       |           VCI 12-5            |
//!       4 |   VCI 4-1     |    PTI    |CLP|       |   VCI 4-1     |    PTI    |CLP|
//!       5 |              HEC              |       |              HEC              |
//!                      UNI                                     NNI
//! ```
//!
//! The HEC is the remainder of the first 32 bits, times x^8, by x^8 + x^2 + x + 1, plus the coset 01010101, which
//! keeps an all-zero line from looking like cells. Over 40 bits this code has distance 4: it corrects one error or
//! detects two and three.

use super::{Error, HeaderBytes};
use crc::{CRC_8_I_432_1, Crc};

/// Remainder and coset in one: the catalogue's CRC-8/I-432-1 adds the 01010101.
static HEC: Crc<u8> = Crc::<u8>::new(&CRC_8_I_432_1);

/// Header of an idle cell, which fills the line where nothing is to be sent (I.432; VPI 0, VCI 0, CLP 1).
pub const IDLE: HeaderBytes = [0, 0, 0, 1, 0x52];
/// Header of an unassigned cell, which fills the line at the ATM layer (I.361; all zero).
pub const UNASSIGNED: HeaderBytes = [0, 0, 0, 0, 0x55];

/// Which of the two header formats: it depends on the interface, and nothing in the cell tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// User-network interface: GFC of 4 bits, VPI of 8.
    Uni,
    /// Network-node interface: no GFC, VPI of 12 bits.
    Nni,
}

impl Format {
    /// Largest virtual path identifier: 255 at a UNI, 4095 at an NNI.
    pub const fn max_vpi(self) -> u16 {
        match self {
            Format::Uni => 0xff,
            Format::Nni => 0xfff,
        }
    }
}

/// What a cell carries: the payload type identifier (PTI) of I.361.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PayloadType {
    /// User data, 0xx.
    User {
        /// Explicit forward congestion indication: a switch on the way was congested.
        efci: bool,
        /// ATM-user-to-ATM-user indication; AAL5 marks the last cell of a frame with it.
        aau: bool,
    },
    /// OAM F5 cell of one segment, 100.
    OamSegment,
    /// OAM F5 cell from end to end, 101.
    OamEndToEnd,
    /// Resource management, 110.
    ResourceManagement,
    /// Kept for later, 111.
    Reserved,
}

impl PayloadType {
    /// The type with these three bits; higher bits are not looked at.
    pub const fn from_bits(bits: u8) -> PayloadType {
        match bits & 0b111 {
            0b100 => PayloadType::OamSegment,
            0b101 => PayloadType::OamEndToEnd,
            0b110 => PayloadType::ResourceManagement,
            0b111 => PayloadType::Reserved,
            user => PayloadType::User { efci: user & 0b010 != 0, aau: user & 0b001 != 0 },
        }
    }

    /// The three bits.
    pub const fn bits(self) -> u8 {
        match self {
            PayloadType::User { efci, aau } => (efci as u8) << 1 | aau as u8,
            PayloadType::OamSegment => 0b100,
            PayloadType::OamEndToEnd => 0b101,
            PayloadType::ResourceManagement => 0b110,
            PayloadType::Reserved => 0b111,
        }
    }
}

impl Default for PayloadType {
    /// User data without any mark, 000.
    fn default() -> PayloadType {
        PayloadType::User { efci: false, aau: false }
    }
}

/// The meaning of a cell's header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Header {
    /// Generic flow control, 4 bits; 0 at an NNI, which has no such field, and where it is not used.
    pub gfc: u8,
    /// Virtual path identifier: 8 bits at a UNI, 12 at an NNI.
    pub vpi: u16,
    /// Virtual channel identifier.
    pub vci: u16,
    /// Payload type.
    pub payload_type: PayloadType,
    /// Cell loss priority: true for a cell that is to be lost first.
    pub clp: bool,
}

impl Header {
    /// The five octets, HEC included.
    ///
    /// # Errors
    /// [`Error::Field`] for a GFC or VPI that `format` has no room for.
    pub fn emit(&self, format: Format) -> Result<HeaderBytes, Error> {
        let max_gfc = if format == Format::Uni { 0xf } else { 0 };
        if self.gfc > max_gfc {
            return Err(Error::Field { field: "GFC", value: self.gfc.into() });
        }
        if self.vpi > format.max_vpi() {
            return Err(Error::Field { field: "VPI", value: self.vpi.into() });
        }
        let word = u32::from(self.gfc) << 28
            | u32::from(self.vpi) << 20
            | u32::from(self.vci) << 4
            | u32::from(self.payload_type.bits()) << 1
            | u32::from(self.clp);
        let [a, b, c, d] = word.to_be_bytes();
        Ok([a, b, c, d, hec([a, b, c, d])])
    }

    /// Reads five octets. To correct errors rather than refuse them, pass them through [`correct`] or a
    /// [`HecReceiver`] before.
    ///
    /// # Errors
    /// [`Error::Hec`] for any error in the header.
    pub fn parse(bytes: &HeaderBytes, format: Format) -> Result<Header, Error> {
        if syndrome(bytes) != 0 {
            return Err(Error::Hec);
        }
        let [a, b, c, d, _] = *bytes;
        let word = u32::from_be_bytes([a, b, c, d]);
        Ok(Header {
            gfc: if format == Format::Uni { a >> 4 } else { 0 },
            vpi: (word >> 20) as u16 & format.max_vpi(),
            vci: (word >> 4) as u16,
            payload_type: PayloadType::from_bits(d >> 1),
            clp: d & 1 != 0,
        })
    }
}

/// The header error control of the first four octets (I.432).
pub fn hec(octets: [u8; 4]) -> u8 {
    HEC.checksum(&octets)
}

/// Zero for a header without detectable error; it depends on the errors alone, not on the header.
fn syndrome(bytes: &HeaderBytes) -> u8 {
    let [a, b, c, d, sent] = *bytes;
    hec([a, b, c, d]) ^ sent
}

/// Corrects a single wrong bit in place, the HEC's own bits included. Returns whether there was one.
///
/// Three errors may look like one and are then "corrected" into a wrong header; that is why I.432 does not correct
/// two cells in a row, see [`HecReceiver`].
///
/// # Errors
/// [`Error::Hec`] for errors that are not a single bit; the header is then left as it was.
pub fn correct(bytes: &mut HeaderBytes) -> Result<bool, Error> {
    let found = syndrome(bytes);
    if found == 0 {
        return Ok(false);
    }
    // An error in the bit of x^k leaves the remainder of x^k: try them from the last bit of the HEC on.
    let mut power = 1u8;
    for k in 0..8 * bytes.len() {
        if power == found {
            bytes[bytes.len() - 1 - k / 8] ^= 1 << (k % 8);
            return Ok(true);
        }
        let carry = power & 0x80 != 0;
        power = power << 1 ^ if carry { 0x07 } else { 0 };
    }
    Err(Error::Hec)
}

/// The header error control of a receiver, with the two modes of I.432.
///
/// In correction mode, where it starts, a single wrong bit is corrected; any error leads to detection mode. There
/// every cell with an error is discarded, and the first one without leads back: a second error soon after the first
/// is more likely a burst than another single bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HecReceiver {
    detecting: bool,
}

impl HecReceiver {
    /// A receiver in correction mode.
    pub const fn new() -> HecReceiver {
        HecReceiver { detecting: false }
    }

    /// Takes the header of the next cell, corrects it if it may, and returns whether it did.
    ///
    /// # Errors
    /// [`Error::Hec`] where the cell is to be discarded.
    pub fn receive(&mut self, bytes: &mut HeaderBytes) -> Result<bool, Error> {
        let was_detecting = self.detecting;
        self.detecting = syndrome(bytes) != 0;
        if self.detecting && was_detecting {
            return Err(Error::Hec);
        }
        correct(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SAMPLE: Header =
        Header { gfc: 0, vpi: 0xab, vci: 0x1234, payload_type: PayloadType::User { efci: true, aau: true }, clp: true };

    fn flip(bytes: HeaderBytes, bits: &[usize]) -> HeaderBytes {
        let mut wrong = bytes;
        for bit in bits {
            wrong[bit / 8] ^= 0x80 >> (bit % 8);
        }
        wrong
    }

    /// The catalogue's check value, and the headers that I.432 prints with their HEC: idle, physical-layer OAM F1
    /// and F3; and an unassigned cell, whose HEC is the bare coset.
    #[test]
    fn known_values() {
        assert_eq!(HEC.checksum(b"123456789"), 0xa1);
        assert_eq!(hec([0, 0, 0, 0]), UNASSIGNED[4]);
        assert_eq!(hec([0, 0, 0, 1]), IDLE[4]);
        assert_eq!(hec([0, 0, 0, 3]), 0b0101_1100);
        assert_eq!(hec([0, 0, 0, 9]), 0b0110_1010);
        let idle = Header { clp: true, ..Header::default() };
        for format in [Format::Uni, Format::Nni] {
            assert_eq!(idle.emit(format), Ok(IDLE));
            assert_eq!(Header::default().emit(format), Ok(UNASSIGNED));
        }
    }

    #[test]
    fn fields_lie_where_i361_puts_them() {
        assert_eq!(SAMPLE.emit(Format::Uni).unwrap()[..4], [0x0a, 0xb1, 0x23, 0x47]);
        let nni = Header { vpi: 0xfab, payload_type: PayloadType::ResourceManagement, ..SAMPLE };
        let bytes = nni.emit(Format::Nni).unwrap();
        assert_eq!(bytes[..4], [0xfa, 0xb1, 0x23, 0x4d]);
        // The same octets at a UNI: the upper four bits of the path are flow control there.
        assert_eq!(Header::parse(&bytes, Format::Uni), Ok(Header { gfc: 0xf, vpi: 0xab, ..nni }));
    }

    #[test]
    fn payload_types() {
        for bits in 0..8 {
            assert_eq!(PayloadType::from_bits(bits).bits(), bits);
        }
        assert_eq!(PayloadType::from_bits(0b001), PayloadType::User { efci: false, aau: true });
        assert_eq!(PayloadType::from_bits(0b010), PayloadType::User { efci: true, aau: false });
    }

    #[test]
    fn fields_out_of_range_are_refused() {
        let refused = |header: Header, format| header.emit(format).unwrap_err();
        assert_eq!(refused(Header { vpi: 256, ..SAMPLE }, Format::Uni), Error::Field { field: "VPI", value: 256 });
        assert_eq!(refused(Header { vpi: 4096, ..SAMPLE }, Format::Nni), Error::Field { field: "VPI", value: 4096 });
        assert_eq!(refused(Header { gfc: 16, ..SAMPLE }, Format::Uni), Error::Field { field: "GFC", value: 16 });
        assert_eq!(refused(Header { gfc: 1, ..SAMPLE }, Format::Nni), Error::Field { field: "GFC", value: 1 });
    }

    /// All 40 single errors are corrected; all 780 double errors are detected and none is taken for a single one.
    /// The code is linear, so one header stands for all; the property below tries others.
    #[test]
    fn one_error_is_corrected_and_two_are_detected() {
        let good = SAMPLE.emit(Format::Uni).unwrap();
        assert_eq!(correct(&mut good.clone()), Ok(false));
        for first in 0..40 {
            let mut wrong = flip(good, &[first]);
            assert_eq!(Header::parse(&wrong, Format::Uni), Err(Error::Hec), "bit {first}");
            assert_eq!(correct(&mut wrong), Ok(true), "bit {first}");
            assert_eq!(wrong, good, "bit {first}");
            for second in 0..first {
                let mut wrong = flip(good, &[first, second]);
                assert_eq!(correct(&mut wrong), Err(Error::Hec), "bits {first} and {second}");
                assert_eq!(wrong, flip(good, &[first, second]), "an uncorrectable header stays as it was");
            }
        }
    }

    #[test]
    fn three_errors_are_detected() {
        let good = SAMPLE.emit(Format::Uni).unwrap();
        for a in 0..40 {
            for b in 0..a {
                for c in 0..b {
                    assert_eq!(Header::parse(&flip(good, &[a, b, c]), Format::Uni), Err(Error::Hec));
                }
            }
        }
    }

    #[test]
    fn a_receiver_corrects_only_after_a_good_header() {
        let good = SAMPLE.emit(Format::Uni).unwrap();
        let (single, double) = (flip(good, &[17]), flip(good, &[3, 30]));
        let mut receiver = HecReceiver::new();
        let mut receive = |header: HeaderBytes| {
            let mut header = header;
            receiver.receive(&mut header).map(|corrected| (corrected, header))
        };
        assert_eq!(receive(good), Ok((false, good)));
        assert_eq!(receive(single), Ok((true, good)));
        assert_eq!(receive(single), Err(Error::Hec), "in detection mode nothing is corrected");
        assert_eq!(receive(single), Err(Error::Hec));
        assert_eq!(receive(good), Ok((false, good)), "back to correction mode");
        assert_eq!(receive(double), Err(Error::Hec));
        assert_eq!(receive(single), Err(Error::Hec));
        assert_eq!(receive(good), Ok((false, good)));
        assert_eq!(receive(single), Ok((true, good)));
    }

    proptest! {
        #[test]
        fn round_trip(gfc in 0u8..16, vpi in 0u16..4096, vci: u16, pti in 0u8..8, clp: bool, bit in 0usize..40) {
            let payload_type = PayloadType::from_bits(pti);
            let uni = Header { gfc, vpi: vpi & 0xff, vci, payload_type, clp };
            let nni = Header { gfc: 0, vpi, vci, payload_type, clp };
            for (header, format) in [(uni, Format::Uni), (nni, Format::Nni)] {
                let bytes = header.emit(format).unwrap();
                prop_assert_eq!(Header::parse(&bytes, format), Ok(header));
                let mut wrong = flip(bytes, &[bit]);
                prop_assert_eq!(correct(&mut wrong), Ok(true));
                prop_assert_eq!(wrong, bytes);
            }
        }
    }
}
