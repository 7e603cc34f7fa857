//! Remote procedure calls over a network: response times, losses, repetitions.

use cellway_kernel::table::Table;
use cellway_kernel::time::{Duration, Time};
use cellway_models::network::Network;
use serde_json::{Value, json};

/// 424 Mbit/s: a cell lasts exactly 1 us.
const RATE: u64 = 424_000_000;

/// a -> s -> b and back; links of `delay`, with the same impairments on each.
fn run(traffic: &Value, delay: Duration, impairments: &Value, end: Duration) -> Table {
    let link = |from: &str, to: &str| {
        json!({"name": format!("{from}->{to}"), "from": from, "to": to, "rate": RATE, "delay": delay.ps(),
            "impairments": impairments})
    };
    let document = json!({"version": 1, "seed": 1, "hosts": {"a": {}, "b": {}}, "switches": {"s": {}},
        "links": [link("a", "s"), link("s", "b"), link("b", "s"), link("s", "a")],
        "vcs": {"vc": {"from": "a", "to": ["b"], "links": ["a->s", "s->b"], "traffic": traffic}}});
    let mut network = Network::from_json(&document.to_string()).expect("a valid scenario");
    network.run_until(Time::ZERO + end);
    network.tables().into_iter().find(|t| t.name == "vcs").expect("a table of VCs")
}

/// Rows of the way there and of the way back.
const THERE: usize = 0;
const BACK: usize = 1;

#[test]
fn the_response_time_on_an_idle_path_is_exact() {
    // Each way all cells of the message on the first line, one more on the second, and two delays.
    let delay = Duration::from_us(70);
    let traffic = json!({"kind": "rpc", "operations": [{"request": 200, "response": 8192}], "phase": 0,
        "think": 1_000_000_000, "think_distribution": "deterministic",
        "service": 500_000_000, "service_distribution": "deterministic"});
    let vcs = run(&traffic, delay, &json!([]), Duration::from_s(1));
    let response: f64 = 1e-6 * (5.0 + 1.0 + 171.0 + 1.0 + 4.0 * 70.0 + 500.0);
    let calls = (1.0 / (response + 1e-3)).ceil() as u64;
    assert_eq!((vcs.u64s("requests")[THERE], vcs.u64s("responses")[THERE]), (calls, calls));
    assert_eq!(vcs.u64s("repeated")[THERE], 0);
    for column in ["mean_response", "longest_response"] {
        assert!((vcs.f64s(column)[THERE] - response).abs() < 1e-12, "{column}: {}", vcs.f64s(column)[THERE]);
    }
    assert_eq!((vcs.u64s("sent")[THERE], vcs.u64s("delivered")[BACK]), (5 * calls, 171 * calls));
    assert_eq!(vcs.u64s("messages")[BACK], calls);
}

#[test]
fn every_call_is_answered_once_over_lines_that_lose_and_spoil_cells() {
    let impairments = json!([{"kind": "random_loss", "probability": 0.0005},
        {"kind": "random_corruption", "probability": 0.0005}]);
    for outstanding in [1, 4] {
        let traffic = json!({"kind": "rpc", "outstanding": outstanding, "think": 200_000_000,
            "timeout": 2_000_000_000u64, "stop": 500_000_000_000u64});
        let vcs = run(&traffic, Duration::from_us(10), &impairments, Duration::from_s(5));
        let [requests, repeated, responses] = ["requests", "repeated", "responses"].map(|c| vcs.u64s(c)[THERE]);
        assert!(requests > 100 && repeated > 20, "{requests} requests, {repeated} repetitions");
        assert_eq!(responses, requests, "calls are seen through after the stop");
        // Whole responses that came, less those to repetitions of calls that were answered already.
        assert!((responses..=requests + repeated).contains(&vcs.u64s("messages")[BACK]));
        assert!(vcs.f64s("longest_response")[THERE] >= 2e-3, "a lost message costs a time-out");
    }
}
