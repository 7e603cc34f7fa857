//! Cells and views for the tests of the policies.

use super::{BufferConfig, BufferContext, BufferView, Verdict};
use crate::cell::{Cell, Kind};

/// A cell in the middle of a frame.
pub(super) fn data() -> Cell {
    Cell::new(Kind::Data, 0, 0)
}

/// The last cell of a frame.
pub(super) fn last() -> Cell {
    data().ending_frame()
}

/// VC 0 at a buffer that holds `occupancy` of at most `capacity` cells, none of them of VC 0.
pub(super) fn view(occupancy: u64, capacity: u64) -> BufferView {
    BufferView { occupancy, capacity, vc: 0, framed: true, of_vc: 0, untagged_of_vc: 0, active_vcs: 1 }
}

/// True where a policy for a buffer of `capacity` cells, VC 0 having `weight`, accepts a frame of one cell.
pub(super) fn accepts(config: &dyn BufferConfig, weight: f64, view: &BufferView, cell: Cell) -> bool {
    let context = BufferContext { capacity: view.capacity, weights: &[weight] };
    let mut policy = config.build(&context).expect("good parameters");
    policy.admit(view, cell.ending_frame()) == Verdict::Admit
}
