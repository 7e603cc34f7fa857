//! Reno: fast retransmit and fast recovery.

use super::{Congestion, CongestionConfig, DUPLICATES, Reaction};
use crate::tcp::window::Window;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// TCP of 4.3BSD Reno (1990): the third duplicate acknowledgement repeats the missing segment and halves the window;
/// each further one lets a segment more into the network, until any new data is acknowledged (fast recovery).
///
/// The first acknowledgement of new data ends the recovery, so each further loss of the same window needs three
/// duplicates of its own and halves the window again; with three losses there are too few, and it waits for a time-out.
/// As in 4.3BSD, half of the window means the smaller of both windows rather than the flight, and nothing prevents a
/// fast retransmit on what a time-out has repeated needlessly. Other than there, leaving the recovery does not open
/// the window by a segment.
///
/// Sources: RFC 5681, section 3.2; Stevens, *TCP/IP Illustrated*, volume 2, section 29.4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reno {}

impl CongestionConfig for Reno {
    fn build(&self, _w: &Window) -> Box<dyn Congestion> {
        Box::new(State { duplicates: 0 })
    }
}

struct State {
    duplicates: u32,
}

impl Congestion for State {
    fn duplicate(&mut self, w: &mut Window, _news: u32) -> Reaction {
        self.duplicates += 1;
        if self.duplicates > DUPLICATES {
            w.cwnd += w.mss;
        }
        if self.duplicates != DUPLICATES {
            return Reaction::Continue;
        }
        w.ssthresh = w.half_window();
        w.cwnd = w.ssthresh + DUPLICATES * w.mss;
        Reaction::FastRetransmit
    }

    fn acknowledged(&mut self, w: &mut Window, acked: u32) -> Reaction {
        if self.duplicates >= DUPLICATES {
            w.cwnd = w.ssthresh;
        } else {
            w.open(acked);
        }
        self.duplicates = 0;
        Reaction::Continue
    }

    fn timed_out(&mut self, w: &mut Window, _again: bool) {
        self.duplicates = 0;
        w.ssthresh = w.half_window();
    }
}
