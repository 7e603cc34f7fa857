use super::*;
use crate::cell::Kind;

fn frm(ccr: f64) -> Rm {
    Rm { backward: false, bn: false, ci: false, ni: false, er: 300_000.0, ccr, mcr: 7.0 }
}

fn destination(overtaken: Overtaken) -> Destination {
    Destination::new(overtaken, &[]).expect("no periods")
}

fn data(efci: bool) -> Cell {
    let cell = Cell::new(Kind::Data, 0, 0);
    if efci { cell.congested() } else { cell }
}

#[test]
fn rule_1_the_latest_data_cell_says_whether_efci_is_set() {
    for (cells, marked) in [(&[true][..], true), (&[true, false], false), (&[false, true], true), (&[], false)] {
        let mut d = destination(Overtaken::OutOfRate);
        cells.iter().for_each(|&efci| d.rule_1_data(data(efci)));
        d.frm(Time::ZERO, frm(1.0), true);
        assert_eq!(d.take_in_rate().unwrap().ci, marked, "{cells:?}");
    }
}

#[test]
fn rule_2_an_frm_cell_is_turned_round() {
    let mut d = destination(Overtaken::OutOfRate);
    let sent = Rm { ni: true, ..frm(1_234.0) };
    d.frm(Time::ZERO, sent, true);
    assert_eq!(d.take_in_rate(), Some(Rm { backward: true, ..sent }));
    let sent = Rm { ci: true, bn: true, ..frm(1.0) };
    d.frm(Time::ZERO, sent, true);
    assert_eq!(d.take_in_rate(), Some(Rm { backward: true, bn: false, ..sent }), "CI stays");
    assert_eq!(d.take_in_rate(), None);
}

#[test]
fn rule_2_efci_is_cleared_by_the_cell_that_reports_it() {
    let mut d = destination(Overtaken::OutOfRate);
    d.rule_1_data(data(true));
    for ci in [true, false] {
        d.frm(Time::ZERO, frm(1.0), true);
        assert_eq!(d.take_in_rate().unwrap().ci, ci);
    }
}

#[test]
fn rule_2_a_congested_destination_sets_ci() {
    let ms = Duration::from_ms;
    let periods = [Period { from: ms(10), to: ms(20) }, Period { from: ms(30), to: ms(40) }];
    let mut d = Destination::new(Overtaken::OutOfRate, &periods).expect("periods in order");
    for (at, ci) in [(9, false), (10, true), (19, true), (20, false), (30, true), (40, false)] {
        d.frm(Time::ZERO + ms(at), frm(1.0), true);
        assert_eq!(d.take_in_rate().unwrap().ci, ci, "{at} ms");
    }
}

#[test]
fn rule_3_an_overtaken_cell_goes_out_of_rate_with_new_contents() {
    let mut d = destination(Overtaken::OutOfRate);
    d.frm(Time::ZERO, frm(1.0), true);
    assert!(!d.out_of_rate_waits());
    d.frm(Time::ZERO, frm(2.0), true);
    assert_eq!(d.take_out_of_rate().unwrap().ccr, 2.0);
    assert_eq!(d.take_in_rate().unwrap().ccr, 2.0, "the new one is scheduled in-rate");
    assert_eq!((d.take_out_of_rate(), d.take_in_rate(), d.dropped), (None, None, 0));
}

#[test]
fn rule_3_an_overtaken_cell_may_be_dropped() {
    let mut d = destination(Overtaken::Dropped);
    d.frm(Time::ZERO, frm(1.0), true);
    d.frm(Time::ZERO, frm(2.0), true);
    assert_eq!((d.take_out_of_rate(), d.take_in_rate().unwrap().ccr, d.dropped), (None, 2.0, 1));
}

#[test]
fn rule_4_no_older_contents_after_newer() {
    use proptest::prelude::*;
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Frm { in_rate: bool },
        InRate,
        OutOfRate,
    }
    let step = prop_oneof![
        any::<bool>().prop_map(|in_rate| Step::Frm { in_rate }),
        Just(Step::InRate),
        Just(Step::OutOfRate),
    ];
    proptest!(|(steps in prop::collection::vec(step, 1..50), dropped: bool)| {
        let mut d = destination(if dropped { Overtaken::Dropped } else { Overtaken::OutOfRate });
        let (mut came, mut newest_sent) = (0.0, 0.0);
        for step in steps {
            let sent = match step {
                Step::Frm { in_rate } => {
                    came += 1.0;
                    d.frm(Time::ZERO, frm(came), in_rate);
                    None
                }
                // What goes out of rate goes first: the host asks in this order.
                Step::InRate if !d.out_of_rate_waits() => d.take_in_rate(),
                _ => d.take_out_of_rate(),
            };
            if let Some(brm) = sent {
                prop_assert!(brm.ccr >= newest_sent, "contents {} after {newest_sent}", brm.ccr);
                newest_sent = brm.ccr;
            }
        }
    });
}

#[test]
fn rule_5_a_congested_destination_speaks_ten_times_a_second() {
    let from = Duration::from_ms(50);
    let periods =
        [Period { from, to: Duration::from_ms(460) }, Period { from: Duration::from_s(2), to: Duration::from_s(3) }];
    let mut d = Destination::new(Overtaken::OutOfRate, &periods).expect("periods in order");
    let mut times = Vec::new();
    while d.originating_due() < Time::ZERO + Duration::from_s(2) {
        let now = d.originating_due();
        d.rule_5_originate(now);
        if let Some(brm) = d.take_out_of_rate() {
            assert!(brm.backward && brm.bn && brm.ci);
            times.push(now.ps() / 1_000_000_000);
        }
        d.rule_5_originate(now);
        assert_eq!(d.take_out_of_rate(), None, "too soon");
    }
    assert_eq!(times, [50, 150, 250, 350, 450]);
    assert_eq!(d.originating_due(), Time::ZERO + Duration::from_s(2), "the second period");
    assert_eq!(destination(Overtaken::OutOfRate).originating_due(), Time::NEVER);
}

#[test]
fn rule_6_a_cell_with_clp_1_goes_back_out_of_rate() {
    let mut d = destination(Overtaken::Dropped);
    d.frm(Time::ZERO, frm(1.0), false);
    assert_eq!(d.take_in_rate(), None);
    assert_eq!(d.take_out_of_rate().unwrap().ccr, 1.0);
    d.frm(Time::ZERO, frm(2.0), true);
    d.frm(Time::ZERO, frm(3.0), false);
    assert_eq!(d.take_out_of_rate().unwrap().ccr, 3.0);
    assert_eq!(d.take_in_rate().unwrap().ccr, 3.0, "rule 4");
}

#[test]
fn periods_out_of_order_are_located() {
    let period = |from, to| Period { from: Duration::from_ms(from), to: Duration::from_ms(to) };
    for periods in [[period(5, 5), period(6, 7)], [period(1, 2), period(4, 3)], [period(1, 5), period(4, 6)]] {
        let error = Destination::new(Overtaken::Dropped, &periods).err().expect("no order");
        assert!(error.path.starts_with("congested["), "{}", error.path);
    }
}
