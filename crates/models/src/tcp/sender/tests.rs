use super::super::path::{DELAY, Fate, MSS, On, Path, SERIAL, parts};
use super::super::segment::SackBlocks;
use super::*;
use cellway_kernel::rng::stream;
use proptest::prelude::*;
use rand::RngExt;

const ALL: [&str; 5] = ["tahoe", "reno", "new_reno", "sack", "sack1"];
/// An empty path.
const ROUND_TRIP: Duration = Duration::from_ps(SERIAL.ps() + 2 * DELAY.ps());

/// Fall and Floyd 1996, figures 2 to 5: in slow start, with 15 packets in flight (14 to 28), these are lost.
const LOSSES: [&[u32]; 4] = [&[14], &[14, 28], &[14, 26, 28], &[14, 24, 26, 28]];

fn after_losses(kind: &str, lost: &'static [u32]) -> Path<impl FnMut(On) -> Fate> {
    let mut path = Path::new(kind, parts(200), None, move |on| match on {
        On::Packet(packet, 0) if lost.contains(&packet) => Fate::Lost,
        _ => Fate::Arrives,
    });
    path.run();
    assert_eq!(path.receiver.counts().delivered, 200 * u64::from(MSS), "{kind} {lost:?}");
    assert!(path.sender.is_done());
    path
}

fn packets(repeated: &[(u32, Time)]) -> Vec<u32> {
    repeated.iter().map(|r| r.0).collect()
}

#[test]
fn one_loss_takes_a_fast_retransmit_and_no_time_out() {
    for kind in ALL {
        let path = after_losses(kind, LOSSES[0]);
        let counts = path.sender.counts();
        assert_eq!((counts.timeouts, counts.fast_retransmits, counts.retransmissions), (0, 1, 1), "{kind}");
        assert_eq!(packets(&path.repeated()), [14], "{kind}");
    }
}

/// The window is halved to 7 packets; the duplicates of packets 15 to 28 let 29 to 34 out meanwhile.
#[test]
fn fast_recovery_keeps_the_path_filled() {
    for kind in ["reno", "new_reno", "sack", "sack1"] {
        let path = after_losses(kind, LOSSES[0]);
        let again = path.sent.iter().position(|s| s.again).unwrap();
        let recovered = path.sent[again].at + ROUND_TRIP + Duration::from_ms(150);
        let meanwhile: Vec<u32> =
            path.sent[again + 1..].iter().take_while(|s| s.at < recovered).map(|s| s.packet).collect();
        assert!(meanwhile.starts_with(&[29, 30, 31, 32, 33, 34]) || kind == "sack", "{kind}: {meanwhile:?}");
        assert!(path.sender.window().ssthresh <= 8 * MSS);
    }
    let path = after_losses("tahoe", LOSSES[0]);
    let again = path.sent.iter().position(|s| s.again).unwrap();
    assert!(
        path.sent[again + 1].at.since(path.sent[again].at) >= ROUND_TRIP,
        "Tahoe waits a round trip for its slow start"
    );
}

/// Fall and Floyd, section 6.2: the second loss costs Reno a second fast retransmit, and half of the window again.
#[test]
fn two_losses_take_reno_two_fast_retransmits() {
    let path = after_losses("reno", LOSSES[1]);
    let counts = path.sender.counts();
    assert_eq!((counts.timeouts, counts.fast_retransmits), (0, 2));
    assert_eq!(packets(&path.repeated()), [14, 28]);
    for kind in ["new_reno", "sack", "sack1"] {
        let counts = after_losses(kind, LOSSES[1]).sender.counts();
        assert_eq!((counts.timeouts, counts.fast_retransmits, counts.retransmissions), (0, 1, 2), "{kind}");
    }
}

/// Sections 6.3 and 6.4: too few duplicates are left.
#[test]
fn three_and_four_losses_make_reno_wait_for_a_time_out() {
    for lost in &LOSSES[2..] {
        let path = after_losses("reno", lost);
        assert!(path.sender.counts().timeouts >= 1, "{lost:?}");
        let repeated = path.repeated();
        let longest = repeated.windows(2).map(|w| w[1].1.since(w[0].1)).max().unwrap();
        assert!(longest > Duration::from_ms(500), "a pause of {longest:?}");
        for kind in ["tahoe", "new_reno", "sack", "sack1"] {
            assert_eq!(after_losses(kind, lost).sender.counts().timeouts, 0, "{kind} {lost:?}");
        }
    }
}

