//! Relative rate marking: the switch itself writes CI and NI into RM cells.

use super::{AbrCell, Heard, RateAlgorithm, RateConfig, RateContext, RateQuantity, RateView};
use crate::abr::rm::Rm;
use crate::cell::Label;
use cellway_kernel::error::SpecError;
use cellway_kernel::time::Time;
use cellway_kernel::units::Cells;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Compares the ABR cells that wait at the port with two thresholds, and tells sources by CI (decrease) and NI (do not
/// increase) in their RM cells.
///
/// Bits that are set stay set; nothing is ever cleared. With one threshold (`low` left out) NI and CI go together, as
/// Stop & Go ABR uses it. Source: ATM Forum TM 4.0 (af-tm-0056.000), section 5.10.6.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-quantities" = [RateQuantity::Congested]))] // as `quantities` below: Python checks what is recorded
pub struct RelativeRate {
    /// CI is set when more ABR cells than this wait. Default: 100 cells, a choice.
    #[serde(default = "hundred_cells")]
    pub high: Cells,
    /// NI is set when more ABR cells than this wait, at most `high`. Default: `high`.
    #[serde(default)]
    pub low: Option<Cells>,
    /// Which RM cells are marked. Default: backward.
    #[serde(default)]
    pub direction: Direction,
}

/// Which RM cells a port marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Those that come back, on their way to the source: the shortest loop.
    #[default]
    Backward,
    /// Those that go out with the data; the destination returns them.
    Forward,
    /// Both.
    Both,
}

fn hundred_cells() -> Cells {
    Cells(100)
}

impl RateConfig for RelativeRate {
    fn build(&self, _port: &RateContext) -> Result<Box<dyn RateAlgorithm>, SpecError> {
        let low = self.low.unwrap_or(self.high);
        if low > self.high {
            return Err(SpecError::new("low", "the rate would be decreased before increases end")
                .found(format_args!("{} cells", low.0))
                .allowed(format_args!("at most {} cells, the high threshold", self.high.0)));
        }
        Ok(Box::new(Marker {
            high: self.high.0,
            low: low.0,
            forward: self.direction != Direction::Backward,
            backward: self.direction != Direction::Forward,
            congested: false,
        }))
    }
}

struct Marker {
    high: u64,
    low: u64,
    forward: bool,
    backward: bool,
    congested: bool,
}

impl Marker {
    fn mark(&self, rm: &mut Rm, view: &RateView) {
        rm.ci |= view.queue > self.high;
        rm.ni |= view.queue > self.low;
    }
}

impl RateAlgorithm for Marker {
    fn cell(&mut self, _now: Time, _vc: Label, _kind: AbrCell, view: &RateView) -> Heard {
        let congested = view.queue > self.high;
        let changed = congested != self.congested;
        self.congested = congested;
        Heard { congested: false, changed }
    }

    fn forward_rm(&mut self, _now: Time, _vc: Label, rm: &mut Rm, view: &RateView) {
        if self.forward {
            self.mark(rm, view);
        }
    }

    fn backward_rm(&mut self, _now: Time, _vc: Label, rm: &mut Rm, view: &RateView) {
        if self.backward {
            self.mark(rm, view);
        }
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
    use crate::rate::tests::rm;

    /// (CI, NI) of a forward and of a backward RM cell.
    fn bits(low: Option<u64>, direction: Direction, queue: u64) -> [(bool, bool); 2] {
        let spec = RelativeRate { high: Cells(10), low: low.map(Cells), direction };
        let mut marker = spec.build(&RateContext { line: 1e6, mcr: vec![0.0], setup: 1 }).unwrap();
        let (mut forward, mut backward) = (rm(0.0, 9.0), rm(0.0, 9.0));
        marker.forward_rm(Time::ZERO, 0, &mut forward, &RateView { queue });
        marker.backward_rm(Time::ZERO, 0, &mut backward, &RateView { queue });
        assert_eq!((forward.er, backward.er), (9.0, 9.0), "no explicit rate");
        [(forward.ci, forward.ni), (backward.ci, backward.ni)]
    }

    #[test]
    fn two_thresholds_make_three_states() {
        use Direction::{Backward, Both, Forward};
        let no = (false, false);
        assert_eq!(bits(Some(5), Both, 5), [no, no]);
        assert_eq!(bits(Some(5), Both, 6), [(false, true); 2]);
        assert_eq!(bits(Some(5), Both, 10), [(false, true); 2]);
        assert_eq!(bits(Some(5), Both, 11), [(true, true); 2]);
        assert_eq!(bits(None, Backward, 10), [no, no]);
        assert_eq!(bits(None, Backward, 11), [no, (true, true)]);
        assert_eq!(bits(None, Forward, 11), [(true, true), no]);
    }

    #[test]
    fn bits_of_other_switches_stay() {
        let mut marker = RelativeRate { high: Cells(10), low: None, direction: Direction::Both };
        marker.low = Some(Cells(10));
        let mut marker = marker.build(&RateContext { line: 1e6, mcr: vec![0.0], setup: 1 }).unwrap();
        let mut marked = Rm { ci: true, ni: true, ..rm(0.0, 9.0) };
        marker.backward_rm(Time::ZERO, 0, &mut marked, &RateView { queue: 0 });
        assert!(marked.ci && marked.ni);
    }

    #[test]
    fn thresholds_out_of_order_are_refused() {
        let spec = RelativeRate { high: Cells(10), low: Some(Cells(11)), direction: Direction::Both };
        assert_eq!(spec.build(&RateContext { line: 1e6, mcr: vec![], setup: 0 }).map(drop).unwrap_err().path, "low");
    }
}
