//! Random scenarios: trees of switches, hosts anywhere, every family mixed.

use cellway_kernel::rng::{Stream, stream};
use cellway_kernel::time::{Duration, Time};
use cellway_kernel::units::{BitRate, CellRate, Cells, Fraction};
use cellway_models::abr::Abr;
use cellway_models::buffer::BufferSpec;
use cellway_models::credit::{CreditSpec, additive::Additive, cup::Cup, n23::N23, n123::N123};
use cellway_models::impairment::{Affected, ImpairmentSpec, random_corruption, random_loss};
use cellway_models::network::Network;
use cellway_models::police::PoliceSpec;
use cellway_models::rate::{RateQuantity, RateSpec};
use cellway_models::schedule::{ScheduleSpec, fifo::Fifo, round_robin::RoundRobin, wfq::Wfq};
use cellway_models::spec::{Counted, Host, Link, Port, Probe, Scenario, Switch, VERSION, Vc};
use cellway_models::tcp::sender::Quantity;
use cellway_models::traffic::{TrafficSpec, cbr::Cbr, greedy::Greedy};
use indexmap::IndexMap;
use rand::RngExt;
use serde_json::json;
use std::collections::BTreeMap;

/// One cell time at the slowest rate used here; runs are a few thousand of these.
pub(crate) const CELL: Duration = Duration::from_ps(2_726_338);

struct Maker {
    random: Stream,
    /// Neighbour nearer to the root, for every node but the first switch.
    parents: IndexMap<String, String>,
}

/// The random scenario number `number`.
pub(crate) fn scenario(number: u64) -> Scenario {
    let mut m = Maker { random: stream(number, "random network"), parents: IndexMap::new() };
    let mut scenario = Scenario {
        version: VERSION,
        seed: number,
        switches: IndexMap::new(),
        hosts: IndexMap::new(),
        links: Vec::new(),
        vcs: IndexMap::new(),
        probes: Vec::new(),
    };
    let switches = m.random.random_range(1..=4);
    for i in 0..switches {
        scenario.switches.insert(format!("s{i}"), Switch::default());
        if i > 0 {
            let parent = m.random.random_range(0..i);
            m.parents.insert(format!("s{i}"), format!("s{parent}"));
        }
    }
    for i in 0..m.random.random_range(2..=7) {
        scenario.hosts.insert(format!("h{i}"), Host { schedule: ScheduleSpec::round_robin(RoundRobin {}) });
        let parent = m.random.random_range(0..switches);
        m.parents.insert(format!("h{i}"), format!("s{parent}"));
    }
    for (child, parent) in m.parents.clone() {
        m.duplex(&mut scenario, &child, &parent);
    }
    for i in 0..m.random.random_range(1..=10) {
        let vc = m.vc(&scenario);
        scenario.vcs.insert(format!("vc{i}"), vc);
    }
    m.ports(&mut scenario);
    m.probes(&mut scenario);
    scenario
}

