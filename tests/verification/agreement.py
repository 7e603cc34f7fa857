"""What it means that a measurement agrees with a theory."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from cellway.stats import Floats, Interval, mean_interval, time_weighted_distribution

CONFIDENCE = 0.9999


def agrees(interval: Interval, theory: float, wrong: Iterable[float]) -> None:
    """The interval holds the theory, and none of the theories that are `wrong` on purpose."""
    assert theory in interval, f"theory {theory:.6g}, measured {interval.low:.6g} to {interval.high:.6g}"
    for other in wrong:
        assert other not in interval, (
            f"{interval.low:.6g} to {interval.high:.6g} cannot tell {theory:.6g} from {other:.6g}"
        )


def distribution_agrees(observed: Floats, theory: ArrayLike, wrong: ArrayLike) -> None:
    """Each column of `observed` (rows: independent observations) has the mean that the theory gives for it.

    The wrong distribution must be excluded by at least half of the columns.
    """
    expected, other = np.asarray(theory), np.asarray(wrong)
    assert observed.shape[1] == expected.size == other.size >= 3
    excluded = 0
    for column, right, off in zip(observed.T, expected, other, strict=True):
        interval = mean_interval(column, CONFIDENCE)
        agrees(interval, right, [])
        excluded += off not in interval
    assert 2 * excluded >= expected.size, f"only {excluded} of {expected.size} levels can tell the theories apart"


def batch_tails(times: ArrayLike, values: ArrayLike, edges: ArrayLike, levels: int) -> Floats:
    """Fraction of the time that a series of steps spends above 0 to levels - 1; one row for each span of `edges`."""
    clock, heights, bounds = np.asarray(times), np.asarray(values), np.asarray(edges)
    rows = np.empty((bounds.size - 1, levels))
    for row, start, end in zip(rows, bounds[:-1], bounds[1:], strict=True):
        first = np.searchsorted(clock, start, side="right") - 1
        last = np.searchsorted(clock, end)
        found, share = time_weighted_distribution(clock[first:last], heights[first:last], start, end)
        row[:] = [share[found > level].sum() for level in range(levels)]
    return rows


def tail(pmf: ArrayLike) -> Floats:
    """P(X > 0), P(X > 1), ... from P(X = 0), P(X = 1), ..."""
    return np.asarray(1.0 - np.cumsum(np.asarray(pmf)))


def waiting(number: ArrayLike) -> Floats:
    """Distribution of the cells that wait from that of the cells in the system, the one in service included."""
    pmf = np.asarray(number, dtype=np.float64)
    return np.concatenate(([pmf[0] + pmf[1]], pmf[2:]))
