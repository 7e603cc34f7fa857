//! Loss by schedule: every affected cell within given periods.

use super::{Affected, ImpairmentConfig};
use crate::cell::Cell;
use cellway_kernel::error::SpecError;
use cellway_kernel::link::{Fate, Impairment};
use cellway_kernel::rng::Stream;
use cellway_kernel::time::{Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every affected cell that starts within one of the periods is lost: a cut line, or one chosen cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduledLoss {
    /// The periods, at least one, in any order.
    pub periods: Vec<Period>,
    /// Which cells it affects. Default: all.
    #[serde(default)]
    pub cells: Affected,
}

/// A period of time, from its first instant to before its last.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Period {
    /// First instant, since the start of the run.
    pub from: Duration,
    /// First instant after it.
    pub to: Duration,
}

impl ImpairmentConfig for ScheduledLoss {
    fn build(&self, _stream: Stream) -> Result<Box<dyn Impairment<Cell>>, SpecError> {
        if self.periods.is_empty() {
            return Err(SpecError::new("periods", "no period is given").found("an empty list").allowed("at least one"));
        }
        for (i, p) in self.periods.iter().enumerate() {
            if p.from >= p.to {
                return Err(SpecError::new(format!("periods[{i}].to"), "the period ends before it begins")
                    .found(format_args!("{} s", p.to.seconds()))
                    .allowed(format_args!("more than {} s", p.from.seconds())));
            }
        }
        Ok(Box::new(self.clone()))
    }
}

impl Impairment<Cell> for ScheduledLoss {
    fn fate(&mut self, start: Time, cell: Cell) -> Fate<Cell> {
        let within = |p: &Period| Time::ZERO + p.from <= start && start < Time::ZERO + p.to;
        if self.cells.includes(cell) && self.periods.iter().any(within) { Fate::Lost } else { Fate::Intact }
    }
}
