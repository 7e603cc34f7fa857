//! ATM adaptation layer 5 (I.363.5): frames of up to 65 535 octets in cells.
//!
//! ```text
//!              frame                  padding        trailer, 8 octets
//! | 1 to 65 535 octets            | 0 to 47 | UU 1 | CPI 1 | length 2 | CRC-32 4 |
//! |<--------------------- CPCS-PDU: a multiple of 48 octets -------------------->|
//! ```
//!
//! The PDU is cut into payloads of 48 octets; the last cell of it has AAU set in its payload type. Cells of one frame
//! carry no number, so a lost cell shows in the length and the CRC only, and a lost last cell merges two frames.

use super::{Error, PAYLOAD_LEN, Payload};
use crc::{CRC_32_BZIP2, Crc};

/// The generator of Ethernet, most significant bit first, begun with ones and inverted at the end; the catalogue
/// knows CRC-32/BZIP2 as CRC-32/AAL5 too.
static CRC_32: Crc<u32> = Crc::<u32>::new(&CRC_32_BZIP2);

/// Octets of the trailer.
pub const TRAILER_LEN: usize = 8;
/// Octets of the longest frame: what the length field can say.
pub const MAX_PAYLOAD: usize = 0xffff;
/// Cells of the longest frame.
pub const MAX_CELLS: usize = cells(MAX_PAYLOAD);

/// LLC/SNAP header in front of an IP packet: LLC AA-AA-03, OUI 00-00-00, type 08-00 (RFC 2684, section 5.1).
pub const LLC_SNAP_IP: [u8; 8] = [0xaa, 0xaa, 0x03, 0x00, 0x00, 0x00, 0x08, 0x00];

/// Cells that carry a frame of `len` octets.
pub const fn cells(len: usize) -> usize {
    (len + TRAILER_LEN).div_ceil(PAYLOAD_LEN)
}

/// A frame received, without padding and trailer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The octets that the sender passed.
    pub payload: &'a [u8],
    /// User-to-user indication (UU): carried as it is.
    pub uu: u8,
    /// Common part indicator (CPI): 0; other values are for functions that I.363.5 leaves for later.
    pub cpi: u8,
}

impl Frame<'_> {
    /// The PDU of the frame, padded with zeros: [`cells`] times 48 octets.
    ///
    /// # Errors
    /// [`Error::TooLong`] beyond 65 535 octets; [`Error::Length`] for an empty frame, because length 0 means abort.
    pub fn emit(&self) -> Result<Vec<u8>, Error> {
        if self.payload.is_empty() {
            return Err(Error::Length { needed: 1, found: 0 });
        }
        let length = u16::try_from(self.payload.len()).map_err(|_| Error::TooLong)?;
        let mut pdu = vec![0; cells(self.payload.len()) * PAYLOAD_LEN];
        pdu[..self.payload.len()].copy_from_slice(self.payload);
        let trailer = pdu.len() - TRAILER_LEN;
        pdu[trailer] = self.uu;
        pdu[trailer + 1] = self.cpi;
        pdu[trailer + 2..trailer + 4].copy_from_slice(&length.to_be_bytes());
        seal(&mut pdu);
        Ok(pdu)
    }
}

/// Writes the CRC-32 into the last four octets of a PDU, from all octets before them.
///
/// # Panics
/// For less than four octets.
pub fn seal(pdu: &mut [u8]) {
    let (covered, sent) = pdu.split_last_chunk_mut::<4>().expect("a PDU holds a CRC-32");
    *sent = CRC_32.checksum(covered).to_be_bytes();
}

/// Whether the last four octets of a PDU are the CRC-32 of those before.
pub fn crc_is_good(pdu: &[u8]) -> bool {
    pdu.split_last_chunk().is_some_and(|(covered, sent)| CRC_32.checksum(covered) == u32::from_be_bytes(*sent))
}