#[test]
fn new_reno_repeats_one_loss_in_a_round_trip() {
    for lost in LOSSES {
        let path = after_losses("new_reno", lost);
        let repeated = path.repeated();
        assert_eq!(packets(&repeated), lost, "only what was lost");
        for pair in repeated.windows(2) {
            let apart = pair[1].1.since(pair[0].1);
            assert!(apart >= ROUND_TRIP && apart.ps() < ROUND_TRIP.ps() * 3 / 2, "{apart:?}");
        }
    }
}

#[test]
fn sack_repeats_all_losses_within_a_round_trip() {
    for kind in ["sack", "sack1"] {
        for lost in LOSSES {
            let path = after_losses(kind, lost);
            let repeated = path.repeated();
            assert_eq!(packets(&repeated), lost, "{kind}: only what was lost");
            let apart = |r: &(u32, Time)| r.1.since(repeated[0].1);
            let of_window = repeated.iter().filter(|r| r.0 != 28).map(apart).max().unwrap();
            assert!(of_window.ps() <= ROUND_TRIP.ps() * 5 / 4, "{kind} {lost:?}: {of_window:?}");
            // Packet 28 was the last of its window: its loss shows only when what was sent after the first loss has
            // come. RFC 6675 sends that at once, by limited transmit, sack1 after the first partial acknowledgement.
            let limit = if kind == "sack" { ROUND_TRIP.ps() * 3 / 2 } else { ROUND_TRIP.ps() * 9 / 4 };
            let last = repeated.iter().map(apart).max().unwrap();
            assert!(last.ps() <= limit, "{kind} {lost:?}: {last:?}");
            assert_eq!(path.sender.counts().fast_retransmits, 1);
        }
    }
}

/// Section 6: without selective acknowledgements, "retransmit at most one dropped packet per round-trip time, or packets
/// that might have already been delivered".
#[test]
fn tahoe_repeats_what_has_arrived() {
    let path = after_losses("tahoe", LOSSES[3]);
    let repeated = packets(&path.repeated());
    assert!(repeated.len() > LOSSES[3].len() && LOSSES[3].iter().all(|p| repeated.contains(p)), "{repeated:?}");
    assert_eq!(path.sender.counts().fast_retransmits, 1);
}

/// A sender of its own, to which acknowledgements are given by hand.
fn by_hand(kind: &str, parts: SenderParts) -> Sender {
    Sender::new(parts, super::super::path::congestion(kind).config())
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_ms(ms)
}

/// Sends all that may go at `now`; the packets, by number.
fn flush(sender: &mut Sender, now: Time) -> Vec<u32> {
    let mut packets = Vec::new();
    while sender.next_run() <= now {
        packets.extend(sender.run(now).map(|s| s.seq.since(parts(0).first) / MSS));
    }
    packets
}

fn ack(packet: u32) -> Ack {
    Ack { ack: parts(0).first.plus(packet * MSS), sack: SackBlocks::default() }
}

fn timeout(sender: &Sender) -> u64 {
    sender.rto().timeout().ps() / 1_000_000_000
}

/// RFC 6298, section 5: the timer starts with a segment, anew with new data acknowledged, and stops when all is.
#[test]
fn the_rules_of_the_timer() {
    let mut s = by_hand("reno", SenderParts { initial_window: 2 * MSS, ..parts(3) });
    assert_eq!(flush(&mut s, ms(0)), [0, 1]);
    assert_eq!(s.next_run(), ms(1000));
    s.acknowledge(ms(150), &ack(1));
    assert_eq!(flush(&mut s, ms(150)), [2]);
    assert_eq!(s.next_run(), ms(1200), "at a tick of 100 ms, not before a second has passed");
    s.acknowledge(ms(160), &ack(1));
    assert_eq!(s.next_run(), ms(1200), "a duplicate says nothing of the timer");
    s.acknowledge(ms(300), &ack(3));
    assert_eq!((s.next_run(), s.is_done()), (Time::NEVER, true));
}

