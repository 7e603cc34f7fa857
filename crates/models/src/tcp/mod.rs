//! TCP endpoints: the sending and the receiving end of connections that are already open.
//!
//! - [`segment`]: sequence numbers, segments, acknowledgements; [`ranges`]: sets of bytes.
//! - [`sender`]: transmission and the timer, with its [`window`], [`rto`] estimator, SACK [`scoreboard`] and the
//!   [`supply`] of its application; [`congestion`]: the family of algorithms that open and close the window.
//! - [`receiver`]: reassembly and acknowledgements.
//!
//! None of them owns a clock or knows of cells: `traffic` carries their segments as AAL5 frames.
//!
//! Modelled: RFC 9293's transfer of data, 5681, 6298, 6582, 2018, 6675, 7323's window scale, 1122's delayed
//! acknowledgements. Not modelled: opening and closing a connection, data in both directions of one connection,
//! a receiver that reads slowly and closes its window, timestamps, urgent data, ECN, path MTU discovery,
//! undoing of spurious time-outs.

pub mod congestion;
#[cfg(test)]
mod path;
pub mod ranges;
pub mod receiver;
pub mod rto;
pub mod scoreboard;
pub mod segment;
pub mod sender;
pub mod supply;
pub mod window;
