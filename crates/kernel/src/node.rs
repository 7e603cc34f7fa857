//! The node contract.

use crate::link::Wires;
use crate::time::Time;

/// A sequential machine: it consumes time-ordered cells and produces time-ordered cells.
///
/// What a node does depends on its own state and on the cells that arrive, never on how far one call takes it:
/// `advance(t1); advance(t2)` equals `advance(t2)`. Ties are ordered by (time, phase, tie rank).
pub trait Node<C>: Send {
    /// A cell may be on its way on an input link that carried none when the node last looked; `input` counts the node's
    /// [inputs](crate::net::Ends::inputs) from 0.
    fn expect(&mut self, input: usize, wires: &mut Wires<'_, C>);

    /// Does everything that falls strictly before `horizon`.
    ///
    /// All cells that arrive before `horizon` are on the node's input links, and the node was told to
    /// [expect](Node::expect) them.
    fn advance(&mut self, horizon: Time, wires: &mut Wires<'_, C>);

    /// When the node next does something if no cell comes but those that it expects.
    fn next_action(&self) -> Time;
}
