//! The payload of a credit cell, which the receiver of a link sends back to its sender on a credit-carrier VC.
//!
//! The N23 paper (Kung, Morris, Charuhas and Lin, sections 1, 3 and 4.5) refers to a format "compatible with AAL type
//! 5", with a CRC-32, in the FCVC proposal of Kung and Chapman. That text was not at hand: **the layout below is
//! Cellway's own** and talks to no other equipment. It is a complete AAL5 frame of one cell (so AAU is set in its
//! header, see [`PAYLOAD_TYPE`]), and what is not used is zero:
//!
//! ```text
//! octet of the payload
//!   0       version: 1
//!   1       transaction: 1 = credit, 2 = sender requests credit
//!   2-3     reserved
//!   4-5     VPI of the credited VC, 12 bits
//!   6-7     VCI of the credited VC
//!   8-11    value: cells; 0 in a request
//!   12-39   padding
//!   40-47   AAL5 trailer: UU 0, CPI 0, length 12, CRC-32
//! ```

use super::{Error, Format, PAYLOAD_LEN, Payload, PayloadType, aal5};

/// The version of the layout.
pub const VERSION: u8 = 1;
/// Payload type of a credit cell: user data, the last cell of an AAL5 frame.
pub const PAYLOAD_TYPE: PayloadType = PayloadType::User { efci: false, aau: true };

/// Octets of the frame.
const LEN: usize = 12;
const CREDIT: u8 = 1;
const REQUEST: u8 = 2;

/// What a credit cell is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transaction {
    /// From the receiver of the VC's cells to their sender.
    Credit {
        /// Cells: the free places of the VC in the N23 and N123 schemes; in the counter form (Credit Update Protocol,
        /// Kung, Blackwell and Chapman 1994) the count of cells that the receiver has forwarded, modulo 2^32.
        value: u32,
    },
    /// From the sender, which has waited too long: it asks for a credit (N23 paper, section 4.5).
    SenderRequestCredit,
}

/// The meaning of a credit cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CreditCell {
    /// Virtual path identifier of the credited VC on this link, 12 bits.
    pub vpi: u16,
    /// Virtual channel identifier of the credited VC on this link.
    pub vci: u16,
    /// What the cell is for.
    pub transaction: Transaction,
}

impl CreditCell {
    /// The 48 octets of payload.
    ///
    /// # Errors
    /// [`Error::Field`] for a VPI beyond 12 bits.
    pub fn emit(&self) -> Result<Payload, Error> {
        if self.vpi > Format::Nni.max_vpi() {
            return Err(Error::Field { field: "VPI", value: self.vpi.into() });
        }
        let (transaction, value) = match self.transaction {
            Transaction::Credit { value } => (CREDIT, value),
            Transaction::SenderRequestCredit => (REQUEST, 0),
        };
        let mut payload = [0; PAYLOAD_LEN];
        payload[0] = VERSION;
        payload[1] = transaction;
        payload[4..6].copy_from_slice(&self.vpi.to_be_bytes());
        payload[6..8].copy_from_slice(&self.vci.to_be_bytes());
        payload[8..12].copy_from_slice(&value.to_be_bytes());
        payload[42..44].copy_from_slice(&(LEN as u16).to_be_bytes());
        aal5::seal(&mut payload);
        Ok(payload)
    }

