//! Minimum rates in a network: fair queuing, policing, and discard of whole frames.

use cellway_kernel::table::Table;
use cellway_kernel::time::Time;
use cellway_models::network::Network;
use serde_json::{Map, Value, json};

/// 424 Mbit/s: 10^6 cells/s.
const RATE: u64 = 424_000_000;
const CELL_PS: u64 = 1_000_000;

/// Sources s0, s1, ... over one switch to one host.
fn star(traffic: &[Value], port: &Value) -> Value {
    let mut hosts: Map<String, Value> = [("sink".to_owned(), json!({}))].into_iter().collect();
    let mut links = vec![json!({"name": "x->sink", "from": "x", "to": "sink", "rate": RATE, "delay": 0})];
    let mut vcs = Map::new();
    for (i, traffic) in traffic.iter().enumerate() {
        let (host, link) = (format!("s{i}"), format!("s{i}->x"));
        links.push(json!({"name": link, "from": host, "to": "x", "rate": RATE, "delay": 0}));
        vcs.insert(host.clone(), json!({"from": host, "to": ["sink"], "links": [link, "x->sink"], "traffic": traffic}));
        hosts.insert(host, json!({}));
    }
    json!({"version": 1, "seed": 7, "hosts": hosts, "switches": {"x": {"ports": {"x->sink": port}}}, "links": links,
        "vcs": vcs})
}

fn run(document: &Value, cells: u64) -> Vec<Table> {
    let mut network = Network::from_json(&document.to_string()).expect("a valid scenario");
    network.run_until(Time::from_ps(cells * CELL_PS));
    network.tables()
}

fn table<'a>(tables: &'a [Table], name: &str) -> &'a Table {
    tables.iter().find(|t| t.name == name).expect("the table exists")
}

fn dropped(tables: &[Table], reason: &str) -> u64 {
    let drops = table(tables, "drops");
    drops.texts("reason").iter().zip(drops.u64s("cells")).filter(|(why, _)| **why == reason).map(|(_, n)| n).sum()
}

#[test]
fn fair_queuing_shares_a_full_line_by_minimum_rates() {
    let traffic = json!({"kind": "cbr", "rate": [600_000, 1]});
    let mut document = star(&vec![traffic; 4], &json!({"schedule": {"kind": "wfq", "default_share": 0.1}}));
    for (vc, mcr) in [("s0", 100_000), ("s1", 200_000), ("s2", 600_000)] {
        document["vcs"][vc]["mcr"] = json!([mcr, 1]);
    }
    let tables = run(&document, 100_000);
    // Equal weights by sum: 100 : 200 : 600 : 100, the last without a minimum.
    let rates = table(&tables, "vcs").f64s("rate");
    for (vc, share) in [(0, 0.1), (1, 0.2), (2, 0.6), (3, 0.1)] {
        assert!((rates[vc] / 1e6 - share).abs() < 0.001, "{rates:?}");
    }
}

#[test]
fn what_a_vc_leaves_is_shared_by_the_others() {
    let mut document = star(
        &[
            json!({"kind": "cbr", "rate": [50_000, 1]}),
            json!({"kind": "cbr", "rate": [900_000, 1]}),
            json!({"kind": "cbr", "rate": [900_000, 1]}),
        ],
        &json!({"schedule": {"kind": "wfq"}}),
    );
    for (vc, mcr) in [("s0", 500_000), ("s1", 100_000), ("s2", 400_000)] {
        document["vcs"][vc]["mcr"] = json!([mcr, 1]);
    }
    let rates = run(&document, 100_000);
    let rates = table(&rates, "vcs").f64s("rate");
    for (vc, share) in [(0, 0.05), (1, 0.19), (2, 0.76)] {
        assert!((rates[vc] / 1e6 - share).abs() < 0.001, "{rates:?}");
    }
}

#[test]
fn policing_passes_the_rate_of_the_contract() {
    for (action, delivered) in [("tag", 40_000), ("discard", 25_000)] {
        let mut document = star(&[json!({"kind": "cbr", "rate": [400_000, 1]})], &json!({}));
        document["vcs"]["s0"]["police"] =
            json!({"kind": "gcra", "rate": [250_000, 1], "tolerance": 10 * CELL_PS, "action": action});
        let tables = run(&document, 100_000);
        let of = |name: &str| table(&tables, "policing").u64s(name)[0];
        let marked = of("tagged") + of("discarded");
        assert!((of("conforming") as i64 - 25_000).abs() <= 5 && (marked as i64 - 15_000).abs() <= 5, "{action}");
        assert!((table(&tables, "vcs").u64s("delivered")[0] as i64 - delivered).abs() <= 5, "{action}");
        let queues = table(&tables, "queues");
        assert_eq!(queues.u64s("arrived_clp0")[0], of("conforming"), "{action}");
        assert_eq!(queues.u64s("arrived")[0], of("conforming") + of("tagged"), "{action}");
    }
}

/// Ten sources of frames of 20 cells, 1.3 times what the line carries.
fn frames(port: &Value) -> Vec<Table> {
    let traffic = json!({"kind": "burst", "cells": 20, "idle": 134 * CELL_PS, "idle_distribution": "exponential",
        "as_message": true});
    run(&star(&vec![traffic; 10], port), 200_000)
}

