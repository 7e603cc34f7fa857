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
    pub(super) capacity: u64,
    /// Cells of VCs without credit flow control on their way in: those that share `capacity`.
    pub(super) sharing: u64,
    /// VCs that have such a cell here; not kept where the port is plain.
    pub(super) active_vcs: u64,
    pub(super) queued: u64,
    pub(super) rate: Option<Box<PortRate>>,
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

/// One VC at one port.
pub struct Branch {
    pub(super) queue: u32,
    pub(super) origin: Origin,
    /// False where the VC is flow controlled on its way in and so has its own buffer.
    pub(super) shares_buffer: bool,
    /// Its cells form frames.
    pub(super) framed: bool,
    /// Some of its cells may be tagged.
    pub(super) may_be_tagged: bool,
    /// What the rate algorithm hears of its cells.
    pub(super) role: Role,
    pub(super) credit: Option<Box<SenderEnd>>,
    /// Agenda entry of the credit time-out.
    pub(super) timer: Option<u32>,
    pub(super) gauge: Option<Box<Gauge>>,
    /// Its books, but for cells that went `through`: see [`Branch::books`].
    pub(super) books: Books,
    /// Cells that came and went at one instant at a plain port, and are not in the books yet.
    pub(super) through: u64,
}

/// Where a branch's cells come from: the input, and the VC there.
#[derive(Clone, Copy, Debug)]
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

    #[inline]
    pub(super) fn came(&mut self) {
        self.queued += 1;
        self.peak_marked = self.peak_marked.max(self.queued);
    }

    /// A cell is stored.
    #[inline]
    pub(super) fn enters(&mut self, cell: Cell) {
        self.came();
        self.tagged.queued += u64::from(cell.clp());
    }

    /// A cell goes straight through.
    #[inline]
    pub(super) fn passes(&mut self, cell: Cell) {
        self.passed(1);
        self.tagged.departed += u64::from(cell.clp());
    }

    #[inline]
    fn went(&mut self, cell: Cell) {
        self.queued -= 1;
        self.departed += 1;
        if cell.clp() {
            self.tagged.queued -= 1;
            self.tagged.departed += 1;
        }
    }

    /// Cells come and go, each at one instant and when no other waits.
    #[inline]
    fn passed(&mut self, cells: u64) {
        self.departed += cells;
        self.peak_marked = self.peak_marked.max(cells.min(1));
    }
}

impl Branch {
    /// Its books.
    pub fn books(&self) -> Books {
        let mut books = self.books;
        books.arrived += self.through;
        books.passed(self.through);
        books
    }

    /// What the policy sees of the buffer when a cell of this VC comes.
    #[inline]
    pub(super) fn view(&self, label: Label, occupancy: u64, capacity: u64, active_vcs: u64) -> BufferView {
        let of_vc = self.books.queued;
        let untagged_of_vc = of_vc - self.books.tagged.queued;
        BufferView { occupancy, capacity, vc: label, framed: self.framed, of_vc, untagged_of_vc, active_vcs }
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
        let books = &mut self.books;
        books.arrived += 1;
        books.tagged.arrived += u64::from(cell.clp());
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
                books.dropped[reason as usize] += 1;
                books.tagged.dropped += u64::from(cell.clp());
                false
            }
        }
    }

    #[inline]
    pub(super) fn may_send(&self) -> bool {
        self.credit.as_ref().is_none_or(|c| c.may_send())
    }

    #[inline]
    fn departed(&mut self, now: Time, cell: Cell) {
        self.books.went(cell);
        if let Some(credit) = &mut self.credit {
            credit.sent(now);
        }
        self.observe(now);
    }

    #[inline]
    fn observe(&mut self, now: Time) {
        if let Some(gauge) = &mut self.gauge {
            gauge.set(now, self.books.queued as f64);
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

    /// An admitted cell of VC `label` waits here.
    #[inline]
    pub(super) fn stored(&mut self, now: Time, label: Label, cell: Cell) {
        let branch = &mut self.branches[label as usize];
        branch.books.enters(cell);
        self.queued += 1;
        self.abr_queued += u64::from(branch.role == Role::Abr);
        if branch.shares_buffer {
            self.sharing += 1;
            self.active_vcs += u64::from(branch.books.queued == 1 && !self.plain);
        }
        branch.observe(now);
    }

    /// A cell of VC `label` leaves.
    #[inline]
    pub(super) fn departed(&mut self, now: Time, label: Label, cell: Cell) {
        let branch = &mut self.branches[label as usize];
        branch.departed(now, cell);
        self.queued -= 1;
        self.abr_queued -= u64::from(branch.role == Role::Abr);
        if branch.shares_buffer {
            self.sharing -= 1;
            self.active_vcs -= u64::from(branch.books.queued == 0 && !self.plain);
        }
    }

    /// The first cell of queue `q` leaves a governed port; if it holds more it waits again.
    #[inline]
    pub(super) fn take(&mut self, now: Time, q: QueueId, memory: &mut Memory) -> Cell {
        let queue = &mut self.queues[q as usize];
        let (cell, _) = memory.pop(&mut queue.cells);
        queue.active = !queue.cells.is_empty();
        if queue.active {
            self.line.activate(now, queue.group, q);
        }
        self.departed(now, cell.label(), cell);
        cell
    }

    /// The first cell of queue `q`, the first of its group, leaves a plain port; if it holds more it waits again.
    #[inline(always)]
    pub(super) fn take_plainly(&mut self, group: usize, q: QueueId, memory: &mut Memory) -> Cell {
        let queue = &mut self.queues[q as usize];
        let (cell, _) = memory.pop(&mut queue.cells);
        let books = &mut self.branches[cell.label() as usize].books;
        books.queued -= 1;
        books.departed += 1;
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
        branch.books.passes(cell);
        if let Some(credit) = &mut branch.credit {
            credit.sent(now);
        }
        // For an instant the cell was here.
        for cells in [1.0, 0.0] {
            if let Some(gauge) = &mut branch.gauge {
                gauge.set(now, cells);
            }
            if let Some(gauge) = &mut self.gauge {
                gauge.set(now, self.queued as f64 + cells);
            }
        }
    }

    #[inline]
    pub(super) fn observe(&mut self, now: Time) {
        if let Some(gauge) = &mut self.gauge {
            gauge.set(now, self.queued as f64);
        }
    }

    /// Starts a new measurement: peaks count from here.
    pub(super) fn mark(&mut self) {
        for branch in &mut self.branches {
            branch.books = branch.books();
            branch.through = 0;
            branch.books.peak_before = branch.books.peak();
            branch.books.peak_marked = branch.books.queued;
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
        let sharing = || self.branches.iter().filter(|b| b.shares_buffer).map(|b| b.books.queued);
        let (cells, vcs) = (sharing().sum::<u64>(), sharing().filter(|&queued| queued > 0).count() as u64);
        let shared = cells == self.sharing && (self.plain || vcs == self.active_vcs);
        invariant!(
            shared,
            format_args!("port {}", self.name),
            "{cells} cells of {vcs} VCs share the buffer, {} of {}",
            self.sharing,
            self.active_vcs
        );
        let queued: u64 = self.branches.iter().map(|b| b.books.queued).sum();
        invariant!(queued == self.queued, format_args!("port {}", self.name), "{queued} cells queued, {}", self.queued);
    }
}
