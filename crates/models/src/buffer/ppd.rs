//! Partial packet discard: after a cell of a frame is lost, the rest of the frame goes too.

use super::{BufferConfig, BufferContext, BufferPolicy, by_frame};
use cellway_kernel::error::SpecError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Partial packet discard: after a cell of a frame has found the buffer full, the other cells of the frame are dropped
/// too, except the last, which marks where the next frame begins.
///
/// Source: Romanow and Floyd, Dynamics of TCP traffic over ATM networks, IEEE JSAC 13(4), 1995.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ppd {}

impl BufferConfig for Ppd {
    fn build(&self, context: &BufferContext<'_>) -> Result<Box<dyn BufferPolicy>, SpecError> {
        Ok(by_frame(context.weights.len(), |_, _| true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::trial::{data, view};
    use crate::buffer::{DropReason, Verdict};

    #[test]
    fn frames_enter_until_the_buffer_is_full() {
        let mut policy = Ppd {}.build(&BufferContext { capacity: 10, weights: &[0.0] }).expect("no parameters");
        assert_eq!(policy.admit(&view(9, 10), data()), Verdict::Admit);
        assert_eq!(policy.admit(&view(10, 10), data()), Verdict::Drop(DropReason::BufferFull));
        assert_eq!(policy.admit(&view(5, 10), data()), Verdict::Drop(DropReason::FrameRemainder));
        assert!(!policy.admits_until_full(), "it must hear of every cell");
    }
}
