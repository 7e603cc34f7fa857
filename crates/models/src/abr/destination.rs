//! The ABR destination, one function for each numbered destination behaviour of TM 4.0, section 5.10.5.
//!
//! It says what goes back and how; the source of the opposite direction at the same host sends it.

use super::rm::Rm;
use crate::cell::Cell;
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to a BRM cell that still waits when the next FRM cell comes (rule 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overtaken {
    /// It takes over the contents of the newer cell and goes at once, out of rate with CLP = 1, as TM 4.0 recommends;
    /// the newer cell follows in-rate.
    #[default]
    OutOfRate,
    /// It is dropped, and the newer cell takes its place.
    Dropped,
}

/// A period of time, from its first instant to before its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CongestedPeriod")]
pub struct Period {
    /// First instant, since the start of the run.
    pub from: Duration,
    /// First instant after it.
    pub to: Duration,
}

/// Between BRM cells that the destination makes itself: at most 10 cells/s (rule 5).
const ORIGINATING_INTERVAL: Duration = Duration::from_ms(100);

/// The receiving end of one direction of an ABR VC; what is asked most comes first.
#[repr(C)]
pub struct Destination {
    originating_due: Time,
    overtaken: Overtaken,
    /// EFCI of the latest data cell.
    efci: bool,
    /// To go at once with CLP = 1.
    out_of_rate: Option<Rm>,
    /// Turned round, for the next in-rate turn of the source beside it.
    waiting: Option<Rm>,
    /// Times of internal congestion, in order.
    congested: Box<[(Time, Time)]>,
    /// BRM cells that never went, because newer ones took their places.
    pub dropped: u64,
}

impl Destination {
    /// A destination that has received nothing.
    ///
    /// # Errors
    /// For a period without length.
    pub fn new(overtaken: Overtaken, congested: &[Period]) -> Result<Destination, SpecError> {
        for (i, p) in congested.iter().enumerate() {
            let earliest = if i == 0 { Duration::ZERO } else { congested[i - 1].to };
            if p.from >= p.to || p.from < earliest {
                return Err(SpecError::new(format!("congested[{i}]"), "the periods are not in order of time")
                    .found(format_args!("{} to {} s", p.from.seconds(), p.to.seconds()))
                    .allowed("each ends after it begins, and begins after the one before"));
            }
        }
        Ok(Destination {
            overtaken,
            congested: congested.iter().map(|p| (Time::ZERO + p.from, Time::ZERO + p.to)).collect(),
            efci: false,
            waiting: None,
            out_of_rate: None,
            originating_due: congested.first().map_or(Time::NEVER, |p| Time::ZERO + p.from),
            dropped: 0,
        })
    }

    /// True while a BRM cell waits for an in-rate turn.
    #[inline]
    pub fn in_rate_waits(&self) -> bool {
        self.waiting.is_some()
    }

    /// True while a BRM cell waits to go out of rate.
    #[inline]
    pub fn out_of_rate_waits(&self) -> bool {
        self.out_of_rate.is_some()
    }

    /// Rule 1: the EFCI state of the connection is that of its latest data cell.
    #[inline]
    pub fn rule_1_data(&mut self, cell: Cell) {
        self.efci = cell.efci();
    }

    /// An FRM cell has arrived, in-rate or with CLP = 1.
    pub fn frm(&mut self, now: Time, frm: Rm, in_rate: bool) {
        let brm = self.rule_2_turn_round(now, frm);
        if in_rate { self.rule_3_schedule(brm) } else { self.rule_6_out_of_rate(brm) }
    }

    /// Rule 2: an FRM cell becomes a BRM cell: DIR changes, BN = 0, CI = 1 if EFCI was set (which is then cleared) or
    /// the destination is congested, and the other fields stay.
    fn rule_2_turn_round(&mut self, now: Time, frm: Rm) -> Rm {
        let marked = std::mem::take(&mut self.efci) || self.is_congested(now);
        Rm { backward: true, bn: false, ci: frm.ci || marked, ..frm }
    }

    /// Rule 3: the new cell is scheduled in-rate; an older one that waits goes out of rate with the contents of the new
    /// one, or is dropped.
    fn rule_3_schedule(&mut self, brm: Rm) {
        if self.waiting.replace(brm).is_some() {
            match self.overtaken {
                Overtaken::OutOfRate => self.leave_out_of_rate(brm),
                Overtaken::Dropped => self.dropped += 1,
            }
        }
    }

    /// Rule 4: what waits leaves with contents no older than those that leave before it.
    fn rule_4_newest(&mut self, brm: Rm) {
        if let Some(waiting) = &mut self.waiting {
            *waiting = brm;
        }
    }

    /// Rule 5: under internal congestion the destination makes BRM cells itself, BN = CI = 1, at most 10 a second.
    ///
    /// Without an FRM cell to answer it knows no rates: ER does not bind, and CCR says nothing.
    pub fn rule_5_originate(&mut self, now: Time) {
        if now < self.originating_due {
            return;
        }
        self.originating_due = now + ORIGINATING_INTERVAL;
        if self.is_congested(now) {
            let brm = Rm { backward: true, bn: true, ci: true, ni: false, er: f64::INFINITY, ccr: 0.0, mcr: 0.0 };
            if self.out_of_rate.is_none() {
                self.out_of_rate = Some(brm);
            }
        } else {
            let next = self.congested.iter().map(|&(from, _)| from).find(|&from| from > now);
            self.originating_due = next.unwrap_or(Time::NEVER).max(self.originating_due);
        }
    }

    /// When [`rule_5_originate`](Destination::rule_5_originate) next has something to do.
    pub fn originating_due(&self) -> Time {
        self.originating_due
    }

    /// Rule 6: what came with CLP = 1 goes back out of rate, so that it reaches a source also where both directions
    /// have lost their rates.
    fn rule_6_out_of_rate(&mut self, brm: Rm) {
        self.rule_4_newest(brm);
        self.leave_out_of_rate(brm);
    }

    fn leave_out_of_rate(&mut self, brm: Rm) {
        self.dropped += u64::from(self.out_of_rate.replace(brm).is_some());
    }

    /// The BRM cell that goes in-rate.
    #[inline]
    pub fn take_in_rate(&mut self) -> Option<Rm> {
        self.waiting.take()
    }

    /// The BRM cell that goes out of rate.
    #[inline]
    pub fn take_out_of_rate(&mut self) -> Option<Rm> {
        self.out_of_rate.take()
    }

    fn is_congested(&self, now: Time) -> bool {
        self.congested.iter().any(|&(from, to)| from <= now && now < to)
    }
}

#[cfg(test)]
mod tests;
