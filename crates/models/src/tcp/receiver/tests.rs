use super::*;

fn receiver(first: u32, sack_blocks: usize, delay: Option<Duration>) -> Receiver {
    Receiver::new(ReceiverParts { first: Seq(first), offered: 60_000, sack_blocks, delay })
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_ms(ms)
}

/// The acknowledgement that a segment of `len` bytes causes at once.
fn answer(receiver: &mut Receiver, seq: u32, len: u32) -> (u32, Vec<(u32, u32)>) {
    receiver.segment(Time::ZERO, Segment { seq: Seq(seq), len });
    let ack = receiver.run(Time::ZERO).expect("an acknowledgement at once");
    (ack.ack.0, ack.sack.as_slice().iter().map(|b| (b.start.0, b.end.0)).collect())
}

/// RFC 2018, section 7: the left edge is 5000, and 8 segments of 500 bytes are sent.
#[test]
fn case_1_of_rfc_2018_first_four_arrive_and_the_others_are_lost() {
    let mut r = receiver(5000, 3, None);
    let acks: Vec<_> = (0..4).map(|k| answer(&mut r, 5000 + 500 * k, 500)).collect();
    assert_eq!(acks, [5500, 6000, 6500, 7000].map(|ack| (ack, vec![])));
}

#[test]
fn case_2_of_rfc_2018_the_first_is_lost() {
    let mut r = receiver(5000, 3, None);
    for k in 1..8 {
        assert_eq!(answer(&mut r, 5000 + 500 * k, 500), (5000, vec![(5500, 6000 + 500 * (k - 1))]));
    }
}

#[test]
fn case_3_of_rfc_2018_every_second_is_lost() {
    let mut r = receiver(5000, 3, None);
    assert_eq!(answer(&mut r, 5000, 500), (5500, vec![]));
    assert_eq!(answer(&mut r, 6000, 500), (5500, vec![(6000, 6500)]));
    assert_eq!(answer(&mut r, 7000, 500), (5500, vec![(7000, 7500), (6000, 6500)]));
    assert_eq!(answer(&mut r, 8000, 500), (5500, vec![(8000, 8500), (7000, 7500), (6000, 6500)]));
    // Then the fourth segment arrives, and the second.
    assert_eq!(answer(&mut r, 6500, 500), (5500, vec![(6000, 7500), (8000, 8500)]));
    assert_eq!(answer(&mut r, 5500, 500), (7500, vec![(8000, 8500)]));
    assert_eq!(r.counts().delivered, 2500);
}

#[test]
fn as_many_blocks_as_fit_and_the_most_recent_first() {
    let mut r = receiver(0, 2, None);
    for seq in [1000, 2000, 3000] {
        answer(&mut r, seq, 100);
    }
    assert_eq!(answer(&mut r, 4000, 100), (0, vec![(4000, 4100), (3000, 3100)]));
    assert_eq!(answer(&mut r, 2000, 100).1, [(2000, 2100), (4000, 4100)], "an old one, come again, is recent");
    let mut silent = receiver(0, 0, None);
    assert_eq!(answer(&mut silent, 1000, 100), (0, vec![]));
}

#[test]
fn what_has_come_before_is_acknowledged_again() {
    let mut r = receiver(u32::MAX - 500, 3, None);
    assert_eq!(answer(&mut r, u32::MAX - 500, 1000), (499, vec![]));
    assert_eq!(answer(&mut r, u32::MAX - 500, 1000), (499, vec![]));
    let counts = r.counts();
    assert_eq!((counts.segments, counts.duplicates, counts.delivered, counts.acks), (2, 1, 1000, 2));
}

/// RFC 1122, section 4.2.3.2, and RFC 5681, section 4.2.
#[test]
fn delayed_acknowledgements() {
    let mut r = receiver(0, 0, Some(Duration::from_ms(200)));
    let mut segment = |now: u64, seq: u32| {
        r.segment(ms(now), Segment { seq: Seq(seq), len: 100 });
        let due = r.next_run();
        (due, if due <= ms(now) { r.run(ms(now)).map(|a| a.ack.0) } else { None })
    };
    assert_eq!(segment(0, 0), (ms(200), None), "the first waits");
    assert_eq!(segment(50, 100), (ms(50), Some(200)), "the second does not");
    assert_eq!(segment(60, 200), (ms(260), None));
    assert_eq!(segment(70, 400), (ms(70), Some(300)), "out of order: at once");
    assert_eq!(segment(80, 500), (ms(80), Some(300)), "and each of those behind the gap");
    assert_eq!(segment(90, 300), (ms(90), Some(600)), "it fills the gap: at once");
    assert_eq!(segment(95, 600), (ms(295), None));
    assert_eq!(r.run(ms(294)), None, "not before it is due");
    assert_eq!(r.run(ms(295)).map(|a| a.ack.0), Some(700));
    assert_eq!((r.next_run(), r.run(ms(400))), (Time::NEVER, None));
}
