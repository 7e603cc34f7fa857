//! What can be seen of a switch: its books, the ends of its flow-controlled links, its recorders.

use super::{Books, Policing, Route, Switch};
use crate::cell::{Kind, Label};
use crate::credit::ends::{ReceiverEnd, SenderEnd};
use crate::rate::RateQuantity;
use cellway_kernel::invariant;
use cellway_kernel::link::LinkId;
use cellway_kernel::probe::Gauge;
use cellway_kernel::time::{Duration, Time};

/// What a recorder of a switch records, with numbers local to the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchGauge {
    /// Copies stored in the whole switch.
    Memory,
    /// Copies stored of one VC.
    Vc {
        /// Input.
        input: usize,
        /// The VC there.
        label: Label,
    },
    /// Cells waiting at a port.
    Port {
        /// Port.
        port: usize,
    },
    /// Cells of one VC waiting at a port.
    Queue {
        /// Port.
        port: usize,
        /// The VC there.
        label: Label,
    },
    /// A quantity of a port's rate algorithm.
    Rate {
        /// Port.
        port: usize,
        /// What of it.
        quantity: RateQuantity,
    },
    /// Credit that a port holds for a VC.
    Credit {
        /// Port.
        port: usize,
        /// The VC there.
        label: Label,
    },
}

impl Switch {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of the port of `link`; ports that no VC uses have none.
    pub fn port_of(&self, link: LinkId) -> Option<usize> {
        self.ports.iter().position(|p| p.line.link() == link)
    }

    /// Number of the input of `link`; inputs that no VC uses have none.
    pub fn input_of(&self, link: LinkId) -> Option<usize> {
        self.inputs.iter().position(|i| i.link == link)
    }

    /// Copies stored now, and the most ever.
    pub fn stored(&self) -> (u64, u64) {
        (self.copies(), self.peak)
    }

    /// Link, label there and books of every VC at every port.
    pub fn books(&self) -> impl Iterator<Item = (LinkId, Label, Books)> {
        self.ports.iter().flat_map(|port| {
            let branches = port.branches.iter().enumerate();
            branches.map(|(label, b)| (port.line.link(), label as Label, b.books()))
        })
    }

    /// Cells of a kind that the line of `link` has sent.
    pub fn line_sent(&self, link: LinkId, kind: Kind) -> u64 {
        self.ports.iter().find(|p| p.line.link() == link).map_or(0, |p| p.line.sent(kind))
    }

    /// Cells with `label` that the port of `link` has sent.
    pub fn departed(&self, link: LinkId, label: Label) -> u64 {
        let port = self.ports.iter().find(|p| p.line.link() == link);
        port.map_or(0, |p| p.branches[label as usize].books().departed)
    }

    /// Cells that have come in over `link` with `label`.
    pub fn received(&self, link: LinkId, label: Label) -> u64 {
        let Some(input) = self.inputs.iter().find(|i| i.link == link) else { return 0 };
        let discarded = input.vcs[label as usize].policing.as_ref().map_or(0, |p| p.books.discarded);
        let Route { port, label, .. } = input.routes[label as usize];
        self.ports[port as usize].branches[label as usize].books().arrived + discarded
    }

    /// Policed VCs: link over which they come, label there, policing.
    pub fn policed(&self) -> impl Iterator<Item = (LinkId, Label, &Policing)> {
        self.inputs.iter().flat_map(|input| {
            let vcs = input.vcs.iter().enumerate();
            vcs.filter_map(|(label, vc)| Some((input.link, label as Label, vc.policing.as_ref()?)))
        })
    }

    /// Receiving ends: link, label there, end.
    pub fn receivers(&self) -> impl Iterator<Item = (LinkId, Label, &ReceiverEnd)> {
        self.inputs.iter().flat_map(|input| {
            let vcs = input.vcs.iter().enumerate();
            vcs.filter_map(|(label, vc)| Some((input.link, label as Label, vc.receiver.as_ref()?)))
        })
    }

    /// Sending ends: link, label there, end.
    pub fn senders(&self) -> impl Iterator<Item = (LinkId, Label, &SenderEnd)> {
        self.ports.iter().flat_map(|port| {
            let branches = port.branches.iter().enumerate();
            branches.filter_map(|(label, b)| Some((port.line.link(), label as Label, b.credit.as_deref()?)))
        })
    }

    /// What the port's rate algorithm can be asked; `None` where it has none, or no ABR VC.
    pub fn rate_quantities(&self, port: usize) -> Option<&'static [RateQuantity]> {
        self.ports[port].rate.as_ref().map(|rate| rate.quantities())
    }

    /// Starts a new measurement.
    pub fn mark(&mut self) {
        for port in &mut self.ports {
            port.mark();
        }
    }

    /// Asserts the conservation identities of every port and of the memory.
    ///
    /// # Panics
    /// Where the books do not balance: a bug of Cellway.
    pub fn check_books(&self) {
        for port in &self.ports {
            port.check_books();
        }
        for (input, label, policing) in self.policed() {
            let (passed, came) = (policing.books.passed(), self.received(input, label) - policing.books.discarded);
            invariant!(
                passed == came,
                format_args!("{} policed VC label {label}", self.name),
                "{passed} cells passed, {came} asked for admission"
            );
        }
        let of_vcs: u64 = self.inputs.iter().flat_map(|i| &i.vcs).map(|vc| vc.stored).sum();
        let of_plain_ports: u64 = self.ports.iter().filter(|p| p.governed).map(|p| p.queued).sum();
        let of_vcs = of_vcs + of_plain_ports;
        let stored = self.copies();
        invariant!(of_vcs == stored, self.name, "{of_vcs} copies of all VCs, {stored} in the memory");
    }

    fn gauge_place(&mut self, which: SwitchGauge) -> (&mut Option<Box<Gauge>>, f64) {
        let (place, count) = match which {
            SwitchGauge::Rate { port, quantity } => {
                let rate =
                    self.ports[port].rate.as_mut().expect("a recorder of a rate belongs to a port with an algorithm");
                return rate.gauge_place(quantity);
            }
            SwitchGauge::Memory => {
                let copies = self.copies();
                (&mut self.gauge, copies)
            }
            SwitchGauge::Vc { input, label } => {
                let vc = &mut self.inputs[input].vcs[label as usize];
                (&mut vc.gauge, vc.stored)
            }
            SwitchGauge::Port { port } => {
                let port = &mut self.ports[port];
                (&mut port.gauge, port.queued)
            }
            SwitchGauge::Queue { port, label } => {
                let branch = &mut self.ports[port].branches[label as usize];
                (&mut branch.rest.gauge, branch.queued.into())
            }
            SwitchGauge::Credit { port, label } => {
                let credit = self.ports[port].branches[label as usize].credit.as_mut();
                let credit = credit.expect("a credit recorder belongs to a flow-controlled VC");
                let balance = credit.balance();
                (&mut credit.gauge, balance)
            }
        };
        (place, count as f64)
    }

    /// Begins to record; before the first cell.
    pub fn record(&mut self, which: SwitchGauge, every: Option<Duration>) {
        let (place, value) = self.gauge_place(which);
        *place = Some(Box::new(Gauge::new(value, every)));
        assert_eq!(self.copies(), 0, "a recorder is added during a run");
        self.find_plain_ports();
    }

    /// The recorder, with all bins closed that end by `now`.
    pub fn recorded(&mut self, which: SwitchGauge, now: Time) -> &Gauge {
        let gauge = self.gauge_place(which).0.as_mut().expect("this was recorded");
        gauge.close_bins(now);
        gauge
    }
}