/// The payloads of the cells of a PDU, in order, each with whether it is the last (AAU).
///
/// # Errors
/// [`Error::Length`] unless the PDU is a multiple of 48 octets and not empty.
pub fn segment(pdu: &[u8]) -> Result<impl ExactSizeIterator<Item = (&Payload, bool)>, Error> {
    let payloads = whole_cells(pdu)?;
    let last = payloads.len() - 1;
    Ok(payloads.iter().enumerate().map(move |(i, payload)| (payload, i == last)))
}

/// Reads a PDU. The length is checked before the CRC: it tells lost cells from wrong bits. Padding and CPI are
/// covered by the CRC and otherwise not looked at.
///
/// # Errors
/// [`Error::Length`] unless there are whole cells, at least one; [`Error::TooLong`] beyond [`MAX_CELLS`];
/// [`Error::Aborted`] for length 0; [`Error::FrameLength`] for a length that needs more or fewer cells than these;
/// [`Error::Crc`] for anything else that is wrong.
pub fn parse(pdu: &[u8]) -> Result<Frame<'_>, Error> {
    if whole_cells(pdu)?.len() > MAX_CELLS {
        return Err(Error::TooLong);
    }
    let [uu, cpi, high, low] = std::array::from_fn(|i| pdu[pdu.len() - TRAILER_LEN + i]);
    let length = usize::from(u16::from_be_bytes([high, low]));
    if length == 0 {
        return Err(Error::Aborted);
    }
    if cells(length) * PAYLOAD_LEN != pdu.len() {
        return Err(Error::FrameLength { claimed: length, found: pdu.len() });
    }
    if !crc_is_good(pdu) {
        return Err(Error::Crc);
    }
    Ok(Frame { payload: &pdu[..length], uu, cpi })
}

fn whole_cells(pdu: &[u8]) -> Result<&[Payload], Error> {
    match pdu.as_chunks() {
        (payloads, []) if !payloads.is_empty() => Ok(payloads),
        (payloads, _) => Err(Error::Length { needed: (payloads.len() + 1) * PAYLOAD_LEN, found: pdu.len() }),
    }
}

/// Puts the cells of one VC together to frames. It holds at most the longest frame, whatever arrives.
#[derive(Clone, Debug, Default)]
pub struct Reassembler {
    pdu: Vec<u8>,
    too_long: bool,
    complete: bool,
}

impl Reassembler {
    /// A reassembler that waits for the first cell of a frame.
    pub const fn new() -> Reassembler {
        Reassembler { pdu: Vec::new(), too_long: false, complete: false }
    }

