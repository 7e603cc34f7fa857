//! What a port's rate algorithm hears of the cells of a network, and what reaches the sources.

use cellway_kernel::table::Table;
use cellway_kernel::time::{Duration, Time};
use cellway_models::network::Network;
use serde_json::{Map, Value, json};

/// 424 Mbit/s: a million cells/s.
const RATE: u64 = 424_000_000;
const MS: u64 = 1_000_000_000;

/// Hosts around two switches; the line from s to t has the algorithm.
fn document(rate: &Value, vcs: Value) -> Value {
    let mut links = Vec::new();
    let mut duplex = |a: &str, b: &str, delay: u64| {
        for (from, to) in [(a, b), (b, a)] {
            let name = format!("{from}->{to}");
            links.push(json!({"name": name, "from": from, "to": to, "rate": RATE, "delay": delay}));
        }
    };
    let mut hosts = Map::new();
    duplex("s", "t", MS);
    for k in 0..4 {
        for (side, switch) in [("a", "s"), ("b", "t")] {
            hosts.insert(format!("{side}{k}"), json!({}));
            duplex(&format!("{side}{k}"), switch, 1_000_000);
        }
    }
    json!({"version": 1, "seed": 1, "hosts": hosts, "links": links, "vcs": vcs, "probes": [],
        "switches": {"s": {"ports": {"s->t": {"rate": rate}}}, "t": {}}})
}

fn vc(k: usize, traffic: Value) -> Value {
    let links = json!([format!("a{k}->s"), "s->t", format!("t->b{k}")]);
    json!({"from": format!("a{k}"), "to": [format!("b{k}")], "links": links, "traffic": traffic, "priority": 1})
}

fn abr_vc(k: usize, traffic: Value) -> Value {
    let mut vc = vc(k, traffic);
    vc["abr"] = json!({"rif": 1.0, "icr": [10_000, 1]});
    vc
}

fn run(document: &Value, end: Duration) -> Vec<Table> {
    let mut network = Network::from_json(&document.to_string()).unwrap_or_else(|e| panic!("{e}"));
    network.run_until(Time::ZERO + end);
    network.check_books();
    network.tables()
}

/// The last value that probe number `probe` recorded.
fn last(tables: &[Table], probe: u64) -> f64 {
    let series = tables.iter().find(|t| t.name == "series").expect("a table");
    let at = series.u64s("probe").iter().rposition(|&p| p == probe).expect("a recorded value");
    series.f64s("value")[at]
}

fn quantity(name: &str) -> Value {
    json!({"kind": "rate", "link": "s->t", "quantity": name, "every": MS})
}

#[test]
fn capacity_is_what_others_of_no_lower_priority_leave() {
    let cbr = |rate: u64| json!({"kind": "cbr", "rate": [rate, 1]});
    let mut vcs = json!({"abr": abr_vc(0, json!({"kind": "greedy"})), "higher": vc(1, cbr(100_000)),
        "same": vc(2, cbr(50_000)), "lower": vc(3, cbr(70_000))});
    vcs["higher"]["priority"] = json!(0);
    vcs["lower"]["priority"] = json!(2);
    let many = json!({"from": "a1", "to": ["b1", "b2"], "links": ["a1->s", "s->t", "t->b1", "t->b2"], "priority": 0,
        "traffic": cbr(20_000)});
    vcs["many"] = many;
    let mut document = document(&json!({"kind": "erica", "interval_cells": null}), vcs);
    document["probes"] = json!([quantity("background"), quantity("capacity"), quantity("active")]);
    let tables = run(&document, Duration::from_ms(50));
    // Counted by whole cells in intervals of 1 ms.
    assert!((last(&tables, 0) - 170_000.0).abs() <= 3_000.0, "{}", last(&tables, 0));
    assert!((last(&tables, 1) - 730_000.0).abs() <= 3_000.0, "{}", last(&tables, 1));
    assert_eq!(last(&tables, 2), 1.0);
}

#[test]
fn only_a_port_with_abr_has_an_algorithm() {
    let mut plain = document(&json!({"kind": "erica"}), json!({"vc": vc(0, json!({"kind": "greedy"}))}));
    plain["probes"] = json!([quantity("fair_share")]);
    let error = Network::from_json(&plain.to_string()).map(drop).expect_err("no ABR VC");
    assert_eq!(error.path, "probes[0].link");
}

#[test]
fn explicit_rates_reach_the_source_and_corrupted_ones_do_not() {
    for (probability, told) in [(0.0, true), (1.0, false)] {
        let mut document = document(&json!({"kind": "erica"}), json!({"vc": abr_vc(0, json!({"kind": "greedy"}))}));
        document["probes"] = json!([{"kind": "acr", "vc": "vc", "every": MS}]);
        // The way back from t to s, before the port is asked.
        let spoils = json!([{"kind": "random_corruption", "probability": probability}]);
        let back = document["links"].as_array().expect("links").iter().position(|l| l["name"] == "t->s");
        document["links"][back.expect("t->s")]["impairments"] = spoils;
        let acr = last(&run(&document, Duration::from_ms(50)), 0);
        assert_eq!((acr / 900_000.0 - 1.0).abs() < 0.01, told, "ACR {acr}");
    }
}

