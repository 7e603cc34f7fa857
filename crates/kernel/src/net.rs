//! The network of nodes and links, and the two schedulers that drive nodes.

pub use crate::itinerary::Ends;
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
    leaves: Vec<Leaf>,
    /// By leaf that speaks, when it next does something: by itself, or since a cell comes. Close together, since a stop
    /// looks through those of all its leaves at each step.
    due: Vec<Time>,
    /// By link, the leaf that it leads to.
    leaf_behind: Vec<usize>,
    /// Links on which cells were awaited, and are.
    woken: Vec<LinkId>,
    now: Time,
    window: Duration,
}

impl<C: Copy, N: Node<C>> Net<C, N> {
    /// Assembles a network.
    ///
    /// `ends[i]` belongs to `nodes[i]` and names only links that some route uses: a link that can carry nothing must
    /// not hold a node back. `window` bounds how far one node runs ahead of another.
    pub fn new(nodes: Vec<N>, links: Vec<Link<C>>, ends: Vec<Ends>, window: Duration) -> Net<C, N> {
        assert_eq!(nodes.len(), ends.len());
        assert!(window > Duration::ZERO);
        let lookaheads: Vec<Duration> = links.iter().map(Link::delay).collect();
        let (stops, leaves) = itinerary(&ends, &lookaheads);
        let mut leaf_behind = vec![usize::MAX; links.len()];
        let inputs = leaves.iter().zip(0..).filter_map(|(leaf, number)| Some((leaf.input?, number)));
        inputs.for_each(|(link, number)| leaf_behind[link] = number);
        let due = vec![Time::NEVER; leaves.len()];
        Net { nodes, links, ends, stops, leaves, due, leaf_behind, woken: Vec::new(), now: Time::ZERO, window }
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
        self.look_around();
        while self.now < end {
            self.skip_idle_time(end);
            let cap = (self.now + self.window).min(end);
            while self.sweep(cap) {}
            for number in 0..self.stops.len() {
                self.visit_leaves(number, cap, cap);
                for sink in self.stops[number].sinks.clone() {
                    self.visit(number, sink, cap);
                }
            }
            self.now = cap;
        }
    }

    /// Lets each stop go once to its horizon, at most to `cap`; true while some stop has not reached `cap`.
    fn sweep(&mut self, cap: Time) -> bool {
        let mut behind = false;
        let mut moved = false;
        for number in 0..self.stops.len() {
            let Stop { node, clock, promise, there, back, .. } = self.stops[number];
            if clock >= cap {
                continue;
            }
            // Leaves hear nothing new before this instant. Where they have nothing to do till then either, they answer
            // no sooner than they would hear and could be heard.
            let heard = promise + there;
            let mut safe = self.visit_leaves(number, heard, cap).min(heard) + back;
            let stop = &mut self.stops[number];
            for &(link, input) in &stop.inputs {
                safe = safe.min(self.links[link].safe());
                self.nodes[node].expect(input, &mut Wires::new(&mut self.links, &mut self.woken));
            }
            let horizon = safe.min(cap);
            behind |= horizon < cap;
            if horizon <= clock {
                continue;
            }
            let node = &mut self.nodes[node];
            let mut first = node.next_action();
            // Most steps over short links find nothing to do: then only the promises to others move on.
            if first < horizon {
                node.advance(horizon, &mut Wires::new(&mut self.links, &mut self.woken));
                first = node.next_action();
            }
            // No other cell comes before all inputs are safe.
            first = first.min(safe);
            stop.clock = horizon;
            stop.promise = first;
            for &link in &stop.outputs {
                self.links[link].sender_reached(first);
            }
            self.wake_leaves();
            moved = true;
        }
        assert!(moved || !behind, "the scheduler is stuck at {:?}: a link without lookahead", self.now);
        behind
    }

