use super::*;
use cellway_kernel::units::{BitRate, CellRate};
use proptest::prelude::*;

/// 424 Mbit/s: a cell lasts exactly 1 us.
const LINE: BitRate = BitRate::from_bps(424_000_000);
const CELL: u64 = 1_000_000;

fn wfq(rates: &[u64]) -> Box<dyn Schedule> {
    let queues: Vec<_> = (0..).zip(rates.iter().map(|&r| Some(CellRate::new(r, 1)))).collect();
    Wfq::default().build(&ScheduleContext { line: LINE, queues: &queues }).expect("good parameters")
}

/// A cell, with all times in ps of the line's work for the group.
#[derive(Clone, Copy, Debug)]
struct Served {
    queue: usize,
    came: f64,
    left: f64,
}

/// The line: cells come at their times; between two cells others may take the line for some time.
fn serve(schedule: &mut dyn Schedule, queues: usize, arrivals: &[(u64, usize)], pauses: &[u64]) -> Vec<Served> {
    let (mut now, mut work) = (0, 0);
    let mut coming = arrivals.iter().copied().peekable();
    let mut waiting: Vec<VecDeque<f64>> = vec![VecDeque::new(); queues];
    let mut active = vec![false; queues];
    let mut served = Vec::new();
    let mut pauses = pauses.iter().cycle();
    let at = Time::from_ps;
    let mut present = 0..0;
    loop {
        // All cells that come before the line goes on, each with the work done by then.
        while let Some((time, q)) = coming.next_if(|&(time, _)| time <= now) {
            let of_present = time.clamp(present.start, present.end) - present.start;
            waiting[q].push_back((work + of_present) as f64);
            schedule.arrived(at(time), q as QueueId);
            if !std::mem::replace(&mut active[q], true) {
                schedule.activate(at(time), q as QueueId);
            }
        }
        work += present.end - present.start;
        present = now..now;
        let Some(q) = schedule.next(at(now)).map(|q| q as usize) else {
            let Some(&(time, _)) = coming.peek() else { return served };
            now = time;
            continue;
        };
        let came = waiting[q].pop_front().expect("only queues with a cell are active");
        served.push(Served { queue: q, came, left: (work + CELL) as f64 });
        active[q] = !waiting[q].is_empty();
        if active[q] {
            schedule.activate(at(now), q as QueueId);
        }
        present = now..now + CELL;
        now = present.end + pauses.next().expect("a cycle");
    }
}

/// Generalised processor sharing by the textbook: the time at which the fluid server finishes each cell, by queue.
fn fluid(weights: &[f64], cells: &[Served]) -> Vec<Vec<f64>> {
    let mut order: Vec<(f64, usize)> = cells.iter().map(|c| (c.came, c.queue)).collect();
    order.sort_by(|a, b| a.partial_cmp(b).expect("times"));
    let mut coming = order.into_iter().peekable();
    let mut left: Vec<VecDeque<f64>> = vec![VecDeque::new(); weights.len()];
    let mut finished = vec![Vec::new(); weights.len()];
    let mut now = 0.0;
    loop {
        let busy: f64 = (0..weights.len()).filter(|&q| !left[q].is_empty()).map(|q| weights[q]).sum();
        let rate = |q: usize| weights[q] / busy;
        let next_end = (0..weights.len())
            .filter_map(|q| Some((now + left[q].front()? / rate(q), q)))
            .min_by(|a, b| a.partial_cmp(b).expect("times"));
        let next_arrival = coming.peek().map(|&(time, _)| time);
        let (then, ended) = match (next_end, next_arrival) {
            (None, None) => return finished,
            (Some((end, q)), arrival) if arrival.is_none_or(|a| end <= a) => (end, Some(q)),
            (_, arrival) => (arrival.expect("something comes"), None),
        };
        for q in 0..weights.len() {
            if let Some(cell) = left[q].front_mut() {
                *cell -= (then - now) * weights[q] / busy;
            }
        }
        now = then;
        if let Some(q) = ended {
            left[q].pop_front();
            finished[q].push(now);
        } else if let Some((_, q)) = coming.next() {
            left[q].push_back(CELL as f64);
        }
    }
}

