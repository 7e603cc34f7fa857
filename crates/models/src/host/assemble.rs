//! Assembles a host from the parts that the network builder provides.

use super::abr::AbrEnds;
use super::backlog::Backlog;
use super::reassembly::{Frame, Reassembly};
use super::{AbrParts, Delivered, Host, Receiving, Sending, Timer};
use crate::abr::rm::Rm;
use crate::cell::Label;
use crate::credit::ends::{ReceiverEnd, SenderEnd, staggered};
use crate::line::OutputLine;
use crate::post::Post;
use crate::traffic::Traffic;
use cellway_kernel::agenda::Agenda;
use cellway_kernel::link::LinkId;
use cellway_kernel::rng::name_hash;
use cellway_kernel::time::{Moment, Phase};

/// The parts from which the network builder makes a host.
pub struct HostParts {
    /// Its name.
    pub name: String,
    /// Its line to the network.
    pub line: Option<OutputLine>,
    /// Its link from the network.
    pub input: Option<LinkId>,
    /// Per label of the line: what it sends.
    pub sending: Vec<SendingParts>,
    /// Per label of the input: what it receives.
    pub receiving: Vec<ReceivingParts>,
}

/// One VC that a host sends.
pub struct SendingParts {
    /// Its name, for tie salts.
    pub name: String,
    /// Its application.
    pub application: Box<dyn Traffic>,
    /// Priority group.
    pub group: u8,
    /// Sending end of its flow control.
    pub credit: Option<SenderEnd>,
    /// ABR service.
    pub abr: Option<AbrParts>,
    /// Where each destination learns of frames.
    pub frames: Vec<Post<Frame>>,
}

/// One VC that a host receives.
pub struct ReceivingParts {
    /// Label on the line of the opposite direction, whose application gets the messages.
    pub partner: Option<u32>,
    /// Receiving end of its flow control.
    pub receiver: Option<ReceiverEnd>,
    /// Contents of the RM cells, of an ABR VC.
    pub rm: Option<Post<Rm>>,
    /// Where it learns of frames.
    pub frames: Post<Frame>,
}

impl Host {
    /// Assembles a host.
    pub fn new(parts: HostParts) -> Host {
        let name = parts.name;
        let mut salts = vec![name_hash(&format!("{name} line"))];
        let mut timers = Vec::new();
        let mut timer = |name: &str, timer: Timer| {
            salts.push(name_hash(name));
            timers.push(timer);
            (salts.len() - 1) as u32
        };
        let mut first = Vec::new();
        let mut sending = Vec::new();
        for (vc, part) in parts.sending.into_iter().enumerate() {
            let vc = vc as u32;
            let application_entry = timer(&format!("{} application", part.name), Timer::Application { vc });
            first.push((application_entry, part.application.next_offer()));
            let asks = part.credit.as_ref().is_some_and(SenderEnd::has_timeout);
            sending.push(Sending {
                most_waiting: part.application.most_waiting(),
                application: part.application,
                application_entry,
                backlog: Backlog::default(),
                group: part.group,
                active: false,
                sequence: 0,
                sent: 0,
                sent_endless: 0,
                offered: 0,
                timer: asks.then(|| timer(&format!("{} timeout", part.name), Timer::CreditTimeout { vc })),
                credit: part.credit.map(Box::new),
                abr: part.abr.map(|abr| {
                    let entry = timer(&format!("{} ABR", part.name), Timer::Abr { vc });
                    let ends = AbrEnds::new(abr, entry);
                    first.push((entry, ends.originating_due()));
                    Box::new(ends)
                }),
                frames: part.frames.into_boxed_slice(),
                frames_offered: 0,
                bursts: None,
            });
        }
        let mut receiving = Vec::new();
        for (label, ReceivingParts { partner, receiver, rm, frames }) in parts.receiving.into_iter().enumerate() {
            if let Some(period) = receiver.as_ref().and_then(|r| r.redundant) {
                let name = format!("{name} redundant {label}");
                let entry = timer(&name, Timer::RedundantCredit { label: label as Label, period });
                first.push((entry, staggered(&name, period)));
            }
            let receiver = receiver.map(Box::new);
            let books = Delivered::default();
            let special = receiver.is_some() || rm.is_some();
            let frames = Reassembly::new(frames);
            receiving.push(Receiving { partner, receiver, rm, special, efci: false, expected: 0, frames, books });
        }
        let mut agenda = Agenda::new(salts);
        for (entry, time) in first {
            agenda.set(entry as usize, time.at(Phase::Timer));
        }
        let arrival = Moment::NEVER;
        Host { name, line: parts.line, input: parts.input, sending, receiving, arrival, agenda, timers }
    }
}
