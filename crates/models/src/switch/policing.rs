//! Policing where a VC enters the switch: the policer judges, this tags, discards and counts.

use super::Switch;
use crate::cell::{Cell, Label};
use crate::police::{Policer, Ruling};
use cellway_kernel::link::Wires;
use cellway_kernel::time::Time;

/// The policing of one VC.
pub struct Policing {
    /// Kind of its policer.
    pub kind: &'static str,
    policer: Box<dyn Policer>,
    /// Its books.
    pub books: Policed,
}

/// The books of a policed VC; together all cells that came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policed {
    /// Cells that kept the contract.
    pub conforming: u64,
    /// Cells that passed as they were, because the contract does not speak of them.
    pub spared: u64,
    /// Cells that went on with CLP = 1.
    pub tagged: u64,
    /// Cells dropped here; they ask for admission nowhere.
    pub discarded: u64,
}

impl Policed {
    /// Cells that passed.
    pub fn passed(&self) -> u64 {
        self.conforming + self.spared + self.tagged
    }
}

impl Policing {
    /// The policing of one VC by a policer of some kind.
    pub fn new(kind: &'static str, policer: Box<dyn Policer>) -> Policing {
        Policing { kind, policer, books: Policed::default() }
    }

    /// Judges a cell and counts it; `None` where it is dropped.
    pub(super) fn judge(&mut self, now: Time, cell: Cell) -> Option<Cell> {
        let books = &mut self.books;
        match self.policer.judge(now, cell) {
            Ruling::Conforms => books.conforming += 1,
            Ruling::Spared => books.spared += 1,
            Ruling::Tag => {
                books.tagged += 1;
                return Some(cell.tagged());
            }
            Ruling::Discard => {
                books.discarded += 1;
                return None;
            }
        }
        Some(cell)
    }
}

impl Switch {
    /// Policing has dropped a cell. For flow control it has come and gone at once.
    #[inline(never)]
    pub(super) fn discarded(&mut self, now: Time, input: usize, label: Label, wires: &mut Wires<'_, Cell>) {
        let vc = &mut self.inputs[input].vcs[label as usize];
        if vc.receiver.as_mut().is_some_and(|r| r.arrived(vc.stored) && r.forwarded()) {
            self.send_credit_cell(now, input as u32, label, wires);
        }
    }
}
