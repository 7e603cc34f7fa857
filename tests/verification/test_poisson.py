"""A port and a host's interface fed by Poisson sources: M/D/1."""

from __future__ import annotations

import numpy as np
import pytest

from cellway.stats import batch_means, mean_interval
from cellway.theory import queues

from .agreement import CONFIDENCE, agrees, batch_tails, distribution_agrees, tail, waiting
from .network import (
    EXACT,
    OC3,
    arrivals,
    cell_ps,
    column,
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


def poisson(load: float, sources: int, rate: int = EXACT) -> list[dict[str, object]]:
    """`sources` Poisson sources that together offer `load` cells per cell time of `rate`."""
    per_second = round(load * rate / 424 / sources * 1000)
    return [{"kind": "poisson", "rate": [per_second, 1000]}] * sources


@pytest.mark.parametrize(
    ("rate", "load", "sources", "cells"),
    [(EXACT, 0.5, 1, 600_000), (EXACT, 0.8, 7, 1_200_000), (OC3, 0.8, 2, 1_200_000), (OC3, 0.9, 3, 2_000_000)],
)
def test_mean_queue_at_a_port(rate: int, load: float, sources: int, cells: int) -> None:
    cell = cell_ps(rate)
    batch = round(cells / load / BATCHES * cell)
    result = run(port(poisson(load, sources, rate), rate, probes=[queue_probe(batch)]), batch * (BATCHES + 1))
    _, means = series(result)
    measured = mean_interval(means[1:], CONFIDENCE)  # the first bin is the warm-up
    number = [queues.md1_mean_number(factor * load) - factor * load for factor in (1.0, OFF, 1 / OFF)]
    agrees(measured, number[0], number[1:])
    # The cell in service does not count as queued, and the queue is not M/M/1's.
    agrees(measured, number[0], [queues.md1_mean_number(load), load**2 / (1.0 - load)])


@pytest.mark.parametrize("schedule", ["fifo", "round_robin"])
def test_mean_wait_at_a_port_whatever_the_discipline(schedule: str) -> None:
    load, sources, cells = 0.8, 5, 800_000
    end = round(cells / load * cell_ps(EXACT))
    document = port(poisson(load, sources), schedule=schedule, probes=delay_probes(sources))
    _, found = waits(run(document, end))
    measured = batch_means(found[10_000:], BATCHES, CONFIDENCE).interval
    agrees(measured, queues.md1_mean_wait(load), [queues.md1_mean_wait(load * OFF), queues.md1_mean_wait(load / OFF)])


@pytest.mark.parametrize(("load", "levels"), [(0.5, 5), (0.8, 14)])
def test_distribution_of_the_queue_at_a_port(load: float, levels: int) -> None:
    cells = 400_000
    end = round(cells / load * cell_ps(EXACT))
    times, values = series(run(port(poisson(load, 4), probes=[queue_probe()]), end))
    edges = np.linspace(0.02 * end, end, BATCHES + 1).astype(np.int64)
    pmf = waiting(queues.md1_number_pmf(load, levels + 1))
    off = waiting(queues.md1_number_pmf(load * OFF, levels + 1))
    distribution_agrees(batch_tails(times, values, edges, levels), tail(pmf), tail(off))


def test_distribution_of_the_wait_at_a_port() -> None:
    load, sources, cells = 0.7, 3, 500_000
    end = round(cells / load * cell_ps(EXACT))
    _, found = waits(run(port(poisson(load, sources), probes=delay_probes(sources)), end))
    points = np.array([0.01, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.5, 7.0])
    batches = found[found.size % BATCHES :].reshape(BATCHES, -1)[1:]  # the first batch is the warm-up
    observed = np.stack([(batches > point).mean(axis=1) for point in points], axis=1)
    theory, off = (1.0 - queues.md1_wait_cdf(load * factor, points) for factor in (1.0, OFF))
    distribution_agrees(observed, theory, off)
    assert found.min() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("rate", "load", "sources"), [(EXACT, 0.8, 1), (OC3, 0.8, 6), (EXACT, 0.9, 3)])
def test_a_hosts_interface(rate: int, load: float, sources: int) -> None:
    cells, levels = 700_000, 12
    cell = cell_ps(rate)
    traffic = poisson(load, sources, rate)
    end = round(cells / load * cell)
    came, went = arrivals(traffic, end), interface_starts(traffic, end, rate)
    assert came.size > 0.99 * cells
    # First come, first served or not: the n-th start serves the n-th arrival as far as mean waits go.
    wait = (went - came[: went.size]) / cell
    assert wait.min() >= 0.0
    measured = batch_means(wait[10_000:], BATCHES, CONFIDENCE).interval
    mean = [queues.md1_mean_wait(load * factor) for factor in (1.0, OFF, 1 / OFF)]
    agrees(measured, mean[0], mean[1:])

    times, values = steps(came, went)
    edges = np.linspace(0.02 * end, end, BATCHES + 1).astype(np.int64)
    pmf, off = (waiting(queues.md1_number_pmf(load * factor, levels + 1)) for factor in (1.0, OFF))
    distribution_agrees(batch_tails(times, values, edges, levels), tail(pmf), tail(off))


def test_the_offered_rate_is_the_one_asked_for() -> None:
    load, sources = 0.6, 4
    seconds = 0.5
    result = run(port(poisson(load, sources)), round(seconds * 1e12))
    offered = column(result["vcs"], "offered")
    # The sum of Poisson counts is a Poisson count: one observation, its standard deviation known.
    expected = load * seconds * 1e6
    assert abs(offered.sum() - expected) < 3.9 * np.sqrt(expected)
    assert 0.03 * expected > 3.9 * np.sqrt(expected)
