"""What `record` asks for, as the engine's probes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from cellway.scenario.blocks import Parameters
from cellway.scenario.errors import Fault, Path, no_such
from cellway.scenario.model import (
    AbrRecord,
    BurstsRecord,
    CreditRecord,
    DelayRecord,
    QueueRecord,
    RateRecord,
    Record,
    TcpRecord,
    ThroughputRecord,
)
from cellway.scenario.quantities import CellTime, Duration
from cellway.scenario.ranges import elements, link_elements, zip_elements
from cellway.scenario.topology import Collector, Topology

Probe = dict[str, Any]


@dataclass(frozen=True)
class Member:
    """One VC, after the expansion of ranges, as far as recording needs it."""

    name: str
    destinations: tuple[str, ...]
    links: tuple[str, ...]
    """The links that its cells use: of the path or tree, then of the return path."""
    credit_links: frozenset[str]
    """Those with credit flow control."""
    connections: int = 0
    """TCP connections."""
    abr: bool = False
    """Both directions have an ABR source."""
    sources: tuple[str, ...] = ()
    """Directions that have an application: forward, return."""


@dataclass
class Recording:
    """Turns the lists of `record` into probes."""

    record: Record
    network: Topology
    members: dict[str, Member]
    cell_time: CellTime

    def probes(self, collect: Collector) -> Iterator[tuple[Probe, Path]]:
        """Each probe once, with the place in the scenario that asks for it."""
        seen: set[str] = set()
        for key, expand, everything in (
            ("trace", self._trace, self._every_trace),
            ("queue", self._queue, self._every_queue),
            ("credit", self._credit, self._every_credit),
            ("throughput", self._throughput, self._every_throughput),
            ("delay", self._delay, self._every_delay),
            ("tcp", self._tcp, self._every_tcp),
            ("acr", partial(self._abr, "acr"), partial(self._every_abr, "acr")),
            ("er", partial(self._abr, "er"), partial(self._every_abr, "er")),
            ("rate", self._rate, self._every_rate),
            ("bursts", self._bursts, self._every_bursts),
        ):
            wanted = getattr(self.record, key)
            if wanted is None:
                continue
            entries = (
                [(("record", key), None)]
                if wanted == "all"
                else [(("record", key, i), one) for i, one in enumerate(wanted)]
            )
            for path, entry in entries:
                with collect.at(path):
                    for probe in everything() if entry is None else expand(entry):
                        text = repr(probe)
                        if text not in seen:
                            seen.add(text)
                            yield probe, path

    def _every(self, own: Duration | None) -> int | None:
        """Length of a bin in ps; None keeps every change."""
        chosen = own or self.record.every
        if chosen is None:
            return None
        try:
            length = int(chosen.lower(self.cell_time))
        except Fault as fault:
            raise fault.under("every") from None
        if length == 0:
            raise Fault("a bin of no length", f"'{chosen}'", "at least 1 ps", at=("every",))
        return length

    def _link(self, name: str, at: Path) -> str:
        if name not in self.network.edges:
            raise no_such("link", name, self.network.edges, at)
        return name

    def _member(self, name: str) -> Member:
        if name not in self.members:
            raise no_such("VC", name, self.members, ("vc",))
        return self.members[name]

    def _every_trace(self) -> Iterator[Probe]:
        for link in self.network.edges:
            yield {"kind": "trace", "link": link}

    def _trace(self, text: str) -> Iterator[Probe]:
        for name in link_elements(text):
            yield {"kind": "trace", "link": self._link(name, ())}

    def _every_queue(self) -> Iterator[Probe]:
        every = self._every(None)
        for switch in self.network.switches:
            yield _queue(switch, None, None, every)
            for member in self.members.values():
                if any(link.endswith(f"->{switch}") for link in member.links):
                    yield _queue(switch, None, member.name, every)

    def _queue(self, entry: QueueRecord) -> Iterator[Probe]:
        every = self._every(entry.every)
        columns = [elements(entry.switch), elements(entry.port or "_"), elements(entry.vc or "_")]
        for switch, port, vc in zip(*zip_elements(columns), strict=True):
            if switch not in self.network.switches:
                raise no_such("switch", switch, self.network.switches, ("switch",))
            link = f"{switch}->{port}" if entry.port else None
            if link and link not in self.network.edges:
                raise no_such(f"port of '{switch}' to", port, self.network.heads[switch], ("port",))
            if entry.vc:
                here = [name for name in self._member(vc).links if switch in name.split("->")]
                if not here or (link and link not in here):
                    raise Fault(f"VC '{vc}' does not come through {link or switch}", at=("vc",))
            yield _queue(switch, link, vc if entry.vc else None, every)

    def _every_credit(self) -> Iterator[Probe]:
        yield from self._credit(CreditRecord())

    def _credit(self, entry: CreditRecord) -> Iterator[Probe]:
        every = self._every(entry.every)
        if entry.link and entry.vc:
            pairs = zip(*zip_elements([link_elements(entry.link), elements(entry.vc)]), strict=True)
            for link, vc in pairs:
                if self._link(link, ("link",)) not in self._member(vc).credit_links:
                    with_credit = ", ".join(sorted(self._member(vc).credit_links)) or "it has none"
                    raise Fault(f"VC '{vc}' has no credit flow control on '{link}'", "", with_credit, at=("link",))
                yield {"kind": "credit", "link": link, "vc": vc, "every": every}
            return
        links = (
            {self._link(name, ("link",)) for name in link_elements(entry.link)}
            if entry.link
            else set(self.network.edges)
        )
        members = [self._member(name) for name in elements(entry.vc)] if entry.vc else list(self.members.values())
        found = [
            (link, member.name)
            for member in members
            for link in member.links
            if link in member.credit_links and link in links
        ]
        if not found:
            raise Fault("nothing to record: no VC here has credit flow control")
        for link, vc in found:
            yield {"kind": "credit", "link": link, "vc": vc, "every": every}

    def _bin(self, own: Duration | None) -> int:
        every = self._every(own)
        if every is None:
            raise Fault(
                "throughput is counted in bins of a length that is not given", "", "`every`, for example 25 cell_times"
            )
        return every

    def _every_throughput(self) -> Iterator[Probe]:
        every = self._bin(None)
        back = {
            "->".join(reversed(link.split("->"))) for member in self.members.values() for link in member.credit_links
        }
        for link in self.network.edges:
            yield _throughput(link, None, "all", every)
            if link in back:
                yield _throughput(link, None, "credit", every)
            for member in self.members.values():
                if link in member.links:
                    yield _throughput(link, member.name, "data", every)

    def _throughput(self, entry: ThroughputRecord) -> Iterator[Probe]:
        every = self._bin(entry.every)
        columns = [link_elements(entry.link), elements(entry.vc or "_")]
        for link, vc in zip(*zip_elements(columns), strict=True):
            self._link(link, ("link",))
            if entry.vc:
                back = "->".join(reversed(link.split("->")))
                used = (
                    self._member(vc).links
                    if entry.cells != "credit"
                    else (back,)
                    if back in self._member(vc).credit_links
                    else ()
                )
                if link not in used and entry.cells != "credit":
                    raise Fault(f"VC '{vc}' does not use link '{link}'", "", f"one of {', '.join(used)}", at=("vc",))
                if entry.cells == "credit" and not used:
                    raise Fault(f"'{link}' carries no credit cells for VC '{vc}'", at=("vc",))
            yield _throughput(link, vc if entry.vc else None, entry.cells, every)

    def _every_delay(self) -> Iterator[Probe]:
        for vc in self.members:
            yield {"kind": "delay", "vc": vc, "to": None}

    def _delay(self, entry: DelayRecord) -> Iterator[Probe]:
        columns = [elements(entry.vc), elements(entry.to or "_")]
        for vc, to in zip(*zip_elements(columns), strict=True):
            member = self._member(vc)
            if entry.to and to not in member.destinations:
                raise no_such(f"destination of VC '{vc}'", to, member.destinations, ("to",))
            yield {"kind": "delay", "vc": vc, "to": to if entry.to else None}

    def _every_tcp(self) -> Iterator[Probe]:
        found = [name for name, member in self.members.items() if member.connections]
        if not found:
            raise Fault("nothing to record: no VC here carries TCP")
        for vc in found:
            yield from self._tcp(TcpRecord(vc=vc))

    def _tcp(self, entry: TcpRecord) -> Iterator[Probe]:
        every = self._every(entry.every)
        for vc in elements(entry.vc):
            count = self._member(vc).connections
            if not count:
                raise Fault(f"VC '{vc}' carries no TCP", at=("vc",))
            if entry.connection is not None and entry.connection >= count:
                found, allowed = str(entry.connection), f"0 to {count - 1}"
                raise Fault(f"VC '{vc}' has no such connection", found, allowed, at=("connection",))
            for connection in range(count) if entry.connection is None else [entry.connection]:
                about = {"vc": vc, "connection": connection, "quantity": entry.quantity}
                yield {"kind": "tcp", **about, "every": every}

    def _every_abr(self, kind: str) -> Iterator[Probe]:
        every = self._every(None)
        found = [(member.name, one) for member in self.members.values() if member.abr for one in member.sources]
        if not found:
            raise Fault("nothing to record: no VC has ABR service")
        for vc, direction in found:
            yield _source(kind, vc, direction, every)

    def _abr(self, kind: str, entry: AbrRecord) -> Iterator[Probe]:
        every = self._every(entry.every)
        for vc in elements(entry.vc):
            if not self._member(vc).abr:
                raise Fault(f"VC '{vc}' has no ABR service", at=("vc",))
            yield _source(kind, vc, entry.direction, every)

    def _every_rate(self) -> Iterator[Probe]:
        every = self._every(None)
        used = {link for member in self.members.values() for link in member.links}
        ports = {link: self._algorithm(link) for link in self.network.edges if link in used}
        found = [(link, one) for link, rate in ports.items() if rate is not None for one in rate.quantities]
        if not found:
            raise Fault("nothing to record: no port here has a rate algorithm")
        for link, quantity in found:
            yield {"kind": "rate", "link": link, "quantity": quantity, "every": every}

    def _rate(self, entry: RateRecord) -> Iterator[Probe]:
        every = self._every(entry.every)
        for link in link_elements(entry.link):
            rate = self._algorithm(self._link(link, ("link",)))
            if rate is None:
                raise Fault(f"'{link}' leaves no port with a rate algorithm", at=("link",))
            if entry.quantity not in rate.quantities:
                raise no_such(f"quantity of {rate.kind_name()}", entry.quantity, rate.quantities, ("quantity",))
            yield {"kind": "rate", "link": link, "quantity": entry.quantity, "every": every}

    def _algorithm(self, link: str) -> Parameters | None:
        """The rate algorithm of the port of a link."""
        tail, head = link.split("->")
        if tail not in self.network.switches:
            return None
        default = self.network.switches[tail][0].port
        special, _ = self.network.ports[tail].get(head, (default, ()))
        return special.rate if "rate" in special.model_fields_set else default.rate

    def _every_bursts(self) -> Iterator[Probe]:
        for vc in self.members:
            yield {"kind": "bursts", "vc": vc}

    def _bursts(self, entry: BurstsRecord) -> Iterator[Probe]:
        for vc in elements(entry.vc):
            yield {"kind": "bursts", "vc": self._member(vc).name}


def _source(kind: str, vc: str, direction: str, every: int | None) -> Probe:
    return {"kind": kind, "vc": vc, "returning": direction == "return", "every": every}


def _queue(switch: str, link: str | None, vc: str | None, every: int | None) -> Probe:
    return {"kind": "queue", "node": switch, "link": link, "vc": vc, "every": every}


def _throughput(link: str, vc: str | None, cells: str, every: int) -> Probe:
    return {"kind": "throughput", "link": link, "vc": vc, "cells": cells, "every": every}
