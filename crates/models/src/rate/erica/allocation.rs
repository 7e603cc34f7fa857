//! What one VC is granted.

use crate::cell::Label;

/// By so much the 16-bit code of RM cells may round a rate down (TM 4.0, section 5.10.3.1): a VC that declares so much
/// less than its fair share is at it.
const CODE_STEP: f64 = 1.0 / 512.0;

/// The allocations of one interval, and the largest of the one before.
pub(super) struct Allocation {
    delta: f64,
    capacity: f64,
    overload: f64,
    fair_share: f64,
    /// MaxAllocPrevious and MaxAllocCurrent of the literature.
    largest_before: f64,
    largest: f64,
    /// Number of the present interval.
    epoch: u64,
    vcs: Vec<Vc>,
}

#[derive(Clone, Copy)]
struct Vc {
    mcr: f64,
    /// The interval in which `rate` was granted: all backward RM cells of an interval carry the same.
    granted: u64,
    rate: f64,
}

impl Allocation {
    /// Before the first interval all VCs that are `setup` count as active, each at full rate, so that each gets an equal
    /// share and no more (thesis, appendix C, initialization).
    pub(super) fn new(mcr: &[f64], delta: f64, capacity: f64, setup: usize) -> Allocation {
        let vcs = mcr.iter().map(|&mcr| Vc { mcr, granted: 0, rate: 0.0 }).collect();
        let overload = setup.max(1) as f64;
        let fair_share = capacity / overload;
        Allocation { delta, capacity, overload, fair_share, largest_before: 0.0, largest: fair_share, epoch: 1, vcs }
    }

    /// A new interval, after one that measured this.
    pub(super) fn begin(&mut self, capacity: f64, overload: f64, fair_share: f64) {
        (self.capacity, self.overload, self.fair_share) = (capacity, overload, fair_share);
        self.largest_before = self.largest;
        self.largest = fair_share;
        self.epoch += 1;
    }

    /// The rate of a VC that sends at `ccr` and may send at `allowed` [cells/s]; true if it is newly granted in this
    /// interval.
    pub(super) fn of(&mut self, vc: Label, ccr: f64, allowed: f64) -> (f64, bool) {
        let vc = &mut self.vcs[vc as usize];
        if vc.granted == self.epoch {
            return (vc.rate, false);
        }
        // A rate that is the contract's and not granted by anybody is no claim; what is measured may exceed it a little.
        let own = if allowed > vc.mcr { ccr / self.overload } else { 0.0 };
        let mut rate = if self.overload == 0.0 {
            self.fair_share // thesis, table 6.1
        } else if self.overload > 1.0 + self.delta {
            own.max(self.fair_share)
        } else {
            own.max(self.fair_share).max(self.largest_before)
        };
        rate = rate.min(self.capacity);
        // Nor is what a VC keeps by contract a measure for others.
        if rate > vc.mcr {
            self.largest = self.largest.max(rate);
        }
        // From below the fair share to the fair share first: the others still have to give way. Of the rate it may send
        // at: a measured one falls short of that by a cell or so, and the VC would never get past the fair share.
        if rate > self.fair_share && allowed < self.fair_share * (1.0 - CODE_STEP) {
            rate = self.fair_share;
        }
        vc.rate = rate.max(vc.mcr);
        vc.granted = self.epoch;
        (vc.rate, true)
    }

    pub(super) fn capacity(&self) -> f64 {
        self.capacity
    }

    pub(super) fn overload(&self) -> f64 {
        self.overload
    }

    pub(super) fn fair_share(&self) -> f64 {
        self.fair_share
    }

