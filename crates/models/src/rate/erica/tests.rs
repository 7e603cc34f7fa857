//! ERICA at one port, step by step.

use super::*;
use crate::rate::erica_plus::EricaPlus;
use crate::rate::tests::rm;

const MS: u64 = 1_000_000_000;

fn erica(options: &str) -> Erica {
    serde_json::from_str(options).unwrap_or_else(|e| panic!("{options}: {e}"))
}

/// A port with a line of 100 000 cells/s and intervals of 1 ms.
struct Driver {
    port: Box<dyn RateAlgorithm>,
    view: RateView,
    now: Time,
}

impl Driver {
    fn new(spec: &dyn RateConfig, vcs: usize) -> Driver {
        let context = RateContext { line: 1e5, mcr: vec![0.0; vcs], setup: vcs };
        Driver { port: spec.build(&context).unwrap(), view: RateView { queue: 0 }, now: Time::ZERO }
    }

    fn cells(&mut self, vc: Label, kind: AbrCell, count: u64) {
        self.now += Duration::from_ps(1);
        for _ in 0..count {
            self.port.cell(self.now, vc, kind, &self.view);
        }
    }

    fn data(&mut self, vc: Label, count: u64) {
        self.cells(vc, AbrCell::Data, count);
    }

    fn declare(&mut self, vc: Label, ccr: f64) {
        self.port.forward_rm(self.now, vc, &mut rm(ccr, 1e9), &self.view);
    }

    fn end(&mut self) {
        self.now = self.port.next_timer();
        self.port.timer(self.now, &self.view);
    }

    fn answer(&mut self, vc: Label) -> f64 {
        let mut back = rm(0.0, 1e9);
        self.port.backward_rm(self.now, vc, &mut back, &self.view);
        back.er
    }

    fn is(&self, quantity: RateQuantity) -> f64 {
        self.port.quantity(quantity)
    }
}

#[test]
fn before_the_first_interval_ends_all_that_are_set_up_share_alike() {
    // Thesis, appendix C: fair share = capacity / VCs set up, load factor = their number, MaxAllocPrevious = 0.
    let mut port = Driver::new(&erica("{}"), 4);
    for (vc, ccr) in [(0, 90_000.0), (1, 0.0), (2, 22_500.0)] {
        port.declare(vc, ccr);
        near(port.answer(vc), 22_500.0);
    }
    near(port.is(RateQuantity::FairShare), 22_500.0);
    near(port.is(RateQuantity::Overload), 4.0);
    let alone = RateContext { line: 1e5, mcr: vec![0.0; 4], setup: 1 };
    let mut port = Driver { port: erica("{}").build(&alone).unwrap(), ..port };
    near(port.answer(0), 90_000.0);
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found}, expected {expected}");
}

#[test]
fn an_interval_worked_by_hand() {
    // Target 90 000. VCs 0 and 1 send 60 cells each in 1 ms and declare 60 000; 30 other cells.
    let mut port = Driver::new(&erica("{}"), 3);
    for vc in [0, 1] {
        port.declare(vc, 60_000.0);
        port.data(vc, 49);
    }
    port.cells(0, AbrCell::Forward, 1);
    (0..30).for_each(|_| port.port.background(port.now));
    port.end();
    near(port.is(RateQuantity::Input), 99_000.0);
    near(port.is(RateQuantity::Background), 30_000.0);
    near(port.is(RateQuantity::Capacity), 60_000.0);
    near(port.is(RateQuantity::Overload), 1.65);
    near(port.is(RateQuantity::Active), 2.0);
    near(port.is(RateQuantity::FairShare), 30_000.0);
    near(port.is(RateQuantity::Target), 0.9);
    near(port.answer(0), 60_000.0 / 1.65);
    near(port.is(RateQuantity::MaxAlloc), 60_000.0 / 1.65);
    let mut low = rm(0.0, 5.0);
    port.port.backward_rm(port.now, 1, &mut low, &port.view);
    assert_eq!(low.er, 5.0, "the smallest rate of all ports counts");
}

