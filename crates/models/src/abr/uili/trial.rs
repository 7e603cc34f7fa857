//! A bench for policies: parameters as in a document, and events.

use super::{FrmEvent, Uili, UiliContext, UiliSpec};
use crate::abr::{Abr, AbrContext};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::Duration;
use cellway_kernel::units::BitRate;

/// A policy at a source on a line of 155.52 Mbit/s, Nrm 32, ICR 10 000 cells/s.
pub(super) struct Trial {
    spec: UiliSpec,
    context: UiliContext,
}

/// An FRM cell `t` seconds after the one before.
pub(super) fn event(acr: f64, t: f64) -> FrmEvent {
    FrmEvent { acr, since_last: t }
}

impl Trial {
    pub(super) fn new(parameters: &serde_json::Value) -> Trial {
        let spec = serde_json::from_value(parameters.clone()).expect("parameters of a policy");
        let line = BitRate::from_bps(155_520_000);
        let place = AbrContext { line, mcr: None, round_trip: Duration::from_ms(30) };
        let mut limits = Abr::default().limits(&place).expect("the defaults");
        limits.icr = 10_000.0;
        let slot = 1.0 / line.cells().per_second();
        Trial { spec, context: UiliContext { limits, tbe: 16_777_215.0, frtt: 0.03, slot } }
    }

    pub(super) fn pcr(mut self, pcr: f64) -> Trial {
        self.context.limits.pcr = pcr;
        self
    }

    pub(super) fn icr(mut self, icr: f64) -> Trial {
        self.context.limits.icr = icr;
        self
    }

    pub(super) fn rdf(mut self, rdf: f64) -> Trial {
        self.context.limits.rdf = rdf;
        self
    }

    pub(super) fn exposure(mut self, tbe: f64, frtt: f64) -> Trial {
        self.context.tbe = tbe;
        self.context.frtt = frtt;
        self
    }

    pub(super) fn policy(&self) -> Box<dyn Uili> {
        self.spec.config().build(&self.context).expect("possible parameters")
    }

    pub(super) fn error(&self) -> SpecError {
        self.spec.config().build(&self.context).err().expect("impossible parameters")
    }
}
