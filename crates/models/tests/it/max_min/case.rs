//! A network of ABR VCs, as a document and as flows over links.

use super::water_filling::{Flow, max_min};
use cellway_kernel::table::Table;
use cellway_kernel::time::{Duration, Time};
use cellway_models::network::Network;
use serde_json::{Map, Value, json};

/// Bins in which rates and queues are seen.
pub(super) const BIN: Duration = Duration::from_ms(5);

/// Duplex links between switches; each VC has hosts of its own at both ends of its route.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) rate: Value,
    /// Part of a line that the algorithm aims at.
    pub(super) target: f64,
    /// From, to, bit/s, delay.
    pub(super) links: Vec<(usize, usize, u64, Duration)>,
    pub(super) vcs: Vec<AbrVc>,
    /// Constant-rate VCs of higher priority: route, cells/s.
    pub(super) background: Vec<(Vec<usize>, f64)>,
    pub(super) end: Duration,
    /// RIF of the sources; with 1 the explicit rate alone bounds them.
    pub(super) increase: f64,
    /// Rates in RM cells have 16 bits.
    pub(super) encoded: bool,
}

#[derive(Clone)]
pub(super) struct AbrVc {
    pub(super) route: Vec<usize>,
    pub(super) access: Duration,
    pub(super) mcr: f64,
    /// Data that the application has; `None`: always some.
    pub(super) source: Option<f64>,
    pub(super) icr: Option<f64>,
    pub(super) start: Duration,
}

impl AbrVc {
    pub(super) fn greedy(route: &[usize]) -> AbrVc {
        let access = Duration::from_us(5);
        AbrVc { route: route.to_vec(), access, mcr: 0.0, source: None, icr: None, start: Duration::ZERO }
    }
}

/// STM-1.
pub(super) const LINE: u64 = 155_520_000;

pub(super) fn mbit(rate: f64) -> f64 {
    rate * 1e6 / 424.0
}

/// What a run showed.
pub(super) struct Outcome {
    /// Per VC: max-min fair rate, mean rate over the last third, both with RM cells [cells/s].
    pub(super) rates: Vec<(f64, f64)>,
    /// When all VCs were, and from when on their means stayed, within 10 %.
    pub(super) converged: Option<Duration>,
    /// Most cells that waited at one port, ever and in the last third.
    pub(super) peak: f64,
    pub(super) last_peak: f64,
}

impl Outcome {
    pub(super) fn worst(&self) -> f64 {
        self.rates.iter().map(|(fair, found)| (found / fair - 1.0).abs()).fold(0.0, f64::max)
    }
}

fn cell_rate(rate: f64) -> Value {
    json!([(rate * 1e6).round() as u64, 1_000_000])
}

impl Case {
    pub(super) fn new(name: &str, links: &[(usize, usize, u64, Duration)], vcs: Vec<AbrVc>) -> Case {
        let rate = json!({"kind": "erica"});
        let (links, end) = (links.to_vec(), Duration::from_ms(600));
        Case {
            name: name.to_owned(),
            rate,
            target: 0.9,
            links,
            vcs,
            background: Vec::new(),
            end,
            increase: 1.0,
            encoded: false,
        }
    }

    fn document(&self) -> Value {
        let mut hosts = Map::new();
        let mut switches: Map<String, Value> = Map::new();
        let mut links = Vec::new();
        let mut vcs = Map::new();
        let mut probes = Vec::new();
        let duplex = |links: &mut Vec<Value>, a: &str, b: &str, rate: u64, delay: Duration| {
            for (from, to) in [(a, b), (b, a)] {
                links.push(json!({"name": format!("{from}->{to}"), "from": from, "to": to, "rate": rate,
                    "delay": delay.ps()}));
            }
        };
        for &(a, b, rate, delay) in &self.links {
            let (a, b) = (format!("s{a}"), format!("s{b}"));
            duplex(&mut links, &a, &b, rate, delay);
            for (from, to) in [(&a, &b), (&b, &a)] {
                let switch = switches.entry(from.clone()).or_insert_with(|| json!({"ports": {}}));
                switch["ports"][format!("{from}->{to}")] = json!({"rate": self.rate});
            }
        }
        let mut add = |name: String, route: &[usize], access: Duration, mut vc: Value| {
            let (from, to) = (format!("{name}a"), format!("{name}b"));
            let mut path = vec![from.clone()];
            path.extend(route.iter().map(|s| format!("s{s}")));
            path.push(to.clone());
            for (host, switch) in [(&from, &path[1]), (&to, &path[path.len() - 2])] {
                hosts.insert(host.clone(), json!({}));
                let fast = self.links.iter().map(|l| l.2).max().unwrap_or(LINE).max(LINE);
                duplex(&mut links, host, switch, fast, access);
            }
            let steps: Vec<String> = path.windows(2).map(|w| format!("{}->{}", w[0], w[1])).collect();
            let last = steps.last().expect("a route").clone();
            vc["from"] = json!(from);
            vc["to"] = json!([to]);
            vc["links"] = json!(steps);
            vcs.insert(name, vc);
            last
        };
        for (v, vc) in self.vcs.iter().enumerate() {
            let start = vc.start.ps();
            let traffic = match vc.source {
                None => json!({"kind": "greedy", "start": start, "phase": 0}),
                Some(rate) => json!({"kind": "cbr", "rate": cell_rate(rate), "start": start}),
            };
            let abr = json!({"rif": self.increase, "encoded_rates": self.encoded, "icr": vc.icr.map(cell_rate)});
            let mcr = cell_rate(vc.mcr);
            let last = add(
                format!("v{v}"),
                &vc.route,
                vc.access,
                json!({"priority": 1, "traffic": traffic, "abr": abr, "mcr": mcr}),
            );
            probes.push(json!({"kind": "throughput", "link": last, "vc": format!("v{v}"), "every": BIN.ps()}));
        }
        for (b, (route, rate)) in self.background.iter().enumerate() {
            let traffic = json!({"kind": "cbr", "rate": cell_rate(*rate)});
            add(format!("b{b}"), route, Duration::from_us(5), json!({"priority": 0, "traffic": traffic}));
        }
        for (from, to) in self.directed() {
            let (node, link) = (format!("s{from}"), format!("s{from}->s{to}"));
            if vcs.values().any(|vc| vc["links"].as_array().is_some_and(|l| l.contains(&json!(link)))) {
                probes.push(json!({"kind": "queue", "node": node, "link": link, "every": BIN.ps()}));
            }
        }
        json!({"version": 1, "seed": 1, "hosts": hosts, "switches": switches, "links": links, "vcs": vcs,
            "probes": probes})
    }

