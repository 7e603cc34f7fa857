#![allow(dead_code, unused_imports)]
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
