//! SACK: loss recovery from selective acknowledgements.

use super::{Congestion, CongestionConfig, Reaction};
use crate::tcp::scoreboard::DUP_THRESH;
use crate::tcp::segment::Seq;
use crate::tcp::window::{Next, Reason, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Loss recovery after RFC 6675 from the selective acknowledgements of RFC 2018: the sender estimates what is in the
/// network (`pipe`) and fills the halved window with what is missing, then with new data. All losses of a window are
/// repeated within about one round trip.
///
/// The first two duplicate acknowledgements let new data out (limited transmit, RFC 3042, as section 5, step 3 has it).
/// After a time-out what is known to have arrived is not repeated, as section 5.1 allows; the receivers here never
/// forget what they have acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sack {}

impl CongestionConfig for Sack {
    fn build(&self, w: &Window) -> Box<dyn Congestion> {
        let barred_before = w.una;
        Box::new(State { duplicates: 0, recovery_point: None, barred_before, rescued: None, limited: 0 })
    }

    fn selective(&self) -> bool {
        true
    }
}

struct State {
    /// DupAcks.
    duplicates: u32,
    /// RecoveryPoint + 1, during recovery.
    recovery_point: Option<Seq>,
    /// No recovery begins before this is acknowledged: what was sent when a time-out ended the last (section 5.1).
    barred_before: Seq,
    /// RescueRxt + 1.
    rescued: Option<Seq>,
    /// Bytes sent by limited transmit.
    limited: u32,
}

impl State {
    /// Section 5, step 4.
    fn enter_recovery(&mut self, w: &mut Window) -> Reaction {
        self.recovery_point = Some(w.max);
        w.ssthresh = ((w.flight() - self.limited.min(w.flight())) / 2).max(2 * w.mss);
        w.cwnd = w.ssthresh;
        w.scoreboard.set_high_rxt(w.una);
        Reaction::FastRetransmit
    }

    /// NextSeg().
    fn next_seg(&self, w: &Window, point: Seq, unsent: u32) -> Option<Next> {
        let missing = |block| Next { block, reason: Reason::Missing };
        if let Some(block) = w.scoreboard.next_lost() {
            return Some(missing(block));
        }
        w.new_data(unsent).or_else(|| w.scoreboard.next_missing().map(missing)).or_else(|| {
            let allowed = self.rescued.is_none_or(|rescued| w.una.after(rescued)) && w.una.before(point);
            let last = if allowed { w.scoreboard.last_missing(w.max) } else { None };
            last.map(|block| Next { block, reason: Reason::Rescue })
        })
    }
}

impl Congestion for State {
    fn duplicate(&mut self, w: &mut Window, news: u32) -> Reaction {
        if self.recovery_point.is_some() || news == 0 || w.una.before(self.barred_before) {
            return Reaction::Continue;
        }
        self.duplicates += 1;
        if self.duplicates >= DUP_THRESH || w.scoreboard.is_lost(w.una) {
            return self.enter_recovery(w);
        }
        w.scoreboard.set_high_rxt(w.una);
        Reaction::Continue
    }

    fn acknowledged(&mut self, w: &mut Window, acked: u32) -> Reaction {
        self.duplicates = 0;
        self.limited = 0;
        match self.recovery_point {
            Some(point) if w.una.before(point) => {}
            Some(_) => self.recovery_point = None,
            None => w.open(acked),
        }
        Reaction::Continue
    }

    fn timed_out(&mut self, w: &mut Window, again: bool) {
        if !again {
            w.ssthresh = w.half_flight();
        }
        self.duplicates = 0;
        self.limited = 0;
        self.recovery_point = None;
        self.barred_before = w.max;
        w.scoreboard.set_high_rxt(w.una);
    }

    fn next(&self, w: &Window, unsent: u32) -> Option<Next> {
        let room = |bytes: u32| w.scoreboard.pipe(w.max) + bytes <= w.cwnd;
        match self.recovery_point {
            Some(point) if room(w.mss) => self.next_seg(w, point, unsent),
            Some(_) => None,
            // Limited transmit, or nothing is missing: as far as the pipe allows.
            None if self.duplicates > 0 => {
                if room(unsent) {
                    w.new_data(unsent)
                } else {
                    None
                }
            }
            None => w.in_order(unsent),
        }
    }

    fn sent(&mut self, w: &mut Window, next: Next) {
        match next.reason {
            Reason::Missing => w.scoreboard.set_high_rxt(next.block.end),
            Reason::Rescue => self.rescued = self.recovery_point,
            Reason::InOrder if self.duplicates > 0 && self.recovery_point.is_none() => {
                self.limited += next.block.len();
            }
            Reason::InOrder => {}
        }
    }
}
