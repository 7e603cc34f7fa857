//! The output port: the only place that counts. Arrived = dropped + departed + queued, for every VC.

use super::memory::{Memory, Queue};
use super::rates::{PortRate, Role};
use crate::buffer::{BufferPolicy, BufferView, DropReason, Verdict};
use crate::cell::{Cell, Label};
use crate::credit::ends::SenderEnd;
use crate::line::OutputLine;
use crate::schedule::QueueId;
use cellway_kernel::invariant;
use cellway_kernel::probe::Gauge;
use cellway_kernel::time::Time;

/// An output port of a switch.
pub struct Port {
    /// Name of its link.
    pub name: String,
    pub(super) line: OutputLine,
    pub(super) policy: Box<dyn BufferPolicy>,
    /// The policy admits what fits, and need not be asked for that.
    pub(super) admits_until_full: bool,
    pub(super) capacity: u64,
    /// Cells of VCs without credit flow control on their way in: those that share `capacity`.
    pub(super) sharing: u64,
    /// VCs that have such a cell here; not kept where the port is plain.
    pub(super) active_vcs: u64,
    pub(super) queued: u64,
    pub(super) rate: Option<PortRate>,
    /// ABR cells among those that wait; not kept without a rate algorithm.
    pub(super) abr_queued: u64,
    pub(super) queues: Vec<PortQueue>,
    pub(super) branches: Vec<Branch>,
    pub(super) gauge: Option<Box<Gauge>>,
    /// Nothing but the books and the queue has to hear of a cell: no credit on its way in or out, no recorder, one
    /// destination, and a policy and a discipline that need no call. True of all VCs of the port.
    pub(super) plain: bool,
    /// The same but for the policy, the discipline, policing and tagged cells, which are asked and counted: nothing of
    /// credit, recorders and branches. Plain ports are governed ports.
    pub(super) governed: bool,
}

/// A queue of the port: of one VC, or shared by a priority group.
pub(super) struct PortQueue {
    pub(super) cells: Queue,
    pub(super) group: u8,
    /// Among the schedule's waiting queues.
    pub(super) active: bool,
}

/// One VC at one port: in one line of the cache what every cell touches.
#[repr(align(64))]
pub struct Branch {
    /// Cells that asked for admission, but for those that went `through`.
    pub(super) arrived: u64,
    /// Cells sent, but for those that went `through`.
    pub(super) departed: u64,
    /// Cells waiting: the memory numbers its places by 32 bits.
    pub(super) queued: u32,
    /// Of these, with CLP = 1.
    pub(super) queued_tagged: u32,
    /// Most cells waiting at once since the mark, but for those that went `through`.
    pub(super) peak_marked: u64,
    /// Cells that came and went at one instant at a plain port.
    pub(super) through: u64,
    pub(super) credit: Option<Box<SenderEnd>>,
    pub(super) rest: Box<BranchRest>,
    pub(super) queue: QueueId,
    /// False where the VC is flow controlled on its way in and so has its own buffer.
    pub(super) shares_buffer: bool,
    /// Its cells form frames.
    pub(super) framed: bool,
    /// Some of its cells may be tagged.
    pub(super) may_be_tagged: bool,
    /// What the rate algorithm hears of its cells.
    pub(super) role: Role,
}

const _: () = assert!(size_of::<Branch>() == 64);

/// What not every cell of a [`Branch`] touches.
#[derive(Default)]
pub(super) struct BranchRest {
    pub(super) origin: Origin,
    /// Agenda entry of the credit time-out.
    pub(super) timer: Option<u32>,
    pub(super) gauge: Option<Box<Gauge>>,
    pub(super) dropped: [u64; DropReason::ALL.len()],
    pub(super) tagged: TaggedBooks,
    pub(super) peak_before: u64,
}

/// Where a branch's cells come from: the input, and the VC there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Origin {
    pub(super) input: u32,
    pub(super) label: Label,
}

