//! Reassembly of AAL5 frames at a destination: which arrive whole, and what spoils the others.
//!
//! A real reassembler sees payloads, and finds by length and CRC-32 that something is wrong ([`crate::wire::aal5`]). Here
//! cells carry numbers instead, so the cause is known too: the sending host posts the cells of each frame as it is
//! offered, and each destination compares with what has come.

use crate::post::Post;

/// A frame under way.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    cells: u32,
    missing: u32,
    corrupted: bool,
}

impl Frame {
    /// A frame of so many cells.
    pub(super) fn new(cells: u64) -> Frame {
        Frame { cells: cells as u32, missing: 0, corrupted: false }
    }
}

/// What became of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum FrameFate {
    /// It arrived whole.
    Good = 0,
    /// All its cells arrived, some with bit errors: the CRC is wrong.
    Corrupted = 1,
    /// Its last cell arrived, and cells before that are lost: the length is wrong.
    CellsLost = 2,
    /// Its last cell is lost and others arrived, which run into the next frame.
    EndLost = 3,
    /// All its cells arrived, behind those of a frame whose last cell is lost: both are taken for one.
    Merged = 4,
    /// No cell of it arrived.
    Lost = 5,
}

impl FrameFate {
    /// All fates, in the order of their numbers.
    pub const ALL: [FrameFate; 6] = [
        FrameFate::Good,
        FrameFate::Corrupted,
        FrameFate::CellsLost,
        FrameFate::EndLost,
        FrameFate::Merged,
        FrameFate::Lost,
    ];

    /// Fates of frames whose last cell arrived.
    pub const ENDED: [FrameFate; 4] = [FrameFate::Good, FrameFate::Corrupted, FrameFate::CellsLost, FrameFate::Merged];

    /// Name in result tables.
    pub const fn name(self) -> &'static str {
        match self {
            FrameFate::Good => "good",
            FrameFate::Corrupted => "corrupted",
            FrameFate::CellsLost => "cells_lost",
            FrameFate::EndLost => "end_lost",
            FrameFate::Merged => "merged",
            FrameFate::Lost => "lost",
        }
    }
}

/// Frames by [`FrameFate`].
pub type Fates = [u64; FrameFate::ALL.len()];

/// The frames of one VC at one destination.
pub(super) struct Reassembly {
    post: Post<Frame>,
    /// Cells of a frame without end wait here, in front of what comes next.
    open: bool,
    fates: Fates,
}

impl Reassembly {
    pub(super) fn new(post: Post<Frame>) -> Reassembly {
        Reassembly { post, open: false, fates: Fates::default() }
    }

    pub(super) fn fates(&self) -> Fates {
        self.fates
    }

    pub(super) fn under_way(&self) -> u64 {
        self.post.len() as u64
    }

    /// The cells from number `from` to before `to` are lost; `to` has come.
    #[inline(never)]
    pub(super) fn lost(&mut self, from: u32, to: u32) {
        let Reassembly { post, open, fates } = self;
        post.settle(|last, frame| {
            let after = last.wrapping_add(1);
            let first = after.wrapping_sub(frame.cells);
            // Distances from `to`, which all these numbers are near.
            let behind = |number: u32| to.wrapping_sub(number) as i32;
            let overlap = behind(first).min(behind(from)) - behind(after).max(0);
            frame.missing += overlap.max(0) as u32;
            let over = behind(after) >= 0;
            if over {
                let whole = frame.missing == frame.cells;
                *open |= !whole;
                fates[if whole { FrameFate::Lost } else { FrameFate::EndLost } as usize] += 1;
            }
            over
        });
    }

    /// Cell `number` has come with bit errors.
    #[inline(never)]
    pub(super) fn corrupted(&mut self, number: u32) {
        self.post.settle(|last, frame| {
            frame.corrupted |= last.wrapping_sub(number) < frame.cells;
            false
        });
    }

