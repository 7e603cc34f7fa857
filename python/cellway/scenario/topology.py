"""Nodes and one-way links of a scenario, with every name range expanded and every reference between them checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from cellway.scenario.blocks import Parameters
from cellway.scenario.errors import Fault, Path, Problem, ScenarioError, no_such
from cellway.scenario.model import Host, Link, Port, Scenario, Switch
from cellway.scenario.quantities import CellTime
from cellway.scenario.ranges import elements, zip_elements
from cellway.scenario.yaml_source import Source


class Collector:
    """Gathers the problems of one stage, so that several are reported together."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Problem] = []

    @contextmanager
    def at(self, path: Path) -> Iterator[None]:
        """Faults inside belong to the value at `path`; the rest of that value is skipped."""
        try:
            yield
        except Fault as fault:
            where = (*path, *fault.at)
            self.problems.append(
                self.source.problem(where, fault.message, fault.found, fault.allowed, fault.suggestion)
            )

    def stop(self) -> None:
        """Raises `ScenarioError` when there was any problem."""
        if self.problems:
            raise ScenarioError(self.problems)


@dataclass(frozen=True)
class Edge:
    """A one-way link."""

    tail: str
    head: str
    rate: int
    """Bit/s."""
    delay: int
    """Propagation delay in ps."""
    impairments: tuple[Parameters, ...]
    path: Path
    """Where the scenario describes it."""

    @property
    def name(self) -> str:
        """`tail->head`."""
        return f"{self.tail}->{self.head}"


@dataclass
class Topology:
    """The network."""

    switches: dict[str, tuple[Switch, Path]] = field(default_factory=dict)
    hosts: dict[str, tuple[Host, Path]] = field(default_factory=dict)
    edges: dict[str, Edge] = field(default_factory=dict)
    """One-way links by name."""
    heads: dict[str, list[str]] = field(default_factory=dict)
    """The nodes that each node has a link to."""
    ports: dict[str, dict[str, tuple[Port, Path]]] = field(default_factory=dict)
    """For each switch, what its `ports` says of single neighbours."""

    @property
    def nodes(self) -> list[str]:
        """Every switch and host."""
        return [*self.switches, *self.hosts]

    def edge(self, tail: str, head: str) -> Edge:
        """The link between two nodes.

        Raises `Fault` where a node or the link does not exist.
        """
        for name in (tail, head):
            if name not in self.heads:
                raise no_such("switch or host", name, self.nodes)
        found = self.edges.get(f"{tail}->{head}")
        if found is None:
            beyond = self.heads[tail]
            allowed = f"a link from {tail}: to {', '.join(beyond[:8])}" if beyond else f"{tail} has no link to anywhere"
            raise Fault(f"there is no link '{tail}->{head}'", "", allowed)
        return found

    def host(self, name: str) -> str:
        """The name, if it is a host.

        Raises `Fault` otherwise.
        """
        if name in self.switches:
            raise Fault(f"'{name}' is a switch; VCs begin and end at hosts", "", "one of the hosts")
        if name not in self.hosts:
            raise no_such("host", name, self.hosts)
        return name


def topology(scenario: Scenario, cell_time: CellTime) -> Topology:
    """The network of a scenario.

    Raises `ScenarioError` for a name given twice, a link between unknown nodes, of a node to itself, or given twice,
    for a host without a link or with several, and for a port without a link.
    """
    result = Topology()
    for stage in (_name_nodes, _join, _check_hosts, _check_ports):
        collect = Collector(scenario.source)
        stage(scenario, result, cell_time, collect)
        collect.stop()
    return result


def _name_nodes(scenario: Scenario, result: Topology, cell_time: CellTime, collect: Collector) -> None:
    for switch_key, switch in scenario.switches.items():
        path: Path = ("switches", switch_key)
        with collect.at(path):
            for name in elements(switch_key):
                _once(name, result)
                result.switches[name] = (switch, path)
                result.heads[name] = []
    for host_key, host in scenario.hosts.items():
        path = ("hosts", host_key)
        with collect.at(path):
            for name in elements(host_key):
                _once(name, result)
                result.hosts[name] = (host, path)
                result.heads[name] = []


