//! The switch: exact delays, strict priority, round robin, tail drop, one stored copy per multicast cell.

use cellway_kernel::table::Table;
use cellway_kernel::time::Time;
use cellway_models::network::Network;
use serde_json::{Map, Value, json};

/// 424 Mbit/s: a cell lasts exactly 1 us.
const CELL_PS: u64 = 1_000_000;
const RATE: u64 = 424_000_000;

/// Hosts around one switch, `delay` away from it.
fn star(hosts: &[&str], delay: u64) -> Value {
    let mut links = Vec::new();
    for h in hosts {
        for (from, to) in [(*h, "s"), ("s", *h)] {
            links.push(json!({"name": format!("{from}->{to}"), "from": from, "to": to, "rate": RATE, "delay": delay}));
        }
    }
    let named: Map<String, Value> = hosts.iter().map(|h| ((*h).to_owned(), json!({}))).collect();
    json!({"version": 1, "seed": 1, "hosts": named, "switches": {"s": {}}, "links": links, "vcs": {}})
}

fn vc(from: &str, to: &[&str], traffic: Value) -> Value {
    let mut links = vec![format!("{from}->s")];
    links.extend(to.iter().map(|h| format!("s->{h}")));
    json!({"from": from, "to": to, "links": links, "traffic": traffic})
}

fn run(document: &Value, cells: u64) -> Vec<Table> {
    let mut network = Network::from_json(&document.to_string()).expect("a valid scenario");
    network.run_until(Time::from_ps(cells * CELL_PS));
    network.tables()
}

fn table<'a>(tables: &'a [Table], name: &str) -> &'a Table {
    tables.iter().find(|t| t.name == name).expect("the table exists")
}

#[test]
fn a_cell_alone_takes_two_cell_times_and_two_propagations() {
    let mut document = star(&["a", "b"], 7_000_123);
    document["vcs"]["vc"] = vc("a", &["b"], json!({"kind": "cbr", "rate": [100_000, 1]}));
    document["probes"] = json!([{"kind": "delay", "vc": "vc"}]);
    let tables = run(&document, 10_000);
    let delays = table(&tables, "delays").u64s("delay_ps");
    assert!(delays.len() > 900);
    assert!(delays.iter().all(|&d| d == 2 * (CELL_PS + 7_000_123)), "{:?}", &delays[..3]);
}

#[test]
fn a_higher_priority_never_waits_for_a_lower() {
    let mut document = star(&["a", "b", "c"], 0);
    document["vcs"]["low"] = vc("a", &["c"], json!({"kind": "greedy"}));
    document["vcs"]["low"]["priority"] = json!(3);
    document["vcs"]["low"]["credit"] = json!({"a->s": {"kind": "n23"}});
    document["vcs"]["high"] = vc("b", &["c"], json!({"kind": "cbr", "rate": [300_000, 1]}));
    document["vcs"]["high"]["priority"] = json!(1);
    document["probes"] = json!([{"kind": "delay", "vc": "high"}]);
    let tables = run(&document, 50_000);
    let delays = table(&tables, "delays").u64s("delay_ps");
    // At most one low cell in service: no more than one cell time beyond the empty switch.
    assert!(delays.iter().all(|&d| (2 * CELL_PS..=3 * CELL_PS).contains(&d)), "{:?}", delays.iter().max());
    assert!(delays.iter().any(|&d| d > 2 * CELL_PS), "the low VC is there");
    let output = table(&tables, "links").f64s("utilisation")[5];
    assert!(output > 0.999, "the low VC fills the rest: {output}");
}

#[test]
fn round_robin_shares_equally_and_serves_small_demands_whole() {
    let mut document = star(&["a", "b", "c", "d", "sink"], 0);
    for (host, traffic) in [
        ("a", json!({"kind": "greedy"})),
        ("b", json!({"kind": "greedy"})),
        ("c", json!({"kind": "greedy"})),
        ("d", json!({"kind": "cbr", "rate": [100_000, 1]})),
    ] {
        document["vcs"][host] = vc(host, &["sink"], traffic);
        document["vcs"][host]["credit"] = json!({format!("{host}->s"): {"kind": "n23"}});
    }
    let tables = run(&document, 100_000);
    let rates = table(&tables, "vcs").f64s("rate");
    for (vc, share) in [(0, 0.3), (1, 0.3), (2, 0.3), (3, 0.1)] {
        assert!((rates[vc] / 1e6 - share).abs() < 0.001, "{rates:?}");
    }
}

#[test]
fn tail_drop_keeps_no_more_than_the_buffer() {
    let mut document = star(&["a", "b", "c"], 0);
    document["switches"]["s"]["ports"] = json!({"s->c": {"buffer": 17}});
    for host in ["a", "b"] {
        document["vcs"][host] = vc(host, &["c"], json!({"kind": "cbr", "rate": [900_000, 1]}));
    }
    let tables = run(&document, 20_000);
    let queues = table(&tables, "queues");
    let of = |column: &str| queues.u64s(column).iter().sum::<u64>();
    assert_eq!(table(&tables, "switches").u64s("peak"), [17]);
    assert_eq!(of("arrived"), of("dropped") + of("departed") + of("queued"));
    // 1.8 offered, 1.0 carried.
    let lost = of("dropped") as f64 / of("arrived") as f64;
    assert!((lost - 0.8 / 1.8).abs() < 0.005, "{lost}");
    assert!(table(&tables, "drops").texts("reason").iter().all(|&r| r == "buffer_full"));
}

