use super::super::trial::{End, Event, Loop, error, ps};
use super::*;
use cellway_kernel::time::{Phase, tie_rank};
use proptest::prelude::*;
use serde_json::{Value, json};

const DELAY: Duration = Duration::from_us(100);

fn lossless(spec: &Value) -> Loop<impl FnMut(End, Time) -> bool> {
    Loop::new(spec, 1, DELAY, |_, _| false)
}

fn source_offers(events: impl Iterator<Item = (u64, Event)>) -> Vec<(u64, u64)> {
    events
        .filter_map(|(t, event)| match event {
            Event::Offer(End::Source, Offer::Message(cells)) => Some((t, cells)),
            _ => None,
        })
        .collect()
}

fn exchanges<L: FnMut(End, Time) -> bool>(run: &Loop<L>) -> Exchanges {
    run.application.source.exchanges().unwrap()
}

#[test]
fn a_cycle_takes_request_service_response_and_think_time() {
    let spec = json!({"kind": "rpc", "operations": [{"request": 200, "response": 8192}], "phase": 77,
        "think": ps(0.003), "think_distribution": "deterministic",
        "service": ps(0.002), "service_distribution": "deterministic"});
    let mut run = lossless(&spec);
    let response_time = run.transfer(5).ps() + ps(0.002) + run.transfer(171).ps();
    let offers = source_offers(run.by_ref().take(4 * 1000));
    let expected: Vec<_> = (0..1000).map(|k| (77 + k * (response_time + ps(0.003)), 5)).collect();
    assert_eq!(offers, expected);
    let counted = exchanges(&run);
    assert_eq!((counted.requests, counted.responses, counted.repeated), (1000, 1000, 0));
    assert_eq!(counted.longest.ps(), response_time);
    assert_eq!(counted.total_time.ps(), 1000 * response_time);
}

/// UILI paper, section 7.2: one request of 16 cells and one response of 16, 256 or 8192 cells in each cycle, then 1 ms.
#[test]
fn the_cycles_of_the_uili_paper_are_a_special_case() {
    for (bytes, cells) in [(760, 16), (12_280, 256), (393_208, 8192)] {
        let spec = json!({"kind": "rpc", "operations": [{"request": 760, "response": bytes}], "timeout": null,
            "think": ps(0.001), "think_distribution": "deterministic"});
        let mut run = lossless(&spec);
        let cycle = run.transfer(16).ps() + run.transfer(cells).ps() + ps(0.001);
        let offers = source_offers(run.by_ref().take(40));
        assert!(offers.iter().all(|o| o.1 == 16));
        assert!(offers.windows(2).all(|w| w[1].0 - w[0].0 == cycle));
    }
}

#[test]
fn a_cycle_of_several_requests_waits_for_all_responses() {
    let spec = json!({"kind": "rpc", "operations": [{"request": 40, "response": 40}], "requests": 3, "gap": ps(0.001),
        "think": ps(0.01), "think_distribution": "deterministic", "phase": 0});
    let mut run = lossless(&spec);
    let round = 2 * run.transfer(1).ps();
    let times: Vec<u64> = source_offers(run.by_ref().take(4 * 9)).into_iter().map(|o| o.0).collect();
    let cycle = ps(0.002) + round + ps(0.01);
    let expected: Vec<u64> = (0..3).flat_map(|c| (0..3).map(move |k| c * cycle + k * ps(0.001))).collect();
    assert_eq!(times, expected);
}

#[test]
fn the_window_bounds_what_is_under_way() {
    let spec = json!({"kind": "rpc", "outstanding": 7, "think": 0, "timeout": null, "service": ps(0.0001)});
    let mut under_way = 0;
    for (_, event) in lossless(&spec).take(20_000) {
        match event {
            Event::Offer(End::Source, _) => under_way += 1,
            Event::Received(End::Source) => under_way -= 1,
            _ => {}
        }
        assert!((0..=7).contains(&under_way));
    }
    assert!(under_way >= 6, "a client without think time keeps its window full: {under_way}");
}

#[test]
fn time_outs_double_up_to_a_minute() {
    let spec = json!({"kind": "rpc", "phase": 0, "timeout": ps(0.7)});
    let mut run = Loop::new(&spec, 1, DELAY, |_, _| true);
    let times: Vec<u64> = run.by_ref().take(10).map(|o| o.0).collect();
    let mut expected = vec![0];
    for gap in [0.7, 1.4, 2.8, 5.6, 11.2, 22.4, 44.8, 60.0, 60.0] {
        expected.push(expected[expected.len() - 1] + ps(gap));
    }
    assert_eq!(times, expected);
    assert_eq!(exchanges(&run), Exchanges { requests: 1, repeated: 9, ..Exchanges::default() });
}

