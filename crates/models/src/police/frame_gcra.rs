//! Frame-based policing for guaranteed frame rate: a frame's first cell decides on the whole frame.

use super::leaky_bucket::LeakyBucket;
use super::{Action, Pace, PoliceConfig, PoliceContext, Policer, Ruling};
use crate::cell::{Cell, Kind};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, PS_PER_SECOND, Time};
use cellway_kernel::units::{CellRate, Cells};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Frame-based generic cell rate algorithm: where a frame's first cell finds more than L = CDVT + BT/2 in a leaky bucket
/// with I = 1/MCR, the frame's cells are tagged or discarded; otherwise all its cells conform and count in the bucket.
///
/// BT = (MBS - 1) (1/MCR - 1/PCR) is the burst tolerance. The last cell of a frame that has other cells is spared: it passes
/// as it is, and does not count (`spare_last`). Cells of traffic without frames each stand for themselves; resource
/// management cells pass untested.
///
/// Source: Goyal et al., Design issues for providing minimum rate guarantees to the ATM unspecified bit rate service, 1998,
/// section 3.1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrameGcra {
    /// MCR of the contract. Default: the VC's minimum cell rate.
    #[serde(default)]
    pub rate: Option<CellRate>,
    /// PCR of the contract; at least MCR. Default: the rate of the host's line.
    #[serde(default)]
    pub pcr: Option<CellRate>,
    /// Maximum burst size: twice the largest frame in cells.
    pub mbs: Cells,
    /// Cell delay variation tolerance of MCR. Default: 0 s.
    #[serde(default)]
    pub cdvt: Duration,
    /// What becomes of the cells of nonconforming frames. Default: tag.
    #[serde(default)]
    pub action: Action,
    /// Spares the last cell of a nonconforming frame, which marks where the next one begins. Default: true.
    #[serde(default = "yes")]
    pub spare_last: bool,
}

fn yes() -> bool {
    true
}

impl FrameGcra {
    /// L in the units of the pace, rounded down; levels are whole numbers of them.
    fn limit(&self, pace: Pace, context: &PoliceContext) -> Result<u128, SpecError> {
        let (peak, peak_den) = self.pcr.unwrap_or(context.line.cells()).into();
        let peak_period = u128::from(peak_den) * u128::from(PS_PER_SECOND);
        // 1/MCR - 1/PCR in units of 1 / (num x peak) ps.
        let difference = || {
            let slow = pace.period.checked_mul(u128::from(peak))?;
            let fast = peak_period.checked_mul(u128::from(pace.units_per_ps))?;
            Some(slow.checked_sub(fast))
        };
        let Some(difference) = difference().filter(|_| peak > 0 && peak_den > 0) else {
            return Err(SpecError::new("pcr", "a rate with more digits than can be policed exactly, or none")
                .found(format_args!("{peak}/{peak_den} cells/s"))
                .allowed("for example cells/s as whole numbers"));
        };
        let Some(difference) = difference else {
            return Err(SpecError::new("pcr", "the peak cell rate is below the minimum cell rate")
                .found(format_args!("{} cells/s", peak as f64 / peak_den as f64))
                .allowed("at least the policed rate"));
        };
        let Some(burst) = self.mbs.0.checked_sub(1) else {
            return Err(SpecError::new("mbs", "a burst without cells").found("0 cells").allowed("at least 1 cell"));
        };
        let Some(tolerance) = difference.checked_mul(u128::from(burst)) else {
            return Err(SpecError::new("mbs", "a burst too long to police exactly").found(self.mbs.0));
        };
        Ok(pace.units(self.cdvt).saturating_add(tolerance / 2 / u128::from(peak)))
    }
}

impl PoliceConfig for FrameGcra {
    fn build(&self, context: &PoliceContext) -> Result<Box<dyn Policer>, SpecError> {
        let pace = Pace::new(self.rate, context)?;
        let bucket = LeakyBucket::new(pace, self.limit(pace, context)?);
        let (action, spare_last, framed) = (self.action, self.spare_last, context.framed);
        Ok(Box::new(ByFrame { bucket, action, spare_last, framed, frame: Frame::Between }))
    }

