"""From a scenario to the engine document, and from the engine's errors back to the scenario.

Lowering expands name ranges, finds routes, turns quantities into SI integers and checks everything that concerns more
than one object. It remembers which place of the scenario each part of the document comes from.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any, Protocol

from cellway.scenario.blocks import Block, Parameters
from cellway.scenario.errors import Fault, Path, Problem, ScenarioError
from cellway.scenario.model import VC, Port, Scenario
from cellway.scenario.parameters_generated import TcpTraffic
from cellway.scenario.quantities import CellTime, Quantity
from cellway.scenario.ranges import common_length, elements, is_range, link_elements, zip_elements
from cellway.scenario.recording import Member, Recording
from cellway.scenario.routes import Router, tree
from cellway.scenario.topology import Collector, Topology, topology
from cellway.scenario.yaml_source import Source

DOCUMENT_VERSION = 1
"""Version of the engine document."""


class Located(Protocol):
    """The engine's error: a place in the document and what is wrong there."""

    path: str
    message: str
    found: str
    allowed: str


@dataclass
class Lowered:
    """A scenario as the engine takes it."""

    document: dict[str, Any]
    """The engine document: network, traffic, probes; SI integers only."""
    duration_ps: int
    """Simulated time in ps."""
    warmup_ps: int
    """Start of the summary's counters in ps."""
    source: Source
    """Where the scenario comes from."""
    origins: dict[tuple[str, ...], Path] = field(default_factory=dict)
    """For parts of the document, the place in the scenario."""

    @property
    def json(self) -> str:
        """The document as text."""
        return json.dumps(self.document)

    @property
    def digest(self) -> str:
        """SHA-256 of everything that decides the result: document, duration and warm-up, in hexadecimal.

        Two scenarios that mean the same have the same digest, whatever their units, ranges, order of keys and title.
        """
        whole = [self.document, self.duration_ps, self.warmup_ps]
        return hashlib.sha256(json.dumps(whole, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def relocate(self, error: Located) -> ScenarioError:
        """The engine's error at its place in the scenario, with file and line."""
        parts = tuple(re.findall(r"[^.\[\]]+", error.path))
        for length in range(len(parts), 0, -1):
            origin = self.origins.get(parts[:length])
            if origin is not None:
                path, rest = origin, parts[length:]
                break
        else:
            path, rest = (), parts
        message = error.message
        if len(parts) > 1 and len(path) > 1 and is_range(str(path[1])):
            message += f" (for {parts[1]})"
        path = (*path, *(int(part) if part.isdigit() else part for part in rest))
        return ScenarioError(self.source.problem(path, message, error.found, error.allowed))


def lower(scenario: Scenario) -> Lowered:
    """The engine document of a scenario.

    Raises `ScenarioError` for unknown names, impossible routes, ranges that do not match, links or hosts that
    contradict one another, cell times without a rate, and a warm-up that is no shorter than the run.
    """
    return _Lowering(scenario).result()


@dataclass(frozen=True)
class _Entry:
    """One VC of an entry of `vcs`, after the expansion of ranges."""

    name: str
    source: str
    destinations: tuple[str, ...]
    routes: tuple[tuple[str, ...], ...]
    route_places: tuple[Path, ...]
    credits: dict[str, str]
    """The key of `credits` that speaks of a link."""


class _Lowering:
    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.source = scenario.source
        self.origins: dict[tuple[str, ...], Path] = {("seed",): ("seed",)}
        self.directory = FilePath(self.source.file).parent if self.source.file else FilePath()
        self.members: dict[str, Member] = {}
        with self._stage() as collect, collect.at(("rate",)):
            self.cell_time = CellTime(None if scenario.rate is None else scenario.rate.lower())
        self.network = topology(scenario, self.cell_time)
        self.router = Router(self.network)

    def _stage(self) -> _Stage:
        return _Stage(self.source)

    def result(self) -> Lowered:
        duration, warmup = self._times()
        document = {
            "version": DOCUMENT_VERSION,
            "seed": self.scenario.seed,
            "switches": self._switches(),
            "hosts": self._hosts(),
            "links": self._links(),
            "vcs": self._vcs(),
            "probes": self._probes(),
        }
        return Lowered(document, duration, warmup, self.source, self.origins)

    def _times(self) -> tuple[int, int]:
        times = {}
        with self._stage() as collect:
            for key in ("duration", "warmup"):
                with collect.at((key,)):
                    times[key] = int(getattr(self.scenario, key).lower(self.cell_time))
        with self._stage() as collect, collect.at(("warmup",)):
            if times["warmup"] >= times["duration"]:
                found, allowed = f"'{self.scenario.warmup}'", f"less than the duration, {self.scenario.duration}"
                raise Fault("the warm-up is no shorter than the run", found, allowed)
        return times["duration"], times["warmup"]

    def value(self, value: Any) -> Any:
        """A value of the language as the engine takes it; a `Fault` is located below the value."""
        if isinstance(value, Quantity):
            return value.lower(self.cell_time)
        if isinstance(value, Parameters):
            taken = value.engine_parameters(self.directory)
            if taken is not value:
                return self.value(taken)
        if isinstance(value, dict):
            return {key: self._below(key, item) for key, item in value.items()}
        if isinstance(value, Block):
            return {key: self._below(key, getattr(value, name)) for key, name in value.keys().items()}
        if isinstance(value, (list, tuple)):
            return [self._below(index, item) for index, item in enumerate(value)]
        return value

    def _below(self, key: str | int, value: Any) -> Any:
        try:
            return self.value(value)
        except Fault as fault:
            raise fault.under(key) from None

    def _given(self, block: Block, path: Path, parts: tuple[str, ...], collect: Collector) -> dict[str, Any]:
        """The fields that are not left to the engine's default."""
        result = {}
        for key, name in block.keys().items():
            value = getattr(block, name)
            if isinstance(value, (Quantity, Parameters)):
                self.origins[*parts, key] = (*path, key)
                with collect.at((*path, key)):
                    result[key] = self.value(value)
        return result

    def _switches(self) -> dict[str, Any]:
        result = {}
        with self._stage() as collect:
            for name, (switch, path) in self.network.switches.items():
                parts = ("switches", name)
                self.origins[parts] = path
                memory = None
                if switch.memory is not None:
                    with collect.at((*path, "memory")):
                        memory = switch.memory.lower()
                ports = {}
                for head in self.network.heads[name]:
                    link = f"{name}->{head}"
                    ports[link] = self._port(name, head, (*parts, "ports", link), collect)
                result[name] = {"memory": memory, "ports": ports}
        return result

    def _port(self, switch: str, head: str, parts: tuple[str, ...], collect: Collector) -> dict[str, Any]:
        """What `port` says, and over it what `ports` says of this neighbour."""
        default, path = self.network.switches[switch]
        self.origins[parts] = (*path, "port")
        result = self._given(default.port, (*path, "port"), parts, collect)
        special = self.network.ports[switch].get(head)
        if special is not None:
            port, special_path = special
            self.origins[parts] = special_path
            for key in Port.model_fields:
                if key in port.model_fields_set:
                    result.pop(key, None)
            result |= self._given(port, special_path, parts, collect)
        return {"buffer": None} | result

    def _hosts(self) -> dict[str, Any]:
        result = {}
        with self._stage() as collect:
            for name, (host, path) in self.network.hosts.items():
                self.origins["hosts", name] = path
                result[name] = self._given(host, path, ("hosts", name), collect)
        return result

    def _links(self) -> list[dict[str, Any]]:
        result = []
        with self._stage() as collect:
            for index, edge in enumerate(self.network.edges.values()):
                parts = ("links", str(index))
                self.origins[parts] = edge.path
                if self.scenario.links[int(edge.path[1])].rate is None:
                    self.origins[*parts, "rate"] = ("rate",)
                impairments: list[Any] = []
                with collect.at((*edge.path, "impairments")):
                    impairments = self.value(edge.impairments)
                ends = {"name": edge.name, "from": edge.tail, "to": edge.head}
                result.append(ends | {"rate": edge.rate, "delay": edge.delay, "impairments": impairments})
        return result

    def _vcs(self) -> dict[str, Any]:
        result: dict[str, Any] = {}
        with self._stage() as collect:
            for key, vc in self.scenario.vcs.items():
                path: Path = ("vcs", key)
                with collect.at(path):
                    for entry in _expanded(key, vc):
                        if entry.name in result:
                            raise Fault(f"'{entry.name}' is already the name of a VC")
                        result[entry.name] = self._vc(entry, vc, path)
        return result

    def _vc(self, entry: _Entry, vc: VC, path: Path) -> dict[str, Any]:
        parts = ("vcs", entry.name)
        self.origins[parts] = path
        self.origins[*parts, "links"] = (*path, "route") if vc.route is not None else path
        for names, key in (((entry.source,), "from"), (entry.destinations, "to")):
            for index, name in enumerate(names):
                at: Path = (key,) if key == "from" or isinstance(vc.to, str) else (key, index)
                try:
                    self.network.host(name)
                except Fault as fault:
                    raise fault.under(*at) from None
                if names.index(name) != index:
                    raise Fault(f"'{name}' is listed twice", at=at)
        links = self._tree(entry)
        used = list(links)
        both = vc.traffic.answers or vc.return_traffic is not None
        if both or vc.abr is not None:
            used += ["->".join(reversed(link.split("->"))) for link in reversed(links)]
        credit = self._credit(entry, vc, path, used)
        member = Member(
            entry.name,
            entry.destinations,
            tuple(used),
            frozenset(credit),
            connections=vc.traffic.connections if isinstance(vc.traffic, TcpTraffic) else 0,
            abr=vc.abr is not None,
            sources=("forward", "return") if both else ("forward",),
        )
        self.members[entry.name] = member
        result = {
            "from": entry.source,
            "to": list(entry.destinations),
            "links": links,
            "priority": vc.priority,
            "traffic": self._below("traffic", vc.traffic),
            "credit": credit,
        }
        optional = {name: getattr(vc, name) for name in ("mcr", "police", "return_traffic", "abr", "return_abr")}
        return result | {key: self._below(key, value) for key, value in optional.items() if value is not None}

    def _tree(self, entry: _Entry) -> list[str]:
        """The links to all destinations, over explicit routes or shortest paths."""
        if not entry.routes:
            paths = []
            for destination in entry.destinations:
                try:
                    paths.append(self.router.shortest(entry.source, destination))
                except Fault as fault:
                    raise fault.under("to") from None
            return tree(paths)
        paths = []
        for route, place in zip(entry.routes, entry.route_places, strict=True):
            try:
                paths.append(self.router.explicit(route, entry.source, entry.destinations))
            except Fault as fault:
                raise fault.under("route", *place) from None
        missing = [name for name in entry.destinations if not any(path[-1] == name for path in paths)]
        if missing:
            raise Fault(f"no route leads to '{missing[0]}'", "", "one route for each destination", at=("route",))
        try:
            return tree(paths)
        except Fault as fault:
            which, *rest = fault.at
            raise Fault(
                fault.message, fault.found, fault.allowed, at=("route", *entry.route_places[int(which)], *rest)
            ) from None

    def _credit(self, entry: _Entry, vc: VC, path: Path, used: list[str]) -> dict[str, Any]:
        for link, key in entry.credits.items():
            if link not in used:
                raise Fault(f"VC '{entry.name}' does not use link '{link}'", "", ", ".join(used), at=("credits", key))
        result = {}
        for link in used:
            chosen = vc.credits[entry.credits[link]] if link in entry.credits else vc.credit
            if chosen is None:
                continue
            at: Path = ("credits", entry.credits[link]) if link in entry.credits else ("credit",)
            back = "->".join(reversed(link.split("->")))
            if back not in self.network.edges:
                raise Fault(f"credit cells for '{link}' need a link back", "", f"a link '{back}'", at=at)
            self.origins["vcs", entry.name, "credit", link] = (*path, *at)
            if link in entry.credits and vc.credit is not None:
                for key in _taken_over(vc.credit, chosen):
                    if (*path, *at, key) not in self.source.lines:
                        self.origins["vcs", entry.name, "credit", link, key] = (*path, "credit", key)
            try:
                result[link] = self.value(chosen)
            except Fault as fault:
                raise fault.under(*at) from None
        return result

    def _probes(self) -> list[dict[str, Any]]:
        probes: list[dict[str, Any]] = []
        with self._stage() as collect:
            recording = Recording(self.scenario.record, self.network, self.members, self.cell_time)
            for probe, path in recording.probes(collect):
                self.origins["probes", str(len(probes))] = path
                probes.append(probe)
        return probes


class _Stage(Collector):
    """A collector that raises what it gathered at the end of its block."""

    def __enter__(self) -> _Stage:
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        if kind is None:
            self.stop()


def _taken_over(base: Parameters, special: Parameters) -> list[str]:
    """The keys that a link's parameters have from those of the VC."""
    if base.kind_name() != special.kind_name():
        return []
    keys = base.keys().items()
    return [
        key for key, name in keys if name in base.model_fields_set and getattr(base, name) == getattr(special, name)
    ]


def _located(texts: tuple[str, ...], at: Path) -> list[list[str]]:
    columns = []
    for index, text in enumerate(texts):
        try:
            columns.append(elements(text))
        except Fault as fault:
            raise fault.under(*at, index) from None
    return columns


def _expanded(key: str, vc: VC) -> Iterator[_Entry]:
    """The VCs of one entry. With a range in the name, the k-th VC takes the k-th element of every range; without one,
    a range
    in `to` (and at the same place in `route`) lists the destinations of a point-to-multipoint VC."""
    names, sources = elements(key), elements(vc.from_)
    targets = _located(vc.destinations, ("to",))
    routes = [_located(route, ("route",)) for route in vc.routes]
    places: list[Path] = (
        [()] if vc.route is not None and isinstance(vc.route[0], str) else [(i,) for i in range(len(routes))]
    )
    links = {text: link_elements(text) for text in vc.credits}
    if not is_range(key):
        if is_range(vc.from_):
            raise Fault(
                f"'{vc.from_}' is a range, but the VC's name is none",
                f"'{key}'",
                f"a range as long, such as '{key}[1..{len(sources)}]'",
                at=("from",),
            )
        opened = [
            (tuple(nodes), place)
            for route, place in zip(routes, places, strict=True)
            for nodes in zip(*zip_elements(route), strict=True)
        ]
        credits = {link: text for text, several in links.items() for link in several}
        yield _Entry(
            key,
            sources[0],
            tuple(name for column in targets for name in column),
            tuple(r for r, _ in opened),
            tuple(p for _, p in opened),
            credits,
        )
        return
    columns = [names, sources, *targets, *(column for route in routes for column in route), *links.values()]
    length = common_length(columns)
    if len(names) != length:
        common_length([names, *[column for column in columns if len(column) > 1]])
    for k in range(len(names)):

        def pick(column: list[str], k: int = k) -> str:
            return column[k] if len(column) > 1 else column[0]

        yield _Entry(
            names[k],
            pick(sources),
            tuple(pick(column) for column in targets),
            tuple(tuple(pick(column) for column in route) for route in routes),
            tuple(places),
            {pick(several): text for text, several in links.items()},
        )


def with_topology(scenario: Scenario) -> Topology:
    """The expanded network of a scenario, for drawing and for theory.

    Raises `ScenarioError` as [`lower`][cellway.scenario.lower.lower] does for its nodes and links.
    """
    return topology(scenario, CellTime(None if scenario.rate is None else scenario.rate.lower()))


__all__ = ["Located", "Lowered", "Problem", "lower", "with_topology"]
