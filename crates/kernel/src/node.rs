//! The node contract, and the two schedulers that drive nodes.

use crate::link::{Link, LinkId, Wires};
use crate::time::{Duration, Time};

/// A sequential machine: it consumes time-ordered cells and produces time-ordered cells.
///
/// What a node does depends on its own state and on the cells that arrive, never on how far one call takes it:
/// `advance(t1); advance(t2)` equals `advance(t2)`. Ties are ordered by (time, phase, tie rank).
pub trait Node<C>: Send {
    /// Does everything that falls strictly before `horizon`.
    ///
    /// All cells that arrive before `horizon` are on the node's input links.
    fn advance(&mut self, horizon: Time, wires: &mut Wires<'_, C>);

    /// When the node next does something if no further cell arrives; cells on its input links do not count.
    fn next_action(&self) -> Time;
}

/// Nodes and the links between them.
pub struct Net<C, N> {
    /// The nodes.
    pub nodes: Vec<N>,
    /// The links.
    pub links: Vec<Link<C>>,
    ends: Vec<Ends>,
    order: Vec<usize>,
    clocks: Vec<Time>,
    /// When each node next does something by itself, while it runs: a step mostly finds that it is not yet.
    next_actions: Vec<Time>,
    now: Time,
    window: Duration,
}

/// The links of one node on which cells can travel.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    /// Links that end here.
    pub inputs: Vec<LinkId>,
    /// Links that start here.
    pub outputs: Vec<LinkId>,
}

impl<C: Copy, N: Node<C>> Net<C, N> {
    /// Assembles a network.
    ///
    /// `ends[i]` belongs to `nodes[i]` and names only links that some route uses: a link that can carry nothing must
    /// not hold a node back. `window` bounds how far one node runs ahead of another; about 256 cell times keep the
    /// rings in the cache.
    pub fn new(nodes: Vec<N>, links: Vec<Link<C>>, ends: Vec<Ends>, window: Duration) -> Net<C, N> {
        assert_eq!(nodes.len(), ends.len());
        assert!(window > Duration::ZERO);
        let order = downstream_order(&ends, links.len());
        let clocks = vec![Time::ZERO; nodes.len()];
        let next_actions = clocks.clone();
        Net { nodes, links, ends, order, clocks, next_actions, now: Time::ZERO, window }
    }

    /// Everything before this instant is done.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Cells sent over all links since the start.
    pub fn cell_hops(&self) -> u64 {
        self.links.iter().map(Link::sent).sum()
    }

    /// Runs to `end` (exclusive): each node in turn goes as far as its inputs are known.
    ///
    /// # Panics
    /// For an end after [`Time::LAST`].
    pub fn run_until(&mut self, end: Time) {
        assert!(end <= Time::LAST, "a run to {end:?}, beyond {:?}", Time::LAST);
        self.next_actions = self.nodes.iter().map(N::next_action).collect();
        while self.now < end {
            self.skip_idle_time(end);
            let cap = (self.now + self.window).min(end);
            while self.sweep(cap) {}
            self.now = cap;
        }
    }

    /// Lets each node go once to its horizon, at most to `cap`; true while some node has not reached `cap`.
    fn sweep(&mut self, cap: Time) -> bool {
        let mut behind = false;
        let mut moved = false;
        for &i in &self.order {
            let clock = self.clocks[i];
            if clock >= cap {
                continue;
            }
            let ends = &self.ends[i];
            let mut horizon = cap;
            let mut first = self.next_actions[i];
            for &link in &ends.inputs {
                horizon = horizon.min(self.links[link].safe());
                first = first.min(self.links[link].earliest());
            }
            if horizon > clock {
                // Most steps over short links find nothing to do: then only the promises to others move on.
                if first < horizon {
                    self.nodes[i].advance(horizon, &mut Wires::new(&mut self.links));
                    self.next_actions[i] = self.nodes[i].next_action();
                    let inputs = ends.inputs.iter().map(|&link| self.links[link].earliest());
                    first = inputs.fold(self.next_actions[i], Time::min);
                }
                self.clocks[i] = horizon;
                for &link in &ends.outputs {
                    self.links[link].sender_reached(first);
                }
                moved = true;
            }
            behind |= horizon < cap;
        }
        assert!(moved || !behind, "the scheduler is stuck at {:?}: a link without lookahead", self.now);
        behind
    }

