"""From the tables of a run to series: recorded ones, and what follows from the trace of cells."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cellway.scenario.quantities import CellTime, Duration
from cellway.series import Series, moving_average

if TYPE_CHECKING:
    from cellway.plots import Floats, Shape

CELL_BITS = 424
"""Bits of a cell: 53 octets."""
PS = 1e-12
Window = float | str | Duration
"""An interval: a number of cell times of the link it is used on, or a duration such as `"50 us"`."""

_THROUGHPUTS = {"throughput": "data", "credit_throughput": "credit", "total_throughput": "all"}
"""The engine's kinds of throughput, and what each counts."""
_WHICH = {
    "queue": ("node", "link", "vc"),
    "credit": ("link", "vc"),
    "throughput": ("link", "vc", "cells"),
    "cwnd": ("vc", "connection"),
    "ssthresh": ("vc", "connection"),
    "in_flight": ("vc", "connection"),
    "srtt": ("vc", "connection"),
    "rto": ("vc", "connection"),
    "acr": ("vc", "direction"),
    "er": ("vc", "direction"),
    "rate": ("link", "quantity"),
}
"""What tells the series of one kind apart."""
_PREFERRED = {"acr": {"direction": "forward"}, "er": {"direction": "forward"}, "rate": {"quantity": "fair_share"}}
"""What is meant where several series fit."""
_QUANTITIES = {
    "queue": "Queue length",
    "credit": "Credit held",
    "throughput": "Throughput",
    "cwnd": "Congestion window",
    "ssthresh": "Slow start threshold",
    "in_flight": "Data in flight",
    "srtt": "Smoothed round-trip time",
    "rto": "Retransmission time-out",
    "acr": "Allowed cell rate",
    "er": "Explicit rate",
    "rate": "Rate algorithm",
}
_COUNTED = {"data": "data cells", "credit": "credit cells", "all": "all cells"}
_CREDIT_KINDS = ("credit", "request")


class NotRecorded(LookupError):
    """What was asked for is not in the result; the message says what is, or how to record it."""


@dataclass(frozen=True, eq=False)
class Bursts:
    """The messages of one direction of a VC, in the order in which their last cells left."""

    offered: Floats
    """When the application offered each to its host [s]."""
    departed: Floats
    """When the last cell of each had left on the host's line [s]."""
    cells: Floats
    """Data cells of each."""

    def __len__(self) -> int:
        return len(self.offered)

    @property
    def response(self) -> Floats:
        """Burst response times: how long it took to send each [s]."""
        return self.departed - self.offered

    @property
    def throughput(self) -> Floats:
        """Effective throughputs: cells over response time [cells/s]."""
        return self.cells / self.response

    def between(self, start: float, end: float) -> Bursts:
        """Those that were offered from `start` on and before `end` [s]."""
        keep = (self.offered >= start) & (self.offered < end)
        return Bursts(self.offered[keep], self.departed[keep], self.cells[keep])


