//! EFCI marking: the oldest and cheapest feedback, one bit in data cells.

use super::{AbrCell, Heard, RateAlgorithm, RateConfig, RateContext, RateQuantity, RateView};
use crate::cell::Label;
use cellway_kernel::error::SpecError;
use cellway_kernel::time::Time;
use cellway_kernel::units::Cells;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sets the EFCI bit of ABR data cells while many ABR cells wait at the port; the destination turns it into CI.
///
/// Source: ATM Forum TM 4.0 (af-tm-0056.000), section 5.10.6, the first of the switch behaviours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-quantities" = [RateQuantity::Congested]))] // as `quantities` below: Python checks what is recorded
pub struct Efci {
    /// Congested when more ABR cells than this wait. Default: 100 cells, a choice.
    #[serde(default = "hundred_cells")]
    pub threshold: Cells,
    /// No longer congested when this many or fewer wait, at most `threshold`: hysteresis. Default: `threshold`, none.
    #[serde(default)]
    pub clear: Option<Cells>,
}

fn hundred_cells() -> Cells {
    Cells(100)
}

impl RateConfig for Efci {
    fn build(&self, _port: &RateContext) -> Result<Box<dyn RateAlgorithm>, SpecError> {
        let clear = self.clear.unwrap_or(self.threshold);
        if clear > self.threshold {
            return Err(SpecError::new("clear", "congestion would end before it begins")
                .found(format_args!("{} cells", clear.0))
                .allowed(format_args!("at most {} cells, the threshold", self.threshold.0)));
        }
        Ok(Box::new(Marker { threshold: self.threshold.0, clear: clear.0, congested: false }))
    }
}

struct Marker {
    threshold: u64,
    clear: u64,
    congested: bool,
}

impl RateAlgorithm for Marker {
    fn cell(&mut self, _now: Time, _vc: Label, _kind: AbrCell, view: &RateView) -> Heard {
        let congested = view.queue > if self.congested { self.clear } else { self.threshold };
        let changed = congested != self.congested;
        self.congested = congested;
        Heard { congested, changed }
    }

    fn quantities(&self) -> &'static [RateQuantity] {
        &[RateQuantity::Congested]
    }

    fn quantity(&self, _which: RateQuantity) -> f64 {
        f64::from(u8::from(self.congested))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(clear: Option<u64>, queues: &[u64]) -> Vec<bool> {
        let spec = Efci { threshold: Cells(10), clear: clear.map(Cells) };
        let mut marker = spec.build(&RateContext { line: 1e6, mcr: vec![0.0], setup: 1 }).unwrap();
        let hear = |&queue: &u64| marker.cell(Time::ZERO, 0, AbrCell::Data, &RateView { queue }).congested;
        queues.iter().map(hear).collect()
    }

    #[test]
    fn above_the_threshold_and_with_hysteresis_until_it_clears() {
        let queues = [0, 10, 11, 10, 6, 5, 4, 10, 11];
        assert_eq!(marks(None, &queues), [false, false, true, false, false, false, false, false, true]);
        assert_eq!(marks(Some(5), &queues), [false, false, true, true, true, false, false, false, true]);
    }

    #[test]
    fn clearing_above_the_threshold_is_refused() {
        let spec = Efci { threshold: Cells(10), clear: Some(Cells(11)) };
        let error = spec.build(&RateContext { line: 1e6, mcr: vec![], setup: 0 }).map(drop).unwrap_err();
        assert_eq!(error.path, "clear");
    }
}
