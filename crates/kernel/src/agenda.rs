//! The agenda of a node: what is next among its inputs, lines and timers.

use crate::time::{Moment, tie_rank};

/// A winner tree over a fixed set of entries, each of which has a moment (or [`Moment::NEVER`]).
///
/// Each block of four holds the first moments of four blocks below, the lowest blocks those of the entries: moving an
/// entry costs one pass over a block per level, without branches that depend on the moments. Entries at the same
/// moment are ordered by [`tie_rank`] of their salts, never by their number or by the order in which they were set.
pub struct Agenda {
    first: Moment,
    top: Block,
    /// Levels below the top, the entries' own level first; each has whole blocks only.
    below: Box<[Box<[Block]>]>,
    salts: Box<[u64]>,
}

type Block = [Moment; WIDTH];
const WIDTH: usize = 4;

#[inline]
fn earliest(block: &Block) -> Moment {
    block[0].min(block[1]).min(block[2].min(block[3]))
}

/// The slot of the block that holds `moment`, or `None` where several do.
#[inline]
fn only_slot(block: &Block, moment: Moment) -> Option<usize> {
    let equal = block.map(|m| u32::from(m == moment));
    let mask = equal[0] | equal[1] << 1 | equal[2] << 2 | equal[3] << 3;
    (mask & mask.wrapping_sub(1) == 0).then_some(mask.trailing_zeros() as usize % WIDTH)
}

impl Agenda {
    /// An agenda with one entry for each salt; salts come from the entries' names.
    pub fn new(salts: impl IntoIterator<Item = u64>) -> Agenda {
        let salts: Box<[u64]> = salts.into_iter().collect();
        let mut below = Vec::new();
        let mut width = salts.len();
        while width > WIDTH {
            width = width.div_ceil(WIDTH);
            below.push(vec![[Moment::NEVER; WIDTH]; width].into_boxed_slice());
        }
        Agenda { first: Moment::NEVER, top: [Moment::NEVER; WIDTH], below: below.into_boxed_slice(), salts }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.salts.len()
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.salts.is_empty()
    }

    /// The first moment; [`Moment::NEVER`] when nothing is planned.
    #[inline]
    pub fn first_moment(&self) -> Moment {
        self.first
    }

    /// The entry that is planned for the first moment.
    #[inline]
    pub fn first_entry(&self) -> usize {
        let Some(mut number) = only_slot(&self.top, self.first) else { return self.first_of_tied() };
        for level in self.below.iter().rev() {
            let Some(slot) = only_slot(&level[number], self.first) else { return self.first_of_tied() };
            number = number * WIDTH + slot;
        }
        number
    }

    /// Among the entries at the first moment, the one of the smallest rank.
    #[cold]
    fn first_of_tied(&self) -> usize {
        let mut best = (u64::MAX, usize::MAX);
        self.visit_tied(self.below.len(), &self.top, 0, &mut best);
        best.1
    }

    fn visit_tied(&self, height: usize, block: &Block, first_below: usize, best: &mut (u64, usize)) {
        for slot in (0..WIDTH).filter(|&slot| block[slot] == self.first) {
            let below = first_below + slot;
            if height > 0 {
                self.visit_tied(height - 1, &self.below[height - 1][below], below * WIDTH, best);
            } else if let Some(&salt) = self.salts.get(below) {
                *best = (*best).min((tie_rank(self.first, salt), below));
            }
        }
    }

    /// The moment of an entry.
    #[inline]
    pub fn moment(&self, entry: usize) -> Moment {
        match self.below.first() {
            None => self.top[entry % WIDTH],
            Some(lowest) => lowest[entry / WIDTH][entry % WIDTH],
        }
    }

    /// Plans `entry` for `moment`, in place of whatever was planned.
    #[inline]
    pub fn set(&mut self, entry: usize, mut moment: Moment) {
        let mut number = entry;
        for level in &mut self.below {
            let block = &mut level[number / WIDTH];
            block[number % WIDTH] = moment;
            moment = earliest(block);
            number /= WIDTH;
        }
        self.top[number % WIDTH] = moment;
        self.first = earliest(&self.top);
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
        assert_eq!(agenda.first_moment(), Moment::NEVER);
    }

    proptest! {
        /// Against a linear scan, with many ties.
        #[test]
        fn agrees_with_a_scan(n in 1usize..90, steps in prop::collection::vec((0usize..90, 0u64..6), 1..200)) {
            let salts: Vec<u64> = (0..n as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            let mut agenda = Agenda::new(salts.clone());
            let mut plain = vec![Moment::NEVER; n];
            for (entry, ps) in steps {
                let entry = entry % n;
                let moment = if ps == 5 { Moment::NEVER } else { at(ps) };
                plain[entry] = moment;
                agenda.set(entry, moment);
                let best = (0..n).min_by_key(|&i| (plain[i], tie_rank(plain[i], salts[i]), i)).unwrap();
                prop_assert_eq!(agenda.first_moment(), plain[best]);
                if plain[best] != Moment::NEVER {
                    prop_assert_eq!(agenda.first_entry(), best);
                }
                prop_assert_eq!(agenda.moment(entry), moment);
            }
        }
    }
}
