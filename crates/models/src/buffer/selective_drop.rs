//! Selective Drop: above a threshold, VCs with more than their share of the buffer may not begin a frame.

use super::threshold::{default_z, scaling, threshold};
use super::{BufferConfig, BufferContext, BufferPolicy, by_frame};
use cellway_kernel::error::SpecError;
use cellway_kernel::units::{Cells, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Selective Drop: a frame whose first cell finds X > R cells in the buffer is dropped, except its last cell, if its VC
/// has Yi of them with Yi Na / X > Z.
///
/// Na is the number of VCs that have a cell in the buffer, so X / Na is the fair share. At X = R the frame enters.
///
/// Source: Goyal et al., UBR+: improving performance of TCP over ATM-UBR service, ICC 1997.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelectiveDrop {
    /// R in cells. Default: `fraction` of the buffer.
    #[serde(default)]
    pub threshold: Option<Cells>,
    /// R as a fraction of the buffer. Default: 0.9.
    #[serde(default)]
    pub fraction: Option<Fraction>,
    /// How much of its fair share a VC may hold above the threshold: Z. Default: 0.8.
    #[serde(default = "default_z")]
    pub z: f64,
}

impl Default for SelectiveDrop {
    fn default() -> Self {
        SelectiveDrop { threshold: None, fraction: None, z: default_z() }
    }
}

impl BufferConfig for SelectiveDrop {
    fn build(&self, context: &BufferContext<'_>) -> Result<Box<dyn BufferPolicy>, SpecError> {
        let r = threshold(context, ("threshold", self.threshold), ("fraction", self.fraction), Fraction(0.9))?;
        let z = scaling(self.z)?;
        Ok(by_frame(context.weights.len(), move |view, _| {
            let x = view.occupancy as f64;
            !(x > r && (view.of_vc * view.active_vcs) as f64 / x > z)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::BufferView;
    use crate::buffer::trial::{accepts, data, view};

    #[test]
    fn only_vcs_above_their_share_lose_frames() {
        // K = 100, R = 90, four active VCs; the fair share of X = 92 is 23, and 0.8 of it 18.4.
        for (x, of_vc, enters) in [(92, 18, true), (92, 19, false), (90, 90, true), (91, 19, false), (91, 18, true)] {
            let seen = BufferView { of_vc, active_vcs: 4, ..view(x, 100) };
            assert_eq!(accepts(&SelectiveDrop::default(), 0.0, &seen, data()), enters, "X = {x}, Yi = {of_vc}");
        }
    }

    #[test]
    fn exactly_z_is_not_above_z() {
        let half = SelectiveDrop { threshold: Some(Cells(10)), z: 0.5, ..SelectiveDrop::default() };
        let seen = BufferView { of_vc: 5, active_vcs: 2, ..view(20, 100) };
        assert!(accepts(&half, 0.0, &seen, data()));
        assert!(!accepts(&half, 0.0, &BufferView { of_vc: 6, ..seen }, data()));
    }
}
