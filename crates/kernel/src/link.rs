//! Links: one transmission line and its propagation delay, as a FIFO ring of (arrival time, cell).

use crate::ring::Ring;
use crate::time::{Duration, Moment, Phase, Time};

/// Number of a link in its network.
pub type LinkId = usize;

/// What became of a cell on the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate<C> {
    /// It arrives as it was sent.
    Intact,
    /// It arrives with bit errors, as the given cell.
    Altered(C),
    /// It never arrives; its time on the line is spent all the same.
    Lost,
}

/// Errors of a line: decides the fate of each cell. State and randomness belong to the link alone.
pub trait Impairment<C>: Send {
    /// The fate of `cell`, whose first bit leaves at `start`.
    fn fate(&mut self, start: Time, cell: C) -> Fate<C>;
}

/// Somebody who watches a link; costs nothing where there is none.
pub trait LinkObserver<C>: Send {
    /// `cell` occupied the line in [start, end), and would arrive at `arrival`.
    fn on_cell(&mut self, start: Time, end: Time, arrival: Time, cell: C, fate: Fate<C>);
}

/// A one-way link.
///
/// A cell that starts at `t` arrives (last bit) at `t + cell time + propagation`; this lookahead is
/// positive also on a link of zero length, and it is what lets the receiving node work ahead safely. What every cell and
/// every step of the scheduler touches comes first, in one line of the cache.
#[repr(C, align(64))]
pub struct Link<C> {
    ring: Ring<(Time, C)>,
    busy_until: Time,
    safe: Time,
    lookahead: Duration,
    /// More is to do for the next cell than to carry it: it is impaired, observed, or awaited.
    special: bool,
    /// The scheduler wants to hear of the next cell.
    awaited: bool,
    lost: u64,
    altered: u64,
    impairments: Vec<Box<dyn Impairment<C>>>,
    observers: Vec<Box<dyn LinkObserver<C>>>,
}

/// Most links of a large network carry few cells at a time.
const FIRST_RING: usize = 8;

impl<C: Copy> Link<C> {
    /// A link whose cells take `shortest_cell` to send (slots are this long or 1 ps longer) and `propagation` to travel.
    ///
    /// `blank` fills unused ring places and never leaves the link.
    pub fn new(shortest_cell: Duration, propagation: Duration, blank: C) -> Link<C> {
        let lookahead = shortest_cell + propagation;
        assert!(lookahead > Duration::ZERO, "a link needs a positive lookahead");
        Link {
            ring: Ring::new(FIRST_RING, (Time::NEVER, blank)),
            lost: 0,
            altered: 0,
            busy_until: Time::ZERO,
            safe: Time::ZERO + lookahead,
            lookahead,
            special: false,
            awaited: false,
            impairments: Vec::new(),
            observers: Vec::new(),
        }
    }

    /// Adds line errors; several are asked in the order of adding, until one loses the cell.
    pub fn impair(&mut self, impairment: Box<dyn Impairment<C>>) {
        self.impairments.push(impairment);
        self.special = true;
    }

    /// Adds an observer.
    pub fn observe(&mut self, observer: Box<dyn LinkObserver<C>>) {
        self.observers.push(observer);
        self.special = true;
    }

    /// From the start of a cell to its arrival: one cell time (rounded down to a picosecond) and the propagation.
    ///
    /// The same for every cell, so that round trips are exact: only starts of cells follow the rational slot clock.
    pub fn delay(&self) -> Duration {
        self.lookahead
    }

    /// Sends a cell that occupies the line in [start, end).
    ///
    /// # Panics
    /// In debug builds when the line is still busy at `start`.
    #[inline(always)]
    pub fn send(&mut self, start: Time, end: Time, cell: C) {
        if self.special {
            self.send_specially(start, end, cell);
        } else {
            self.carry(start, end, cell);
        }
    }

    #[inline(always)]
    fn carry(&mut self, start: Time, end: Time, cell: C) {
        self.occupy(start, end);
        self.ring.push((start.plus(self.lookahead), cell));
    }

    #[inline(always)]
    fn occupy(&mut self, start: Time, end: Time) {
        debug_assert!(start >= self.busy_until, "a line sends two cells at once: {start:?} < {:?}", self.busy_until);
        self.busy_until = end;
    }

    #[cold]
    #[inline(never)]
    fn send_specially(&mut self, start: Time, end: Time, cell: C) {
        debug_assert!(!self.awaited, "nobody would hear of this cell: it goes over wires");
        self.occupy(start, end);
        let arrival = start + self.lookahead;
        let mut fate = Fate::Intact;
        let mut now = cell;
        for impairment in &mut self.impairments {
            match impairment.fate(start, now) {
                Fate::Intact => {}
                Fate::Altered(changed) => {
                    now = changed;
                    fate = Fate::Altered(changed);
                }
                Fate::Lost => {
                    fate = Fate::Lost;
                    break;
                }
            }
        }
        for observer in &mut self.observers {
            observer.on_cell(start, end, arrival, cell, fate);
        }
        match fate {
            Fate::Lost => self.lost += 1,
            Fate::Intact => self.ring.push((arrival, now)),
            Fate::Altered(_) => {
                self.altered += 1;
                self.ring.push((arrival, now));
            }
        }
    }