/// Karn and Partridge: no round trip is measured from what was sent twice, and the back-off stays until one is.
#[test]
fn karns_algorithm() {
    let mut s = by_hand("new_reno", SenderParts { initial_window: 2 * MSS, ..parts(20) });
    flush(&mut s, ms(0));
    assert_eq!(flush(&mut s, ms(1000)), [0], "the first again, alone");
    assert_eq!(timeout(&s), 2000);
    assert_eq!(flush(&mut s, ms(3000)), [0]);
    assert_eq!(timeout(&s), 4000);
    s.acknowledge(ms(3100), &ack(2));
    assert_eq!((s.rto().smoothed(), timeout(&s)), (None, 4000), "whose acknowledgement is it?");
    assert_eq!(flush(&mut s, ms(3100)), [2, 3]);
    s.acknowledge(ms(3400), &ack(3));
    assert_eq!(
        (s.rto().smoothed(), timeout(&s)),
        (Some(Duration::from_ms(300)), 1000),
        "300 + 4 * 150 ms, at least 1 s"
    );
}

/// Section 3.1 of RFC 5681: half the flight at the first time-out, and no less at the next.
#[test]
fn the_threshold_after_time_outs() {
    for (kind, second) in [("new_reno", 8 * MSS), ("sack", 8 * MSS), ("reno", 2 * MSS), ("tahoe", 2 * MSS)] {
        let mut s = by_hand(kind, SenderParts { initial_window: 16 * MSS, ..parts(100) });
        assert_eq!(flush(&mut s, ms(0)).len(), 16);
        flush(&mut s, ms(1000));
        assert_eq!((s.window().ssthresh, s.window().cwnd), (8 * MSS, MSS), "{kind}");
        flush(&mut s, ms(3000));
        assert_eq!(s.window().ssthresh, second, "{kind}: 4.3BSD halves the window, which is one segment now");
    }
}

/// All of the flight was acknowledged late: what goes on is new data, not what was about to be sent again.
#[test]
fn a_spurious_time_out_repeats_one_segment() {
    for kind in ALL {
        let mut s = by_hand(kind, SenderParts { initial_window: 8 * MSS, ..parts(100) });
        flush(&mut s, ms(0));
        assert_eq!(flush(&mut s, ms(1000)), [0]);
        s.acknowledge(ms(1050), &ack(8));
        assert_eq!(flush(&mut s, ms(1050)), [8, 9], "{kind}");
        // The answer to the needless repetition.
        s.acknowledge(ms(1100), &ack(8));
        assert_eq!(flush(&mut s, ms(1100)), [0; 0]);
        assert_eq!((s.counts().retransmissions, s.counts().timeouts, s.counts().duplicate_acks), (1, 1, 1));
    }
}

#[test]
fn an_acknowledgement_that_was_overtaken_says_nothing() {
    let mut s = by_hand("reno", SenderParts { initial_window: 4 * MSS, ..parts(100) });
    flush(&mut s, ms(0));
    s.acknowledge(ms(100), &ack(3));
    flush(&mut s, ms(100));
    let (flight, cwnd) = (s.window().flight(), s.window().cwnd);
    for packet in [1, 2, 1] {
        s.acknowledge(ms(101), &ack(packet));
    }
    assert_eq!((s.window().flight(), s.window().cwnd, s.counts().duplicate_acks), (flight, cwnd, 0));
}

#[test]
fn reordering_by_less_than_three_causes_no_retransmission() {
    for kind in ALL {
        let mut path = Path::new(kind, parts(100), None, |on| match on {
            // Behind the two that follow it.
            On::Packet(packet, 0) if packet % 20 == 15 => Fate::Late(Duration::from_ms(25)),
            _ => Fate::Arrives,
        });
        path.run();
        assert_eq!((path.sender.counts().retransmissions, path.sender.counts().timeouts), (0, 0), "{kind}");
        assert!(path.sender.counts().duplicate_acks >= 8, "{kind}");
    }
}

