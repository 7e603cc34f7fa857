//! The retransmission time-out (RFC 6298): smoothed round-trip time, its variation, back-off, and the clock's ticks.

use cellway_kernel::time::{Duration, Time};

/// Bounds of the time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Ticks of the clock with which round trips and time-outs are measured (G): parameter; zero is an exact clock.
    pub granularity: Duration,
    /// Before the first round trip is measured (rule 2.1).
    pub initial: Duration,
    /// No shorter (rule 2.4).
    pub shortest: Duration,
    /// No longer (rule 2.5).
    pub longest: Duration,
}

/// State of the estimator.
#[derive(Clone, Debug)]
pub struct Rto {
    bounds: Bounds,
    smoothed: Option<Duration>,
    variation: Duration,
    timeout: Duration,
}

/// Round trips count as no longer: 2^56 ps, 20 hours, so that the sums below cannot overflow.
const LONGEST_ROUND_TRIP: u64 = 1 << 56;

impl Rto {
    /// An estimator that has measured nothing.
    pub fn new(bounds: Bounds) -> Rto {
        let timeout = bounds.initial.min(bounds.longest).max(bounds.shortest);
        Rto { bounds, smoothed: None, variation: Duration::ZERO, timeout }
    }

    /// The time-out now, with back-off.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// SRTT, once there is one.
    pub fn smoothed(&self) -> Option<Duration> {
        self.smoothed
    }

    /// RTTVAR.
    pub fn variation(&self) -> Duration {
        self.variation
    }

    /// A segment sent at `sent`, and never again (Karn's algorithm, rule 3), is acknowledged at `now`. Ends the back-off.
    pub fn measured(&mut self, sent: Time, now: Time) {
        let r = self.ticks(sent, now).ps().min(LONGEST_ROUND_TRIP);
        let (smoothed, variation) = match self.smoothed {
            // (2.2)
            None => (r, r / 2),
            // (2.3) with alpha 1/8 and beta 1/4; RTTVAR first, from the old SRTT.
            Some(old) => ((7 * old.ps() + r) / 8, (3 * self.variation.ps() + old.ps().abs_diff(r)) / 4),
        };
        self.smoothed = Some(Duration::from_ps(smoothed));
        self.variation = Duration::from_ps(variation);
        let timeout = smoothed + (4 * variation).max(self.bounds.granularity.ps());
        self.timeout = Duration::from_ps(timeout).min(self.bounds.longest).max(self.bounds.shortest);
    }

    /// The timer has expired (rule 5.5): the time-out doubles, up to the longest.
    pub fn back_off(&mut self) {
        self.timeout =
            Duration::from_ps(self.timeout.ps().saturating_mul(2)).min(self.bounds.longest).max(self.timeout);
    }

    /// When a timer set at `now` expires: at a tick, and never early (RFC 6298, section 5).
    pub fn expiry(&self, now: Time) -> Time {
        let due = now.saturating_add(self.timeout);
        match self.bounds.granularity.ps() {
            0 => due,
            tick => Time::from_ps(due.ps().div_ceil(tick).saturating_mul(tick).min(Time::NEVER.ps())),
        }
    }

    /// From `sent` to `now` by the ticks of the clock.
    fn ticks(&self, sent: Time, now: Time) -> Duration {
        match self.bounds.granularity.ps() {
            0 => now.since(sent),
            tick => Duration::from_ps((now.ps() / tick - sent.ps() / tick) * tick),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bounds(granularity: Duration) -> Bounds {
        Bounds {
            granularity,
            initial: Duration::from_s(1),
            shortest: Duration::from_ps(1),
            longest: Duration::from_s(60),
        }
    }

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_us(us)
    }

    /// RFC 6298, section 2, by hand: R = 100 ms, then 140 ms, then 100 ms.
    #[test]
    fn the_arithmetic_of_rfc_6298() {
        let mut rto = Rto::new(bounds(Duration::ZERO));
        assert_eq!((rto.timeout(), rto.smoothed()), (Duration::from_s(1), None));
        rto.measured(at(0), at(100_000));
        assert_eq!((rto.smoothed(), rto.variation()), (Some(Duration::from_ms(100)), Duration::from_ms(50)));
        assert_eq!(rto.timeout(), Duration::from_ms(300));
        rto.measured(at(0), at(140_000));
        // RTTVAR = 3/4 50 + 1/4 40 = 47.5, SRTT = 7/8 100 + 1/8 140 = 105: RTO = 105 + 190.
        assert_eq!((rto.smoothed(), rto.variation()), (Some(Duration::from_ms(105)), Duration::from_us(47_500)));
        assert_eq!(rto.timeout(), Duration::from_ms(295));
        rto.measured(at(0), at(100_000));
        // RTTVAR = 3/4 47.5 + 1/4 5 = 36.875, SRTT = 7/8 105 + 1/8 100 = 104.375.
        assert_eq!((rto.smoothed(), rto.variation()), (Some(Duration::from_us(104_375)), Duration::from_us(36_875)));
        assert_eq!(rto.timeout(), Duration::from_us(251_875));
    }

    #[test]
    fn the_granularity_is_the_least_that_is_added() {
        let mut rto = Rto::new(bounds(Duration::from_ms(100)));
        for _ in 0..200 {
            rto.measured(at(0), at(300_000));
        }
        assert_eq!(rto.timeout().ps().div_ceil(1_000_000), 400_000, "SRTT 300 ms, RTTVAR dies away, G is left");
    }

    /// As a clock of 500 ms counts: only the ticks between matter.
    #[test]
    fn a_coarse_clock_counts_ticks() {
        let mut rto = Rto::new(bounds(Duration::from_ms(500)));
        rto.measured(at(499_000), at(501_000));
        assert_eq!(rto.smoothed(), Some(Duration::from_ms(500)));
        let mut rto = Rto::new(bounds(Duration::from_ms(500)));
        rto.measured(at(501_000), at(999_000));
        assert_eq!((rto.smoothed(), rto.timeout()), (Some(Duration::ZERO), Duration::from_ms(500)));
        assert_eq!(rto.expiry(at(999_000)), at(1_500_000));
        assert_eq!(rto.expiry(at(1_000_000)), at(1_500_000));
        assert_eq!(rto.expiry(at(1_000_001)), at(2_000_000));
    }

    #[test]
    fn back_off_doubles_to_the_longest_and_ends_with_a_measurement() {
        let mut rto = Rto::new(Bounds { shortest: Duration::from_s(1), ..bounds(Duration::ZERO) });
        let mut seen = Vec::new();
        for _ in 0..8 {
            seen.push(rto.timeout().ps() / 1_000_000_000_000);
            rto.back_off();
        }
        assert_eq!(seen, [1, 2, 4, 8, 16, 32, 60, 60]);
        rto.measured(at(0), at(1_000));
        assert_eq!(rto.timeout(), Duration::from_s(1), "no shorter than the bound");
    }

    proptest! {
        #[test]
        fn a_timer_is_never_early_nor_a_tick_late(tick_us in 1u64..1_000_000, now_us in 0u64..100_000_000) {
            let rto = Rto::new(bounds(Duration::from_us(tick_us)));
            let waited = rto.expiry(at(now_us)).since(at(now_us)).ps();
            prop_assert!(waited >= rto.timeout().ps() && waited < rto.timeout().ps() + tick_us * 1_000_000);
            prop_assert_eq!(rto.expiry(at(now_us)).ps() % (tick_us * 1_000_000), 0);
        }
    }
}
