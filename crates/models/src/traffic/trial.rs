//! Runs applications without a network, for the tests of this family.

use super::{Application, Offer, TrafficContext, TrafficSpec};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::BitRate;
use serde_json::Value;

/// Rate of the host's line in trials [bit/s]: a cell lasts 2 726 337.448... ps.
pub(super) const LINE: u64 = 155_520_000;

/// Seconds as the engine document has them.
pub(super) fn ps(seconds: f64) -> u64 {
    Duration::from_seconds(seconds).ps()
}

/// Builds the application of the VC called `vc`.
pub(super) fn build(spec: &Value, seed: u64, vc: &str) -> Result<Application, SpecError> {
    let spec: TrafficSpec = serde_json::from_value(spec.clone()).expect("parameters of a known kind");
    spec.config().build(&TrafficContext { seed, vc, line: BitRate::from_bps(LINE) })
}

/// The error that the parameters of `spec` deserve; it names what was found and what is allowed.
pub(super) fn error(spec: &Value) -> SpecError {
    let error = build(spec, 1, "vc1").err().expect("impossible parameters");
    assert!(!error.found.is_empty() && !error.allowed.is_empty(), "{error}");
    error
}

/// The offers of an application to which nobody answers, with their times [ps].
pub(super) struct Trial {
    application: Application,
    now: Time,
}

impl Trial {
    pub(super) fn new(spec: &Value, seed: u64) -> Trial {
        Trial { application: build(spec, seed, "vc1").expect("possible parameters"), now: Time::ZERO }
    }
}

impl Iterator for Trial {
    type Item = (u64, Offer);

    fn next(&mut self) -> Option<(u64, Offer)> {
        let next = self.application.source.next_offer();
        assert!(next >= self.now, "an offer in the past: {next:?} after {:?}", self.now);
        if next == Time::NEVER {
            return None;
        }
        self.now = next;
        Some((next.ps(), self.application.source.offer(next)))
    }
}
