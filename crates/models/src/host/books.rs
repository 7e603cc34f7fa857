//! The books of a VC at its ends.

/// The books of a VC at its destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Data cells that arrived.
    pub cells: u64,
    /// Of these, cells with bit errors.
    pub corrupted: u64,
    /// Messages that arrived whole.
    pub messages: u64,
    /// Message ends that arrived when a cell of the message was lost or corrupted, or the end of the message before.
    pub spoiled: u64,
    /// RM cells that arrived, which count nowhere else here.
    pub rm: u64,
}

/// The books of a VC at its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Cells that the application offered; of an endless offer, those that were sent.
    pub offered: u64,
    /// Data cells sent.
    pub sent: u64,
    /// RM cells sent besides.
    pub rm: u64,
    /// Cells that wait in the host.
    pub waiting: u64,
}
