//! The networks that are measured: two switches, 15 sources, one bottleneck, at three distances.

use serde_json::{Map, Value, json};

/// A network and how to call it.
pub(crate) struct Case {
    /// Name on the command line.
    pub(crate) name: String,
    /// What the design measured on its prototypes, as instructions per cell-hop.
    pub(crate) design: &'static str,
    /// The engine document.
    pub(crate) document: Value,
}

const SOURCES: usize = 15;
const RATE: u64 = 149_760_000;

/// All networks, in the order of the report.
pub(crate) fn all() -> Vec<Case> {
    let delays = [("5ms", 5_000_000_000u64), ("50us", 50_000_000), ("0m", 0)];
    let mut cases = Vec::new();
    for (kind, design) in [("on-off", ["105-126", "-", "-"]), ("credit", ["117-146 (ABR)", "-", "153-276 (ABR)"])] {
        for ((distance, delay), design) in delays.into_iter().zip(design) {
            let document = if kind == "on-off" { on_off(delay) } else { credit(delay) };
            cases.push(Case { name: format!("{kind}-{distance}"), design, document });
        }
    }
    cases
}

/// 15 on-off sources of 1/16 of the line each (0.94 in all), no feedback.
fn on_off(delay: u64) -> Value {
    let ms = 1_000_000_000u64;
    let peak = json!([RATE, 424 * 2]);
    two_switches(delay, &json!({"kind": "on_off", "peak": peak, "on": ms, "off": 7 * ms}), false)
}

/// 15 greedy N23 sources: data one way, credit cells on every link the other way.
fn credit(delay: u64) -> Value {
    two_switches(delay, &json!({"kind": "greedy"}), true)
}

fn two_switches(delay: u64, traffic: &Value, credit: bool) -> Value {
    let mut links = Vec::new();
    let mut hosts = Map::new();
    let mut vcs = Map::new();
    let mut duplex = |a: &str, b: &str| {
        for (from, to) in [(a, b), (b, a)] {
            links.push(json!({"name": format!("{from}->{to}"), "from": from, "to": to, "rate": RATE, "delay": delay}));
        }
    };
    duplex("s1", "s2");
    for i in 0..SOURCES {
        let (a, b) = (format!("a{i}"), format!("b{i}"));
        duplex(&a, "s1");
        duplex("s2", &b);
        let route = [format!("{a}->s1"), "s1->s2".into(), format!("s2->{b}")];
        let mut vc = json!({"from": a, "to": [b], "links": route, "traffic": traffic});
        if credit {
            let scheme = json!({"kind": "n23", "n2": 10});
            vc["credit"] = route.iter().map(|l| (l.clone(), scheme.clone())).collect::<Map<_, _>>().into();
        }
        vcs.insert(format!("vc{i}"), vc);
        hosts.insert(a, json!({}));
        hosts.insert(b, json!({}));
    }
    json!({"version": 1, "seed": 1, "hosts": hosts, "switches": {"s1": {}, "s2": {}}, "links": links, "vcs": vcs})
}
