//! ERICA: explicit rate indication for congestion avoidance.
//!
//! - `activity`: how many VCs share the capacity, and the fair share; `allocation`: the rate of one VC;
//! - `aging`: the switch-based use-it-or-lose-it policy; `measured`: rates of single VCs.

mod activity;
mod aging;
mod allocation;
mod measured;

pub use aging::Aging;

use super::interval::{Average, Interval};
use super::{AbrCell, Heard, RateAlgorithm, RateConfig, RateContext, RateQuantity, RateView, within};
use crate::abr::rm::Rm;
use crate::cell::Label;
use activity::Activity;
use aging::AgingState;
use allocation::Allocation;
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::{Cells, Fraction};
use measured::RateMeter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// ERICA: at the end of each averaging interval the port divides its target rate by the active VCs (fair share) and
/// measures its overload z; in backward RM cells it grants the larger of the fair share and CCR / z, and below
/// overload what it granted others.
///
/// Until the first interval ends all VCs that are set up count as active, and each is granted the fair share. Without
/// cells in an interval the fair share is granted; without capacity nothing is. A VC whose minimum cell rate
/// exceeds its share keeps it, and the others share the rest: the allocation is max-min with MCR as a floor (TM 4.0,
/// fairness criterion "maximum of MCR or max-min share").
///
/// Sources: Kalyanaraman, Jain, Fahmy, Goyal and Vandalore, *The ERICA switch algorithm for ABR traffic management in
/// ATM networks*, IEEE/ACM Transactions on Networking 8 (2000); options and boundary cases from Kalyanaraman,
/// *Traffic Management for the Available Bit Rate Service in ATM Networks*, Ohio State University 1997, chapter 6
/// and appendix C.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("x-quantities" = QUANTITIES))] // as `quantities` below: Python checks what is recorded
pub struct Erica {
    /// Part U of the line that is aimed at, in (0, 1]; rates of higher priorities are subtracted. Default: 0.9. At 1 a
    /// queue, once formed, does not drain.
    #[serde(default = "ninety")]
    pub target_utilisation: Fraction,
    /// Averaging interval. Default: 1 ms. Shorter than the spacing of a VC's cells, the VC is active in some intervals
    /// only and the fair share is too large in the others; see `activity_decay`.
    #[serde(default = "one_ms")]
    pub interval: Duration,
    /// The interval ends earlier with this many ABR cells. Default: 100 cells. `null`: by time only. Needs to be
    /// several times the number of VCs.
    #[serde(default = "hundred_cells")]
    pub interval_cells: Option<Cells>,
    /// While z is at most 1 + delta all get what one got (MaxAllocPrevious). Default: 0.1. At least 0. The load may
    /// settle anywhere between the target and (1 + delta) times the target.
    #[serde(default = "tenth")]
    pub delta: f64,
    /// z counts as at least this; more than 0. Default: `null`, no bound. Bounds how fast allocations grow: by 1 / z.
    #[serde(default)]
    pub overload_min: Option<f64>,
    /// z counts as at most this; at least 1. Default: `null`, no bound. Bounds how fast allocations shrink, and keeps an
    /// interval without capacity from taking all.
    #[serde(default)]
    pub overload_max: Option<f64>,
    /// Weight of the newest interval in the exponential averages of input and capacity, of which z is the ratio.
    /// In (0, 1]. Default: 1, no averaging.
    #[serde(default = "one")]
    pub load_weight: Fraction,
    /// Factor by which a VC counts less with each interval in which it is silent, in [0, 1). Default: 0: it counts or it
    /// does not. Published for bursty sources and many VCs: 0.9.
    #[serde(default = "zero")]
    pub activity_decay: Fraction,
    /// A VC whose backward RM cells come counts as active too. Default: false.
    #[serde(default)]
    pub bidirectional_counting: bool,
    /// Where the rate of a VC is from. Default: `forward_rm`.
    #[serde(default)]
    pub ccr: CcrSource,
    /// The switch-based use-it-or-lose-it policy. Default: `null`, none.
    #[serde(default)]
    pub aging: Option<Aging>,
}

/// Where ERICA takes the current cell rate of a VC from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CcrSource {
    /// What the source declares in its forward RM cells.
    #[default]
    ForwardRm,
    /// The VC's cells, counted at the port over windows of the averaging interval. Sources that do not use their
    /// rate then get no more by it.
    Measured,
}

pub(super) fn ninety() -> Fraction {
    Fraction(0.9)
}
pub(super) fn one_ms() -> Duration {
    Duration::from_ms(1)
}
#[allow(clippy::unnecessary_wraps)] // the default of an optional field
pub(super) fn hundred_cells() -> Option<Cells> {
    Some(Cells(100))
}
pub(super) fn tenth() -> f64 {
    0.1
}
pub(super) fn one() -> Fraction {
    Fraction(1.0)
}
pub(super) fn zero() -> Fraction {
    Fraction(0.0)
}

impl RateConfig for Erica {
    fn build(&self, port: &RateContext) -> Result<Box<dyn RateAlgorithm>, SpecError> {
        let target = self.target_utilisation.0;
        within("target_utilisation", target, target > 0.0 && target <= 1.0, "more than 0, at most 1")?;
        Ok(Box::new(State::new(self, Utilisation(target), port)?))
    }
}

/// What a recorder can ask of ERICA and ERICA+.
pub(super) const QUANTITIES: &[RateQuantity] = &[
    RateQuantity::FairShare,
    RateQuantity::Overload,
    RateQuantity::Active,
    RateQuantity::Capacity,
    RateQuantity::Input,
    RateQuantity::Background,
    RateQuantity::MaxAlloc,
    RateQuantity::Target,
];

