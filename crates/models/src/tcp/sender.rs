//! The sending end of a connection: window, retransmission, timer (RFC 9293, 5681, 6298).

use super::congestion::{Congestion, CongestionConfig, Reaction};
use super::rto::{Bounds, Rto};
use super::segment::{Ack, Block, Segment, Seq};
use super::supply::Supply;
use super::window::{Next, Reason, Window};
use cellway_kernel::invariant;
use cellway_kernel::probe::Gauge;
use cellway_kernel::time::{Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of a sender, checked by whoever made them.
#[derive(Clone, Debug)]
pub struct SenderParts {
    /// Number of the first byte of data.
    pub first: Seq,
    /// Largest segment (bytes).
    pub mss: u32,
    /// The receiver's window (bytes), at least one segment.
    pub offered: u32,
    /// The congestion window at the start, and after an idle time (bytes).
    pub initial_window: u32,
    /// The slow start threshold at the start (bytes).
    pub ssthresh: u32,
    /// Bounds of the retransmission time-out.
    pub rto: Bounds,
    /// Time-outs in a row before the connection gives up; `None` never does.
    pub retries: Option<u32>,
    /// What the application writes.
    pub supply: Supply,
}

/// The sending end of a connection. It owns no clock: [`next_run`](Sender::next_run) says when it wants to run.
pub struct Sender {
    window: Window,
    congestion: Box<dyn Congestion>,
    selective: bool,
    rto: Rto,
    supply: Supply,
    initial_window: u32,
    retries: Option<u32>,
    /// Bytes of data before `window.max`.
    sent: u64,
    /// What goes next, decided when something happens; sent when the host asks.
    next: Option<Next>,
    /// When the retransmission timer expires.
    timer: Time,
    /// The byte after the segment whose round trip is measured, and when it was sent.
    timed: Option<(Seq, Time)>,
    /// Time-outs since new data was acknowledged.
    in_a_row: u32,
    /// When something last happened, and when a segment last went.
    now: Time,
    last_sent: Time,
    given_up: bool,
    counts: SenderCounts,
    gauges: Option<Box<Gauges>>,
}

/// What a sender counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounts {
    /// Segments sent, repetitions included.
    pub segments: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// Of the segments, those that were sent before.
    pub retransmissions: u64,
    /// Times that the retransmission timer expired.
    pub timeouts: u64,
    /// Losses that duplicate acknowledgements showed.
    pub fast_retransmits: u64,
    /// Acknowledgements of nothing new while data was outstanding.
    pub duplicate_acks: u64,
    /// Acknowledgements received.
    pub acks: u64,
    /// Bytes acknowledged.
    pub acknowledged: u64,
}

/// A quantity of a sender that a probe can record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// The congestion window (bytes).
    Cwnd,
    /// The slow start threshold (bytes).
    Ssthresh,
    /// The retransmission time-out (s).
    Rto,
    /// The smoothed round-trip time (s); 0 before the first is measured.
    Srtt,
    /// Bytes sent and not acknowledged.
    InFlight,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Quantity; 5] =
        [Quantity::Cwnd, Quantity::Ssthresh, Quantity::Rto, Quantity::Srtt, Quantity::InFlight];

    /// Its unit.
    pub const fn unit(self) -> &'static str {
        match self {
            Quantity::Cwnd | Quantity::Ssthresh | Quantity::InFlight => "bytes",
            Quantity::Rto | Quantity::Srtt => "s",
        }
    }
}

type Gauges = [Option<Gauge>; Quantity::ALL.len()];

impl Sender {
    /// A connection that has sent nothing.
    pub fn new(parts: SenderParts, congestion: &dyn CongestionConfig) -> Sender {
        let SenderParts { first, mss, offered, initial_window, ssthresh, rto, retries, supply } = parts;
        let window = Window::new(first, mss, offered, initial_window.min(offered), ssthresh);
        Sender {
            congestion: congestion.build(&window),
            selective: congestion.selective(),
            window,
            rto: Rto::new(rto),
            supply,
            initial_window,
            retries,
            sent: 0,
            next: None,
            timer: Time::NEVER,
            timed: None,
            in_a_row: 0,
            now: Time::ZERO,
            last_sent: Time::ZERO,
            given_up: false,
            counts: SenderCounts::default(),
            gauges: None,
        }
    }

    /// When it next has something to do: at once where a segment may go.
    #[inline]
    pub fn next_run(&self) -> Time {
        if self.next.is_some() {
            return self.now;
        }
        // While the windows are shut, what the application writes meanwhile makes no difference.
        let writes = if self.wants_data() { self.supply.next() } else { Time::NEVER };
        self.timer.min(writes)
    }

    fn wants_data(&self) -> bool {
        !self.given_up && self.supply.segment(self.sent, self.window.mss) == 0
    }

    /// It is [`next_run`](Sender::next_run): the segment that goes now, if any.
    pub fn run(&mut self, now: Time) -> Option<Segment> {
        self.now = now;
        if self.next.is_none() {
            if self.timer <= now {
                self.timer_expired();
            }
            self.decide();
        }
        let next = self.next.take()?;
        self.transmit(next);
        self.decide();
        self.record();
        Some(Segment { seq: next.block.start, len: next.block.len() })
    }

    /// What goes next, as the windows stand.
    fn decide(&mut self) {
        if self.next.is_some() || self.given_up {
            return;
        }
        self.supply.advance(self.now);
        let unsent = self.supply.segment(self.sent, self.window.mss);
        if unsent > 0 && self.window.flight() == 0 && self.now.since(self.last_sent) > self.rto.timeout() {
            // The acknowledgement clock has stopped: slow start (RFC 5681, section 4.1).
            self.window.cwnd = self.window.cwnd.min(self.initial_window);
        }
        self.next = self.congestion.next(&self.window, unsent);
    }