def _once(name: str, result: Topology) -> None:
    if name in result.heads:
        raise Fault(f"'{name}' is already the name of a {'switch' if name in result.switches else 'host'}")


def _join(scenario: Scenario, result: Topology, cell_time: CellTime, collect: Collector) -> None:
    for index, link in enumerate(scenario.links):
        with collect.at(("links", index)):
            rate, delay = _rate(scenario, link, cell_time), _delay(link, cell_time)
            places: tuple[Path, Path] = (("between", 0), ("between", 1)) if link.between else (("from",), ("to",))
            columns = []
            for text, place in zip(link.ends, places, strict=True):
                columns.append(_existing(elements(text), result, place))
            for tail, head in zip(*zip_elements(columns), strict=True):
                if tail == head:
                    raise Fault(f"a link from '{tail}' to itself", at=places[1])
                _add(Edge(tail, head, rate, delay, tuple(link.impairments), ("links", index)), result, scenario)
                if link.between:
                    _add(Edge(head, tail, rate, delay, tuple(link.impairments), ("links", index)), result, scenario)


def _existing(names: list[str], result: Topology, place: Path) -> list[str]:
    for name in names:
        if name not in result.heads:
            raise no_such("switch or host", name, result.nodes, place)
    return names


def _rate(scenario: Scenario, link: Link, cell_time: CellTime) -> int:
    rate = link.rate or scenario.rate
    if rate is None:
        raise Fault(
            "required, but missing",
            "",
            "the link's `rate`, or one for all links at the top of the scenario",
            at=("rate",),
        )
    return rate.lower(cell_time)


def _delay(link: Link, cell_time: CellTime) -> int:
    if link.length is not None:
        return link.length.delay_ps
    try:
        return 0 if link.delay is None else int(link.delay.lower(cell_time))
    except Fault as fault:
        raise fault.under("delay") from None


def _add(edge: Edge, result: Topology, scenario: Scenario) -> None:
    if edge.name in result.edges:
        other = result.edges[edge.name].path
        line = scenario.source.line(other) if scenario.source.file else None
        first = f"links[{other[1]}]" + (f" on line {line}" if line else "")
        raise Fault(f"the link '{edge.name}' exists already", "", f"one link in each direction; the first is {first}")
    result.edges[edge.name] = edge
    result.heads[edge.tail].append(edge.head)


def _check_hosts(scenario: Scenario, result: Topology, cell_time: CellTime, collect: Collector) -> None:
    neighbours: dict[str, dict[str, None]] = {name: {} for name in result.hosts}
    for edge in result.edges.values():
        for host, other in ((edge.tail, edge.head), (edge.head, edge.tail)):
            if host in neighbours:
                neighbours[host][other] = None
    for name, others in neighbours.items():
        with collect.at(result.hosts[name][1]):
            if not others:
                raise Fault(f"host '{name}' has no link", "", "one link to a switch or host")
            if len(others) > 1:
                raise Fault(f"host '{name}' has several links", f"to {', '.join(others)}", "one; a switch fans out")


def _check_ports(scenario: Scenario, result: Topology, cell_time: CellTime, collect: Collector) -> None:
    for key, switch in scenario.switches.items():
        names = elements(key)
        for name in names:
            result.ports[name] = {}
        for neighbour, port in switch.ports.items():
            path: Path = ("switches", key, "ports", neighbour)
            with collect.at(path):
                for name, others in _neighbours(names, elements(neighbour)):
                    for other in others:
                        if other not in result.heads[name]:
                            raise no_such(f"link from '{name}' to", other, result.heads[name])
                        result.ports[name][other] = (port, path)


def _neighbours(switches: list[str], neighbours: list[str]) -> Iterator[tuple[str, list[str]]]:
    """One switch has all neighbours of a range; several switches take one each."""
    if len(switches) == 1:
        yield switches[0], neighbours
        return
    for name, other in zip(*zip_elements([switches, neighbours]), strict=True):
        yield name, [other]
