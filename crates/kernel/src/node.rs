//! The node contract.

use crate::link::Wires;
use crate::time::Time;

/// A sequential machine: it consumes time-ordered cells and produces time-ordered cells.
///
/// What a node does depends on its own state and on the cells that arrive, never on how far one call takes it:
/// `advance(t1); advance(t2)` equals `advance(t2)`. Ties are ordered by (time, phase, tie rank).
pub trait Node<C>: Send {
    /// Does everything that falls strictly before `horizon`.
    ///
    /// All cells that arrive before `horizon` are on the node's input links.
    fn advance(&mut self, horizon: Time, wires: &mut Wires<'_, C>);

    /// When the node next does something if no cell comes but those that were on its input links when it last advanced.
    fn next_action(&self) -> Time;
}
