//! TCP connections over AAL5: senders at the source, receivers at the destination.

use super::{Application, Offer, TcpEnd, Traffic, TrafficConfig, TrafficContext};
use crate::post::{Inbox, Outbox, Post};
use crate::tcp::congestion::CongestionSpec;
use crate::tcp::receiver::{Receiver, ReceiverParts};
use crate::tcp::rto::Bounds;
use crate::tcp::segment::{Ack, MAX_SACK_BLOCKS, Segment, Seq};
use crate::tcp::sender::{Sender, SenderParts};
use crate::tcp::supply::Supply;
use crate::wire::aal5;
use cellway_kernel::agenda::Agenda;
use cellway_kernel::error::SpecError;
use cellway_kernel::rng::name_hash;
use cellway_kernel::time::{Duration, Phase, Time};
use cellway_kernel::units::{BitRate, Bytes, CellClock, CellRate};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// TCP connections from the VC's source to its destination, each segment in one AAL5 frame; acknowledgements come back
/// over the return path.
///
/// A segment of `mss` bytes has headers of TCP and IP (40 bytes) and LLC/SNAP (8) in front and an AAL5 trailer (8)
/// behind, and is padded to whole cells: 1024 bytes take 23 cells with or without LLC/SNAP, so that at most
/// 1024 / (23 * 53) of a line is data. An acknowledgement takes 2 cells, or 1 without LLC/SNAP and SACK option.
///
/// Connections are open from the start and stay open; data flows one way; the receiving application reads at once.
/// What the host's line does not take at once waits in the host, without bound.
///
/// Sources: RFC 9293, 5681, 6298, 7323 (window scale); the algorithms of `congestion` name theirs. The GFR paper's
/// sources are `window: 600 000 bytes`, and otherwise the defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-answers" = true))] // as `answers` below: Python plans the return path
pub struct Tcp {
    /// Congestion control and loss recovery. Default: sack.
    #[serde(default)]
    pub congestion: CongestionSpec,
    /// Connections that share the VC, 1 to 65536. Default: 1.
    #[serde(default = "one")]
    pub connections: u32,
    /// Largest segment, bytes of data: 1 to 65487. Default: 1024 bytes (GFR paper, section 4.1).
    #[serde(default = "mss")]
    pub mss: Bytes,
    /// Window that the receiver offers, from one segment to 2^30 bytes. Beyond 65535 bytes it is scaled, that is,
    /// rounded down to a multiple of the smallest power of two that will do (RFC 7323, section 2). Smaller than rate
    /// times round-trip time, it limits the throughput. Default: 65535 bytes, the largest without scaling.
    #[serde(default = "window")]
    pub window: Bytes,
    /// Congestion window at the start and after idling for longer than the retransmission time-out, in segments, at
    /// least 1. Default: 1 segment, as 4.3BSD; RFC 5681 allows 2 to 4, RFC 6928 10.
    #[serde(default = "one")]
    pub initial_window: u32,
    /// Slow start threshold at the start, at least one segment. Default: the window, so that slow start goes on until
    /// the first loss.
    #[serde(default)]
    pub ssthresh: Option<Bytes>,
    /// Data that the application of each connection sends in all, at least 1 byte. Default: without end.
    #[serde(default)]
    pub bytes: Option<Bytes>,
    /// Rate at which the application of each connection writes segments' worth of data: bits of data per second, not of
    /// cells. Default: everything is there from the start.
    #[serde(default)]
    pub rate: Option<BitRate>,
    /// Whether the receiver waits with an acknowledgement for a second segment (RFC 1122, section 4.2.3.2).
    /// Default: false, one for each segment (GFR paper, section 4.1).
    #[serde(default)]
    pub delayed_ack: bool,
    /// How long it waits at most; above 0, and without effect where `delayed_ack` is false. RFC 1122 allows up to 0.5 s.
    /// Default: 200 ms, as 4.3BSD.
    #[serde(default = "ack_delay")]
    pub ack_delay: Duration,
    /// Blocks in an acknowledgement's SACK option, 1 to 4, where `congestion` makes use of them. Default: 3, as fit
    /// beside timestamps (RFC 2018, section 3).
    #[serde(default = "sack_blocks")]
    pub sack_blocks: u32,
    /// Whether IP packets have an LLC/SNAP header of 8 bytes (RFC 2684), or none. Default: true, as classical IP over ATM
    /// (RFC 2225).
    #[serde(default = "yes")]
    pub llc_snap: bool,
    /// Ticks of the clock with which round trips and time-outs are measured (G of RFC 6298): 500 ms for 4.3BSD, 0 s for
    /// an exact clock. Time-outs end at ticks, never early. Default: 100 ms.
    #[serde(default = "granularity")]
    pub granularity: Duration,
    /// Retransmission time-out before a round trip is measured. Default: 1 s (RFC 6298, rule 2.1).
    #[serde(default = "one_second")]
    pub initial_rto: Duration,
    /// Shortest retransmission time-out; above 0. Default: 1 s (RFC 6298, rule 2.4).
    #[serde(default = "one_second")]
    pub min_rto: Duration,
    /// Longest retransmission time-out, where back-off ends. Default: 64 s, as 4.3BSD.
    #[serde(default = "max_rto")]
    pub max_rto: Duration,
    /// Time-outs in a row after which a connection gives up, for good; `null` never does. Default: 12, as 4.3BSD.
    #[serde(default = "retries")]
    pub retries: Option<u32>,
    /// When the first connection begins. Default: 0 s.
    #[serde(default)]
    pub start: Duration,
    /// From the beginning of one connection to that of the next. Default: 0 s.
    #[serde(default)]
    pub stagger: Duration,
    /// Added to the beginning of every connection. Default: random within the time that a segment takes on the host's
    /// line, for each connection on its own, so that they do not march in step.
    #[serde(default)]
    pub phase: Option<Duration>,
}