impl Maker {
    fn chance(&mut self, p: f64) -> bool {
        self.random.random_bool(p)
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.random.random_range(0..of.len())].clone()
    }

    fn duplex(&mut self, scenario: &mut Scenario, a: &str, b: &str) {
        let rate = self.one(&[155_520_000u64, 155_520_000, 622_080_000, 1_000_000_007]);
        // Whole cell times make arrivals meet at one instant; zero makes the smallest lookahead.
        let cells = self.random.random_range(0..40u64);
        let delay = self.one(&[0, 0, 1, 1_234_567, cells * CELL.ps(), 300_000_000]);
        for (from, to) in [(a, b), (b, a)] {
            let mut impairments = Vec::new();
            if self.chance(0.1) {
                let probability = Fraction(self.random.random_range(0.0..0.2));
                let cells = self.one(&[Affected::All, Affected::Data, Affected::Credit, Affected::Rm]);
                impairments.push(if self.chance(0.5) {
                    ImpairmentSpec::random_loss(random_loss::RandomLoss { probability, cells })
                } else {
                    ImpairmentSpec::random_corruption(random_corruption::RandomCorruption { probability, cells })
                });
            }
            scenario.links.push(Link {
                name: format!("{from}->{to}"),
                from: from.to_owned(),
                to: to.to_owned(),
                rate: BitRate::from_bps(rate),
                delay: Duration::from_ps(delay),
                impairments,
            });
        }
    }

    fn ancestors(&self, node: &str) -> Vec<String> {
        let mut path = vec![node.to_owned()];
        while let Some(parent) = self.parents.get(path.last().expect("never empty")) {
            path.push(parent.clone());
        }
        path
    }

    /// Links from one node of the tree to another.
    fn route(&self, from: &str, to: &str) -> Vec<String> {
        let (mut up, mut down) = (self.ancestors(from), self.ancestors(to));
        while up.len() > 1 && down.len() > 1 && up[up.len() - 2] == down[down.len() - 2] {
            up.pop();
            down.pop();
        }
        down.pop();
        up.extend(down.into_iter().rev());
        up.windows(2).map(|w| format!("{}->{}", w[0], w[1])).collect()
    }

    fn vc(&mut self, scenario: &Scenario) -> Vc {
        let hosts: Vec<String> = scenario.hosts.keys().cloned().collect();
        let from = self.one(&hosts);
        let others: Vec<String> = hosts.iter().filter(|h| **h != from).cloned().collect();
        let branches = if self.chance(0.25) { self.random.random_range(1..=others.len()) } else { 1 };
        let mut to: Vec<String> = Vec::new();
        while to.len() < branches {
            let host = self.one(&others);
            if !to.contains(&host) {
                to.push(host);
            }
        }
        let mut links: Vec<String> = Vec::new();
        for host in &to {
            for link in self.route(&from, host) {
                if !links.contains(&link) {
                    links.push(link);
                }
            }
        }
        let traffic = self.traffic(to.len() == 1);
        let mcr = self.chance(0.4).then(|| CellRate::new(self.random.random_range(1..100_000), 1));
        let abr = (to.len() == 1 && self.chance(0.4)).then(|| self.abr(mcr));
        let return_abr = if abr.is_some() && self.chance(0.3) { Some(self.abr(mcr)) } else { None };
        let back = to.len() == 1 && !traffic.config().answers() && self.chance(0.5);
        let return_traffic = back.then(|| self.traffic(false));
        let mut credit = IndexMap::new();
        if self.chance(0.6) {
            let mut controlled = links.clone();
            if traffic.config().answers() || back || abr.is_some() {
                controlled.extend(links.iter().rev().map(|l| opposite(l)));
            }
            for link in controlled {
                if self.chance(0.85) {
                    credit.insert(link, self.credit());
                }
            }
        }
        let police = if self.chance(0.3) { Some(self.police()) } else { None };
        Vc {
            from,
            to,
            links,
            priority: self.random.random_range(0..3),
            mcr,
            police,
            traffic,
            return_traffic,
            abr,
            return_abr,
            credit,
        }
    }

    /// Small enough that every rule acts within a short run: rates are lost, and come back.
    fn abr(&mut self, mcr: Option<CellRate>) -> Abr {
        let least = mcr.map_or(1_000, |mcr| mcr.per_second() as u64 + 1);
        let rate = |m: &mut Maker| [m.random.random_range(least..300_000), 1];
        let period = CELL.ps() * 400;
        let uili = match self.random.random_range(0..6) {
            0 => json!({"kind": "none"}),
            1 => json!({"kind": "august_1995", "pni": self.chance(0.5), "tdf": 500.0}),
            2 => json!({"kind": "baseline"}),
            3 => json!({"kind": "count_based", "headroom": [5_000, 1], "pr5": self.chance(0.5)}),
            4 => json!({"kind": "time_based", "floor": self.one(&["sum", "max"]), "tc": period}),
            _ => json!({"kind": "joint"}),
        };
        let congested = if self.chance(0.2) { json!([{"from": period, "to": 3 * period}]) } else { json!([]) };
        let mut abr = json!({
            "icr": rate(self), "rif": self.one(&[1.0, 0.0625]), "rdf": self.one(&[0.5, 0.0625]), "nrm": self.one(&[2, 8, 32]),
            "trm": self.one(&[CELL.ps() * 50, period]), "crm": self.random.random_range(1..6), "cdf": self.one(&[0.0, 0.25, 1.0]),
            "tcr": self.one(&[[10, 1], [30_000, 1]]), "encoded_rates": self.chance(0.3), "uili": uili,
            "overtaken": self.one(&["out_of_rate", "dropped"]), "congested": congested,
        });
        if self.chance(0.3) {
            // Faster than some lines, and not in step with any.
            abr["pcr"] = json!([500_000_000, 424]);
        }
        serde_json::from_value(abr).expect("ABR parameters")
    }

    fn traffic(&mut self, one_destination: bool) -> TrafficSpec {
        // In step at phase zero, so that cells of several sources meet; or at a random phase.
        let phase = self.chance(0.5).then_some(Duration::ZERO);
        let start = Duration::from_ps(self.random.random_range(0..50) * CELL.ps());
        let stop = self.chance(0.2).then(|| start + Duration::from_ps(900 * CELL.ps()));
        let rate = CellRate::new(self.random.random_range(2_000..400_000), 1);
        let cells = |n: u64| n * CELL.ps();
        match self.random.random_range(0..if one_destination { 15 } else { 9 }) {
            0 => TrafficSpec::greedy(Greedy { start, phase, stop }),
            1 => TrafficSpec::cbr(Cbr { rate, start, phase, stop }),
            2 => from_json(json!({"kind": "poisson", "rate": rate, "start": start, "stop": stop})),
            3 => from_json(json!({"kind": "bernoulli", "probability": 0.2, "phase": phase})),
            4 => from_json(json!({"kind": "burst", "cells": 20, "idle": cells(40), "phase": phase, "as_message": true,
                "length": "geometric", "idle_distribution": "exponential"})),
            5 => from_json(json!({"kind": "rate_schedule", "phase": phase, "rates": [{"at": 0, "rate": rate},
                {"at": cells(400), "rate": null}, {"at": cells(500), "rate": [0, 1]}, {"at": cells(900), "rate": [200_000, 7]}]})),
            6 => from_json(json!({"kind": "trace", "repeat": cells(200), "start": start,
                "events": [{"at": 0, "cells": 30}, {"at": cells(50), "cells": 1}]})),
            7 | 8 => from_json(json!({"kind": "on_off", "peak": rate, "on": cells(300), "off": cells(500)})),
            9..12 => self.tcp(start, phase),
            // Lost and late answers included: the time-out is near the round trip.
            _ => from_json(json!({"kind": "rpc", "outstanding": self.random.random_range(1..4),
                "requests": self.random.random_range(1..4), "gap": 0, "think": cells(60), "phase": phase,
                "service": cells(5), "timeout": cells(self.random.random_range(50..600)), "stop": stop})),
        }
    }

    /// Time-outs near the round trip, which is short: many are spurious.
    fn tcp(&mut self, start: Duration, phase: Option<Duration>) -> TrafficSpec {
        let cells = |n: u64| n * CELL.ps();
        let kind = self.one(&["tahoe", "reno", "new_reno", "sack", "sack1"]);
        let mss = self.one(&[48, 200, 536]);
        let shortest = self.random.random_range(20..300);
        from_json(json!({"kind": "tcp", "congestion": {"kind": kind}, "connections": self.random.random_range(1..4),
            "mss": mss, "window": mss * self.random.random_range(1..80), "bytes": self.one(&[None, Some(20_000)]),
            "rate": self.one(&[None, None, Some(20_000_000)]), "delayed_ack": self.chance(0.3), "ack_delay": cells(30),
            "llc_snap": self.chance(0.5), "granularity": cells(self.one(&[0, 7])), "initial_rto": cells(shortest * 2),
            "min_rto": cells(shortest), "retries": self.one(&[None, Some(12)]), "start": start, "stagger": cells(20),
            "phase": phase}))
    }

    fn credit(&mut self) -> CreditSpec {
        let n2 = Cells(self.random.random_range(1..=20));
        let n3 = self.chance(0.7).then(|| Cells(self.random.random_range(1..=150)));
        let some_time = |m: &mut Maker| Some(Duration::from_ps(m.random.random_range(50..2_000) * CELL.ps()));
        let timeout = if self.chance(0.5) { some_time(self) } else { None };
        let redundant = if self.chance(0.2) { some_time(self) } else { None };
        let target = None;
        match self.random.random_range(0..4) {
            0 => CreditSpec::n23(N23 { n2, n3, target, r: None, timeout, redundant }),
            1 => CreditSpec::cup(Cup { n2, n3, target, timeout, redundant }),
            2 => CreditSpec::n123(N123 { n1: None, n2, n3, target, timeout, redundant }),
            _ => CreditSpec::additive(Additive { n2, n3, target, timeout, redundant }),
        }
    }

    fn ports(&mut self, scenario: &mut Scenario) {
        let controlled: Vec<String> = scenario.vcs.values().flat_map(|vc| vc.credit.keys().cloned()).collect();
        for link in &scenario.links {
            let Some(switch) = scenario.switches.get_mut(&link.from) else { continue };
            if self.chance(0.5) {
                let buffer = self.chance(0.7).then(|| Cells(self.random.random_range(1..60)));
                let discard = self.discard(buffer);
                let rate = self.rate();
                let mut port = Port { buffer, discard, rate, ..Port::default() };
                if self.chance(0.6) && !controlled.contains(&link.name) {
                    let share = self.random.random_range(0.01..0.5);
                    port.schedule = match self.chance(0.5) {
                        true => ScheduleSpec::fifo(Fifo {}),
                        false => ScheduleSpec::wfq(Wfq { default_share: Fraction(share) }),
                    };
                }
                switch.ports.insert(link.name.clone(), port);
            }
        }
    }

    fn police(&mut self) -> PoliceSpec {
        let action = self.one(&["tag", "tag", "discard"]);
        let rate = self.random.random_range(5_000..150_000);
        match self.random.random_range(0..3) {
            0 => from_json(json!({"kind": "gcra", "rate": [rate, 1], "action": action})),
            1 => from_json(json!({"kind": "gcra", "rate": [rate, 1], "action": action, "form": "virtual_scheduling",
                "tolerance": self.random.random_range(0..30 * CELL.ps())})),
            _ => from_json(json!({"kind": "frame_gcra", "rate": [rate, 1], "action": action,
                "mbs": self.random.random_range(1..60), "spare_last": self.chance(0.7)})),
        }
    }

    fn discard(&mut self, buffer: Option<Cells>) -> BufferSpec {
        // Without limit there is nothing to take a fraction of.
        let Some(Cells(size)) = buffer else { return from_json(json!({"kind": self.one(&["tail_drop", "ppd"])})) };
        let cells = self.random.random_range(0..=size);
        let tagged = self.random.random_range(0..=cells);
        match self.random.random_range(0..8) {
            0 => from_json(json!({"kind": "ppd"})),
            1 => from_json(json!({"kind": "epd", "threshold": cells, "tagged_threshold": tagged})),
            2 => from_json(json!({"kind": "selective_drop", "fraction": 0.3})),
            3 => from_json(json!({"kind": "fair_buffer_allocation", "threshold": cells, "z": 0.3})),
            4 => from_json(json!({"kind": "weighted_buffer_allocation"})),
            _ => BufferSpec::default(),
        }
    }

    fn rate(&mut self) -> Option<RateSpec> {
        let cells = |n: u64| n * CELL.ps();
        // Short intervals, in whole cell times, so that many end at an instant of arrivals.
        let interval = cells(self.random.random_range(20..200));
        let count = self.chance(0.7).then(|| self.random.random_range(5..60));
        let measured = self.one(&["forward_rm", "measured"]);
        let aging = self.chance(0.3).then(|| json!({"weight": 0.5}));
        let value = match self.random.random_range(0..10) {
            0 => json!({"kind": "efci", "threshold": 5, "clear": 2}),
            1 => {
                json!({"kind": "relative_rate", "high": 6, "low": 3, "direction": self.one(&["backward", "forward", "both"])})
            }
            2 => json!({"kind": "capc", "interval": interval, "interval_cells": count, "threshold": 20}),
            3 | 4 => json!({"kind": "erica_plus", "t0": cells(20), "interval": interval, "interval_cells": count,
                "activity_decay": 0.8, "ccr": measured}),
            5..8 => json!({"kind": "erica", "interval": interval, "interval_cells": count, "load_weight": 0.5,
                "bidirectional_counting": self.chance(0.5), "overload_max": 4.0, "ccr": measured, "aging": aging}),
            _ => return None,
        };
        Some(serde_json::from_value(value).expect("a rate algorithm"))
    }

    fn probes(&mut self, scenario: &mut Scenario) {
        let every = self.chance(0.5).then(|| Duration::from_ps(70 * CELL.ps()));
        for link in &scenario.links {
            if self.chance(0.3) {
                scenario.probes.push(Probe::Trace { link: link.name.clone() });
            }
            if self.chance(0.2) {
                let every = Duration::from_ps(31 * CELL.ps());
                let link = link.name.clone();
                scenario.probes.push(Probe::Throughput { link, vc: None, cells: Counted::All, every });
            }
        }
        for (link, port) in scenario.switches.values().flat_map(|switch| &switch.ports) {
            let abr = |vc: &Vc| vc.abr.is_some() && (vc.links.contains(link) || vc.links.contains(&opposite(link)));
            if let Some(rate) = port.rate.as_ref().filter(|_| scenario.vcs.values().any(abr)) {
                let quantity = match rate.kind() {
                    "efci" | "relative_rate" => RateQuantity::Congested,
                    _ => self.one(&[RateQuantity::FairShare, RateQuantity::Overload, RateQuantity::Input]),
                };
                scenario.probes.push(Probe::Rate { link: link.clone(), quantity, every });
            }
        }
        for name in scenario.switches.keys() {
            scenario.probes.push(Probe::Queue { node: name.clone(), link: None, vc: None, every });
            for (vc, spec) in &scenario.vcs {
                if let Some(link) = spec.links.iter().find(|l| l.starts_with(&format!("{name}->"))) {
                    let (node, vc) = (name.clone(), Some(vc.clone()));
                    scenario.probes.push(Probe::Queue { node: node.clone(), link: None, vc: vc.clone(), every });
                    scenario.probes.push(Probe::Queue { node, link: Some(link.clone()), vc, every });
                }
            }
        }
        for (name, vc) in &scenario.vcs {
            scenario.probes.push(Probe::Bursts { vc: name.clone() });
            if vc.abr.is_some() {
                let returning = self.chance(0.5);
                scenario.probes.push(Probe::Acr { vc: name.clone(), returning, every });
                scenario.probes.push(Probe::Er { vc: name.clone(), returning, every });
            }
            if let TrafficSpec::tcp(_) = &vc.traffic {
                for quantity in Quantity::ALL {
                    scenario.probes.push(Probe::Tcp { vc: name.clone(), connection: 0, quantity, every });
                }
            }
            scenario.probes.push(Probe::Delay { vc: name.clone(), to: None });
            for link in vc.credit.keys().filter(|l| vc.links.contains(l)) {
                scenario.probes.push(Probe::Credit { link: link.clone(), vc: name.clone(), every });
            }
        }
    }
}

