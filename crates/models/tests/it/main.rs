//! Properties of whole networks, one file each.

mod credit;
mod determinism;
mod phase_effects;
mod random_networks;
mod schedulers;
