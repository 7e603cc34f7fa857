//! Errors of a line: lost and corrupted cells, at random or by schedule.

use crate::cell::{Cell, Kind};
use crate::family::family;
use cellway_kernel::error::SpecError;
use cellway_kernel::link::Impairment;
use cellway_kernel::rng::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

family! {
    /// An error process of one direction of a link.
    ImpairmentSpec: ImpairmentConfig;
    random_loss => RandomLoss,
    random_corruption => RandomCorruption,
    scheduled_loss => ScheduledLoss,
}

/// Parameters of an error process.
pub trait ImpairmentConfig {
    /// Builds it for one link, with the link's own random stream.
    ///
    /// # Errors
    /// For parameters that make no sense.
    fn build(&self, stream: Stream) -> Result<Box<dyn Impairment<Cell>>, SpecError>;
}

/// Which cells an error process affects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Affected {
    /// Every cell.
    #[default]
    All,
    /// User data cells.
    Data,
    /// Credit cells and requests for credit.
    Credit,
    /// Resource management cells.
    Rm,
}

impl Affected {
    /// Whether `cell` is among them.
    pub fn includes(self, cell: Cell) -> bool {
        match self {
            Affected::All => true,
            Affected::Data => cell.kind() == Kind::Data,
            Affected::Credit => matches!(cell.kind(), Kind::Credit | Kind::CreditRequest),
            Affected::Rm => cell.kind() == Kind::Rm,
        }
    }
}

fn probability(name: &str, p: f64) -> Result<f64, SpecError> {
    if (0.0..=1.0).contains(&p) {
        Ok(p)
    } else {
        Err(SpecError::new(name, "not a probability").found(p).allowed("0 to 1"))
    }
}