    /// Lets the leaves of a stop do all that is due before `end` and `cap`, and what else they can; when the next is due.
    fn visit_leaves(&mut self, stop: usize, end: Time, cap: Time) -> Time {
        let end = end.min(cap);
        let mut next = Time::NEVER;
        for leaf in self.stops[stop].leaves.clone() {
            if self.due[leaf] < end {
                self.visit(stop, leaf, cap);
            }
            next = next.min(self.due[leaf]);
        }
        next
    }

    /// Lets a leaf of a stop go to its horizon, at most to `cap`, and plans its next visit.
    fn visit(&mut self, stop: usize, leaf: usize, cap: Time) {
        let Leaf { node, input, output, .. } = self.leaves[leaf];
        let stop = &mut self.stops[stop];
        let horizon = input.map_or(cap, |link| self.links[link].safe_when(stop.promise).min(cap));
        let wires = &mut Wires::new(&mut self.links, &mut self.woken);
        if input.is_some() {
            self.nodes[node].expect(0, wires);
        }
        if self.nodes[node].next_action() < horizon {
            self.nodes[node].advance(horizon, wires);
        }
        if let Some(number) = output {
            self.nodes[stop.node].expect(number, wires);
            self.due[leaf] = self.nodes[node].next_action();
            if let Some(link) = input.filter(|&link| self.links[link].next_arrival() == Time::NEVER) {
                self.links[link].wait();
            }
        }
    }

    /// Cells have come on their way to leaves that carried none.
    fn wake_leaves(&mut self) {
        for link in self.woken.drain(..) {
            let arrival = self.links[link].next_arrival();
            if arrival == Time::NEVER {
                self.links[link].wait(); // it was lost
            }
            let due = &mut self.due[self.leaf_behind[link]];
            *due = arrival.min(*due);
        }
    }

    /// Every node expects what is on its way to it, and all visits of leaves are planned.
    fn look_around(&mut self) {
        for node in 0..self.nodes.len() {
            self.expect_all(node);
        }
        self.woken.clear();
        for number in 0..self.stops.len() {
            for leaf in self.stops[number].leaves.clone() {
                self.visit(number, leaf, self.now);
            }
        }
    }

    fn expect_all(&mut self, node: usize) {
        for input in 0..self.ends[node].inputs.len() {
            self.nodes[node].expect(input, &mut Wires::new(&mut self.links, &mut self.woken));
        }
    }

    /// Where nothing happens anywhere for a while, all clocks go to the next event at once; a short while is not worth
    /// telling every link.
    fn skip_idle_time(&mut self, end: Time) {
        let next = self.next_planned().min(end);
        if next > self.now + Duration::from_ps(self.window.ps() / 64) {
            self.now = next;
            self.all_reached(next);
        }
    }

    /// When anything next happens anywhere.
    fn next_planned(&self) -> Time {
        let sinks = self.stops.iter().flat_map(|stop| &self.leaves[stop.sinks.clone()]);
        let sinks = sinks.map(|sink| (sink.node, sink.input));
        let stops = self.stops.iter().flat_map(|stop| {
            let inputs = stop.inputs.iter().map(|&(link, _)| (stop.node, Some(link)));
            inputs.chain([(stop.node, None)])
        });
        let planned = sinks.chain(stops).map(|(node, input)| {
            let arrival = input.map_or(Time::NEVER, |link| self.links[link].next_arrival());
            self.nodes[node].next_action().min(arrival)
        });
        self.due.iter().copied().chain(planned).fold(Time::NEVER, Time::min)
    }

    /// All nodes have done everything before `now`.
    fn all_reached(&mut self, now: Time) {
        for link in &mut self.links {
            link.sender_reached(now);
        }
        for stop in &mut self.stops {
            (stop.clock, stop.promise) = (now, stop.promise.max(now));
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
            self.expect_all(i);
            let wires = &mut Wires::new(&mut self.links, &mut self.woken);
            self.nodes[i].advance(time + Duration::from_ps(1), wires);
        }
        self.now = end;
        self.all_reached(end);
    }
}
