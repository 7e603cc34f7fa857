//! `make bench`: cell-hops per second and instructions per cell-hop of whole networks.
//!
//! Times vary with the machine and its load: the best of several runs is shown, for comparison within one report.
//! Instructions are counted by `valgrind --tool=callgrind` where it is installed, and repeat exactly.

mod networks;

use cellway_kernel::time::{Duration, Time};
use cellway_models::network::Network;
use networks::Case;
use std::env;
use std::process::{Command, ExitCode};
use std::time::Instant;

const RUNS: usize = 5;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--count", name, ms] => count(name, ms),
        _ if arguments.iter().any(|a| a.starts_with('-')) => {
            eprintln!("usage: cellway-bench [NETWORK ...]\nnetworks: {}", names().join(", "));
            ExitCode::from(2)
        }
        _ => report(&arguments),
    }
}

fn names() -> Vec<String> {
    networks::all().into_iter().map(|c| c.name).collect()
}

/// Runs one network once; the process that callgrind watches.
fn count(name: &str, ms: &str) -> ExitCode {
    let case = networks::all().into_iter().find(|c| c.name == name);
    let (Some(case), Ok(ms)) = (case, ms.parse()) else {
        eprintln!("usage: cellway-bench --count NETWORK MILLISECONDS");
        return ExitCode::from(2);
    };
    println!("{}", run(&case, ms).0);
    ExitCode::SUCCESS
}

/// Cell-hops and seconds of a run of `ms` simulated milliseconds; building the network is not timed.
fn run(case: &Case, ms: u64) -> (u64, f64) {
    let mut network = Network::from_json(&(case.document)().to_string()).expect("a valid network");
    let start = Instant::now();
    network.run_until(Time::ZERO + Duration::from_ms(ms));
    (network.cell_hops(), start.elapsed().as_secs_f64())
}

fn report(wanted: &[String]) -> ExitCode {
    if let Some(unknown) = wanted.iter().find(|w| !names().contains(w)) {
        eprintln!("no network called {unknown}; there are {}", names().join(", "));
        return ExitCode::from(2);
    }
    println!(
        "{:15} {:>10} {:>10} {:>8} {:>8} {:>12}  design",
        "network", "cell-hops", "hops/s", "seconds", "ns/hop", "instr./hop"
    );
    for case in networks::all() {
        if !wanted.is_empty() && !wanted.contains(&case.name) {
            continue;
        }
        let runs: Vec<(u64, f64)> = (0..RUNS).map(|_| run(&case, case.timed)).collect();
        let best = runs.iter().map(|r| r.1).fold(f64::INFINITY, f64::min);
        let hops = runs[0].0;
        let instructions = instructions_per_hop(&case).map_or("no valgrind".into(), |i| format!("{i:.0}"));
        let per_second = hops as f64 / best;
        println!(
            "{:15} {hops:>10} {per_second:>10.3e} {best:>8.3} {:>8.1} {instructions:>12}  {}",
            case.name,
            1e9 / per_second,
            case.design
        );
    }
    ExitCode::SUCCESS
}

/// From two runs of different length, so that building the network cancels.
fn instructions_per_hop(case: &Case) -> Option<f64> {
    let [short, long] = case.counted;
    let (short, long) = (callgrind(&case.name, short)?, callgrind(&case.name, long)?);
    Some((long.0 - short.0) as f64 / (long.1 - short.1) as f64)
}

/// Instructions and cell-hops of one run under callgrind.
fn callgrind(name: &str, ms: u64) -> Option<(u64, u64)> {
    let program = env::current_exe().ok()?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["--count", name, &ms.to_string()])
        .output()
        .ok()?;
    let hops = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    let log = String::from_utf8(output.stderr).ok()?;
    let collected = log.lines().find_map(|line| line.split_once("Collected : ")).map(|(_, n)| n.trim().to_owned())?;
    Some((collected.parse().ok()?, hops))
}