/// The books of one VC at one port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Books {
    /// Cells that asked for admission.
    pub arrived: u64,
    /// Cells not stored, by reason in the order of [`DropReason::ALL`].
    pub dropped: [u64; DropReason::ALL.len()],
    /// Cells sent.
    pub departed: u64,
    /// Cells waiting.
    pub queued: u64,
    /// Most cells waiting at once before the mark.
    pub peak_before: u64,
    /// The same since the mark.
    pub peak_marked: u64,
    /// The part of tagged cells.
    pub tagged: TaggedBooks,
}

/// The tagged cells (CLP = 1) among those of [`Books`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaggedBooks {
    /// Cells that asked for admission.
    pub arrived: u64,
    /// Cells not stored.
    pub dropped: u64,
    /// Cells sent.
    pub departed: u64,
    /// Cells waiting.
    pub queued: u64,
}

impl Books {
    /// Cells not stored for any reason.
    pub fn dropped(&self) -> u64 {
        self.dropped.iter().sum()
    }

    /// Most cells waiting at once since the start.
    pub fn peak(&self) -> u64 {
        self.peak_before.max(self.peak_marked)
    }
}

impl Branch {
    /// A branch without cells.
    pub(super) fn new(queue: QueueId, framed: bool, may_be_tagged: bool, role: Role) -> Branch {
        Branch {
            arrived: 0,
            departed: 0,
            queued: 0,
            queued_tagged: 0,
            peak_marked: 0,
            through: 0,
            credit: None,
            rest: Box::default(),
            queue,
            shares_buffer: true,
            framed,
            may_be_tagged,
            role,
        }
    }

    /// Its books.
    pub fn books(&self) -> Books {
        let BranchRest { dropped, tagged, peak_before, .. } = *self.rest;
        Books {
            arrived: self.arrived + self.through,
            dropped,
            departed: self.departed + self.through,
            queued: self.queued.into(),
            peak_before,
            peak_marked: self.peak_marked.max(self.through.min(1)),
            tagged: TaggedBooks { queued: self.queued_tagged.into(), ..tagged },
        }
    }

    /// A cell of an untagged VC is not admitted.
    #[cold]
    pub(super) fn refused(&mut self, reason: DropReason) {
        self.arrived += 1;
        self.rest.dropped[reason as usize] += 1;
    }

    #[inline]
    pub(super) fn came(&mut self) {
        self.queued += 1;
        self.peak_marked = self.peak_marked.max(self.queued.into());
    }

    /// A cell is stored.
    #[inline]
    pub(super) fn enters(&mut self, cell: Cell) {
        self.came();
        self.queued_tagged += u32::from(cell.clp());
    }

    /// A cell goes straight through, when no other waits.
    #[inline]
    pub(super) fn passes(&mut self, cell: Cell) {
        self.departed += 1;
        self.peak_marked = self.peak_marked.max(1);
        if cell.clp() {
            self.rest.tagged.departed += 1;
        }
    }

    /// A stored cell is sent.
    #[inline]
    pub(super) fn leaves(&mut self, cell: Cell) {
        self.queued -= 1;
        self.departed += 1;
        if cell.clp() {
            self.queued_tagged -= 1;
            self.rest.tagged.departed += 1;
        }
    }

    /// What the policy sees of the buffer when a cell of this VC comes.
    #[inline]
    pub(super) fn view(&self, label: Label, occupancy: u64, capacity: u64, active_vcs: u64) -> BufferView {
        let of_vc = self.queued.into();
        let untagged_of_vc = (self.queued - self.queued_tagged).into();
        BufferView { occupancy, capacity, vc: label, framed: self.framed, of_vc, untagged_of_vc, active_vcs }
    }

    /// A cell asks for admission.
    #[inline]
    fn asks(&mut self, cell: Cell) {
        self.arrived += 1;
        if cell.clp() {
            self.rest.tagged.arrived += 1;
        }
    }

