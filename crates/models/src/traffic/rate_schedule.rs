//! Rate schedule: equally spaced cells at a rate that changes at given times.

use super::cbr::positive_rate;
use super::{Application, Offer, Silence, Traffic, TrafficConfig, TrafficContext, stop_after_start};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, PS_PER_SECOND, Time};
use cellway_kernel::units::{CellClock, CellRate, Cells};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sends at a piecewise constant rate, or as fast as it may: for example a source that is its own bottleneck for a while.
///
/// Each change restarts the exact clock: within a piece cell k comes floor(k / rate) after the piece's first cell.
/// A cell of which a part is due at a change is finished at the new rate, so the cells sent by any time differ from
/// the integral of the rate by less than one, and cells are never closer than the higher rate allows.
///
/// Source: UILI paper, section 7.1, sources that are limited to a rate for some of the time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateSchedule {
    /// The changes in order of time, at least one; before the first the source is silent.
    pub rates: Vec<RateChange>,
    /// Time from the beginning of the first piece that is not silent to its first cell, if it lasts so long.
    /// Default: random within one period of its rate, so that sources do not march in step.
    #[serde(default)]
    pub phase: Option<Duration>,
    /// When it ends. Default: never; the last rate is kept.
    #[serde(default)]
    pub stop: Option<Duration>,
    /// Cells that may wait in the host; with so many there no further cell comes, at least 1. Default: no limit. With
    /// few, a source that may not send for a while has nothing to make up for: limited in rate, not in what it offers.
    #[serde(default)]
    pub most_waiting: Option<Cells>,
}

/// A change of the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateChange {
    /// When, since the start of the run.
    pub at: Duration,
    /// The rate from then on [cells/s], 0 for silence; more than the host's line can carry builds a queue in the host.
    /// `null` is no limit: as a greedy source, as fast as flow control and the line allow.
    #[serde(default)]
    pub rate: Option<CellRate>,
}

impl TrafficConfig for RateSchedule {
    fn build(&self, context: &TrafficContext<'_>) -> Result<Application, SpecError> {
        let Some(first) = self.rates.first() else {
            return Err(SpecError::new("rates", "a schedule without rates")
                .found("an empty list")
                .allowed("at least one"));
        };
        let mut pieces = Vec::with_capacity(self.rates.len());
        for (i, change) in self.rates.iter().enumerate() {
            if i > 0 && change.at <= self.rates[i - 1].at {
                return Err(SpecError::new(format!("rates[{i}].at"), "the changes are not in order of time")
                    .found(format_args!("{} s", change.at.seconds()))
                    .allowed(format_args!(
                        "more than {} s, the time of the change before",
                        self.rates[i - 1].at.seconds()
                    )));
            }
            let speed = match change.rate {
                None => Speed::Unlimited,
                Some(rate) if matches!(rate.into(), (0, 1..)) => Speed::Silent,
                Some(rate) => Speed::Paced(positive_rate(&format!("rates[{i}].rate"), rate)?),
            };
            pieces.push(Piece { begin: Time::ZERO.saturating_add(change.at), speed });
        }
        let stop = stop_after_start(first.at, self.stop)?;
        let speed = pieces.iter().map(|piece| piece.speed).find(|speed| !matches!(speed, Speed::Silent));
        let clock = match speed {
            None => return Ok(Application::one_way(Silence)),
            Some(Speed::Paced(clock)) => clock,
            Some(_) => context.line_clock(),
        };
        let due = match self.phase {
            Some(phase) => phase.ps() as f64 / period_ps(clock),
            None => context.stream(".phase").random(),
        };
        let pieces = pieces.into_boxed_slice();
        let (next, check) = (Time::NEVER, Time::NEVER);
        let most_waiting = match self.most_waiting {
            Some(Cells(0)) => {
                return Err(SpecError::new("most_waiting", "no cell could ever be offered")
                    .found("0 cells")
                    .allowed("1 cell or more, or null"));
            }
            limit => limit.map_or(u64::MAX, |cells| cells.0),
        };
        let mut source = Scheduled {
            most_waiting,
            next,
            check,
            clock,
            line: context.line_clock(),
            unlimited: Unlimited::No,
            position: 0,
            due,
            stop,
            pieces,
        };
        source.enter();
        Ok(Application::one_way(source))
    }
}

fn period_ps(clock: CellClock) -> f64 {
    clock.period_seconds() * PS_PER_SECOND as f64
}

struct Piece {
    begin: Time,
    speed: Speed,
}

#[derive(Clone, Copy)]
enum Speed {
    Silent,
    Paced(CellClock),
    Unlimited,
}