#[test]
fn the_hundredth_cell_ends_the_interval() {
    let mut port = Driver::new(&erica("{}"), 1);
    port.data(0, 99);
    assert_eq!(port.port.next_timer(), Time::from_ps(MS));
    port.now = Time::from_ps(MS / 2);
    let heard = port.port.cell(port.now, 0, AbrCell::Data, &port.view);
    assert!(heard.changed && !heard.congested);
    assert_eq!(port.port.next_timer(), Time::from_ps(MS + MS / 2));
    near(port.is(RateQuantity::Input), 200_000.0);
    let mut by_time = Driver::new(&erica(r#"{"interval_cells": null}"#), 1);
    by_time.data(0, 1000);
    assert_eq!(by_time.port.next_timer(), Time::from_ps(MS));
}

#[test]
fn cells_that_go_back_load_the_line_but_share_nothing() {
    for (bidirectional, active) in [(false, 1.0), (true, 2.0)] {
        let spec = erica(&format!(r#"{{"bidirectional_counting": {bidirectional}, "interval_cells": null}}"#));
        let mut port = Driver::new(&spec, 2);
        port.data(0, 44);
        port.cells(1, AbrCell::Backward, 46);
        port.answer(1);
        port.end();
        near(port.is(RateQuantity::Overload), 1.0);
        near(port.is(RateQuantity::Active), active);
    }
}

#[test]
fn overload_is_bounded() {
    // 180 cells: z = 2; 9 cells: z = 0.1; no capacity: no bound but the given one.
    for (bounds, high, low, none) in
        [("", 2.0, 0.1, f64::INFINITY), (r#""overload_min": 0.5, "overload_max": 1.5,"#, 1.5, 0.5, 1.5)]
    {
        let mut port = Driver::new(&erica(&format!(r#"{{{bounds} "interval_cells": null}}"#)), 1);
        for (cells, others, z) in [(180, 0, high), (9, 0, low), (1, 100, none)] {
            port.data(0, cells);
            (0..others).for_each(|_| port.port.background(port.now));
            port.end();
            assert!((port.is(RateQuantity::Overload) - z).abs() < 1e-9 || z == port.is(RateQuantity::Overload), "{z}");
        }
        port.end();
        assert_eq!(port.is(RateQuantity::Overload), 0.0, "no input is no load, whatever the bounds");
    }
}

#[test]
fn load_is_averaged_by_its_parts() {
    let mut port = Driver::new(&erica(r#"{"load_weight": 0.25, "interval_cells": null}"#), 1);
    port.data(0, 90);
    port.end();
    near(port.is(RateQuantity::Overload), 1.0);
    port.data(0, 130);
    (0..40).for_each(|_| port.port.background(port.now));
    port.end();
    // Input 90 + 0.25 * 40, capacity 90 - 0.25 * 40.
    near(port.is(RateQuantity::Overload), 100.0 / 80.0);
}

#[test]
fn the_count_of_vcs_is_averaged() {
    let mut port = Driver::new(&erica(r#"{"activity_decay": 0.5}"#), 2);
    port.data(0, 1);
    port.data(1, 1);
    port.end();
    port.data(1, 1);
    port.end();
    near(port.is(RateQuantity::Active), 1.5);
    near(port.is(RateQuantity::FairShare), 60_000.0);
}

#[test]
fn a_measured_rate_replaces_the_declared_one() {
    for (ccr, expected) in [("forward_rm", 80_000.0 / 2.0), ("measured", 70_000.0 / 2.0)] {
        let mut port = Driver::new(&erica(&format!(r#"{{"ccr": "{ccr}", "interval_cells": null}}"#)), 9);
        port.declare(0, 80_000.0);
        // The window of a VC ends with its first cell of the second interval.
        for _ in 0..2 {
            port.data(0, 70);
            (1..9).for_each(|vc| port.data(vc, 13));
            port.data(8, 6);
            port.end();
        }
        near(port.is(RateQuantity::Overload), 2.0);
        near(port.answer(0), expected);
    }
}

#[test]
fn aging_withdraws_what_is_not_used() {
    let spec = erica(r#"{"interval_cells": null, "aging": {"alpha": 0.5, "delta": 1.1, "weight": 1.0}}"#);
    let mut port = Driver::new(&spec, 2);
    port.declare(0, 40_000.0);
    port.declare(1, 40_000.0);
    for _ in 0..2 {
        port.data(0, 40);
        port.data(1, 20);
        port.end();
    }
    let used = port.answer(0);
    let retained = port.answer(1);
    near(used, 45_000.0);
    near(retained, used / (1.0 + 1f64.exp() - 0.55f64.exp()));
    near(port.answer(1), retained);
}

#[test]
fn erica_plus_aims_at_a_delay() {
    let spec: EricaPlus = serde_json::from_str(r#"{"t0": 1000000000}"#).unwrap();
    let mut port = Driver::new(&spec, 1);
    port.view.queue = 500;
    port.data(0, 50);
    port.end();
    near(port.is(RateQuantity::Target), 1.15 / (0.15 * 5.0 + 1.0));
    near(port.is(RateQuantity::Capacity), 1e5 * 1.15 / 1.75);
}

#[test]
fn impossible_parameters_are_refused() {
    let context = RateContext { line: 1e5, mcr: vec![0.0], setup: 1 };
    for (options, path) in [
        (r#"{"target_utilisation": 0.0}"#, "target_utilisation"),
        (r#"{"target_utilisation": 1.01}"#, "target_utilisation"),
        (r#"{"interval": 0}"#, "interval"),
        (r#"{"interval_cells": 0}"#, "interval_cells"),
        (r#"{"delta": -0.1}"#, "delta"),
        (r#"{"overload_min": 0.0}"#, "overload_min"),
        (r#"{"overload_min": 1.1}"#, "overload_min"),
        (r#"{"overload_max": 0.9}"#, "overload_max"),
        (r#"{"load_weight": 0.0}"#, "load_weight"),
        (r#"{"activity_decay": 1.0}"#, "activity_decay"),
        (r#"{"aging": {"alpha": 0.0}}"#, "aging.alpha"),
        (r#"{"aging": {"delta": 0.9}}"#, "aging.delta"),
        (r#"{"aging": {"weight": 0.0}}"#, "aging.weight"),
        (r#"{"aging": {"floor": [1, 0]}}"#, "aging.floor"),
    ] {
        assert_eq!(erica(options).build(&context).map(drop).unwrap_err().path, path, "{options}");
    }
    for (options, path) in [
        (r#"{"t0": 0}"#, "t0"),
        (r#"{"a": 1.0}"#, "a"),
        (r#"{"b": 0.99}"#, "b"),
        (r#"{"qdlf": 0.0}"#, "qdlf"),
        (r#"{"delta": -1.0}"#, "delta"),
    ] {
        let spec: EricaPlus = serde_json::from_str(options).unwrap();
        assert_eq!(spec.build(&context).map(drop).unwrap_err().path, path, "{options}");
    }
}