    /// The last cell of a frame has come; true if the frame is good.
    pub(super) fn end(&mut self, last: u32) -> bool {
        let frame = self.post.take(last);
        let merged = std::mem::take(&mut self.open);
        let fate = match frame {
            Frame { missing: 1.., .. } => FrameFate::CellsLost,
            _ if merged => FrameFate::Merged,
            Frame { corrupted: true, .. } => FrameFate::Corrupted,
            _ => FrameFate::Good,
        };
        self.fates[fate as usize] += 1;
        fate == FrameFate::Good
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::aal5::{self, Reassembler};
    use proptest::prelude::*;

    /// Sends frames of these lengths [cells], loses and corrupts some; returns the fates and which frames came whole.
    fn fates(frames: &[u32], first: u32, lost: &[usize], corrupted: &[usize]) -> (Fates, Vec<usize>) {
        let post = Post::default();
        let mut reassembly = Reassembly::new(post.clone());
        let (mut expected, mut number, mut good) = (first, first, Vec::new());
        for (k, &cells) in frames.iter().enumerate() {
            post.push(number.wrapping_add(cells - 1), Frame::new(u64::from(cells)));
            for cell in 0..cells {
                let place = number.wrapping_sub(first) as usize;
                if !lost.contains(&place) {
                    if number != expected {
                        reassembly.lost(expected, number);
                    }
                    if corrupted.contains(&place) {
                        reassembly.corrupted(number);
                    }
                    expected = number.wrapping_add(1);
                    if cell == cells - 1 && reassembly.end(number) {
                        good.push(k);
                    }
                }
                number = number.wrapping_add(1);
            }
        }
        let known: u64 = reassembly.fates().iter().sum();
        assert_eq!(known + reassembly.under_way(), frames.len() as u64);
        (reassembly.fates(), good)
    }

    #[test]
    fn each_cause_has_its_count() {
        let of = |lost: &[usize], corrupted: &[usize]| fates(&[3, 3, 3, 3], 0, lost, corrupted);
        assert_eq!(of(&[], &[]), ([4, 0, 0, 0, 0, 0], vec![0, 1, 2, 3]));
        assert_eq!(of(&[], &[4]), ([3, 1, 0, 0, 0, 0], vec![0, 2, 3]));
        assert_eq!(of(&[3], &[]), ([3, 0, 1, 0, 0, 0], vec![0, 2, 3]));
        assert_eq!(of(&[5], &[]), ([2, 0, 0, 1, 1, 0], vec![0, 3]), "the next frame is appended to what came");
        assert_eq!(of(&[3, 4, 5], &[]), ([3, 0, 0, 0, 0, 1], vec![0, 2, 3]), "no trace of it: the next one is good");
        assert_eq!(of(&[5, 6, 7, 8], &[]), ([1, 0, 0, 1, 1, 1], vec![0]), "merged with the next that comes");
        assert_eq!(of(&[5, 6], &[7]), ([2, 0, 1, 1, 0, 0], vec![0, 3]), "a loss comes before all other causes");
        assert_eq!(of(&[3, 4], &[]), ([3, 0, 1, 0, 0, 0], vec![0, 2, 3]), "only the end came");
    }

    proptest! {
        /// As real cells put together by length and CRC: the same frames come whole, across the wrap of cell numbers.
        #[test]
        fn as_the_bytes_have_it(
            frames in prop::collection::vec(1u32..6, 1..40),
            first in prop::sample::select(vec![0u32, u32::MAX - 30]),
            lost in prop::collection::vec(0usize..120, 0..30),
            corrupted in prop::collection::vec(0usize..120, 0..10),
        ) {
            let mut reassembler = Reassembler::new();
            let (mut place, mut whole) = (0, Vec::new());
            for (k, &cells) in frames.iter().enumerate() {
                let payload = vec![k as u8 + 1; cells as usize * 48 - aal5::TRAILER_LEN];
                let pdu = aal5::Frame { payload: &payload, uu: 0, cpi: 0 }.emit().unwrap();
                for (cell, last) in aal5::segment(&pdu).unwrap() {
                    let mut cell = *cell;
                    cell[7] ^= u8::from(corrupted.contains(&place)) * 0x55;
                    if !lost.contains(&place)
                        && let Some(Ok(frame)) = reassembler.push(&cell, last)
                    {
                        prop_assert_eq!(frame.payload, &payload[..]);
                        whole.push(k);
                    }
                    place += 1;
                }
            }
            let (fates, good) = fates(&frames, first, &lost, &corrupted);
            prop_assert_eq!(fates[FrameFate::Good as usize] as usize, good.len());
            prop_assert_eq!(good, whole);
        }
    }
}
