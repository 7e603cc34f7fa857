//! The horizon scheduler against the one-step reference: the same bytes on random networks.

use crate::random_networks::{CELL, scenario};
use cellway_kernel::rng::stream;
use cellway_kernel::table::Table;
use cellway_kernel::time::Time;
use cellway_models::network::Network;
use cellway_models::spec::Scenario;
use rand::RngExt;

const CELLS: u64 = 2_500;

fn end() -> Time {
    Time::from_ps(CELL.ps() * CELLS)
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
        let mut random = stream(number, "pieces");
        while pieces.now() < end() {
            let step = random.random_range(1..CELL.ps() * 400);
            pieces.run_until(Time::from_ps((pieces.now().ps() + step).min(end().ps())));
        }
        assert_equal(number, "pieces", &whole.tables(), &pieces.tables());
    }
}
