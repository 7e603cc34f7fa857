//! Watching a network changes nothing of it, although switches take another path for cells of watched ports.

use crate::random_networks::{CELL, scenario};
use cellway_kernel::table::Table;
use cellway_kernel::time::Time;
use cellway_models::network::Network;
use cellway_models::spec::{Probe, Scenario};

fn run(scenario: &Scenario) -> Vec<Table> {
    let mut network = Network::new(scenario).expect("a random network is valid");
    network.run_until(Time::from_ps(CELL.ps() * 2_500));
    network.check_books();
    let mut tables = network.tables();
    tables.retain(|table| !["probes", "series"].contains(&table.name));
    tables
}

#[test]
fn a_watched_network_does_the_same() {
    for number in 0..300 {
        let mut unwatched = scenario(number);
        unwatched.probes.clear();
        let mut watched = unwatched.clone();
        for node in unwatched.switches.keys().cloned() {
            watched.probes.push(Probe::Queue { node, link: None, vc: None, every: None });
        }
        for (a, b) in run(&unwatched).iter().zip(&run(&watched)) {
            assert!(a == b, "network {number}: table {} differs", a.name);
        }
    }
}
