//! Rates of single VCs, from their cells.

use crate::cell::Label;
use cellway_kernel::time::{Duration, Time};

/// The cell rate of each VC, over windows of its own that last at least the averaging interval.
///
/// A window ends with the first cell, or question, after that time; silence thus counts whenever it ends, and nothing
/// has to be done for VCs of which nobody hears.
pub(super) struct RateMeter {
    window: Duration,
    /// Weight of one window in the average; 1 keeps the newest only.
    weight: f64,
    vcs: Vec<Vc>,
}

#[derive(Clone, Copy)]
struct Vc {
    /// Beginning of the window; never, before the first cell.
    since: Time,
    cells: u32,
    /// Before the end of the first window there is none.
    rate: Option<f64>,
}

impl RateMeter {
    pub(super) fn new(vcs: usize, window: Duration, weight: f64) -> RateMeter {
        RateMeter { window, weight, vcs: vec![Vc { since: Time::NEVER, cells: 0, rate: None }; vcs] }
    }

    /// A cell of `vc`.
    #[inline]
    pub(super) fn count(&mut self, now: Time, vc: Label) {
        self.settle(now, vc);
        let vc = &mut self.vcs[vc as usize];
        vc.since = vc.since.min(now);
        vc.cells += 1;
    }

    /// The rate of `vc` [cells/s], once it has been seen for a window.
    pub(super) fn rate(&mut self, now: Time, vc: Label) -> Option<f64> {
        self.settle(now, vc);
        self.vcs[vc as usize].rate
    }

    #[inline]
    fn settle(&mut self, now: Time, vc: Label) {
        let vc = &mut self.vcs[vc as usize];
        if now < vc.since + self.window {
            return;
        }
        let elapsed = now.since(vc.since);
        // A long window counts as so many short ones.
        let windows = elapsed.seconds() / self.window.seconds();
        let weight = if windows < 2.0 { self.weight } else { 1.0 - (1.0 - self.weight).powf(windows) };
        let newest = f64::from(vc.cells) / elapsed.seconds();
        vc.rate = Some(vc.rate.map_or(newest, |rate| rate + weight * (newest - rate)));
        (vc.since, vc.cells) = (now, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::from_ps(us * 1_000_000)
    }

    #[test]
    fn cells_of_the_last_window() {
        let mut meter = RateMeter::new(2, Duration::from_ms(1), 1.0);
        (0..20).for_each(|k| meter.count(at(k * 50), 0));
        assert_eq!(meter.rate(at(999), 0), None, "the window is not over");
        assert_eq!(meter.rate(at(1000), 0), Some(20_000.0));
        meter.count(at(1500), 0);
        assert_eq!(meter.rate(at(3000), 0), Some(500.0), "a cell in 2 ms");
        assert_eq!(meter.rate(at(4000), 0), Some(0.0));
        assert_eq!(meter.rate(at(4000), 1), None, "no cell, no rate");
        (0..20).for_each(|k| meter.count(at(5000 + k * 50), 1));
        assert_eq!(meter.rate(at(6000), 1), Some(20_000.0), "the first window begins with the first cell");
    }

    #[test]
    fn smoothed_by_windows() {
        let mut meter = RateMeter::new(1, Duration::from_ms(1), 0.25);
        (0..16).for_each(|k| meter.count(at(k * 50), 0));
        assert_eq!(meter.rate(at(1000), 0), Some(16_000.0));
        assert_eq!(meter.rate(at(2000), 0), Some(12_000.0));
        // Three silent windows in one are three.
        let three = meter.rate(at(5000), 0).unwrap();
        assert!((three - 12_000.0 * 0.75f64.powi(3)).abs() < 1e-9, "{three}");
    }
}