    /// The scheduler wants to hear of the next cell that is [sent over wires](Wires::send).
    pub(crate) fn wait(&mut self) {
        self.awaited = true;
        self.special = true;
    }

    /// Arrival time of the next cell, [`Time::NEVER`] where none is on its way.
    #[inline]
    pub fn next_arrival(&self) -> Time {
        self.ring.first().map_or(Time::NEVER, |(arrival, _)| arrival)
    }

    /// The moment of the next arrival, [`Moment::NEVER`] where no cell is on its way.
    #[inline]
    pub fn next_moment(&self) -> Moment {
        self.ring.first().map_or(Moment::NEVER, |(arrival, _)| arrival.at(Phase::Arrival))
    }

    /// The next cell and its arrival, left on the link.
    #[inline]
    pub fn next_cell(&self) -> Option<(Time, C)> {
        self.ring.first()
    }

    /// The cell that comes after so many others, left on the link.
    #[inline]
    pub fn cell_after(&self, others: usize) -> Option<C> {
        self.ring.get(others).map(|(_, cell)| cell)
    }

    /// Takes the next cell off the link.
    #[inline]
    pub fn receive(&mut self) -> Option<(Time, C)> {
        self.ring.take()
    }

    /// Cells on their way, in order.
    pub fn in_flight(&self) -> impl Iterator<Item = C> {
        self.ring.iter().map(|(_, cell)| cell)
    }

    /// Cells sent since the start.
    pub fn sent(&self) -> u64 {
        self.ring.total() + self.lost
    }

    /// Cells that line errors have lost, and cells they have altered.
    pub fn errors(&self) -> (u64, u64) {
        (self.lost, self.altered)
    }

    /// No cell that is not on its way yet arrives before this instant.
    #[inline]
    pub(crate) fn safe(&self) -> Time {
        self.safe
    }

    /// What is [safe](Link::safe) when the sender does nothing more before `reached`.
    #[inline]
    pub(crate) fn safe_when(&self, reached: Time) -> Time {
        self.safe.max(reached.max(self.busy_until) + self.lookahead)
    }

    /// The sender does nothing more before `reached`.
    #[inline]
    pub(crate) fn sender_reached(&mut self, reached: Time) {
        self.safe = self.safe_when(reached);
    }
}

/// The links as a node sees them while it works.
pub struct Wires<'a, C> {
    links: &'a mut [Link<C>],
    /// Links that were awaited, and have a cell.
    woken: &'a mut Vec<LinkId>,
}

impl<'a, C: Copy> Wires<'a, C> {
    /// All links of the network; a node uses only its own.
    pub(crate) fn new(links: &'a mut [Link<C>], woken: &'a mut Vec<LinkId>) -> Wires<'a, C> {
        Wires { links, woken }
    }

    /// Sends a cell over link `id`, which it occupies in [start, end).
    ///
    /// # Panics
    /// In debug builds when the line is still busy at `start`.
    #[inline(always)]
    pub fn send(&mut self, id: LinkId, start: Time, end: Time, cell: C) {
        let link = &mut self.links[id];
        if link.special {
            self.send_specially(id, start, end, cell);
        } else {
            link.carry(start, end, cell);
        }
    }

    #[cold]
    #[inline(never)]
    fn send_specially(&mut self, id: LinkId, start: Time, end: Time, cell: C) {
        let link = &mut self.links[id];
        if std::mem::take(&mut link.awaited) {
            link.special = !link.impairments.is_empty() || !link.observers.is_empty();
            self.woken.push(id);
        }
        link.send(start, end, cell);
    }

    /// Link `id`.
    #[inline]
    pub fn link(&mut self, id: LinkId) -> &mut Link<C> {
        &mut self.links[id]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_arrive_in_order_after_sending_and_propagation() {
        let mut link = Link::new(Duration::from_ps(10), Duration::from_ps(7), 0u64);
        for k in 0..200u64 {
            let start = Time::from_ps(10 * k);
            link.send(start, start + Duration::from_ps(10), k);
        }
        assert_eq!(link.in_flight().count(), 200);
        for k in 0..200u64 {
            assert_eq!(link.next_arrival(), Time::from_ps(10 * k + 17));
            assert_eq!(link.receive(), Some((Time::from_ps(10 * k + 17), k)));
        }
        assert_eq!(link.next_arrival(), Time::NEVER);
        link.sender_reached(Time::from_ps(100));
        assert_eq!(link.safe(), Time::from_ps(2_000 + 17), "a busy line promises from its end");
    }

    #[test]
    #[should_panic(expected = "two cells at once")]
    #[cfg(debug_assertions)]
    fn a_busy_line_refuses() {
        let mut link = Link::new(Duration::from_ps(10), Duration::ZERO, ());
        link.send(Time::ZERO, Time::from_ps(10), ());
        link.send(Time::from_ps(9), Time::from_ps(19), ());
    }
}
