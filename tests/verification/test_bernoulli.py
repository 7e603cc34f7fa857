"""A port and a host's interface fed by slot-synchronous Bernoulli sources: Geo^N/D/1."""

from __future__ import annotations

import numpy as np
import pytest

from cellway.stats import batch_means, mean_interval
from cellway.theory import queues

from .agreement import CONFIDENCE, agrees, batch_tails, distribution_agrees, tail
from .network import (
    EXACT,
    FAST,
    OC3,
    arrivals,
    cell_ps,
    delay_probes,
    interface_starts,
    port,
    queue_probe,
    run,
    series,
    steps,
    waits,
)

BATCHES = 64
#: A theory at 3 % more load than the engine runs must be rejected.
OFF = 1.03


def bernoulli(load: float, sources: int, rate: int = EXACT) -> list[dict[str, object]]:
    """`sources` sources of one grid of slots, each one cell time of `rate`, that together offer `load`."""
    source = {"kind": "bernoulli", "probability": load / sources, "slot": [rate, 424], "phase": 0}
    return [source] * sources


# Access lines as fast as the port, as between two switches of a fabric, and much faster ones: both keep the slots.
@pytest.mark.parametrize(
    ("load", "sources", "access", "slots"),
    [(0.5, 2, EXACT, 1_000_000), (0.8, 4, FAST, 1_500_000), (0.8, 16, EXACT, 1_000_000), (0.9, 8, EXACT, 2_000_000)],
)
def test_mean_queue_at_a_port(load: float, sources: int, access: int, slots: int) -> None:
    batch = round(slots / BATCHES) * round(cell_ps(EXACT))
    document = port(bernoulli(load, sources), access=access, probes=[queue_probe(batch)])
    _, means = series(run(document, batch * (BATCHES + 1)))
    measured = mean_interval(means[1:], CONFIDENCE)  # the first bin is the warm-up
    mean = [queues.geo_mean_number(sources, load * factor, "arrivals_first") for factor in (1.0, OFF, 1 / OFF)]
    agrees(measured, mean[0], mean[1:])
    # Nor the queue with the cell in service, nor that of another number of sources, nor M/D/1's.
    others = [queues.geo_mean_number(sources, load)]
    if sources < 8:
        others += [queues.geo_mean_number(2 * sources, load, "arrivals_first"), queues.md1_mean_number(load) - load]
    agrees(measured, mean[0], others)


@pytest.mark.parametrize(("load", "sources", "levels"), [(0.5, 3, 4), (0.8, 6, 14)])
def test_distribution_of_the_queue_at_a_port(load: float, sources: int, levels: int) -> None:
    end = 500_000 * round(cell_ps(EXACT))
    document = port(bernoulli(load, sources), access=EXACT, probes=[queue_probe()])
    times, values = series(run(document, end))
    edges = np.linspace(0.02 * end, end, BATCHES + 1).astype(np.int64)
    pmf, off = (queues.geo_number_pmf(sources, load * factor, levels, "arrivals_first") for factor in (1.0, OFF))
    distribution_agrees(batch_tails(times, values, edges, levels), tail(pmf), tail(off))


@pytest.mark.parametrize(("rate", "schedule"), [(EXACT, "fifo"), (EXACT, "round_robin"), (OC3, "fifo")])
def test_mean_wait_at_a_port(rate: int, schedule: str) -> None:
    load, sources, slots = 0.8, 5, 1_000_000
    document = port(bernoulli(load, sources, rate), rate, rate, schedule=schedule, probes=delay_probes(sources))
    _, found = waits(run(document, round(slots * cell_ps(rate))), rate, rate)
    measured = batch_means(found[10_000:], BATCHES, CONFIDENCE).interval
    mean = [queues.geo_mean_wait(sources, load * factor) for factor in (1.0, OFF, 1 / OFF)]
    agrees(measured, mean[0], mean[1:])


def test_distribution_of_the_wait_at_a_port() -> None:
    # The order within a slot is a hash of time and port, so as good as random: the theory's assumption.
    load, sources, slots, levels = 0.75, 6, 700_000, 10
    document = port(bernoulli(load, sources), access=EXACT, probes=delay_probes(sources))
    _, found = waits(run(document, slots * round(cell_ps(EXACT))), access=EXACT)
    whole = np.rint(found)
    assert np.abs(found - whole).max() < 1e-9, "in exact slots a cell waits whole slots"
    batches = whole[whole.size % BATCHES :].reshape(BATCHES, -1)[1:]  # the first batch is the warm-up
    observed = np.stack([(batches > level).mean(axis=1) for level in range(levels)], axis=1)
    pmf, off = (queues.geo_wait_pmf(sources, load * factor, levels) for factor in (1.0, OFF))
    distribution_agrees(observed, tail(pmf), tail(off))


@pytest.mark.parametrize(("rate", "load", "sources"), [(EXACT, 0.8, 4), (OC3, 0.7, 9)])
def test_a_hosts_interface(rate: int, load: float, sources: int) -> None:
    slots, levels = 900_000, 10
    cell = cell_ps(rate)
    traffic = bernoulli(load, sources, rate)
    end = round(slots * cell)
    came, went = arrivals(traffic, end), interface_starts(traffic, end, rate)
    # The reference sends the cells of one slot within nanoseconds of its beginning; it begins at floor(k slots).
    came = np.floor(np.floor(came / cell + 1e-6) * cell).astype(np.int64)
    wait = (went - came[: went.size]) / cell
    assert wait.min() > -1e-6
    measured = batch_means(wait[10_000:], BATCHES, CONFIDENCE).interval
    mean = [queues.geo_mean_wait(sources, load * factor) for factor in (1.0, OFF, 1 / OFF)]
    agrees(measured, mean[0], mean[1:])

    # The grid and the line's clock may differ by a picosecond: look in the middle of slots.
    times, values = steps(came + round(0.25 * cell), went)
    middles = np.floor((np.arange(20_000, slots) + 0.5) * cell)
    seen = values[np.searchsorted(times, middles, side="right") - 1]
    batches = seen[seen.size % BATCHES :].reshape(BATCHES, -1)
    observed = np.stack([(batches > level).mean(axis=1) for level in range(levels)], axis=1)
    pmf, off = (queues.geo_number_pmf(sources, load * factor, levels, "arrivals_first") for factor in (1.0, OFF))
    distribution_agrees(observed, tail(pmf), tail(off))
