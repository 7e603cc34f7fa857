//! The generic cell rate algorithm: each cell by itself.

use super::leaky_bucket::LeakyBucket;
use super::{Action, Pace, PoliceConfig, PoliceContext, Policer, Ruling};
use crate::cell::Cell;
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::{CellClock, CellRate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The generic cell rate algorithm GCRA(T, tau): cells conform that come at most `tolerance` (tau) before their time, where
/// cells are due every T = 1 / `rate`.
///
/// Exact for any rate. Where nonconforming cells are tagged, cells that come with CLP = 1 pass untested (the contract is
/// that of the CLP = 0 stream); where they are discarded, all cells are tested.
///
/// Source: ITU-T I.371, annex A; ATM Forum TM 4.0, section 4.4.3.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gcra {
    /// Cells per second that the contract allows. Default: the VC's minimum cell rate.
    #[serde(default)]
    pub rate: Option<CellRate>,
    /// How much too early a cell may come: tau, the limit L of the leaky bucket. Default: one cell time of the host's line,
    /// as much as the slots of that line move cells of an even stream.
    #[serde(default)]
    pub tolerance: Option<Duration>,
    /// What becomes of nonconforming cells. Default: tag.
    #[serde(default)]
    pub action: Action,
    /// Which of the two equivalent forms computes it. Default: leaky_bucket.
    #[serde(default)]
    pub form: Form,
}

/// The two forms of the algorithm, which judge alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// The continuous-state leaky bucket.
    #[default]
    LeakyBucket,
    /// The virtual scheduling algorithm.
    VirtualScheduling,
}

impl PoliceConfig for Gcra {
    fn build(&self, context: &PoliceContext) -> Result<Box<dyn Policer>, SpecError> {
        let pace = Pace::new(self.rate, context)?;
        let tolerance = self.tolerance.unwrap_or_else(|| {
            // Rounded up: cells of an even stream come up to one slot early.
            Duration::from_ps(CellClock::of_line(context.line).shortest().ps() + 1)
        });
        let limit = pace.units(tolerance);
        let action = self.action;
        Ok(match self.form {
            Form::LeakyBucket => {
                let mut bucket = LeakyBucket::new(pace, limit);
                Box::new(ByCell { action, conforms: move |now| bucket.conforms(now) })
            }
            Form::VirtualScheduling => {
                let mut schedule = VirtualSchedule { pace, limit, due: 0 };
                Box::new(ByCell { action, conforms: move |now| schedule.conforms(now) })
            }
        })
    }

    fn action(&self) -> Action {
        self.action
    }
}

struct ByCell<C> {
    action: Action,
    conforms: C,
}

impl<C: FnMut(Time) -> bool + Send> Policer for ByCell<C> {
    fn judge(&mut self, now: Time, cell: Cell) -> Ruling {
        if cell.clp() && self.action == Action::Tag {
            Ruling::Spared
        } else if (self.conforms)(now) {
            Ruling::Conforms
        } else {
            self.action.ruling()
        }
    }
}

/// The virtual scheduling algorithm.
struct VirtualSchedule {
    pace: Pace,
    limit: u128,
    /// TAT, the theoretical arrival time, in the units of the pace since the start of the run.
    due: u128,
}

