//! ATM models on the Cellway kernel.
//!
//! - [`cell`]: the cell as it travels; [`wire`]: its bytes; [`post`]: contents that do not fit the simulated cell.
//! - Families of algorithms, one file each: [`traffic`], [`schedule`], [`buffer`], [`police`], [`credit`], [`impairment`].
//! - [`abr`]: the end systems of ABR, with their family of use-it-or-lose-it policies; [`rate`]: what switches tell them.
//! - [`mod@line`]: what leaves next on an output, shared by [`switch`] ports and [`host`]s.
//! - [`spec`]: the engine document; [`network`]: builds it, runs it, reports.
//! - [`observe`]: traces, throughput and delays of links.
//!
//! ```text
//! cell, wire <- families <- line <- switch, host <- network -> spec
//! ```
#![forbid(unsafe_code)]

pub mod abr;
pub mod buffer;
pub mod cell;
pub mod credit;
mod family;
pub mod host;
pub mod impairment;
pub mod line;
pub mod network;
pub mod observe;
pub mod police;
pub mod post;
pub mod rate;
pub mod schedule;
pub mod spec;
pub mod switch;
pub mod tcp;
pub mod traffic;
pub mod wire;
