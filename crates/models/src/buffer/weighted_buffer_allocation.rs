//! Weighted Buffer Allocation: each VC may hold its weight's part of the threshold, and a share of what is above.

use super::threshold::{default_z, scaling, threshold};
use super::{BufferConfig, BufferContext, BufferPolicy, by_frame};
use cellway_kernel::error::SpecError;
use cellway_kernel::units::{Cells, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Weighted Buffer Allocation: above R cells, a frame whose first cell is untagged enters while its VC has fewer than
/// R Wi untagged cells (Li); any frame enters while (Yi - R Wi) Na < Z (X - R); all others are dropped, except their last
/// cell.
///
/// X is the number of cells in the buffer, Yi of them of the VC, Na the number of VCs that have a cell there. The weight
/// Wi is the VC's minimum cell rate as a share of the line's rate, so that the weights of admissible contracts add up to
/// at most 1; a VC without minimum has weight 0. The source names the cases X < R and X > R; at X = R the frame enters here,
/// as in Selective Drop.
///
/// Source: Goyal et al., Design issues for providing minimum rate guarantees to the ATM unspecified bit rate service, 1998,
/// section on buffer management; R = 0.5 K as in its simulations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeightedBufferAllocation {
    /// R in cells. Default: `fraction` of the buffer.
    #[serde(default)]
    pub threshold: Option<Cells>,
    /// R as a fraction of the buffer. Default: 0.5.
    #[serde(default)]
    pub fraction: Option<Fraction>,
    /// How much of its equal share of the cells above R a VC may hold: Z. Default: 0.8.
    #[serde(default = "default_z")]
    pub z: f64,
}

impl Default for WeightedBufferAllocation {
    fn default() -> Self {
        WeightedBufferAllocation { threshold: None, fraction: None, z: default_z() }
    }
}

impl BufferConfig for WeightedBufferAllocation {
    fn build(&self, context: &BufferContext<'_>) -> Result<Box<dyn BufferPolicy>, SpecError> {
        let r = threshold(context, ("threshold", self.threshold), ("fraction", self.fraction), Fraction(0.5))?;
        let z = scaling(self.z)?;
        let shares: Vec<f64> = context.weights.iter().map(|w| r * w).collect();
        Ok(by_frame(shares.len(), move |view, cell| {
            let (x, share) = (view.occupancy as f64, shares[view.vc as usize]);
            x <= r
                || (!cell.clp() && (view.untagged_of_vc as f64) < share)
                || (view.of_vc as f64 - share) * (view.active_vcs as f64) < z * (x - r)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::BufferView;
    use crate::buffer::trial::{accepts, data, view};

    #[test]
    fn the_printed_rule() {
        // K = 100, R = 50, Wi = 0.2: R Wi = 10. Four active VCs, Z = 0.8: above R a VC may have Yi < 10 + 0.2 (X - 50).
        let wba = WeightedBufferAllocation::default();
        let cases = [
            // X, Li, Yi, untagged enters, tagged enters
            (50, 40, 40, true, true),
            (51, 9, 40, true, false),
            (51, 10, 40, false, false),
            (70, 0, 13, true, true),
            (70, 0, 14, true, false),
            (70, 14, 14, false, false),
            (70, 13, 13, true, true),
        ];
        for (x, untagged_of_vc, of_vc, untagged, tagged) in cases {
            let seen = BufferView { untagged_of_vc, of_vc, active_vcs: 4, ..view(x, 100) };
            assert_eq!(accepts(&wba, 0.2, &seen, data()), untagged, "{seen:?}");
            assert_eq!(accepts(&wba, 0.2, &seen, data().tagged()), tagged, "{seen:?}, tagged");
        }
    }

    #[test]
    fn a_vc_without_minimum_has_only_its_share_of_the_excess() {
        let wba = WeightedBufferAllocation::default();
        for (of_vc, enters) in [(3, true), (4, false)] {
            let seen = BufferView { untagged_of_vc: of_vc, of_vc, active_vcs: 4, ..view(70, 100) };
            assert_eq!(accepts(&wba, 0.0, &seen, data()), enters, "Yi = {of_vc}");
        }
    }
}
