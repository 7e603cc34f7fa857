//! Simulated time: integer picoseconds, and the order of what happens at one instant.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::ops::{Add, AddAssign};

/// Picoseconds in one second.
pub const PS_PER_SECOND: u64 = 1_000_000_000_000;

/// An instant of simulated time: whole picoseconds since the start of the run.
///
/// The largest instant is 2^62 - 2 ps, about 53 days: two bits are kept free so that an instant and a
/// [`Phase`] pack into one [`Moment`]. `Time + Time` does not compile, and differences are explicit
/// ([`Time::since`]) so that a time-order bug cannot turn into a positive duration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

/// A length of simulated time: whole picoseconds, never negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(transparent)]
pub struct Duration(u64);

/// The longest duration of a scenario: 2^61 ps, about 26 days.
pub const LONGEST_PS: u64 = 1 << 61;

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        let ps = u64::deserialize(deserializer)?;
        if ps > LONGEST_PS {
            return Err(serde::de::Error::custom(format_args!("a duration of {ps} ps; at most 2^61 ps (26 days)")));
        }
        Ok(Duration(ps))
    }
}

impl Time {
    /// The start of every run.
    pub const ZERO: Time = Time(0);
    /// Runs end here at the latest: 2^61 ps, about 26 days.
    pub const LAST: Time = Time(LONGEST_PS);
    /// Later than anything that happens.
    pub const NEVER: Time = Time((1 << 62) - 1);

    /// The instant `ps` picoseconds after the start.
    ///
    /// # Panics
    /// Beyond [`Time::NEVER`] (53 days).
    pub const fn from_ps(ps: u64) -> Time {
        assert!(ps <= Time::NEVER.0, "time beyond 2^62 ps (53 days)");
        Time(ps)
    }

    /// Picoseconds since the start.
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// Seconds since the start, for display.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / PS_PER_SECOND as f64
    }

    /// How long ago `earlier` was.
    ///
    /// # Panics
    /// In debug builds when `earlier` is later than `self`: a broken time order, never a small negative value.
    #[inline]
    pub fn since(self, earlier: Time) -> Duration {
        debug_assert!(earlier.0 <= self.0, "time runs backwards: {earlier:?} is after {self:?}");
        Duration(self.0.wrapping_sub(earlier.0))
    }

    /// The instant `d` later, or [`Time::NEVER`] where that lies beyond the range; unlike `+` for any `d`, also one drawn
    /// from a distribution.
    #[inline]
    pub fn saturating_add(self, d: Duration) -> Time {
        Time(self.0.saturating_add(d.0).min(Time::NEVER.0))
    }

    /// The instant `d` later, where that is known to be within the range: without asking.
    ///
    /// Runs end half-way through the range ([`Time::LAST`]), and neither a cell nor a link takes the other half.
    #[inline]
    pub fn plus(self, d: Duration) -> Time {
        debug_assert!(self.0 + d.0 < Time::NEVER.0, "{self:?} + {d:?} is beyond the range of time");
        Time(self.0.wrapping_add(d.0))
    }

    /// The instant `d` earlier, or the start.
    #[inline]
    pub fn saturating_sub(self, d: Duration) -> Time {
        Time(self.0.saturating_sub(d.0))
    }

    /// This instant in `phase`.
    #[inline]
    pub const fn at(self, phase: Phase) -> Moment {
        Moment(self.0 << 2 | phase as u64)
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);

    /// `ps` picoseconds.
    pub const fn from_ps(ps: u64) -> Duration {
        Duration(ps)
    }

    /// `us` microseconds.
    pub const fn from_us(us: u64) -> Duration {
        Duration(us * 1_000_000)
    }

    /// `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Duration {
        Duration(ms * 1_000_000_000)
    }

    /// `s` seconds.
    pub const fn from_s(s: u64) -> Duration {
        Duration(s * PS_PER_SECOND)
    }

    /// The nearest picosecond to `seconds`; negative values and NaN give zero.
    pub fn from_seconds(seconds: f64) -> Duration {
        Duration((seconds * PS_PER_SECOND as f64).round() as u64)
    }

    /// Picoseconds.
    pub const fn ps(self) -> u64 {
        self.0
    }

    /// Seconds, for display and for rate arithmetic.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / PS_PER_SECOND as f64
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    #[inline]
    fn add(self, d: Duration) -> Time {
        // Durations are below 2^63 ps, so the sum cannot wrap; what lies beyond the range never happens.
        let sum = self.0 + d.0;
        if sum < Time::NEVER.0 { Time(sum) } else { Time::NEVER }
    }
}