    fn action(&self) -> Action {
        self.action
    }
}

struct ByFrame {
    bucket: LeakyBucket,
    action: Action,
    spare_last: bool,
    framed: bool,
    frame: Frame,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Frame {
    /// The next cell begins a frame.
    Between,
    /// TAGGING is off.
    Conforming,
    /// TAGGING is on.
    Nonconforming,
}

impl Policer for ByFrame {
    fn judge(&mut self, now: Time, cell: Cell) -> Ruling {
        if cell.kind() == Kind::Rm {
            return Ruling::Spared;
        }
        let last = cell.aau() || !self.framed;
        let first = self.frame == Frame::Between;
        if first {
            let conforms = self.bucket.has_room(now);
            self.frame = if conforms { Frame::Conforming } else { Frame::Nonconforming };
        }
        let ruling = match self.frame {
            Frame::Nonconforming if last && !first && self.spare_last => Ruling::Spared,
            Frame::Nonconforming => self.action.ruling(),
            _ => {
                self.bucket.pour(now);
                Ruling::Conforms
            }
        };
        if last {
            self.frame = Frame::Between;
        }
        ruling
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cellway_kernel::units::BitRate;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// 424 Mbit/s: 10^6 cells/s.
    const CONTEXT: PoliceContext = PoliceContext { mcr: None, line: BitRate::from_bps(424_000_000), framed: true };
    const US: u64 = 1_000_000;

    fn policer(spec: Value) -> Box<dyn Policer> {
        let spec: FrameGcra = serde_json::from_value(spec).expect("good parameters");
        spec.build(&CONTEXT).expect("good parameters")
    }

    /// Rulings on frames of so many back-to-back cells, one cell per us, that begin at these times in us.
    fn judge(policer: &mut dyn Policer, frames: &[(u64, u64)]) -> Vec<Vec<Ruling>> {
        let cell = Cell::new(Kind::Data, 0, 0);
        let mut of = |start: u64, k: u64, cells: u64| {
            let cell = if k + 1 == cells { cell.ending_frame() } else { cell };
            policer.judge(Time::from_ps((start + k) * US), cell)
        };
        frames.iter().map(|&(start, cells)| (0..cells).map(|k| of(start, k, cells)).collect()).collect()
    }

    const C: Ruling = Ruling::Conforms;
    const T: Ruling = Ruling::Tag;

    #[test]
    fn the_printed_algorithm_step_by_step() {
        // I = 10 us; BT = 9 (10 us - 1 us) = 81 us, so L = 40.5 us.
        let mut policer = policer(json!({"rate": [100_000, 1], "mbs": 10}));
        // Frames of 5 cells back to back: each cell adds 10 us and drains 1 us.
        let seen = judge(&mut *policer, &[(0, 5), (5, 5), (10, 5), (14, 5), (19, 5), (200, 5)]);
        assert_eq!(seen[0], [C; 5], "X = 0 at the first cell; then 10 + 4 x 9 = 46 at 4 us");
        assert_eq!(seen[1], [T, T, T, T, Ruling::Spared], "X' = 45 > 40.5");
        assert_eq!(seen[2], [C; 5], "X' = 40, since tagged cells do not count");
        assert_eq!(seen[3], [T, T, T, T, Ruling::Spared]);
        assert_eq!(seen[4], [T, T, T, T, Ruling::Spared]);
        assert_eq!(seen[5], [C; 5], "empty again");
    }

    #[test]
    fn the_limit_itself_conforms() {
        // L = CDVT + BT/2 = 3 + 4 = 7 us with I = 10 us, PCR = 500 000 cells/s, MBS = 2.
        let spec = json!({"rate": [100_000, 1], "pcr": [500_000, 1], "mbs": 2, "cdvt": 3 * US});
        assert_eq!(judge(&mut *policer(spec.clone()), &[(0, 1), (3, 1)]), [[C], [C]], "X' = 7");
        assert_eq!(judge(&mut *policer(spec), &[(0, 1), (2, 1)]), [[C], [T]], "X' = 8");
    }

    #[test]
    fn discard_and_no_exception() {
        let spec = json!({"rate": [100_000, 1], "mbs": 1, "action": "discard"});
        let discard = Ruling::Discard;
        assert_eq!(judge(&mut *policer(spec), &[(0, 2), (2, 3)])[1], [discard, discard, Ruling::Spared]);
        let spec = json!({"rate": [100_000, 1], "mbs": 1, "action": "discard", "spare_last": false});
        assert_eq!(judge(&mut *policer(spec), &[(0, 2), (2, 3)])[1], [discard; 3]);
    }

    #[test]
    fn a_frame_of_one_cell_is_not_spared() {
        let spec = json!({"rate": [100_000, 1], "mbs": 1});
        assert_eq!(judge(&mut *policer(spec), &[(0, 1), (1, 1), (10, 1)]), [[C], [T], [C]]);
    }

    #[test]
    fn impossible_contracts_are_refused() {
        for (spec, path) in [
            (json!({"mbs": 10}), "rate"),
            (json!({"rate": [0, 1], "mbs": 10}), "rate"),
            (json!({"rate": [100, 1], "mbs": 0}), "mbs"),
            (json!({"rate": [100, 1], "pcr": [99, 1], "mbs": 10}), "pcr"),
            (json!({"rate": [100, 1], "pcr": [1, 0], "mbs": 10}), "pcr"),
            (json!({"rate": [100, 1], "mbs": u64::MAX}), "mbs"),
        ] {
            let frame: FrameGcra = serde_json::from_value(spec.clone()).expect("of the right form");
            assert_eq!(frame.build(&CONTEXT).map(drop).map_err(|e| e.path), Err(path.to_owned()), "{spec}");
        }
        assert!(serde_json::from_value::<FrameGcra>(json!({"rate": [100, 1]})).is_err(), "MBS has no default");
    }

    proptest! {
        /// Without frames, and with no burst, it is the GCRA of each cell.
        #[test]
        fn single_cells_as_the_gcra(gaps in prop::collection::vec(0..20 * US, 1..200), tolerance in 0..30 * US) {
            let frame = FrameGcra {
                rate: Some(CellRate::new(100_000, 1)), pcr: None, mbs: Cells(1), cdvt: Duration::from_ps(tolerance),
                action: Action::Tag, spare_last: true,
            };
            let mut by_frame = frame.build(&PoliceContext { framed: false, ..CONTEXT }).expect("good parameters");
            let mut bucket = LeakyBucket::new(Pace::new(frame.rate, &CONTEXT).unwrap(), 100_000 * u128::from(tolerance));
            let mut now = 0;
            for gap in gaps {
                now += gap;
                let at = Time::from_ps(now);
                let ruling = by_frame.judge(at, Cell::new(Kind::Data, 0, 0));
                prop_assert_eq!(ruling == Ruling::Conforms, bucket.conforms(at));
            }
        }

        /// In the long run no more conforms than MCR allows, but for the tolerance and one frame.
        #[test]
        fn conforming_cells_keep_to_the_rate(frames in prop::collection::vec((0..400u64, 1..30u64), 1..200)) {
            let mut start = 0;
            let frames: Vec<(u64, u64)> = frames.into_iter().map(|(gap, cells)| {
                let frame = (start + gap, cells);
                start += gap + cells;
                frame
            }).collect();
            let mut policer = policer(json!({"rate": [100_000, 1], "mbs": 60}));
            let conforming = judge(&mut *policer, &frames).iter().flatten().filter(|&&r| r == C).count() as u64;
            // L = 265.5 us holds 26 cells besides the first of a frame that may then be 29 cells long.
            prop_assert!(conforming <= start / 10 + 26 + 1 + 29, "{conforming} in {start} us");
        }
    }
}
