//! The simulator's SACK of Fall and Floyd.

use super::{Congestion, CongestionConfig, DUPLICATES, Reaction};
use crate::tcp::segment::Seq;
use crate::tcp::window::{Next, Reason, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// SACK as Fall and Floyd simulate it ("sack1"): Reno's window, and during fast recovery a variable `pipe` that counts
/// what is in the network. It grows with each segment sent, shrinks by a segment with each duplicate acknowledgement,
/// and by two with each acknowledgement of a part (for the lost segment and its repetition); while it is below the
/// window the next missing segment goes, or new data.
///
/// It looks for no second loss of a repetition: that waits for the time-out, which also makes it forget what was
/// selectively acknowledged (RFC 2018, section 8).
///
/// Source: Fall and Floyd, *Simulation-based comparisons of Tahoe, Reno and SACK TCP*, 1996, section 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sack1 {}

impl CongestionConfig for Sack1 {
    fn build(&self, w: &Window) -> Box<dyn Congestion> {
        Box::new(State { duplicates: 0, pipe: None, recover: Seq(w.una.0.wrapping_sub(1)) })
    }

    fn selective(&self) -> bool {
        true
    }
}

struct State {
    duplicates: u32,
    /// Bytes in the network, during fast recovery.
    pipe: Option<u32>,
    /// The byte after the last one sent when the last loss was detected.
    recover: Seq,
}

impl Congestion for State {
    fn duplicate(&mut self, w: &mut Window, news: u32) -> Reaction {
        if let Some(pipe) = &mut self.pipe {
            if news > 0 {
                *pipe = pipe.saturating_sub(w.mss);
            }
            return Reaction::Continue;
        }
        self.duplicates += 1;
        if self.duplicates != DUPLICATES || !w.una.after(self.recover) {
            return Reaction::Continue;
        }
        self.recover = w.max;
        self.pipe = Some(w.flight().saturating_sub(DUPLICATES * w.mss));
        w.ssthresh = w.half_window();
        w.cwnd = w.ssthresh;
        w.scoreboard.set_high_rxt(w.una);
        Reaction::FastRetransmit
    }

    fn acknowledged(&mut self, w: &mut Window, acked: u32) -> Reaction {
        self.duplicates = 0;
        match &mut self.pipe {
            None => w.open(acked),
            Some(pipe) if w.una.before(self.recover) => *pipe = pipe.saturating_sub(2 * w.mss),
            Some(_) => self.pipe = None,
        }
        Reaction::Continue
    }

    fn timed_out(&mut self, w: &mut Window, _again: bool) {
        self.duplicates = 0;
        self.pipe = None;
        self.recover = w.max;
        w.ssthresh = w.half_window();
        w.scoreboard.clear();
    }

    fn next(&self, w: &Window, unsent: u32) -> Option<Next> {
        match self.pipe {
            None => w.in_order(unsent),
            Some(pipe) if pipe + w.mss > w.cwnd => None,
            Some(_) => match w.scoreboard.next_missing() {
                Some(block) => Some(Next { block, reason: Reason::Missing }),
                None => w.new_data(unsent),
            },
        }
    }

    fn sent(&mut self, w: &mut Window, next: Next) {
        if next.reason == Reason::Missing {
            w.scoreboard.set_high_rxt(next.block.end);
        }
        if let Some(pipe) = &mut self.pipe {
            *pipe += next.block.len();
        }
    }
}
