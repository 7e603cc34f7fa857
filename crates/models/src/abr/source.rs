//! The ABR source, one function for each numbered source behaviour of TM 4.0, section 5.10.4.
//!
//! It decides what goes next and when, and what a BRM cell does to the rate. The host keeps queue and books.

use super::Limits;
use super::rm::Rm;
use super::uili::{FrmEvent, Uili};
use crate::cell::{Cell, Kind, Label};
use crate::wire::RmRate;
use cellway_kernel::time::{Duration, LONGEST_PS, PS_PER_SECOND, Time};

/// What the source may send next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// An FRM cell.
    Forward,
    /// The BRM cell that waits.
    Backward,
    /// A data cell.
    Data,
    /// An FRM cell outside ACR, with CLP = 1.
    OutOfRate,
}

/// What waits for the source's turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// Data cells.
    pub data: bool,
    /// A BRM cell, for in-rate transmission.
    pub brm: bool,
}

impl Waiting {
    fn any(self) -> bool {
        self.data || self.brm
    }
}

/// The sending end of one direction of an ABR VC. What every cell touches comes first, in two lines of the cache.
#[repr(C)]
pub struct Source {
    /// The next in-rate cell may go from here on.
    due: Instant,
    /// Where the last in-rate cell stood in the schedule of ACR.
    last: Instant,
    /// 1/ACR.
    interval: Instant,
    acr: f64,
    /// The next out-of-rate FRM cell may go from here on.
    out_of_rate_due: Time,
    /// Last in-rate FRM cell; `None` before the first.
    last_frm: Option<Time>,
    /// In-rate cells since it.
    since_frm: u32,
    /// In-rate FRM cells since the last BRM cell with BN = 0 (rule 6).
    unanswered: u32,
    /// One of the cells since the last FRM cell was a BRM cell.
    brm_since_frm: bool,
    encoded: bool,
    limits: Limits,
    uili: Box<dyn Uili>,
}

impl Source {
    /// A source that has sent nothing.
    pub fn new(limits: Limits, encoded: bool, uili: Box<dyn Uili>) -> Source {
        let acr = rule_2_initial_rate(&limits);
        Source {
            limits,
            encoded,
            uili,
            acr,
            interval: Instant::interval(acr),
            last: Instant::default(),
            due: Instant::default(),
            out_of_rate_due: Time::ZERO,
            last_frm: None,
            since_frm: 0,
            brm_since_frm: false,
            unanswered: 0,
        }
    }

    /// Allowed cell rate [cells/s].
    pub fn acr(&self) -> f64 {
        self.acr
    }

    /// Its parameters.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// When the source next has a turn, if `waiting` is all that waits; [`Time::NEVER`] if nothing does.
    ///
    /// A source whose application has nothing to send sends no FRM cells (UILI paper, section 5.5), so a turn that
    /// nothing waits for is no turn.
    pub fn next_turn(&self, waiting: Waiting) -> Time {
        if !waiting.any() {
            return Time::NEVER;
        }
        let in_rate = self.due.time();
        if self.acr < self.limits.tcr { in_rate.min(self.out_of_rate_due) } else { in_rate }
    }

    /// Whose turn it is at `now`, if it is anybody's.
    #[inline]
    pub fn turn(&self, now: Time, waiting: Waiting) -> Option<Turn> {
        if !waiting.any() {
            return None;
        }
        if self.due.time() <= now {
            return Some(self.rule_3_order(now, waiting));
        }
        self.rule_11_out_of_rate(now).then_some(Turn::OutOfRate)
    }

    /// Something waits at `now` where nothing did: turns that nobody used are gone.
    pub fn resume(&mut self, now: Time) {
        self.due = self.due.max(Instant::at(now));
    }

    /// A cell of this turn starts at `now`. The contents of an FRM cell, if it is one.
    #[inline]
    pub fn took(&mut self, now: Time, turn: Turn) -> Option<Rm> {
        match turn {
            Turn::Data => {
                self.since_frm += 1;
                self.pace(now);
                None
            }
            Turn::Backward => {
                self.since_frm += 1;
                self.brm_since_frm = true;
                self.pace(now);
                None
            }
            Turn::Forward => Some(self.forward(now)),
            Turn::OutOfRate => {
                self.out_of_rate_due = now.saturating_add(Instant::interval(self.limits.tcr).length());
                Some(self.rule_10_contents())
            }
        }
    }