    /// A cell asks for admission, unless it is `refused` already; the answer is counted.
    #[inline]
    pub(super) fn admit(
        &mut self,
        policy: &mut dyn BufferPolicy,
        view: &BufferView,
        cell: Cell,
        refused: Option<DropReason>,
    ) -> bool {
        self.asks(cell);
        let verdict = match refused {
            _ if !self.shares_buffer => refused.map_or(Verdict::Admit, Verdict::Drop),
            None => policy.admit(view, cell),
            Some(reason) => {
                policy.lost(view, cell);
                Verdict::Drop(reason)
            }
        };
        match verdict {
            Verdict::Admit => true,
            Verdict::Drop(reason) => {
                self.rest.dropped[reason as usize] += 1;
                self.rest.tagged.dropped += u64::from(cell.clp());
                false
            }
        }
    }

    #[inline]
    pub(super) fn may_send(&self) -> bool {
        self.credit.as_ref().is_none_or(|c| c.may_send())
    }

    #[inline]
    fn observe(&mut self, now: Time) {
        if let Some(gauge) = &mut self.rest.gauge {
            gauge.set(now, self.queued.into());
        }
    }
}

impl Port {
    /// A cell of VC `label` asks for admission; it is counted, and if it is not admitted, so is the drop.
    #[inline]
    pub(super) fn admit(&mut self, label: Label, cell: Cell, refused: Option<DropReason>) -> bool {
        let branch = &mut self.branches[label as usize];
        let view = branch.view(label, self.sharing, self.capacity, self.active_vcs);
        branch.admit(&mut *self.policy, &view, cell, refused)
    }

    /// The same at a governed port, whose VCs all share its buffer.
    #[inline]
    pub(super) fn admit_governed(&mut self, label: Label, cell: Cell, refused: Option<DropReason>) -> bool {
        if !self.admits_until_full || refused.is_some() || self.sharing >= self.capacity {
            return self.admit(label, cell, refused);
        }
        let branch = &mut self.branches[label as usize];
        branch.asks(cell);
        true
    }

    /// An admitted cell of VC `label` waits here.
    #[inline]
    pub(super) fn stored(&mut self, label: Label, cell: Cell) {
        let branch = &mut self.branches[label as usize];
        branch.enters(cell);
        self.queued += 1;
        self.abr_queued += u64::from(branch.role == Role::Abr);
        if branch.shares_buffer {
            self.sharing += 1;
            self.active_vcs += u64::from(branch.queued == 1 && !self.plain);
        }
    }

    /// A cell of VC `label` leaves.
    #[inline]
    fn departed(&mut self, label: Label, cell: Cell) {
        let branch = &mut self.branches[label as usize];
        branch.leaves(cell);
        self.queued -= 1;
        self.abr_queued -= u64::from(branch.role == Role::Abr);
        if branch.shares_buffer {
            self.sharing -= 1;
            self.active_vcs -= u64::from(branch.queued == 0 && !self.plain);
        }
    }

    /// The cell that goes next from a governed port; if its queue holds more it waits again.
    #[inline]
    pub(super) fn take(&mut self, now: Time, memory: &mut Memory) -> Option<Cell> {
        let (cell, _) = if self.line.keeps_order() {
            let (group, q) = self.line.first_queue()?;
            let queue = &mut self.queues[q as usize];
            let taken = memory.pop(&mut queue.cells);
            queue.active = !queue.cells.is_empty();
            self.line.first_went(group, queue.active);
            taken
        } else {
            let q = self.line.next_queue(now)?;
            let queue = &mut self.queues[q as usize];
            let taken = memory.pop(&mut queue.cells);
            queue.active = !queue.cells.is_empty();
            if queue.active {
                self.line.activate(now, queue.group, q);
            }
            taken
        };
        self.departed(cell.label(), cell);
        Some(cell)
    }

    /// The first cell of queue `q` leaves a port that credit or recorders may have to hear of it; true if that frees its
    /// stored copy.
    #[inline]
    pub(super) fn take_in_full(&mut self, now: Time, q: QueueId, memory: &mut Memory) -> (Cell, bool) {
        let (cell, freed) = memory.pop(&mut self.queues[q as usize].cells);
        self.departed(cell.label(), cell);
        if let Some(credit) = &mut self.branches[cell.label() as usize].credit {
            credit.sent(now);
        }
        (cell, freed)
    }