/// Where the source stands in a piece without limit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unlimited {
    /// This is no such piece.
    No,
    Begins,
    Ends,
}

struct Scheduled {
    most_waiting: u64,
    next: Time,
    /// End of the piece or of the source: nothing but the clock is needed before it.
    check: Time,
    clock: CellClock,
    /// The clock of the host's line, at which cells go where there is no limit.
    line: CellClock,
    unlimited: Unlimited,
    position: usize,
    /// Part of a cell period that is left to the next cell at the beginning of the piece.
    due: f64,
    stop: Time,
    pieces: Box<[Piece]>,
}

impl Scheduled {
    fn end(&self) -> Time {
        self.pieces.get(self.position + 1).map_or(Time::NEVER, |piece| piece.begin)
    }
}

impl Scheduled {
    /// Finds the first cell from the beginning of the present piece on, with `due` still to go.
    fn enter(&mut self) {
        self.next = Time::NEVER;
        while let Some(piece) = self.pieces.get(self.position) {
            let end = self.end();
            let clock = match piece.speed {
                Speed::Silent => None,
                Speed::Paced(clock) => Some(clock),
                Speed::Unlimited => Some(self.line),
            };
            if let Some(clock) = clock {
                let period = period_ps(clock);
                let first = piece.begin.saturating_add(Duration::from_ps((self.due * period).round() as u64));
                if first < end {
                    self.clock = clock;
                    if matches!(piece.speed, Speed::Unlimited) {
                        self.unlimited = Unlimited::Begins;
                    }
                    self.next = if first < self.stop { first } else { Time::NEVER };
                    self.check = end.min(self.stop);
                    return;
                }
                self.due = (self.due - end.since(piece.begin).ps() as f64 / period).max(0.0);
            }
            self.position += 1;
        }
    }

    #[inline(never)]
    fn leave(&mut self) {
        let end = self.end();
        // Beyond the end of the piece the old rate says nothing, not even whether the cell comes before the stop.
        if self.next < end {
            self.next = Time::NEVER;
            return;
        }
        self.due = self.next.since(end).ps() as f64 / period_ps(self.clock);
        self.position += 1;
        self.enter();
    }
}

impl Traffic for Scheduled {
    fn next_offer(&self) -> Time {
        self.next
    }

    fn most_waiting(&self) -> u64 {
        self.most_waiting
    }