    /// An in-rate FRM cell goes at `now`.
    fn forward(&mut self, now: Time) -> Rm {
        let mut acr = self.rule_5_idle(now);
        acr = self.rule_13_use_it_or_lose_it(now, acr);
        acr = self.rule_6_unanswered(acr);
        self.set_acr(acr);
        self.last_frm = Some(now);
        self.since_frm = 0;
        self.brm_since_frm = false;
        self.unanswered = self.unanswered.saturating_add(1);
        self.pace(now);
        self.rule_10_contents()
    }

    /// A BRM cell has arrived at `now`.
    pub fn brm(&mut self, now: Time, rm: &Rm) {
        if !rm.bn {
            self.unanswered = 0;
        }
        let er = if self.encoded { RmRate::from_per_second(rm.er).per_second() } else { rm.er };
        let acr = self.rule_8_feedback(rm.ci, rm.ni, er);
        self.set_acr(self.rule_9_explicit_rate(acr, er));
        self.reschedule(now);
    }

    /// Rule 1: ACR never exceeds PCR, and is never less than MCR.
    fn rule_1_bounds(&self, acr: f64) -> f64 {
        acr.min(self.limits.pcr).max(self.limits.mcr)
    }

    /// Rule 3: the order of in-rate cells. The first is an FRM cell (rule 2).
    #[inline]
    fn rule_3_order(&self, now: Time, waiting: Waiting) -> Turn {
        let Some(last_frm) = self.last_frm else { return Turn::Forward };
        let Limits { nrm, mrm, trm, .. } = self.limits;
        // a) i) at least Mrm cells and Trm since the last FRM cell, or ii) Nrm - 1 cells.
        if self.since_frm >= nrm - 1 || self.since_frm >= mrm && now.since(last_frm) >= trm {
            Turn::Forward
        // b) i) no BRM cell since the last FRM cell, or ii) no data waits.
        } else if waiting.brm && (!self.brm_since_frm || !waiting.data) {
            Turn::Backward
        // c)
        } else {
            Turn::Data
        }
    }

    /// Rule 5: before an in-rate FRM cell, ACR falls to ICR if ADTF has passed since the last one.
    fn rule_5_idle(&self, now: Time) -> f64 {
        match (self.last_frm, self.limits.adtf) {
            (Some(last), Some(adtf)) if now.since(last) > adtf => self.acr.min(self.limits.icr),
            _ => self.acr,
        }
    }

    /// Rule 6: then, if CRM in-rate FRM cells went since the last BRM cell with BN = 0, ACR falls by ACR x CDF, not
    /// below MCR.
    fn rule_6_unanswered(&self, acr: f64) -> f64 {
        if self.unanswered < self.limits.crm {
            return acr;
        }
        self.rule_1_bounds(acr - acr * self.limits.cdf)
    }

    /// Rule 8: CI lowers ACR by ACR x RDF, not below MCR; neither CI nor NI raises it by RIF x PCR, not above PCR,
    /// unless the use-it-or-lose-it policy forbids the increase.
    fn rule_8_feedback(&mut self, ci: bool, ni: bool, er: f64) -> f64 {
        let allowed = self.uili.brm(self.acr, er, ci || ni);
        let acr = match (ci, ni) {
            (true, _) => self.acr - self.acr * self.limits.rdf,
            (false, false) if allowed => self.acr + self.limits.rif * self.limits.pcr,
            (false, _) => self.acr,
        };
        self.rule_1_bounds(acr)
    }

    /// Rule 9: then ACR is at most the explicit rate, but not below MCR.
    fn rule_9_explicit_rate(&self, acr: f64, er: f64) -> f64 {
        self.rule_1_bounds(acr.min(er))
    }

    /// Rules 7 and 10: an FRM cell says CCR = ACR as it is after rules 5 and 6, ER = PCR, CI = NI = BN = 0.
    fn rule_10_contents(&self) -> Rm {
        let Limits { pcr, mcr, .. } = self.limits;
        let rm = Rm { backward: false, bn: false, ci: false, ni: false, er: pcr, ccr: self.acr, mcr };
        if self.encoded { rm.encoded() } else { rm }
    }

