//! The agenda of a node: what is next among its inputs, lines and timers.

use crate::time::{Moment, tie_rank};

/// A winner tree over a fixed set of entries, each of which has a moment (or [`Moment::NEVER`]).
///
/// Reading the first is free, moving one entry costs log2(entries) comparisons. Entries at the same moment are
/// ordered by [`tie_rank`] of their salts, never by their number or by the order in which they were set.
pub struct Agenda {
    /// Heap-shaped: `tree[1]` is the overall winner, `tree[leaves + i]` is entry i.
    tree: Box<[Slot]>,
    salts: Box<[u64]>,
    leaves: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Slot {
    moment: Moment,
    entry: u32,
}

impl Agenda {
    /// An agenda with one entry for each salt; salts come from the entries' names.
    pub fn new(salts: impl IntoIterator<Item = u64>) -> Agenda {
        let salts: Box<[u64]> = salts.into_iter().collect();
        let leaves = salts.len().next_power_of_two().max(2);
        let mut tree = vec![Slot { moment: Moment::NEVER, entry: 0 }; 2 * leaves].into_boxed_slice();
        for i in 0..leaves {
            tree[leaves + i].entry = i as u32;
        }
        for i in (1..leaves).rev() {
            tree[i] = tree[2 * i];
        }
        Agenda { tree, salts, leaves }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.salts.len()
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.salts.is_empty()
    }

    /// The first moment and its entry; [`Moment::NEVER`] when nothing is planned.
    #[inline]
    pub fn first(&self) -> (Moment, usize) {
        let slot = self.tree[1];
        (slot.moment, slot.entry as usize)
    }

    /// The moment of an entry.
    #[inline]
    pub fn moment(&self, entry: usize) -> Moment {
        self.tree[self.leaves + entry].moment
    }

    /// Plans `entry` for `moment`, in place of whatever was planned.
    #[inline]
    pub fn set(&mut self, entry: usize, moment: Moment) {
        let mut at = self.leaves + entry;
        // One check here instead of one per level.
        assert!(at < self.tree.len());
        let mut winner = Slot { moment, entry: entry as u32 };
        self.tree[at] = winner;
        while at > 1 {
            let other = self.tree[at ^ 1];
            if self.before(other, winner) {
                winner = other;
            }
            at >>= 1;
            if self.tree[at] == winner {
                // Nothing changes further up, unless the entry itself is what changed on the way.
                if winner.entry != entry as u32 {
                    return;
                }
            }
            self.tree[at] = winner;
        }
    }

    /// Plans nothing for `entry`.
    #[inline]
    pub fn clear(&mut self, entry: usize) {
        self.set(entry, Moment::NEVER);
    }

    #[inline]
    fn before(&self, a: Slot, b: Slot) -> bool {
        if a.moment == b.moment { self.tied_before(a, b) } else { a.moment < b.moment }
    }

    #[inline]
    fn tied_before(&self, a: Slot, b: Slot) -> bool {
        if a.moment == Moment::NEVER {
            return a.entry < b.entry;
        }
        let rank = |s: Slot| (tie_rank(s.moment, self.salts[s.entry as usize]), s.entry);
        rank(a) < rank(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{Phase, Time};
    use proptest::prelude::*;

    fn at(ps: u64) -> Moment {
        Time::from_ps(ps).at(Phase::Arrival)
    }

    #[test]
    fn first_is_never_on_an_empty_agenda() {
        let agenda = Agenda::new([1, 2, 3]);
        assert_eq!(agenda.first().0, Moment::NEVER);
    }

    proptest! {
        /// Against a linear scan, with many ties.
        #[test]
        fn agrees_with_a_scan(n in 1usize..40, steps in prop::collection::vec((0usize..40, 0u64..6), 1..200)) {
            let salts: Vec<u64> = (0..n as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            let mut agenda = Agenda::new(salts.clone());
            let mut plain = vec![Moment::NEVER; n];
            for (entry, ps) in steps {
                let entry = entry % n;
                let moment = if ps == 5 { Moment::NEVER } else { at(ps) };
                plain[entry] = moment;
                agenda.set(entry, moment);
                let best = (0..n).min_by_key(|&i| (plain[i], tie_rank(plain[i], salts[i]), i)).unwrap();
                prop_assert_eq!(agenda.first().0, plain[best]);
                if plain[best] != Moment::NEVER {
                    prop_assert_eq!(agenda.first().1, best);
                }
                prop_assert_eq!(agenda.moment(entry), moment);
            }
        }
    }
}
