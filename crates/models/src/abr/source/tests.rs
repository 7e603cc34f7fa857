#![allow(dead_code, unused_imports)]
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