    /// Takes the payload of the next cell; `last` is its AAU. Returns nothing before the last cell of a frame, then
    /// the frame or what is wrong with it (see [`parse`]); either way the next cell begins another frame.
    pub fn push(&mut self, payload: &Payload, last: bool) -> Option<Result<Frame<'_>, Error>> {
        if self.complete {
            *self = Reassembler { pdu: std::mem::take(&mut self.pdu), ..Reassembler::new() };
            self.pdu.clear();
        }
        if self.pdu.len() < MAX_CELLS * PAYLOAD_LEN {
            self.pdu.extend_from_slice(payload);
        } else {
            self.too_long = true;
        }
        self.complete = last;
        last.then(|| if self.too_long { Err(Error::TooLong) } else { parse(&self.pdu) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pdu_of(payload: &[u8]) -> Vec<u8> {
        Frame { payload, uu: 0, cpi: 0 }.emit().unwrap()
    }

    fn octets(len: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(any::<u8>(), len)
    }

    #[test]
    fn catalogue_check_value() {
        assert_eq!(CRC_32.checksum(b"123456789"), 0xfc89_1918);
    }

    /// The three example PDUs of I.363, and a fourth with UU and CPI that A. Tso posted with them to the cell-relay
    /// list (24 October 1994).
    #[test]
    fn examples_of_i363() {
        let counting: [u8; 40] = std::array::from_fn(|i| i as u8 + 1);
        for (payload, uu, cpi, crc) in [
            ([0x00; 40], 0, 0, 0x864d_7f99u32),
            ([0xff; 40], 0, 0, 0xc55e_457a),
            (counting, 0, 0, 0xbf67_1ed0),
            (counting, 0x11, 0x22, 0xacba_602a),
        ] {
            let frame = Frame { payload: &payload, uu, cpi };
            let pdu = frame.emit().unwrap();
            assert_eq!((&pdu[..40], &pdu[40..44]), (&payload[..], &[uu, cpi, 0, 40][..]));
            assert_eq!(pdu[44..], crc.to_be_bytes());
            assert_eq!(parse(&pdu), Ok(frame));
        }
    }

    #[test]
    fn numbers_of_cells() {
        // A TCP acknowledgement of 40 octets fits one cell, and with LLC/SNAP (48 octets) needs two; the default
        // MTU of IP over ATM, 9180 octets (RFC 2225), with LLC/SNAP takes 192.
        let known = [(1, 1), (40, 1), (41, 2), (48, 2), (88, 2), (89, 3), (9180 + 8, 192), (65_535, 1366)];
        for (octets, expected) in known {
            assert_eq!(cells(octets), expected, "{octets} octets");
            assert_eq!(pdu_of(&vec![7; octets]).len(), 48 * expected);
        }
        assert_eq!(MAX_CELLS, 1366);
    }

    #[test]
    fn frames_that_no_length_can_say() {
        let emit = |len| Frame { payload: &vec![0; len][..], uu: 0, cpi: 0 }.emit();
        assert_eq!(emit(0), Err(Error::Length { needed: 1, found: 0 }));
        assert_eq!(emit(65_536), Err(Error::TooLong));
        assert!(emit(65_535).is_ok_and(|pdu| parse(&pdu).is_ok()));
    }

    #[test]
    fn every_error_has_its_name() {
        let good = pdu_of(&[9; 100]);
        assert_eq!(parse(&good[..100]), Err(Error::Length { needed: 144, found: 100 }));
        assert_eq!(parse(&[]), Err(Error::Length { needed: 48, found: 0 }));
        assert!(segment(&good[..100]).is_err_and(|e| e == Error::Length { needed: 144, found: 100 }));

        assert_eq!(parse(&good[48..]), Err(Error::FrameLength { claimed: 100, found: 96 }), "a cell was lost");
        let mut longer = good.clone();
        longer[138..140].copy_from_slice(&137u16.to_be_bytes());
        seal(&mut longer);
        assert_eq!(parse(&longer), Err(Error::FrameLength { claimed: 137, found: 144 }));

        let mut aborted = good.clone();
        aborted[138..140].fill(0);
        seal(&mut aborted);
        assert_eq!(parse(&aborted), Err(Error::Aborted));

        let mut wrong = good.clone();
        wrong[5] ^= 1;
        assert_eq!(parse(&wrong), Err(Error::Crc));
        assert_eq!(parse(&vec![0; 1367 * 48]), Err(Error::TooLong));
    }

    /// Every single error anywhere, and every pair of errors in a frame of one cell.
    #[test]
    fn single_and_double_errors_are_detected() {
        let good = pdu_of(&[0x5a; 100]);
        for bit in 0..8 * good.len() {
            let mut wrong = good.clone();
            wrong[bit / 8] ^= 0x80 >> (bit % 8);
            assert!(!crc_is_good(&wrong) && parse(&wrong).is_err(), "bit {bit}");
        }
        let mut wrong = pdu_of(&[0x5a; 40]);
        for first in 0..8 * wrong.len() {
            wrong[first / 8] ^= 0x80 >> (first % 8);
            for second in 0..first {
                wrong[second / 8] ^= 0x80 >> (second % 8);
                assert!(!crc_is_good(&wrong), "bits {first} and {second}");
                wrong[second / 8] ^= 0x80 >> (second % 8);
            }
            wrong[first / 8] ^= 0x80 >> (first % 8);
        }
    }

    #[test]
    fn a_lost_last_cell_merges_two_frames_and_both_are_lost() {
        let (first, second, third) = (pdu_of(&[1; 100]), pdu_of(&[2; 50]), pdu_of(&[3; 40]));
        let mut cells: Vec<_> = [&first, &second, &third].into_iter().flat_map(|pdu| segment(pdu).unwrap()).collect();
        let lost = cells.remove(2);
        assert!(lost.1, "the last cell of the first frame");
        let mut reassembler = Reassembler::new();
        let mut seen = Vec::new();
        for (payload, last) in cells {
            if let Some(frame) = reassembler.push(payload, last) {
                seen.push(frame.map(|frame| frame.payload.to_vec()));
            }
        }
        assert_eq!(seen, [Err(Error::FrameLength { claimed: 50, found: 192 }), Ok(vec![3; 40])]);
    }

    #[test]
    fn a_frame_without_end_is_bounded_and_reported_once() {
        let mut reassembler = Reassembler::new();
        for _ in 0..5000 {
            assert_eq!(reassembler.push(&[0; 48], false), None);
        }
        assert_eq!(reassembler.pdu.len(), MAX_CELLS * PAYLOAD_LEN);
        assert_eq!(reassembler.push(&[0; 48], true), Some(Err(Error::TooLong)));
        let next: Payload = pdu_of(b"next").try_into().unwrap();
        assert_eq!(reassembler.push(&next, true), Some(Ok(Frame { payload: b"next", uu: 0, cpi: 0 })));
    }

    proptest! {
        /// What goes in comes out, frame after frame through one reassembler.
        #[test]
        fn round_trip(frames in prop::collection::vec((octets(1..400), any::<u8>(), any::<u8>()), 1..5)) {
            let mut reassembler = Reassembler::new();
            for (payload, uu, cpi) in &frames {
                let frame = Frame { payload, uu: *uu, cpi: *cpi };
                let pdu = frame.emit().unwrap();
                let mut left = segment(&pdu).unwrap().len();
                prop_assert_eq!(left, cells(payload.len()));
                for (cell, last) in segment(&pdu).unwrap() {
                    left -= 1;
                    prop_assert_eq!(last, left == 0);
                    let out = reassembler.push(cell, last);
                    prop_assert_eq!(out, (left == 0).then_some(Ok(frame)));
                }
            }
        }

        /// The loss of any cell but the last of a frame never yields a frame, and does not hurt the next one.
        #[test]
        fn a_lost_cell_is_detected(payload in octets(41..600), lost: prop::sample::Index) {
            let pdu = pdu_of(&payload);
            let lost = lost.index(pdu.len() / 48 - 1);
            let mut reassembler = Reassembler::new();
            for (i, (cell, last)) in segment(&pdu).unwrap().enumerate().filter(|(i, _)| *i != lost) {
                let out = reassembler.push(cell, last);
                prop_assert_eq!(out.is_some(), last, "cell {}", i);
                prop_assert!(out.is_none_or(|frame| frame.is_err()));
            }
            for (cell, last) in segment(&pdu).unwrap() {
                let out = reassembler.push(cell, last);
                prop_assert_eq!(out, last.then_some(Ok(Frame { payload: &payload, uu: 0, cpi: 0 })));
            }
        }

        /// Every burst of at most 32 bits is detected.
        #[test]
        fn bursts_are_detected(start in 0usize..1152, pattern in 1u32..) {
            let good = pdu_of(&[0xc3; 130]);
            let mut wrong = good.clone();
            for bit in (0..32).filter(|i| pattern >> i & 1 != 0).map(|i| start + i) {
                if let Some(octet) = wrong.get_mut(bit / 8) {
                    *octet ^= 0x80 >> (bit % 8);
                }
            }
            prop_assume!(wrong != good);
            prop_assert!(!crc_is_good(&wrong));
        }
    }
}
