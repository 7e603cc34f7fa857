//! What the engine refuses by itself, whatever Python has checked: every fault is an error with a path, never a panic.

use cellway_models::network::Network;
use serde_json::{Value, json};

fn scenario() -> Value {
    let link = |from: &str, to: &str| json!({"name": format!("{from}->{to}"), "from": from, "to": to, "rate": 424_000_000, "delay": 0});
    json!({"version": 1, "seed": 1, "hosts": {"a": {}, "b": {}, "c": {}}, "switches": {"s": {}},
        "links": [link("a", "s"), link("s", "a"), link("s", "b"), link("b", "s"), link("s", "c"), link("c", "s")],
        "vcs": {"vc": {"from": "a", "to": ["b"], "links": ["a->s", "s->b"], "traffic": {"kind": "greedy"},
                       "credit": {"a->s": {"kind": "n23"}}}}})
}

/// Sets the value at a JSON pointer; the last step may be new.
fn with(pointer: &str, value: Value) -> Value {
    let mut document = scenario();
    let (parent, key) = pointer.rsplit_once('/').expect("a JSON pointer");
    match document.pointer_mut(parent).expect("the parent exists") {
        Value::Object(map) => drop(map.insert(key.to_owned(), value)),
        Value::Array(list) => list[key.parse::<usize>().expect("an index")] = value,
        other => panic!("{other} has no members"),
    }
    document
}

#[test]
fn the_scenario_itself_is_good() {
    assert!(Network::from_json(&scenario().to_string()).is_ok());
}

