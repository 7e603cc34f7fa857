//! Symmetric sources that meet at the same instant lose alike: ties favour no port.

use cellway_kernel::time::Time;
use cellway_models::network::Network;
use serde_json::{Value, json};

const CELL_PS: u64 = 1_000_000;

/// `n` paced sources in step through one port with room for one cell: each slot some of them lose.
fn paced(n: usize, buffer: u64, seed: u64) -> Value {
    let link = |from: String, to: String| {
        // 424 Mbit/s: a cell lasts exactly 1 us, so that sources stay in step for ever.
        json!({"name": format!("{from}->{to}"), "from": from, "to": to, "rate": 424_000_000, "delay": 5_000_000})
    };
    let mut links = vec![link("s".into(), "sink".into())];
    let (mut hosts, mut vcs) = (serde_json::Map::new(), serde_json::Map::new());
    hosts.insert("sink".into(), json!({}));
    for i in 0..n {
        links.push(link(format!("h{i}"), "s".into()));
        hosts.insert(format!("h{i}"), json!({}));
        vcs.insert(
            format!("vc{i}"),
            json!({"from": format!("h{i}"), "to": ["sink"], "links": [format!("h{i}->s"), "s->sink"],
                   "traffic": {"kind": "cbr", "rate": [500_000, 1], "phase": 0}}),
        );
    }
    json!({"version": 1, "seed": seed, "hosts": hosts, "links": links, "vcs": vcs,
           "switches": {"s": {"ports": {"s->sink": {"buffer": buffer, "schedule": {"kind": "fifo"}}}}}})
}

fn losses(n: usize, buffer: u64, seed: u64, cells: u64) -> Vec<u64> {
    let mut network = Network::from_json(&paced(n, buffer, seed).to_string()).expect("a valid scenario");
    network.run_until(Time::from_ps(2 * cells * CELL_PS));
    let tables = network.tables();
    tables.iter().find(|t| t.name == "queues").expect("there is a table of queues").u64s("dropped").to_vec()
}

#[test]
fn symmetric_sources_lose_alike() {
    for (n, buffer) in [(4, 1), (5, 2), (8, 3), (16, 4)] {
        let slots = 20_000;
        let lost = losses(n, buffer, 1, slots);
        let total: u64 = lost.iter().sum();
        assert!(total > slots, "{n} sources: only {total} losses, the port is not overloaded");
        let mean = total as f64 / n as f64;
        // Who loses is drawn anew in every slot: a binomial spread of sqrt(mean) or less.
        let bound = 5.0 * mean.sqrt();
        for (i, &l) in lost.iter().enumerate() {
            assert!(
                (l as f64 - mean).abs() < bound,
                "source {i} of {n} lost {l}, the mean is {mean} +- {bound}: {lost:?}"
            );
        }
    }
}

/// With one place and two sources, each slot one of two meeting cells is lost; a fixed port order would always choose the same.
#[test]
fn the_first_of_two_ports_is_not_favoured() {
    let lost = losses(3, 1, 7, 10_000);
    let (least, most) = (lost.iter().min().unwrap(), lost.iter().max().unwrap());
    assert!(*least > 0 && (*most as f64) < 1.15 * *least as f64, "{lost:?}");
}