#[test]
fn lost_acknowledgements_cost_nothing_where_later_ones_come() {
    for kind in ALL {
        let mut path = Path::new(kind, parts(300), None, |on| match on {
            On::Ack(n) if n % 3 != 0 && n > 8 && n < 290 => Fate::Lost,
            _ => Fate::Arrives,
        });
        path.run();
        assert_eq!((path.sender.counts().retransmissions, path.sender.counts().timeouts), (0, 0), "{kind}");
    }
}

/// Nobody notices but the timer, not even RFC 6675.
#[test]
fn a_lost_retransmission_waits_for_the_time_out() {
    for kind in ALL {
        let mut path = Path::new(kind, parts(100), None, |on| match on {
            On::Packet(30, 0 | 1) => Fate::Lost,
            _ => Fate::Arrives,
        });
        path.run();
        let counts = path.sender.counts();
        assert_eq!((counts.timeouts, path.sender.is_done()), (1, true), "{kind}");
        assert_eq!(path.sent.iter().filter(|s| s.packet == 30).count(), 3, "{kind}");
    }
}

#[test]
fn it_gives_up_after_so_many_time_outs_in_a_row() {
    let mut s = by_hand("sack", SenderParts { retries: Some(3), ..parts(10) });
    let mut times = Vec::new();
    while s.next_run() != Time::NEVER {
        let now = s.next_run();
        if s.run(now).is_some() {
            times.push(now.ps() / 1_000_000_000_000);
        }
    }
    assert_eq!(times, [0, 1, 3, 7]);
    assert!(s.has_given_up() && !s.is_done());
    s.acknowledge(ms(60_000), &ack(1));
    assert_eq!(s.next_run(), Time::NEVER, "for good");
}

/// RFC 5681, section 4.1: an idle connection has lost its clock.
#[test]
fn after_an_idle_time_it_starts_slowly() {
    use cellway_kernel::units::{CellClock, CellRate};
    // A segment each 5 s.
    let supply = Supply::new(Time::ZERO, u64::MAX, MSS, Some(CellClock::of_rate(CellRate::new(1, 5))));
    let mut s = by_hand("reno", SenderParts { initial_window: 2 * MSS, supply, ..parts(0) });
    for k in 0..4 {
        assert_eq!(flush(&mut s, ms(5000 * u64::from(k))), [k]);
        s.acknowledge(ms(5000 * u64::from(k) + 100), &ack(k + 1));
        assert_eq!(s.window().cwnd, 3 * MSS);
        assert_eq!(s.next_run(), ms(5000 * (u64::from(k) + 1)));
    }
}

/// With 3 segments in flight there are never three duplicates.
#[test]
fn a_small_window_waits_for_the_time_out() {
    for kind in ["tahoe", "reno", "new_reno"] {
        let mut path = Path::new(kind, SenderParts { offered: 3 * MSS, ..parts(40) }, None, |on| match on {
            On::Packet(20, 0) => Fate::Lost,
            _ => Fate::Arrives,
        });
        path.run();
        assert_eq!((path.sender.counts().fast_retransmits, path.sender.counts().timeouts), (0, 1), "{kind}");
    }
}

#[test]
fn probes_follow_what_they_observe() {
    let mut s = by_hand("reno", parts(100));
    s.observe(Quantity::Cwnd, None);
    s.observe(Quantity::InFlight, None);
    flush(&mut s, ms(0));
    s.acknowledge(ms(200), &ack(1));
    flush(&mut s, ms(200));
    let values =
        |s: &mut Sender, q| -> Vec<f64> { s.observed(q, ms(300)).unwrap().samples().iter().map(|x| x.value).collect() };
    assert_eq!(values(&mut s, Quantity::Cwnd), [1000.0, 2000.0]);
    assert_eq!(values(&mut s, Quantity::InFlight), [1000.0, 2000.0]);
    assert!(s.observed(Quantity::Rto, ms(300)).is_none());
}

