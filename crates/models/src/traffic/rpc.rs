//! Remote procedure calls: a closed loop of requests and responses.

use super::period::{Periods, Variation};
use super::{Application, Exchanges, Offer, Traffic, TrafficConfig, TrafficContext, stop_after_start};
use crate::post::{Inbox, Outbox, Post};
use crate::wire::aal5;
use cellway_kernel::error::SpecError;
use cellway_kernel::rng::Stream;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::Bytes;
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A client at the VC's source calls a server at its destination, which answers over the return path.
///
/// The client keeps `outstanding` calls going side by side. Each repeats a cycle: `requests` requests, `gap` apart;
/// their responses; a think time. Requests and responses are AAL5 frames of ceil((bytes + 8) / 48) cells. A request
/// whose response is not complete within `timeout` is sent again, with the time-out doubled at each repetition up to
/// 60 s; of several responses to one request the first counts and the others are discarded. The server works on one
/// request at a time, in order of arrival, and answers repetitions too, as an NFS server answers reads.
///
/// Sources: N23 paper, section 8.1 (NFS); time-outs as NFS over UDP (Macklem, *Lessons Learned Tuning the 4.3BSD Reno
/// Implementation of the NFS Protocol*, 1991). The request-response cycles of the UILI paper, section 7.2.1, are
/// `outstanding: 1`, one operation of 760 bytes (16 cells) and 760, 12280 or 393208 bytes (16, 256 or 8192 cells),
/// a deterministic `think` as the inter-cycle time, `gap` as the inter-request time, and no time-out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-answers" = true))] // as `answers` below: Python plans the return path
pub struct Rpc {
    /// What is called, each time one drawn by weight. Default: a client that reads the files of a directory tree, our
    /// synthesis for the traces of the N23 paper, which are lost: 200 bytes each way 40 % (attributes, look-up), and
    /// for requests of 200 bytes responses of 2 KiB 4 % (directory), 1 KiB 10 %, 4 KiB 10 % (ends of files) and
    /// 8 KiB 36 % (blocks).
    #[serde(default)]
    pub operations: Option<Vec<Operation>>,
    /// Calls side by side, each with its own cycle, 1 to 1024. Default: 1, a client that waits.
    #[serde(default = "one")]
    pub outstanding: u32,
    /// Requests in a cycle, 1 to 1024. Default: 1.
    #[serde(default = "one")]
    pub requests: u32,
    /// From one request of a cycle to the next. Default: 0 s, back to back.
    #[serde(default)]
    pub gap: Duration,
    /// From the last response of a cycle to the next cycle, or its mean. Default: 1 ms.
    #[serde(default = "one_ms")]
    pub think: Duration,
    /// How the think time varies. Default: exponential.
    #[serde(default = "exponential")]
    pub think_distribution: Variation,
    /// Time of the server for each request, or its mean. Default: 0 s, a server that is never the bottleneck.
    #[serde(default)]
    pub service: Duration,
    /// How the service time varies. Default: exponential.
    #[serde(default = "exponential")]
    pub service_distribution: Variation,
    /// From a request to its first repetition; `null` never repeats, and one loss then stops the cycle for ever.
    /// Shorter than a response takes, it loads the network with repetitions. Default: 700 ms, NFS over UDP.
    #[serde(default = "nfs_timeout")]
    pub timeout: Option<Duration>,
    /// When it begins. Default: 0 s.
    #[serde(default)]
    pub start: Duration,
    /// From the start to the first cycles. Default: random within one mean think time, at least within one cell time
    /// of the host's line, and for each of the `outstanding` on its own, so that clients do not march in step.
    #[serde(default)]
    pub phase: Option<Duration>,
    /// When it ends: no request is made from then on; those under way are seen through. Default: never.
    #[serde(default)]
    pub stop: Option<Duration>,
}

/// A procedure that can be called.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// Size of the request with all headers above AAL5, 1 byte to 1 GiB. Beyond 65535 bytes it would take several
    /// AAL5 frames; it is carried as one long frame all the same.
    pub request: Bytes,
    /// Size of the response, likewise.
    pub response: Bytes,
    /// How often it is called, relative to the others; above 0. Default: 1.
    #[serde(default = "unit_weight")]
    pub weight: f64,
}

fn one() -> u32 {
    1
}

fn one_ms() -> Duration {
    Duration::from_ms(1)
}

fn exponential() -> Variation {
    Variation::Exponential
}

#[expect(clippy::unnecessary_wraps, reason = "the default of an optional parameter")]
fn nfs_timeout() -> Option<Duration> {
    Some(Duration::from_ms(700))
}

fn unit_weight() -> f64 {
    1.0
}

/// (request, response, weight) of a client that reads every file of a directory tree.
const READING_FILES: [(u64, u64, f64); 5] =
    [(200, 200, 40.0), (200, 2048, 4.0), (200, 1024, 10.0), (200, 4096, 10.0), (200, 8192, 36.0)];
