use super::*;
use crate::abr::{Abr, AbrContext};
use cellway_kernel::units::{BitRate, CellRate};
use serde_json::json;

/// A source on a line of 155.52 Mbit/s that is asked for cells at given times.
pub(crate) struct Bench {
    source: Source,
    now: Time,
}

const BOTH: Waiting = Waiting { data: true, brm: true };
const DATA: Waiting = Waiting { data: true, brm: false };
const BRM: Waiting = Waiting { data: false, brm: true };
const NOTHING: Waiting = Waiting { data: false, brm: false };

impl Bench {
    pub(crate) fn new(parameters: &serde_json::Value, mcr: f64) -> Bench {
        let abr: Abr = serde_json::from_value(parameters.clone()).expect("ABR parameters");
        let context = AbrContext {
            line: BitRate::from_bps(155_520_000),
            mcr: Some(CellRate::from_f64(mcr)),
            round_trip: Duration::from_ms(30),
        };
        Bench { source: abr.source(&context).expect("possible parameters"), now: Time::ZERO }
    }

    pub(crate) fn acr(&self) -> f64 {
        self.source.acr()
    }

    pub(crate) fn first_frm(&mut self) -> Rm {
        self.next(DATA, Turn::Forward).expect("an FRM cell")
    }

    /// The next FRM cell so many seconds after the last, which is made to be due. The time in whole picoseconds.
    pub(crate) fn frm_after(&mut self, t: f64) -> f64 {
        let t = Duration::from_seconds(t);
        self.now += t;
        self.source.took(self.now, Turn::Forward);
        t.seconds()
    }

    pub(crate) fn brm(&mut self, ci: bool, ni: bool, er: f64) {
        self.source.brm(self.now, &Rm { backward: true, bn: false, ci, ni, er, ccr: 0.0, mcr: 0.0 });
    }

    /// Goes to the next turn, which is `expected`.
    #[track_caller]
    fn next(&mut self, waiting: Waiting, expected: Turn) -> Option<Rm> {
        self.now = self.now.max(self.source.next_turn(waiting));
        assert_eq!(self.source.turn(self.now, waiting), Some(expected), "at {:?}", self.now);
        self.source.took(self.now, expected)
    }

    /// `cells` data cells.
    fn data(&mut self, cells: u32) {
        for _ in 0..cells {
            self.next(DATA, Turn::Data);
        }
    }

    fn wait(&mut self, d: Duration) {
        self.now += d;
        self.source.resume(self.now);
    }
}

fn bench(parameters: &serde_json::Value) -> Bench {
    Bench::new(parameters, 0.0)
}

/// FRM cells of a source whose rates nothing changes: 1/ACR is a whole number of picoseconds.
fn steady(parameters: serde_json::Value) -> Bench {
    let mut all = json!({"pcr": [100_000, 1], "adtf": null, "cdf": 0.0});
    all.as_object_mut().unwrap().extend(parameters.as_object().unwrap().clone());
    bench(&all)
}

#[test]
fn rule_1_acr_stays_between_mcr_and_pcr() {
    let mut b = Bench::new(&json!({"pcr": [100_000, 1], "icr": [50_000, 1], "rif": 1.0, "rdf": 1.0}), 10_000.0);
    b.brm(false, false, 1e9);
    assert_eq!(b.acr(), 100_000.0);
    b.brm(true, false, 1e9);
    assert_eq!(b.acr(), 10_000.0, "all of ACR is to be lost");
    b.brm(false, true, 0.0);
    assert_eq!(b.acr(), 10_000.0, "ER = 0");
}

#[test]
fn rule_2_starts_at_icr_with_an_frm_cell() {
    for waiting in [DATA, BRM, BOTH] {
        let mut b = steady(json!({"icr": [20_000, 1]}));
        assert_eq!(b.acr(), 20_000.0);
        assert_eq!(b.next(waiting, Turn::Forward).unwrap().ccr, 20_000.0);
        b.next(DATA, Turn::Data);
        assert_eq!(b.now.ps(), 50_000_000, "1/ICR after the first");
    }
}

#[test]
fn rule_2_limits_icr_to_the_transient_exposure() {
    // 512 cells in 30 ms are 17 067 cells/s; 15 ms allow twice as many, more than ICR.
    let icr = |frtt: u64| bench(&json!({"icr": [20_000, 1], "tbe": 512, "frtt": frtt})).acr();
    assert_eq!(icr(30_000_000_000), 512.0 / 0.03);
    assert_eq!(icr(15_000_000_000), 20_000.0);
}

