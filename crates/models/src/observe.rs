//! Observers of links: the cell trace, throughput, end-to-end delay. They exist only where somebody asked.

use crate::cell::{Cell, Kind, Label};
use crate::spec::Counted;
use cellway_kernel::link::{Fate, LinkObserver};
use cellway_kernel::probe::Meter;
use cellway_kernel::time::Time;
use std::sync::{Arc, Mutex, MutexGuard};

/// A recorder that its link fills and the network reads.
pub struct Shared<T>(Arc<Mutex<T>>);

impl<T> Shared<T> {
    /// Shares `value`.
    pub fn new(value: T) -> Shared<T> {
        Shared(Arc::new(Mutex::new(value)))
    }

    /// The value.
    pub fn get(&self) -> MutexGuard<'_, T> {
        // A poisoned lock means that the run panicked already; what was recorded is still whole.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Shared<T> {
        Shared(self.0.clone())
    }
}

/// One cell on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traced {
    /// Its first bit leaves.
    pub start: Time,
    /// Its last bit arrives, or would.
    pub arrival: Time,
    /// The cell as sent.
    pub cell: Cell,
    /// What became of it.
    pub fate: Fate<Cell>,
}

/// Writes down every cell of a link.
pub struct Trace(pub Shared<Vec<Traced>>);

impl LinkObserver<Cell> for Trace {
    fn on_cell(&mut self, start: Time, _end: Time, arrival: Time, cell: Cell, fate: Fate<Cell>) {
        self.0.get().push(Traced { start, arrival, cell, fate });
    }
}

/// Counts the cells that start on a link.
pub struct Throughput {
    /// The bins.
    pub meter: Shared<Meter>,
    /// Only cells of this VC.
    pub label: Option<Label>,
    /// Only cells of this kind.
    pub counted: Counted,
}

impl LinkObserver<Cell> for Throughput {
    fn on_cell(&mut self, start: Time, _end: Time, _arrival: Time, cell: Cell, _fate: Fate<Cell>) {
        let wanted = match self.counted {
            Counted::Data => cell.kind() == Kind::Data,
            Counted::Credit => matches!(cell.kind(), Kind::Credit | Kind::CreditRequest),
            Counted::All => true,
        };
        if wanted && self.label.is_none_or(|label| label == cell.label()) {
            self.meter.get().count(start);
        }
    }
}

/// Departures or arrivals of one VC's data cells, by sequence number.
#[derive(Default)]
pub struct Passages(pub Vec<(u32, Time)>);

/// Notes when the data cells of a VC start on a link (its first) or arrive over it (its last).
pub struct Passing {
    /// The notes.
    pub passages: Shared<Passages>,
    /// The VC on this link.
    pub label: Label,
    /// Note arrivals rather than starts.
    pub arrivals: bool,
}

impl LinkObserver<Cell> for Passing {
    fn on_cell(&mut self, start: Time, _end: Time, arrival: Time, cell: Cell, fate: Fate<Cell>) {
        if cell.kind() != Kind::Data || cell.label() != self.label {
            return;
        }
        if !self.arrivals {
            self.passages.get().0.push((cell.handle(), start));
        } else if !matches!(fate, Fate::Lost) {
            self.passages.get().0.push((cell.handle(), arrival));
        }
    }
}

/// Delays of the cells that arrived: (sequence number, start, arrival), in order of arrival.
///
/// Both lists are in the order of the VC's sequence numbers (a VC keeps its order), which wrap at 2^32.
pub fn delays(departures: &[(u32, Time)], arrivals: &[(u32, Time)]) -> Vec<(u32, Time, Time)> {
    let mut from = departures.iter();
    let mut joined = Vec::with_capacity(arrivals.len());
    for &(sequence, arrival) in arrivals {
        if let Some(&(_, start)) = from.by_ref().find(|(s, _)| *s == sequence) {
            joined.push((sequence, start, arrival));
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_skip_lost_cells() {
        let t = Time::from_ps;
        let sent = [(0, t(0)), (1, t(10)), (2, t(20)), (3, t(30))];
        let came = [(0, t(100)), (2, t(120))];
        assert_eq!(delays(&sent, &came), [(0, t(0), t(100)), (2, t(20), t(120))]);
    }
}
