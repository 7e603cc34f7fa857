//! Traffic: when the application at a host has cells to send.

use crate::family::family;
use crate::tcp::receiver::Receiver;
use crate::tcp::sender::Sender;
use cellway_kernel::error::SpecError;
use cellway_kernel::rng::{Stream, stream};
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::{BitRate, CellClock};

family! {
    /// When the application of a VC offers cells to its host.
    TrafficSpec: TrafficConfig;
    greedy => Greedy,
    cbr => Cbr,
    poisson => Poisson,
    bernoulli => Bernoulli,
    on_off => OnOff,
    burst => Burst,
    rate_schedule => RateSchedule,
    trace => Trace,
    rpc => Rpc,
    tcp => Tcp,
}

mod period;
#[cfg(test)]
mod trial;

pub use period::{PeriodDistribution, Variation};

/// What an application needs to know of its place.
pub struct TrafficContext<'a> {
    /// Seed of the run.
    pub seed: u64,
    /// Name of the VC.
    pub vc: &'a str,
    /// Rate of the host's line.
    pub line: BitRate,
}

impl TrafficContext<'_> {
    /// The random stream of this application, or of a named part of it.
    pub fn stream(&self, part: &str) -> Stream {
        stream(self.seed, &format!("vcs.{}.traffic{part}", self.vc))
    }

    /// The clock of the host's line.
    pub fn line_clock(&self) -> CellClock {
        CellClock::of_line(self.line)
    }
}

/// The application of a VC: the part at its source, and for closed loops the part at its destination.
pub struct Application {
    /// At the VC's first host.
    pub source: Box<dyn Traffic>,
    /// At the VC's last host, sending over the return path.
    pub responder: Option<Box<dyn Traffic>>,
}

impl Application {
    /// An application that only sends.
    pub fn one_way(source: impl Traffic + 'static) -> Application {
        Application { source: Box::new(source), responder: None }
    }
}

/// An application that never offers anything.
pub struct Silence;

impl Traffic for Silence {
    fn next_offer(&self) -> Time {
        Time::NEVER
    }

    fn offer(&mut self, _now: Time) -> Offer {
        Offer::Nothing
    }
}

/// Parameters of an application.
pub trait TrafficConfig {
    /// Builds it.
    ///
    /// # Errors
    /// For parameters that make no sense; paths are relative to the parameters.
    fn build(&self, context: &TrafficContext<'_>) -> Result<Application, SpecError>;

    /// True where the destination answers, so that the VC needs a return path.
    fn answers(&self) -> bool {
        false
    }

    /// True where the cells form frames, the last cell of each with AAU: switches may discard by frames.
    fn sends_frames(&self) -> bool {
        self.answers()
    }
}

/// What an application hands to its host at one instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offer {
    /// So many cells of a stream without structure.
    Cells(u64),
    /// A message of so many cells (at least 1); its last cell carries AAU.
    Message(u64),
    /// Cells without end, until [`Offer::Nothing`].
    Endless,
    /// Nothing; also ends [`Offer::Endless`].
    Nothing,
}

/// An application at a host. It owns no clock: the host asks when it next wants to run, and runs it.
pub trait Traffic: Send {
    /// When it next has something to offer; [`Time::NEVER`] if nothing happens first.
    ///
    /// It may be the instant of the last offer, and never an earlier one: several offers at one instant are in order.
    fn next_offer(&self) -> Time;

    /// It is `next_offer()` now.
    fn offer(&mut self, now: Time) -> Offer;

    /// [`offer`](Traffic::offer) and the [`next_offer`](Traffic::next_offer) after it, in one call.
    fn run(&mut self, now: Time) -> (Offer, Time) {
        let offer = self.offer(now);
        (offer, self.next_offer())
    }

    /// The pace of its cells, for applications that offer single cells at a steady rate for a while. The host then takes
    /// them from it without asking for each: several at once, as far as nothing else can come in between.
    fn pace(&mut self) -> Option<&mut Pace> {
        None
    }

    /// The pace has gone on until its end, and what comes then is the application's to say.
    fn pace_ended(&mut self) {}

    /// Cells without structure that may wait in the host; what it offers beyond them is not generated. Asked once.
    fn most_waiting(&self) -> u64 {
        u64::MAX
    }

    /// A message from the other end is complete, every cell of it; `last` is the sequence number of its last cell.
    ///
    /// The host at the other end numbers the cells of its direction of the VC from 0 in the order of its offers
    /// (modulo 2^32), so `last` says which message it is when others were lost. A message with a lost or corrupted
    /// cell is never reported. May change `next_offer`, to `now` at the earliest.
    fn message_received(&mut self, _now: Time, _last: u32) {}

    /// Closed-loop statistics, where the application has any.
    fn exchanges(&self) -> Option<Exchanges> {
        None
    }

    /// The ends of TCP connections here, where there are any.
    fn tcp(&self) -> Option<TcpEnd<'_>> {
        None
    }

    /// The senders of TCP connections here, to record what they do.
    fn tcp_senders(&mut self) -> &mut [Sender] {
        &mut []
    }
}

/// One end of the TCP connections of a VC, in the order of their numbers.
#[derive(Clone, Copy)]
pub enum TcpEnd<'a> {
    /// At the source.
    Senders(&'a [Sender]),
    /// At the destination.
    Receivers(&'a [Receiver]),
}

/// Single cells at the ticks of a clock.
pub struct Pace {
    /// The next cell.
    pub next: Time,
    /// Cells before this come at the ticks; what comes from here on the application has to say.
    pub until: Time,
    /// From one cell to the next.
    pub clock: CellClock,
}

impl Pace {
    /// The next cell is taken; true if the one after it still keeps to the pace.
    #[inline]
    pub fn step(&mut self) -> bool {
        self.next += self.clock.tick();
        self.next < self.until
    }
}

/// What a closed-loop application counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exchanges {
    /// Requests sent (without repetitions).
    pub requests: u64,
    /// Requests sent again after a time-out.
    pub repeated: u64,
    /// Responses received.
    pub responses: u64,
    /// Sum of the response times: from the request's offer to the response's last cell.
    pub total_time: Duration,
    /// The longest response time.
    pub longest: Duration,
}

fn start_and_phase(context: &TrafficContext<'_>, start: Duration, phase: Option<Duration>, period: Duration) -> Time {
    use rand::RngExt;
    // A random phase by default: sources that start in step would meet in step for ever (phase effects).
    let phase = phase.unwrap_or_else(|| {
        let ps = context.stream(".phase").random_range(0..period.ps().max(1));
        Duration::from_ps(ps)
    });
    Time::ZERO.saturating_add(start).saturating_add(phase)
}

fn stop_after_start(start: Duration, stop: Option<Duration>) -> Result<Time, SpecError> {
    match stop {
        None => Ok(Time::NEVER),
        Some(stop) if stop <= start => Err(SpecError::new("stop", "the application stops before it starts")
            .found(format_args!("{} s", stop.seconds()))
            .allowed(format_args!("more than its start, {} s", start.seconds()))),
        Some(stop) => Ok(Time::ZERO.saturating_add(stop)),
    }
}
