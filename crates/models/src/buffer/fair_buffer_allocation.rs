//! Fair Buffer Allocation: the fuller the buffer, the smaller the share that a VC may hold.

use super::threshold::{default_z, scaling, threshold};
use super::{BufferConfig, BufferContext, BufferPolicy, by_frame};
use cellway_kernel::error::SpecError;
use cellway_kernel::units::{Cells, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fair Buffer Allocation: a frame whose first cell finds X > R cells in the buffer of size K is dropped, except its last
/// cell, if its VC has Yi of them with Yi Na / X > Z (K - R) / (X - R).
///
/// Na is the number of VCs that have a cell in the buffer. A VC may hold much more than its share just above R, and Z of
/// it in a full buffer. At X = R the frame enters.
///
/// Source: Heinanen and Kilkki, A fair buffer allocation scheme, 1995; parameters of Goyal et al., UBR+: improving
/// performance of TCP over ATM-UBR service, ICC 1997.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FairBufferAllocation {
    /// R in cells. Default: `fraction` of the buffer.
    #[serde(default)]
    pub threshold: Option<Cells>,
    /// R as a fraction of the buffer. Default: 0.9.
    #[serde(default)]
    pub fraction: Option<Fraction>,
    /// How much of its fair share a VC may hold when the buffer is full: Z. Default: 0.8.
    #[serde(default = "default_z")]
    pub z: f64,
}

impl Default for FairBufferAllocation {
    fn default() -> Self {
        FairBufferAllocation { threshold: None, fraction: None, z: default_z() }
    }
}

impl BufferConfig for FairBufferAllocation {
    fn build(&self, context: &BufferContext<'_>) -> Result<Box<dyn BufferPolicy>, SpecError> {
        let r = threshold(context, ("threshold", self.threshold), ("fraction", self.fraction), Fraction(0.9))?;
        let z = scaling(self.z)?;
        if context.capacity == u64::MAX {
            return Err(SpecError::new("", "shares are measured against the size of the buffer, and it has no limit")
                .allowed("a port with a buffer of a given size"));
        }
        let k = context.capacity as f64;
        Ok(by_frame(context.weights.len(), move |view, _| {
            let x = view.occupancy as f64;
            !(x > r && (view.of_vc * view.active_vcs) as f64 / x > z * ((k - r) / (x - r)))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::BufferView;
    use crate::buffer::trial::{accepts, data, view};

    #[test]
    fn the_share_shrinks_as_the_buffer_fills() {
        // K = 100, R = 50, Z = 0.8, four active VCs: the bound on Yi is 0.2 X 50 / (X - 50).
        let fba = FairBufferAllocation { fraction: Some(Fraction(0.5)), ..FairBufferAllocation::default() };
        for (x, of_vc, enters) in
            [(50, 50, true), (60, 60, true), (75, 30, true), (75, 31, false), (90, 22, true), (90, 23, false)]
        {
            let seen = BufferView { of_vc, active_vcs: 4, ..view(x, 100) };
            assert_eq!(accepts(&fba, 0.0, &seen, data()), enters, "X = {x}, Yi = {of_vc}");
        }
    }

    #[test]
    fn it_needs_a_buffer_of_some_size() {
        let fba = FairBufferAllocation { threshold: Some(Cells(50)), ..FairBufferAllocation::default() };
        let unlimited = BufferContext { capacity: u64::MAX, weights: &[] };
        assert!(fba.build(&unlimited).map(drop).expect_err("no K").message.contains("no limit"));
    }
}
