//! Foresight: a switch of many VCs asks for the memory that the next cells will need before they come.
//!
//! The state of a thousand VCs does not fit the caches near the processor, and the cells of one VC come far apart. A
//! link knows the cells to come, so what each will touch is on its way from memory while those before it are handled.
//! Nothing that is computed depends on it.

use super::Input;
use super::port::Port;
use crate::cell::{Cell, Kind};
use cellway_kernel::link::Link;
use prefetch_index::prefetch_index;

/// From so many VCs at its ports on a switch foresees: of fewer, what their cells touch fits a cache of 32 KB.
pub(super) const MANY_VCS: usize = 128;

/// So many cells ahead: the time that they take is more than memory takes to answer.
const CELLS: usize = 8;

impl Input {
    /// Asks for the memory of the first cells on a link that was empty before.
    #[inline(never)]
    pub(super) fn foresee_first(&mut self, link: &Link<Cell>, ports: &[Port]) {
        (0..CELLS).map_while(|others| link.cell_after(others)).for_each(|cell| self.ask_for(cell, ports));
    }

    /// A cell was taken from the link: asks for the memory of the one that moved up.
    #[inline(always)]
    pub(super) fn foresee_next(&mut self, link: &Link<Cell>, ports: &[Port]) {
        if let Some(label) = self.foreseen_rm.take()
            && let Some(Some(rm)) = self.rm.get(label as usize)
        {
            rm.contents.foresee();
        }
        if let Some(cell) = link.cell_after(CELLS - 1) {
            self.ask_for(cell, ports);
        }
    }

    #[inline(always)]
    fn ask_for(&mut self, cell: Cell, ports: &[Port]) {
        let label = cell.label();
        if cell.kind() == Kind::Rm {
            self.foreseen_rm = Some(label);
            prefetch_index(&self.rm, label as usize);
        }
        // Cells of flow control belong to the ends of the link: for them this is the wrong memory, but no harm.
        if let Some(route) = self.routes.get(label as usize) {
            prefetch_index(&ports[route.port as usize].branches, route.label as usize);
        }
    }
}