    fn transmit(&mut self, next: Next) {
        let w = &mut self.window;
        let Block { start, end } = next.block;
        self.congestion.sent(w, next);
        self.counts.segments += 1;
        self.counts.bytes += u64::from(next.block.len());
        if start.before(w.max) {
            self.counts.retransmissions += 1;
            // Karn's algorithm; and a round trip measured across a loss would be one too long.
            self.timed = None;
        } else {
            self.sent += u64::from(next.block.len());
            w.max = end;
            if self.timed.is_none() {
                self.timed = Some((end, self.now));
            }
        }
        if !w.nxt.before(start) || next.reason == Reason::InOrder {
            w.nxt = w.nxt.later(end);
        }
        // RFC 6298, rule 5.1.
        if self.timer == Time::NEVER {
            self.timer = self.rto.expiry(self.now);
        }
        self.last_sent = self.now;
    }

    /// The first segment that is not acknowledged goes at once, whatever the windows say.
    fn retransmit_first(&mut self) {
        let w = &self.window;
        let block = w.scoreboard.missing_from(w.una, w.max);
        self.next = block.map(|block| Next { block, reason: Reason::Missing });
    }

    /// An acknowledgement arrives.
    pub fn acknowledge(&mut self, now: Time, ack: &Ack) {
        self.now = now;
        self.counts.acks += 1;
        let w = &mut self.window;
        invariant!(!ack.ack.after(w.max), "tcp sender", "{ack:?} acknowledges what was not sent");
        if ack.ack.before(w.una) || self.given_up {
            // It was overtaken by a later one, and says nothing new.
            return;
        }
        let acked = ack.ack.since(w.una);
        w.una = ack.ack;
        w.nxt = w.nxt.later(ack.ack);
        let news = if self.selective { w.scoreboard.update(ack.ack, ack.sack.as_slice()) } else { 0 };
        // What was decided may have arrived.
        self.next = None;
        let reaction = if acked > 0 {
            self.counts.acknowledged += u64::from(acked);
            self.in_a_row = 0;
            if let Some((end, sent)) = self.timed
                && !ack.ack.before(end)
            {
                self.rto.measured(sent, now);
                self.timed = None;
            }
            let reaction = self.congestion.acknowledged(w, acked);
            if !matches!(reaction, Reaction::Partial { first: false }) {
                // Rules 5.2 and 5.3.
                self.timer = if w.flight() == 0 { Time::NEVER } else { self.rto.expiry(now) };
            }
            reaction
        } else if w.flight() > 0 {
            self.counts.duplicate_acks += 1;
            self.congestion.duplicate(w, news)
        } else {
            Reaction::Continue
        };
        match reaction {
            Reaction::Continue => {}
            Reaction::Partial { .. } => self.retransmit_first(),
            Reaction::FastRetransmit | Reaction::Restart => {
                self.counts.fast_retransmits += 1;
                self.timer = Time::NEVER;
                if reaction == Reaction::FastRetransmit {
                    self.retransmit_first();
                }
            }
        }
        self.decide();
        self.record();
    }

    /// RFC 6298, rules 5.4 to 5.6, and RFC 5681, section 3.1.
    fn timer_expired(&mut self) {
        self.timer = Time::NEVER;
        self.counts.timeouts += 1;
        self.in_a_row += 1;
        if self.retries.is_some_and(|retries| self.in_a_row > retries) {
            self.given_up = true;
            self.record();
            return;
        }
        self.congestion.timed_out(&mut self.window, self.in_a_row > 1);
        self.rto.back_off();
        self.timed = None;
        self.window.cwnd = self.window.mss;
        self.window.nxt = self.window.una;
        self.record();
    }

    /// The window.
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// The retransmission time-out.
    pub fn rto(&self) -> &Rto {
        &self.rto
    }

    /// What it counted.
    pub fn counts(&self) -> SenderCounts {
        self.counts
    }

    /// True after more time-outs in a row than it may retry.
    pub fn has_given_up(&self) -> bool {
        self.given_up
    }

    /// True when all bytes of the application are acknowledged.
    pub fn is_done(&self) -> bool {
        self.supply.is_complete(self.counts.acknowledged)
    }

    fn value(&self, quantity: Quantity) -> f64 {
        match quantity {
            Quantity::Cwnd => f64::from(self.window.cwnd),
            Quantity::Ssthresh => f64::from(self.window.ssthresh),
            Quantity::Rto => self.rto.timeout().seconds(),
            Quantity::Srtt => self.rto.smoothed().map_or(0.0, Duration::seconds),
            Quantity::InFlight => f64::from(self.window.flight()),
        }
    }

    #[inline]
    fn record(&mut self) {
        if let Some(mut gauges) = self.gauges.take() {
            for quantity in Quantity::ALL {
                if let Some(gauge) = &mut gauges[quantity as usize] {
                    gauge.set(self.now, self.value(quantity));
                }
            }
            self.gauges = Some(gauges);
        }
    }

    /// Begins to record a quantity.
    pub fn observe(&mut self, quantity: Quantity, every: Option<Duration>) {
        let gauge = Gauge::new(self.value(quantity), every);
        self.gauges.get_or_insert_default()[quantity as usize] = Some(gauge);
    }

    /// The recorder of a quantity, with all bins closed that end by `now`; nothing if it is not recorded.
    pub fn observed(&mut self, quantity: Quantity, now: Time) -> Option<&Gauge> {
        let gauge = self.gauges.as_mut()?[quantity as usize].as_mut()?;
        gauge.close_bins(now);
        Some(gauge)
    }
}

#[cfg(test)]
mod tests;
