//! Networks on which rates are compared: published configurations, and random ones.

use super::case::{AbrVc, Case, LINE, mbit};
use cellway_kernel::rng::{Stream, stream};
use cellway_kernel::time::Duration;
use rand::RngExt;

fn ms(ms: u64) -> Duration {
    Duration::from_ms(ms)
}

/// Switches in a row, 1 ms apart, with these rates [Mbit/s] in between.
fn row(rates: &[u64]) -> Vec<(usize, usize, u64, Duration)> {
    rates.iter().enumerate().map(|(k, rate)| (k, k + 1, rate * 1_000_000, ms(1))).collect()
}

fn greedy(count: usize, first: usize, last: usize) -> impl Iterator<Item = AbrVc> {
    let route: Vec<usize> = (first..=last).collect();
    (0..count).map(move |_| AbrVc::greedy(&route))
}

/// `n` VCs over one link of 1 ms.
pub(super) fn dumbbell(n: usize) -> Case {
    Case::new("one link", &[(0, 1, LINE, ms(1))], greedy(n, 0, 1).collect())
}

/// One VC over all of four links, and one over each.
pub(super) fn parking_lot() -> Case {
    let mut vcs: Vec<AbrVc> = greedy(1, 0, 4).collect();
    vcs.extend((0..4).flat_map(|k| greedy(1, k, k + 1)));
    Case::new("parking lot", &row(&[155, 155, 155, 155]), vcs)
}

/// A VC that shares its first link with many and its second with few: it must get little on both.
pub(super) fn upstream() -> Case {
    Case::new("upstream", &row(&[155, 155]), greedy(14, 0, 1).chain(greedy(1, 0, 2)).chain(greedy(2, 1, 2)).collect())
}

/// Generic fairness configuration 1 of the ATM Forum (af 94-0557), six groups of VCs over four links.
pub(super) fn gfc_1() -> Case {
    let groups = [(3, 0, 3), (3, 1, 4), (3, 1, 2), (6, 0, 1), (6, 3, 4), (2, 2, 3)];
    let vcs = groups.into_iter().flat_map(|(n, from, to)| greedy(n, from, to));
    Case::new("GFC-1", &row(&[50, 150, 150, 100]), vcs.collect())
}

/// The rates [Mbit/s] that GFC-1 is known by, at full lines and without RM cells on the way back.
pub(super) const GFC_1: [(usize, f64); 6] =
    [(3, 50.0 / 9.0), (3, 100.0 / 9.0), (3, 100.0 / 3.0), (6, 50.0 / 9.0), (6, 100.0 / 9.0), (2, 50.0)];

/// Generic fairness configuration 2, eight groups of VCs; those of A and B enter at different switches. Routes and lines
/// are those that give the rates it is known by.
pub(super) fn gfc_2() -> Case {
    let a = [(1, 0, 5), (1, 1, 5), (1, 2, 5)];
    let b = [(1, 0, 6), (1, 1, 6), (1, 3, 6)];
    let others = [(3, 3, 4), (1, 0, 1), (2, 1, 2), (1, 2, 3), (7, 5, 6), (2, 4, 5)];
    let vcs = a.into_iter().chain(b).chain(others).flat_map(|(n, from, to)| greedy(n, from, to));
    Case::new("GFC-2", &row(&[50, 100, 50, 150, 150, 50]), vcs.collect())
}

/// The rates [Mbit/s] that GFC-2 is known by: A to H.
pub(super) const GFC_2: [(usize, f64); 8] =
    [(3, 10.0), (3, 5.0), (3, 35.0), (1, 35.0), (2, 35.0), (1, 10.0), (7, 5.0), (2, 52.5)];

/// What a random network has besides greedy VCs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mix {
    Greedy,
    Limited,
    Floors,
    Background,
    Everything,
}

/// Random network number `number`: a tree of switches, links of several rates and lengths, VCs anywhere.
pub(super) fn random(number: u64, mix: Mix) -> Case {
    let mut m = stream(number, &format!("max-min {mix:?}"));
    let has = |this: Mix| mix == this || mix == Mix::Everything;
    let switches = m.random_range(2..=6usize);
    let parents: Vec<usize> = (1..switches).map(|s| m.random_range(0..s)).collect();
    let mut links = Vec::new();
    for (s, &parent) in parents.iter().enumerate() {
        let rate = [50_000_000, 100_000_000, LINE, LINE][m.random_range(0..4)];
        links.push((parent, s + 1, rate, Duration::from_us(m.random_range(5..4_000))));
    }
    let slowest = |route: &[usize]| {
        let on = |w: &[usize]| links.iter().find(|l| (l.0, l.1) == (w[0], w[1]) || (l.1, l.0) == (w[0], w[1]));
        route.windows(2).filter_map(on).map(|l| l.2 as f64 / 1e6).fold(f64::INFINITY, f64::min)
    };
    let count = m.random_range(2..=16);
    let mut vcs: Vec<AbrVc> = Vec::new();
    for _ in 0..count {
        let route = random_route(&mut m, &parents, switches);
        let line = slowest(&route);
        let mut vc = AbrVc::greedy(&route);
        vc.access = Duration::from_us(m.random_range(5..3_000));
        vc.icr = Some(mbit([1.0, 5.0, 20.0][m.random_range(0..3)]));
        vc.start = Duration::from_us(m.random_range(0..50_000));
        if has(Mix::Limited) && m.random_bool(0.3) {
            vc.source = Some(mbit(line * m.random_range(0.02..0.2)));
        }
        if has(Mix::Floors) && m.random_bool(0.3) {
            // Together less than any line.
            vc.mcr = mbit(line * m.random_range(0.1..0.6) / count as f64);
            vc.icr = vc.icr.map(|icr| icr.max(vc.mcr));
        }
        vcs.push(vc);
    }
    let mut case = Case::new(&format!("{mix:?} {number}"), &links, vcs);
    if has(Mix::Background) {
        let route = random_route(&mut m, &parents, switches);
        let rate = mbit(slowest(&route) * m.random_range(0.1..0.4));
        case.background.push((route, rate));
    }
    case
}

fn random_route(m: &mut Stream, parents: &[usize], switches: usize) -> Vec<usize> {
    let ancestors = |mut s: usize| {
        let mut path = vec![s];
        while s > 0 {
            s = parents[s - 1];
            path.push(s);
        }
        path
    };
    let from = m.random_range(0..switches);
    let to = (from + m.random_range(1..switches)) % switches;
    let (mut up, mut down) = (ancestors(from), ancestors(to));
    while up.len() > 1 && down.len() > 1 && up[up.len() - 2] == down[down.len() - 2] {
        up.pop();
        down.pop();
    }
    down.pop();
    up.extend(down.into_iter().rev());
    up
}