/// How much of the capacity is aimed at: what ERICA and ERICA+ differ in.
pub(super) trait Aim: Send {
    /// The rate that ABR cells should use, and the fraction that it is of what it is a fraction of. `line` and
    /// `background` in cells/s, `queue` the ABR cells that wait.
    fn capacity(&self, line: f64, background: f64, queue: f64) -> (f64, f64);
}

/// ERICA: a fixed part of the line, less what higher priorities use of it.
struct Utilisation(f64);

impl Aim for Utilisation {
    fn capacity(&self, line: f64, background: f64, _queue: f64) -> (f64, f64) {
        ((self.0 * line - background).max(0.0), self.0)
    }
}

/// One port.
pub(super) struct State<A> {
    aim: A,
    line: f64,
    interval: Interval,
    average: Average,
    bounds: (f64, f64),
    bidirectional: bool,
    activity: Activity,
    allocation: Allocation,
    /// Declared rates by VC; unused where they are measured.
    declared: Vec<f64>,
    measured: Option<RateMeter>,
    aging: Option<AgingState>,
    input: f64,
    background: f64,
    target: f64,
}

impl<A: Aim> State<A> {
    pub(super) fn new(spec: &Erica, aim: A, port: &RateContext) -> Result<State<A>, SpecError> {
        let least = spec.overload_min.unwrap_or(0.0);
        let most = spec.overload_max.unwrap_or(f64::INFINITY);
        within("delta", spec.delta, spec.delta >= 0.0 && spec.delta.is_finite(), "at least 0")?;
        within("overload_min", least, spec.overload_min.is_none() || (least > 0.0 && least <= 1.0), "in (0, 1]")?;
        within("overload_max", most, most >= 1.0, "at least 1")?;
        let decay = spec.activity_decay.0;
        within("activity_decay", decay, (0.0..1.0).contains(&decay), "at least 0, less than 1")?;
        let vcs = port.mcr.len();
        let (capacity, target) = aim.capacity(port.line, 0.0, 0.0);
        let aging = spec.aging.as_ref().map(|aging| aging.build(vcs, spec.interval).map_err(|e| e.under("aging")));
        Ok(State {
            interval: Interval::new(spec.interval, spec.interval_cells)?,
            average: Average::new(spec.load_weight.0)?,
            bounds: (least, most),
            bidirectional: spec.bidirectional_counting,
            activity: Activity::new(&port.mcr, decay),
            allocation: Allocation::new(&port.mcr, spec.delta, capacity, port.setup),
            declared: vec![0.0; vcs],
            measured: (spec.ccr == CcrSource::Measured).then(|| RateMeter::new(vcs, spec.interval, 1.0)),
            aging: aging.transpose()?,
            line: port.line,
            aim,
            input: 0.0,
            background: 0.0,
            target,
        })
    }

    fn close(&mut self, now: Time, view: &RateView) {
        let seen = self.average.with(self.interval.close(now));
        self.input = seen.abr / seen.seconds;
        self.background = seen.background / seen.seconds;
        let (capacity, target) = self.aim.capacity(self.line, self.background, view.queue as f64);
        self.target = target;
        let overload = match (capacity > 0.0, self.input > 0.0) {
            (true, false) => 0.0,
            (true, true) => (self.input / capacity).clamp(self.bounds.0, self.bounds.1),
            (false, _) => self.bounds.1,
        };
        let share = self.activity.close(capacity);
        self.allocation.begin(capacity, overload, share);
    }
}

impl<A: Aim> RateAlgorithm for State<A> {
    fn cell(&mut self, now: Time, vc: Label, kind: AbrCell, view: &RateView) -> Heard {
        // Cells that only answer the opposite direction load the line, but ask for no share of it.
        if kind != AbrCell::Backward {
            self.activity.seen(vc);
        }
        if let Some(meter) = &mut self.measured {
            meter.count(now, vc);
        }
        if let Some(aging) = &mut self.aging {
            aging.count(now, vc);
        }
        let changed = self.interval.abr_cell(now);
        if changed {
            self.close(now, view);
        }
        Heard { congested: false, changed }
    }

    fn background(&mut self, _now: Time) {
        self.interval.background_cell();
    }

    fn forward_rm(&mut self, _now: Time, vc: Label, rm: &mut Rm, _view: &RateView) {
        self.declared[vc as usize] = rm.ccr;
    }

    fn backward_rm(&mut self, now: Time, vc: Label, rm: &mut Rm, _view: &RateView) {
        if self.bidirectional {
            self.activity.seen(vc);
        }
        let declared = self.declared[vc as usize];
        let ccr = self.measured.as_mut().map_or(declared, |meter| meter.rate(now, vc).unwrap_or(declared));
        let (rate, new) = self.allocation.of(vc, ccr, declared);
        let rate = match &mut self.aging {
            None => rate,
            Some(aging) => aging.aged(now, vc, declared, rate, new),
        };
        rm.er = rm.er.min(rate);
    }

    fn next_timer(&self) -> Time {
        self.interval.ends()
    }

    fn timer(&mut self, now: Time, view: &RateView) {
        self.close(now, view);
    }

    fn quantities(&self) -> &'static [RateQuantity] {
        QUANTITIES
    }

    fn quantity(&self, which: RateQuantity) -> f64 {
        match which {
            RateQuantity::FairShare => self.allocation.fair_share(),
            RateQuantity::Overload => self.allocation.overload(),
            RateQuantity::Active => self.activity.number(),
            RateQuantity::Capacity => self.allocation.capacity(),
            RateQuantity::Input => self.input,
            RateQuantity::Background => self.background,
            RateQuantity::MaxAlloc => self.allocation.largest(),
            RateQuantity::Target | RateQuantity::Congested => self.target,
        }
    }
}

#[cfg(test)]
mod tests;