/// Whole frames that arrived, of all that could have on this line, and spoiled ones.
fn good(tables: &[Table]) -> (f64, u64) {
    let sum = |column: &str| table(tables, "vcs").u64s(column).iter().sum::<u64>();
    (sum("messages") as f64 * 20.0 / 200_000.0, sum("spoiled_messages"))
}

#[test]
fn discarding_frames_saves_the_line_for_whole_ones() {
    let of = |discard: Value| frames(&json!({"buffer": 400, "discard": discard}));
    let tail = good(&of(json!({"kind": "tail_drop"})));
    let (ppd, epd) = (of(json!({"kind": "ppd"})), of(json!({"kind": "epd", "fraction": 0.5})));
    // Romanow and Floyd, section 4: early discard wastes nothing but last cells, partial discard half a frame at most.
    let (partial, early) = (good(&ppd), good(&epd));
    assert!(tail.0 + 0.02 < partial.0 && partial.0 + 0.02 < early.0, "{tail:?} {partial:?} {early:?}");
    assert!(early.0 > 0.97, "{early:?}");
    assert!(dropped(&ppd, "frame_remainder") > 0 && dropped(&ppd, "frame_refused") == 0);
    assert!(dropped(&epd, "frame_refused") > 0);
    assert_eq!((dropped(&epd, "buffer_full"), dropped(&epd, "frame_remainder")), (0, 0), "ten frames fit above R");
}

#[test]
fn refused_frames_lose_all_but_their_last_cells() {
    let tables = frames(&json!({"buffer": 400, "discard": {"kind": "epd", "fraction": 0.5}}));
    // 19 of 20 cells of each spoiled message, but for a frame that is being dropped at the end.
    let (_, spoiled) = good(&tables);
    let refused = dropped(&tables, "frame_refused");
    assert!(refused / 19 >= spoiled && refused / 19 <= spoiled + 40, "{refused} cells of {spoiled} frames");
}

#[test]
fn selective_drop_protects_those_who_keep_to_their_share() {
    // One source of long bursts against nine that use a tenth of what is left.
    let small = json!({"kind": "burst", "cells": 20, "idle": 600 * CELL_PS, "idle_distribution": "exponential",
        "as_message": true});
    let large = json!({"kind": "burst", "cells": 20, "idle": 0, "as_message": true});
    let mut traffic = vec![small; 9];
    traffic.push(large);
    let lost = |discard: &str| {
        let port = json!({"buffer": 300, "discard": {"kind": discard}, "schedule": {"kind": "fifo"}});
        let tables = run(&star(&traffic, &port), 200_000);
        let queues = table(&tables, "queues");
        queues.u64s("dropped")[..9].iter().sum::<u64>() as f64 / queues.u64s("arrived")[..9].iter().sum::<u64>() as f64
    };
    let (early, selective, fair) = (lost("epd"), lost("selective_drop"), lost("fair_buffer_allocation"));
    assert!(early > 0.05 && selective < early / 5.0 && fair < early / 5.0, "{early} {selective} {fair}");
}

#[test]
fn frame_tagging_and_weighted_allocation_prefer_conforming_frames() {
    // Two equal overloads, of which one has a contract for 0.6 of the line.
    let traffic = json!({"kind": "burst", "cells": 20, "idle": 2 * CELL_PS, "idle_distribution": "exponential",
        "as_message": true});
    let port = json!({"buffer": 600, "discard": {"kind": "weighted_buffer_allocation"}, "schedule": {"kind": "fifo"}});
    let mut document = star(&[traffic.clone(), traffic], &port);
    for (vc, mcr) in [("s0", 600_000), ("s1", 100_000)] {
        document["vcs"][vc]["mcr"] = json!([mcr, 1]);
        document["vcs"][vc]["police"] = json!({"kind": "frame_gcra", "mbs": 400});
    }
    let tables = run(&document, 200_000);
    let of = |name: &str, vc: usize| table(&tables, "queues").u64s(name)[vc] as f64 / 200_000.0;
    // The untagged part is the contract's, but for the last cells of tagged frames.
    for (vc, mcr) in [(0, 0.6), (1, 0.1)] {
        let tagged = of("arrived", vc) - of("arrived_clp0", vc);
        let conforming = of("arrived_clp0", vc) - tagged / 19.0;
        assert!((conforming - mcr).abs() < 0.01, "VC {vc}: {conforming} conforms");
    }
    assert!(of("departed", 0) > 0.58, "the contract of 0.6 is nearly kept: {}", of("departed", 0));
    for vc in 0..2 {
        let untagged = of("dropped_clp0", vc) / of("arrived_clp0", vc);
        let dropped = of("dropped", vc) - of("dropped_clp0", vc);
        let tagged = dropped / (of("arrived", vc) - of("arrived_clp0", vc));
        assert!(untagged < tagged / 2.0, "VC {vc} loses {untagged} of its untagged cells, {tagged} of its tagged");
    }
}