#[test]
fn a_lost_message_costs_a_time_out_and_is_counted_once() {
    for lost in [End::Source, End::Responder] {
        let spec = json!({"kind": "rpc", "operations": [{"request": 200, "response": 200}],
            "phase": 0, "think": ps(0.01)});
        let mut first = true;
        let mut run = Loop::new(&spec, 1, DELAY, move |end, _| end == lost && std::mem::take(&mut first));
        let round = 2 * run.transfer(5).ps();
        while exchanges(&run).responses < 10 {
            run.next();
        }
        let counted = exchanges(&run);
        assert_eq!((counted.requests, counted.repeated), (10, 1));
        assert_eq!(counted.longest.ps(), ps(0.7) + round);
        assert_eq!(counted.total_time.ps(), ps(0.7) + 10 * round);
    }
}

#[test]
fn late_responses_to_repeated_requests_count_once() {
    // The response takes 250 us, the time-out is 100 us: each request is sent twice (at 0 and 100 us, then at 300 us).
    let spec = json!({"kind": "rpc", "operations": [{"request": 200, "response": 200}], "phase": 0, "stop": ps(1.0),
        "timeout": ps(0.0001), "think": ps(0.0005), "think_distribution": "deterministic"});
    let mut run = lossless(&spec);
    let round = 2 * run.transfer(5).ps();
    assert!((ps(0.0001)..ps(0.0003)).contains(&round));
    let received = run.by_ref().filter(|o| o.1 == Event::Received(End::Source)).count() as u64;
    let counted = exchanges(&run);
    assert_eq!(received, 2 * counted.requests, "the server answers repetitions");
    assert_eq!((counted.repeated, counted.responses), (counted.requests, counted.requests));
    assert_eq!(counted.total_time.ps(), counted.requests * round, "measured from the first transmission");
    assert_eq!(counted.requests, ps(1.0).div_ceil(round + ps(0.0005)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// With losses both ways every request is answered exactly once in the end, and what was sent is what was counted.
    #[test]
    fn every_request_is_answered_once(
        seed: u64,
        loss in 0u64..6,
        outstanding in 1u32..6,
        requests in 1u32..4,
        timeout_us in 50u64..2000,
    ) {
        let spec = json!({"kind": "rpc", "outstanding": outstanding, "requests": requests, "gap": ps(0.00001),
            "think": ps(0.002),
            "timeout": timeout_us * 1_000_000, "service": ps(0.00002), "stop": ps(0.2)});
        let lose = move |end, now: Time| tie_rank(now.at(Phase::Timer), seed ^ end as u64) % 10 < loss;
        let mut run = Loop::new(&spec, seed, DELAY, lose);
        let sent = source_offers(run.by_ref()).len() as u64;
        let counted = exchanges(&run);
        prop_assert!(counted.requests >= u64::from(outstanding * requests));
        prop_assert_eq!(counted.responses, counted.requests);
        prop_assert_eq!(counted.requests + counted.repeated, sent);
    }
}

/// Responses of the default mix: shares within 4.5 sigma of the binomial of 20 000 calls.
#[test]
fn operations_are_drawn_by_weight() {
    let spec = json!({"kind": "rpc", "think": 0});
    let mut shares = std::collections::BTreeMap::new();
    let n = 20_000.0;
    for (_, event) in lossless(&spec).take(4 * 20_000) {
        if let Event::Offer(End::Responder, Offer::Message(cells)) = event {
            *shares.entry(cells).or_insert(0.0) += 1.0 / n;
        }
    }
    for (cells, share) in [(5, 0.4), (43, 0.04), (22, 0.1), (86, 0.1), (171, 0.36)] {
        let sigma = (share * (1.0_f64 - share) / n).sqrt();
        assert!((shares[&cells] - share).abs() < 4.5 * sigma, "{cells} cells: {shares:?}");
    }
}

#[test]
fn impossible_parameters_are_located() {
    let operation =
        |bytes: [u64; 2], weight: f64| json!([{"request": bytes[0], "response": bytes[1], "weight": weight}]);
    for (key, value, path) in [
        ("operations", json!([]), "operations"),
        ("operations", operation([0, 1], 1.0), "operations[0].request"),
        ("operations", operation([1, (1 << 30) + 1], 1.0), "operations[0].response"),
        ("operations", operation([1, 1], 0.0), "operations[0].weight"),
        (
            "operations",
            json!([{"request": 1, "response": 1, "weight": 1e308}, {"request": 1, "response": 1, "weight": 1e308}]),
            "operations",
        ),
        ("outstanding", json!(0), "outstanding"),
        ("requests", json!(1025), "requests"),
        ("timeout", json!(0), "timeout"),
        ("stop", json!(0), "stop"),
    ] {
        let mut spec = json!({"kind": "rpc"});
        spec[key] = value;
        assert_eq!(error(&spec).path, path);
    }
}
