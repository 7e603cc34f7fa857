//! Properties of whole networks, one file each.

mod abr;
mod closed_loop;
mod credit;
mod determinism;
mod guarantees;
mod max_min;
mod phase_effects;
mod random_networks;
mod rates;
mod refusals;
mod schedulers;
mod switching;
mod tcp;
mod watching;
