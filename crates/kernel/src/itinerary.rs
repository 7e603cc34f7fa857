//! The order in which a sweep of the scheduler visits nodes.

use crate::link::LinkId;
use crate::time::{Duration, Time};
use std::ops::Range;

/// The links of one node on which cells can travel.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    /// Links that end here.
    pub inputs: Vec<LinkId>,
    /// Links that start here.
    pub outputs: Vec<LinkId>,
}

/// A node that a sweep visits, and how far it is.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) node: usize,
    /// Links from other stops, and their numbers among the node's inputs.
    pub(crate) inputs: Box<[(LinkId, usize)]>,
    /// Links to other stops.
    pub(crate) outputs: Box<[LinkId]>,
    /// Nodes that are connected with this one only and have something to say to it.
    pub(crate) leaves: Range<usize>,
    /// Nodes that only hear from this one.
    pub(crate) sinks: Range<usize>,
    /// The least lookahead of links to the leaves, and of those from them.
    pub(crate) there: Duration,
    pub(crate) back: Duration,
    /// It has done everything before this instant.
    pub(crate) clock: Time,
    /// It does nothing more before this instant.
    pub(crate) promise: Time,
}

/// A node without others behind it, such as a host: it is visited from the node that it is connected with, when it has
/// something to do.
#[derive(Debug)]
pub(crate) struct Leaf {
    pub(crate) node: usize,
    pub(crate) input: Option<LinkId>,
    /// Number of the link from here among the inputs of the stop.
    pub(crate) output: Option<usize>,
}

/// Stops in an order in which cells travel, as far as there is one, so that a sweep carries cells several hops; and their
/// leaves. `lookaheads` are those of the links.
pub(crate) fn itinerary(ends: &[Ends], lookaheads: &[Duration]) -> (Vec<Stop>, Vec<Leaf>) {
    let (mut sender, mut receiver) = (vec![None; lookaheads.len()], vec![None; lookaheads.len()]);
    // By link, its number among the inputs of its receiver.
    let mut number_there = vec![0; lookaheads.len()];
    for (i, e) in ends.iter().enumerate() {
        e.outputs.iter().for_each(|&link| sender[link] = Some(i));
        for (number, &link) in e.inputs.iter().enumerate() {
            (receiver[link], number_there[link]) = (Some(i), number);
        }
    }
    // The one neighbour of a node that has no other.
    let only_neighbour = |e: &Ends| {
        let mut neighbours = e.inputs.iter().map(|&l| sender[l]).chain(e.outputs.iter().map(|&l| receiver[l]));
        let first = neighbours.next().flatten();
        first.filter(|_| e.inputs.len() <= 1 && e.outputs.len() <= 1 && neighbours.all(|n| n == first))
    };
    let neighbour: Vec<Option<usize>> = ends.iter().map(only_neighbour).collect();
    // Two that have only each other are both stops.
    let hub = |i: usize| neighbour[i].filter(|&n| neighbour[n].is_none());
    let mut leaves_of = vec![Vec::new(); ends.len()];
    (0..ends.len()).for_each(|leaf| hub(leaf).iter().for_each(|&hub| leaves_of[hub].push(leaf)));

    let (mut stops, mut leaves) = (Vec::new(), Vec::new());
    for node in downstream_order(ends, &receiver).into_iter().filter(|&node| hub(node).is_none()) {
        let of_leaf = |other: Option<usize>| other.is_some_and(|n| hub(n) == Some(node));
        let least = |links: &mut dyn Iterator<Item = LinkId>| {
            links.map(|link| lookaheads[link]).min().unwrap_or(Duration::from_ps(Time::NEVER.ps()))
        };
        let leaf = |&leaf: &usize| Leaf {
            node: leaf,
            input: ends[leaf].inputs.first().copied(),
            output: ends[leaf].outputs.first().map(|&link| number_there[link]),
        };
        let (speaking, silent): (Vec<Leaf>, Vec<Leaf>) =
            leaves_of[node].iter().map(leaf).partition(|leaf| leaf.output.is_some());
        let first = leaves.len();
        let there = least(&mut speaking.iter().filter_map(|leaf| leaf.input));
        let back = least(&mut ends[node].inputs.iter().copied().filter(|&link| of_leaf(sender[link])));
        leaves.extend(speaking);
        let end_of_leaves = leaves.len();
        leaves.extend(silent);
        stops.push(Stop {
            node,
            inputs: ends[node].inputs.iter().copied().zip(0..).filter(|&(link, _)| !of_leaf(sender[link])).collect(),
            outputs: ends[node].outputs.iter().copied().filter(|&link| !of_leaf(receiver[link])).collect(),
            leaves: first..end_of_leaves,
            sinks: end_of_leaves..leaves.len(),
            there,
            back,
            clock: Time::ZERO,
            promise: Time::ZERO,
        });
    }
    (stops, leaves)
}

