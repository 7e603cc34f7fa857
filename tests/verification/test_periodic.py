"""A port and a host's interface fed by periodic sources with random phases: N*D/D/1.

Once every source has started, the queue repeats itself with the period of the sources, so one period of a run is one
observation, and runs with different seeds are independent. Several ports in one run are independent as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cellway.stats import Floats, mean_interval
from cellway.theory import queues

from .agreement import CONFIDENCE, agrees, distribution_agrees
from .network import EXACT, FAST, arrivals, cell_ps, column, interface_starts, link, run, steps

CELL = round(cell_ps(EXACT))
SEEDS = 30
#: Sources of one run, shared out among independent ports of N sources each.
SOURCES = 800


def voices(sources: int, period: int) -> list[dict[str, object]]:
    """CBR sources of one cell in `period` cell times; their phases are random by default."""
    return [{"kind": "cbr", "rate": [EXACT // 424, period]}] * sources


def ports(sources: int, period: int, seed: int, probes: list[dict[str, Any]]) -> dict[str, Any]:
    """Independent ports, each with its own hosts, sources and sink."""
    switches: dict[str, Any] = {}
    hosts: dict[str, Any] = {}
    links, vcs = [], {}
    for p in range(SOURCES // sources):
        switch, sink = f"port{p}", f"sink{p}"
        switches[switch] = {"ports": {f"{switch}->{sink}": {"schedule": {"kind": "fifo"}}}}
        hosts[sink] = {}
        links.append(link(switch, sink, EXACT))
        for k, traffic in enumerate(voices(sources, period)):
            host = f"host{p}.{k}"
            hosts[host] = {}
            links.append(link(host, switch, FAST))
            route = [f"{host}->{switch}", f"{switch}->{sink}"]
            vcs[f"vc{p}.{k}"] = {"from": host, "to": [sink], "links": route, "traffic": traffic}
    return {
        "version": 1,
        "seed": seed,
        "switches": switches,
        "hosts": hosts,
        "links": links,
        "vcs": vcs,
        "probes": probes,
    }


def observed(sources: int, period: int) -> tuple[Floats, Floats]:
    """Mean queue [cells] and waits [cell times] of the cells over one period; a row for each port of each seed."""
    every, independent = period * CELL, range(SOURCES // sources)
    probes = [
        {"kind": "queue", "node": f"port{p}", "link": f"port{p}->sink{p}", "every": every} for p in independent
    ] + [{"kind": "delay", "vc": f"vc{p}.{k}"} for p in independent for k in range(sources)]
    means, waits = [], []
    for seed in range(1, SEEDS + 1):
        result = run(ports(sources, period, seed, probes), 4 * every)
        values = column(result["series"], "value").reshape(-1, 4)
        assert np.allclose(values[:, 2], values[:, 3], atol=1e-9), "the queue repeats itself with the period"
        means.append(values[:, 2])
        sent = column(result["delays"], "sent_ps")
        chosen = (sent >= 2 * every) & (sent < 3 * every)
        latency = cell_ps(FAST) + CELL
        waits.append(((column(result["delays"], "delay_ps")[chosen] - latency) / CELL).reshape(-1, sources))
    return np.concatenate(means), np.concatenate(waits)


def slightly_wrong(sources: int, period: int) -> list[tuple[int, float]]:
    """Systems to be told apart from this one: 3 % less load, 3 % more if possible, and one source fewer."""
    return [(n, d) for n, d in [(sources, 1.03 * period), (sources, period / 1.03), (sources - 1, period)] if n <= d]


@pytest.mark.parametrize(("sources", "period"), [(20, 25), (20, 20), (6, 8)])
def test_a_port(sources: int, period: int) -> None:
    means, waits = observed(sources, period)
    queue = mean_interval(means, CONFIDENCE)
    assert queue.observations == SEEDS * (SOURCES // sources)
    wrong = [queues.periodic_mean_number(n, d) - n / d for n, d in slightly_wrong(sources, period)]
    if sources < period:  # nor is it M/D/1 at the same load
        wrong.append(queues.md1_mean_number(sources / period) - sources / period)
    agrees(queue, queues.periodic_mean_number(sources, period) - sources / period, wrong)

    wrong = [queues.periodic_mean_wait(n, d) for n, d in slightly_wrong(sources, period)]
    agrees(mean_interval(waits.mean(axis=1), CONFIDENCE), queues.periodic_mean_wait(sources, period), wrong)

    points = np.array([0.002, 0.3, 0.7, 1.0, 1.5, 2.2])
    exceeded = np.stack([(waits > point).mean(axis=1) for point in points], axis=1)
    theory, off = (queues.periodic_wait_tail(n, period, points) for n in (sources, sources - 1))
    distribution_agrees(exceeded, theory, off)


def test_a_hosts_interface() -> None:
    sources, period, runs, levels = 12, 14, 600, 4
    every = period * CELL
    tails, means = np.empty((runs, levels)), np.empty(runs)
    for seed in range(runs):
        came, went = (
            arrivals(voices(sources, period), 4 * every, seed),
            interface_starts(voices(sources, period), 4 * every, seed=seed),
        )
        times, values = steps(came, went)
        inside = (times >= 2 * every) & (times < 3 * every)
        clock = np.concatenate(([2 * every], times[inside], [3 * every]))
        before = values[np.searchsorted(times, 2 * every) - 1]
        held, spans = np.concatenate(([before], values[inside])), np.diff(clock) / every
        tails[seed] = [spans @ (held > level) for level in range(levels)]
        means[seed] = spans @ held
    theory, off = (queues.periodic_tail(n, period, np.arange(1, levels + 1)) for n in (sources, sources - 1))
    # More than x wait when more than x + 1 are in the system.
    distribution_agrees(tails, theory, off)
    mean = [queues.periodic_mean_number(n, period) - n / period for n in (sources, sources - 1, sources + 1)]
    agrees(mean_interval(means, CONFIDENCE), mean[0], mean[1:])