    /// The first cell of queue `q`, the first of its group, leaves a plain port; if it holds more it waits again.
    #[inline(always)]
    pub(super) fn take_plainly(&mut self, group: usize, q: QueueId, memory: &mut Memory) -> Cell {
        let queue = &mut self.queues[q as usize];
        let (cell, _) = memory.pop(&mut queue.cells);
        let branch = &mut self.branches[cell.label() as usize];
        branch.queued -= 1;
        branch.departed += 1;
        self.sharing -= 1;
        self.queued -= 1;
        queue.active = !queue.cells.is_empty();
        self.line.first_went(group, queue.active);
        cell
    }

    #[inline]
    pub(super) fn may_send(&self, label: Label) -> bool {
        self.branches[label as usize].may_send()
    }

    /// A cell of VC `label` goes straight to the idle line.
    #[inline]
    pub(super) fn passes(&mut self, now: Time, label: Label, cell: Cell) {
        let branch = &mut self.branches[label as usize];
        branch.passes(cell);
        if let Some(credit) = &mut branch.credit {
            credit.sent(now);
        }
        // For an instant the cell was here.
        for cells in [1.0, 0.0] {
            if let Some(gauge) = &mut branch.rest.gauge {
                gauge.set(now, cells);
            }
            if let Some(gauge) = &mut self.gauge {
                gauge.set(now, self.queued as f64 + cells);
            }
        }
    }

    /// Cells of VC `label` have come or gone.
    #[inline]
    pub(super) fn observe(&mut self, now: Time, label: Label) {
        self.branches[label as usize].observe(now);
        if let Some(gauge) = &mut self.gauge {
            gauge.set(now, self.queued as f64);
        }
    }

    /// Starts a new measurement: peaks count from here.
    pub(super) fn mark(&mut self) {
        for branch in &mut self.branches {
            let books = branch.books();
            (branch.arrived, branch.departed, branch.through) = (books.arrived, books.departed, 0);
            branch.rest.peak_before = books.peak();
            branch.peak_marked = books.queued;
        }
    }

    /// Asserts the conservation identities.
    ///
    /// # Panics
    /// Where the books do not balance: a bug of Cellway.
    pub(super) fn check_books(&self) {
        for (label, branch) in self.branches.iter().enumerate() {
            let b = &branch.books();
            let component = format_args!("port {} VC label {label}", self.name);
            invariant!(
                b.arrived == b.dropped() + b.departed + b.queued,
                component,
                "arrived = dropped + departed + queued, but {b:?}"
            );
            let t = &b.tagged;
            invariant!(
                t.arrived == t.dropped + t.departed + t.queued,
                component,
                "of tagged cells arrived = dropped + departed + queued, but {b:?}"
            );
            let part =
                t.arrived <= b.arrived && t.dropped <= b.dropped() && t.departed <= b.departed && t.queued <= b.queued;
            invariant!(part, component, "more tagged cells than cells: {b:?}");
            invariant!(branch.may_be_tagged || t.arrived == 0, component, "tagged cells of a VC that has none: {b:?}");
        }
        let sharing = || self.branches.iter().filter(|b| b.shares_buffer).map(|b| u64::from(b.queued));
        let (cells, vcs) = (sharing().sum::<u64>(), sharing().filter(|&queued| queued > 0).count() as u64);
        let shared = cells == self.sharing && (self.plain || vcs == self.active_vcs);
        invariant!(
            shared,
            format_args!("port {}", self.name),
            "{cells} cells of {vcs} VCs share the buffer, {} of {}",
            self.sharing,
            self.active_vcs
        );
        let queued: u64 = self.branches.iter().map(|b| u64::from(b.queued)).sum();
        invariant!(queued == self.queued, format_args!("port {}", self.name), "{queued} cells queued, {}", self.queued);
    }
}