const LARGEST_MESSAGE: u64 = 1 << 30;
const LARGEST_WINDOW: u32 = 1024;
/// Doubled time-outs stop here (NFS over UDP).
const LONGEST_TIMEOUT: Duration = Duration::from_s(60);

impl TrafficConfig for Rpc {
    fn build(&self, context: &TrafficContext<'_>) -> Result<Application, SpecError> {
        let mix = Mix::new(self.operations.as_deref())?;
        for (name, value) in [("outstanding", self.outstanding), ("requests", self.requests)] {
            if !(1..=LARGEST_WINDOW).contains(&value) {
                return Err(SpecError::new(name, "a window that no client has").found(value).allowed("1 to 1024"));
            }
        }
        if self.timeout == Some(Duration::ZERO) {
            return Err(SpecError::new("timeout", "requests would be repeated without end at once")
                .found("0 s")
                .allowed("more than 0 s, or null"));
        }
        let stop = stop_after_start(self.start, self.stop)?;
        let start = Time::ZERO.saturating_add(self.start);
        let (requests, responses) = (Post::default(), Post::default());

        let mut client = Client {
            agenda: BTreeSet::new(),
            under_way: BTreeMap::new(),
            cycles: vec![Cycle::default(); self.outstanding as usize].into_boxed_slice(),
            requests: self.requests,
            gap: self.gap,
            think: Periods::varying(self.think, self.think_distribution),
            timeout: self.timeout,
            stop,
            mix,
            stream: context.stream(""),
            outbox: Outbox::new(requests.clone()),
            inbox: Inbox::new(responses.clone()),
            counted: Exchanges::default(),
        };
        let spread = self.think.max(context.line_clock().shortest());
        let mut chance = context.stream(".phase");
        for cycle in 0..self.outstanding {
            let phase = self.phase.unwrap_or_else(|| Duration::from_ps(chance.random_range(0..spread.ps().max(1))));
            client.begin_cycle(cycle, start.saturating_add(phase));
        }
        let server = Server {
            answers: VecDeque::new(),
            free: Time::ZERO,
            service: Periods::varying(self.service, self.service_distribution),
            stream: context.stream(".server"),
            outbox: Outbox::new(responses),
            inbox: Inbox::new(requests),
        };
        Ok(Application { source: Box::new(client), responder: Some(Box::new(server)) })
    }

    fn answers(&self) -> bool {
        true
    }
}

/// The operations with their cells, and their weights summed up.
struct Mix {
    calls: Box<[(Call, f64)]>,
    total: f64,
}

/// Sizes of one call [cells].
#[derive(Clone, Copy)]
struct Call {
    request: u64,
    response: u64,
}

impl Mix {
    fn new(operations: Option<&[Operation]>) -> Result<Mix, SpecError> {
        let default = READING_FILES.map(|(request, response, weight)| Operation {
            request: Bytes(request),
            response: Bytes(response),
            weight,
        });
        let operations = operations.unwrap_or(&default);
        if operations.is_empty() {
            return Err(SpecError::new("operations", "nothing to call").found("an empty list").allowed("at least one"));
        }
        let mut total = 0.0;
        let mut calls = Vec::with_capacity(operations.len());
        for (i, operation) in operations.iter().enumerate() {
            if !(operation.weight > 0.0 && operation.weight.is_finite()) {
                return Err(SpecError::new(format!("operations[{i}].weight"), "an operation that is never called")
                    .found(operation.weight)
                    .allowed("a finite number above 0"));
            }
            total += operation.weight;
            let call = Call {
                request: message_cells(operation.request, || format!("operations[{i}].request"))?,
                response: message_cells(operation.response, || format!("operations[{i}].response"))?,
            };
            calls.push((call, total));
        }
        if !total.is_finite() {
            return Err(SpecError::new("operations", "weights whose sum is infinite")
                .found(total)
                .allowed("a finite sum"));
        }
        Ok(Mix { calls: calls.into_boxed_slice(), total })
    }

    fn draw(&self, stream: &mut Stream) -> Call {
        let u = stream.random::<f64>() * self.total;
        let i = self.calls.partition_point(|&(_, sum)| sum <= u);
        self.calls[i.min(self.calls.len() - 1)].0
    }
}

fn message_cells(size: Bytes, path: impl FnOnce() -> String) -> Result<u64, SpecError> {
    if !(1..=LARGEST_MESSAGE).contains(&size.0) {
        return Err(SpecError::new(path(), "no size of a message")
            .found(format_args!("{} bytes", size.0))
            .allowed("1 byte to 2^30 bytes (1 GiB)"));
    }
    Ok(aal5::cells(size.0 as usize) as u64)
}

struct Request {
    id: u64,
    /// Cells of the response: the client asks for so much, and a repetition asks for the same.
    response: u64,
}

