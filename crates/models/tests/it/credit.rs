//! Credit flow control of one VC over one controlled link, at points that no figure uses.

use cellway_kernel::table::Table;
use cellway_kernel::time::Time;
use cellway_models::network::Network;
use proptest::prelude::*;
use serde_json::{Value, json};

/// 424 Mbit/s: a cell lasts exactly 1 us.
const CELL_PS: u64 = 1_000_000;

struct Case {
    loop_cells: u64,
    credit: Value,
    /// Cell slots between offered cells; 0 is greedy.
    traffic: Value,
    /// Rate of the switch's output, in bit/s.
    output: u64,
    impairments: Value,
    seed: u64,
    cells: u64,
}

impl Case {
    fn greedy(loop_cells: u64, credit: Value) -> Case {
        let (traffic, impairments) = (json!({"kind": "greedy"}), json!([]));
        Case { loop_cells, credit, traffic, output: 424_000_000, impairments, seed: 1, cells: 20_000 }
    }

    /// a -> s -> b, with flow control from a to s; b is fed without.
    fn run(&self) -> Vec<Table> {
        // The loop is twice (one cell time + propagation).
        let delay = self.loop_cells * CELL_PS / 2 - CELL_PS;
        let link = |from: &str, to: &str, rate: u64, delay: u64, impairments: &Value| json!({"name": format!("{from}->{to}"), "from": from, "to": to, "rate": rate, "delay": delay, "impairments": impairments});
        let none = json!([]);
        let document = json!({"version": 1, "seed": self.seed, "hosts": {"a": {}, "b": {}}, "switches": {"s": {}},
            "links": [link("a", "s", 424_000_000, delay, &none), link("s", "a", 424_000_000, delay, &self.impairments),
                      link("s", "b", self.output, 0, &none)],
            "vcs": {"vc": {"from": "a", "to": ["b"], "links": ["a->s", "s->b"], "traffic": self.traffic,
                    "credit": {"a->s": self.credit}}}});
        let mut network = Network::from_json(&document.to_string()).expect("a valid scenario");
        let warmup = Time::from_ps(self.cells / 4 * CELL_PS);
        network.run_until(warmup);
        network.mark();
        network.run_until(Time::from_ps(self.cells * CELL_PS));
        network.tables()
    }
}

fn table<'a>(tables: &'a [Table], name: &str) -> &'a Table {
    tables.iter().find(|t| t.name == name).expect("the table exists")
}

/// Fraction of the controlled link that data used.
fn throughput(tables: &[Table]) -> f64 {
    table(tables, "links").f64s("data_utilisation")[0]
}

fn overflow(tables: &[Table]) -> u64 {
    table(tables, "credits").u64s("overflow")[0]
}

/// Where N2 does not divide N2 + N3, the literal algorithm leaves a remainder of the window unused: per round the VC
/// sends q N2 cells with q = (N2 + N3) div N2, once in R + N2 - m with m the remainder.
fn greedy_rate(n2: u64, n3: u64, r: u64) -> f64 {
    let (q, m) = ((n2 + n3) / n2, (n2 + n3) % n2);
    ((q * n2) as f64 / (r + n2 - m) as f64).min(1.0)
}

#[test]
fn greedy_throughput_over_a_grid() {
    for n2 in [1, 3, 5, 10, 20] {
        for n3 in [5, 20, 51, 97, 155, 300] {
            for loop_cells in [20, 50, 100, 156, 240] {
                let case = Case::greedy(loop_cells, json!({"kind": "n23", "n2": n2, "n3": n3}));
                let tables = case.run();
                let measured = throughput(&tables);
                // The engine's loop L, in continuous time, is the slotted R + 1.
                let r = loop_cells - 1;
                let exact = greedy_rate(n2, n3, r);
                let upper = ((n2 + n3) as f64 / r as f64).min(1.0);
                let place = format!("N2 = {n2}, N3 = {n3}, R = {r}: {measured:.4}, closed form {exact:.4}");
                assert!((measured - exact).abs() < 0.003, "{place}");
                assert!(measured <= upper + 0.003, "{place}, bound {upper:.4}");
                assert_eq!(overflow(&tables), 0, "{place}");
            }
        }
    }
}

