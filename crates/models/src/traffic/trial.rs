//! Runs applications without a network, for the tests of this family.

use super::{Application, Offer, TrafficContext, TrafficSpec};
use cellway_kernel::error::SpecError;
use cellway_kernel::time::{Duration, LONGEST_PS, Phase, Time, tie_rank};
use cellway_kernel::units::{BitRate, CellClock};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};

/// Rate of the host's line in trials [bit/s]: a cell lasts 2 726 337.448... ps.
pub(super) const LINE: u64 = 155_520_000;

/// Seconds as the engine document has them.
pub(super) fn ps(seconds: f64) -> u64 {
    Duration::from_seconds(seconds).ps()
}

/// Builds the application of the VC called `vc`.
pub(super) fn build(spec: &Value, seed: u64, vc: &str) -> Result<Application, SpecError> {
    let spec: TrafficSpec = serde_json::from_value(spec.clone()).expect("parameters of a known kind");
    spec.config().build(&TrafficContext { seed, vc, line: BitRate::from_bps(LINE) })
}

/// The error that the parameters of `spec` deserve; it names what was found and what is allowed.
pub(super) fn error(spec: &Value) -> SpecError {
    let error = build(spec, 1, "vc1").err().expect("impossible parameters");
    assert!(!error.found.is_empty() && !error.allowed.is_empty(), "{error}");
    error
}

/// The offers of an application to which nobody answers, with their times [ps].
pub(super) struct Trial {
    application: Application,
    now: Time,
}

impl Trial {
    pub(super) fn new(spec: &Value, seed: u64) -> Trial {
        Trial { application: build(spec, seed, "vc1").expect("possible parameters"), now: Time::ZERO }
    }
}

impl Iterator for Trial {
    type Item = (u64, Offer);

    fn next(&mut self) -> Option<(u64, Offer)> {
        let next = self.application.source.next_offer();
        assert!(next >= self.now, "an offer in the past: {next:?} after {:?}", self.now);
        if next == Time::NEVER {
            return None;
        }
        self.now = next;
        Some((next.ps(), self.application.source.offer(next)))
    }
}

/// One end of an application.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Source,
    Responder,
}

/// What happened at one end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    Offer(End, Offer),
    /// A message is complete at this end.
    Received(End),
}

/// Both ends of an application, with a line of [`LINE`] and a delay each way, on which whole messages can be lost.
///
/// Its iterator gives every event with its time [ps], and asserts the contract of [`super::Traffic`] on the way.
pub(super) struct Loop<L> {
    pub(super) application: Application,
    delay: Duration,
    /// Whether the message offered by that end at that time is lost.
    lose: L,
    ways: [Way; 2],
    now: Time,
}

#[derive(Default)]
struct Way {
    free: Time,
    cells: u32,
    messages: VecDeque<(Time, u32)>,
}

impl<L: FnMut(End, Time) -> bool> Loop<L> {
    pub(super) fn new(spec: &Value, seed: u64, delay: Duration, lose: L) -> Loop<L> {
        let application = build(spec, seed, "vc1").expect("possible parameters");
        Loop { application, delay, lose, ways: Default::default(), now: Time::ZERO }
    }

    /// From the first bit of a message of `cells` on an idle line to its last bit at the other end.
    pub(super) fn transfer(&self, cells: u64) -> Duration {
        CellClock::of_line(BitRate::from_bps(LINE)).span(cells) + self.delay
    }

    fn offer(&mut self, end: End) -> Event {
        let (way, traffic) = match end {
            End::Source => (&mut self.ways[0], &mut self.application.source),
            End::Responder => (&mut self.ways[1], self.application.responder.as_mut().expect("a responder")),
        };
        let offer = traffic.offer(self.now);
        assert!(!matches!(offer, Offer::Cells(0) | Offer::Message(0)), "an empty offer at {:?}", self.now);
        assert!(traffic.next_offer() >= self.now, "after an offer at {:?}: {:?}", self.now, traffic.next_offer());
        if let Offer::Message(cells) = offer {
            way.cells = way.cells.wrapping_add(cells as u32);
            way.free = way.free.max(self.now) + CellClock::of_line(BitRate::from_bps(LINE)).span(cells);
            if !(self.lose)(end, self.now) {
                way.messages.push_back((way.free + self.delay, way.cells.wrapping_sub(1)));
            }
        }
        Event::Offer(end, offer)
    }

    fn receive(&mut self, end: End) -> Event {
        let (way, traffic) = match end {
            End::Responder => (&mut self.ways[0], self.application.responder.as_mut()),
            End::Source => (&mut self.ways[1], Some(&mut self.application.source)),
        };
        let (_, last) = way.messages.pop_front().expect("a message");
        if let Some(traffic) = traffic {
            traffic.message_received(self.now, last);
            assert!(traffic.next_offer() >= self.now, "after a message at {:?}: {:?}", self.now, traffic.next_offer());
        }
        Event::Received(end)
    }
}

impl<L: FnMut(End, Time) -> bool> Iterator for Loop<L> {
    type Item = (u64, Event);

