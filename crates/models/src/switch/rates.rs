//! Ports with a rate algorithm: what it hears of cells, and how it reaches the RM cells that pass the switch.

use super::port::Port;
use super::{InputVc, Route, Switch, Way};
use crate::abr::rm::Rm;
use crate::cell::{Cell, Label};
use crate::post::Post;
use crate::rate::{AbrCell, Heard, RateAlgorithm, RateQuantity, RateView};
use cellway_kernel::probe::Gauge;
use cellway_kernel::time::{Phase, Time};

/// What a port's rate algorithm hears of the cells of one VC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Role {
    /// Nothing: they are served after all ABR cells, or the port has no algorithm.
    #[default]
    Unheard,
    /// That they take capacity from ABR.
    Background,
    /// Everything: they are ABR.
    Abr,
}

/// The RM cells of one VC on one input.
pub(super) struct RmCells {
    /// Their contents.
    pub(super) contents: Post<Rm>,
    /// Port, and label there, by which the VC's opposite direction leaves: backward RM cells are for its source.
    pub(super) informs: (u32, Label),
}

/// The algorithm of a port and its recorders.
pub(super) struct PortRate {
    algorithm: Box<dyn RateAlgorithm>,
    /// Agenda entry of its timer.
    entry: u32,
    gauges: [Option<Box<Gauge>>; RateQuantity::ALL.len()],
    recorded: bool,
}

impl PortRate {
    pub(super) fn new(algorithm: Box<dyn RateAlgorithm>, entry: u32) -> PortRate {
        PortRate { algorithm, entry, gauges: Default::default(), recorded: false }
    }

    pub(super) fn next_timer(&self) -> Time {
        self.algorithm.next_timer()
    }

    pub(super) fn quantities(&self) -> &'static [RateQuantity] {
        self.algorithm.quantities()
    }

    pub(super) fn entry(&self) -> usize {
        self.entry as usize
    }

    /// The place of a recorder, and the present value.
    pub(super) fn gauge_place(&mut self, which: RateQuantity) -> (&mut Option<Box<Gauge>>, f64) {
        self.recorded = true;
        (&mut self.gauges[which as usize], self.algorithm.quantity(which))
    }

    fn observe(&mut self, now: Time) {
        if self.recorded {
            for which in RateQuantity::ALL {
                if let Some(gauge) = &mut self.gauges[which as usize] {
                    gauge.set(now, self.algorithm.quantity(which));
                }
            }
        }
    }
}

impl Port {
    #[inline]
    fn rate_view(&self) -> RateView {
        RateView { queue: self.abr_queued }
    }

    /// The port's algorithm hears of a cell of VC `label`, before it asks for admission.
    #[inline]
    fn hear(&mut self, now: Time, label: Label, kind: AbrCell) -> Heard {
        let view = self.rate_view();
        let Some(rate) = &mut self.rate else { return Heard::default() };
        let heard = match self.branches[label as usize].role {
            Role::Unheard => Heard::default(),
            Role::Background => {
                rate.algorithm.background(now);
                Heard::default()
            }
            Role::Abr => rate.algorithm.cell(now, label, kind, &view),
        };
        if heard.changed {
            rate.observe(now);
        }
        heard
    }

    /// An RM cell for or from VC `label` of the port.
    fn rm(&mut self, now: Time, label: Label, rm: &mut Rm) {
        let view = self.rate_view();
        if let Some(rate) = &mut self.rate {
            match rm.backward {
                true => rate.algorithm.backward_rm(now, label, rm, &view),
                false => rate.algorithm.forward_rm(now, label, rm, &view),
            }
            rate.observe(now);
        }
    }
}

impl Switch {
    /// True where somebody hears of the cells of a VC.
    pub(super) fn is_heard(ports: &[Port], vc: &InputVc, rm: Option<&RmCells>) -> bool {
        let hears = |&(port, label): &(u32, Label)| ports[port as usize].branches[label as usize].role != Role::Unheard;
        let informed = rm.is_some_and(|rm| ports[rm.informs.0 as usize].rate.is_some());
        vc.branches.iter().any(hears) || informed
    }

    /// A data cell of a VC that somebody hears of; the cell as it goes on.
    #[inline]
    pub(super) fn hear_data(&mut self, now: Time, input: usize, cell: Cell, route: Route) -> Cell {
        if route.way == Way::Several {
            // ABR is point to point: these only take capacity.
            for &(port, label) in &self.inputs[input].vcs[cell.label() as usize].branches {
                self.ports[port as usize].hear(now, label, AbrCell::Data);
            }
            return cell;
        }
        let Route { port, label, .. } = route;
        let heard = self.ports[port as usize].hear(now, label, AbrCell::Data);
        if heard.changed {
            self.replan_rate(port);
        }
        if heard.congested { cell.congested() } else { cell }
    }

    /// An RM cell of a VC that somebody hears of. One that is corrupted fails its CRC-10: it takes its place on the line,
    /// and nobody reads or writes it.
    #[inline(never)]
    pub(super) fn hear_rm(&mut self, now: Time, input: usize, cell: Cell, route: Route) -> Cell {
        let Route { port, label, .. } = route;
        let ports = &mut self.ports;
        let heard = match &self.inputs[input].rm[cell.label() as usize] {
            Some(RmCells { contents, informs }) if !cell.corrupted() => contents.with(cell.handle(), |rm| {
                let kind = if rm.backward { AbrCell::Backward } else { AbrCell::Forward };
                let heard = ports[port as usize].hear(now, label, kind);
                let (port, label) = if rm.backward { *informs } else { (port, label) };
                ports[port as usize].rm(now, label, rm);
                heard
            }),
            _ => ports[port as usize].hear(now, label, AbrCell::Data),
        };
        if heard.changed {
            self.replan_rate(port);
        }
        cell
    }

    #[inline(never)]
    fn replan_rate(&mut self, port: u32) {
        if let Some(rate) = &self.ports[port as usize].rate {
            self.agenda.set(rate.entry as usize, rate.next_timer().at(Phase::Timer));
        }
    }

    /// The timer of a port's algorithm.
    pub(super) fn rate_timer(&mut self, now: Time, port_id: u32) {
        let port = &mut self.ports[port_id as usize];
        let view = port.rate_view();
        if let Some(rate) = &mut port.rate {
            rate.algorithm.timer(now, &view);
            rate.observe(now);
            self.agenda.set(rate.entry as usize, rate.next_timer().at(Phase::Timer));
        }
    }
}