#[test]
fn each_fault_is_located() {
    let cases: Vec<(&str, Value, &str, &str)> = vec![
        ("/version", json!(2), "version", "another version"),
        ("/sead", json!(2), "", "unknown field `sead`"),
        ("/vcs/vc/traffic/kind", json!("gredy"), "vcs.vc.traffic.kind", "unknown variant `gredy`"),
        ("/vcs/vc/traffic", json!({"kind": "cbr", "rate": [0, 1]}), "vcs.vc.traffic.rate", "rate"),
        ("/vcs/vc/traffic", json!({"kind": "cbr", "rate": [1, 0]}), "vcs.vc.traffic.rate", "rate"),
        ("/vcs/vc/traffic/stop", json!(0), "vcs.vc.traffic.stop", "stops before"),
        ("/vcs/vc/traffic/start", json!(u64::MAX), "vcs.vc.traffic", "duration"),
        ("/vcs/vc/from", json!("s"), "vcs.vc.from", "ends at hosts"),
        ("/vcs/vc/from", json!("x"), "vcs.vc.from", "no host"),
        ("/vcs/vc/to", json!([]), "vcs.vc", "destination"),
        ("/vcs/vc/to", json!(["b", "b"]), "vcs.vc.to[1]", "twice"),
        ("/vcs/vc/to", json!(["a"]), "vcs.vc.to[0]", "does not lead"),
        ("/vcs/vc/to", json!(["c"]), "vcs.vc.to[0]", "does not lead to c"),
        ("/vcs/vc/links", json!([]), "vcs.vc.to[0]", "does not lead"),
        ("/vcs/vc/links/0", json!("a->x"), "vcs.vc.links[0]", "does not exist"),
        ("/vcs/vc/links", json!(["s->b"]), "vcs.vc.links[0]", "has not come yet"),
        ("/vcs/vc/links", json!(["a->s", "s->b", "b->s"]), "vcs.vc.links[2]", "no tree"),
        ("/vcs/vc/links", json!(["a->s", "s->b", "s->c"]), "vcs.vc.links", "no destination"),
        ("/vcs/vc/priority", json!(64), "vcs.vc.priority", "priority"),
        ("/vcs/vc/credit", json!({"s->c": {"kind": "n23"}}), "vcs.vc.credit.s->c", "does not use"),
        ("/vcs/vc/credit/a->s/n2", json!(0), "vcs.vc.credit.a->s.n2", "credit cell"),
        ("/vcs/vc/credit/a->s/r", json!(1), "vcs.vc.credit.a->s.r", "overflow"),
        (
            "/vcs/vc/credit/a->s",
            json!({"kind": "n23", "n3": 51, "r": 1_000_000_000u64}),
            "vcs.vc.credit.a->s.r",
            "stalls",
        ),
        ("/vcs/vc/credit/a->s/target", json!([2_000_000, 1]), "vcs.vc.credit.a->s.target", "impossible"),
        ("/vcs/vc/credit/a->s/timeout", json!(0), "vcs.vc.credit.a->s.timeout", "no length"),
        ("/vcs/vc/credit/a->s", json!({"kind": "n123", "n1": 1}), "vcs.vc.credit.a->s.n1", "loop"),
        ("/hosts/a/schedule", json!({"kind": "fifo"}), "hosts.a.schedule", "share a queue"),
        ("/hosts/a/schedule", json!({"kind": "wfq"}), "hosts.a.schedule", "no discipline can stamp"),
        ("/hosts/s", json!({}), "switches.s", "same name"),
        ("/switches/s/memory", json!(3), "switches.s.memory", "reserve"),
        ("/switches/s/ports", json!({"s->x": {}}), "switches.s.ports.s->x", "no such port"),
        ("/switches/s/ports", json!({"s->b": {"buffer": 0}}), "switches.s.ports.s->b.buffer", "without any buffer"),
        ("/vcs/vc/mcr", json!([1, 0]), "vcs.vc.mcr", "guarantee"),
        ("/vcs/vc/mcr", json!([1_000_001, 1]), "vcs.vc.mcr", "guarantee"),
        ("/vcs/vc/police", json!({"kind": "gcra"}), "vcs.vc.police.rate", "no rate to police"),
        ("/vcs/vc/police", json!({"kind": "gcra", "rate": [1, 0]}), "vcs.vc.police.rate", "cannot be policed"),
        ("/vcs/vc/police", json!({"kind": "gcra", "rate": [5, 1], "action": "shape"}), "vcs.vc.police", "`shape`"),
        ("/vcs/vc/police", json!({"kind": "frame_gcra", "rate": [5, 1]}), "vcs.vc.police", "missing field `mbs`"),
        ("/vcs/vc/police", json!({"kind": "frame_gcra", "mbs": 46}), "vcs.vc.police.rate", "no rate to police"),
        (
            "/vcs/vc/police",
            json!({"kind": "frame_gcra", "mbs": 46, "rate": [5, 1], "pcr": [4, 1]}),
            "vcs.vc.police.pcr",
            "below the minimum",
        ),
        ("/links/0/rate", json!(0), "links[0].rate", "rate"),
        ("/links/0/rate", json!(-5), "links[0].rate", "invalid"),
        ("/links/0/to", json!("a"), "links[0].to", "own node"),
        ("/links/1", json!({"name": "a->s", "from": "a", "to": "s", "rate": 1, "delay": 0}), "links[1].name", "twice"),
        (
            "/links/1",
            json!({"name": "a->c", "from": "a", "to": "c", "rate": 1, "delay": 0}),
            "links[1].from",
            "one network interface",
        ),
        ("/links/0/delay", json!((1u64 << 60) + 1), "links[0].delay", "longer than any run"),
        (
            "/links/0/impairments",
            json!([{"kind": "random_loss", "probability": 1.5}]),
            "links[0].impairments[0].probability",
            "probability",
        ),
        (
            "/links/0/impairments",
            json!([{"kind": "scheduled_loss", "periods": []}]),
            "links[0].impairments[0].periods",
            "no period",
        ),
        ("/switches/s/ports", json!({"s->b": {"rate": {"kind": "erika"}}}), "switches.s.ports.s->b.rate", "erika"),
        (
            "/switches/s/ports",
            json!({"s->b": {"rate": {"kind": "erica", "target_utilisation": 0.0}}}),
            "switches.s.ports.s->b.rate.target_utilisation",
            "out of range",
        ),
        (
            "/switches/s/ports",
            json!({"s->b": {"rate": {"kind": "erica_plus", "aging": {"alpha": -1.0}}}}),
            "switches.s.ports.s->b.rate.aging.alpha",
            "out of range",
        ),
        ("/probes", json!([{"kind": "trace", "link": "x"}]), "probes[0].link", "no link"),
        (
            "/probes",
            json!([{"kind": "rate", "link": "s->b", "quantity": "fair_share"}]),
            "probes[0].link",
            "without rate algorithm",
        ),
        ("/probes", json!([{"kind": "rate", "link": "a->s", "quantity": "fair_share"}]), "probes[0].link", "a host"),
        ("/probes", json!([{"kind": "credit", "link": "s->b", "vc": "vc"}]), "probes[0].vc", "not flow controlled"),
        (
            "/probes",
            json!([{"kind": "queue", "node": "s"}, {"kind": "queue", "node": "s", "every": 5}]),
            "probes[1]",
            "the same already",
        ),
        (
            "/probes",
            json!([{"kind": "credit", "link": "a->s", "vc": "vc"}, {"kind": "credit", "link": "a->s", "vc": "vc"}]),
            "probes[1]",
            "the same already",
        ),
        ("/probes", json!([{"kind": "queue", "node": "a"}]), "probes[0].node", "no switch"),
        ("/probes", json!([{"kind": "throughput", "link": "s->b", "every": 0}]), "probes[0].every", "no length"),
    ];
    for (pointer, value, path, message) in cases {
        assert_refused(pointer, value, path, message);
    }
}

#[track_caller]
fn assert_refused(pointer: &str, value: Value, path: &str, message: &str) {
    match Network::from_json(&with(pointer, value.clone()).to_string()) {
        Ok(_) => panic!("{pointer} = {value} was accepted"),
        Err(e) => assert!(e.path.starts_with(path) && e.message.contains(message), "{pointer} = {value}: {e}"),
    }
}

