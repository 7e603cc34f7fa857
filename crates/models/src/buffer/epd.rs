//! Early packet discard: above a threshold no frame may begin.

use super::threshold::threshold;
use super::{BufferConfig, BufferContext, BufferPolicy, by_frame};
use cellway_kernel::error::SpecError;
use cellway_kernel::units::{Cells, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const FRACTION: Fraction = Fraction(0.9);

/// Early packet discard: a frame whose first cell finds more than R cells in the buffer is dropped, except its last cell.
///
/// A frame that begins at exactly R cells enters. Above the threshold partial packet discard applies. With a lower
/// threshold for tagged cells (CLP = 1), frames whose first cell is tagged go first.
///
/// Source: Romanow and Floyd, Dynamics of TCP traffic over ATM networks, IEEE JSAC 13(4), 1995; R = 0.9 K as in Goyal et al.,
/// UBR+: improving performance of TCP over ATM-UBR service, ICC 1997.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Epd {
    /// R in cells. Default: `fraction` of the buffer.
    #[serde(default)]
    pub threshold: Option<Cells>,
    /// R as a fraction of the buffer. Default: 0.9.
    #[serde(default)]
    pub fraction: Option<Fraction>,
    /// Threshold in cells for frames whose first cell is tagged; at most R. Default: R.
    #[serde(default)]
    pub tagged_threshold: Option<Cells>,
    /// The same as a fraction of the buffer.
    #[serde(default)]
    pub tagged_fraction: Option<Fraction>,
}

impl BufferConfig for Epd {
    fn build(&self, context: &BufferContext<'_>) -> Result<Box<dyn BufferPolicy>, SpecError> {
        let r = threshold(context, ("threshold", self.threshold), ("fraction", self.fraction), FRACTION)?;
        let mut tagged = r;
        if self.tagged_threshold.is_some() || self.tagged_fraction.is_some() {
            let cells = ("tagged_threshold", self.tagged_threshold);
            tagged = threshold(context, cells, ("tagged_fraction", self.tagged_fraction), FRACTION)?;
            if tagged > r {
                let given = if self.tagged_threshold.is_some() { "tagged_threshold" } else { "tagged_fraction" };
                return Err(SpecError::new(given, "tagged cells would be kept longer than others")
                    .found(format_args!("{tagged} cells"))
                    .allowed(format_args!("at most {r} cells, the threshold of all frames")));
            }
        }
        Ok(by_frame(context.weights.len(), move |view, cell| {
            view.occupancy as f64 <= if cell.clp() { tagged } else { r }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::trial::{accepts, data, view};

    #[test]
    fn frames_begin_up_to_the_threshold() {
        let epd = Epd::default();
        for (occupancy, enters) in [(0, true), (89, true), (90, true), (91, false), (99, false)] {
            assert_eq!(accepts(&epd, 0.0, &view(occupancy, 100), data()), enters, "X = {occupancy}");
        }
    }

    #[test]
    fn tagged_frames_go_first() {
        let epd = Epd { tagged_threshold: Some(Cells(50)), ..Epd::default() };
        for (occupancy, untagged, tagged) in
            [(50, true, true), (51, true, false), (90, true, false), (91, false, false)]
        {
            assert_eq!(accepts(&epd, 0.0, &view(occupancy, 100), data()), untagged, "X = {occupancy}");
            assert_eq!(accepts(&epd, 0.0, &view(occupancy, 100), data().tagged()), tagged, "X = {occupancy}, tagged");
        }
    }

    #[test]
    fn a_higher_threshold_for_tagged_cells_is_refused() {
        let context = BufferContext { capacity: 100, weights: &[] };
        let epd = Epd { tagged_fraction: Some(Fraction(0.95)), ..Epd::default() };
        assert_eq!(epd.build(&context).map(drop).expect_err("0.95 > 0.9").path, "tagged_fraction");
    }
}