fn one() -> u32 {
    1
}

fn mss() -> Bytes {
    Bytes(1024)
}

fn window() -> Bytes {
    Bytes(LARGEST_UNSCALED)
}

fn ack_delay() -> Duration {
    Duration::from_ms(200)
}

fn sack_blocks() -> u32 {
    3
}

fn yes() -> bool {
    true
}

fn granularity() -> Duration {
    Duration::from_ms(100)
}

fn one_second() -> Duration {
    Duration::from_s(1)
}

fn max_rto() -> Duration {
    Duration::from_s(64)
}

#[expect(clippy::unnecessary_wraps, reason = "the default of an optional parameter")]
fn retries() -> Option<u32> {
    Some(12)
}

/// Bytes of the headers of TCP and IP without options.
const HEADERS: u64 = 40;
const LARGEST_MSS: u64 = (aal5::MAX_PAYLOAD - aal5::LLC_SNAP_IP.len()) as u64 - HEADERS;
const LARGEST_UNSCALED: u64 = 0xffff;
const LARGEST_WINDOW: u64 = 1 << 30;
const MOST_CONNECTIONS: u32 = 1 << 16;
/// Number of the first byte of each connection. Near the wrap, so that every long run crosses it.
const FIRST: Seq = Seq(0u32.wrapping_sub(100_000));

