//! What a sender knows from selective acknowledgements (RFC 6675, sections 1 to 4).
//!
//! Numbers here point *behind* the last byte where the RFC's name the byte: `high_ack` is HighACK + 1, `high_rxt` is
//! HighRxt + 1, `high_data` is HighData + 1.

use super::ranges::Ranges;
use super::segment::{Block, Seq};

/// Duplicate acknowledgements, or SACKed blocks, that mean a loss (RFC 6675, section 2).
pub const DUP_THRESH: u32 = 3;

/// The scoreboard. Every operation but [`clear`](Scoreboard::clear) takes logarithmic or amortised constant time.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    mss: u32,
    high_ack: Seq,
    high_rxt: Seq,
    sacked: Ranges,
    /// SACKed bytes before `high_rxt`.
    sacked_below_rxt: u32,
}

impl Scoreboard {
    /// A sender with segments of `mss` bytes and nothing sent before `start`.
    pub fn new(mss: u32, start: Seq) -> Scoreboard {
        Scoreboard { mss, high_ack: start, high_rxt: start, sacked: Ranges::default(), sacked_below_rxt: 0 }
    }

    /// Update(): notes an acknowledgement; returns the bytes newly SACKed.
    pub fn update(&mut self, ack: Seq, blocks: &[Block]) -> u32 {
        if ack.after(self.high_ack) {
            self.high_ack = ack;
            let removed = if self.sacked.is_empty() { 0 } else { self.sacked.remove_before(ack) };
            if self.high_rxt.before(ack) {
                self.high_rxt = ack;
                self.sacked_below_rxt = 0;
            } else {
                self.sacked_below_rxt -= removed;
            }
        }
        let mut news = 0;
        for &block in blocks {
            let block = Block::new(block.start.later(self.high_ack), block.end);
            if block.start.before(block.end) {
                news += self.insert(block);
            }
        }
        news
    }

    fn insert(&mut self, block: Block) -> u32 {
        if !block.start.before(self.high_rxt) {
            return self.sacked.insert(block).0;
        }
        let below = self.sacked.insert(Block::new(block.start, block.end.earlier(self.high_rxt))).0;
        self.sacked_below_rxt += below;
        if block.end.after(self.high_rxt) {
            below + self.sacked.insert(Block::new(self.high_rxt, block.end)).0
        } else {
            below
        }
    }

    /// The bytes known to have arrived beyond the cumulative acknowledgement.
    pub fn sacked(&self) -> &Ranges {
        &self.sacked
    }

    /// Forgets all selective acknowledgements, as after a time-out (RFC 2018, section 8).
    pub fn clear(&mut self) {
        self.sacked.clear();
        self.sacked_below_rxt = 0;
        self.high_rxt = self.high_ack;
    }

    /// Everything before `to` that is missing counts as retransmitted; `to` may be earlier than before.
    pub fn set_high_rxt(&mut self, to: Seq) {
        let to = to.later(self.high_ack);
        if to == self.high_ack {
            self.sacked_below_rxt = 0;
        } else if to.before(self.high_rxt) {
            self.sacked_below_rxt -= self.sacked.bytes_between(to, self.high_rxt);
        } else {
            self.sacked_below_rxt += self.sacked.bytes_between(self.high_rxt, to);
        }
        self.high_rxt = to;
    }

    /// Missing bytes before this number are lost, those after it are not: the boundary of IsLost(), and the SACKed
    /// bytes after it. Looks at no more than DupThresh blocks.
    fn lost_before(&self) -> (Seq, u32) {
        let mut above = 0;
        for (block, count) in self.sacked.iter().rev().zip(1..) {
            above += block.len();
            if count >= DUP_THRESH || above > (DUP_THRESH - 1) * self.mss {
                return (block.start, above);
            }
        }
        (self.high_ack, self.sacked.bytes())
    }

    /// IsLost(): three blocks, or more than two segments' bytes, are SACKed after `seq`, which is not SACKed itself.
    pub fn is_lost(&self, seq: Seq) -> bool {
        seq.before(self.lost_before().0)
    }

    /// SetPipe(): bytes in the network of those before `high_data`, as far as the sender can tell.
    pub fn pipe(&self, high_data: Seq) -> u32 {
        let (lost_before, sacked_above) = self.lost_before();
        // (a) neither SACKed nor lost; (b) retransmitted and not SACKed.
        let not_lost = high_data.since(lost_before) - sacked_above;
        let retransmitted = self.high_rxt.since(self.high_ack) - self.sacked_below_rxt;
        not_lost + retransmitted
    }

    /// The first bytes from `seq` on, before `end`, that are not SACKed: at most one segment.
    pub fn missing_from(&self, seq: Seq, end: Seq) -> Option<Block> {
        let (mut start, mut stop) = (seq, end);
        if let Some(block) = self.sacked.at_or_after(seq) {
            if block.start.after(seq) {
                stop = stop.earlier(block.start);
            } else {
                start = block.end;
                let next = self.sacked.at_or_after(start);
                stop = next.map_or(end, |b| end.earlier(b.start));
            }
        }
        start.before(stop).then(|| Block::new(start, stop.earlier(start.plus(self.mss))))
    }

    /// NextSeg() rule (1): the first missing segment that is lost and not retransmitted.
    pub fn next_lost(&self) -> Option<Block> {
        self.missing_from(self.high_rxt, self.lost_before().0)
    }

    /// NextSeg() rule (3): the first missing segment that is not retransmitted, with something SACKed after it.
    pub fn next_missing(&self) -> Option<Block> {
        self.missing_from(self.high_rxt, self.sacked.end()?)
    }

    /// NextSeg() rule (4): the last missing segment before `high_data`.
    pub fn last_missing(&self, high_data: Seq) -> Option<Block> {
        let mut end = high_data;
        let mut start = self.high_ack;
        for block in self.sacked.iter().rev() {
            if block.end.before(end) {
                start = block.end;
                break;
            }
            end = block.start;
        }
        let bytes = end.since(start).min(self.mss);
        (bytes > 0).then(|| Block::new(Seq(end.0.wrapping_sub(bytes)), end))
    }
}

#[cfg(test)]
mod tests;
