"""Nothing appears and nothing vanishes: exact identities between the tables of a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .network import EXACT, OC3, cell_ps, column, delay_probes, link, port, queue_probe, run, series, waits

#: 0.24 million cells per second in all.
KINDS: list[dict[str, Any]] = [
    {"kind": "poisson", "rate": [50_000, 1]},
    {"kind": "cbr", "rate": [50_000, 1]},
    {"kind": "on_off", "peak": [200_000, 1], "on": 100_000_000, "off": 300_000_000},
    {"kind": "burst", "cells": 30, "idle": 600_000_000},
    {"kind": "bernoulli", "probability": 0.04, "slot": [1_000_000, 1]},
]


@pytest.mark.parametrize("rate", [EXACT, OC3])
@pytest.mark.parametrize("schedule", ["fifo", "round_robin"])
def test_the_area_under_the_queue_is_the_sum_of_the_waits(rate: int, schedule: str) -> None:
    """Little's law without statistics: from empty to empty both count the same cells for the same picoseconds."""
    stop, end = 60_000_000_000, 80_000_000_000
    sources = [{**kind, "stop": stop} for kind in KINDS]
    probes = [*delay_probes(len(sources)), queue_probe()]
    result = run(port(sources, rate, schedule=schedule, probes=probes), end)
    assert column(result["queues"], "queued").sum() == 0, "the sources stop, the queue drains"
    times, lengths = series(result, len(sources))
    area = int(np.diff(times) @ lengths[:-1].astype(np.int64))
    _, found = waits(result, rate)
    total = found.sum() * cell_ps(rate)
    assert found.size == column(result["vcs"], "delivered").sum() > 1000
    assert area > 100 * cell_ps(rate)
    # Each delay holds three instants that are rounded down to picoseconds.
    assert abs(area - total) <= 3.0 * found.size


def test_the_counters_agree_with_the_series() -> None:
    end = 60_000_000_000
    probes = [*delay_probes(len(KINDS)), queue_probe()]
    result = run(port(KINDS, EXACT // 4, buffer=40, probes=probes), end)
    queues = result["queues"]
    arrived, dropped = column(queues, "arrived"), column(queues, "dropped")
    departed, queued = column(queues, "departed"), column(queues, "queued")
    assert (arrived == dropped + departed + queued).all()
    assert dropped.sum() > 100
    assert dropped.sum() == column(result["drops"], "cells").sum()
    assert set(result["drops"]["reason"].to_pylist()) == {"buffer_full"}
    _, lengths = series(result, len(KINDS))
    assert lengths[-1] == queued.sum()
    assert lengths.max() <= 40
    arrivals = column(result["delays"], "sent_ps") + column(result["delays"], "delay_ps")
    assert (arrivals < end).sum() == column(result["vcs"], "delivered").sum()


def test_every_cell_is_delivered_dropped_or_lost_by_a_line() -> None:
    stop, end = 60_000_000_000, 90_000_000_000
    document = port([{**kind, "stop": stop} for kind in KINDS], EXACT // 4, buffer=40)
    loss = {"kind": "random_loss", "probability": 0.02}
    corruption = {"kind": "random_corruption", "probability": 0.03}
    document["links"][0]["impairments"] = [loss]
    document["links"][-1]["impairments"] = [loss, corruption]
    result = run(document, end)
    vcs, links, queues = result["vcs"], result["links"], result["queues"]
    assert (column(vcs, "offered") == column(vcs, "sent")).all()
    assert column(vcs, "waiting").sum() == 0
    sent, delivered = column(vcs, "sent").sum(), column(vcs, "delivered").sum()
    lost, dropped = column(links, "lost").sum(), column(queues, "dropped").sum()
    assert sent == delivered + dropped + lost
    assert min(delivered, dropped, lost) > 100
    first = column(links, "data_cells")[:-1]
    assert (first - column(links, "lost")[:-1] == column(queues, "arrived")).all()
    assert column(links, "data_cells")[-1] == column(queues, "departed").sum()
    assert column(vcs, "corrupted").sum() == column(links, "corrupted").sum() > 100


def test_copies_of_a_multicast_cell_are_counted_per_branch() -> None:
    names = ["b0", "b1", "b2"]
    rates = [EXACT, EXACT // 2, EXACT // 3]
    document = {
        "version": 1,
        "seed": 3,
        "switches": {"s": {}},
        "hosts": {name: {} for name in ["a", *names]},
        "links": [link("a", "s", EXACT), *(link("s", n, r) for n, r in zip(names, rates, strict=True))],
        "vcs": {
            "vc": {
                "from": "a",
                "to": names,
                "links": ["a->s", *(f"s->{n}" for n in names)],
                "traffic": {"kind": "burst", "cells": 50, "idle": 950_000_000, "phase": 0, "stop": 4_500_000_000},
            }
        },
        "probes": [{"kind": "queue", "node": "s"}, *({"kind": "queue", "node": "s", "link": f"s->{n}"} for n in names)],
    }
    result = run(document, 10_000_000_000)
    sent = column(result["vcs"], "sent")
    assert (column(result["vcs"], "delivered") == sent).all()
    assert sent[0] == 250
    assert (column(result["queues"], "arrived") == sent[0]).all()
    # A copy is stored once, until the slowest branch takes it: of 50 cells in 49 cell times it has taken 1 + 49 // 3.
    times, memory = series(result, 0)
    _, slowest = series(result, 3)
    assert memory.max() == slowest.max() == 33
    assert memory[-1] == 0
    assert column(result["switches"], "peak")[0] == 33
    assert times[-1] <= 10_000_000_000
