//! TCP over a network of switches: throughput, sharing, losses.

use cellway_kernel::table::Table;
use cellway_kernel::time::{Duration, Time};
use cellway_models::network::Network;
use serde_json::{Value, json};

const KINDS: [&str; 5] = ["tahoe", "reno", "new_reno", "sack", "sack1"];
/// 155.52 Mbit/s less SDH overhead: what cells get [bit/s].
const RATE: u64 = 149_760_000;
/// Data of 1024 bytes in 23 cells of 53.
const LIMIT: f64 = RATE as f64 * 1024.0 / (23.0 * 53.0);

/// The GFR paper's network (figure 2): `n` sources, two switches, `n` destinations, links of `delay`; the bottleneck
/// has a buffer of `buffer` cells.
fn network(n: usize, delay: Duration, buffer: u64, traffic: &Value) -> Value {
    let (mut hosts, mut links, mut vcs) = (json!({}), Vec::new(), json!({}));
    let mut duplex = |a: &str, b: &str| {
        for (from, to) in [(a, b), (b, a)] {
            links.push(json!({"name": format!("{from}->{to}"), "from": from, "to": to, "rate": RATE,
                "delay": delay.ps()}));
        }
    };
    duplex("s", "t");
    for i in 0..n {
        let (a, b) = (format!("a{i}"), format!("b{i}"));
        duplex(&a, "s");
        duplex("t", &b);
        hosts[&a] = json!({});
        hosts[&b] = json!({});
        vcs[format!("vc{i}")] =
            json!({"from": a, "to": [b], "links": [format!("{a}->s"), "s->t", format!("t->{b}")], "traffic": traffic});
    }
    let port = json!({"ports": {"s->t": {"buffer": buffer}}});
    json!({"version": 1, "seed": 1, "hosts": hosts, "links": links, "vcs": vcs, "switches": {"s": port, "t": {}}})
}

fn run(document: &Value, seconds: f64) -> Vec<Table> {
    let mut network = Network::from_json(&document.to_string()).expect("a valid scenario");
    network.run_until(Time::ZERO + Duration::from_seconds(seconds));
    network.tables()
}

fn table<'a>(tables: &'a [Table], name: &str) -> &'a Table {
    tables.iter().find(|t| t.name == name).expect("a table of this name")
}

/// The window over the round trip where that is less than the line: a segment leaves each time an acknowledgement comes.
#[test]
fn a_window_limits_the_throughput_to_one_window_in_a_round_trip() {
    let delay = Duration::from_ms(5);
    let document = network(1, delay, 10_000, &json!({"kind": "tcp", "window": 64 * 1024 - 1, "bytes": 20_000_000}));
    let tables = run(&document, 12.0);
    let tcp = table(&tables, "tcp");
    assert_eq!((tcp.u64s("delivered")[0], tcp.u64s("retransmissions")[0]), (20_000_000, 0));
    let cell = 424.0 / RATE as f64;
    let round_trip = 6.0 * delay.seconds() + (23.0 + 2.0 + 4.0) * cell;
    assert!(
        (tcp.f64s("srtt")[0] - 0.0).abs() < 0.1,
        "by a clock of 100 ms a round trip of 30 ms takes no tick, or one"
    );
    let throughput = 63.0 * 1024.0 / round_trip;
    let rounds_of_slow_start = 6.0 * round_trip;
    let expected = 20e6 / throughput + rounds_of_slow_start;
    // Done within a round trip of that: what is left over is acknowledged, and nothing more is sent.
    let mut network = Network::from_json(&document.to_string()).unwrap();
    network.run_until(Time::ZERO + Duration::from_seconds(expected + round_trip));
    assert_eq!(table(&network.tables(), "tcp").u64s("delivered")[0], 20_000_000);
    network = Network::from_json(&document.to_string()).unwrap();
    network.run_until(Time::ZERO + Duration::from_seconds(expected - 2.0 * round_trip));
    assert!(table(&network.tables(), "tcp").u64s("delivered")[0] < 20_000_000);
}

#[test]
fn a_large_window_fills_the_line_up_to_the_protocol_limit() {
    let document = network(1, Duration::from_ms(5), 1_000_000, &json!({"kind": "tcp", "window": 600_000}));
    let mut network = Network::from_json(&document.to_string()).unwrap();
    network.run_until(Time::ZERO + Duration::from_s(1));
    network.mark();
    network.run_until(Time::ZERO + Duration::from_s(3));
    let tables = network.tables();
    let goodput = table(&tables, "tcp").f64s("goodput")[0];
    assert!(goodput <= LIMIT * 1.0001 && goodput > LIMIT * 0.999, "{goodput} of {LIMIT} bit/s");
}