    /// Where nothing happens anywhere for a while, all clocks go to the next event at once.
    fn skip_idle_time(&mut self, end: Time) {
        let next = self.next_event().map_or(end, |(time, _)| time.min(end));
        if next > self.now {
            self.now = next;
            for clock in &mut self.clocks {
                *clock = next;
            }
            for link in &mut self.links {
                link.sender_reached(next);
            }
        }
    }

    /// The earliest event of the whole network and its node.
    fn next_event(&self) -> Option<(Time, usize)> {
        (0..self.nodes.len())
            .map(|i| {
                let arrivals = self.ends[i].inputs.iter().map(|&l| self.links[l].next_arrival());
                (arrivals.fold(self.nodes[i].next_action(), Time::min), i)
            })
            .min()
            .filter(|&(time, _)| time < Time::NEVER)
    }

    /// Runs to `end` as slowly and as plainly as possible: only to the globally next event, one node at a time.
    ///
    /// The reference for [`Net::run_until`]: it needs no horizon and no lookahead, and must give the same bytes.
    ///
    /// # Panics
    /// For an end after [`Time::LAST`].
    pub fn run_one_step_at_a_time(&mut self, end: Time) {
        assert!(end <= Time::LAST, "a run to {end:?}, beyond {:?}", Time::LAST);
        while let Some((time, i)) = self.next_event().filter(|&(time, _)| time < end) {
            self.nodes[i].advance(time + Duration::from_ps(1), &mut Wires::new(&mut self.links));
        }
        self.now = end;
        for clock in &mut self.clocks {
            *clock = end;
        }
        for link in &mut self.links {
            link.sender_reached(end);
        }
    }
}

/// Nodes in an order in which cells travel, as far as there is one: a sweep then carries cells several hops.
fn downstream_order(ends: &[Ends], links: usize) -> Vec<usize> {
    let mut receiver = vec![usize::MAX; links];
    for (i, e) in ends.iter().enumerate() {
        for &l in &e.inputs {
            receiver[l] = i;
        }
    }
    // Depth-first finishing times, reversed: a topological order once the loops are cut.
    let mut seen = vec![false; ends.len()];
    let mut finished = Vec::with_capacity(ends.len());
    let roots = (0..ends.len()).filter(|&i| ends[i].inputs.is_empty()).chain(0..ends.len());
    for root in roots {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            match ends[node].outputs.get(*next) {
                Some(&link) => {
                    *next += 1;
                    let to = receiver[link];
                    if to != usize::MAX && !seen[to] {
                        seen[to] = true;
                        path.push((to, 0));
                    }
                }
                None => {
                    finished.push(node);
                    path.pop();
                }
            }
        }
    }
    finished.reverse();
    finished
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_follows_the_cells() {
        let ends = |inputs: &[usize], outputs: &[usize]| Ends { inputs: inputs.to_vec(), outputs: outputs.to_vec() };
        // 2 -> 0 -> 1, numbered against the direction.
        let chain = [ends(&[0], &[1]), ends(&[1], &[]), ends(&[], &[0])];
        assert_eq!(downstream_order(&chain, 2), [2, 0, 1]);
        // A loop is cut somewhere, and every node appears once.
        let ring = [ends(&[1], &[0]), ends(&[0], &[1])];
        let mut order = downstream_order(&ring, 2);
        order.sort_unstable();
        assert_eq!(order, [0, 1]);
    }
}