    fn offer(&mut self, _now: Time) -> Offer {
        match self.unlimited {
            Unlimited::No => {}
            Unlimited::Begins => {
                self.unlimited = Unlimited::Ends;
                self.next = self.check;
                return Offer::Endless;
            }
            Unlimited::Ends => {
                self.unlimited = Unlimited::No;
                // The last cell went just now.
                self.due = 1.0;
                self.position += 1;
                self.enter();
                return Offer::Nothing;
            }
        }
        self.next += self.clock.tick();
        if self.next >= self.check {
            self.leave();
        }
        Offer::Cells(1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{LINE, Trial, error, ps};
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_million_cells_of_one_piece_keep_to_the_clock() {
        let spec = json!({"kind": "rate_schedule", "phase": 3, "rates": [{"at": 10, "rate": [LINE, 424]}]});
        let clock = CellClock::of_rate(CellRate::new(LINE, 424));
        for (k, offer) in Trial::new(&spec, 1).take(1_000_001).enumerate() {
            assert_eq!(offer, (13 + clock.span(k as u64).ps(), Offer::Cells(1)));
        }
    }

    #[test]
    fn a_part_of_a_cell_is_kept_over_changes_and_silence() {
        // 10 cells/s, then silence with 40 % of a cell due, then 1 cell/s: the rest takes 0.6 s.
        let spec = json!({"kind": "rate_schedule", "phase": 0, "stop": ps(6.0), "rates": [
            {"at": 0, "rate": [0, 1]}, {"at": ps(1.0), "rate": [10, 1]}, {"at": ps(1.24), "rate": [0, 1]},
            {"at": ps(3.0), "rate": [1, 1]}]});
        let times: Vec<u64> = Trial::new(&spec, 1).map(|o| o.0).collect();
        assert_eq!(times, [1.0, 1.1, 1.2, 3.6, 4.6, 5.6].map(ps));
    }

    #[test]
    fn a_limit_is_lifted_and_comes_back() {
        let spec = json!({"kind": "rate_schedule", "phase": ps(0.5), "rates": [{"at": 0, "rate": [1, 1]},
            {"at": ps(2.0), "rate": null}, {"at": ps(5.0)}, {"at": ps(6.0), "rate": [2, 1]}], "stop": ps(7.2)});
        let offers: Vec<_> = Trial::new(&spec, 1).collect();
        // Half a cell is due at 2 s, which the line sends at once.
        let half = offers[2].0 - ps(2.0);
        assert!(half < 2_000_000, "half a cell time of the line, not {half} ps");
        let endless = [(ps(2.0) + half, Offer::Endless), (ps(5.0), Offer::Nothing)];
        assert_eq!(offers[..2], [(ps(0.5), Offer::Cells(1)), (ps(1.5), Offer::Cells(1))]);
        assert_eq!(offers[2..4], endless);
        assert_eq!(offers[4].1, Offer::Endless, "one piece without limit after another");
        assert_eq!(offers[5], (ps(6.0), Offer::Nothing));
        assert_eq!(offers[6..], [(ps(6.5), Offer::Cells(1)), (ps(7.0), Offer::Cells(1))]);
    }

    #[test]
    fn without_limit_it_ends_with_the_source() {
        let spec = json!({"kind": "rate_schedule", "phase": 0, "rates": [{"at": 7}], "stop": 90});
        let offers: Vec<_> = Trial::new(&spec, 1).collect();
        assert_eq!(offers, [(7, Offer::Endless), (90, Offer::Nothing)]);
    }

    #[test]
    fn rates_that_change_faster_than_they_send_are_not_lost() {
        // 1 and 3 cells/s in turn for 0.1 s each: 2 cells/s in the mean.
        let rates: Vec<_> = (0..1000).map(|i| json!({"at": ps(0.1) * i, "rate": [1 + 2 * (i % 2), 1]})).collect();
        let spec = json!({"kind": "rate_schedule", "rates": rates, "stop": ps(100.0)});
        for seed in 0..20 {
            let cells = Trial::new(&spec, seed).count();
            assert_eq!(cells, 200, "seed {seed}");
        }
    }

    proptest! {
        /// At the end of every piece the cells sent differ from the integral of the rate by at most one, and cells are
        /// never closer than the highest rate allows; a piece without a rate has no cells.
        #[test]
        fn cells_follow_the_integral(
            seed in 0u64..1000,
            pieces in prop::collection::vec((1u64..400, 0u64..5000), 1..12),
        ) {
            let ms = ps(0.001);
            let mut at = 0;
            let mut rates = Vec::new();
            for &(length, rate) in &pieces {
                rates.push(json!({"at": ms * at, "rate": [rate, 1]}));
                at += length;
            }
            let end = ms * at;
            let spec = json!({"kind": "rate_schedule", "rates": rates, "stop": end});
            let times: Vec<u64> = Trial::new(&spec, seed).map(|o| o.0).collect();
            let highest = pieces.iter().map(|p| p.1).max().unwrap();
            prop_assert!(times.windows(2).all(|w| (w[1] - w[0] + 2) as u128 * highest as u128 >= 1_000_000_000_000));
            let (mut at, mut integral) = (0, 0.0);
            for (length, rate) in pieces {
                let within = times.iter().filter(|&&t| (ms * at..ms * (at + length)).contains(&t)).count();
                prop_assert!(rate > 0 || within == 0);
                at += length;
                integral += (length * rate) as f64 / 1000.0;
                let cells = times.iter().filter(|&&t| t < ms * at).count() as f64;
                prop_assert!((cells - integral).abs() < 1.0 + 1e-6, "{cells} cells at {at} ms, not {integral}");
            }
        }
    }

    #[test]
    fn silence_for_ever() {
        let spec = json!({"kind": "rate_schedule", "rates": [{"at": 0, "rate": [0, 1]}, {"at": 5, "rate": [0, 7]}]});
        assert_eq!(Trial::new(&spec, 1).next(), None);
    }

    #[test]
    fn impossible_parameters_are_located() {
        let with = |rates| json!({"kind": "rate_schedule", "rates": rates});
        assert_eq!(error(&with(json!([]))).path, "rates");
        let twice = json!([{"at": 1, "rate": [1, 1]}, {"at": 1, "rate": [2, 1]}]);
        assert_eq!(error(&with(twice)).path, "rates[1].at");
        assert_eq!(error(&with(json!([{"at": 1, "rate": [1, 0]}]))).path, "rates[0].rate");
        assert_eq!(error(&with(json!([{"at": 1, "rate": [u64::MAX, 1]}]))).path, "rates[0].rate");
        let late = json!({"kind": "rate_schedule", "rates": [{"at": 9, "rate": [1, 1]}], "stop": 9});
        assert_eq!(error(&late).path, "stop");
    }
}
