//! Tahoe: fast retransmit, then slow start.

use super::{Congestion, CongestionConfig, DUPLICATES, Reaction};
use crate::tcp::segment::Seq;
use crate::tcp::window::Window;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// TCP of 4.3BSD Tahoe (1988) as Fall and Floyd simulate it: on the third duplicate acknowledgement, or after a
/// time-out, half the window becomes the threshold and it starts again with one segment, from the first byte that is not
/// acknowledged, slowly.
///
/// What lies behind that byte is sent again too, even if it has arrived, until an acknowledgement says so. The duplicate
/// acknowledgements which that causes start nothing: there is no second fast retransmit before everything sent at the
/// first is acknowledged (Floyd, *TCP and successive fast retransmits*, 1994).
///
/// Sources: Jacobson, *Congestion avoidance and control*, 1988; Fall and Floyd, *Simulation-based comparisons of Tahoe,
/// Reno and SACK TCP*, 1996.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tahoe {}

impl CongestionConfig for Tahoe {
    fn build(&self, w: &Window) -> Box<dyn Congestion> {
        Box::new(State { duplicates: 0, recover: Seq(w.una.0.wrapping_sub(1)) })
    }
}

struct State {
    duplicates: u32,
    /// The byte after the last one sent when the last loss was detected.
    recover: Seq,
}

impl Congestion for State {
    fn duplicate(&mut self, w: &mut Window, _news: u32) -> Reaction {
        self.duplicates += 1;
        if self.duplicates != DUPLICATES || !w.una.after(self.recover) {
            return Reaction::Continue;
        }
        self.recover = w.max;
        w.ssthresh = w.half_window();
        w.cwnd = w.mss;
        w.nxt = w.una;
        Reaction::Restart
    }

    fn acknowledged(&mut self, w: &mut Window, acked: u32) -> Reaction {
        self.duplicates = 0;
        w.open(acked);
        Reaction::Continue
    }

    fn timed_out(&mut self, w: &mut Window, _again: bool) {
        self.duplicates = 0;
        self.recover = w.max;
        w.ssthresh = w.half_window();
    }
}
