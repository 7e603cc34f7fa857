//! The receiving end of a connection: reassembly and acknowledgements (RFC 9293, 2018, 5681, 1122).

use super::ranges::Ranges;
use super::segment::{Ack, Block, MAX_SACK_BLOCKS, SackBlocks, Segment, Seq};
use cellway_kernel::invariant;
use cellway_kernel::time::{Duration, Time};

/// Parameters of a receiver.
#[derive(Clone, Debug)]
pub struct ReceiverParts {
    /// Number of the first byte of data.
    pub first: Seq,
    /// The window that it offers (bytes).
    pub offered: u32,
    /// Blocks in a SACK option; 0 sends none.
    pub sack_blocks: usize,
    /// How long the acknowledgement of a first segment may wait for a second (RFC 1122, section 4.2.3.2); `None` sends
    /// one for each segment.
    pub delay: Option<Duration>,
}

/// The receiving end of a connection; its application reads everything at once.
pub struct Receiver {
    parts: ReceiverParts,
    /// The next byte expected (RCV.NXT).
    next: Seq,
    /// What came beyond it.
    beyond: Ranges,
    /// Blocks of `beyond` by how recently a segment in them came.
    recent: [Block; MAX_SACK_BLOCKS],
    recent_count: usize,
    /// Segments that no acknowledgement has answered.
    unanswered: u32,
    due: Time,
    counts: ReceiverCounts,
}

/// What a receiver counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverCounts {
    /// Segments received.
    pub segments: u64,
    /// Bytes handed to the application: all once, in order.
    pub delivered: u64,
    /// Segments beyond the next byte expected.
    pub out_of_order: u64,
    /// Segments of which nothing was new.
    pub duplicates: u64,
    /// Acknowledgements sent.
    pub acks: u64,
}

impl Receiver {
    /// A receiver to which nothing has come.
    pub fn new(parts: ReceiverParts) -> Receiver {
        Receiver {
            next: parts.first,
            parts,
            beyond: Ranges::default(),
            recent: [Block::default(); MAX_SACK_BLOCKS],
            recent_count: 0,
            unanswered: 0,
            due: Time::NEVER,
            counts: ReceiverCounts::default(),
        }
    }

    /// A segment arrives. An acknowledgement is due at once if it is the second that waits, out of order, old, or fills
    /// part of a gap (RFC 5681, section 4.2).
    pub fn segment(&mut self, now: Time, segment: Segment) {
        let block = Block::new(segment.seq, segment.seq.plus(segment.len));
        let last = self.next.plus(self.parts.offered);
        invariant!(!block.end.after(last), "tcp receiver", "{segment:?} beyond the window, which ends at {last:?}");
        self.counts.segments += 1;
        self.unanswered += 1;
        let mut at_once = self.unanswered >= 2 || self.parts.delay.is_none();
        if !block.end.after(self.next) {
            self.counts.duplicates += 1;
            at_once = true;
        } else if block.start.after(self.next) {
            at_once = true;
            self.counts.out_of_order += 1;
            let (added, whole) = self.beyond.insert(block);
            self.counts.duplicates += u64::from(added == 0);
            if self.parts.sack_blocks > 0 {
                self.note(whole);
            }
        } else {
            at_once |= !self.beyond.is_empty();
            self.move_to(block.end);
        }
        self.due = match self.parts.delay {
            Some(delay) if !at_once => self.due.min(now.saturating_add(delay)),
            _ => now,
        };
    }

    /// Everything before `end` has come.
    fn move_to(&mut self, end: Seq) {
        let mut next = end;
        if !self.beyond.is_empty() {
            if let Some(block) = self.beyond.at_or_after(end).filter(|b| !b.start.after(end)) {
                next = block.end;
            }
            self.beyond.remove_before(next);
        }
        self.counts.delivered += u64::from(next.since(self.next));
        self.next = next;
    }

    /// The segment that came last lies in `block`, a whole block of `beyond`: it is the first to report (RFC 2018,
    /// section 4), and what it has swallowed is reported no more.
    fn note(&mut self, block: Block) {
        let old = self.recent;
        let mut count = 1;
        self.recent[0] = block;
        for other in &old[..self.recent_count] {
            let swallowed = !other.start.before(block.start) && !other.end.after(block.end);
            if !swallowed && other.start.after(self.next) && count < MAX_SACK_BLOCKS {
                self.recent[count] = *other;
                count += 1;
            }
        }
        self.recent_count = count;
    }

    /// When an acknowledgement is due.
    #[inline]
    pub fn next_run(&self) -> Time {
        self.due
    }

    /// The acknowledgement that is due, if one is.
    pub fn run(&mut self, now: Time) -> Option<Ack> {
        if self.due > now {
            return None;
        }
        self.due = Time::NEVER;
        self.unanswered = 0;
        self.counts.acks += 1;
        let mut sack = SackBlocks::default();
        if !self.beyond.is_empty() {
            let known = self.recent[..self.recent_count].iter().filter(|b| b.start.after(self.next));
            known.take(self.parts.sack_blocks).for_each(|&block| sack.push(block));
        }
        Some(Ack { ack: self.next, sack })
    }

    /// What it counted.
    pub fn counts(&self) -> ReceiverCounts {
        self.counts
    }

    /// The next byte expected.
    pub fn expected(&self) -> Seq {
        self.next
    }
}

#[cfg(test)]
mod tests;
