//! The cell as the simulation carries it: one 64-bit word. Its byte form is [`crate::wire`].

use std::fmt;

/// What a cell is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// User data (PTI 0xx).
    Data = 0,
    /// Credit cell of link-by-link flow control, on a credit-carrier VC; its handle is the credit value.
    Credit = 1,
    /// The sender of a link asks for a credit cell (Sender-Request-Credit).
    CreditRequest = 2,
    /// Resource management cell (PTI 110).
    Rm = 3,
}

/// Number of a VC on one link, as VPI/VCI number it in a real cell: each switch writes the next link's label.
pub type Label = u32;

/// A cell: label (24 bit), flags and kind (8 bit), handle (32 bit).
///
/// The handle is a sequence number in plain data cells, the credit value in credit cells, and a reference to the
/// fields of an RM cell or a frame elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cell(u64);

const KIND_MASK: u64 = 0b11;
const CLP: u64 = 1 << 3;
const EFCI: u64 = 1 << 4;
const AAU: u64 = 1 << 5;
const CORRUPTED: u64 = 1 << 6;
const LABEL_SHIFT: u32 = 8;
const LABEL_MASK: u64 = 0xff_ffff << LABEL_SHIFT;
const HANDLE_SHIFT: u32 = 32;

impl Cell {
    /// A place holder that never travels.
    pub const BLANK: Cell = Cell(0);
    /// Labels are below this.
    pub const LABELS: usize = 1 << 24;

    /// A cell without flags.
    #[inline]
    pub const fn new(kind: Kind, label: Label, handle: u32) -> Cell {
        Cell(kind as u64 | (label as u64) << LABEL_SHIFT | (handle as u64) << HANDLE_SHIFT)
    }

    /// Its kind.
    #[inline]
    pub const fn kind(self) -> Kind {
        match self.0 & KIND_MASK {
            0 => Kind::Data,
            1 => Kind::Credit,
            2 => Kind::CreditRequest,
            _ => Kind::Rm,
        }
    }

    /// Number of the VC on the present link.
    #[inline]
    pub const fn label(self) -> Label {
        ((self.0 & LABEL_MASK) >> LABEL_SHIFT) as Label
    }

    /// The same cell with the next link's label.
    #[inline]
    pub const fn relabelled(self, label: Label) -> Cell {
        Cell(self.0 & !LABEL_MASK | (label as u64) << LABEL_SHIFT)
    }

    /// The same cell with the next handle.
    #[inline]
    #[must_use]
    pub const fn next(self) -> Cell {
        Cell(self.0.wrapping_add(1 << HANDLE_SHIFT))
    }

    /// Sequence number, credit value, or reference.
    #[inline]
    pub const fn handle(self) -> u32 {
        (self.0 >> HANDLE_SHIFT) as u32
    }

    /// Cell loss priority: true for CLP = 1, the tagged cell.
    pub const fn clp(self) -> bool {
        self.0 & CLP != 0
    }

    /// Explicit forward congestion indication.
    pub const fn efci(self) -> bool {
        self.0 & EFCI != 0
    }

    /// ATM-user-to-ATM-user indication: the last cell of an AAL5 frame or of a message.
    pub const fn aau(self) -> bool {
        self.0 & AAU != 0
    }

    /// Bit errors on some line; the receiver's CRC detects them.
    pub const fn corrupted(self) -> bool {
        self.0 & CORRUPTED != 0
    }

    /// The last cell of a frame.
    #[must_use]
    pub const fn ending_frame(self) -> Cell {
        Cell(self.0 | AAU)
    }

    /// The same cell with bit errors.
    #[must_use]
    pub const fn with_errors(self) -> Cell {
        Cell(self.0 | CORRUPTED)
    }

    /// The same cell tagged (CLP = 1).
    #[must_use]
    pub const fn tagged(self) -> Cell {
        Cell(self.0 | CLP)
    }

    /// The same cell with EFCI set.
    #[must_use]
    pub const fn congested(self) -> Cell {
        Cell(self.0 | EFCI)
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} label {} handle {}", self.kind(), self.label(), self.handle())?;
        for (set, name) in
            [(self.clp(), "CLP"), (self.efci(), "EFCI"), (self.aau(), "AAU"), (self.corrupted(), "corrupted")]
        {
            if set {
                write!(f, " {name}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fields_do_not_touch_each_other(label in 0u32..1 << 24, other in 0u32..1 << 24, handle: u32, k in 0usize..4) {
            let kind = [Kind::Data, Kind::Credit, Kind::CreditRequest, Kind::Rm][k];
            let cell = Cell::new(kind, label, handle);
            prop_assert_eq!((cell.kind(), cell.label(), cell.handle()), (kind, label, handle));
            let marked = cell.tagged().ending_frame().congested().with_errors().relabelled(other);
            prop_assert_eq!((marked.kind(), marked.label(), marked.handle()), (kind, other, handle));
            prop_assert!(marked.clp() && marked.aau() && marked.efci() && marked.corrupted());
            prop_assert!(!cell.clp() && !cell.aau() && !cell.efci() && !cell.corrupted());
        }
    }
}
