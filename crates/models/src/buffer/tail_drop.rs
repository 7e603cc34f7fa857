//! Tail drop: a cell is lost when the buffer is full.

use super::{BufferConfig, BufferContext, BufferPolicy, BufferView, DropReason, Verdict};
use crate::cell::Cell;
use cellway_kernel::error::SpecError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A cell that finds the port's buffer full is lost; all others are stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TailDrop {}

impl BufferConfig for TailDrop {
    fn build(&self, _context: &BufferContext<'_>) -> Result<Box<dyn BufferPolicy>, SpecError> {
        Ok(Box::new(TailDrop {}))
    }
}

impl BufferPolicy for TailDrop {
    fn admits_until_full(&self) -> bool {
        true
    }

    fn admit(&mut self, view: &BufferView, _cell: Cell) -> Verdict {
        if view.occupancy < view.capacity { Verdict::Admit } else { Verdict::Drop(DropReason::BufferFull) }
    }
}
