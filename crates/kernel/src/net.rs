//! The network of nodes and links, and the two schedulers that drive nodes.

use crate::itinerary::{Leaf, Stop, itinerary};
use crate::link::{Link, LinkId, Wires};
use crate::node::Node;
use crate::time::{Duration, Time};

/// Nodes and the links between them.
pub struct Net<C, N> {
    /// The nodes.
    pub nodes: Vec<N>,
    /// The links.
    pub links: Vec<Link<C>>,
    ends: Vec<Ends>,
    /// In the order of visits.
    stops: Vec<Stop>,
    /// Those of each stop together, in the order of stops.
    leaves: Vec<Leaf>,
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
    /// not hold a node back. `window` bounds how far one node runs ahead of another.
    pub fn new(nodes: Vec<N>, links: Vec<Link<C>>, ends: Vec<Ends>, window: Duration) -> Net<C, N> {
        assert_eq!(nodes.len(), ends.len());
        assert!(window > Duration::ZERO);
        let (stops, leaves) = itinerary(&ends, links.len());
        Net { nodes, links, ends, stops, leaves, now: Time::ZERO, window }
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
        self.stops.iter_mut().for_each(|stop| stop.next_action = self.nodes[stop.node].next_action());
        self.leaves.iter_mut().for_each(|leaf| leaf.next_action = self.nodes[leaf.node].next_action());
        while self.now < end {
            self.skip_idle_time(end);
            let cap = (self.now + self.window).min(end);
            while self.sweep(cap) {}
            for stop in &self.stops {
                for leaf in &mut self.leaves[stop.leaves.clone()] {
                    visit(leaf, stop.promise, cap, &mut self.nodes, &mut self.links);
                }
            }
            self.now = cap;
        }
    }

    /// Lets each stop go once to its horizon, at most to `cap`; true while some stop has not reached `cap`. A leaf is
    /// visited when what it has promised would hold its stop back.
    fn sweep(&mut self, cap: Time) -> bool {
        let mut behind = false;
        let mut moved = false;
        for stop in &mut self.stops {
            if stop.clock >= cap {
                continue;
            }
            let mut safe = stop.inputs.iter().map(|&link| self.links[link].safe()).fold(Time::NEVER, Time::min);
            let wanted = safe.min(cap);
            let leaves = &mut self.leaves[stop.leaves.clone()];
            for leaf in leaves.iter_mut() {
                if leaf.promise < wanted {
                    moved |= visit(leaf, stop.promise, cap, &mut self.nodes, &mut self.links);
                }
                safe = safe.min(leaf.promise);
            }
            let horizon = safe.min(cap);
            behind |= horizon < cap;
            if horizon <= stop.clock {
                continue;
            }
            let mut first = stop.next_action;
            if first >= horizon {
                let earliest = |link: LinkId| self.links[link].earliest();
                first = stop.inputs.iter().map(|&link| earliest(link)).fold(first, Time::min);
                first = leaves.iter().filter_map(|leaf| leaf.output).map(earliest).fold(first, Time::min);
            }
            // Most steps over short links find nothing to do: then only the promises to others move on.
            if first < horizon {
                self.nodes[stop.node].advance(horizon, &mut Wires::new(&mut self.links));
                stop.next_action = self.nodes[stop.node].next_action();
                // No other cell comes before all inputs are safe.
                first = stop.next_action.min(safe);
            }
            stop.clock = horizon;
            stop.promise = first;
            for &link in &stop.outputs {
                self.links[link].sender_reached(first);
            }
            moved = true;
        }
        assert!(moved || !behind, "the scheduler is stuck at {:?}: a link without lookahead", self.now);
        behind
    }

    /// Where nothing happens anywhere for a while, all clocks go to the next event at once.
    fn skip_idle_time(&mut self, end: Time) {
        let next = self.next_event().map_or(end, |(time, _)| time.min(end));
        if next > self.now {
            self.now = next;
            self.all_reached(next);
        }
    }

    /// All nodes have done everything before `now`.
    fn all_reached(&mut self, now: Time) {
        for link in &mut self.links {
            link.sender_reached(now);
        }
        for stop in &mut self.stops {
            stop.clock = now;
        }
        for leaf in &mut self.leaves {
            leaf.clock = now;
            leaf.promise = leaf.output.map_or(Time::NEVER, |link| self.links[link].safe());
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
        self.all_reached(end);
    }
}

/// Lets a leaf go to its horizon, at most to `cap`, when its stop does nothing more before `reached`; true if it moved.
#[inline(always)]
fn visit<C: Copy, N: Node<C>>(
    leaf: &mut Leaf,
    reached: Time,
    cap: Time,
    nodes: &mut [N],
    links: &mut [Link<C>],
) -> bool {
    let safe = leaf.input.map_or(Time::NEVER, |link| links[link].safe_when(reached));
    let horizon = safe.min(cap);
    if horizon <= leaf.clock {
        return false;
    }
    let arrival = leaf.input.map_or(Time::NEVER, |link| links[link].next_arrival());
    let mut first = leaf.next_action.min(arrival).min(safe);
    // Most find nothing to do.
    if first < horizon {
        first = advance(leaf, horizon, nodes, links).min(safe);
    }
    leaf.clock = horizon;
    if let Some(link) = leaf.output {
        leaf.promise = links[link].safe_when(first);
    }
    true
}

/// Lets the node of a leaf go to `horizon`; when it next does something if no other cell comes.
#[inline(never)]
fn advance<C: Copy, N: Node<C>>(leaf: &mut Leaf, horizon: Time, nodes: &mut [N], links: &mut [Link<C>]) -> Time {
    let node = &mut nodes[leaf.node];
    node.advance(horizon, &mut Wires::new(links));
    leaf.next_action = node.next_action();
    leaf.next_action
}