/// What can go wrong for a while: packets and acknowledgements lost, or overtaken by those behind them.
#[derive(Clone, Debug)]
struct Weather {
    packets: u64,
    offered: u32,
    initial: u32,
    delayed_ack: bool,
    lose: u8,
    lose_acks: u8,
    late: u8,
    seed: u64,
}

fn weather() -> impl Strategy<Value = Weather> {
    let loss = || prop_oneof![Just(0u8), 1u8..20, 20u8..140];
    (1u64..150, 1u32..40, 1u32..5, any::<bool>(), loss(), loss(), loss(), any::<u64>()).prop_map(
        |(packets, offered, initial, delayed_ack, lose, lose_acks, late, seed)| Weather {
            packets,
            offered,
            initial,
            delayed_ack,
            lose,
            lose_acks,
            late,
            seed,
        },
    )
}

/// A path with this weather, which clears up after 1500 events.
fn through(kind: &str, weather: &Weather) -> Path<impl FnMut(On) -> Fate + use<>> {
    let mut random = stream(weather.seed, "path");
    let (mut events, w) = (0, weather.clone());
    let start = SenderParts {
        offered: w.offered * MSS,
        initial_window: w.initial * MSS,
        // A last segment that is shorter than the others.
        supply: Supply::new(Time::ZERO, w.packets * u64::from(MSS) - w.seed % u64::from(MSS), MSS, None),
        ..parts(0)
    };
    let delay = w.delayed_ack.then_some(Duration::from_ms(200));
    Path::new(kind, start, delay, move |on| {
        events += 1;
        let lose = if matches!(on, On::Packet(..)) { w.lose } else { w.lose_acks };
        if events > 1500 {
            Fate::Arrives
        } else if random.random::<u8>() < lose {
            Fate::Lost
        } else if random.random::<u8>() < w.late {
            Fate::Late(Duration::from_ms(random.random_range(0..2000)))
        } else {
            Fate::Arrives
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Every byte arrives once and in order, whatever is lost; the path's own assertions hold at each step; and when
    /// losses cease it comes to an end.
    #[test]
    fn every_byte_arrives_whatever_is_lost(weather in weather(), kind in prop::sample::select(ALL.to_vec())) {
        let mut path = through(kind, &weather);
        let total = weather.packets * u64::from(MSS) - weather.seed % u64::from(MSS);
        let mut steps = 0;
        while path.step() {
            steps += 1;
            prop_assert!(steps < 100_000, "{} of {} bytes after {:?}", path.receiver.counts().delivered, total, path.now);
            prop_assert!(path.receiver.counts().delivered <= total);
        }
        prop_assert!(path.sender.is_done());
        prop_assert_eq!(path.receiver.counts().delivered, total);
        prop_assert_eq!(path.sender.window().flight(), 0);
        let counts = path.sender.counts();
        prop_assert_eq!(counts.segments - counts.retransmissions, weather.packets);
        prop_assert_eq!(counts.segments as usize, path.sent.len());
        if weather.lose == 0 && weather.late == 0 && weather.lose_acks == 0 && !weather.delayed_ack {
            prop_assert_eq!(counts.retransmissions, 0);
        }
    }

    /// Without a time-out SACK repeats what was lost, and at most one segment more in each recovery: RFC 6675 to hear from
    /// the receiver (NextSeg rule 4), either where a recovery begins with what the one before has just repeated.
    #[test]
    fn selective_senders_repeat_only_what_was_lost(lost in prop::collection::btree_set(3u32..90, 0..6)) {
        for kind in ["sack", "sack1"] {
            let lose = lost.clone();
            let mut path = Path::new(kind, parts(200), None, move |on| match on {
                On::Packet(packet, 0) if lose.contains(&packet) => Fate::Lost,
                _ => Fate::Arrives,
            });
            path.run();
            if path.sender.counts().timeouts == 0 {
                let repeated = packets(&path.repeated());
                let recoveries = path.sender.counts().fast_retransmits as usize;
                prop_assert!(repeated.len() - lost.len() <= recoveries, "{}: {:?}", kind, repeated);
                prop_assert!(lost.iter().all(|p| repeated.contains(p)));
            }
        }
    }
}