impl AddAssign<Duration> for Time {
    #[inline]
    fn add_assign(&mut self, d: Duration) {
        *self = *self + d;
    }
}

impl Add for Duration {
    type Output = Duration;
    #[inline]
    fn add(self, d: Duration) -> Duration {
        Duration(self.0 + d.0)
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Time::NEVER { f.write_str("never") } else { write!(f, "{} ps", self.0) }
    }
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ps", self.0)
    }
}

impl schemars::JsonSchema for Duration {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "integer", "minimum": 0, "format": "duration"})
    }
}

/// What comes first inside one node when several things fall on the same picosecond.
///
/// The order is a rule of the model, not an accident of scheduling; within one phase, what belongs to different
/// ports is ordered by a hash of time and port ([`tie_rank`]), so that no port is favoured for ever (phase
/// effects, Floyd and Jacobson, *On traffic phase effects in packet-switched gateways*, 1991).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Phase {
    /// A line has sent its last bit and takes the next waiting cell. First, so that a departure frees its place
    /// before a cell that arrives at the same instant asks for one.
    Service = 0,
    /// Timers of the node: traffic offered by applications, time-outs, measurement intervals.
    Timer = 1,
    /// Cells whose last bit arrives from a link.
    Arrival = 2,
    /// A line that was idle starts. Last, so that it chooses among all that arrived at this instant.
    Start = 3,
}

/// An instant and a phase in one word: the order in which a node works.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(u64);

impl Moment {
    /// Later than anything that happens.
    pub const NEVER: Moment = Time::NEVER.at(Phase::Start);

    /// The instant of this moment.
    #[inline]
    pub const fn time(self) -> Time {
        Time(self.0 >> 2)
    }

    /// The phase of this moment.
    #[inline]
    pub const fn phase(self) -> Phase {
        match self.0 & 3 {
            0 => Phase::Service,
            1 => Phase::Timer,
            2 => Phase::Arrival,
            _ => Phase::Start,
        }
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}/{:?}", self.time(), self.phase())
    }
}

/// Order of two things at one moment: a hash of the moment and of a salt that belongs to the port's *name*.
///
/// The smaller rank goes first. Deterministic under any scheduler, and independent of how many other ports there are.
#[inline]
pub fn tie_rank(moment: Moment, salt: u64) -> u64 {
    let mut x = moment.0 ^ salt;
    x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ (x >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_order_one_instant_and_time_orders_phases() {
        let t = Time::from_ps(5);
        let order = [Phase::Service, Phase::Timer, Phase::Arrival, Phase::Start];
        for pair in order.windows(2) {
            assert!(t.at(pair[0]) < t.at(pair[1]));
        }
        assert!(t.at(Phase::Start) < Time::from_ps(6).at(Phase::Service));
        assert_eq!(t.at(Phase::Arrival).time(), t);
        assert_eq!(t.at(Phase::Arrival).phase(), Phase::Arrival);
        assert!(Time::from_ps((1 << 62) - 2).at(Phase::Start) < Moment::NEVER);
    }

    #[test]
    fn tie_rank_favours_nobody() {
        // Of two ports that meet at each of 10 000 slots, each goes first about half of the time (5 sigma = 250).
        let mut first = 0;
        for slot in 0..10_000u64 {
            let m = Time::from_ps(slot * 2_726_337).at(Phase::Arrival);
            first += i32::from(tie_rank(m, 0x1234) < tie_rank(m, 0xabcd));
        }
        assert!((4_750..=5_250).contains(&first), "port 1 first {first} times of 10 000");
    }

    #[test]
    fn beyond_the_range_is_never() {
        let t = Time::from_ps(5);
        for ps in [u64::MAX, 1 << 63, 1 << 62] {
            assert_eq!(t.saturating_add(Duration::from_ps(ps)), Time::NEVER);
        }
        assert_eq!(t + Duration::from_ps(1 << 62), Time::NEVER);
        assert_eq!(t.saturating_add(Duration::from_ps(1)), t + Duration::from_ps(1));
    }

    #[test]
    #[should_panic(expected = "time runs backwards")]
    #[cfg(debug_assertions)]
    fn a_negative_difference_is_a_bug() {
        let _ = Time::ZERO.since(Time::from_ps(1));
    }
}
