//! The order in which a sweep of the scheduler visits nodes.

use crate::link::LinkId;
use crate::net::Ends;
use crate::time::Time;
use std::ops::Range;

/// A node that a sweep visits, and how far it is.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) node: usize,
    /// Links from other stops.
    pub(crate) inputs: Box<[LinkId]>,
    /// Links to other stops.
    pub(crate) outputs: Box<[LinkId]>,
    /// Nodes that are connected with this one only.
    pub(crate) leaves: Range<usize>,
    /// It has done everything before this instant.
    pub(crate) clock: Time,
    /// When it next does something by itself, while the network runs.
    pub(crate) next_action: Time,
    /// It does nothing more before this instant.
    pub(crate) promise: Time,
}

/// A node without others behind it, such as a host: it is visited from the node that it is connected with.
#[derive(Debug)]
pub(crate) struct Leaf {
    pub(crate) node: usize,
    pub(crate) input: Option<LinkId>,
    pub(crate) output: Option<LinkId>,
    pub(crate) clock: Time,
    pub(crate) next_action: Time,
    /// No cell of it that is not on its way yet arrives before this instant.
    pub(crate) promise: Time,
}

/// Stops in an order in which cells travel, as far as there is one, so that a sweep carries cells several hops; and the
/// leaves of each.
pub(crate) fn itinerary(ends: &[Ends], links: usize) -> (Vec<Stop>, Vec<Leaf>) {
    let (mut sender, mut receiver) = (vec![None; links], vec![None; links]);
    for (i, e) in ends.iter().enumerate() {
        e.outputs.iter().for_each(|&link| sender[link] = Some(i));
        e.inputs.iter().for_each(|&link| receiver[link] = Some(i));
    }
    // Of two leaves that have only each other one is a stop.
    let mut hub: Vec<Option<usize>> = vec![None; ends.len()];
    for (i, e) in ends.iter().enumerate() {
        let neighbours = || e.inputs.iter().map(|&l| sender[l]).chain(e.outputs.iter().map(|&l| receiver[l]));
        let neighbour = neighbours().next().flatten();
        let alone = e.inputs.len() <= 1 && e.outputs.len() <= 1 && neighbours().all(|n| n == neighbour);
        hub[i] = neighbour.filter(|&n| alone && n != i && hub[n].is_none());
    }
    let mut leaves_of = vec![Vec::new(); ends.len()];
    hub.iter().enumerate().for_each(|(leaf, hub)| hub.iter().for_each(|&hub| leaves_of[hub].push(leaf)));
    let order = downstream_order(ends, &receiver);
    let (mut stops, mut leaves) = (Vec::new(), Vec::new());
    for &node in order.iter().filter(|&&node| hub[node].is_none()) {
        let first = leaves.len();
        leaves.extend(leaves_of[node].iter().map(|&leaf| Leaf {
            node: leaf,
            input: ends[leaf].inputs.first().copied(),
            output: ends[leaf].outputs.first().copied(),
            clock: Time::ZERO,
            next_action: Time::ZERO,
            promise: if ends[leaf].outputs.is_empty() { Time::NEVER } else { Time::ZERO },
        }));
        let between_stops = |links: &[LinkId], other: &[Option<usize>]| {
            links.iter().copied().filter(|&link| other[link].is_none_or(|n| hub[n] != Some(node))).collect()
        };
        stops.push(Stop {
            node,
            inputs: between_stops(&ends[node].inputs, &sender),
            outputs: between_stops(&ends[node].outputs, &receiver),
            leaves: first..leaves.len(),
            clock: Time::ZERO,
            next_action: Time::ZERO,
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

    /// Nodes of the stops, each with those of its leaves.
    fn nodes(ends: &[Ends], links: usize) -> Vec<(usize, Vec<usize>)> {
        let (stops, leaves) = itinerary(ends, links);
        stops.iter().map(|s| (s.node, leaves[s.leaves.clone()].iter().map(|l| l.node).collect())).collect()
    }

    #[test]
    fn order_follows_the_cells() {
        // 3 -> 2 -> 0 -> 1 -> 4, numbered against the direction: the ends are leaves.
        let chain = [ends(&[0], &[1]), ends(&[1], &[3]), ends(&[2], &[0]), ends(&[], &[2]), ends(&[3], &[])];
        assert_eq!(nodes(&chain, 4), [(2, vec![3]), (0, vec![]), (1, vec![4])]);
        // A loop is cut somewhere, and every node appears once.
        let ring = [ends(&[2], &[0]), ends(&[0], &[1]), ends(&[1], &[2])];
        let mut order = nodes(&ring, 3);
        order.sort_unstable();
        assert_eq!(order, [(0, vec![]), (1, vec![]), (2, vec![])]);
    }

    #[test]
    fn of_two_hosts_one_is_the_leaf() {
        assert_eq!(nodes(&[ends(&[1], &[0]), ends(&[0], &[1])], 2), [(1, vec![0])]);
    }

    #[test]
    fn links_to_leaves_are_not_links_between_stops() {
        // 0 and 1 send to switch 2 and hear from it, which sends to switch 3 and its host 4.
        let tree =
            [ends(&[0], &[1]), ends(&[2], &[3]), ends(&[1, 3, 5], &[0, 2, 4]), ends(&[4], &[5, 6]), ends(&[6], &[])];
        let (stops, leaves) = itinerary(&tree, 7);
        let of = |node: usize| stops.iter().find(|s| s.node == node).expect("a stop");
        assert_eq!((&*of(2).inputs, &*of(2).outputs, of(2).leaves.len()), (&[5][..], &[4][..], 2));
        assert_eq!((&*of(3).inputs, &*of(3).outputs, of(3).leaves.len()), (&[4][..], &[5][..], 1));
        assert!(leaves.iter().find(|l| l.node == 4).is_some_and(|l| l.promise == Time::NEVER), "it can say nothing");
    }

    #[test]
    fn who_hears_from_one_and_speaks_to_another_is_no_leaf() {
        // 0 -> 1 -> 2 -> 0 with a host 3 at 1.
        let triangle = [ends(&[2], &[0]), ends(&[0, 3], &[1]), ends(&[1], &[2]), ends(&[], &[3])];
        assert_eq!(nodes(&triangle, 4).iter().map(|(_, leaves)| leaves.len()).sum::<usize>(), 1);
    }
}
