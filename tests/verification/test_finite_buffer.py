"""Loss at a port with a finite buffer, against an exact Markov chain."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cellway.stats import mean_interval, ratio_interval

from .agreement import CONFIDENCE, agrees
from .network import EXACT, cell_ps, column, port, started, tables

BATCHES = 64
CELL = round(cell_ps(EXACT))


def loss(sources: int, load: float, buffer: int, *, departures_first: bool = True) -> float:
    """Probability that a cell of N slot-synchronous Bernoulli sources finds the port's buffer full.

    The state is the number of cells that wait during a slot. At the slot's end the line takes one of them, which frees
    its place; then the new cells are admitted as long as there is room; then a line that had nothing to take starts one
    of the new cells, which takes up a place until then.
    """
    batch = stats.binom(sources, load / sources).pmf(np.arange(sources + 1))
    step = np.zeros((buffer + 1, buffer + 1))
    lost = np.zeros(buffer + 1)
    for waiting in range(buffer + 1):
        left = max(waiting - 1, 0) if departures_first else waiting
        for new, probability in enumerate(batch):
            held = min(left + new, buffer)
            lost[waiting] += probability * (left + new - held)
            idle = waiting == 0 or not departures_first
            step[waiting, max(held - 1, 0) if idle else held] += probability
    balance = np.vstack([step.T - np.eye(buffer + 1), np.ones(buffer + 1)])
    steady = np.linalg.lstsq(balance, np.append(np.zeros(buffer + 1), 1.0), rcond=None)[0]
    return float(steady @ lost) / load


def test_the_chain_itself() -> None:
    # One place: a cell is lost unless it is the first of its slot, or finds the place just freed.
    none, one = 0.75**2, 2 * 0.25 * 0.75
    # Idle or not, the place is free at the end of each slot; so of two cells one is lost, in any state.
    assert loss(2, 0.5, 1) == pytest.approx((1 - none - one) / 0.5)
    assert loss(4, 0.8, 60) < 1e-9


@pytest.mark.parametrize(("sources", "load", "buffer"), [(4, 0.9, 3), (8, 0.9, 8), (6, 0.7, 4), (5, 1.2, 6)])
def test_loss_agrees_with_the_chain(sources: int, load: float, buffer: int) -> None:
    slots = 20_000
    traffic = [{"kind": "bernoulli", "probability": load / sources, "slot": [EXACT // 424, 1], "phase": 0}] * sources
    simulation = started(port(traffic, access=EXACT, buffer=buffer), 1000 * CELL)
    counts = []
    for batch in range(BATCHES + 1):
        simulation.advance((1000 + batch * slots) * CELL)
        queues = tables(simulation)["queues"]
        counts.append((column(queues, "dropped").sum(), column(queues, "arrived").sum()))
    dropped, arrived = np.diff(np.array(counts), axis=0).T
    theory = loss(sources, load, buffer)
    off = [loss(sources, load * 1.03, buffer), loss(sources, load / 1.03, buffer)]
    other = [loss(sources, load, buffer - 1), loss(sources, load, buffer + 1)]
    arrivals_first = loss(sources, load, buffer, departures_first=False)
    agrees(ratio_interval(dropped, arrived, CONFIDENCE), theory, [*off, *other, arrivals_first])


def test_symmetric_sources_lose_alike() -> None:
    sources, load, buffer, slots, seeds = 4, 0.95, 3, 60_000, 40
    traffic = [{"kind": "bernoulli", "probability": load / sources, "slot": [EXACT // 424, 1], "phase": 0}] * sources
    shares = []
    for seed in range(seeds):
        queues = tables(started(port(traffic, access=EXACT, buffer=buffer, seed=seed), slots * CELL))["queues"]
        dropped = column(queues, "dropped")
        shares.append(dropped / dropped.sum())
    for share in np.array(shares).T:
        agrees(mean_interval(share, CONFIDENCE), 1 / sources, [1 / sources * 1.05, 1 / sources / 1.05])