#[test]
fn impossible_discard_policies_are_refused() {
    // Size of the buffer, or none; the policy; path and message of the error.
    let cases = [
        (None, json!({"kind": "early"}), ".kind", "unknown variant `early`"),
        (None, json!({"kind": "epd"}), ".fraction", "without limit"),
        (None, json!({"kind": "fair_buffer_allocation", "threshold": 5}), "", "no limit"),
        (Some(30), json!({"kind": "ppd", "threshold": 5}), "", "unknown field `threshold`"),
        (Some(30), json!({"kind": "epd", "threshold": 31}), ".threshold", "beyond the buffer"),
        (Some(30), json!({"kind": "epd", "threshold": 3, "fraction": 0.1}), ".fraction", "twice"),
        (Some(30), json!({"kind": "epd", "tagged_fraction": 0.95}), ".tagged_fraction", "kept longer"),
        (Some(30), json!({"kind": "epd", "threshold": 3, "tagged_threshold": 4}), ".tagged_threshold", "kept longer"),
        (Some(30), json!({"kind": "selective_drop", "fraction": 0}), ".fraction", "no fraction"),
        (Some(30), json!({"kind": "selective_drop", "z": 0}), ".z", "scaling"),
        (Some(30), json!({"kind": "weighted_buffer_allocation", "fraction": 1.5}), ".fraction", "no fraction"),
        (Some(30), json!({"kind": "weighted_buffer_allocation", "z": -1}), ".z", "scaling"),
    ];
    for (buffer, discard, path, message) in cases {
        let port = json!({"s->b": {"buffer": buffer, "discard": discard}});
        assert_refused("/switches/s/ports", port, &format!("switches.s.ports.s->b.discard{path}"), message);
    }
}

#[test]
fn impossible_schedules_are_refused() {
    let port = |schedule: Value| json!({"s->b": {"schedule": schedule}});
    let path = "switches.s.ports.s->b.schedule";
    let none = port(json!({"kind": "wfq", "default_share": 0}));
    assert_refused("/switches/s/ports", none, &format!("{path}.default_share"), "never be served");
    for (kind, why) in [("fifo", "shares its queue"), ("wfq", "scheduled by its arrivals")] {
        let mut document = with("/switches/s/ports", port(json!({"kind": kind})));
        document["vcs"]["vc"]["credit"] = json!({"s->b": {"kind": "n23"}});
        let error = Network::from_json(&document.to_string()).map(drop).expect_err("credits and this schedule");
        assert!(error.path == path && error.message.contains(why), "{error}");
    }
}

#[test]
fn policing_needs_a_switch() {
    let document = json!({"version": 1, "seed": 1, "hosts": {"a": {}, "b": {}},
        "links": [{"name": "a->b", "from": "a", "to": "b", "rate": 424_000_000, "delay": 0}],
        "vcs": {"vc": {"from": "a", "to": ["b"], "links": ["a->b"], "traffic": {"kind": "greedy"},
                       "police": {"kind": "gcra", "rate": [5, 1]}}}});
    let error = Network::from_json(&document.to_string()).map(drop).expect_err("no switch");
    assert!(error.path == "vcs.vc.police" && error.message.contains("no switch"), "{error}");
}

#[test]
fn credit_cells_need_a_link_to_return_on() {
    let mut document = scenario();
    document["links"].as_array_mut().expect("a list").remove(1);
    let error = Network::from_json(&document.to_string()).map(drop).expect_err("no link from s to a");
    assert_eq!(error.path, "vcs.vc.credit.a->s");
    assert!(error.message.contains("opposite direction"), "{error}");
}

#[test]
fn a_recorder_asks_an_algorithm_what_it_knows() {
    let ask = |probes: Value| {
        let mut document = with("/switches/s/ports", json!({"s->b": {"rate": {"kind": "relative_rate"}}}));
        document["vcs"]["vc"]["abr"] = json!({});
        document["probes"] = probes;
        Network::from_json(&document.to_string()).map(drop)
    };
    let rate = |quantity: &str| json!({"kind": "rate", "link": "s->b", "quantity": quantity, "every": 1_000_000_000});
    assert!(ask(json!([rate("congested")])).is_ok());
    let error = ask(json!([rate("fair_share")])).expect_err("no such quantity");
    assert_eq!((error.path.as_str(), error.allowed.as_str()), ("probes[0].quantity", "congested"));
    let error = ask(json!([rate("congested"), rate("congested")])).expect_err("twice");
    assert!(error.path == "probes[1]" && error.message.contains("the same already"), "{error}");
}

#[test]
fn garbage_is_an_error() {
    for text in ["", "{", "null", "[]", "\u{0}\u{1}", "{\"version\": 1}", "1e999"] {
        assert!(Network::from_json(text).is_err(), "{text:?}");
    }
}