    pub(super) fn largest(&self) -> f64 {
        self.largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After an interval with this overload of 1000 cells/s and four active VCs.
    fn after(overload: f64) -> Allocation {
        let mut allocation = Allocation::new(&[0.0; 4], 0.1, 1000.0, 4);
        allocation.begin(1000.0, 1.0, 250.0);
        allocation.begin(1000.0, overload, 250.0);
        allocation
    }

    #[test]
    fn in_overload_the_larger_of_fair_share_and_vc_share() {
        let mut a = after(1.25);
        assert_eq!(a.of(0, 500.0, 500.0).0, 400.0);
        assert_eq!(a.of(1, 300.0, 300.0).0, 250.0);
        assert_eq!(a.of(2, 0.0, 0.0).0, 250.0);
        assert_eq!(a.largest(), 400.0);
    }

    #[test]
    fn below_overload_all_get_what_one_got_before() {
        let mut a = after(1.25);
        a.of(0, 500.0, 500.0);
        a.begin(1000.0, 1.1, 250.0);
        assert_eq!(a.of(1, 260.0, 260.0).0, 400.0, "MaxAllocPrevious");
        a.begin(1000.0, 0.5, 250.0);
        assert_eq!(a.of(2, 260.0, 260.0).0, 520.0, "the VC share is more");
        a.begin(1000.0, 1.101, 250.0);
        assert_eq!(a.of(1, 260.0, 260.0).0, 250.0, "in overload what others got does not count");
    }

    #[test]
    fn the_largest_allocation_is_forgotten_after_one_interval() {
        let mut a = after(0.5);
        a.of(0, 300.0, 300.0);
        assert_eq!(a.largest(), 600.0);
        a.begin(1000.0, 1.0, 250.0);
        assert_eq!(a.largest(), 250.0);
        a.begin(1000.0, 1.0, 250.0);
        assert_eq!(a.of(1, 250.0, 250.0).0, 250.0);
    }

    #[test]
    fn no_jump_past_the_fair_share() {
        let mut a = after(0.5);
        assert_eq!(a.of(0, 249.0, 249.0).0, 250.0, "249 / 0.5 = 498 from below the share");
        assert_eq!(a.of(1, 250.0, 250.0).0, 500.0);
        assert_eq!(a.of(2, 249.0, 250.0).0, 498.0, "it may send at the share, and was seen a cell short of it");
        assert_eq!(a.of(3, 249.5, 249.6).0, 499.0, "measured, and declared in 16 bits");
        assert_eq!(a.largest(), 500.0);
    }

    #[test]
    fn a_fair_share_that_the_code_of_rm_cells_rounded_is_a_fair_share() {
        let mut a = after(0.5);
        let rounded = |part: f64| 250.0 * part / 512.0;
        assert_eq!(a.of(0, rounded(511.5), rounded(511.5)).0, 2.0 * rounded(511.5));
        assert_eq!(a.of(1, rounded(510.0), rounded(510.0)).0, 250.0);
    }

    #[test]
    fn never_more_than_the_capacity() {
        let mut a = after(0.1);
        assert_eq!(a.of(0, 900.0, 900.0).0, 1000.0);
        assert_eq!(a.largest(), 1000.0);
    }

    #[test]
    fn one_answer_in_an_interval() {
        let mut a = after(1.25);
        assert_eq!(a.of(0, 500.0, 500.0), (400.0, true));
        assert_eq!(a.of(0, 1000.0, 1000.0), (400.0, false));
        a.begin(1000.0, 1.25, 250.0);
        assert_eq!(a.of(0, 1000.0, 1000.0), (800.0, true));
    }

    #[test]
    fn boundary_cases() {
        // Thesis, table 6.1: no input grants C / N, no capacity grants nothing.
        let mut a = after(0.0);
        assert_eq!(a.of(0, 700.0, 700.0).0, 250.0);
        let mut a = after(1.0);
        a.begin(0.0, f64::INFINITY, 0.0);
        assert_eq!(a.of(0, 700.0, 700.0).0, 0.0);
    }

    #[test]
    fn a_minimum_cell_rate_is_kept_and_is_no_measure_for_others() {
        let mut a = Allocation::new(&[400.0, 0.0], 0.1, 1000.0, 2);
        a.begin(1000.0, 1.0, 200.0);
        a.begin(1000.0, 0.9, 200.0);
        assert_eq!(a.of(0, 401.0, 400.0).0, 400.0, "not 401 / 0.9");
        assert_eq!(a.largest(), 200.0);
        a.begin(1000.0, 2.0, 200.0);
        assert_eq!(a.of(0, 600.0, 600.0).0, 400.0, "300 by its share");
        assert_eq!(a.largest(), 200.0);
        a.begin(1000.0, 1.2, 200.0);
        assert_eq!(a.of(0, 600.0, 600.0).0, 500.0, "above its floor it is a VC like others");
        assert_eq!(a.largest(), 500.0);
    }
}