    /// Reads 48 octets of payload. A wrong credit would lose cells or stall a VC, so anything unexpected is refused.
    ///
    /// # Errors
    /// [`Error::Crc`] for a cell with errors. Behind a good CRC: [`Error::Aborted`] or [`Error::FrameLength`] for a
    /// frame that is none of one cell, [`Error::Field`] for a field that the layout does not allow.
    pub fn parse(payload: &Payload) -> Result<CreditCell, Error> {
        if !aal5::crc_is_good(payload) {
            return Err(Error::Crc);
        }
        aal5::parse(payload)?;
        let word = |at: usize| u16::from_be_bytes([payload[at], payload[at + 1]]);
        let value = u32::from(word(8)) << 16 | u32::from(word(10));
        if payload[0] != VERSION {
            return Err(Error::Field { field: "credit cell version", value: payload[0].into() });
        }
        let transaction = match payload[1] {
            CREDIT => Transaction::Credit { value },
            REQUEST if value == 0 => Transaction::SenderRequestCredit,
            REQUEST => return Err(Error::Field { field: "value of a credit request", value }),
            other => return Err(Error::Field { field: "credit transaction", value: other.into() }),
        };
        let cell = CreditCell { vpi: word(4), vci: word(6), transaction };
        // Zero wherever emit writes zero, the length field included.
        let canonical = cell.emit()?;
        match (0..PAYLOAD_LEN - 4).find(|&i| payload[i] != canonical[i]) {
            Some(i) => Err(Error::Field { field: "unused octet of a credit cell", value: payload[i].into() }),
            None => Ok(cell),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SAMPLE: CreditCell = CreditCell { vpi: 0x0ab, vci: 0x1234, transaction: Transaction::Credit { value: 165 } };

    fn resealed(at: usize, octet: u8) -> Result<CreditCell, Error> {
        let mut payload = SAMPLE.emit().unwrap();
        payload[at] = octet;
        aal5::seal(&mut payload);
        CreditCell::parse(&payload)
    }

    /// The octets in full; the CRC comes from a division of the whole as one integer, outside this program.
    #[test]
    fn known_cell() {
        let mut octets = [0; 48];
        octets[..12].copy_from_slice(&[1, 1, 0, 0, 0x00, 0xab, 0x12, 0x34, 0, 0, 0, 165]);
        octets[40..].copy_from_slice(&[0, 0, 0, 12, 0x3f, 0xb0, 0x45, 0x15]);
        assert_eq!(SAMPLE.emit(), Ok(octets));
    }

    #[test]
    fn it_is_a_frame_of_aal5() {
        let payload = SAMPLE.emit().unwrap();
        assert_eq!(aal5::cells(LEN), 1);
        let frame = aal5::parse(&payload).unwrap();
        assert_eq!(frame.payload, &payload[..12]);
        assert_eq!(frame.emit().unwrap(), payload);
        assert_eq!(PAYLOAD_TYPE.bits(), 0b001);
    }

    #[test]
    fn every_single_error_is_detected_as_such() {
        let request = CreditCell { transaction: Transaction::SenderRequestCredit, ..SAMPLE };
        for cell in [SAMPLE, request] {
            let good = cell.emit().unwrap();
            for bit in 0..8 * PAYLOAD_LEN {
                let mut wrong = good;
                wrong[bit / 8] ^= 0x80 >> (bit % 8);
                assert_eq!(CreditCell::parse(&wrong), Err(Error::Crc), "bit {bit}");
            }
        }
    }

    #[test]
    fn a_good_crc_is_not_enough() {
        let field = |field, value| Err(Error::Field { field, value });
        assert_eq!(resealed(0, 2), field("credit cell version", 2));
        assert_eq!(resealed(1, 3), field("credit transaction", 3));
        assert_eq!(resealed(1, 2), field("value of a credit request", 165));
        assert_eq!(resealed(4, 0x10), field("VPI", 0x10ab));
        assert_eq!(resealed(20, 9), field("unused octet of a credit cell", 9));
        assert_eq!(resealed(43, 13), field("unused octet of a credit cell", 13));
        assert_eq!(resealed(43, 0), Err(Error::Aborted));
        assert_eq!(resealed(43, 41), Err(Error::FrameLength { claimed: 41, found: 48 }));
        let beyond = CreditCell { vpi: 4096, ..SAMPLE };
        assert_eq!(beyond.emit(), Err(Error::Field { field: "VPI", value: 4096 }));
    }

    proptest! {
        #[test]
        fn round_trip(vpi in 0u16..4096, vci: u16, value: u32, request: bool) {
            let transaction = if request { Transaction::SenderRequestCredit } else { Transaction::Credit { value } };
            let cell = CreditCell { vpi, vci, transaction };
            prop_assert_eq!(CreditCell::parse(&cell.emit().unwrap()), Ok(cell));
        }
    }
}