#[test]
fn rule_3a_every_nrm_th_cell_is_an_frm_cell() {
    let mut b = steady(json!({"nrm": 8}));
    for _ in 0..5 {
        b.next(DATA, Turn::Forward);
        b.data(7);
    }
    // BRM cells count as any other.
    for _ in 0..5 {
        b.next(BOTH, Turn::Forward);
        b.next(BOTH, Turn::Backward);
        b.data(6);
    }
}

#[test]
fn rule_3a_after_trm_mrm_cells_are_enough() {
    let mut b = steady(json!({"mrm": 3, "trm": 1_000_000_000u64}));
    b.first_frm();
    b.data(2);
    b.wait(Duration::from_ms(1));
    b.next(DATA, Turn::Data); // the third
    b.next(DATA, Turn::Forward);
    b.data(3);
    b.wait(Duration::from_us(969));
    b.next(DATA, Turn::Data);
    b.wait(Duration::from_us(1));
    b.next(DATA, Turn::Forward);
}

#[test]
fn rule_3b_one_brm_cell_between_frm_cells_while_data_waits() {
    let mut b = steady(json!({"nrm": 8}));
    b.first_frm();
    b.next(BOTH, Turn::Backward);
    b.next(BOTH, Turn::Data);
    b.next(BRM, Turn::Backward);
    b.next(BRM, Turn::Backward);
    b.next(BOTH, Turn::Data);
}

#[test]
fn rule_3c_data_goes_where_neither_frm_nor_brm_cell_does() {
    let mut b = steady(json!({}));
    b.first_frm();
    b.next(DATA, Turn::Data);
    assert_eq!(b.source.turn(Time::from_ps(1 << 60), NOTHING), None);
    assert_eq!(b.source.next_turn(NOTHING), Time::NEVER, "an idle source sends no FRM cells");
}

#[test]
fn rules_4_11_and_12_cells_carry_clp_and_no_efci() {
    let data = rule_4_cell(Kind::Data, 3, 5, true);
    assert!(!data.clp() && !data.efci() && (data.kind(), data.label(), data.handle()) == (Kind::Data, 3, 5));
    assert!(!rule_4_cell(Kind::Rm, 3, 5, true).clp());
    assert!(rule_4_cell(Kind::Rm, 3, 5, false).clp());
}

#[test]
fn rule_5_an_idle_source_falls_to_icr() {
    let parameters = json!({"pcr": [100_000, 1], "icr": [20_000, 1], "rif": 1.0, "adtf": 10_000_000_000u64});
    for (idle, acr) in [(10_000, 100_000.0), (10_001, 20_000.0)] {
        let mut b = bench(&parameters);
        b.first_frm();
        b.brm(false, false, 1e9);
        b.frm_after(idle as f64 * 1e-6);
        assert_eq!(b.acr(), acr, "{idle} us");
    }
    // It raises nothing.
    let mut b = bench(&parameters);
    b.first_frm();
    b.brm(false, true, 5_000.0);
    b.frm_after(1.0);
    assert_eq!(b.acr(), 5_000.0);
}

#[test]
fn rule_6_unanswered_frm_cells_lower_acr() {
    let mut b = Bench::new(&json!({"pcr": [100_000, 1], "crm": 3, "cdf": 0.5, "adtf": null}), 15_000.0);
    b.first_frm();
    let mut rates = Vec::new();
    for _ in 0..6 {
        b.frm_after(1e-3);
        rates.push(b.acr());
    }
    // Three FRM cells have gone before the fourth.
    assert_eq!(rates, [100_000.0, 100_000.0, 50_000.0, 25_000.0, 15_000.0, 15_000.0]);
    // A BRM cell with BN = 1 is no answer, one with BN = 0 is.
    let mut bn = Rm { backward: true, bn: true, ci: false, ni: true, er: 1e9, ccr: 0.0, mcr: 0.0 };
    b.source.set_acr(100_000.0);
    b.source.brm(b.now, &bn);
    b.frm_after(1e-3);
    assert_eq!(b.acr(), 50_000.0);
    bn.bn = false;
    b.source.brm(b.now, &bn);
    for _ in 0..3 {
        b.frm_after(1e-3);
        assert_eq!(b.acr(), 50_000.0);
    }
}

#[test]
fn rule_6_waits_for_crm_frm_cells_by_default_for_the_exposure() {
    // CRM = 100 / 32, rounded up: 4.
    let mut b = bench(&json!({"pcr": [100_000, 1], "tbe": 100, "frtt": 1_000_000u64}));
    b.first_frm();
    for k in 1..=4 {
        b.frm_after(1e-3);
        assert_eq!(b.acr() < 100_000.0, k == 4, "{k} before it");
    }
}

