//! What applications have offered and the line has not taken: counts, not cells.

use std::collections::VecDeque;

/// Cells that wait in a host, in order: runs of cells, some of which end a message.
#[derive(Default)]
pub(super) struct Backlog {
    pub(super) endless: bool,
    pub(super) cells: u64,
    runs: VecDeque<Run>,
}

#[derive(Clone, Copy)]
struct Run {
    cells: u64,
    ends_message: bool,
}

impl Backlog {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.cells == 0 && !self.endless
    }

    pub(super) fn add(&mut self, cells: u64, ends_message: bool) {
        if cells == 0 {
            return;
        }
        self.cells += cells;
        match self.runs.back_mut() {
            Some(last) if !last.ends_message && !ends_message => last.cells += cells,
            _ => self.runs.push_back(Run { cells, ends_message }),
        }
    }

    /// Takes one cell; true if it ends a message.
    #[inline]
    pub(super) fn take(&mut self) -> bool {
        let Some(run) = self.runs.front_mut() else { return false };
        self.cells -= 1;
        run.cells -= 1;
        if run.cells > 0 {
            return false;
        }
        let ends = run.ends_message;
        self.runs.pop_front();
        ends
    }

    /// The cells of all runs, which [`cells`](Backlog::cells) counts too.
    pub(super) fn cells_in_runs(&self) -> u64 {
        self.runs.iter().map(|run| run.cells).sum()
    }
}
