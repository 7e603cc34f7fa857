//! The agenda of a node: what is next among its inputs, lines and timers.

use crate::time::{Moment, tie_rank};

/// A winner tree over a fixed set of entries, each of which has a moment (or [`Moment::NEVER`]).
///
/// Reading the first is free, moving one entry costs log2(entries) comparisons. Entries at the same moment are
/// ordered by [`tie_rank`] of their salts, never by their number or by the order in which they were set.
pub struct Agenda {
    /// Heap-shaped: `tree[1]` is the overall winner, `tree[leaves + i]` is entry i.
    tree: Box<[Key]>,
    salts: Box<[u64]>,
}

/// Moment (64 bit), tie rank (40 bit) and entry (24 bit) in one number, so that one comparison decides, ties included.
type Key = u128;

const ENTRY_BITS: u32 = 24;
const ENTRY_MASK: u64 = (1 << ENTRY_BITS) - 1;

#[inline]
fn key(moment: Moment, salt: u64, entry: usize) -> Key {
    let rank = tie_rank(moment, salt) & !ENTRY_MASK;
    (moment.bits() as u128) << 64 | (rank | entry as u64) as u128
}

impl Agenda {
    /// An agenda with one entry for each salt; salts come from the entries' names.
    ///
    /// # Panics
    /// For 2^24 entries or more.
    pub fn new(salts: impl IntoIterator<Item = u64>) -> Agenda {
        let salts: Box<[u64]> = salts.into_iter().collect();
        assert!(salts.len() <= ENTRY_MASK as usize, "an agenda has fewer than 2^24 entries");
        let leaves = salts.len().next_power_of_two().max(2);
        let mut tree = vec![key(Moment::NEVER, 0, 0); 2 * leaves].into_boxed_slice();
        for (i, &salt) in salts.iter().enumerate() {
            tree[leaves + i] = key(Moment::NEVER, salt, i);
        }
        for i in (1..leaves).rev() {
            tree[i] = tree[2 * i].min(tree[2 * i + 1]);
        }
        Agenda { tree, salts }
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
        let first = self.tree[1];
        (Moment::from_bits((first >> 64) as u64), (first as u64 & ENTRY_MASK) as usize)
    }

    /// The moment of an entry.
    #[inline]
    pub fn moment(&self, entry: usize) -> Moment {
        Moment::from_bits((self.tree[self.tree.len() / 2 + entry] >> 64) as u64)
    }

    /// Plans `entry` for `moment`, in place of whatever was planned.
    #[inline]
    pub fn set(&mut self, entry: usize, moment: Moment) {
        let tree = &mut self.tree[..];
        let mut at = tree.len() / 2 + entry;
        let mut winner = key(moment, self.salts[entry], entry);
        tree[at] = winner;
        while at > 1 {
            winner = winner.min(tree[at ^ 1]);
            at /= 2;
            // Nothing changes further up where the same winner stood before.
            if tree[at] == winner {
                return;
            }
            tree[at] = winner;
        }
    }

    /// Plans nothing for `entry`.
    #[inline]
    pub fn clear(&mut self, entry: usize) {
        self.set(entry, Moment::NEVER);
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
                let best = (0..n).min_by_key(|&i| (plain[i], tie_rank(plain[i], salts[i]) >> ENTRY_BITS, i)).unwrap();
                prop_assert_eq!(agenda.first().0, plain[best]);
                if plain[best] != Moment::NEVER {
                    prop_assert_eq!(agenda.first().1, best);
                }
                prop_assert_eq!(agenda.moment(entry), moment);
            }
        }
    }
}