/// All nodes, each before those to which it sends, once the loops are cut.
fn downstream_order(ends: &[Ends], receiver: &[Option<usize>]) -> Vec<usize> {
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
                    if let Some(to) = receiver[link].filter(|&to| !seen[to]) {
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

    fn ends(inputs: &[usize], outputs: &[usize]) -> Ends {
        Ends { inputs: inputs.to_vec(), outputs: outputs.to_vec() }
    }

    fn visits(ends: &[Ends]) -> (Vec<Stop>, Vec<Leaf>) {
        itinerary(ends, &[5, 3, 9, 4, 6, 2, 8].map(Duration::from_ps))
    }

    /// Nodes of the stops, each with those of its leaves.
    fn nodes(ends: &[Ends]) -> Vec<(usize, Vec<usize>)> {
        let (stops, leaves) = visits(ends);
        let of = |stop: &Stop| leaves[stop.leaves.start..stop.sinks.end].iter().map(|leaf| leaf.node).collect();
        stops.iter().map(|stop| (stop.node, of(stop))).collect()
    }

    #[test]
    fn order_follows_the_cells() {
        // 3 -> 2 -> 0 -> 1 -> 4, numbered against the direction: the ends are leaves.
        let chain = [ends(&[0], &[1]), ends(&[1], &[3]), ends(&[2], &[0]), ends(&[], &[2]), ends(&[3], &[])];
        assert_eq!(nodes(&chain), [(2, vec![3]), (0, vec![]), (1, vec![4])]);
        // A loop is cut somewhere, and every node appears once.
        let ring = [ends(&[2], &[0]), ends(&[0], &[1]), ends(&[1], &[2])];
        let mut order = nodes(&ring);
        order.sort_unstable();
        assert_eq!(order, [(0, vec![]), (1, vec![]), (2, vec![])]);
    }

    #[test]
    fn of_two_hosts_none_is_the_leaf() {
        assert_eq!(nodes(&[ends(&[1], &[0]), ends(&[0], &[1])]), [(0, vec![]), (1, vec![])]);
    }

    #[test]
    fn links_to_leaves_are_not_links_between_stops() {
        // 0 and 1 send to switch 2 and hear from it; it sends to switch 3, which has host 4, a sink.
        let tree =
            [ends(&[0], &[1]), ends(&[2], &[3]), ends(&[5, 1, 3], &[0, 2, 4]), ends(&[4], &[5, 6]), ends(&[6], &[])];
        let (stops, leaves) = visits(&tree);
        let of = |node: usize| stops.iter().find(|s| s.node == node).expect("a stop");
        assert_eq!((&*of(2).inputs, &*of(2).outputs), (&[(5, 0)][..], &[4][..]));
        assert_eq!((&*of(3).inputs, &*of(3).outputs), (&[(4, 0)][..], &[5][..]));
        assert_eq!((of(2).there.ps(), of(2).back.ps()), (5, 3), "the least of links 0 and 2, and of 1 and 3");
        let speaking = leaves[of(2).leaves.clone()].iter().map(|leaf| (leaf.node, leaf.input, leaf.output));
        assert_eq!(speaking.collect::<Vec<_>>(), [(0, Some(0), Some(1)), (1, Some(2), Some(2))]);
        assert_eq!((of(2).sinks.len(), of(3).leaves.len(), of(3).sinks.len()), (0, 0, 1));
    }

    #[test]
    fn who_hears_from_one_and_speaks_to_another_is_no_leaf() {
        // 0 -> 1 -> 2 -> 0 with a host 3 at 1.
        let triangle = [ends(&[2], &[0]), ends(&[0, 3], &[1]), ends(&[1], &[2]), ends(&[], &[3])];
        assert_eq!(nodes(&triangle).iter().map(|(_, leaves)| leaves.len()).sum::<usize>(), 1);
    }
}
