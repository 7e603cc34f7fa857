"""What `record` asks for, as the engine's probes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cellway.scenario.errors import Fault, Path, no_such
from cellway.scenario.model import CreditRecord, DelayRecord, QueueRecord, Record, TcpRecord, ThroughputRecord
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
    connections: int
    """TCP connections."""


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


def _queue(switch: str, link: str | None, vc: str | None, every: int | None) -> Probe:
    return {"kind": "queue", "node": switch, "link": link, "vc": vc, "every": every}


def _throughput(link: str, vc: str | None, cells: str, every: int) -> Probe:
    return {"kind": "throughput", "link": link, "vc": vc, "cells": cells, "every": every}
