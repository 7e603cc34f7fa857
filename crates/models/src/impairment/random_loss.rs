//! Independent random loss.

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

/// Each affected cell is lost with the same probability, independently of all others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomLoss {
    /// Probability of loss, 0 to 1.
    pub probability: Fraction,
    /// Which cells it affects. Default: all.
    #[serde(default)]
    pub cells: Affected,
}

impl ImpairmentConfig for RandomLoss {
    fn build(&self, stream: Stream) -> Result<Box<dyn Impairment<Cell>>, SpecError> {
        let probability = probability("probability", self.probability.0)?;
        Ok(Box::new(Loss { probability, cells: self.cells, stream }))
    }
}

struct Loss {
    probability: f64,
    cells: Affected,
    stream: Stream,
}

impl Impairment<Cell> for Loss {
    fn fate(&mut self, _start: Time, cell: Cell) -> Fate<Cell> {
        if self.cells.includes(cell) && self.stream.random_bool(self.probability) { Fate::Lost } else { Fate::Intact }
    }
}
