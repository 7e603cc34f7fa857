//! The networks that are measured: two switches and one bottleneck, or a chain of ten switches; at several distances.

use serde_json::{Map, Value, json};

/// A network and how to call it.
pub(crate) struct Case {
    /// Name on the command line.
    pub(crate) name: String,
    /// What the design measured on its prototypes, as instructions per cell-hop.
    pub(crate) design: &'static str,
    /// Writes the engine document.
    pub(crate) document: Box<dyn Fn() -> Value>,
    /// Simulated milliseconds of the runs that are timed.
    pub(crate) timed: u64,
    /// Simulated milliseconds between which instructions are counted.
    pub(crate) counted: [u64; 2],
}

const SOURCES: usize = 15;
const RATE: u64 = 149_760_000;
const MS: u64 = 1_000_000_000;
const US_50: u64 = 50_000_000;

/// All networks, in the order of the report.
pub(crate) fn all() -> Vec<Case> {
    let delays = [("5ms", 5 * MS), ("50us", US_50), ("0m", 0)];
    let mut cases = Vec::new();
    let mut case = |name: String, design, document: Box<dyn Fn() -> Value>| {
        // Counted in a steady state; some 3 to 25 million cell-hops are timed.
        let (timed, counted) = match name.split('-').next() {
            Some("tcp") => (20_000, [2_000, 3_000]),
            _ if name.starts_with("abr-1000") => (1_000, [300, 400]),
            _ if name.starts_with("abr-5") => (20_000, [100, 300]),
            _ => (4_000, [100, 300]),
        };
        cases.push(Case { name, design, document, timed, counted });
    };
    for ((distance, delay), design) in delays.into_iter().zip(["105-126", "-", "-"]) {
        case(format!("on-off-{distance}"), design, Box::new(move || on_off(delay, false)));
    }
    case("on-off-watched".into(), "-", Box::new(move || on_off(5 * MS, true)));
    for (distance, delay) in delays {
        case(format!("credit-{distance}"), "-", Box::new(move || credit(delay)));
    }
    for ((distance, delay), design) in delays.into_iter().zip(["117-146", "-", "153-276"]) {
        case(format!("abr-{distance}"), design, Box::new(move || abr(SOURCES, delay)));
    }
    case("tcp-15".into(), "at most 1.0 s for 20 s", Box::new(move || tcp(SOURCES, "fifo")));
    case("tcp-15-wfq".into(), "-", Box::new(move || tcp(SOURCES, "wfq")));
    case("tcp-500".into(), "-", Box::new(move || tcp(500, "fifo")));
    for (distance, delay) in [("5ms", 5 * MS), ("50us", US_50)] {
        case(format!("abr-5-{distance}"), "-", Box::new(move || abr(5, delay)));
        case(format!("abr-1000-{distance}"), "at most 2 abr-5", Box::new(move || abr_chain(10, 100, 10, delay)));
        case(format!("abr-1000-hosts-{distance}"), "-", Box::new(move || abr_chain(10, 1_000, 1, delay)));
        case(format!("abr-1000-crossing-{distance}"), "-", Box::new(move || abr_crossing(10, 10, 10, delay)));
    }
    cases
}

/// 15 on-off sources of 1/16 of the line each (0.94 in all), no feedback; with every queue recorded where watched.
fn on_off(delay: u64, watched: bool) -> Value {
    let peak = json!([RATE, 424 * 2]);
    let traffic = json!({"kind": "on_off", "peak": peak, "on": MS, "off": 7 * MS});
    let mut document = two_switches(SOURCES, delay, &json!({"traffic": traffic}), None);
    if watched {
        let recorder = |node: &str| json!({"kind": "queue", "node": node, "every": MS});
        document["probes"] = json!([recorder("s1"), recorder("s2")]);
    }
    document
}

/// 15 greedy N23 sources: data one way, credit cells on every link the other way.
fn credit(delay: u64) -> Value {
    two_switches(SOURCES, delay, &json!({"traffic": {"kind": "greedy"}}), Some(&json!({"kind": "n23", "n2": 10})))
}

/// Greedy ABR sources that share one link by ERICA: RM cells both ways.
fn abr(sources: usize, delay: u64) -> Value {
    let mut document = two_switches(sources, delay, &greedy_abr(1_000), None);
    document["switches"]["s1"] = json!({"ports": {"s1->s2": {"rate": {"kind": "erica"}}}});
    document
}

/// The network of the GFR paper: greedy SACK sources, 5 ms links, Selective Drop or weighted fair queuing.
fn tcp(sources: usize, schedule: &str) -> Value {
    let traffic = json!({"kind": "tcp", "mss": 1024, "window": 600_000});
    let mcr = [RATE / 424 / sources as u64, 1];
    let mut document = two_switches(sources, 5 * MS, &json!({"traffic": traffic, "mcr": mcr}), None);
    let discard = if schedule == "wfq" { "epd" } else { "selective_drop" };
    let port = json!({"buffer": 12_000, "schedule": {"kind": schedule}, "discard": {"kind": discard}});
    document["switches"]["s1"] = json!({"ports": {"s1->s2": port}});
    document
}

