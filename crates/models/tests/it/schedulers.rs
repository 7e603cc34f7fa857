//! The horizon scheduler against the one-step reference: the same bytes on random networks.

use crate::random_networks::{CELL, scenario};
use cellway_kernel::rng::stream;
use cellway_kernel::table::Table;
use cellway_kernel::time::Time;
use cellway_models::network::Network;
use cellway_models::spec::Scenario;
use rand::RngExt;
use serde_json::json;

const CELLS: u64 = 2_500;

fn end() -> Time {
    Time::from_ps(CELL.ps() * CELLS)
}

/// Runs in random pieces.
fn run_in_pieces(number: u64, network: &mut Network, end: Time) {
    let mut random = stream(number, "pieces");
    while network.now() < end {
        let step = random.random_range(1..CELL.ps() * 400);
        network.run_until(Time::from_ps((network.now().ps() + step).min(end.ps())));
    }
}

fn build(number: u64, scenario: &Scenario) -> Network {
    Network::new(scenario).unwrap_or_else(|e| panic!("network {number}: {e}"))
}

fn reference(number: u64, scenario: &Scenario) -> Vec<Table> {
    let mut network = build(number, scenario);
    network.run_one_step_at_a_time(end());
    network.tables()
}

#[track_caller]
fn assert_equal(number: u64, what: &str, a: &[Table], b: &[Table]) {
    for (a, b) in a.iter().zip(b) {
        assert!(a == b, "network {number}: {what} differ in table {}", a.name);
    }
}

#[test]
fn a_thousand_random_networks_give_the_same_bytes() {
    let mut hops = 0;
    for number in 0..1_000 {
        let scenario = scenario(number);
        let mut network = build(number, &scenario);
        network.run_until(end());
        hops += network.cell_hops();
        assert_equal(number, "schedulers", &network.tables(), &reference(number, &scenario));
    }
    assert!(hops > 1_000_000, "the networks were nearly idle: {hops} cell-hops in all");
}

#[test]
fn a_run_in_pieces_is_the_same_run() {
    for number in 0..100 {
        let scenario = scenario(number);
        let mut whole = build(number, &scenario);
        whole.run_until(end());
        let mut pieces = build(number, &scenario);
        run_in_pieces(number, &mut pieces, end());
        assert_equal(number, "pieces", &whole.tables(), &pieces.tables());
    }
}

/// Without a switch between them each waits for the other: a client and its server, in pieces that end while requests and
/// responses are on their way.
#[test]
fn two_hosts_alone_give_the_same_bytes() {
    let end = Time::from_ps(CELL.ps() * 40_000);
    for (number, delay) in [0u64, 1_000_000, 50_000_000].into_iter().enumerate() {
        let number = number as u64;
        let link = |from: &str, to: &str| json!({"name": format!("{from}->{to}"), "from": from, "to": to, "rate": 149_760_000, "delay": delay});
        let traffic = json!({"kind": "rpc", "outstanding": 8, "think": 20_000_000,
            "operations": [{"request": 200, "response": 200}]});
        // Whichever of the two the scheduler visits first.
        for (client, server) in [("a", "b"), ("b", "a")] {
            let vc =
                json!({"from": client, "to": [server], "links": [format!("{client}->{server}")], "traffic": traffic});
            let scenario = json!({"version": 1, "seed": 1, "hosts": {"a": {}, "b": {}}, "switches": {},
                "links": [link("a", "b"), link("b", "a")], "vcs": {"calls": vc}});
            let scenario = serde_json::from_value(scenario).expect("two hosts and their links");
            let mut network = build(number, &scenario);
            run_in_pieces(number, &mut network, end);
            let mut reference = build(number, &scenario);
            reference.run_one_step_at_a_time(end);
            assert!(network.cell_hops() > 1_000, "{}", network.cell_hops());
            assert_equal(number, "schedulers", &network.tables(), &reference.tables());
        }
    }
}