struct Client {
    agenda: BTreeSet<(Time, Due)>,
    under_way: BTreeMap<u64, UnderWay>,
    cycles: Box<[Cycle]>,
    requests: u32,
    gap: Duration,
    think: Periods,
    timeout: Option<Duration>,
    stop: Time,
    mix: Mix,
    stream: Stream,
    outbox: Outbox<Request>,
    inbox: Inbox<u64>,
    counted: Exchanges,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// The next request of a cycle.
    Request(u32),
    /// A request that has no response yet.
    Repetition(u64),
}

#[derive(Clone, Default)]
struct Cycle {
    to_send: u32,
    unanswered: u32,
}

struct UnderWay {
    cycle: u32,
    call: Call,
    offered: Time,
    timeout: Duration,
    repeat_at: Time,
}

impl Client {
    fn begin_cycle(&mut self, cycle: u32, at: Time) {
        if at < self.stop {
            self.cycles[cycle as usize].to_send = self.requests;
            self.agenda.insert((at, Due::Request(cycle)));
        }
    }

    fn request(&mut self, cycle: u32, now: Time) -> Offer {
        let call = self.mix.draw(&mut self.stream);
        let id = self.counted.requests;
        self.counted.requests += 1;
        let following = now.saturating_add(self.gap);
        let state = &mut self.cycles[cycle as usize];
        state.unanswered += 1;
        state.to_send = if following < self.stop { state.to_send - 1 } else { 0 };
        if state.to_send > 0 {
            self.agenda.insert((following, Due::Request(cycle)));
        }
        let timeout = self.timeout.unwrap_or(Duration::ZERO);
        self.under_way.insert(id, UnderWay { cycle, call, offered: now, timeout, repeat_at: Time::NEVER });
        self.transmit(id, now)
    }

    fn transmit(&mut self, id: u64, now: Time) -> Offer {
        let request = self.under_way.get_mut(&id).expect("a request under way");
        if self.timeout.is_some() {
            request.repeat_at = now.saturating_add(request.timeout);
            self.agenda.insert((request.repeat_at, Due::Repetition(id)));
            let doubled = Duration::from_ps(request.timeout.ps().saturating_mul(2));
            request.timeout = request.timeout.max(doubled.min(LONGEST_TIMEOUT));
        }
        let Call { request, response } = request.call;
        self.outbox.send(request, Request { id, response });
        Offer::Message(request)
    }
}

impl Traffic for Client {
    fn next_offer(&self) -> Time {
        self.agenda.first().map_or(Time::NEVER, |&(at, _)| at)
    }

    fn offer(&mut self, now: Time) -> Offer {
        match self.agenda.pop_first() {
            Some((_, Due::Request(cycle))) => self.request(cycle, now),
            Some((_, Due::Repetition(id))) => {
                self.counted.repeated += 1;
                self.transmit(id, now)
            }
            None => Offer::Nothing,
        }
    }

    fn message_received(&mut self, now: Time, last: u32) {
        let id = self.inbox.take(last);
        // Without an entry it is a response to a repetition of what has been answered.
        let Some(request) = self.under_way.remove(&id) else { return };
        self.agenda.remove(&(request.repeat_at, Due::Repetition(id)));
        let taken = now.since(request.offered);
        self.counted.responses += 1;
        self.counted.total_time = Duration::from_ps(self.counted.total_time.ps().saturating_add(taken.ps()));
        self.counted.longest = self.counted.longest.max(taken);
        let state = &mut self.cycles[request.cycle as usize];
        state.unanswered -= 1;
        if state.unanswered == 0 && state.to_send == 0 {
            let think = self.think.draw(&mut self.stream);
            self.begin_cycle(request.cycle, now.saturating_add(think));
        }
    }

    fn exchanges(&self) -> Option<Exchanges> {
        Some(self.counted)
    }
}

struct Server {
    /// When each response is ready, its request, and its cells.
    answers: VecDeque<(Time, Request)>,
    free: Time,
    service: Periods,
    stream: Stream,
    outbox: Outbox<u64>,
    inbox: Inbox<Request>,
}

impl Traffic for Server {
    fn next_offer(&self) -> Time {
        self.answers.front().map_or(Time::NEVER, |&(at, _)| at)
    }

    fn offer(&mut self, _now: Time) -> Offer {
        match self.answers.pop_front() {
            Some((_, request)) => {
                self.outbox.send(request.response, request.id);
                Offer::Message(request.response)
            }
            None => Offer::Nothing,
        }
    }

    fn message_received(&mut self, now: Time, last: u32) {
        let request = self.inbox.take(last);
        self.free = self.free.max(now).saturating_add(self.service.draw(&mut self.stream));
        self.answers.push_back((self.free, request));
    }
}

#[cfg(test)]
mod tests;