/// Greedy ABR VCs from one end of a chain of switches to the other, several from each host.
fn abr_chain(switches: usize, hosts: usize, vcs: usize, delay: u64) -> Value {
    let mut network = chain(switches, delay);
    for h in 0..hosts {
        let (a, b) = (format!("a{h}"), format!("b{h}"));
        network.duplex(&a, "s0", delay);
        network.duplex(&format!("s{}", switches - 1), &b, delay);
        let nodes: Vec<String> = [a].into_iter().chain((0..switches).map(|s| format!("s{s}"))).chain([b]).collect();
        for _ in 0..vcs {
            network.vc(&nodes, &greedy_abr(100));
        }
    }
    with_erica(network, switches, false)
}

/// The same between the switches of a chain: at each `hosts` that send `vcs` VCs each, to all other switches in turn.
fn abr_crossing(switches: usize, hosts: usize, vcs: usize, delay: u64) -> Value {
    let mut network = chain(switches, delay);
    for s in 0..switches {
        for h in 0..hosts {
            let (a, b) = (format!("a{s}.{h}"), format!("b{s}.{h}"));
            network.duplex(&a, &format!("s{s}"), delay);
            network.duplex(&format!("s{s}"), &b, delay);
            for v in 0..vcs {
                let to = (s + 1 + v % (switches - 1)) % switches;
                let step = |k: usize| if to > s { s + k } else { s - k };
                let hops = (0..=s.abs_diff(to)).map(|k| format!("s{}", step(k)));
                let nodes: Vec<String> = [a.clone()].into_iter().chain(hops).chain([format!("b{to}.{h}")]).collect();
                network.vc(&nodes, &greedy_abr(1_000));
            }
        }
    }
    with_erica(network, switches, true)
}

fn chain(switches: usize, delay: u64) -> Drawing {
    let mut network = Drawing::default();
    for s in 1..switches {
        network.duplex(&format!("s{}", s - 1), &format!("s{s}"), delay);
    }
    network
}

fn greedy_abr(icr: u64) -> Value {
    json!({"traffic": {"kind": "greedy"}, "abr": {"rif": 1.0, "icr": [icr, 1]}})
}

/// With ERICA where a switch sends to the next, or also to the one before. Some hundred VCs share a link: an interval
/// holds several cells of each.
fn with_erica(network: Drawing, switches: usize, both_ways: bool) -> Value {
    let mut document = network.document();
    for s in 0..switches {
        let mut ports = Map::new();
        let before = s.checked_sub(1).filter(|_| both_ways);
        for t in before.into_iter().chain([s + 1].into_iter().filter(|&t| t < switches)) {
            let erica = json!({"kind": "erica", "interval": 10 * MS, "interval_cells": null});
            ports.insert(format!("s{s}->s{t}"), json!({"rate": erica}));
        }
        document["switches"][format!("s{s}")] = json!({"ports": ports});
    }
    document
}

fn two_switches(sources: usize, delay: u64, vc: &Value, credit: Option<&Value>) -> Value {
    let mut network = Drawing::default();
    network.duplex("s1", "s2", delay);
    for i in 0..sources {
        let (a, b) = (format!("a{i}"), format!("b{i}"));
        network.duplex(&a, "s1", delay);
        network.duplex("s2", &b, delay);
        let mut vc = vc.clone();
        if let Some(scheme) = credit {
            let links = [format!("{a}->s1"), "s1->s2".into(), format!("s2->{b}")];
            vc["credit"] = links.into_iter().map(|l| (l, scheme.clone())).collect::<Map<_, _>>().into();
        }
        network.vc(&[a, "s1".into(), "s2".into(), b], &vc);
    }
    network.document()
}

/// A network while it is drawn up; names that begin with s are switches.
#[derive(Default)]
struct Drawing {
    links: Vec<Value>,
    hosts: Map<String, Value>,
    switches: Map<String, Value>,
    vcs: Map<String, Value>,
}

impl Drawing {
    fn duplex(&mut self, a: &str, b: &str, delay: u64) {
        for (from, to) in [(a, b), (b, a)] {
            let link = json!({"name": format!("{from}->{to}"), "from": from, "to": to, "rate": RATE, "delay": delay});
            self.links.push(link);
            let nodes = if from.starts_with('s') { &mut self.switches } else { &mut self.hosts };
            nodes.insert(from.to_owned(), json!({}));
        }
    }

    fn vc(&mut self, nodes: &[String], vc: &Value) {
        let mut vc = vc.clone();
        vc["from"] = json!(nodes[0]);
        vc["to"] = json!([nodes[nodes.len() - 1]]);
        vc["links"] = nodes.windows(2).map(|pair| format!("{}->{}", pair[0], pair[1])).collect();
        self.vcs.insert(format!("vc{}", self.vcs.len()), vc);
    }

    fn document(self) -> Value {
        json!({"version": 1, "seed": 1, "hosts": self.hosts, "switches": self.switches, "links": self.links,
            "vcs": self.vcs})
    }
}
