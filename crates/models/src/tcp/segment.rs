//! What TCP endpoints send each other: sequence numbers, blocks of them, segments, acknowledgements (RFC 9293, 2018).

/// A sequence number, modulo 2^32. Comparisons hold between numbers less than 2^31 apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Seq(pub u32);

impl Seq {
    /// `bytes` further on.
    #[inline]
    #[must_use]
    pub const fn plus(self, bytes: u32) -> Seq {
        Seq(self.0.wrapping_add(bytes))
    }

    /// Bytes from `earlier` to this number.
    #[inline]
    pub const fn since(self, earlier: Seq) -> u32 {
        self.0.wrapping_sub(earlier.0)
    }

    /// True where this number comes before `other`.
    #[inline]
    pub const fn before(self, other: Seq) -> bool {
        (self.0.wrapping_sub(other.0) as i32) < 0
    }

    /// True where this number comes after `other`.
    #[inline]
    pub const fn after(self, other: Seq) -> bool {
        other.before(self)
    }

    /// The later of two.
    #[inline]
    #[must_use]
    pub const fn later(self, other: Seq) -> Seq {
        if self.before(other) { other } else { self }
    }

    /// The earlier of two.
    #[inline]
    #[must_use]
    pub const fn earlier(self, other: Seq) -> Seq {
        if other.before(self) { other } else { self }
    }
}

/// Bytes `start` to `end`, which it does not include.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// The first byte (left edge, RFC 2018).
    pub start: Seq,
    /// The byte after the last (right edge).
    pub end: Seq,
}

impl Block {
    /// The block between two numbers.
    pub const fn new(start: Seq, end: Seq) -> Block {
        Block { start, end }
    }

    /// Its bytes.
    #[inline]
    pub const fn len(self) -> u32 {
        self.end.since(self.start)
    }

    /// True without bytes.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// Blocks that fit the option space of a segment without other options: 2 + 4 * 8 bytes of 40 (RFC 2018, section 3).
pub const MAX_SACK_BLOCKS: usize = 4;

/// The blocks of a SACK option, the most recent first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SackBlocks {
    blocks: [Block; MAX_SACK_BLOCKS],
    count: u8,
}

impl SackBlocks {
    /// Adds a block behind the others; what does not fit is left out.
    pub fn push(&mut self, block: Block) {
        if let Some(place) = self.blocks.get_mut(usize::from(self.count)) {
            *place = block;
            self.count += 1;
        }
    }

    /// The blocks.
    pub fn as_slice(&self) -> &[Block] {
        &self.blocks[..usize::from(self.count)]
    }

    /// Bytes of the option with the two that align it (RFC 2018; RFC 7323, appendix A): 0 without blocks.
    pub const fn option_len(&self) -> u32 {
        if self.count == 0 { 0 } else { 4 + 8 * self.count as u32 }
    }
}

/// A segment with data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Number of its first byte.
    pub seq: Seq,
    /// Bytes of data, at least 1.
    pub len: u32,
}

/// A segment without data that acknowledges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ack {
    /// The next byte that the receiver expects.
    pub ack: Seq,
    /// What it holds beyond that.
    pub sack: SackBlocks,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn order_survives_the_wrap(at: u32, bytes in 1u32..1 << 31) {
            let (a, b) = (Seq(at), Seq(at).plus(bytes));
            prop_assert!(a.before(b) && b.after(a) && !b.before(a) && !a.after(b) && !a.before(a));
            prop_assert_eq!((a.later(b), a.earlier(b), b.since(a)), (b, a, bytes));
            prop_assert_eq!(Block::new(a, b).len(), bytes);
        }
    }

    #[test]
    fn four_blocks_fit() {
        let mut sack = SackBlocks::default();
        assert_eq!((sack.as_slice(), sack.option_len()), (&[][..], 0));
        let block = |k: u32| Block::new(Seq(k * 10), Seq(k * 10 + 5));
        for k in 0..6 {
            sack.push(block(k));
        }
        assert_eq!(sack.as_slice(), [block(0), block(1), block(2), block(3)]);
        assert_eq!(sack.option_len(), 36);
    }
}