    fn next(&mut self) -> Option<(u64, Event)> {
        let arrival = |way: &Way| way.messages.front().map_or(Time::NEVER, |m| m.0);
        let offers = [
            self.application.source.next_offer(),
            self.application.responder.as_ref().map_or(Time::NEVER, |r| r.next_offer()),
        ];
        let next = offers[0].min(offers[1]).min(arrival(&self.ways[0])).min(arrival(&self.ways[1]));
        if next == Time::NEVER {
            return None;
        }
        assert!(next >= self.now, "time runs backwards: {next:?} after {:?}", self.now);
        self.now = next;
        let event = if next == offers[0] {
            self.offer(End::Source)
        } else if next == offers[1] {
            self.offer(End::Responder)
        } else if next == arrival(&self.ways[0]) {
            self.receive(End::Responder)
        } else {
            self.receive(End::Source)
        };
        Some((next.ps(), event))
    }
}

/// Parameters of every kind, for what holds for all of them.
fn examples() -> Vec<Value> {
    let ms = ps(0.001);
    vec![
        json!({"kind": "greedy"}),
        json!({"kind": "cbr", "rate": [LINE, 4240]}),
        json!({"kind": "poisson", "rate": [10_000, 1]}),
        json!({"kind": "bernoulli", "probability": 0.05}),
        json!({"kind": "bernoulli", "probability": 0.5, "slot": [1000, 1]}),
        json!({"kind": "on_off", "peak": [20_000, 1], "on": ms, "off": ms}),
        json!({"kind": "on_off", "peak": [20_000, 1], "on": ms, "off": ms,
            "on_distribution": "pareto", "off_distribution": "deterministic", "on_shape": 1.2}),
        json!({"kind": "burst", "cells": 10, "idle": ms}),
        json!({"kind": "burst", "cells": 10, "idle": ms, "length": "geometric", "idle_distribution": "exponential",
            "as_message": true}),
        json!({"kind": "rate_schedule", "rates": [{"at": 0, "rate": [9000, 1]}, {"at": 20 * ms, "rate": [0, 1]},
            {"at": 30 * ms, "rate": [5000, 3]}]}),
        json!({"kind": "trace", "repeat": 3 * ms, "events": [{"at": 0, "cells": 1}, {"at": ms, "cells": 30}]}),
        json!({"kind": "rpc"}),
        json!({"kind": "rpc", "outstanding": 5, "requests": 3, "gap": 1000, "think": 0, "timeout": ms,
            "operations": [{"request": 760, "response": 12_280}]}),
        json!({"kind": "tcp", "connections": 2, "congestion": {"kind": "new_reno"}, "rate": 10_000_000}),
    ]
}

#[test]
fn every_kind_has_an_example_that_survives_the_document() {
    let kinds: BTreeSet<String> = examples().iter().map(|e| e["kind"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds, TrafficSpec::KINDS.iter().map(|&kind| kind.to_owned()).collect());
    for example in examples() {
        let spec: TrafficSpec = serde_json::from_value(example.clone()).unwrap();
        assert_eq!(example["kind"], spec.kind());
        assert_eq!(serde_json::from_value::<TrafficSpec>(serde_json::to_value(&spec).unwrap()).unwrap(), spec);
        let mut unknown = example;
        unknown["no_such_parameter"] = json!(1);
        assert!(serde_json::from_value::<TrafficSpec>(unknown).is_err());
    }
}

#[test]
fn the_longest_start_is_no_overflow() {
    for mut example in examples() {
        if example["kind"] == "rate_schedule" {
            example["rates"] = json!([{"at": LONGEST_PS, "rate": [1, 1000]}]);
        } else {
            example["start"] = json!(LONGEST_PS);
        }
        let times: Vec<u64> = Trial::new(&example, 1).take(100).map(|o| o.0).collect();
        assert!(!times.is_empty() && times.iter().all(|&t| t >= LONGEST_PS), "{example}");
    }
}

#[test]
fn sources_without_a_phase_do_not_march_in_step() {
    for example in examples().into_iter().filter(|e| e["kind"] != "trace") {
        let firsts: BTreeSet<u64> =
            (0..50).map(|vc| build(&example, 1, &format!("vc{vc}")).unwrap().source.next_offer().ps()).collect();
        assert!(firsts.len() > 20, "{example}: {firsts:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The contract of `Traffic` ([`Loop`] asserts it at each event), nothing before the start, no new work from the
    /// stop on, and the same events again from the same seed.
    #[test]
    fn every_kind_keeps_the_contract(
        seed: u64,
        start in 0u64..40_000_000_000,
        length in prop::option::of(prop_oneof![1u64..50_000_000, 1u64..80_000_000_000]),
        delay in 0u64..5_000_000_000,
        loss in 0u64..8,
    ) {
        for mut example in examples() {
            let schedule = example["kind"] == "rate_schedule";
            let start = if schedule { 0 } else { start };
            if !schedule {
                example["start"] = json!(start);
            }
            let stop = length.map_or(u64::MAX, |length| start + length);
            // A TCP connection ends with its data, not at a time.
            let tcp = example["kind"] == "tcp";
            if length.is_some() && !tcp {
                example["stop"] = json!(stop);
            }
            let lose = |end, now: Time| (tie_rank(now.at(Phase::Timer), seed) ^ end as u64) % 10 < loss;
            let run = || Loop::new(&example, seed, Duration::from_ps(delay), lose).take(1000).collect::<Vec<_>>();
            let events = run();
            prop_assert_eq!(&events, &run());
            let closed = tcp || example["kind"] == "rpc";
            for &(time, event) in &events {
                prop_assert!(time >= start);
                let work = matches!(event, Event::Offer(_, offer) if offer != Offer::Nothing);
                prop_assert!(time < stop || closed || !work, "{}: {:?} at {}", example, event, time);
            }
        }
    }
}