/// Rounding of the independent fluid server, in ps.
const SLACK: f64 = 1.0;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Parekh and Gallager, theorems 1 and 2: a cell leaves at most one cell time after the fluid server finishes it, and
    /// no queue is served more than one cell less than by the fluid server.
    #[test]
    fn no_cell_is_later_than_the_fluid_server_by_more_than_a_cell(
        rates in prop::collection::vec(1u64..2_000, 1..7),
        gaps in prop::collection::vec((prop_oneof![Just(0), 0..2_000_000u64, 0..30_000_000u64], 0usize..7, 1usize..9), 1..150),
        pauses in prop::collection::vec(prop_oneof![Just(0), Just(0), 0..5_000_000u64], 1..20),
    ) {
        let mut arrivals = Vec::new();
        let mut time = 0;
        for (gap, queue, burst) in gaps {
            time += gap;
            arrivals.extend(vec![(time, queue % rates.len()); burst]);
        }
        let served = serve(&mut *wfq(&rates), rates.len(), &arrivals, &pauses);
        prop_assert_eq!(served.len(), arrivals.len());
        let weights: Vec<f64> = rates.iter().map(|&r| r as f64).collect();
        let finished = fluid(&weights, &served);
        let mut next = vec![0; rates.len()];
        for cell in &served {
            let fluid = finished[cell.queue][next[cell.queue]];
            next[cell.queue] += 1;
            prop_assert!(cell.left <= fluid + CELL as f64 + SLACK, "{cell:?}, in the fluid server {fluid}");
        }
        for (k, cell) in served.iter().enumerate() {
            for (q, finished) in finished.iter().enumerate() {
                let real = served[..=k].iter().filter(|c| c.queue == q).count();
                let fluid = finished.iter().filter(|&&f| f <= cell.left - SLACK).count();
                prop_assert!(fluid <= real + 1, "queue {q} at {}: {real} cells, in the fluid server {fluid}", cell.left);
            }
        }
    }

    /// Queues that are backlogged together from the start get service in proportion to their weights, to within a cell of
    /// each; and so over any later interval, to within two.
    #[test]
    fn backlogged_queues_share_by_weight(rates in prop::collection::vec(1u64..2_000, 2..6), cells in 50usize..150) {
        let arrivals: Vec<_> = (0..rates.len()).flat_map(|q| vec![(0, q); cells]).collect();
        let served = serve(&mut *wfq(&rates), rates.len(), &arrivals, &[0]);
        let mut counts = vec![0usize; rates.len()];
        for cell in served {
            counts[cell.queue] += 1;
            if counts.contains(&cells) {
                break;
            }
            let normal = |q: usize| counts[q] as f64 / rates[q] as f64;
            for (a, b) in (0..rates.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
                let bound = 1.0 / rates[a] as f64 + 1.0 / rates[b] as f64;
                prop_assert!((normal(a) - normal(b)).abs() <= bound * (1.0 + 1e-9), "{counts:?} for {rates:?}");
            }
        }
    }
}

#[test]
fn one_heavy_and_many_light_queues() {
    // As in Bennett and Zhang, WF2Q, INFOCOM 1996, figure 1: many cells of a queue with half of the weight and one cell of
    // each of sixteen others (ten there). Fair queuing sends the heavy one's far ahead, and yet no other is late.
    let mut rates = vec![16];
    rates.extend([1; 16]);
    let mut arrivals = vec![(0, 0); 17];
    arrivals.extend((1..=16).map(|q| (0, q)));
    let order: Vec<usize> = serve(&mut *wfq(&rates), 17, &arrivals, &[0]).iter().map(|c| c.queue).collect();
    let (heavy, others) = order.split_at(15);
    assert_eq!(heavy, [0; 15]);
    // The sixteenth ends with the light ones in the fluid server; equal tags go in the order in which queues came.
    assert_eq!(others[..16], (1..=16).collect::<Vec<_>>());
    assert_eq!(others[16..], [0, 0]);
}

#[test]
fn a_queue_saves_nothing_while_it_has_no_cells() {
    // Queue 1 is silent while queue 0 sends 100 cells; then it gets its half, not the whole line.
    let mut arrivals = vec![(0, 0); 200];
    arrivals.extend(vec![(100 * CELL, 1); 50]);
    let served = serve(&mut *wfq(&[5, 5]), 2, &arrivals, &[0]);
    let of_1 = served[100..200].iter().filter(|c| c.queue == 1).count();
    assert_eq!(of_1, 50);
    assert!(served[100..200].windows(3).all(|w| w.iter().any(|c| c.queue == 0)), "queue 1 held the line");
}

#[test]
fn queues_without_a_minimum_share_the_default() {
    let queues = [(0, Some(CellRate::new(500_000, 1))), (1, None), (2, Some(CellRate::new(0, 1)))];
    let context = ScheduleContext { line: LINE, queues: &queues };
    let mut schedule = Wfq { default_share: Fraction(0.1) }.build(&context).expect("good parameters");
    // 500 000 : 50 000 : 50 000 cells/s.
    let arrivals: Vec<_> = (0..3).flat_map(|q| vec![(0, q); 240]).collect();
    let served = serve(&mut *schedule, 3, &arrivals, &[0]);
    let count = |q| served[..240].iter().filter(|c| c.queue == q).count();
    assert_eq!([count(0), count(1), count(2)], [200, 20, 20]);
}

#[test]
fn shares_are_exact_after_a_long_time() {
    // As if the line had been busy for 50 days, with the lightest queue alone for most of it.
    let queue = |weight| Queue::new(weight, CELL);
    let mut long = FairQueuing {
        fluid: Fluid::new(CELL),
        queues: vec![queue(LEAST_WEIGHT), queue(3 << 25), queue(5 << 25)],
        waiting: Waiting::new(3),
    };
    let start = Time::from_ps(3 << 60);
    (long.fluid.done, long.fluid.started) = (3 << 60, Some(Time::ZERO));
    (long.fluid.at_work, long.fluid.virtual_time) = (3 << 122, 3 << 112);
    for q in 0..3 {
        for _ in 0..90_000 {
            long.arrived(start, q);
        }
        long.activate(start, q);
    }
    let mut counts = [0u32; 3];
    for slot in 0..80_000 {
        let now = Time::from_ps(start.ps() + slot * CELL);
        let q = long.next(now).expect("all are backlogged");
        counts[q as usize] += 1;
        long.activate(now, q);
    }
    assert_eq!(counts, [0, 30_000, 50_000]);
}

#[test]
fn a_share_of_nothing_is_refused() {
    for share in [0.0, -0.1, 1.5, f64::NAN] {
        let context = ScheduleContext { line: LINE, queues: &[] };
        let built = Wfq { default_share: Fraction(share) }.build(&context);
        assert_eq!(built.map(drop).expect_err("no share").path, "default_share");
    }
}
