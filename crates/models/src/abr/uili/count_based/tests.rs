use super::super::trial::{Trial, event};
use super::super::{FrmEvent, Uili};
use proptest::prelude::*;
use serde_json::json;

/// The pseudo-code of section 5.2.7, line by line.
#[derive(Clone, Debug)]
struct Paper {
    acr: f64,
    acr_ok: bool,
    pr5: bool,
    nrm: f64,
    headroom: f64,
    tdf: f64,
    air: f64,
    pcr: f64,
    mcr: f64,
}

impl Paper {
    fn at_frm_send(&mut self, t: f64) {
        let sr = self.nrm / t;
        self.acr_ok = (self.acr <= sr) || (self.tdf == 0.0);
        #[expect(clippy::bool_comparison, reason = "as the paper prints it")]
        if self.pr5 == false {
            if self.acr > sr + self.headroom {
                self.acr = (sr + self.headroom).max(self.acr * (1.0 - self.tdf));
            }
        } else {
            self.pr5 = false;
        }
    }

    fn at_brm_receive(&mut self, ni: bool, er: f64) {
        if !ni && self.acr_ok {
            self.pr5 = self.acr < er;
            self.acr = (self.acr + self.air * self.pcr).min(self.pcr);
        }
        self.acr = self.acr.min(er);
        self.acr = self.acr.max(self.mcr);
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Frm {
        t: f64,
    },
    /// T such that SR is this part of ACR.
    FrmAt {
        part: f64,
    },
    Brm {
        ni: bool,
        er: f64,
    },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (1e-4..1.0f64).prop_map(|t| Step::Frm { t }),
        (0.2..1.3f64).prop_map(|part| Step::FrmAt { part }),
        (any::<bool>(), 100.0..360_000.0f64).prop_map(|(ni, er)| Step::Brm { ni, er }),
    ]
}

proptest! {
    /// The policy behind source rules 8, 9 and 13 does what the pseudo-code does, step by step.
    #[test]
    fn replays_the_pseudo_code(
        steps in prop::collection::vec(step(), 1..60),
        tdf in prop_oneof![Just(0.0), Just(0.0625), Just(0.125), Just(0.5)],
        headroom in prop_oneof![Just(0.0), Just(2_358.0), Just(23_585.0)],
        air in prop_oneof![Just(1.0), Just(0.0625), Just(1.0 / 512.0)],
    ) {
        let (pcr, mcr, icr) = (366_792.0, 1_000.0, 20_000.0);
        let mut paper = Paper { acr: icr, acr_ok: true, pr5: false, nrm: 32.0, headroom, tdf, air, pcr, mcr };
        let parameters = json!({"kind": "count_based", "tdf": tdf, "headroom": [headroom as u64, 1], "delta": [0, 1]});
        let mut source = crate::abr::source::tests::Bench::new(&json!({
            "pcr": [pcr as u64, 1], "icr": [icr as u64, 1], "rif": air, "cdf": 0.0, "adtf": null, "uili": parameters,
        }), mcr);
        source.first_frm();
        for step in steps {
            match step {
                Step::Frm { t } => {
                    let t = source.frm_after(t);
                    paper.at_frm_send(t);
                }
                Step::FrmAt { part } => {
                    let t = source.frm_after(32.0 / (part * paper.acr));
                    paper.at_frm_send(t);
                }
                Step::Brm { ni, er } => {
                    source.brm(false, ni, er);
                    paper.at_brm_receive(ni, er);
                }
            }
            // Source rule 1, which the pseudo-code leaves out where an FRM cell goes.
            paper.acr = paper.acr.max(mcr);
            prop_assert_eq!(source.acr(), paper.acr, "{:?}", step);
        }
    }
}

const SR: f64 = 32_000.0;

fn frm(policy: &mut dyn Uili, acr: f64) -> f64 {
    policy.frm(&FrmEvent { acr, since_last: 1e-3 })
}

fn policy(pr5: bool) -> Box<dyn Uili> {
    Trial::new(&json!({"kind": "count_based", "headroom": [8_000, 1], "pr5": pr5, "delta": [0, 1]})).policy()
}

/// Table 1: in which regions the policy acts, and whether BRM cells may raise ACR. They may lower it in each:
/// `replays_the_pseudo_code` shows that.
#[test]
fn table_1() {
    // Region, ACR at SR = 32 000 and a headroom of 8 000, trigger, increase on BRM.
    let regions = [
        ("A", 40_001.0, true, false),
        ("B", 40_000.0, false, false),
        ("B", 32_001.0, false, false),
        ("C", SR, false, true),
        ("D", 31_999.0, false, true),
    ];
    for (region, acr, triggers, increases) in regions {
        let mut policy = policy(true);
        assert_eq!(frm(&mut *policy, acr) < acr, triggers, "region {region} triggers");
        assert_eq!(policy.brm(acr, 300_000.0, false), increases, "region {region} increases");
    }
}

#[test]
fn region_a_triggers_unless_pr5() {
    for pr5 in [true, false] {
        let mut policy = policy(pr5);
        assert!(policy.brm(10_000.0, 100_000.0, false), "at first a source uses what it has");
        assert_eq!(frm(&mut *policy, 100_000.0) < 100_000.0, !pr5, "the rise was just now");
        assert!(frm(&mut *policy, 100_000.0) < 100_000.0, "once only");
    }
}

#[test]
fn a_brm_cell_that_does_not_raise_acr_clears_pr5() {
    let mut policy = policy(true);
    policy.brm(10_000.0, 100_000.0, false);
    policy.brm(100_000.0, 90_000.0, false);
    assert!(frm(&mut *policy, 90_000.0) < 90_000.0);
}

#[test]
fn lowers_by_a_constant_part_to_the_headroom() {
    let mut policy = policy(true);
    assert_eq!(frm(&mut *policy, 100_000.0), 87_500.0);
    assert_eq!(frm(&mut *policy, 41_000.0), 40_000.0);
}

/// A source that sends at ACR, in a line's slots, is one that uses ACR.
#[test]
fn delta_defaults_to_the_slot_of_the_line() {
    let slot = 424.0 / 155.52e6;
    for (t, ok) in [(32.0 / 100_000.0 + 0.99 * slot, true), (32.0 / 100_000.0 + 1.01 * slot, false)] {
        let mut policy = Trial::new(&json!({"kind": "count_based"})).policy();
        policy.frm(&event(100_000.0, t));
        assert_eq!(policy.brm(100_000.0, 300_000.0, false), ok);
    }
    for (delta, ok) in [(1_001, true), (999, false)] {
        let mut policy = Trial::new(&json!({"kind": "count_based", "delta": [delta, 1]})).policy();
        policy.frm(&event(33_000.0, 1e-3));
        assert_eq!(policy.brm(33_000.0, 300_000.0, false), ok, "SR 32 000, delta {delta}");
    }
}

#[test]
fn without_tdf_nothing_happens() {
    let mut policy = Trial::new(&json!({"kind": "count_based", "tdf": 0.0})).policy();
    assert_eq!(frm(&mut *policy, 300_000.0), 300_000.0);
    assert!(policy.brm(300_000.0, 350_000.0, false));
    assert_eq!(Trial::new(&json!({"kind": "count_based", "tdf": 1.25})).error().path, "tdf");
}