#[test]
fn rule_7_ccr_is_acr_after_rules_5_and_6() {
    let mut b = bench(&json!({"pcr": [100_000, 1], "crm": 1, "cdf": 0.25}));
    assert_eq!(b.first_frm().ccr, 100_000.0);
    b.data(31);
    assert_eq!(b.next(DATA, Turn::Forward).unwrap().ccr, 75_000.0);
}

#[test]
fn rule_8_ci_lowers_and_its_absence_raises_unless_ni() {
    let mut b = bench(&json!({"pcr": [100_000, 1], "icr": [40_000, 1], "rif": 0.0625, "rdf": 0.25}));
    for (ci, ni, acr) in
        [(true, false, 30_000.0), (true, true, 22_500.0), (false, true, 22_500.0), (false, false, 28_750.0)]
    {
        b.brm(ci, ni, 1e9);
        assert_eq!(b.acr(), acr, "CI {ci}, NI {ni}");
    }
}

#[test]
fn rule_9_er_bounds_acr() {
    let mut b = bench(&json!({"pcr": [100_000, 1], "rif": 1.0}));
    b.brm(false, false, 60_000.0);
    assert_eq!(b.acr(), 60_000.0);
    b.brm(false, true, 70_000.0);
    assert_eq!(b.acr(), 60_000.0, "ER raises nothing by itself");
}

#[test]
fn rule_10_contents_of_an_frm_cell() {
    let mut b = Bench::new(&json!({"pcr": [100_000, 1], "icr": [30_000, 1]}), 1_000.0);
    let expected = Rm { backward: false, bn: false, ci: false, ni: false, er: 100_000.0, ccr: 30_000.0, mcr: 1_000.0 };
    assert_eq!(b.first_frm(), expected);
}

#[test]
fn rule_10_rates_may_be_those_of_16_bits() {
    let mut b = bench(&json!({"pcr": [100_001, 1], "icr": [30_001, 1], "encoded_rates": true}));
    let frm = b.first_frm();
    // 2^16 (1 + 269/512), 2^14 (1 + 425/512).
    assert_eq!((frm.er, frm.ccr), (99_968.0, 29_984.0));
    b.brm(false, true, 20_001.0);
    assert_eq!(b.acr(), 20_000.0, "ER is read as 2^14 (1 + 113/512)");
}

#[test]
fn rule_11_out_of_rate_frm_cells_at_tcr_while_acr_is_less() {
    let mut b = steady(json!({"tcr": [100, 1]}));
    b.first_frm();
    b.data(5);
    b.brm(false, true, 0.0);
    for k in 1..4 {
        assert_eq!(b.next(DATA, Turn::OutOfRate).unwrap().ccr, 0.0);
        let after = Duration::from_ms(10);
        assert_eq!(b.source.next_turn(DATA), b.now + after, "{k}");
        assert_eq!(b.source.turn(b.now, DATA), None, "{k}");
    }
    assert_eq!(b.source.next_turn(NOTHING), Time::NEVER);
    b.brm(false, false, 200.0);
    b.next(DATA, Turn::Data);
}

#[test]
fn rule_11_not_while_acr_is_enough() {
    let mut b = steady(json!({"tcr": [100, 1]}));
    b.first_frm();
    b.brm(false, true, 100.0);
    assert_eq!(b.source.next_turn(DATA), Time::ZERO + Duration::from_ms(10));
    b.next(DATA, Turn::Data);
}

#[test]
fn rule_13_a_policy_lowers_acr_before_the_frm_cell() {
    let mut b = steady(json!({"icr": [10_000, 1], "rif": 1.0, "uili": {"kind": "joint", "tdf": 0.5}}));
    b.first_frm();
    b.brm(false, false, 100_000.0);
    // SR = 32 / 4 ms = 8 000.
    b.frm_after(4e-3);
    assert_eq!(b.acr(), 50_000.0);
    b.brm(false, false, 100_000.0);
    assert_eq!(b.acr(), 50_000.0, "rule 5b");
    b.frm_after(4e-3);
    b.frm_after(4e-3);
    assert_eq!(b.acr(), 18_000.0);
}

/// The order of TM 4.0: idleness (5, 13), then missing answers (6).
#[test]
fn rules_5_13_and_6_act_in_this_order() {
    let mut b = bench(&json!({"pcr": [100_000, 1], "icr": [10_000, 1], "rif": 1.0, "crm": 1, "cdf": 0.5,
        "adtf": 10_000_000_000u64, "uili": {"kind": "joint"}}));
    b.first_frm();
    b.source.set_acr(100_000.0);
    b.frm_after(0.02);
    assert_eq!(b.acr(), 5_000.0, "half of ICR");
}

