//! Independent random bit errors in the payload.

use super::{Affected, ImpairmentConfig, probability};
use crate::cell::Cell;
use cellway_kernel::error::SpecError;
use cellway_kernel::link::{Fate, Impairment};
use cellway_kernel::rng::Stream;
use cellway_kernel::time::Time;
use cellway_kernel::units::Fraction;
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Each affected cell arrives with a damaged payload with the same probability; its header stays readable.
///
/// A corrupted credit cell is discarded by its CRC-32 (N23 paper, section 4.5); corrupted data is delivered and counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomCorruption {
    /// Probability of corruption, 0 to 1.
    pub probability: Fraction,
    /// Which cells it affects. Default: all.
    #[serde(default)]
    pub cells: Affected,
}

impl ImpairmentConfig for RandomCorruption {
    fn build(&self, stream: Stream) -> Result<Box<dyn Impairment<Cell>>, SpecError> {
        let probability = probability("probability", self.probability.0)?;
        Ok(Box::new(Corruption { probability, cells: self.cells, stream }))
    }
}

struct Corruption {
    probability: f64,
    cells: Affected,
    stream: Stream,
}

impl Impairment<Cell> for Corruption {
    fn fate(&mut self, _start: Time, cell: Cell) -> Fate<Cell> {
        if self.cells.includes(cell) && self.stream.random_bool(self.probability) {
            Fate::Altered(cell.with_errors())
        } else {
            Fate::Intact
        }
    }
}
