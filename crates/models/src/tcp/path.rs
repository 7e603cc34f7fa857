//! Both ends of a connection with a scripted path between them, for the tests of this module.

use super::congestion::CongestionSpec;
use super::receiver::{Receiver, ReceiverParts};
use super::rto::Bounds;
use super::segment::{Ack, Segment, Seq};
use super::sender::{Sender, SenderParts};
use super::supply::Supply;
use cellway_kernel::time::{Duration, Time};
use std::collections::BTreeMap;

pub(super) const MSS: u32 = 1000;
/// The bottleneck of Fall and Floyd's figures: a packet of 1000 bytes takes 10 ms on it, and 100 ms to the other end.
pub(super) const SERIAL: Duration = Duration::from_ms(10);
pub(super) const DELAY: Duration = Duration::from_ms(100);

/// What the path does with a segment or an acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    Arrives,
    Lost,
    /// Later than those that follow it.
    Late(Duration),
}

/// A segment as it was sent: when, which packet of the connection, and whether it was sent before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sent {
    pub(super) at: Time,
    pub(super) packet: u32,
    pub(super) again: bool,
}

enum Travelling {
    Data(Segment),
    Ack(Ack),
}

pub(super) struct Path<F> {
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    pub(super) now: Time,
    pub(super) sent: Vec<Sent>,
    /// Fate of the packet with this number at its n-th transmission (from 0), or of the n-th acknowledgement.
    fate: F,
    free: Time,
    travelling: BTreeMap<(Time, u64), Travelling>,
    number: u64,
    first: Seq,
    transmissions: BTreeMap<u32, u32>,
    acks: u32,
}

/// Which thing meets its fate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum On {
    Packet(u32, u32),
    Ack(u32),
}

/// A sender as the tests want it: an exact clock, no bounds that matter, data of `packets` segments.
pub(super) fn parts(packets: u64) -> SenderParts {
    SenderParts {
        first: Seq(u32::MAX - 20_000),
        mss: MSS,
        offered: 64 * MSS,
        initial_window: MSS,
        ssthresh: 64 * MSS,
        rto: Bounds {
            granularity: Duration::from_ms(100),
            initial: Duration::from_s(1),
            shortest: Duration::from_s(1),
            longest: Duration::from_s(64),
        },
        retries: None,
        supply: Supply::new(Time::ZERO, packets * u64::from(MSS), MSS, None),
    }
}

pub(super) fn congestion(kind: &str) -> CongestionSpec {
    serde_json::from_value(serde_json::json!({ "kind": kind })).expect("a kind of congestion control")
}

impl<F: FnMut(On) -> Fate> Path<F> {
    pub(super) fn new(kind: &str, parts: SenderParts, delay: Option<Duration>, fate: F) -> Path<F> {
        let spec = congestion(kind);
        let sack_blocks = if spec.config().selective() { 3 } else { 0 };
        let (first, offered) = (parts.first, parts.offered);
        Path {
            sender: Sender::new(parts, spec.config()),
            receiver: Receiver::new(ReceiverParts { first, offered, sack_blocks, delay }),
            now: Time::ZERO,
            sent: Vec::new(),
            fate,
            free: Time::ZERO,
            travelling: BTreeMap::new(),
            number: 0,
            first,
            transmissions: BTreeMap::new(),
            acks: 0,
        }
    }

    /// The next thing that happens; false when nothing does any more.
    pub(super) fn step(&mut self) -> bool {
        let arrival = self.travelling.first_key_value().map_or(Time::NEVER, |(&(at, _), _)| at);
        let (sends, acknowledges) = (self.sender.next_run(), self.receiver.next_run());
        let next = arrival.min(sends).min(acknowledges);
        assert!(next >= self.now, "time runs backwards: {next:?} after {:?}", self.now);
        if next == Time::NEVER {
            return false;
        }
        self.now = next;
        if sends == next {
            self.send();
        } else if acknowledges == next {
            self.acknowledge();
        } else if let Some((_, travelling)) = self.travelling.pop_first() {
            match travelling {
                Travelling::Data(segment) => self.receiver.segment(next, segment),
                Travelling::Ack(ack) => self.sender.acknowledge(next, &ack),
            }
        }
        let w = self.sender.window();
        assert!(w.flight() <= w.offered, "{} bytes in flight, {} offered", w.flight(), w.offered);
        assert!(w.cwnd >= w.mss && w.ssthresh >= w.mss);
        assert!(!self.receiver.expected().before(w.una), "{:?} was acknowledged and never came", w.una);
        true
    }

    pub(super) fn run(&mut self) {
        while self.step() {}
    }

    fn send(&mut self) {
        let Some(segment) = self.sender.run(self.now) else { return };
        let packet = segment.seq.since(self.first) / MSS;
        let times = self.transmissions.entry(packet).or_default();
        self.sent.push(Sent { at: self.now, packet, again: *times > 0 });
        self.free = self.free.max(self.now) + SERIAL;
        let fate = (self.fate)(On::Packet(packet, *times));
        *times += 1;
        self.travel(self.free, fate, Travelling::Data(segment));
    }

    fn acknowledge(&mut self) {
        let Some(ack) = self.receiver.run(self.now) else { return };
        let fate = (self.fate)(On::Ack(self.acks));
        self.acks += 1;
        self.travel(self.now, fate, Travelling::Ack(ack));
    }

    fn travel(&mut self, from: Time, fate: Fate, what: Travelling) {
        let late = match fate {
            Fate::Arrives => Duration::ZERO,
            Fate::Late(late) => late,
            Fate::Lost => return,
        };
        self.number += 1;
        self.travelling.insert((from + DELAY + late, self.number), what);
    }

    /// When packets were sent again, in order.
    pub(super) fn repeated(&self) -> Vec<(u32, Time)> {
        self.sent.iter().filter(|s| s.again).map(|s| (s.packet, s.at)).collect()
    }
}