impl VirtualSchedule {
    fn conforms(&mut self, now: Time) -> bool {
        let now = self.pace.units(now.since(Time::ZERO));
        let conforms = self.due <= now + self.limit;
        if conforms {
            self.due = self.due.max(now) + self.pace.period;
        }
        conforms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Kind;
    use cellway_kernel::units::BitRate;
    use proptest::prelude::*;
    use serde_json::json;

    const CONTEXT: PoliceContext = PoliceContext { mcr: None, line: BitRate::from_bps(155_520_000), framed: false };
    const FORMS: [&str; 2] = ["leaky_bucket", "virtual_scheduling"];

    /// Whether each cell conforms; times in units of `ps`.
    fn judge(rate: CellRate, tolerance: u64, form: &str, ps: u64, arrivals: &[u64]) -> Vec<bool> {
        let spec = json!({"rate": rate, "tolerance": tolerance * ps, "form": form});
        let gcra: Gcra = serde_json::from_value(spec).expect("good parameters");
        let mut policer = gcra.build(&CONTEXT).expect("good parameters");
        let cell = Cell::new(Kind::Data, 0, 0);
        let ruling = |&at: &u64| policer.judge(Time::from_ps(at * ps), cell) == Ruling::Conforms;
        arrivals.iter().map(ruling).collect()
    }

    #[test]
    fn a_printed_example() {
        // Perros, Connection-Oriented Networks (2005), section 4.7.1: T = 10, tau = 15.
        for form in FORMS {
            let seen = judge(CellRate::new(100_000_000_000, 1), 15, form, 1, &[0, 12, 18, 20, 25]);
            assert_eq!(seen, [true, true, true, true, false], "{form}");
        }
    }

    #[test]
    fn bursts_at_the_line_rate() {
        // TM 4.0, section 4.4.3 and I.371: at most floor(1 + tau / (T - delta)) back-to-back cells of length delta conform. Its
        // figures have T = 4.5 delta and tau = 0.5, 1.5, 3.5 and 7 delta: 1, 1, 2 and 3 cells.
        for (tau, burst) in [(5, 1), (15, 1), (35, 2), (70, 3)] {
            for form in FORMS {
                // In units of 0.1 delta, of 1 ps each.
                let arrivals: Vec<u64> = (0..10).map(|k| 10 * k).collect();
                let seen = judge(CellRate::new(1_000_000_000_000, 45), tau, form, 1, &arrivals);
                let back_to_back = seen.iter().position(|&conforms| !conforms);
                assert_eq!(back_to_back, Some(burst), "{form}, tau = {tau}: {seen:?}");
            }
        }
    }

    #[test]
    fn an_even_stream_in_slots_conforms_with_half_a_slot() {
        // The first figure of TM 4.0: T = 4.5 slots, tau = 0.5 slots, cells in slots 0, 5, 9, 14, 18, ... conform; in slots 0,
        // 5, 8 the third does not.
        let even: Vec<u64> = (0..200u64).map(|k| (45 * k).div_ceil(10) * 10).collect();
        for form in FORMS {
            let rate = CellRate::new(1_000_000_000_000, 45);
            assert!(judge(rate, 5, form, 1, &even).iter().all(|&c| c), "{form}");
            let early: Vec<u64> = even.iter().map(|&t| if t == 90 { 80 } else { t }).collect();
            assert_eq!(judge(rate, 5, form, 1, &early).iter().position(|&c| !c), Some(2), "{form}");
        }
    }

    #[test]
    fn nothing_drifts() {
        // 353 207 + 7/11 cells/s: cells at floor(k T) ps for a day's worth of k conform with 1 ps of tolerance, and one that is
        // 2 ps early does not.
        let (num, den) = (353_207 * 11 + 7, 11);
        let due = |k: u64| (u128::from(k) * den * 1_000_000_000_000 / num) as u64;
        for k in [0, 1, 2_000, 30_517_000_000] {
            let arrivals: Vec<u64> = (0..4).map(|i| due(k + i)).collect();
            for form in FORMS {
                let rate = CellRate::new(num as u64, den as u64);
                // The first cell sets the pace; it is itself up to 1 ps early.
                assert_eq!(judge(rate, 1, form, 1, &arrivals), [true; 4], "{form}, from {k}");
                let last = [arrivals[0], arrivals[1], arrivals[2], arrivals[3] - 2];
                assert_eq!(judge(rate, 1, form, 1, &last), [true, true, true, false], "{form}, from {k}");
            }
        }
    }

    #[test]
    fn tagged_cells_are_no_part_of_a_contract_that_tags() {
        let gcra = |action| Gcra { rate: Some(CellRate::new(1, 1)), action, ..Gcra::default() };
        let cell = Cell::new(Kind::Data, 0, 0);
        let rulings = |action| {
            let mut policer = gcra(action).build(&CONTEXT).expect("good parameters");
            [cell.tagged(), cell, cell].map(|cell| policer.judge(Time::ZERO, cell))
        };
        assert_eq!(rulings(Action::Tag), [Ruling::Spared, Ruling::Conforms, Ruling::Tag]);
        assert_eq!(rulings(Action::Discard), [Ruling::Conforms, Ruling::Discard, Ruling::Discard]);
    }

    #[test]
    fn without_a_rate_there_is_nothing_to_police() {
        let path = |gcra: Gcra, mcr| gcra.build(&PoliceContext { mcr, ..CONTEXT }).map(drop).map_err(|e| e.path);
        assert_eq!(path(Gcra::default(), None), Err("rate".to_owned()));
        assert_eq!(path(Gcra::default(), Some(CellRate::new(0, 1))), Err("rate".to_owned()));
        assert_eq!(path(Gcra::default(), Some(CellRate::new(5, 1))), Ok(()));
        assert_eq!(
            path(Gcra { rate: Some(CellRate::new(1 << 63, 1)), ..Gcra::default() }, None),
            Err("rate".to_owned())
        );
    }

    proptest! {
        /// The two forms judge every sequence of arrivals alike.
        #[test]
        fn the_two_forms_are_equivalent(
            num in 1u64..1_000_000_000, den in 1u64..2_000, tolerance in prop_oneof![Just(0), 0..100_000_000u64],
            gaps in prop::collection::vec(prop_oneof![Just(0), 0..5_000_000u64, 0..1_000_000_000_000u64], 1..300),
        ) {
            let mut now = 0;
            let arrivals: Vec<u64> = gaps.iter().map(|gap| { now += gap; now }).collect();
            let of = |form| judge(CellRate::new(num, den), tolerance, form, 1, &arrivals);
            prop_assert_eq!(of(FORMS[0]), of(FORMS[1]));
        }

        /// Near the period, where the decisions are.
        #[test]
        fn the_two_forms_are_equivalent_near_the_limit(
            num in 1u64..400_000, tolerance in 0..4u64, gaps in prop::collection::vec(0..5u64, 1..300),
        ) {
            // In quarters of the period, and a few ps around.
            let quarter = 1_000_000_000_000 / num / 4;
            let mut now = 0;
            let arrivals: Vec<u64> =
                gaps.iter().enumerate().map(|(k, gap)| { now += gap * quarter; now + k as u64 % 3 }).collect();
            let mut arrivals = arrivals;
            arrivals.sort_unstable();
            let of = |form| judge(CellRate::new(num, 1), tolerance * quarter, form, 1, &arrivals);
            prop_assert_eq!(of(FORMS[0]), of(FORMS[1]));
        }
    }
}
