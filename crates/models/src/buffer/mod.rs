//! Admission to an output port's buffer. A policy returns a decision; the port counts and stores.

use crate::cell::{Cell, Label};
use crate::family::family;

family! {
    /// Which cells a port's buffer admits.
    BufferSpec: BufferConfig;
    tail_drop => TailDrop,
}

impl Default for BufferSpec {
    fn default() -> Self {
        BufferSpec::tail_drop(tail_drop::TailDrop {})
    }
}

/// Parameters of a policy.
pub trait BufferConfig {
    /// Builds the state for one port.
    fn build(&self) -> Box<dyn BufferPolicy>;
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
    /// Cells of this VC in the buffer (Yi).
    pub of_vc: u64,
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
}

impl DropReason {
    /// All reasons, in the order of their numbers.
    pub const ALL: [DropReason; 3] = [DropReason::BufferFull, DropReason::MemoryFull, DropReason::CreditOverrun];

    /// Name in result tables.
    pub const fn name(self) -> &'static str {
        match self {
            DropReason::BufferFull => "buffer_full",
            DropReason::MemoryFull => "memory_full",
            DropReason::CreditOverrun => "credit_overrun",
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
}
