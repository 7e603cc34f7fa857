//! ATM models on the Cellway kernel.
#![forbid(unsafe_code)]

pub mod buffer;
pub mod cell;
pub mod credit;
mod family;
pub mod impairment;
pub mod schedule;
pub mod spec;
pub mod traffic;
pub mod wire;
