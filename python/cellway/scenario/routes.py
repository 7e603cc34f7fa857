"""Routes of virtual connections: explicit ones checked, others found as shortest paths.

The shortest path has the fewest links, then the least propagation delay, then the names that come first in the
alphabet, node by node: it never depends on the order of the file. Hosts are ends only. The shortest paths from one
host form a tree, so that a point-to-multipoint VC without explicit routes branches as late as these rules allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import networkx as nx

from cellway.scenario.errors import Fault, no_such
from cellway.scenario.topology import Topology

Best = dict[str, tuple[int, int, tuple[str, ...]]]
"""For each reachable switch: links, delay in ps, and the nodes on the way."""


class Router:
    """Finds and checks routes in one network."""

    def __init__(self, network: Topology) -> None:
        self.network = network
        self.core: nx.DiGraph[str] = nx.DiGraph()
        self.core.add_nodes_from(network.switches)
        for edge in network.edges.values():
            if edge.tail in network.switches and edge.head in network.switches:
                self.core.add_edge(edge.tail, edge.head, delay=edge.delay)
        self.entrance = {edge.head: edge.tail for edge in network.edges.values() if edge.head in network.hosts}
        self.best: dict[str, Best] = {}

    def shortest(self, source: str, destination: str) -> tuple[str, ...]:
        """The nodes of the shortest path between two hosts.

        Raises `Fault` where there is none, with the reason.
        """
        if source == destination:
            raise Fault(f"a VC from '{source}' to itself")
        if not self.network.heads[source]:
            raise Fault(
                f"'{destination}' cannot be reached from '{source}'", "", f"a link from '{source}'; it has none"
            )
        if destination not in self.entrance:
            raise Fault(
                f"'{destination}' cannot be reached from '{source}'", "", f"a link to '{destination}'; it has none"
            )
        first, last = self.network.heads[source][0], self.entrance[destination]
        if first == destination:
            return source, destination
        if first in self.network.switches and last in self.network.switches:
            if first not in self.best:
                self.best[first] = self._from(first)
            if last in self.best[first]:
                return source, *self.best[first][last][2], destination
        raise Fault(
            f"'{destination}' cannot be reached from '{source}'", "", f"a path of links from '{first}' to '{last}'"
        )

    def _from(self, start: str) -> Best:
        """The best way from one switch to every other, layer by layer: a better way to a node is a better way
        through it.
        """
        best: Best = {start: (0, 0, (start,))}
        for layer in list(nx.bfs_layers(self.core, start))[1:]:
            found: Best = {}
            for node in layer:
                ways = [
                    (best[before][0] + 1, best[before][1] + data["delay"], (*best[before][2], node))
                    for before, _, data in self.core.in_edges(node, data=True)
                    if before in best
                ]
                found[node] = min(ways)
            best |= found
        return best

    def explicit(self, route: Sequence[str], source: str, destinations: Iterable[str]) -> tuple[str, ...]:
        """The nodes of a route that the user gave.

        Raises `Fault`, located at an element, when it does not lead from the source to one of the destinations over
        links that exist, passes through a host, or visits a node twice.
        """
        wanted = list(destinations)
        if route[0] != source:
            raise Fault("a route starts at the VC's `from`", f"'{route[0]}'", f"'{source}'", at=(0,))
        seen: set[str] = set()
        for index, node in enumerate(route):
            if node not in self.network.heads:
                raise no_such("switch or host", node, self.network.nodes, (index,))
            if node in seen:
                raise Fault(f"a route that comes to '{node}' twice is a cycle", at=(index,))
            seen.add(node)
            if node in self.network.hosts and 0 < index < len(route) - 1:
                raise Fault(f"'{node}' is a host; a route passes through switches only", at=(index,))
            if index:
                try:
                    self.network.edge(route[index - 1], node)
                except Fault as fault:
                    raise fault.under(index) from None
        if route[-1] not in wanted:
            raise Fault(
                "a route ends at the VC's `to`",
                f"'{route[-1]}'",
                " or ".join(f"'{name}'" for name in wanted[:8]),
                at=(len(route) - 1,),
            )
        return tuple(route)


def tree(paths: Sequence[Sequence[str]]) -> list[str]:
    """The names of the links that the paths use, each after the one that feeds it.

    Raises `Fault`, located at the element of a path, where two paths meet again after they parted: cells would come
    twice, or run in a cycle.
    """
    root = paths[0][0]
    feeders: dict[str, str] = {}
    for which, path in enumerate(paths):
        for index, (tail, head) in enumerate(pairwise(path), 1):
            known = feeders.get(head)
            if known == tail:
                continue
            if known is not None or head == root:
                shape = "this closes a cycle" if head in _way(feeders, tail) else "the routes part and meet again"
                raise Fault(
                    f"{shape} at '{head}': a point-to-multipoint VC needs a tree",
                    f"'{tail}->{head}'" + (f" besides '{known}->{head}'" if known else ""),
                    "one link into each node",
                    at=(which, index),
                )
            feeders[head] = tail
    return [f"{tail}->{head}" for head, tail in feeders.items()]


def _way(feeders: dict[str, str], node: str) -> list[str]:
    """The nodes from `node` back to the root."""
    way = [node]
    while way[-1] in feeders:
        way.append(feeders[way[-1]])
    return way