class Recording:
    """The recorded part of a run.

    Args:
        tables: The tables of the run.
        document: The engine document.
        end: End of the observation [s].
    """

    def __init__(self, tables: Mapping[str, pa.Table], document: Mapping[str, Any], end: float) -> None:
        self.tables = tables
        self.document = document
        self.end = end

    def observed(self, kind: str) -> list[dict[str, str]]:
        """What was recorded of one kind, each as the arguments that select it.

        Args:
            kind: `queue`, `credit`, `throughput`, `acr`, `er`, `rate`, `cwnd` and so on (see `series`), `abr` (`acr` or
                `er`), `bandwidth`, `delay` or `bursts` (see the methods), `goodput` (of TCP).
        """
        if kind == "delay":
            return self._observed_delays()
        if kind == "bursts":
            return self._observed_bursts()
        if kind == "abr":
            return list({tuple(which.items()): which for one in ("acr", "er") for which in self.observed(one)}.values())
        if kind == "bandwidth":
            return self._observed_bandwidth()
        if kind == "goodput":
            return [{"vc": vc} for vc in dict.fromkeys(self.tables["tcp"]["vc"].to_pylist())]
        self._check_kind(kind)
        # One thing may be recorded twice, with different bins; the first is taken.
        return list({tuple(which.items()): which for _, which in self._probes(kind)}.values())

    def series(
        self,
        kind: str,
        *,
        node: str | None = None,
        link: str | None = None,
        vc: str | None = None,
        cells: str | None = None,
        connection: int | str | None = None,
        direction: str | None = None,
        quantity: str | None = None,
    ) -> Series:
        """A recorded series: `result.series("queue", node="s1", vc="vc1")`.

        Args:
            kind: `queue` (cells in a switch, at a port, of a VC), `credit` (held by the sender of a link), `throughput`
                (cells per second that start on a link, in bins), `acr` (allowed cell rate of an ABR source), `er`
                (explicit rate that it received last), `rate` (of the rate algorithm of a port), `cwnd`, `ssthresh`,
                `in_flight`, `srtt` or `rto` (of a TCP sender), or `bandwidth` and `delay` (see the methods).
            node: The switch, for `queue`.
            link: The link; for `queue` the port, by its link.
            vc: The VC.
            cells: `data`, `credit` or `all`, for `throughput` and `bandwidth`.
            connection: Number of the TCP connection on its VC.
            direction: `forward` or `return`, for `acr` and `er`. Default: forward.
            quantity: For `rate`. Default: fair_share.

        Raises:
            NotRecorded: no such series was recorded, or several fit; the message lists them.
            ValueError: an unknown kind.
        """
        everything = {
            "node": node,
            "link": link,
            "vc": vc,
            "cells": cells,
            "direction": direction,
            "quantity": quantity,
            "connection": None if connection is None else str(connection),
        }
        given = {key: value for key, value in everything.items() if value is not None}
        if kind == "bandwidth":
            if link is None:
                raise ValueError("a bandwidth series needs a link")
            return self.bandwidth(link, vc=vc, cells=cells)
        if kind == "delay":
            if vc is None:
                raise ValueError("a delay series needs a vc")
            return self.delay(vc)
        self._check_kind(kind)
        if extra := given.keys() - set(_WHICH[kind]):
            raise ValueError(
                f"a {kind} series is chosen by {', '.join(_WHICH[kind])}, not by {', '.join(sorted(extra))}"
            )
        probes = self._probes(kind)
        fitting = [(index, which) for index, which in probes if given.items() <= which.items()]
        preferred = _PREFERRED.get(kind, {}) | given
        if kind == "throughput" and cells is None:
            preferred = given | {"cells": "all" if vc is None else "data"}
        exact = [(index, which) for index, which in fitting if which == preferred]
        if not exact and kind in _PREFERRED:
            near = [(index, which) for index, which in fitting if preferred.items() <= which.items()]
            exact = near if len(near) == 1 else []
        if exact or len(fitting) == 1:
            return self._series(kind, *(exact or fitting)[0])
        wanted = f"{kind} of {_describe(given)}" if given else kind
        if fitting:
            raise NotRecorded(f"several series fit {wanted}: {_listing(_describe(which) for _, which in fitting)}")
        if probes:
            raise NotRecorded(
                f"no {wanted} was recorded; recorded: {_listing(_describe(which) for _, which in probes)}"
            )
        how = f"record: {{{kind}: all}}"
        if "connection" in _WHICH[kind]:
            how = "record: {tcp: all}" if kind == "cwnd" else f"record: {{tcp: [{{vc: ..., quantity: {kind}}}]}}"
        raise NotRecorded(f"no {kind} was recorded; add to the scenario: `{how}`")

    def bandwidth(self, link: str, vc: str | None = None, cells: str | None = None, window: Window = 25) -> Series:
        """Fraction of a link's bandwidth in use, cell headers included, averaged over an interval around each point.

        This is how the N23 paper draws bandwidth (its section 5). Needs the trace of the link; a recorded throughput of
        the same cells serves in its place, with its bins instead of the window.

        Args:
            link: The link, `from->to`.
            vc: Cells of this VC alone. Default: of all.
            cells: `data`, `credit` (credit cells and requests) or `all`. Default: `data` for one VC, else `all`.
            window: Length of the interval: a number of cell times of the link, or a duration such as `"50 us"`.

        Raises:
            NotRecorded: neither trace nor throughput of the link was recorded, or there is no such link or VC.
            ValueError: unknown `cells`, or a window that is no positive duration.
        """
        cells = cells or ("data" if vc is not None else "all")
        if cells not in _COUNTED:
            raise ValueError(f"unknown cells '{cells}'; allowed: {', '.join(_COUNTED)}")
        self._check_name("link", link, self._rates)
        if vc is not None:
            self._check_name("VC", vc, self.document["vcs"])
        cell_time = CELL_BITS / self._rates[link]
        label = _bandwidth_label(vc, cells)
        if link not in self._traced:
            return self._from_throughput(link, vc, cells, cell_time, label)
        seconds = self._seconds(window, link)
        kinds = {"data": ("data",), "credit": _CREDIT_KINDS}.get(cells)
        starts, _, _ = self._traced_cells(link, vc, kinds)
        times, values = moving_average(starts, cell_time, seconds, self.end)
        return Series(times, values, "1", label, "Fraction of link bandwidth", "curve", 0.0, self.end)

    def delay(self, vc: str, to: str | None = None) -> Series:
        """End-to-end delay of each data cell of a VC, over the time its transmission began; in s.

        Taken from the recorded delays, else from the traces of the first and the last link.

        Args:
            vc: The VC.
            to: The destination; may be left out where there is one.

        Raises:
            NotRecorded: neither was recorded, or several destinations fit.
        """
        observed = self._observed_delays()
        if not observed:
            raise NotRecorded("no delay was recorded; add to the scenario: `record: {delay: all}`")
        self._check_name("VC", vc, self.document["vcs"])
        fitting = [which for which in observed if which["vc"] == vc and to in (None, which["to"])]
        if not fitting:
            have = _listing(f"{which['vc']} to {which['to']}" for which in observed)
            raise NotRecorded(f"no delay of {vc}{f' to {to}' if to else ''} was recorded; recorded: {have}")
        if len(fitting) > 1:
            raise NotRecorded(f"{vc} has several destinations, name one: {_listing(which['to'] for which in fitting)}")
        to = fitting[0]["to"]
        table = self.tables["delays"]
        table = table.filter(pc.and_(pc.equal(table["vc"], vc), pc.equal(table["destination"], to)))
        if table.num_rows:
            sent, delay = _floats(table["sent_ps"]) * PS, _floats(table["delay_ps"]) * PS
        else:
            sent, delay = self._traced_delays(vc, to)
        alone = sum(which["vc"] == vc for which in observed) == 1
        label = vc if alone else f"{vc} to {to}"
        return Series(sent, delay, "s", label, "End-to-end delay", "points", 0.0, self.end)

    def bursts(self, vc: str, direction: str | None = None) -> Bursts:
        """The messages that a VC's application offered: when, and when they were sent.

        Args:
            vc: The VC.
            direction: `forward` or `return`; may be left out where one of them has messages.

        Raises:
            NotRecorded: nothing of that was recorded, or both directions fit.
        """
        observed = self._observed_bursts()
        if not any(probe["kind"] == "bursts" for probe in self._installed):
            raise NotRecorded("no bursts were recorded; add to the scenario: `record: {bursts: all}`")
        self._check_name("VC", vc, self.document["vcs"])
        fitting = [which for which in observed if which["vc"] == vc and direction in (None, which["direction"])]
        if not fitting:
            raise NotRecorded(f"no burst of {vc}{f', {direction}' if direction else ''} was sent and recorded")
        if len(fitting) > 1:
            raise NotRecorded(f"{vc} has bursts in both directions, name one: forward, return")
        table = self.tables["bursts"]
        which = pc.and_(pc.equal(table["vc"], vc), pc.equal(table["direction"], fitting[0]["direction"]))
        rows = table.filter(which)
        return Bursts(_floats(rows["offered_ps"]) * PS, _floats(rows["departed_ps"]) * PS, _floats(rows["cells"]))

    def response_times(self, vc: str, direction: str | None = None) -> Series:
        """Burst response time of each message of a VC, over the time at which it was offered; see `bursts`."""
        found = self.bursts(vc, direction)
        label = vc if direction in (None, "forward") else f"{vc} ({direction})"
        return Series(found.offered, found.response, "s", label, "Burst response time", "points", 0.0, self.end)

    @cached_property
    def _rates(self) -> dict[str, int]:
        """Rates of the links [bit/s]."""
        return {link["name"]: link["rate"] for link in self.document["links"]}

    @cached_property
    def _installed(self) -> list[dict[str, Any]]:
        return self.tables["probes"].to_pylist()

    @cached_property
    def _traced(self) -> dict[str, None]:
        return {probe["link"]: None for probe in self._installed if probe["kind"] == "trace"}

    @cached_property
    def _samples(self) -> tuple[NDArray[np.int64], dict[str, Floats]]:
        """The series table in the order of the probes: where each probe begins, and the columns."""
        table = self.tables["series"]
        probe = np.asarray(table["probe"], dtype=np.int64)
        order = np.argsort(probe, kind="stable")
        begins = np.searchsorted(probe[order], np.arange(len(self._installed) + 1))
        return begins, {name: _floats(table[name])[order] for name in ("time_ps", "value", "max")}

    def _probes(self, kind: str) -> list[tuple[int, dict[str, str]]]:
        """Number of each probe of a kind, and what selects it."""
        found = []
        for index, probe in enumerate(self._installed):
            counted = _THROUGHPUTS.get(probe["kind"])
            if probe["kind"] == kind or (kind == "throughput" and counted):
                about = {**probe, "cells": counted, "connection": self._connection(index)}
                about["direction"] = about.get("direction") or "forward"
                found.append((index, {key: about[key] for key in _WHICH[kind] if about[key] is not None}))
        return found

    def _connection(self, index: int) -> str | None:
        """Number of the TCP connection that a probe belongs to."""
        asked = self.document["probes"]
        number = asked[index].get("connection") if index < len(asked) else None
        return None if number is None else str(number)

    def _series(self, kind: str, index: int, which: Mapping[str, str]) -> Series:
        begins, columns = self._samples
        rows = slice(begins[index], begins[index + 1])
        every = self._installed[index]["every_ps"]
        maxima = columns["max"][rows] if every else None
        times, end = columns["time_ps"][rows] * PS, self.end
        if every:  # the last bin is kept only if it is whole
            end = float(times[-1]) if len(times) else 0.0
        unit = self._installed[index]["unit"]
        shape: Shape = "bins" if every else "held"
        return Series(
            times, columns["value"][rows], unit, _label(kind, which), _QUANTITIES[kind], shape, 0.0, end, maxima
        )

    def _traced_cells(
        self, link: str, vc: str | None, kinds: Sequence[str] | None, arrived: bool = False
    ) -> tuple[Floats, Floats, NDArray[np.uint64]]:
        """Start [s], arrival [s] and sequence number of the cells on a link, in the order of their starts."""
        trace = self.tables["trace"]
        wanted = pc.equal(trace["link"], link)
        if vc is not None:
            wanted = pc.and_(wanted, pc.equal(trace["vc"], vc))
        if kinds is not None:
            wanted = pc.and_(wanted, pc.is_in(trace["kind"], pa.array(kinds)))
        if arrived:
            wanted = pc.and_(wanted, pc.not_equal(trace["fate"], "lost"))
        cells = trace.filter(wanted)
        start = _floats(cells["time_ps"]) * PS
        order = np.argsort(start, kind="stable")
        return start[order], _floats(cells["arrival_ps"])[order] * PS, np.asarray(cells["seq"])[order]

    @cached_property
    def _carried(self) -> dict[str, list[tuple[str, str]]]:
        """VC and kind of the cells on each traced link."""
        pairs = self.tables["trace"].select(["link", "vc", "kind"]).group_by(["link", "vc", "kind"]).aggregate([])
        found: dict[str, list[tuple[str, str]]] = {link: [] for link in self._traced}
        for pair in pairs.to_pylist():
            found[pair["link"]].append((pair["vc"], pair["kind"]))
        return found

    def _observed_bandwidth(self) -> list[dict[str, str]]:
        found: list[dict[str, str]] = []
        for link, pairs in self._carried.items():
            carried = {vc for vc, kind in pairs if kind == "data"}
            credit = any(kind in _CREDIT_KINDS for _, kind in pairs)
            other = any(kind not in ("data", *_CREDIT_KINDS) for _, kind in pairs)
            if len(carried) + credit != 1 or other:  # else it would be the same line twice
                found.append({"link": link, "cells": "all"})
            if credit:
                found.append({"link": link, "cells": "credit"})
            found += [{"link": link, "vc": vc} for vc in self.document["vcs"] if vc in carried]
        found += [which for _, which in self._probes("throughput") if which["link"] not in self._traced]
        return found

    def _from_throughput(self, link: str, vc: str | None, cells: str, cell_time: float, label: str) -> Series:
        wanted = {"link": link, "cells": cells} | ({"vc": vc} if vc is not None else {})
        for index, which in self._probes("throughput"):
            if which == wanted:
                found = self._series("throughput", index, which)
                values = found.values * cell_time
                quantity = "Fraction of link bandwidth"
                return Series(found.times, values, "1", label, quantity, "bins", found.start, found.end, found.maxima)
        raise NotRecorded(
            f'neither a trace nor this throughput of {link} was recorded; add: `record: {{trace: ["{link}"]}}`'
        )

    def _observed_delays(self) -> list[dict[str, str]]:
        found = [{"vc": probe["vc"], "to": probe["node"]} for probe in self._installed if probe["kind"] == "delay"]
        for name, vc in self.document["vcs"].items():
            found += [
                {"vc": name, "to": to} for to in vc["to"] if {vc["links"][0], _last_link(vc, to)} <= self._traced.keys()
            ]
        return list({tuple(which.items()): which for which in found}.values())

    def _observed_bursts(self) -> list[dict[str, str]]:
        """Recorded directions of VCs that had a burst."""
        pairs = self.tables["bursts"].select(["vc", "direction"]).group_by(["vc", "direction"]).aggregate([])
        came = {(pair["vc"], pair["direction"]) for pair in pairs.to_pylist()}
        asked = [(probe["vc"], probe["direction"]) for probe in self._installed if probe["kind"] == "bursts"]
        return [{"vc": vc, "direction": direction} for vc, direction in asked if (vc, direction) in came]

    def _traced_delays(self, vc: str, to: str) -> tuple[Floats, Floats]:
        about = self.document["vcs"][vc]
        first, last = about["links"][0], _last_link(about, to)
        if last is None or not {first, last} <= self._traced.keys():
            return np.empty(0), np.empty(0)
        starts, _, sent = self._traced_cells(first, vc, ("data",))
        _, arrivals, come = self._traced_cells(last, vc, ("data",), arrived=True)
        _, left, right = np.intersect1d(sent, come, return_indices=True)
        return starts[left], arrivals[right] - starts[left]

    def _seconds(self, window: Window, link: str) -> float:
        if isinstance(window, (str, Duration)):
            seconds = Duration(window).lower(CellTime(self._rates[link])) * PS
        else:
            seconds = window * CELL_BITS / self._rates[link]
        if not seconds > 0:
            raise ValueError(f"the window must be more than zero, not {window}")
        return seconds

    def _check_kind(self, kind: str) -> None:
        if kind not in _WHICH:
            raise ValueError(f"unknown kind of series '{kind}'; allowed: {', '.join([*_WHICH, 'bandwidth', 'delay'])}")

    def _check_name(self, noun: str, name: str, known: Mapping[str, Any]) -> None:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            raise NotRecorded(
                f"there is no {noun} '{name}'"
                + (f"; did you mean '{close[0]}'?" if close else f"; there is {_listing(known)}")
            )


