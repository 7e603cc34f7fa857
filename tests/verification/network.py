"""Small networks as engine documents, and their tables as arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from cellway._engine import Simulation
from cellway.stats import Floats

#: A cell lasts a whole number of picoseconds, 1 us: closed forms in cell times are those of the engine exactly.
EXACT = 424_000_000
#: OC-3: a cell lasts 2 726 337.448... ps.
OC3 = 155_520_000
#: 1000 times faster than `EXACT`: access links that shape nothing.
FAST = 424_000_000_000


def cell_ps(rate: int) -> float:
    """One cell on a line of `rate` bit/s [ps]."""
    return 424e12 / rate


def run(document: Mapping[str, Any], until_ps: int) -> dict[str, pa.Table]:
    """The tables at `until_ps`."""
    return tables(started(document, until_ps))


def started(document: Mapping[str, Any], until_ps: int = 0) -> Simulation:
    """The simulation at `until_ps`."""
    simulation = Simulation(json.dumps(document))
    simulation.advance(until_ps)
    return simulation


def tables(simulation: Simulation) -> dict[str, pa.Table]:
    """All tables as Arrow tables."""
    return {name: pa.table(table) for name, table in simulation.tables().items()}


def column(table: pa.Table, name: str) -> Any:
    """A column as an array."""
    return table[name].to_numpy()


def series(result: Mapping[str, pa.Table], probe: int = 0) -> tuple[Any, Floats]:
    """Times [ps] and values of a recorded series."""
    chosen = column(result["series"], "probe") == probe
    return column(result["series"], "time_ps")[chosen], column(result["series"], "value")[chosen]


def link(start: str, end: str, rate: int, delay: int = 0, **more: Any) -> dict[str, Any]:
    """A one-way link; the delay in ps."""
    return {"name": f"{start}->{end}", "from": start, "to": end, "rate": rate, "delay": delay, **more}


def port(
    sources: Sequence[Mapping[str, Any]],
    rate: int = EXACT,
    access: int = FAST,
    *,
    schedule: str = "fifo",
    buffer: int | None = None,
    seed: int = 1,
    probes: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """A host for each of the sources, whose traffic meets at the one port `port->sink` of a switch."""
    hosts = [f"host{k}" for k in range(len(sources))]
    return {
        "version": 1,
        "seed": seed,
        "switches": {"port": {"ports": {"port->sink": {"buffer": buffer, "schedule": {"kind": schedule}}}}},
        "hosts": {name: {} for name in [*hosts, "sink"]},
        "links": [*(link(name, "port", access) for name in hosts), link("port", "sink", rate)],
        "vcs": {
            f"vc{k}": {"from": name, "to": ["sink"], "links": [f"{name}->port", "port->sink"], "traffic": traffic}
            for k, (name, traffic) in enumerate(zip(hosts, sources, strict=True))
        },
        "probes": list(probes),
    }


def queue_probe(every_ps: int | None = None) -> dict[str, Any]:
    """Cells that wait at the port of :func:`port`."""
    return {"kind": "queue", "node": "port", "link": "port->sink", "every": every_ps}


def delay_probes(sources: int) -> list[dict[str, Any]]:
    """The delay of every cell of :func:`port`."""
    return [{"kind": "delay", "vc": f"vc{k}"} for k in range(sources)]


def waits(result: Mapping[str, pa.Table], rate: int = EXACT, access: int = FAST) -> tuple[Any, Floats]:
    """Times of sending [ps], ascending, and waits at the port [its cell times] of all cells that arrived.

    The latency without waiting is one cell time on the access link and one on the port's.
    """
    sent = column(result["delays"], "sent_ps")
    order = np.argsort(sent, kind="stable")
    delay = column(result["delays"], "delay_ps")[order]
    return sent[order], (delay - cell_ps(access)) / cell_ps(rate) - 1.0


def interface(sources: Sequence[Mapping[str, Any]], rate: int = EXACT, seed: int = 1) -> dict[str, Any]:
    """One host with a VC for each of the sources; its interface is traced."""
    names = [f"vc{k}" for k in range(len(sources))]
    return {
        "version": 1,
        "seed": seed,
        "hosts": {"host": {}, "sink": {}},
        "links": [link("host", "sink", rate)],
        "vcs": {
            name: {"from": "host", "to": ["sink"], "links": ["host->sink"], "traffic": traffic}
            for name, traffic in zip(names, sources, strict=True)
        },
        "probes": [{"kind": "trace", "link": "host->sink"}],
    }


def arrivals(sources: Sequence[Mapping[str, Any]], until_ps: int, seed: int = 1) -> Any:
    """When the applications of :func:`interface` offer their cells [ps], ascending.

    A random stream belongs to the VC's name, so the same VCs alone at interfaces of their own, 1000 times faster, send
    at the very instants at which they offer.
    """
    document = port(sources, seed=seed)
    links = [f"host{k}->port" for k in range(len(sources))]
    document["probes"] = [{"kind": "trace", "link": name} for name in links]
    return np.sort(column(run(document, until_ps)["trace"], "time_ps"))


def interface_starts(sources: Sequence[Mapping[str, Any]], until_ps: int, rate: int = EXACT, seed: int = 1) -> Any:
    """When the cells of :func:`interface` start on its line [ps], ascending."""
    return np.sort(column(run(interface(sources, rate, seed), until_ps)["trace"], "time_ps"))


def steps(arrived: Any, left: Any) -> tuple[Any, Any]:
    """The number that has arrived and not left, as a series of steps from time 0."""
    times = np.concatenate(([0], arrived, left))
    change = np.concatenate(([0], np.ones(len(arrived), dtype=np.int64), -np.ones(len(left), dtype=np.int64)))
    order = np.argsort(times, kind="stable")
    return times[order], np.cumsum(change[order])
