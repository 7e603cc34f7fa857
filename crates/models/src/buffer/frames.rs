//! Frames at a buffer: what their first cell met decides on the rest.

use super::{BufferView, DropReason, Verdict};
use crate::cell::{Cell, Kind};

/// Where each VC stands within its frame.
///
/// The first cell after a cell with AAU begins a frame. A frame that is refused at its first cell, or that has lost a
/// cell to a full buffer, loses its other cells too, because nobody can use them (Romanow and Floyd, *Dynamics of TCP
/// traffic over ATM networks*, 1995). Its last cell, which carries AAU, stays, so that the receiver does not take the
/// next frame for its continuation; it goes only where the frame has no other cell, or where there is no place.
///
/// Resource management cells belong to no frame. Cells of VCs without frames are each a frame of their own.
pub(super) struct Frames {
    of_vc: Vec<Frame>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Frame {
    /// The next cell begins a frame.
    Between,
    /// All cells so far were stored.
    Whole,
    /// Refused at the first cell.
    Refused,
    /// A cell found no place.
    Broken,
}

impl Frames {
    pub(super) fn new(vcs: usize) -> Frames {
        Frames { of_vc: vec![Frame::Between; vcs] }
    }

    /// Decides on a cell; `accepts` is asked at the first cell of a frame.
    #[inline]
    pub(super) fn admit(
        &mut self,
        view: &BufferView,
        cell: Cell,
        accepts: &mut impl FnMut(&BufferView, Cell) -> bool,
    ) -> Verdict {
        let full = view.occupancy >= view.capacity;
        if cell.kind() == Kind::Rm {
            return if full { Verdict::Drop(DropReason::BufferFull) } else { Verdict::Admit };
        }
        let frame = &mut self.of_vc[view.vc as usize];
        let last = cell.aau() || !view.framed;
        let (verdict, then) = match *frame {
            Frame::Between if !accepts(view, cell) => (Verdict::Drop(DropReason::FrameRefused), Frame::Refused),
            Frame::Refused if !last => (Verdict::Drop(DropReason::FrameRefused), Frame::Refused),
            Frame::Broken if !last => (Verdict::Drop(DropReason::FrameRemainder), Frame::Broken),
            _ if full => (Verdict::Drop(DropReason::BufferFull), Frame::Broken),
            _ => (Verdict::Admit, Frame::Whole),
        };
        *frame = if last { Frame::Between } else { then };
        verdict
    }

    /// A cell was lost before anybody decided on it.
    pub(super) fn lost(&mut self, view: &BufferView, cell: Cell) {
        if cell.kind() == Kind::Rm {
            return;
        }
        let frame = &mut self.of_vc[view.vc as usize];
        *frame = match *frame {
            _ if cell.aau() || !view.framed => Frame::Between,
            Frame::Refused => Frame::Refused,
            _ => Frame::Broken,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::trial::{data, last, view};
    use DropReason::{BufferFull, FrameRefused, FrameRemainder};

    const ADMIT: Verdict = Verdict::Admit;

    fn always(_: &BufferView, _: Cell) -> bool {
        true
    }

    #[test]
    fn a_refused_frame_goes_but_for_its_last_cell() {
        let mut frames = Frames::new(1);
        let mut asked = 0;
        let mut refuses_the_first = |_: &BufferView, _: Cell| {
            asked += 1;
            asked > 1
        };
        let seen: Vec<Verdict> = [data(), data(), last(), data(), last()]
            .iter()
            .map(|&cell| frames.admit(&view(5, 10), cell, &mut refuses_the_first))
            .collect();
        assert_eq!(seen, [Verdict::Drop(FrameRefused), Verdict::Drop(FrameRefused), ADMIT, ADMIT, ADMIT]);
        assert_eq!(asked, 2, "asked once for each frame");
    }

    #[test]
    fn a_frame_of_one_cell_goes_whole() {
        let mut frames = Frames::new(1);
        assert_eq!(frames.admit(&view(5, 10), last(), &mut |_, _| false), Verdict::Drop(FrameRefused));
        assert_eq!(frames.admit(&view(5, 10), last(), &mut always), ADMIT, "the next cell begins a frame");
    }

    #[test]
    fn after_an_overflow_the_rest_goes_but_for_the_last_cell() {
        let mut frames = Frames::new(1);
        let steps = [(9, data()), (10, data()), (3, data()), (10, data()), (3, last()), (3, data())];
        let seen: Vec<Verdict> = steps.iter().map(|&(x, cell)| frames.admit(&view(x, 10), cell, &mut always)).collect();
        let remainder = Verdict::Drop(FrameRemainder);
        assert_eq!(seen, [ADMIT, Verdict::Drop(BufferFull), remainder, remainder, ADMIT, ADMIT]);
    }

    #[test]
    fn the_last_cell_needs_a_place_too() {
        let mut frames = Frames::new(1);
        assert_eq!(frames.admit(&view(0, 10), data(), &mut always), ADMIT);
        assert_eq!(frames.admit(&view(10, 10), last(), &mut always), Verdict::Drop(BufferFull));
        assert_eq!(frames.admit(&view(0, 10), data(), &mut always), ADMIT, "and it ended its frame");
    }

    #[test]
    fn a_cell_lost_elsewhere_spoils_the_frame() {
        let mut frames = Frames::new(1);
        frames.lost(&view(0, 10), data());
        assert_eq!(frames.admit(&view(0, 10), data(), &mut always), Verdict::Drop(FrameRemainder));
        frames.lost(&view(0, 10), last());
        assert_eq!(frames.admit(&view(0, 10), data(), &mut always), ADMIT);
    }

    #[test]
    fn resource_management_cells_belong_to_no_frame() {
        let mut frames = Frames::new(1);
        let rm = Cell::new(Kind::Rm, 0, 0);
        assert_eq!(frames.admit(&view(10, 10), rm, &mut always), Verdict::Drop(BufferFull));
        frames.lost(&view(0, 10), rm);
        assert_eq!(frames.admit(&view(0, 10), data(), &mut always), ADMIT, "the frame is whole");
    }

    #[test]
    fn without_frames_each_cell_stands_for_itself() {
        let mut frames = Frames::new(1);
        let alone = |x| BufferView { framed: false, ..view(x, 10) };
        assert_eq!(frames.admit(&alone(10), data(), &mut always), Verdict::Drop(BufferFull));
        assert_eq!(frames.admit(&alone(9), data(), &mut always), ADMIT);
        assert_eq!(frames.admit(&alone(9), data(), &mut |_, _| false), Verdict::Drop(FrameRefused));
        assert_eq!(frames.admit(&alone(9), data(), &mut always), ADMIT);
    }
}
