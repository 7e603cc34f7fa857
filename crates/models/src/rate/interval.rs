//! The averaging interval: what arrived for a port between two decisions.

use super::within;
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::Cells;

/// Counts ABR and other cells until the interval has lasted its time or has seen its ABR cells, whichever is first.
pub(super) struct Interval {
    length: Duration,
    cells: u64,
    began: Time,
    abr: u64,
    background: u64,
}

/// What one interval saw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Seen {
    pub(super) seconds: f64,
    pub(super) abr: f64,
    pub(super) background: f64,
}

impl Interval {
    /// # Errors
    /// For an interval that ends before it begins.
    pub(super) fn new(length: Duration, cells: Option<Cells>) -> Result<Interval, SpecError> {
        if length == Duration::ZERO {
            return Err(SpecError::new("interval", "an averaging interval of no length").allowed("more than 0 s"));
        }
        if cells == Some(Cells(0)) {
            return Err(SpecError::new("interval_cells", "an averaging interval of no cells")
                .found("0 cells")
                .allowed("at least 1 cell, or null: by time only"));
        }
        let cells = cells.map_or(u64::MAX, |c| c.0);
        Ok(Interval { length, cells, began: Time::ZERO, abr: 0, background: 0 })
    }

    pub(super) fn ends(&self) -> Time {
        self.began + self.length
    }

    /// An ABR cell arrives; true if the interval ends with it.
    #[inline]
    pub(super) fn abr_cell(&mut self, now: Time) -> bool {
        self.abr += 1;
        // Cells of several inputs at one instant end no interval of no length.
        self.abr >= self.cells && now > self.began
    }

    #[inline]
    pub(super) fn background_cell(&mut self) {
        self.background += 1;
    }

    /// Ends the interval and begins the next.
    pub(super) fn close(&mut self, now: Time) -> Seen {
        let seconds = now.since(self.began).seconds();
        let seen = Seen { seconds, abr: self.abr as f64, background: self.background as f64 };
        (self.began, self.abr, self.background) = (now, 0, 0);
        seen
    }
}

/// Weighted sums of what several intervals saw.
///
/// Ratios are averaged by averaging numerator and denominator, each of them additive, never the ratio itself:
/// Kalyanaraman, *Traffic Management for the ABR Service in ATM Networks*, Ohio State University 1997, section 6.11.
pub(super) struct Average {
    weight: f64,
    sums: Option<Seen>,
}

impl Average {
    /// The newest interval counts with `weight`; 1 forgets all others.
    ///
    /// # Errors
    /// For a weight that is none.
    pub(super) fn new(weight: f64) -> Result<Average, SpecError> {
        within("load_weight", weight, weight > 0.0 && weight <= 1.0, "more than 0, at most 1 (1: no averaging)")?;
        Ok(Average { weight, sums: None })
    }

    /// The averages with one more interval.
    pub(super) fn with(&mut self, seen: Seen) -> Seen {
        let old = self.sums.unwrap_or(seen);
        let mix = |old: f64, new: f64| old + self.weight * (new - old);
        let sums = Seen {
            seconds: mix(old.seconds, seen.seconds),
            abr: mix(old.abr, seen.abr),
            background: mix(old.background, seen.background),
        };
        self.sums = Some(sums);
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::from_ps(us * 1_000_000)
    }

    #[test]
    fn cells_or_time_whichever_is_first() {
        let mut interval = Interval::new(Duration::from_us(10), Some(Cells(3))).unwrap();
        assert_eq!(interval.ends(), at(10));
        assert!(!interval.abr_cell(at(1)) && !interval.abr_cell(at(2)));
        interval.background_cell();
        assert!(interval.abr_cell(at(4)));
        assert_eq!(interval.close(at(4)), Seen { seconds: 4e-6, abr: 3.0, background: 1.0 });
        assert_eq!(interval.ends(), at(14));
        assert!(!interval.abr_cell(at(4)) && !interval.abr_cell(at(4)), "the count began anew");
        assert!(!interval.abr_cell(at(4)), "no interval of no length");
        assert!(interval.abr_cell(at(5)));
    }

    #[test]
    fn a_ratio_is_averaged_by_its_parts() {
        let mut average = Average::new(0.5).unwrap();
        average.with(Seen { seconds: 1.0, abr: 10.0, background: 0.0 });
        let sums = average.with(Seen { seconds: 3.0, abr: 90.0, background: 2.0 });
        assert_eq!(sums, Seen { seconds: 2.0, abr: 50.0, background: 1.0 });
        for weight in [0.0, -1.0, 1.5, f64::NAN] {
            assert!(Average::new(weight).is_err(), "{weight}");
        }
    }
}