#[test]
fn offered_load_is_carried_where_credits_suffice() {
    for n2 in [2, 10, 25] {
        for loop_cells in [30u64, 156] {
            for percent in [5u64, 20, 33, 50, 75, 90, 99] {
                let rate = percent * 10_000;
                let n3 = (loop_cells * percent).div_ceil(100);
                let mut case = Case::greedy(loop_cells, json!({"kind": "n23", "n2": n2, "n3": n3}));
                case.traffic = json!({"kind": "cbr", "rate": [rate, 1]});
                case.cells = 60_000;
                let measured = throughput(&case.run());
                let offered = percent as f64 / 100.0;
                assert!(
                    (measured - offered).abs() < 0.002,
                    "N2 = {n2}, N3 = {n3}, loop {loop_cells}: {measured} of {offered}"
                );
            }
        }
    }
}

#[test]
fn every_scheme_fills_the_link_when_sized_for_it() {
    for kind in ["n23", "cup", "n123", "additive"] {
        let tables = Case::greedy(156, json!({"kind": kind, "n2": 10})).run();
        assert!(throughput(&tables) > 0.999, "{kind}: {}", throughput(&tables));
        assert_eq!(overflow(&tables), 0, "{kind}");
    }
}

#[test]
fn absolute_update_heals_lost_credits_and_additive_update_does_not() {
    let lossy = |kind: &str, timeout: bool| {
        let mut credit = json!({"kind": kind, "n2": 10, "n3": 156});
        if timeout {
            credit["timeout"] = json!(1_000 * CELL_PS);
        }
        let mut case = Case::greedy(156, credit);
        // Congested: the switch's output carries a third.
        case.output = 424_000_000 / 3;
        case.impairments = json!([{"kind": "random_loss", "probability": 0.3, "cells": "credit"}]);
        case.cells = 40_000;
        let tables = case.run();
        assert_eq!(overflow(&tables), 0, "{kind}");
        throughput(&tables) * 3.0
    };
    for kind in ["n23", "cup", "n123"] {
        assert!(lossy(kind, true) > 0.99, "{kind}: {}", lossy(kind, true));
    }
    assert!(lossy("additive", false) < 0.01, "additive: {}", lossy("additive", false));
}

#[test]
fn a_request_heals_a_stall() {
    // All credit cells of the first ten loops are lost; then only a request can bring one back.
    let run = |timeout: Option<u64>, redundant: Option<u64>| {
        let credit = json!({"kind": "n23", "n2": 10, "n3": 156, "timeout": timeout, "redundant": redundant});
        let mut case = Case::greedy(156, credit);
        case.impairments = json!([{"kind": "scheduled_loss", "cells": "credit",
            "periods": [{"from": 0, "to": 1_560 * CELL_PS}]}]);
        throughput(&case.run())
    };
    assert_eq!(run(None, None), 0.0, "without a time-out the VC stalls for ever");
    assert!(run(Some(500 * CELL_PS), None) > 0.999);
    assert!(run(None, Some(700 * CELL_PS)) > 0.999);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// Whatever is lost, nothing overflows: the receiver never holds more than N1 + N2 + N3.
    #[test]
    fn never_an_overflow_under_random_credit_loss(
        kind in prop::sample::select(vec!["n23", "cup", "n123", "additive"]),
        n2 in 1u64..30,
        n3 in 0u64..200,
        loop_cells in 2u64..200,
        extra in 0u64..40,
        third in 1u64..12,
        loss in 0.0f64..0.9,
        seed: u64,
        timeout in prop::option::of(10u64..2_000),
        redundant in prop::option::of(10u64..2_000),
        burst: bool,
    ) {
        let mut credit = json!({"kind": kind, "n2": n2, "n3": n3,
            "timeout": timeout.map(|t| t * CELL_PS), "redundant": redundant.map(|t| t * CELL_PS)});
        if kind == "n23" {
            credit["r"] = json!((loop_cells + extra.min(n3)) * CELL_PS);
        }
        let mut case = Case::greedy(loop_cells, credit);
        case.output = 424_000_000 / third + 7;
        case.seed = seed;
        case.cells = 2_000;
        case.impairments = json!([{"kind": "random_loss", "probability": loss, "cells": "credit"}]);
        if burst {
            case.traffic = json!({"kind": "on_off", "peak": [1_000_000, 1], "on": 60 * CELL_PS, "off": 100 * CELL_PS});
        }
        let tables = case.run();
        let credits = table(&tables, "credits");
        let buffer = credits.u64s("n1")[0] + credits.u64s("n2")[0] + credits.u64s("n3")[0];
        prop_assert_eq!(credits.u64s("overflow")[0], 0);
        prop_assert!(credits.u64s("peak_receiver")[0] <= buffer);
        prop_assert!(table(&tables, "drops").u64s("cells").is_empty());
    }
}
