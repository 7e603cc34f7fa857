//! Admission to an output port's buffer. A policy returns a decision; the port counts and stores.

use crate::cell::{Cell, Label};
use crate::family::family;
use cellway_kernel::error::SpecError;
use frames::Frames;

family! {
    /// Which cells a port's buffer admits.
    BufferSpec: BufferConfig;
    tail_drop => TailDrop,
    ppd => Ppd,
    epd => Epd,
    selective_drop => SelectiveDrop,
    fair_buffer_allocation => FairBufferAllocation,
    weighted_buffer_allocation => WeightedBufferAllocation,
}

mod frames;
mod threshold;
#[cfg(test)]
mod trial;

impl Default for BufferSpec {
    fn default() -> Self {
        BufferSpec::tail_drop(tail_drop::TailDrop {})
    }
}

/// Parameters of a policy.
pub trait BufferConfig {
    /// Builds the state for one port.
    ///
    /// # Errors
    /// For parameters that make no sense there; paths are relative to the parameters.
    fn build(&self, context: &BufferContext<'_>) -> Result<Box<dyn BufferPolicy>, SpecError>;
}

/// What a policy needs to know of its port.
#[derive(Clone, Copy, Debug)]
pub struct BufferContext<'a> {
    /// Size of the buffer in cells (K); `u64::MAX` where unlimited.
    pub capacity: u64,
    /// For each VC of the port, by label: its minimum cell rate as a share of the line's rate (Wi); 0 without one.
    pub weights: &'a [f64],
}

/// What a policy may know of the buffer when a cell asks for admission.
#[derive(Clone, Copy, Debug)]
pub struct BufferView {
    /// Cells in the port's buffer (X in the discard literature).
    pub occupancy: u64,
    /// Size of the buffer in cells (K); `u64::MAX` where unlimited.
    pub capacity: u64,
    /// The VC, as numbered on the outgoing link.
    pub vc: Label,
    /// The VC's cells belong to frames, the last of which carries AAU. Cells of other VCs each stand for themselves.
    pub framed: bool,
    /// Cells of this VC in the buffer (Yi).
    pub of_vc: u64,
    /// Of these, cells that are not tagged, CLP = 0 (Li).
    pub untagged_of_vc: u64,
    /// VCs that have a cell in the buffer (Na).
    pub active_vcs: u64,
}

/// Why a cell was not stored. Every drop is counted under one of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum DropReason {
    /// The port's buffer is full.
    BufferFull = 0,
    /// The switch's shared memory is full.
    MemoryFull = 1,
    /// The VC holds its whole N2 + N3 (+ N1) buffer: its sender had no credit for this cell.
    CreditOverrun = 2,
    /// The policy refused the frame at its first cell; that cell and the others, except the last.
    FrameRefused = 3,
    /// A cell of the same frame found no place before; the others, except the last.
    FrameRemainder = 4,
}

impl DropReason {
    /// All reasons, in the order of their numbers.
    pub const ALL: [DropReason; 5] = [
        DropReason::BufferFull,
        DropReason::MemoryFull,
        DropReason::CreditOverrun,
        DropReason::FrameRefused,
        DropReason::FrameRemainder,
    ];

    /// Name in result tables.
    pub const fn name(self) -> &'static str {
        match self {
            DropReason::BufferFull => "buffer_full",
            DropReason::MemoryFull => "memory_full",
            DropReason::CreditOverrun => "credit_overrun",
            DropReason::FrameRefused => "frame_refused",
            DropReason::FrameRemainder => "frame_remainder",
        }
    }
}

/// A policy's answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Store the cell.
    Admit,
    /// Do not store it.
    Drop(DropReason),
}

/// Decides on each arriving cell.
pub trait BufferPolicy: Send {
    /// True for policies that admit every cell while the buffer is not full, and need not hear of those cells: a call
    /// for every cell is saved.
    fn admits_until_full(&self) -> bool {
        false
    }

    /// Whether `cell` may join the buffer seen in `view`.
    fn admit(&mut self, view: &BufferView, cell: Cell) -> Verdict;

    /// `cell` was lost before this policy could be asked: the switch's memory is full.
    fn lost(&mut self, _view: &BufferView, _cell: Cell) {}
}

/// A policy that decides at the first cell of each frame and treats the rest of the frame alike.
struct ByFrame<D> {
    frames: Frames,
    /// True where a frame may enter, given what its first cell finds.
    accepts: D,
}

/// A policy by frames, for a port with `vcs` VCs.
fn by_frame<D>(vcs: usize, accepts: D) -> Box<dyn BufferPolicy>
where
    D: FnMut(&BufferView, Cell) -> bool + Send + 'static,
{
    Box::new(ByFrame { frames: Frames::new(vcs), accepts })
}

impl<D: FnMut(&BufferView, Cell) -> bool + Send> BufferPolicy for ByFrame<D> {
    fn admit(&mut self, view: &BufferView, cell: Cell) -> Verdict {
        self.frames.admit(view, cell, &mut self.accepts)
    }

    fn lost(&mut self, view: &BufferView, cell: Cell) {
        self.frames.lost(view, cell);
    }
}
