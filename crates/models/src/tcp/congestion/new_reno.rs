//! NewReno: fast recovery that stays until all is recovered.

use super::{Congestion, CongestionConfig, DUPLICATES, Reaction};
use crate::tcp::segment::Seq;
use crate::tcp::window::Window;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// NewReno (RFC 6582): fast recovery lasts until everything sent before it is acknowledged, and each acknowledgement of
/// a part shows the next loss, which is repeated at once. It recovers one loss in a round trip and halves the window
/// once.
///
/// The timer starts anew with the first partial acknowledgement only ("impatient", section 3.2, step 3), so with many
/// losses it ends in a time-out. There is no fast retransmit before everything sent at the last loss is acknowledged
/// and more (section 3.2, step 2, "careful").
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewReno {}

impl CongestionConfig for NewReno {
    fn build(&self, w: &Window) -> Box<dyn Congestion> {
        Box::new(State { duplicates: 0, recovering: None, recover: Seq(w.una.0.wrapping_sub(1)) })
    }
}

/// Fast recovery.
struct Recovery {
    partial: bool,
}

struct State {
    duplicates: u32,
    recovering: Option<Recovery>,
    /// The byte after the last one sent when the last loss was detected (recover + 1).
    recover: Seq,
}

impl Congestion for State {
    fn duplicate(&mut self, w: &mut Window, _news: u32) -> Reaction {
        if self.recovering.is_some() {
            w.cwnd += w.mss;
            return Reaction::Continue;
        }
        self.duplicates += 1;
        if self.duplicates != DUPLICATES || !w.una.after(self.recover) {
            return Reaction::Continue;
        }
        self.recover = w.max;
        self.recovering = Some(Recovery { partial: false });
        w.ssthresh = w.half_flight();
        w.cwnd = w.ssthresh + DUPLICATES * w.mss;
        Reaction::FastRetransmit
    }

    fn acknowledged(&mut self, w: &mut Window, acked: u32) -> Reaction {
        self.duplicates = 0;
        let Some(recovery) = &mut self.recovering else {
            w.open(acked);
            return Reaction::Continue;
        };
        if !w.una.before(self.recover) {
            // Full acknowledgement, option (1): no burst where little is left in flight.
            w.cwnd = w.ssthresh.min(w.flight().max(w.mss) + w.mss);
            self.recovering = None;
            return Reaction::Continue;
        }
        // Partial window deflation.
        w.cwnd = w.cwnd.saturating_sub(acked).max(w.mss);
        if acked >= w.mss {
            w.cwnd += w.mss;
        }
        Reaction::Partial { first: !std::mem::replace(&mut recovery.partial, true) }
    }

    fn timed_out(&mut self, w: &mut Window, again: bool) {
        self.duplicates = 0;
        self.recovering = None;
        self.recover = w.max;
        if !again {
            w.ssthresh = w.half_flight();
        }
    }
}