    /// Rule 11: out-of-rate FRM cells go no faster than TCR, and here only where ACR is less than that.
    fn rule_11_out_of_rate(&self, now: Time) -> bool {
        self.acr < self.limits.tcr && self.out_of_rate_due <= now
    }

    /// Rule 13: a use-it-or-lose-it policy may lower ACR towards the rate at which cells really go.
    ///
    /// It stands where its forerunner of August 1995 stood, next to rule 5.
    fn rule_13_use_it_or_lose_it(&mut self, now: Time, acr: f64) -> f64 {
        let Some(last) = self.last_frm else { return acr };
        let event = FrmEvent { acr, since_last: now.since(last).seconds() };
        let lowered = self.uili.frm(&event);
        self.rule_1_bounds(lowered.min(acr))
    }

    fn set_acr(&mut self, acr: f64) {
        if acr != self.acr {
            self.acr = acr;
            self.interval = Instant::interval(acr);
        }
    }

    /// An in-rate cell starts at `now`: the next follows 1/ACR after the place of this one in the schedule.
    ///
    /// Its place is when it was due, so that waiting for the line costs no rate; but not more than one cell is owed.
    #[inline]
    fn pace(&mut self, now: Time) {
        let late = Instant::at(now);
        self.last = if late.is_after(self.due, self.interval) { late.minus(self.interval) } else { self.due };
        self.due = self.last.plus(self.interval);
    }

    /// ACR has changed at `now`: the next cell follows the last one by the new interval, at once where that has passed.
    fn reschedule(&mut self, now: Time) {
        self.due = self.last.plus(self.interval).max(self.due.min(Instant::at(now)));
    }
}

/// Rule 2: before the first cell ACR is ICR.
fn rule_2_initial_rate(limits: &Limits) -> f64 {
    limits.icr
}

/// Rules 4 and 12: in-rate cells have CLP = 0, and data cells EFCI = 0. Out-of-rate cells have CLP = 1.
pub fn rule_4_cell(kind: Kind, label: Label, handle: u32, in_rate: bool) -> Cell {
    let cell = Cell::new(kind, label, handle);
    if in_rate { cell } else { cell.tagged() }
}

/// An instant or interval of the pacing clock: picoseconds with their fraction, so that nothing is rounded off.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
struct Instant {
    ps: u64,
    /// In [0, 1).
    part: f64,
}

impl Instant {
    fn at(time: Time) -> Instant {
        Instant { ps: time.ps(), part: 0.0 }
    }

    /// 1/rate; of no rate, longer than any run.
    fn interval(rate: f64) -> Instant {
        let ps = PS_PER_SECOND as f64 / rate;
        if ps < LONGEST_PS as f64 {
            Instant { ps: ps as u64, part: ps.fract() }
        } else {
            Instant { ps: Time::NEVER.ps(), part: 0.0 }
        }
    }

    fn time(self) -> Time {
        Time::from_ps(self.ps.min(Time::NEVER.ps()))
    }

    fn length(self) -> Duration {
        Duration::from_ps(self.ps)
    }

    fn plus(self, other: Instant) -> Instant {
        let part = self.part + other.part;
        let over = part >= 1.0;
        // Both are below 2^62.
        let ps = self.ps + other.ps + u64::from(over);
        Instant { ps: ps.min(Time::NEVER.ps()), part: if over { part - 1.0 } else { part } }
    }

    /// More than `by` after `other`.
    fn is_after(self, other: Instant, by: Instant) -> bool {
        self > other.plus(by)
    }

    /// `other` earlier, which is no earlier than the start.
    fn minus(self, other: Instant) -> Instant {
        if self.part >= other.part {
            Instant { ps: self.ps - other.ps, part: self.part - other.part }
        } else {
            Instant { ps: self.ps - other.ps - 1, part: self.part + 1.0 - other.part }
        }
    }

    fn max(self, other: Instant) -> Instant {
        if other > self { other } else { self }
    }

    fn min(self, other: Instant) -> Instant {
        if other < self { other } else { self }
    }
}

#[cfg(test)]
pub(crate) mod tests;
