//! What can be seen of a host: its books, the ends of its flow-controlled links, its recorders.

use super::reassembly::{Fates, FrameFate};
use super::{AbrBooks, Burst, Delivered, Host, Sent};
use crate::cell::{Kind, Label};
use crate::credit::ends::{ReceiverEnd, SenderEnd};
use crate::line::OutputLine;
use crate::traffic::Traffic;
use cellway_kernel::invariant;
use cellway_kernel::link::LinkId;
use cellway_kernel::probe::Gauge;
use cellway_kernel::time::{Duration, Time};

/// Rates of an ABR source that can be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbrRate {
    /// Its allowed cell rate.
    Acr,
    /// The explicit rate of the last BRM cell.
    Er,
}

/// An ABR source, and the destination beside it, as they stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AbrState {
    /// Allowed cell rate [cells/s].
    pub acr: f64,
    /// Explicit rate of the last BRM cell that was turned round, at first PCR [cells/s].
    pub er: f64,
    /// RM cells.
    pub books: AbrBooks,
    /// BRM cells that never went, because newer ones took their places.
    pub dropped: u64,
}

impl Host {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The books of VC `label` of the line.
    pub fn sent(&self, label: Label) -> Sent {
        let s = &self.sending[label as usize];
        Sent {
            offered: s.offered + s.sent_endless,
            sent: s.sent,
            rm: s.abr.as_ref().map_or(0, |abr| abr.books.sent()),
            waiting: s.backlog.cells,
        }
    }

    /// Frames offered by VC `label` of the line.
    pub fn frames_offered(&self, label: Label) -> u64 {
        self.sending[label as usize].frames_offered
    }

    /// What became of the frames of VC `label` of the input, and how many are under way.
    pub fn frames(&self, label: Label) -> (Fates, u64) {
        let frames = &self.receiving[label as usize].frames;
        (frames.fates(), frames.under_way())
    }

    /// Cells of a kind that the line has sent.
    pub fn line_sent(&self, kind: Kind) -> u64 {
        self.line.as_ref().map_or(0, |line| line.sent(kind))
    }

    /// The application of VC `label` of the line.
    pub fn traffic(&self, label: Label) -> &dyn Traffic {
        &*self.sending[label as usize].application
    }

    /// The same, to record what it does.
    pub fn traffic_mut(&mut self, label: Label) -> &mut dyn Traffic {
        &mut *self.sending[label as usize].application
    }

    /// What arrived of VC `label` of the input.
    pub fn delivered(&self, label: Label) -> Delivered {
        self.receiving[label as usize].books
    }

    /// Sending ends: link, label there, end.
    pub fn senders(&self) -> impl Iterator<Item = (LinkId, Label, &SenderEnd)> {
        let line = self.line.as_ref().map(OutputLine::link);
        let vcs = self.sending.iter().enumerate();
        vcs.filter_map(move |(label, s)| Some((line?, label as Label, s.credit.as_deref()?)))
    }

    /// Receiving ends: link, label there, end.
    pub fn receivers(&self) -> impl Iterator<Item = (LinkId, Label, &ReceiverEnd)> {
        let vcs = self.receiving.iter().enumerate();
        vcs.filter_map(|(label, r)| Some((self.input?, label as Label, r.receiver.as_deref()?)))
    }

    fn credit_mut(&mut self, label: Label) -> &mut SenderEnd {
        let credit = self.sending[label as usize].credit.as_mut();
        credit.expect("a credit recorder belongs to a flow-controlled VC")
    }

    /// Begins to record the credit held for VC `label` of the line.
    pub fn record_credit(&mut self, label: Label, every: Option<Duration>) {
        let credit = self.credit_mut(label);
        credit.gauge = Some(Box::new(Gauge::new(credit.balance() as f64, every)));
    }

    /// The recorder, with all bins closed that end by `now`.
    pub fn recorded_credit(&mut self, label: Label, now: Time) -> &Gauge {
        let gauge = self.credit_mut(label).gauge.as_mut().expect("this was recorded");
        gauge.close_bins(now);
        gauge
    }

    /// The RM cells of ABR VC `label` of the line; `None` without ABR.
    pub fn abr(&self, label: Label) -> Option<AbrState> {
        let abr = self.sending[label as usize].abr.as_ref()?;
        let (acr, er, dropped) = (abr.source.acr(), abr.er, abr.destination.dropped);
        Some(AbrState { acr, er, books: abr.books, dropped })
    }

    /// Begins to record a rate of ABR VC `label` of the line.
    pub fn record_rate(&mut self, label: Label, rate: AbrRate, every: Option<Duration>) {
        let abr = self.sending[label as usize].abr.as_mut().expect("a rate recorder belongs to an ABR VC");
        match rate {
            AbrRate::Acr => abr.acr_gauge = Some(Box::new(Gauge::new(abr.source.acr(), every))),
            AbrRate::Er => abr.er_gauge = Some(Box::new(Gauge::new(abr.er, every))),
        }
    }

    /// The recorder, with all bins closed that end by `now`.
    pub fn recorded_rate(&mut self, label: Label, rate: AbrRate, now: Time) -> &Gauge {
        let abr = self.sending[label as usize].abr.as_mut().expect("a rate recorder belongs to an ABR VC");
        let gauge = match rate {
            AbrRate::Acr => abr.acr_gauge.as_mut(),
            AbrRate::Er => abr.er_gauge.as_mut(),
        };
        let gauge = gauge.expect("this was recorded");
        gauge.close_bins(now);
        gauge
    }

    /// Begins to record the messages of VC `label` of the line.
    pub fn record_bursts(&mut self, label: Label) {
        self.sending[label as usize].bursts = Some(Box::default());
    }

    /// The recorded messages of VC `label` of the line, in order of departure.
    pub fn recorded_bursts(&self, label: Label) -> &[Burst] {
        self.sending[label as usize].bursts.as_ref().map_or(&[], |bursts| bursts.left())
    }

    /// Asserts the conservation identities.
    ///
    /// # Panics
    /// Where the books do not balance: a bug of Cellway.
    pub fn check_books(&self) {
        for (vc, s) in self.sending.iter().enumerate() {
            let (came, went) = (s.offered + s.sent_endless, s.sent + s.backlog.cells);
            invariant!(came == went, self.name, "VC {vc}: {came} cells offered, {went} sent or waiting");
            let runs: u64 = s.backlog.cells_in_runs();
            invariant!(runs == s.backlog.cells, self.name, "VC {vc}: {runs} in runs, {} waiting", s.backlog.cells);
        }
        for (label, r) in self.receiving.iter().enumerate() {
            let fates = r.frames.fates();
            let [good, ended] = [&[FrameFate::Good][..], &FrameFate::ENDED[..]]
                .map(|which| which.iter().map(|&fate| fates[fate as usize]).sum::<u64>());
            let books = (r.books.messages, r.books.messages + r.books.spoiled);
            invariant!(books == (good, ended), self.name, "label {label}: frames {fates:?}, messages {books:?}");
        }
    }
}