impl Tcp {
    fn check(&self) -> Result<(), SpecError> {
        let bytes = |name: &str, what: &str, value: Option<Bytes>, from: u64, to: u64| match value {
            Some(value) if !(from..=to).contains(&value.0) => Err(SpecError::new(name, what)
                .found(format_args!("{} bytes", value.0))
                .allowed(format_args!("{from} to {to} bytes"))),
            _ => Ok(()),
        };
        bytes("mss", "no size of a segment", Some(self.mss), 1, LARGEST_MSS)?;
        bytes("window", "no window that TCP can offer", Some(self.window), self.mss.0, LARGEST_WINDOW)?;
        bytes("ssthresh", "no threshold that TCP can have", self.ssthresh, self.mss.0, LARGEST_WINDOW)?;
        bytes("bytes", "a connection without data", self.bytes, 1, u64::MAX)?;
        let most = (LARGEST_WINDOW / self.mss.0) as u32;
        for (name, value, most) in [
            ("connections", self.connections, MOST_CONNECTIONS),
            ("initial_window", self.initial_window, most),
            ("sack_blocks", self.sack_blocks, MAX_SACK_BLOCKS as u32),
        ] {
            if !(1..=most).contains(&value) {
                return Err(SpecError::new(name, "out of range").found(value).allowed(format_args!("1 to {most}")));
            }
        }
        for (name, value) in [("ack_delay", self.ack_delay), ("min_rto", self.min_rto)] {
            if value == Duration::ZERO {
                return Err(SpecError::new(name, "time would stand still").found("0 s").allowed("more than 0 s"));
            }
        }
        if self.max_rto < self.min_rto {
            return Err(SpecError::new("max_rto", "the longest time-out is shorter than the shortest")
                .found(format_args!("{} s", self.max_rto.seconds()))
                .allowed(format_args!("at least min_rto, {} s", self.min_rto.seconds())));
        }
        if self.rate.is_some_and(|rate| rate.bps() == 0) {
            return Err(SpecError::new("rate", "an application that never writes").found("0 bit/s").allowed("1 bit/s"));
        }
        Ok(())
    }

    /// The window as a scaled field can say it.
    fn offered(&self) -> u32 {
        let mut scale = 0;
        while self.window.0 >> scale > LARGEST_UNSCALED {
            scale += 1;
        }
        (self.window.0 >> scale << scale) as u32
    }

    fn sender(&self, start: Time) -> Sender {
        let mss = self.mss.0 as u32;
        let offered = self.offered();
        let clock = self.rate.map(|rate| CellClock::of_rate(CellRate::new(rate.bps(), 8 * self.mss.0)));
        let parts = SenderParts {
            first: FIRST,
            mss,
            offered,
            initial_window: self.initial_window * mss,
            ssthresh: self.ssthresh.map_or(offered, |bytes| bytes.0 as u32),
            rto: Bounds {
                granularity: self.granularity,
                initial: self.initial_rto,
                shortest: self.min_rto,
                longest: self.max_rto,
            },
            retries: self.retries,
            supply: Supply::new(start, self.bytes.map_or(u64::MAX, |bytes| bytes.0), mss, clock),
        };
        Sender::new(parts, self.congestion.config())
    }

    fn receiver(&self) -> Receiver {
        Receiver::new(ReceiverParts {
            first: FIRST,
            offered: self.offered(),
            sack_blocks: if self.congestion.config().selective() { self.sack_blocks as usize } else { 0 },
            delay: self.delayed_ack.then_some(self.ack_delay),
        })
    }
}

impl TrafficConfig for Tcp {
    fn build(&self, context: &TrafficContext<'_>) -> Result<Application, SpecError> {
        self.check()?;
        let overhead = HEADERS + if self.llc_snap { aal5::LLC_SNAP_IP.len() as u64 } else { 0 };
        let full = aal5::cells((self.mss.0 + overhead) as usize) as u64;
        let mut chance = context.stream(".phase");
        let spread = context.line_clock().span(full);
        let start = Time::ZERO.saturating_add(self.start);
        let senders: Box<[Sender]> = (0..u64::from(self.connections))
            .map(|connection| {
                let phase = self.phase.unwrap_or_else(|| Duration::from_ps(chance.random_range(0..spread.ps().max(1))));
                let stagger = Duration::from_ps(self.stagger.ps().saturating_mul(connection));
                self.sender(start.saturating_add(stagger).saturating_add(phase))
            })
            .collect();
        let salts = |end: &str| -> Agenda {
            Agenda::new((0..self.connections).map(|c| name_hash(&format!("vcs.{}.tcp {end} {c}", context.vc))))
        };
        let mut agenda = salts("sender");
        for (connection, sender) in senders.iter().enumerate() {
            agenda.set(connection, sender.next_run().at(Phase::Timer));
        }
        let (data, acks) = (Post::default(), Post::default());
        let source =
            Source { senders, agenda, overhead, outbox: Outbox::new(data.clone()), inbox: Inbox::new(acks.clone()) };
        let destination = Destination {
            receivers: (0..self.connections).map(|_| self.receiver()).collect(),
            agenda: salts("receiver"),
            overhead,
            outbox: Outbox::new(acks),
            inbox: Inbox::new(data),
        };
        Ok(Application { source: Box::new(source), responder: Some(Box::new(destination)) })
    }