#[test]
fn cells_at_the_rate_of_the_line_lose_no_slot() {
    let mut b = bench(&json!({"adtf": null, "cdf": 0.0}));
    let line = cellway_kernel::units::CellClock::of_line(BitRate::from_bps(155_520_000));
    for k in 0..200_000 {
        b.now = b.now.max(b.source.next_turn(DATA));
        let slot = Time::ZERO + line.span(k);
        assert!(b.now <= slot, "cell {k} at {:?}, after its slot {slot:?}", b.now);
        assert!(slot.ps() - b.now.ps() <= 1);
        let turn = b.source.turn(b.now, DATA).unwrap();
        b.source.took(b.now, turn);
    }
}

#[test]
fn waiting_for_the_line_costs_no_rate_up_to_one_cell() {
    let mut b = steady(json!({})); // 10 us
    b.first_frm();
    let at = |b: &mut Bench, us: u64| {
        b.now = Time::ZERO + Duration::from_us(us);
        b.source.took(b.now, Turn::Data);
        b.source.next_turn(DATA).ps() / 1_000_000
    };
    assert_eq!(at(&mut b, 13), 20, "due at 10");
    assert_eq!(at(&mut b, 30), 30, "a whole interval late");
    assert_eq!(at(&mut b, 75), 75, "more is lost");
    assert_eq!(at(&mut b, 75), 85);
}

#[test]
fn idle_time_earns_nothing() {
    let mut b = steady(json!({}));
    b.first_frm();
    b.wait(Duration::from_ms(1));
    b.next(DATA, Turn::Data);
    assert_eq!(b.source.next_turn(DATA), b.now + Duration::from_us(10));
}

#[test]
fn a_rise_takes_effect_at_once_and_a_fall_too() {
    let mut b = steady(json!({"icr": [10, 1], "rif": 1.0}));
    b.first_frm();
    assert_eq!(b.source.next_turn(DATA), Time::ZERO + Duration::from_ms(100));
    b.now = Time::ZERO + Duration::from_ms(40);
    b.brm(false, false, 20.0);
    assert_eq!(b.source.next_turn(DATA), Time::ZERO + Duration::from_ms(50), "1/20 s after the last cell");
    b.brm(false, false, 1_000.0);
    assert_eq!(b.source.next_turn(DATA), b.now, "it would have been due long ago");
    b.next(DATA, Turn::Data);
    assert_eq!(b.source.next_turn(DATA), b.now + Duration::from_ms(1), "once only");
    b.brm(false, true, 10.0);
    assert_eq!(b.source.next_turn(DATA), b.now + Duration::from_ms(100));
}

#[test]
fn impossible_parameters_are_located() {
    let error = |name: &str, value: serde_json::Value, mcr: f64| {
        let abr: Abr = serde_json::from_value(json!({"pcr": [100_000, 1], name: value})).expect("ABR parameters");
        let line = BitRate::from_bps(155_520_000);
        let mcr = Some(CellRate::from_f64(mcr));
        abr.source(&AbrContext { line, mcr, round_trip: Duration::from_ms(30) }).err().expect("impossible").path
    };
    for (name, value) in [
        ("icr", json!([0, 1])),
        ("icr", json!([100_001, 1])),
        ("rif", json!(0.3)),
        ("rif", json!(0.0)),
        ("rdf", json!(1.0 / 65_536.0)),
        ("nrm", json!(1)),
        ("nrm", json!(48)),
        ("nrm", json!(512)),
        ("mrm", json!(0)),
        ("adtf", json!(9_000_000_000u64)),
        ("adtf", json!(11_000_000_000_000u64)),
        ("cdf", json!(1.0 / 128.0)),
        ("crm", json!(0)),
        ("tbe", json!(0)),
        ("tcr", json!([0, 1])),
    ] {
        assert_eq!(error(name, value.clone(), 0.0), name, "{value}");
    }
    assert_eq!(error("pcr", json!([0, 1]), 0.0), "pcr");
    assert_eq!(error("pcr", json!([100_000, 1]), 100_001.0), "pcr");
    assert_eq!(error("icr", json!([999, 1]), 1_000.0), "icr");
    assert_eq!(error("uili", json!({"kind": "joint", "tdf": 2.0}), 0.0), "uili.tdf");
}
