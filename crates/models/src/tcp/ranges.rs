//! Sets of bytes as sorted ranges: what a receiver holds out of order, what a sender knows to have arrived.

use super::segment::{Block, Seq};
use std::collections::VecDeque;

/// Disjoint blocks in order, none touching the next, all within 2^31 bytes.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    blocks: VecDeque<Block>,
    bytes: u32,
}

impl Ranges {
    /// Bytes in the set.
    #[inline]
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// True without any.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The blocks, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Block> + ExactSizeIterator {
        self.blocks.iter().copied()
    }

    /// The byte after the last.
    #[inline]
    pub fn end(&self) -> Option<Seq> {
        self.blocks.back().map(|b| b.end)
    }

    /// Place of the first block that ends after `seq`.
    #[inline]
    fn place(&self, seq: Seq) -> usize {
        self.blocks.partition_point(|b| !b.end.after(seq))
    }

    /// The block that holds `seq`, or the first one after it.
    pub fn at_or_after(&self, seq: Seq) -> Option<Block> {
        self.blocks.get(self.place(seq)).copied()
    }

    /// Bytes of the set from `start` to `end`, which it does not include.
    pub fn bytes_between(&self, start: Seq, end: Seq) -> u32 {
        let from = self.blocks.range(self.place(start)..).take_while(|b| b.start.before(end));
        from.map(|b| b.end.earlier(end).since(b.start.later(start))).sum()
    }

    /// Adds a block, not empty; returns the bytes that were not in the set, and the block of the set that now holds it.
    pub fn insert(&mut self, new: Block) -> (u32, Block) {
        // Most blocks continue the last one, or lie behind it.
        let from = match self.blocks.back() {
            Some(last) if !last.start.before(new.end) || !last.end.after(new.start) => {
                self.blocks.partition_point(|b| b.end.before(new.start))
            }
            Some(last) if !last.start.after(new.start) => self.blocks.len() - 1,
            _ => self.blocks.partition_point(|b| b.end.before(new.start)),
        };
        let mut whole = new;
        let mut known = 0;
        let mut to = from;
        while let Some(block) = self.blocks.get(to).filter(|b| !b.start.after(new.end)) {
            whole = Block::new(whole.start.earlier(block.start), whole.end.later(block.end));
            known += block.len();
            to += 1;
        }
        if to == from {
            self.blocks.insert(from, whole);
        } else {
            self.blocks[from] = whole;
            if to > from + 1 {
                self.blocks.drain(from + 1..to);
            }
        }
        let added = whole.len() - known;
        self.bytes += added;
        (added, whole)
    }

    /// Removes all bytes before `seq`; returns how many there were.
    pub fn remove_before(&mut self, seq: Seq) -> u32 {
        let mut removed = 0;
        while let Some(first) = self.blocks.front_mut().filter(|b| b.start.before(seq)) {
            if first.end.after(seq) {
                removed += seq.since(first.start);
                first.start = seq;
                break;
            }
            removed += first.len();
            self.blocks.pop_front();
        }
        self.bytes -= removed;
        removed
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Against a set of single bytes, across the wrap of sequence numbers.
        #[test]
        fn as_a_set_of_bytes(
            base in prop::sample::select(vec![0u32, u32::MAX - 40, 1 << 31]),
            steps in prop::collection::vec((0u32..100, 1u32..20, 0u32..8), 1..60),
        ) {
            let seq = |k: u32| Seq(base).plus(k);
            let (mut ranges, mut set) = (Ranges::default(), BTreeSet::new());
            for (start, len, step) in steps {
                if step == 0 {
                    let kept = set.split_off(&start);
                    prop_assert_eq!(ranges.remove_before(seq(start)), set.len() as u32);
                    set = kept;
                } else {
                    let (added, whole) = ranges.insert(Block::new(seq(start), seq(start + len)));
                    let before = set.len();
                    set.extend(start..start + len);
                    prop_assert_eq!(added as usize, set.len() - before);
                    prop_assert!(!whole.start.after(seq(start)) && !whole.end.before(seq(start + len)));
                }
                prop_assert_eq!(ranges.bytes() as usize, set.len());
                let listed: Vec<u32> = ranges.iter().flat_map(|b| (0..b.len()).map(move |k| b.start.plus(k).0)).collect();
                prop_assert_eq!(listed, set.iter().map(|&k| seq(k).0).collect::<Vec<_>>());
                let blocks: Vec<Block> = ranges.iter().collect();
                prop_assert!(blocks.windows(2).all(|w| w[0].end.before(w[1].start)), "{:?}", blocks);
                prop_assert_eq!(ranges.bytes_between(seq(start), seq(start + 30)) as usize, set.range(start..start + 30).count());
                let next = ranges.at_or_after(seq(start)).map(|b| b.start.later(seq(start)));
                prop_assert_eq!(next, set.range(start..).next().map(|&k| seq(k)));
            }
        }
    }
}
