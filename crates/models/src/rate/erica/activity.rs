//! How many VCs are active, and the fair share of each.

use crate::cell::Label;

/// Counts active VCs, with O(1) work for a cell and for the end of an interval.
///
/// A VC counts 1 in an interval in which it has a cell, and decay^k after k silent intervals (thesis, appendix C). The
/// sum over silent VCs is kept as one number that decays; a VC that speaks again is taken out of it first.
pub(super) struct Activity {
    decay: f64,
    /// Number of the present interval.
    epoch: u64,
    /// By VC, the interval in which it was last seen; 0 for never. By itself, since every cell asks it.
    seen: Vec<u64>,
    vcs: Vec<Vc>,
    present: Sums,
    silent: Sums,
    share: f64,
    number: f64,
}

#[derive(Clone, Copy)]
struct Vc {
    mcr: f64,
    /// It counted as one that keeps its MCR.
    floored: bool,
}

/// Over some VCs, each with its weight.
#[derive(Clone, Copy, Default)]
struct Sums {
    all: f64,
    /// VCs that keep their MCR since it exceeds the fair share.
    floored: f64,
    /// Their MCRs [cells/s].
    reserved: f64,
}

impl Sums {
    #[inline]
    fn add(&mut self, weight: f64, vc: &Vc) {
        self.all += weight;
        if vc.floored {
            self.floored += weight;
            self.reserved += weight * vc.mcr;
        }
    }

    fn plus(self, other: Sums, weight: f64) -> Sums {
        let sum = |a: f64, b: f64| (a + b).max(0.0) * weight;
        Sums {
            all: sum(self.all, other.all),
            floored: sum(self.floored, other.floored),
            reserved: sum(self.reserved, other.reserved),
        }
    }
}

impl Activity {
    pub(super) fn new(mcr: &[f64], decay: f64) -> Activity {
        let (seen, vcs) = mcr.iter().map(|&mcr| (0, Vc { mcr, floored: false })).unzip();
        let (present, silent) = (Sums::default(), Sums::default());
        Activity { decay, epoch: 1, seen, vcs, present, silent, share: f64::INFINITY, number: 0.0 }
    }

    /// A cell of `vc` was seen.
    #[inline]
    pub(super) fn seen(&mut self, vc: Label) {
        let seen = &mut self.seen[vc as usize];
        if *seen == self.epoch {
            return;
        }
        let vc = &mut self.vcs[vc as usize];
        if self.decay > 0.0 && *seen > 0 {
            let silent_for = i32::try_from(self.epoch - *seen).unwrap_or(i32::MAX);
            self.silent.add(-self.decay.powi(silent_for), vc);
        }
        *seen = self.epoch;
        vc.floored = vc.mcr > self.share;
        self.present.add(1.0, vc);
    }

    /// Ends the interval; the fair share of `capacity`.
    ///
    /// The share F solves sum of max(MCR, F) = capacity over the active VCs by Newton's method, one step an interval: a
    /// VC keeps its MCR if that exceeded the last F. The sum is convex in F, and capacity / N is never below the
    /// solution, so after the first step F falls to it and does not pass it. With MCR = 0 it is capacity / N at once.
    pub(super) fn close(&mut self, capacity: f64) -> f64 {
        let sums = self.present.plus(self.silent, 1.0);
        // What rounding leaves of a sum is no VC.
        let others = sums.all - sums.floored;
        let equal = capacity / sums.all.max(1.0);
        let rest = (capacity - sums.reserved).max(0.0);
        self.share = match others < 1e-9 {
            false => equal.min(rest / others),
            true if rest > 0.0 => equal,
            true => 0.0,
        };
        self.number = sums.all;
        self.silent = sums.plus(Sums::default(), self.decay);
        self.present = Sums::default();
        self.epoch += 1;
        self.share
    }

