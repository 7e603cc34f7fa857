//! The octets of a cell: what a line analyser would capture, and how to read it.
//!
//! The simulation itself carries small values, not octets; this codec translates between the two for captures and
//! conformance tests. It depends on no other module of this crate. Each format is a plain value ("what it means")
//! with `emit` and `parse` ("how it is written"); `parse` undoes `emit` exactly:
//!
//! - [`header`]: the five octets in front of every cell, at a UNI or an NNI, and their error control (I.361, I.432);
//! - [`rate`]: the 16-bit floating-point rate of RM cells (ATM Forum TM 4.0);
//! - [`rm`]: the payload of an ABR resource management cell, with its CRC-10 (TM 4.0);
//! - [`aal5`]: frames cut into cells and put together again, with CRC-32 (I.363.5), and the LLC/SNAP header of IP;
//! - [`credit`]: the payload of a credit cell, in a layout of our own.
//!
//! No `parse` trusts its input: any octets give a value or an [`Error`], never a panic.
//!
//! ```
//! use cellway_models::wire::{CellBytes, Format, Header, PayloadType, RmCell, RmRate};
//!
//! let rm = RmCell { explicit_rate: RmRate::from_per_second(353_207.5), ..RmCell::default() };
//! let header = Header { vci: 42, payload_type: PayloadType::ResourceManagement, ..Header::default() };
//! let cell = CellBytes { header: header.emit(Format::Uni)?, payload: rm.emit() };
//! assert_eq!(cell.to_bytes().len(), 53);
//! // Rates lose precision, downwards: no source ever exceeds what the switch computed.
//! assert_eq!(RmCell::parse(&cell.payload)?.explicit_rate.per_second(), 352_768.0);
//! # Ok::<(), cellway_models::wire::Error>(())
//! ```
#![forbid(unsafe_code)]

pub mod aal5;
pub mod credit;
pub mod header;
pub mod rate;
pub mod rm;

pub use credit::{CreditCell, Transaction};
pub use header::{Format, Header, HecReceiver, PayloadType};
pub use rate::RmRate;
pub use rm::{Direction, RmCell};

use std::fmt;

/// Octets of a cell (I.361).
pub const CELL_LEN: usize = HEADER_LEN + PAYLOAD_LEN;
/// Octets of a cell's header, its HEC included.
pub const HEADER_LEN: usize = 5;
/// Octets of a cell's payload.
pub const PAYLOAD_LEN: usize = 48;

/// The header of a cell, as sent.
pub type HeaderBytes = [u8; HEADER_LEN];
/// The payload of a cell, as sent.
pub type Payload = [u8; PAYLOAD_LEN];

/// A cell as sent: 53 octets, the most significant bit of each first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CellBytes {
    /// Octets 1 to 5.
    pub header: HeaderBytes,
    /// Octets 6 to 53.
    pub payload: Payload,
}

impl CellBytes {
    /// The octets in the order of transmission.
    pub fn to_bytes(&self) -> [u8; CELL_LEN] {
        let mut bytes = [0; CELL_LEN];
        bytes[..HEADER_LEN].copy_from_slice(&self.header);
        bytes[HEADER_LEN..].copy_from_slice(&self.payload);
        bytes
    }
}

impl TryFrom<&[u8]> for CellBytes {
    type Error = Error;

    /// Takes exactly one cell; nothing in it is checked yet.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are 53 octets.
    fn try_from(bytes: &[u8]) -> Result<CellBytes, Error> {
        let wrong = Error::Length { needed: CELL_LEN, found: bytes.len() };
        let (header, payload) = bytes.split_first_chunk().ok_or(wrong)?;
        Ok(CellBytes { header: *header, payload: payload.try_into().map_err(|_| wrong)? })
    }
}

