//! Recorders of observed quantities. A component holds one only where somebody asked for it.

use crate::time::{Duration, Time};

/// One recorded point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Time of the change, or the end of the bin.
    pub time: Time,
    /// The value from then on, or the time-weighted mean over the bin.
    pub value: f64,
    /// The largest value in the bin; the value itself where every change is kept.
    pub max: f64,
}

/// Records a quantity that keeps its value between changes: a queue length, a credit, a rate.
pub struct Gauge {
    every: Option<Duration>,
    samples: Vec<Sample>,
    since: Time,
    value: f64,
    integral: f64,
    max: f64,
    bin_end: Time,
}

impl Gauge {
    /// Starts at `value`. Keeps every change, or with `every` the mean and maximum of each bin of that length.
    pub fn new(value: f64, every: Option<Duration>) -> Gauge {
        let bin_end = every.map_or(Time::NEVER, |d| Time::ZERO + d);
        let mut gauge =
            Gauge { every, samples: Vec::new(), since: Time::ZERO, value, integral: 0.0, max: value, bin_end };
        if every.is_none() {
            gauge.keep(Time::ZERO, value);
        }
        gauge
    }

    /// The quantity is `value` from `now` on.
    pub fn set(&mut self, now: Time, value: f64) {
        if self.every.is_some() {
            self.close_bins(now);
            self.integral += self.value * now.since(self.since).seconds();
            self.since = now;
            self.value = value;
            self.max = self.max.max(value);
        } else if value != self.value {
            self.value = value;
            self.keep(now, value);
        }
    }

    /// Closes all bins that end no later than `now`.
    pub fn close_bins(&mut self, now: Time) {
        let Some(every) = self.every else { return };
        while self.bin_end <= now {
            self.integral += self.value * self.bin_end.since(self.since).seconds();
            let mean = self.integral / every.seconds();
            self.samples.push(Sample { time: self.bin_end, value: mean, max: self.max });
            self.since = self.bin_end;
            self.integral = 0.0;
            self.max = self.value;
            self.bin_end += every;
        }
    }

    /// What was recorded, in order of time.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    fn keep(&mut self, time: Time, value: f64) {
        match self.samples.last_mut() {
            // Several changes at one instant leave the last.
            Some(last) if last.time == time => *last = Sample { time, value, max: last.max.max(value) },
            _ => self.samples.push(Sample { time, value, max: value }),
        }
    }
}

/// Counts events in bins of equal length: cells over a link, cells delivered.
pub struct Meter {
    every: Duration,
    samples: Vec<Sample>,
    count: u64,
    bin_end: Time,
}

impl Meter {
    /// Counts in bins of length `every`.
    pub fn new(every: Duration) -> Meter {
        Meter { every, samples: Vec::new(), count: 0, bin_end: Time::ZERO + every }
    }

    /// One event at `now`; times never decrease.
    #[inline]
    pub fn count(&mut self, now: Time) {
        if now >= self.bin_end {
            self.close_bins(now);
        }
        self.count += 1;
    }

    /// Closes all bins that end no later than `now`; each holds its events per second.
    pub fn close_bins(&mut self, now: Time) {
        while self.bin_end <= now {
            let rate = self.count as f64 / self.every.seconds();
            self.samples.push(Sample { time: self.bin_end, value: rate, max: rate });
            self.count = 0;
            self.bin_end += self.every;
        }
    }

    /// What was recorded, in order of time.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_once() {
        let mut g = Gauge::new(0.0, None);
        g.set(Time::from_ps(5), 1.0);
        g.set(Time::from_ps(5), 2.0);
        g.set(Time::from_ps(9), 2.0);
        let kept: Vec<_> = g.samples().iter().map(|s| (s.time.ps(), s.value)).collect();
        assert_eq!(kept, [(0, 0.0), (5, 2.0)]);
    }

    #[test]
    fn bins_hold_mean_and_maximum() {
        let mut g = Gauge::new(0.0, Some(Duration::from_ps(10)));
        g.set(Time::from_ps(5), 4.0);
        g.set(Time::from_ps(25), 1.0);
        g.close_bins(Time::from_ps(40));
        let kept: Vec<_> = g.samples().iter().map(|s| (s.time.ps(), s.value, s.max)).collect();
        assert_eq!(kept, [(10, 2.0, 4.0), (20, 4.0, 4.0), (30, 2.5, 4.0), (40, 1.0, 1.0)]);
    }

    #[test]
    fn a_meter_gives_rates() {
        let mut m = Meter::new(Duration::from_ms(1));
        for us in [0, 100, 999, 1000, 3500] {
            m.count(Time::ZERO + Duration::from_us(us));
        }
        m.close_bins(Time::ZERO + Duration::from_ms(4));
        let rates: Vec<f64> = m.samples().iter().map(|s| s.value).collect();
        assert_eq!(rates, [3000.0, 1000.0, 0.0, 1000.0]);
    }
}
