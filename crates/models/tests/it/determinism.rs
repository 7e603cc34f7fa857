//! What must not change a result: repetition, the order of the document, idle components.

use crate::random_networks::{CELL, scenario};
use cellway_kernel::table::{Table, Values};
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::BitRate;
use cellway_models::network::Network;
use cellway_models::spec::{Host, Link, Scenario};
use serde_json::json;

fn run(scenario: &Scenario) -> Vec<Table> {
    let mut network = Network::new(scenario).expect("a valid scenario");
    network.run_until(Time::from_ps(CELL.ps() * 1_500));
    network.tables()
}

/// Rows of `vcs` as text, sorted, without the order of the document.
fn vc_rows(tables: &[Table]) -> Vec<String> {
    let table = tables.iter().find(|t| t.name == "vcs").expect("there is a table of VCs");
    let rows = table.texts("vc").len();
    let mut text = vec![String::new(); rows];
    for column in &table.columns {
        for (row, line) in text.iter_mut().enumerate() {
            line.push_str(&match &column.values {
                Values::U64(v) => format!("{} ", v[row]),
                Values::F64(v) => format!("{:?} ", v[row].to_bits()),
                Values::Text(v) => format!("{:?} ", v.iter().nth(row)),
            });
        }
    }
    text.sort();
    text
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for number in 0..50 {
        assert!(run(&scenario(number)) == run(&scenario(number)), "network {number}");
    }
}

#[test]
fn another_seed_gives_other_results() {
    let mut other = scenario(3);
    other.seed += 1;
    assert_ne!(vc_rows(&run(&scenario(3))), vc_rows(&run(&other)));
}

/// The same network with another host, first in every list, so that all numbers shift.
fn with_host(scenario: &Scenario, name: &str) -> Scenario {
    let mut more = scenario.clone();
    more.hosts.shift_insert(0, name.into(), Host::default());
    let switch = more.switches.keys().next().expect("there is a switch").clone();
    for (from, to) in [(name, switch.as_str()), (switch.as_str(), name)] {
        let (from, to) = (from.to_owned(), to.to_owned());
        let (rate, delay) = (BitRate::from_bps(155_520_000), Duration::from_us(1));
        more.links.insert(0, Link { name: format!("{from}->{to}"), from, to, rate, delay, impairments: vec![] });
    }
    more
}

#[test]
fn an_idle_component_changes_nothing() {
    for number in 0..50 {
        let plain = scenario(number);
        assert_eq!(vc_rows(&run(&plain)), vc_rows(&run(&with_host(&plain, "idle"))), "network {number}");
    }
}

/// Switches of many VCs ask for memory ahead of the cells: whoever needs none is served as before.
#[test]
fn a_silent_crowd_changes_nothing() {
    for number in 0..100 {
        let plain = scenario(number);
        let mut crowded = with_host(&with_host(&plain, "idle"), "silent");
        let switch = plain.switches.keys().next().expect("there is a switch");
        for k in 0..200 {
            let vc = json!({
                "from": "silent", "to": ["idle"], "links": [format!("silent->{switch}"), format!("{switch}->idle")],
                "traffic": {"kind": "cbr", "rate": [1000, 1], "start": 3_600_000_000_000_000u64},
            });
            let vc = serde_json::from_value(vc).expect("a valid VC");
            crowded.vcs.shift_insert(0, format!("crowd{k}"), vc);
        }
        let mut rows = vc_rows(&run(&crowded));
        rows.retain(|row| !row.contains("crowd"));
        assert_eq!(vc_rows(&run(&plain)), rows, "network {number}");
    }
}

#[test]
fn the_order_of_the_document_changes_nothing() {
    for number in 0..50 {
        let plain = scenario(number);
        let mut turned = plain.clone();
        turned.links.reverse();
        turned.hosts.reverse();
        turned.switches.reverse();
        assert_eq!(vc_rows(&run(&plain)), vc_rows(&run(&turned)), "network {number}");
    }
}