    fn answers(&self) -> bool {
        true
    }
}

/// What belongs to a connection, with its number.
type Of<T> = (u32, T);

struct Source {
    senders: Box<[Sender]>,
    /// When each connection runs next.
    agenda: Agenda,
    /// Bytes of headers in front of the data.
    overhead: u64,
    outbox: Outbox<Of<Segment>>,
    inbox: Inbox<Of<Ack>>,
}

impl Traffic for Source {
    fn next_offer(&self) -> Time {
        self.agenda.first_moment().time()
    }

    fn offer(&mut self, now: Time) -> Offer {
        let connection = self.agenda.first_entry();
        let Some(sender) = self.senders.get_mut(connection) else { return Offer::Nothing };
        let segment = sender.run(now);
        self.agenda.set(connection, sender.next_run().at(Phase::Timer));
        let Some(segment) = segment else { return Offer::Nothing };
        let cells = aal5::cells((u64::from(segment.len) + self.overhead) as usize) as u64;
        self.outbox.send(cells, (connection as u32, segment));
        Offer::Message(cells)
    }

    fn message_received(&mut self, now: Time, last: u32) {
        let (connection, ack) = self.inbox.take(last);
        let sender = &mut self.senders[connection as usize];
        sender.acknowledge(now, &ack);
        self.agenda.set(connection as usize, sender.next_run().at(Phase::Timer));
    }

    fn tcp(&self) -> Option<TcpEnd<'_>> {
        Some(TcpEnd::Senders(&self.senders))
    }

    fn tcp_senders(&mut self) -> &mut [Sender] {
        &mut self.senders
    }
}

struct Destination {
    receivers: Box<[Receiver]>,
    agenda: Agenda,
    overhead: u64,
    outbox: Outbox<Of<Ack>>,
    inbox: Inbox<Of<Segment>>,
}

impl Traffic for Destination {
    fn next_offer(&self) -> Time {
        self.agenda.first_moment().time()
    }

    fn offer(&mut self, now: Time) -> Offer {
        let connection = self.agenda.first_entry();
        let Some(receiver) = self.receivers.get_mut(connection) else { return Offer::Nothing };
        let ack = receiver.run(now);
        self.agenda.set(connection, receiver.next_run().at(Phase::Timer));
        let Some(ack) = ack else { return Offer::Nothing };
        let cells = aal5::cells((u64::from(ack.sack.option_len()) + self.overhead) as usize) as u64;
        self.outbox.send(cells, (connection as u32, ack));
        Offer::Message(cells)
    }

    fn message_received(&mut self, now: Time, last: u32) {
        let (connection, segment) = self.inbox.take(last);
        let receiver = &mut self.receivers[connection as usize];
        receiver.segment(now, segment);
        self.agenda.set(connection as usize, receiver.next_run().at(Phase::Timer));
    }

    fn tcp(&self) -> Option<TcpEnd<'_>> {
        Some(TcpEnd::Receivers(&self.receivers))
    }
}

#[cfg(test)]
mod tests;