fn opposite(link: &str) -> String {
    let (from, to) = link.split_once("->").expect("a link is called from->to");
    format!("{to}->{from}")
}

fn from_json<T: serde::de::DeserializeOwned>(value: serde_json::Value) -> T {
    serde_json::from_value(value).expect("a specification")
}

/// Drops by each reason and rulings of policers occur in the networks.
#[test]
fn the_networks_are_not_too_tame() {
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for number in 0..200 {
        let mut network = Network::new(&scenario(number)).expect("a random network is valid");
        network.run_until(Time::from_ps(CELL.ps() * 2_500));
        for table in network.tables() {
            let mut count = |what: &str, cells: u64| *seen.entry(what.to_owned()).or_default() += cells;
            match table.name {
                "drops" => {
                    table.texts("reason").iter().zip(table.u64s("cells")).for_each(|(why, &cells)| count(why, cells));
                }
                "policing" => {
                    for ruling in ["conforming", "spared", "tagged", "discarded"] {
                        count(ruling, table.u64s(ruling).iter().sum());
                    }
                }
                _ => {}
            }
        }
    }
    for what in ["buffer_full", "frame_refused", "frame_remainder", "conforming", "spared", "tagged", "discarded"] {
        assert!(seen.get(what).is_some_and(|&cells| cells > 100), "{what}: {seen:?}");
    }
}
