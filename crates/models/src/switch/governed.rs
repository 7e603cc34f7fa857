//! The short way through governed ports, which have a policy, a discipline or policing to ask, but no credit, recorders
//! or several branches.

use super::Switch;
use super::memory::UNICAST;
use crate::buffer::DropReason;
use crate::cell::{Cell, Label};
use cellway_kernel::link::Wires;
use cellway_kernel::time::Time;

impl Switch {
    /// A cell for a governed port: what [`forward_in_full`](Switch::forward_in_full) does, without credit and recorders.
    #[inline]
    pub(super) fn govern(&mut self, now: Time, port_id: u32, label: Label, cell: Cell, wires: &mut Wires<'_, Cell>) {
        let at_once = self.may_start_at_once(now);
        let refused = (self.shared >= self.shared_limit).then_some(DropReason::MemoryFull);
        let port = &mut self.ports[port_id as usize];
        if !port.admit_governed(label, cell, refused) {
            return;
        }
        let cell = cell.relabelled(label);
        self.peak = self.peak.max(self.shared + self.reserved + 1);
        let branch = &mut port.branches[label as usize];
        if at_once && port.line.is_idle(now) {
            branch.passes(cell);
            return port.line.transmit(now, cell, wires);
        }
        let planned = port.line.is_awaited();
        let q = branch.queue;
        port.stored(label, cell);
        let queue = &mut port.queues[q as usize];
        self.memory.push(&mut queue.cells, cell, UNICAST);
        port.line.arrived(now, queue.group, q);
        if !queue.active {
            queue.active = true;
            port.line.activate(now, queue.group, q);
        }
        self.shared += 1;
        if !planned {
            self.agenda.set(port_id as usize, port.line.next_start(now));
        }
    }

    /// At a governed port a queue that waits for the line holds a cell and may send.
    #[inline]
    pub(super) fn send_governed(&mut self, now: Time, port: u32, wires: &mut Wires<'_, Cell>) {
        let port = &mut self.ports[port as usize];
        if let Some(cell) = port.take(now, &mut self.memory) {
            self.shared -= 1;
            port.line.transmit(now, cell, wires);
        }
    }
}