#[test]
fn marks_reach_the_source_by_each_of_the_ways() {
    // Nothing but CI lowers ACR: two sources that may send at the line's rate go below it.
    for rate in [
        json!({"kind": "efci"}),
        json!({"kind": "relative_rate"}),
        json!({"kind": "relative_rate", "direction": "forward"}),
        json!({"kind": "capc", "target_utilisation": 1.0, "rup": 1e-9, "rdn": 1e-9, "threshold": 100}),
    ] {
        let mut vcs = json!({"u": abr_vc(0, json!({"kind": "greedy"})), "v": abr_vc(1, json!({"kind": "greedy"}))});
        for name in ["u", "v"] {
            vcs[name]["abr"] = json!({});
        }
        let mut document = document(&rate, vcs);
        document["probes"] = json!([{"kind": "acr", "vc": "u", "every": 10 * MS}]);
        let acr = last(&run(&document, Duration::from_ms(200)), 0);
        assert!((100_000.0..900_000.0).contains(&acr), "{rate}: ACR {acr}");
    }
}

#[test]
fn aging_takes_back_what_a_source_does_not_use() {
    let limited = json!({"kind": "cbr", "rate": [50_000, 1]});
    let acr = |aging: Value| {
        let rate = json!({"kind": "erica", "aging": aging});
        let vcs = json!({"limited": abr_vc(0, limited.clone()), "greedy": abr_vc(1, json!({"kind": "greedy"}))});
        let mut document = document(&rate, vcs);
        document["probes"] = json!([{"kind": "acr", "vc": "limited", "every": 100 * MS},
            {"kind": "acr", "vc": "greedy", "every": 100 * MS}]);
        let tables = run(&document, Duration::from_ms(1_000));
        (last(&tables, 0), last(&tables, 1))
    };
    let (retained, other) = acr(json!(null));
    assert!(retained > 400_000.0, "ACR {retained} of a source that uses 52 000");
    let (left, besides) = acr(json!({}));
    // With the defaults (alpha 0.5, delta 1.1) the allocation of 848 000 over 1 + e^(u/2) - e^0.55 is u times what is used
    // for u = 5.1.
    assert!((100_000.0..350_000.0).contains(&left), "ACR {left} where {retained} was retained");
    assert!(besides > 0.95 * other, "the other source gets {besides} instead of {other}");
}

/// Before the first interval ends; a VC the other way sends only RM cells here and asks for no share.
#[test]
fn the_first_share_is_that_of_the_vcs_with_data() {
    let mut other_way = abr_vc(2, json!({"kind": "greedy"}));
    other_way["from"] = json!("b2");
    other_way["to"] = json!(["a2"]);
    other_way["links"] = json!(["b2->t", "t->s", "s->a2"]);
    let mut vcs = json!({"v": abr_vc(0, json!({"kind": "greedy"})), "w": abr_vc(1, json!({"kind": "greedy"})),
        "plain": vc(3, json!({"kind": "cbr", "rate": [1_000, 1]}))});
    let erica = json!({"kind": "erica", "interval": 10 * MS, "interval_cells": null});
    for (shares, returned) in [(2.0, false), (2.0, true), (3.0, true)] {
        if returned {
            vcs["other"] = other_way.clone();
        }
        if shares > 2.0 {
            vcs["other"]["return_traffic"] = json!({"kind": "greedy"});
        }
        let mut document = document(&erica, vcs.clone());
        document["probes"] = json!([quantity("fair_share")]);
        let share = last(&run(&document, Duration::from_ms(5)), 0);
        assert!((share - 900_000.0 / shares).abs() < 1e-6, "{share} cells/s, of {shares} VCs");
    }
}

/// Round trips far shorter than the averaging interval, and far more VCs than one could let start at the whole rate.
#[test]
fn many_vcs_start_over_a_short_distance_without_a_flood() {
    let mut vcs = Map::new();
    for v in 0..200 {
        let mut vc = abr_vc(v % 4, json!({"kind": "greedy"}));
        vc["abr"]["icr"] = json!([1_000, 1]);
        vcs.insert(format!("v{v}"), vc);
    }
    let erica = json!({"kind": "erica", "interval": 10 * MS, "interval_cells": null});
    let mut document = document(&erica, vcs.into());
    for link in document["links"].as_array_mut().expect("links") {
        link["delay"] = json!(1_000_000);
    }
    let tables = run(&document, Duration::from_ms(200));
    let switches = tables.iter().find(|t| t.name == "switches").expect("a table");
    let peak = switches.u64s("peak");
    // Equal shares of the target rate fit the line at once; what waits is what meets by chance, at most a cell of each VC.
    assert!(peak.iter().all(|&cells| cells <= 200), "{peak:?} cells waited");
}

#[test]
fn a_full_memory_drops_at_ports_with_an_algorithm_too() {
    let mut greedy = abr_vc(0, json!({"kind": "greedy"}));
    greedy["abr"]["icr"] = json!([1_000_000, 1]);
    let mut second = abr_vc(1, json!({"kind": "greedy"}));
    second["abr"]["icr"] = json!([1_000_000, 1]);
    let mut document = document(&json!({"kind": "efci"}), json!({"v": greedy, "w": second}));
    document["switches"]["s"]["memory"] = json!(5);
    let tables = run(&document, Duration::from_ms(5));
    let table = |name: &str| tables.iter().find(|t| t.name == name).expect("a table");
    let reasons = table("drops").texts("reason");
    assert!(!reasons.is_empty() && reasons.iter().all(|&reason| reason == "memory_full"), "{reasons:?}");
    let at_s = table("switches").texts("node").iter().position(|&node| node == "s").expect("a switch");
    assert_eq!(table("switches").u64s("peak")[at_s], 5);
}