def _last_link(vc: Mapping[str, Any], to: str) -> str | None:
    return next((link for link in vc["links"] if link.endswith(f"->{to}")), None)


def _floats(column: pa.ChunkedArray) -> NDArray[np.float64]:
    return np.asarray(column, dtype=np.float64)


def _bandwidth_label(vc: str | None, cells: str) -> str:
    if vc is None:
        return _COUNTED[cells]
    return vc if cells == "data" else f"{vc}, {_COUNTED[cells]}"


def _label(kind: str, which: Mapping[str, str]) -> str:
    """What a legend calls a series."""
    if kind == "queue":
        parts = [which.get("vc"), f"port {which['link']}" if "link" in which else None]
        return ", ".join(part for part in parts if part) or "whole switch"
    if kind == "credit":
        return f"{which['vc']} on {which['link']}"
    if "connection" in _WHICH[kind]:
        return f"{which['vc']}, connection {which['connection']}"
    if kind in ("acr", "er"):
        return f"{kind.upper()} of {which['vc']}" + (" (return)" if which["direction"] == "return" else "")
    if kind == "rate":
        return f"{which['quantity'].replace('_', ' ')} of {which['link']}"
    return f"{which.get('vc') or _COUNTED[which.get('cells', 'data')]} on {which['link']}"


def _describe(which: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in which.items())


def _listing(names: Iterable[str]) -> str:
    several = list(names)
    return "; ".join(several[:8]) + (f"; and {len(several) - 8} more" if len(several) > 8 else "")