    /// One-way links between switches.
    fn directed(&self) -> Vec<(usize, usize)> {
        self.links.iter().flat_map(|&(a, b, ..)| [(a, b), (b, a)]).collect()
    }

    /// The max-min fair rates of the VCs, RM cells included.
    ///
    /// Of a line, `target` less the background is for ABR. Backward RM cells use some of it too: one for each 32 cells
    /// of a VC, and one forward RM cell for each 31 of those, since nothing else goes back.
    pub(super) fn fair(&self) -> Vec<f64> {
        self.allocation(1.0 / 31.0)
    }

    /// The same where each VC's way back takes this part of its rate.
    pub(super) fn allocation(&self, back: f64) -> Vec<f64> {
        let directed = self.directed();
        let over = |route: &[usize]| -> Vec<usize> {
            let step = |w: &[usize]| directed.iter().position(|d| *d == (w[0], w[1])).expect("a link");
            route.windows(2).map(step).collect()
        };
        let mut capacities: Vec<f64> =
            directed.iter().enumerate().map(|(d, _)| self.target * mbit(self.links[d / 2].2 as f64 / 1e6)).collect();
        for (route, rate) in &self.background {
            over(route).into_iter().for_each(|d| capacities[d] -= rate);
        }
        let forward = self.vcs.iter().map(|vc| {
            let line = self.links.iter().map(|l| l.2).max().unwrap_or(LINE).max(LINE);
            let most = mbit(line as f64 / 1e6);
            let ceiling = vc.source.map_or(most, |rate| rate * 32.0 / 31.0);
            Flow { links: over(&vc.route), floor: vc.mcr, ceiling }
        });
        let forward: Vec<Flow> = forward.collect();
        let mut rates = vec![0.0; forward.len()];
        for _ in 0..10 {
            let mut left = capacities.clone();
            for (vc, rate) in self.vcs.iter().zip(&rates) {
                let reversed: Vec<usize> = vc.route.iter().rev().copied().collect();
                over(&reversed).into_iter().for_each(|d| left[d] -= back * rate);
            }
            rates = max_min(&left, &forward);
        }
        rates
    }

    pub(super) fn run(&self) -> Outcome {
        let mut network =
            Network::from_json(&self.document().to_string()).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        network.run_until(Time::ZERO + self.end);
        network.check_books();
        self.outcome(&network.tables())
    }

    fn outcome(&self, tables: &[Table]) -> Outcome {
        let table = |name: &str| tables.iter().find(|t| t.name == name).expect("a table");
        let series = table("series");
        let (probe, value, most) = (series.u64s("probe"), series.f64s("value"), series.f64s("max"));
        let of = |p: usize, column: &[f64]| -> Vec<f64> {
            probe.iter().zip(column).filter(|(q, _)| **q == p as u64).map(|(_, &v)| v).collect()
        };
        let fair = self.fair();
        let mut rates = Vec::new();
        let mut means = Vec::new();
        for (v, &fair) in fair.iter().enumerate() {
            // Forward RM cells are one cell in 32.
            let bins: Vec<f64> = of(v, value).iter().map(|data| data * 32.0 / 31.0).collect();
            let last = &bins[bins.len() * 2 / 3..];
            rates.push((fair, last.iter().sum::<f64>() / last.len() as f64));
            means.push(bins);
        }
        // Means over 30 ms, so that the rounding to cells and the beat with intervals do not count.
        const WINDOW: usize = 6;
        let bins = means[0].len();
        let good = |k: usize| {
            means.iter().zip(&fair).all(|(bins, fair)| {
                let mean = bins[k..k + WINDOW].iter().sum::<f64>() / WINDOW as f64;
                (mean / fair - 1.0).abs() < 0.1
            })
        };
        let bad = (0..=bins - WINDOW).rev().find(|&k| !good(k));
        let first = bad.map_or(0, |k| k + 1);
        let converged = (first <= bins - WINDOW).then(|| Duration::from_ps(first as u64 * BIN.ps()));
        let queues = self.vcs.len()..table("probes").u64s("probe").len();
        let peaks: Vec<Vec<f64>> = queues.map(|p| of(p, most)).collect();
        let peak = peaks.iter().flatten().fold(0.0f64, |a, &b| a.max(b));
        let last_peak = peaks.iter().flat_map(|p| &p[p.len() * 2 / 3..]).fold(0.0f64, |a, &b| a.max(b));
        Outcome { rates, converged, peak, last_peak }
    }
}
