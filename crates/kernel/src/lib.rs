//! Cellway's kernel: exact time, delay lines, and nodes that advance to a horizon.
//!
//! It knows nothing about ATM, files or Python. Read in this order:
//!
//! - [`time`]: picoseconds, and the order of what happens at one instant;
//! - [`units`]: rates and cell counts with the unit in the type, and the exact clock of a line;
//! - [`link`]: a line and its delay, as a ring of (arrival time, cell);
//! - [`ring`]: the queue under links and lines;
//! - [`agenda`]: what a node does next;
//! - [`node`]: the node contract;
//! - [`net`]: the horizon scheduler and the one-step reference scheduler; `itinerary`: in which order it visits;
//! - [`rng`]: random streams by component name;
//! - [`probe`] and [`table`]: what was observed, and how results leave;
//! - [`error`]: faults of a scenario, and invariants of a component.
#![forbid(unsafe_code)]

pub mod agenda;
pub mod error;
mod itinerary;
pub mod link;
pub mod net;
pub mod node;
pub mod probe;
pub mod ring;
pub mod rng;
pub mod table;
pub mod time;
pub mod units;
