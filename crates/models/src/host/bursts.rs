//! When messages of a VC were offered to its host and when they had left.

use cellway_kernel::time::Time;
use std::collections::VecDeque;

/// A message that has left its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// The application offered it.
    pub offered: Time,
    /// The last bit of its last cell left.
    pub departed: Time,
    /// Its cells.
    pub cells: u64,
}

/// Records the messages of one VC.
#[derive(Default)]
pub(super) struct Bursts {
    waiting: VecDeque<(Time, u64)>,
    left: Vec<Burst>,
}

impl Bursts {
    pub(super) fn offered(&mut self, now: Time, cells: u64) {
        self.waiting.push_back((now, cells));
    }

    /// The first message that waits has left by `departed`.
    pub(super) fn departed(&mut self, departed: Time) {
        if let Some((offered, cells)) = self.waiting.pop_front() {
            self.left.push(Burst { offered, departed, cells });
        }
    }

    pub(super) fn left(&self) -> &[Burst] {
        &self.left
    }
}