#[test]
fn shared_memory_bounds_all_ports_together() {
    let mut document = star(&["a", "b", "c", "d", "e", "f"], 0);
    document["switches"]["s"]["memory"] = json!(10);
    for (from, to) in [("a", "c"), ("b", "c"), ("e", "d"), ("f", "d")] {
        document["vcs"][from] = vc(from, &[to], json!({"kind": "cbr", "rate": [700_000, 1]}));
    }
    let tables = run(&document, 20_000);
    assert_eq!(table(&tables, "switches").u64s("peak"), [10]);
    assert!(table(&tables, "drops").texts("reason").contains(&"memory_full"));
}

#[test]
fn a_multicast_cell_is_stored_once_and_leaves_each_port_by_itself() {
    let mut document = star(&["a", "b", "c", "d", "x"], 0);
    document["vcs"]["multi"] = vc("a", &["b", "c", "d"], json!({"kind": "greedy"}));
    document["vcs"]["multi"]["credit"] = json!({"a->s": {"kind": "n23", "n2": 10, "n3": 30}});
    document["vcs"]["multi"]["priority"] = json!(1);
    // Port d gives the multicast VC half of its time only: the slowest branch holds the copies.
    document["vcs"]["busy"] = vc("x", &["d"], json!({"kind": "cbr", "rate": [500_000, 1]}));
    document["probes"] = json!([{"kind": "queue", "node": "s", "vc": "multi"}]);
    let tables = run(&document, 50_000);
    let delivered = table(&tables, "vcs").u64s("delivered");
    let (least, most) = (delivered[..3].iter().min().unwrap(), delivered[..3].iter().max().unwrap());
    assert!(most - least <= 40, "branches run apart by at most N2 + N3: {delivered:?}");
    assert!((*least as f64 / 50_000.0 - 0.5).abs() < 0.01, "the slowest branch decides: {delivered:?}");
    // Copies, not branches, are counted: never more than N2 + N3, though three queues wait.
    let series = table(&tables, "series").f64s("value");
    // Equilibrium of section 7.3: N3 less what is in flight, about 0.5 x 2 cells; then up to N2 more.
    let most = series.iter().copied().fold(0.0, f64::max);
    assert!((29.0..=40.0).contains(&most), "{most} copies at most");
    let peaks = table(&tables, "queues").u64s("peak");
    assert!(peaks.iter().sum::<u64>() <= 40 + 3, "the fast branches do not queue: {peaks:?}");
}

#[test]
fn credit_and_data_share_a_link_both_ways() {
    for n2 in [4u64, 10, 30] {
        let mut document = star(&["a", "b"], 0);
        for (from, to) in [("a", "b"), ("b", "a")] {
            document["vcs"][from] = vc(from, &[to], json!({"kind": "greedy"}));
            let credit = json!({"kind": "n23", "n2": n2, "n3": 20 + 2 * n2});
            document["vcs"][from]["credit"] = json!({format!("{from}->s"): credit, format!("s->{to}"): credit});
        }
        let tables = run(&document, 50_000);
        // Section 7.4 of the N23 paper: N2 / (N2 + 1) for data, all of the link with credits.
        for (all, data) in
            table(&tables, "links").f64s("utilisation").iter().zip(table(&tables, "links").f64s("data_utilisation"))
        {
            assert!((data - n2 as f64 / (n2 + 1) as f64).abs() < 0.003, "N2 = {n2}: data {data}");
            assert!(*all > 0.997, "N2 = {n2}: all {all}");
        }
    }
}

#[test]
fn a_source_that_may_keep_few_cells_waiting_makes_up_for_nothing() {
    let offered = |most_waiting: Value| {
        let mut document = star(&["a", "b"], 0);
        // The line belongs to another VC for the first half of the time.
        document["vcs"]["first"] = vc("a", &["b"], json!({"kind": "greedy", "phase": 0, "stop": 5_000 * CELL_PS}));
        let rates = json!([{"at": 0, "rate": [200_000, 1]}]);
        let traffic = json!({"kind": "rate_schedule", "phase": 0, "rates": rates, "most_waiting": most_waiting});
        document["vcs"]["second"] = vc("a", &["b"], traffic);
        document["vcs"]["second"]["priority"] = json!(1);
        let tables = run(&document, 10_000);
        table(&tables, "vcs").u64s("offered")[1]
    };
    assert_eq!(offered(Value::Null), 2000);
    let limited = offered(json!(3));
    assert!((1000..=1004).contains(&limited), "3 that waited, and 1000 in the second half: {limited}");
}