    /// Active VCs as of the last interval.
    pub(super) fn number(&self) -> f64 {
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares of 1000 cells/s after intervals in which these VCs spoke, and the counts.
    fn shares(mcr: &[f64], decay: f64, intervals: &[&[Label]]) -> (Vec<f64>, Vec<f64>) {
        let mut activity = Activity::new(mcr, decay);
        let interval = |&vcs: &&[Label]| {
            vcs.iter().for_each(|&vc| activity.seen(vc));
            (activity.close(1000.0), activity.number())
        };
        intervals.iter().map(interval).unzip()
    }

    #[test]
    fn a_vc_counts_once_in_an_interval_and_nobody_is_one() {
        let (shares, numbers) = shares(&[0.0; 4], 0.0, &[&[], &[0, 0, 0], &[0, 1, 2, 3, 1], &[2, 3], &[]]);
        assert_eq!(shares, [1000.0, 1000.0, 250.0, 500.0, 1000.0]);
        assert_eq!(numbers, [0.0, 1.0, 4.0, 2.0, 0.0]);
    }

    #[test]
    fn silent_vcs_fade() {
        let (shares, numbers) = shares(&[0.0; 2], 0.5, &[&[0, 1], &[0], &[0], &[0, 1], &[], &[1]]);
        assert_eq!(numbers, [2.0, 1.5, 1.25, 2.0, 1.0, 1.25]);
        assert_eq!(shares, [500.0, 1000.0 / 1.5, 800.0, 500.0, 1000.0, 800.0]);
    }

    #[test]
    fn fading_leaves_no_rounding_behind() {
        let mut activity = Activity::new(&[0.0; 3], 0.9);
        for k in 0..10_000u32 {
            activity.seen(k % 3);
            if k % 7 == 0 {
                activity.seen((k + 1) % 3);
            }
            activity.close(1000.0);
        }
        // Each counts its own power of 0.9, computed afresh.
        activity.seen(0);
        let expected: f64 = activity.seen.iter().map(|seen| 0.9f64.powi((activity.epoch - seen) as i32)).sum();
        activity.close(1000.0);
        assert!((activity.number() - expected).abs() < 1e-12, "{} for {expected}", activity.number());
    }

    #[test]
    fn the_share_is_max_min_over_the_floors() {
        // max(MCR, F): 500 and 250 stay, the other two get (1000 - 750) / 2; found within a few intervals.
        let all: &[Label] = &[0, 1, 2, 3];
        let (found, _) = shares(&[500.0, 250.0, 0.0, 100.0], 0.0, &[all; 4]);
        assert_eq!(found[0], 250.0, "without knowing better, an equal share");
        assert!(found.windows(2).all(|w| w[1] <= w[0]), "{found:?}");
        assert_eq!(found[3], 125.0);
    }

    #[test]
    fn contracts_beyond_the_capacity_leave_nothing_to_share() {
        let (found, _) = shares(&[700.0, 600.0, 0.0], 0.0, &[&[0u32, 1, 2][..]; 4]);
        assert_eq!(found[3], 0.0);
    }

    #[test]
    fn when_others_leave_those_with_floors_share_equally_again() {
        // F = 340 with three, 320 of whose 350s do not fit; alone, the two share 1000 by 500 each, not 300 by nobody.
        let (found, _) = shares(&[400.0, 300.0, 0.0], 0.0, &[&[0, 1, 2], &[0, 1, 2], &[0, 1], &[0, 1]]);
        assert_eq!(found, [1000.0 / 3.0, 300.0, 500.0, 500.0]);
    }

    #[test]
    fn random_floors_converge_to_water_filling() {
        use cellway_kernel::rng::stream;
        use rand::RngExt;
        for number in 0..200 {
            let mut random = stream(number, "floors");
            let mcr: Vec<f64> = (0..random.random_range(1..30)).map(|_| random.random_range(0.0..60.0)).collect();
            let all: Vec<Label> = (0..mcr.len() as Label).collect();
            let (found, _) = shares(&mcr, 0.0, &[&all[..]; 40]);
            let used = |share: f64| mcr.iter().map(|m| m.max(share)).sum::<f64>();
            let last = found[39];
            if mcr.iter().sum::<f64>() < 1000.0 {
                assert!((used(last) - 1000.0).abs() < 1e-6, "network {number}: {} of 1000 at {last}", used(last));
            } else {
                assert_eq!(last, 0.0, "network {number}");
            }
        }
    }
}
