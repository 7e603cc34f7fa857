use super::super::trial::{End, Event, Loop, Trial, build, error, ps};
use super::*;
use serde_json::{Value, json};

fn offers(spec: &Value, count: usize) -> Vec<(u64, u64)> {
    let offers = Trial::new(spec, 1).filter_map(|(at, offer)| match offer {
        Offer::Message(cells) => Some((at, cells)),
        _ => None,
    });
    offers.take(count).collect()
}

#[test]
fn segments_take_the_cells_of_their_frames() {
    // 1024 + 40 + 8 bytes, and a trailer of 8, in 22.3 and 22.5 payloads of 48; 512 in 11.7 and 11.8; 88 + 8 in 2.
    for (mss, llc_snap, cells) in [(1024, true, 23), (1024, false, 23), (512, true, 12), (40, true, 2), (48, false, 2)]
    {
        let spec = json!({"kind": "tcp", "mss": mss, "llc_snap": llc_snap, "phase": 77, "start": 100});
        assert_eq!(offers(&spec, 1), [(177, cells)], "{mss} {llc_snap}");
    }
}

#[test]
fn an_acknowledgement_takes_one_cell_or_two() {
    for (llc_snap, cells) in [(true, 2), (false, 1)] {
        let spec = json!({"kind": "tcp", "llc_snap": llc_snap, "phase": 0, "bytes": 5000});
        let run = Loop::new(&spec, 1, Duration::from_ms(1), |_, _| false);
        let acks: Vec<u64> = run
            .filter_map(|(_, event)| match event {
                Event::Offer(End::Responder, Offer::Message(cells)) => Some(cells),
                _ => None,
            })
            .collect();
        assert_eq!(acks, [cells; 5]);
    }
}

#[test]
fn connections_begin_one_after_the_other() {
    let spec = json!({"kind": "tcp", "connections": 3, "stagger": ps(0.1), "phase": 5, "initial_window": 2});
    let times: Vec<u64> = offers(&spec, 6).into_iter().map(|o| o.0).collect();
    assert_eq!(times, [5, 5, ps(0.1) + 5, ps(0.1) + 5, ps(0.2) + 5, ps(0.2) + 5]);
    let spec = json!({"kind": "tcp", "connections": 50});
    let times: Vec<u64> = offers(&spec, 50).into_iter().map(|o| o.0).collect();
    let span = ps(23.0 * 424.0 / 155_520_000.0);
    assert!(times.iter().all(|t| *t <= span) && times[49] > span / 2, "spread over the time of a segment");
}

#[test]
fn a_window_beyond_16_bits_is_scaled() {
    for (window, offered) in
        [(65_535, 65_535), (65_536, 65_536), (65_537, 65_536), (600_000, 600_000), (1 << 30, 1 << 30)]
    {
        let tcp: Tcp = serde_json::from_value(json!({"window": window})).unwrap();
        assert_eq!(u64::from(tcp.offered()), offered);
    }
    let tcp: Tcp = serde_json::from_value(json!({"window": 600_007})).unwrap();
    assert_eq!(tcp.offered(), 600_000, "by 16, the smallest power that brings it below 2^16");
}

#[test]
fn what_no_tcp_can_do_is_refused() {
    for (field, value) in [
        ("mss", json!(0)),
        ("mss", json!(65_488)),
        ("window", json!(1000)),
        ("window", json!((1u64 << 30) + 1)),
        ("ssthresh", json!(100)),
        ("bytes", json!(0)),
        ("connections", json!(0)),
        ("connections", json!(65_537)),
        ("initial_window", json!(0)),
        ("sack_blocks", json!(5)),
        ("ack_delay", json!(0)),
        ("min_rto", json!(0)),
        ("max_rto", json!(ps(0.5))),
        ("rate", json!(0)),
    ] {
        let mut spec = json!({"kind": "tcp"});
        spec[field] = value;
        assert_eq!(error(&spec).path, field);
    }
}

/// Losses of whole frames either way, several connections: all is delivered.
#[test]
fn a_lossy_loop_delivers_everything() {
    let mut count = 0u32;
    let spec = json!({"kind": "tcp", "connections": 4, "bytes": 200_000, "initial_rto": ps(0.3), "min_rto": ps(0.1)});
    let mut run = Loop::new(&spec, 3, Duration::from_ms(2), move |_, _| {
        count = count.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        count >> 28 == 0
    });
    run.by_ref().for_each(drop);
    let Some(TcpEnd::Receivers(receivers)) = run.application.responder.as_ref().and_then(|r| r.tcp()) else {
        panic!("receivers at the responder")
    };
    assert!(receivers.iter().all(|r| r.counts().delivered == 200_000));
    let Some(TcpEnd::Senders(senders)) = run.application.source.tcp() else { panic!("senders at the source") };
    assert!(senders.iter().all(|s| s.is_done() && s.counts().retransmissions > 5));
}

#[test]
fn the_random_phase_depends_on_seed_and_vc_only() {
    let spec = json!({"kind": "tcp"});
    let first = |seed, vc| build(&spec, seed, vc).unwrap().source.next_offer();
    assert_eq!(first(1, "a"), first(1, "a"));
    assert!(first(1, "a") != first(2, "a") && first(1, "a") != first(1, "b"));
}