/// Why octets were not understood, or a value cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The number of octets is wrong: truncated, or not a whole number of cells.
    Length {
        /// Octets wanted; where any number of cells will do, those of the next whole cell.
        needed: usize,
        /// Octets there are.
        found: usize,
    },
    /// The header error control does not match the header.
    Hec,
    /// The CRC-10 or CRC-32 does not match the payload.
    Crc,
    /// A field has a value that its format does not allow.
    Field {
        /// Name of the field.
        field: &'static str,
        /// Value found.
        value: u32,
    },
    /// The length in an AAL5 trailer does not fit the number of cells: cells were lost, or frames merged.
    FrameLength {
        /// Payload octets according to the trailer.
        claimed: usize,
        /// Octets of the whole PDU.
        found: usize,
    },
    /// The length in an AAL5 trailer is 0: the sender aborted the frame.
    Aborted,
    /// An AAL5 frame beyond 65 535 octets.
    TooLong,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::Length { needed, found } => write!(f, "{found} octets where {needed} are needed"),
            Error::Hec => write!(f, "the header error control does not match the header"),
            Error::Crc => write!(f, "the CRC does not match the payload"),
            Error::Field { field, value } => write!(f, "the field {field} may not be {value}"),
            Error::FrameLength { claimed, found } => {
                write!(f, "an AAL5 trailer claims {claimed} octets of payload in a PDU of {found}")
            }
            Error::Aborted => write!(f, "the sender aborted the AAL5 frame"),
            Error::TooLong => write!(f, "an AAL5 frame holds at most {} octets", aal5::MAX_PAYLOAD),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cell_is_53_octets() {
        let octets: Vec<u8> = (0..60).collect();
        let cell = CellBytes::try_from(&octets[..53]).unwrap();
        assert_eq!((cell.header, cell.payload[0], cell.payload[47]), ([0, 1, 2, 3, 4], 5, 52));
        assert_eq!(cell.to_bytes(), octets[..53]);
        for wrong in [0, 4, 5, 52, 54, 60] {
            assert_eq!(CellBytes::try_from(&octets[..wrong]), Err(Error::Length { needed: 53, found: wrong }));
        }
    }

    #[test]
    fn errors_name_what_was_found() {
        let text = Error::Field { field: "VPI", value: 256 }.to_string();
        assert_eq!(text, "the field VPI may not be 256");
        assert_eq!(Error::Length { needed: 53, found: 52 }.to_string(), "52 octets where 53 are needed");
    }

    proptest! {
        /// Noise never panics, noise with a good checksum neither; and a header that is accepted is kept to the bit.
        #[test]
        fn noise_is_read_or_refused(header: HeaderBytes, octets in any::<[[u8; 16]; 3]>()) {
            for format in [Format::Uni, Format::Nni] {
                let [a, b, c, d, _] = header;
                let sealed = [a, b, c, d, header::hec([a, b, c, d])];
                prop_assert_eq!(Header::parse(&sealed, format).unwrap().emit(format), Ok(sealed));
                prop_assert_eq!(Header::parse(&header, format).is_ok(), header == sealed);
            }
            let noise: Payload = octets.concat().try_into().unwrap();
            prop_assert_eq!(RmCell::parse(&noise).is_ok(), rm::crc_is_good(&noise) && noise[0] == rm::PROTOCOL_ID);
            let mut rm_cell = noise;
            rm_cell[0] = rm::PROTOCOL_ID;
            rm::seal(&mut rm_cell);
            let meaning = RmCell::parse(&rm_cell).unwrap();
            prop_assert_eq!(RmCell::parse(&meaning.emit()), Ok(meaning));

            let mut frame = noise;
            frame[42] = 0;
            frame[43] %= 42;
            aal5::seal(&mut frame);
            let length = usize::from(frame[43]);
            prop_assert_eq!(aal5::parse(&frame).is_ok(), (1..=40).contains(&length));
            prop_assert!(CreditCell::parse(&noise).is_err() && CreditCell::parse(&frame).is_err());
            frame[..4].copy_from_slice(&[credit::VERSION, 1, 0, 0]);
            frame[4] &= 0x0f;
            frame[12..44].fill(0);
            frame[43] = 12;
            aal5::seal(&mut frame);
            prop_assert_eq!(CreditCell::parse(&frame).unwrap().emit(), Ok(frame));
        }
    }
}