/// Frames good and spoiled by each cause are the frames sent; every cause occurs, and only good frames reach TCP.
fn check_frames(tables: &[Table]) {
    let (frames, tcp, vcs) = (table(tables, "frames"), table(tables, "tcp"), table(tables, "vcs"));
    let causes = ["good", "corrupted", "cells_lost", "end_lost", "merged", "lost"].map(|c| frames.u64s(c));
    for (row, sent) in frames.u64s("sent").iter().enumerate() {
        assert_eq!(causes.iter().map(|c| c[row]).sum::<u64>(), *sent, "all has come to an end");
        assert_eq!(causes[0][row], vcs.u64s("messages")[row]);
        assert_eq!(causes[1][row] + causes[2][row] + causes[4][row], vcs.u64s("spoiled_messages")[row]);
    }
    // Rows of frames: there and back for each VC.
    let good: u64 = causes[0].iter().step_by(2).sum();
    assert_eq!(good, tcp.u64s("segments_received").iter().sum::<u64>());
    assert_eq!(frames.u64s("sent").iter().step_by(2).sum::<u64>(), tcp.u64s("segments").iter().sum::<u64>());
    let of_acks: u64 = causes[0].iter().skip(1).step_by(2).sum();
    assert_eq!(of_acks, tcp.u64s("acks_received").iter().sum::<u64>());
    for (cause, name) in causes.iter().zip(["good", "corrupted", "cells lost", "end lost", "merged"]) {
        assert!(cause.iter().sum::<u64>() > 0, "no frame {name}");
    }
}

/// Any algorithm on a line that loses cells: every connection finishes, every byte is delivered, none twice.
#[test]
fn all_arrives_whatever_is_lost() {
    for kind in KINDS {
        for probability in [1e-4, 2e-3] {
            let traffic = json!({"kind": "tcp", "congestion": {"kind": kind}, "connections": 3, "bytes": 300_000,
                "granularity": 10_000_000_000u64, "min_rto": 20_000_000_000u64, "initial_rto": 100_000_000_000u64, "max_rto": 1_000_000_000_000u64,
                "retries": null, "delayed_ack": kind == "reno"});
            let mut document = network(2, Duration::from_us(100), 400, &traffic);
            for link in document["links"].as_array_mut().unwrap() {
                link["impairments"] = json!([{"kind": "random_loss", "probability": probability},
                    {"kind": "random_corruption", "probability": probability}]);
            }
            let tables = run(&document, 60.0);
            let tcp = table(&tables, "tcp");
            assert_eq!(tcp.u64s("delivered"), [300_000; 6], "{kind}, loss {probability}");
            assert_eq!(tcp.u64s("acknowledged"), [300_000; 6]);
            let (segments, again) = (tcp.u64s("segments"), tcp.u64s("retransmissions"));
            assert!(segments.iter().zip(again).all(|(s, r)| s - r == 300_000u64.div_ceil(1024)));
            check_frames(&tables);
        }
    }
}

/// Fifteen sources share the bottleneck: all of it is used, and no more.
#[test]
fn connections_share_a_bottleneck() {
    let traffic = json!({"kind": "tcp", "window": 600_000, "granularity": 0, "min_rto": 100_000_000_000u64});
    let tables = run(&network(15, Duration::from_ms(1), 3000, &traffic), 10.0);
    let tcp = table(&tables, "tcp");
    let sum: f64 = tcp.f64s("goodput").iter().sum();
    assert!(sum <= LIMIT && sum > 0.9 * LIMIT, "{sum} of {LIMIT} bit/s");
    // Tail drop does not care for fairness: what backs off too often starves for seconds, but nobody takes its place.
    assert!(tcp.f64s("goodput").iter().all(|g| *g < LIMIT / 15.0 * 2.0), "{:?}", tcp.f64s("goodput"));
}

#[test]
fn rate_limited_applications_get_their_rate() {
    let traffic = json!({"kind": "tcp", "rate": 3_000_000, "connections": 4});
    let tables = run(&network(1, Duration::from_us(10), 1000, &traffic), 5.0);
    for goodput in table(&tables, "tcp").f64s("goodput") {
        assert!((goodput - 3e6).abs() < 8.0 * 1024.0, "{goodput}");
    }
}

#[test]
fn a_probe_follows_the_window() {
    let mut document = network(1, Duration::from_ms(1), 100_000, &json!({"kind": "tcp", "ssthresh": 8 * 1024}));
    document["probes"] = json!([{"kind": "tcp", "vc": "vc0", "quantity": "cwnd"},
        {"kind": "tcp", "vc": "vc0", "connection": 0, "quantity": "srtt", "every": 1_000_000_000}]);
    let tables = run(&document, 0.1);
    let series = table(&tables, "series");
    let values = series.u64s("probe").iter().zip(series.f64s("value"));
    let cwnd: Vec<f64> = values.filter(|(p, _)| **p == 0).map(|(_, v)| *v).collect();
    let doubling: Vec<f64> = (1..=8).map(|k| f64::from(k * 1024)).collect();
    assert_eq!(cwnd[..8], doubling, "slow start: a segment for each acknowledgement");
    assert!(cwnd[8] - cwnd[7] <= 1024.0 / 8.0, "then congestion avoidance");
    let probes = table(&tables, "probes");
    assert_eq!(probes.u64s("connection"), [0, 0]);
}
