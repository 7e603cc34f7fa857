//! The switch's cell memory: queues as linked lists in one slab, and one stored copy per cell of a multicast VC.

use crate::cell::Cell;

const NIL: u32 = u32::MAX;
/// A cell with a single destination needs no reference count.
pub(super) const UNICAST: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Entry {
    cell: Cell,
    next: u32,
    copy: u32,
}

/// A queue of cells in the memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    head: u32,
    tail: u32,
}

impl Queue {
    pub(super) const EMPTY: Queue = Queue { head: NIL, tail: NIL };

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.head == NIL
    }
}

/// All cells of a switch.
///
/// A queue entry refers to a cell; a multicast cell has one entry per branch and one copy, which is freed when the last
/// branch has sent it.
pub(super) struct Memory {
    entries: Vec<Entry>,
    free_entry: u32,
    /// Branches that still have to send a copy; free ones are chained.
    references: Vec<u32>,
    free_copy: u32,
}

impl Memory {
    pub(super) fn new() -> Memory {
        Memory { entries: Vec::new(), free_entry: NIL, references: Vec::new(), free_copy: NIL }
    }

    /// A copy that `branches` branches will send.
    pub(super) fn store_copy(&mut self, branches: u32) -> u32 {
        if self.free_copy == NIL {
            self.references.push(branches);
            return (self.references.len() - 1) as u32;
        }
        let copy = self.free_copy;
        self.free_copy = self.references[copy as usize];
        self.references[copy as usize] = branches;
        copy
    }

    #[inline]
    pub(super) fn push(&mut self, queue: &mut Queue, cell: Cell, copy: u32) {
        let entry = Entry { cell, next: NIL, copy };
        let at = if self.free_entry == NIL {
            self.entries.push(entry);
            (self.entries.len() - 1) as u32
        } else {
            let at = self.free_entry;
            self.free_entry = self.entries[at as usize].next;
            self.entries[at as usize] = entry;
            at
        };
        if queue.is_empty() {
            queue.head = at;
        } else {
            self.entries[queue.tail as usize].next = at;
        }
        queue.tail = at;
    }

    /// Takes the first cell; true if that frees its stored copy.
    #[inline]
    pub(super) fn pop(&mut self, queue: &mut Queue) -> (Cell, bool) {
        debug_assert!(!queue.is_empty());
        let at = queue.head;
        let entry = self.entries[at as usize];
        queue.head = entry.next;
        self.entries[at as usize].next = self.free_entry;
        self.free_entry = at;
        (entry.cell, entry.copy == UNICAST || self.release(entry.copy))
    }

    #[cold]
    fn release(&mut self, copy: u32) -> bool {
        let references = &mut self.references[copy as usize];
        *references -= 1;
        if *references > 0 {
            return false;
        }
        *references = self.free_copy;
        self.free_copy = copy;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Kind;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        /// Several queues in one memory behave as several deques, and places are used again.
        #[test]
        fn queues_are_fifo(steps in prop::collection::vec((0usize..4, any::<bool>()), 1..400)) {
            let mut memory = Memory::new();
            let mut queues = [Queue::EMPTY; 4];
            let mut plain: [VecDeque<u32>; 4] = Default::default();
            let mut most = 0;
            for (k, (q, push)) in steps.into_iter().enumerate() {
                if push {
                    memory.push(&mut queues[q], Cell::new(Kind::Data, 0, k as u32), UNICAST);
                    plain[q].push_back(k as u32);
                } else if let Some(expected) = plain[q].pop_front() {
                    let (cell, freed) = memory.pop(&mut queues[q]);
                    prop_assert_eq!((cell.handle(), freed), (expected, true));
                }
                prop_assert_eq!(queues[q].is_empty(), plain[q].is_empty());
                most = most.max(plain.iter().map(VecDeque::len).sum());
            }
            prop_assert_eq!(memory.entries.len(), most);
        }
    }

    #[test]
    fn a_copy_is_freed_by_its_last_branch() {
        let mut memory = Memory::new();
        let mut branches = [Queue::EMPTY; 3];
        let copy = memory.store_copy(3);
        for q in &mut branches {
            memory.push(q, Cell::BLANK, copy);
        }
        let freed: Vec<bool> = branches.iter_mut().map(|q| memory.pop(q).1).collect();
        assert_eq!(freed, [false, false, true]);
        assert_eq!(memory.store_copy(2), copy, "the place is used again");
    }
}
