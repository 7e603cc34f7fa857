"""Exact results for one server whose every service takes one cell time.

Time is in cell times and lengths are in cells throughout; `load` is the mean number of arriving cells per cell time.

Two instants have to be told apart in slotted time, and most confusion comes from not doing so:

`departures_first` (the order the engine uses)
    At a slot boundary the cell in service leaves, then the new cells enter: X' = max(X - 1, 0) + A. X counts the
    cells in the system, the one in service included, during the slot that follows. It is also the time average.
`arrivals_first`
    The new cells enter, then one cell leaves at once: Y' = max(Y + A - 1, 0). Y counts the cells that wait while
    another is being sent; Y = max(X - 1, 0) in the same slot.

Sources, cited by short name below:

- Erlang 1909: The theory of probabilities and telephone conversations.
- Pollaczek 1930, Khinchine 1932, as in Kleinrock 1975: Queueing Systems, volume I, chapter 5.
- Takacs 1967: Combinatorial Methods in the Theory of Stochastic Processes.
- Eckberg 1979: The single server queue with periodic arrival process and deterministic service times,
  IEEE Trans. Commun. 27(3), 556-562.
- Karol, Hluchyj and Morgan 1987: Input versus output queueing on a space-division packet switch,
  IEEE Trans. Commun. 35(12), 1347-1356.
- Ramaswami 1988: A stable recursion for the steady state vector in Markov chains of M/G/1 type,
  Stochastic Models 4(1), 183-188.
- Roberts and Virtamo 1991: The superposition of periodic cell arrival streams in an ATM multiplexer,
  IEEE Trans. Commun. 39(2), 298-303.
- Dron, Ramamurthy and Sengupta 1991: Delay analysis of continuous bit rate traffic over an ATM network,
  IEEE J. Sel. Areas Commun. 9(3), 402-407.
- Franx 2001: A simple solution for the M/D/c waiting time distribution, Oper. Res. Letters 29(5), 221-229.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

Floats = NDArray[np.float64]
Order = Literal["departures_first", "arrivals_first"]


def _check_load(load: float) -> None:
    # The comparison is written so that NaN fails it.
    if not 0.0 <= load < 1.0:
        raise ValueError(f"load must be in [0, 1), otherwise there is no steady state; found {load}")


def _check_size(size: int) -> None:
    if size < 1:
        raise ValueError(f"size must be at least 1, found {size}")


def _number_pmf(idle: float, none: float, above: Floats, size: int) -> Floats:
    """First `size` probabilities of X' = max(X - 1, 0) + A.

    `idle` is P(X = 0) = 1 - E[A], `none` is P(A = 0), `above[m]` is P(A > m) for m < size. Balancing the flow
    across the cut between k and k + 1 leaves positive terms only (Ramaswami 1988), so nothing cancels.
    """
    pmf = np.empty(size)
    pmf[0] = idle
    for k in range(size - 1):
        pmf[k + 1] = (idle * above[k] + pmf[1 : k + 1] @ above[k:0:-1]) / none
    return pmf


def _waiting_from_number(number: Floats) -> Floats:
    """P(Y = 0), P(Y = 1), ... for Y = max(X - 1, 0); one entry shorter than `number`."""
    waiting = number[1:].copy()
    waiting[0] += number[0]
    return waiting


# M/D/1


def pollaczek_khinchine_wait(rate: float, service_mean: float, service_second_moment: float) -> float:
    """Mean wait before service in M/G/1: rate E[S^2] / (2 (1 - rate E[S])), in the unit of the service time.

    Source: the Pollaczek-Khinchine mean-value formula, Kleinrock 1975, section 5.5.
    Raises ValueError if rate E[S] is not in [0, 1) or if E[S^2] < E[S]^2.
    """
    _check_load(rate * service_mean)
    if service_second_moment < service_mean**2:
        raise ValueError("the second moment of the service time cannot be smaller than the square of its mean")
    return rate * service_second_moment / (2.0 * (1.0 - rate * service_mean))


def md1_mean_wait(load: float) -> float:
    """Mean wait before service in M/D/1, cell times: load / (2 (1 - load)). Raises ValueError outside 0 <= load < 1."""
    return pollaczek_khinchine_wait(load, 1.0, 1.0)


def md1_wait_variance(load: float) -> float:
    """Variance of the wait before service in M/D/1, cell times squared.

    E[W^2] = 2 E[W]^2 + rate E[S^3] / (3 (1 - load)) (the recurrence of Takacs, in Kleinrock 1975, section 5.7).
    Raises ValueError outside 0 <= load < 1.
    """
    mean = md1_mean_wait(load)
    return mean**2 + load / (3.0 * (1.0 - load))


def md1_mean_number(load: float) -> float:
    """Mean number in an M/D/1 system, the cell in service included: load + load^2 / (2 (1 - load)) (Little)."""
    return load * (1.0 + md1_mean_wait(load))


def md1_number_pmf(load: float, size: int) -> Floats:
    """P(L = 0), ..., P(L = size - 1) for the number in an M/D/1 system, the cell in service included.

    The same at any time, just before an arrival (Poisson arrivals see time averages) and just after a departure
    (Kleinrock 1975, section 5.3). Found from the chain embedded at departures, not from Erlang's alternating sum,
    which loses all digits beyond about 20 cells. Raises ValueError outside 0 <= load < 1 or for size < 1.
    """
    _check_load(load)
    _check_size(size)
    return _number_pmf(1.0 - load, math.exp(-load), np.asarray(stats.poisson.sf(np.arange(size), load)), size)


def md1_wait_cdf(load: float, wait: ArrayLike) -> Floats:
    """P(W <= wait) for the wait before service in M/D/1, at each of the given waits in cell times.

    Franx 2001 with c = 1: for k - 1 <= t < k, P(W <= t) = sum over j < k of Poisson(j; load (k - t)) times
    P(at most k - 1 - j cells wait). Equal to Erlang 1909, but a sum of positive terms; absolute error below 1e-13.
    Negative waits give 0. Raises ValueError outside 0 <= load < 1 or for waits that are not finite.
    """
    _check_load(load)
    waits = np.asarray(wait, dtype=np.float64)
    if not np.all(np.isfinite(waits)):
        raise ValueError("waits must be finite")
    result = np.zeros(waits.shape)
    if waits.size == 0 or waits.max() < 0.0:
        return result
    longest = math.floor(waits.max()) + 1
    at_most_waiting = np.cumsum(_waiting_from_number(md1_number_pmf(load, longest + 2)))
    for index, t in np.ndenumerate(waits):
        if t >= 0.0:
            k = math.floor(t) + 1
            arrivals = np.asarray(stats.poisson.pmf(np.arange(k), load * (k - t)))
            result[index] = arrivals @ at_most_waiting[k - 1 :: -1][:k]
    return np.minimum(result, 1.0)


# Geo^N/D/1


def _check_bernoulli(sources: int, load: float) -> None:
    if sources < 1:
        raise ValueError(f"sources must be at least 1, found {sources}")
    _check_load(load)


def batch_number_pmf(batch: ArrayLike, size: int, order: Order = "departures_first") -> Floats:
    """First `size` probabilities of the queue of a slotted server fed by independent batches.

    `batch[j]` is the probability of j arrivals in a slot. `order` is explained in the module's text: with
    `departures_first` the cells in the system (X), with `arrivals_first` the cells left waiting (Y).
    Raises ValueError if `batch` is no probability distribution, its mean is 1 or more, or size < 1.
    """
    probabilities = np.asarray(batch, dtype=np.float64)
    if probabilities.ndim != 1 or probabilities.size == 0 or not np.all(probabilities >= 0.0):
        raise ValueError("batch must be a list of probabilities, none negative")
    if abs(float(probabilities.sum()) - 1.0) > 1e-9:
        raise ValueError(f"batch probabilities must sum to 1, found {probabilities.sum()}")
    mean = float(probabilities @ np.arange(probabilities.size))
    _check_load(mean)
    above = np.zeros(max(size + 1, probabilities.size))
    above[: probabilities.size - 1] = np.cumsum(probabilities[:0:-1])[::-1]
    return _ordered_pmf(mean, float(probabilities[0]), above, size, order)


def _ordered_pmf(mean: float, none: float, above: Floats, size: int, order: Order) -> Floats:
    _check_size(size)
    if order == "departures_first":
        return _number_pmf(1.0 - mean, none, above, size)
    if order == "arrivals_first":
        return _waiting_from_number(_number_pmf(1.0 - mean, none, above, size + 1))
    raise ValueError(f"order must be 'departures_first' or 'arrivals_first', found {order!r}")


def geo_number_pmf(sources: int, load: float, size: int, order: Order = "departures_first") -> Floats:
    """First `size` probabilities of the Geo^N/D/1 queue: N sources that send with probability load / N in each slot.

    Its generating function is Y(z) = (1 - load) (1 - z) / (A(z) - z) and X(z) = A(z) Y(z) with
    A(z) = (1 - load/N + z load/N)^N (Karol, Hluchyj and Morgan 1987, for `arrivals_first`); found here by the
    stable recursion. For N to infinity X tends to M/D/1's number in the system.
    Raises ValueError outside 0 <= load < 1, for sources < 1 or size < 1.
    """
    _check_bernoulli(sources, load)
    batch = stats.binom(sources, load / sources)
    return _ordered_pmf(load, float(batch.pmf(0)), np.asarray(batch.sf(np.arange(size + 1))), size, order)


def geo_mean_number(sources: int, load: float, order: Order = "departures_first") -> float:
    """Mean of the Geo^N/D/1 queue, cells.

    `arrivals_first`: (N - 1) / N load^2 / (2 (1 - load)) (Karol, Hluchyj and Morgan 1987);
    `departures_first`: `load` more, the cell in service.
    Raises ValueError outside 0 <= load < 1 or for sources < 1.
    """
    waiting = load * geo_mean_wait(sources, load)
    if order == "arrivals_first":
        return waiting
    if order == "departures_first":
        return waiting + load
    raise ValueError(f"order must be 'departures_first' or 'arrivals_first', found {order!r}")


def geo_mean_wait(sources: int, load: float) -> float:
    """Mean wait of a cell in Geo^N/D/1 from its arrival to the start of its service, slots.

    (N - 1) / N load / (2 (1 - load)) (Karol, Hluchyj and Morgan 1987), whatever the order within the batch.
    Raises ValueError outside 0 <= load < 1 or for sources < 1.
    """
    _check_bernoulli(sources, load)
    return (sources - 1) / sources * load / (2.0 * (1.0 - load))


def geo_wait_pmf(sources: int, load: float, size: int) -> Floats:
    """P(W = 0), ..., P(W = size - 1) slots for the wait in Geo^N/D/1, first come first served.

    The wait is Y, left over by earlier slots, plus the cells of the same slot served before it: j of them with
    probability P(A > j) / load when the order within a batch is random (Burke 1975, delays in single-server
    queues with batch input). Raises ValueError unless 0 < load < 1, sources >= 1 and size >= 1.
    """
    waiting = geo_number_pmf(sources, load, size, "arrivals_first")
    if load == 0.0:
        raise ValueError("without load no cell waits: load must be above 0")
    ahead = np.asarray(stats.binom.sf(np.arange(size), sources, load / sources)) / load
    return np.convolve(waiting, ahead)[:size]


# N*D/D/1


def _check_periodic(sources: int, period: float) -> None:
    if sources < 1:
        raise ValueError(f"sources must be at least 1, found {sources}")
    if not sources <= period < math.inf:
        raise ValueError(
            f"the period must be finite and at least {sources} cell times for {sources} sources, "
            f"otherwise the queue grows without end; found {period}"
        )


def _periodic_tail(sources: int, period: float, work: float) -> float:
    if work >= sources:
        return 0.0
    if work == 0.0:
        return sources / period  # the sum gives the same, but is 0/0 for a full period
    n = np.arange(math.floor(work) + 1, sources + 1)
    window = n - work
    # Ballot theorem (Takacs 1967): n cells in the last `window`, and the others left the server idle before it.
    idle_before = (period - sources + work) / (period - window)
    return float(np.minimum(stats.binom.pmf(n, sources, window / period) @ idle_before, 1.0))


def periodic_tail(sources: int, period: float, work: ArrayLike) -> Floats:
    """P(V > work) in N*D/D/1: N sources of one common period with independent uniform phases.

    V is the unfinished work at any time, cell times; `period` is in cell times and need not be an integer.
    For a whole number x, V > x says that more than x cells are in the system (the one in service included), and this
    holds alike for phases uniform over a continuum and over the slots of a slotted server with `departures_first`
    (there `period` must be an integer); with `arrivals_first`, P(Y >= x) for x >= 1.

    Sum over x < n <= N of C(N, n) ((n-x)/D)^n (1 - (n-x)/D)^(N-n) (D - N + x) / (D - n + x):
    Roberts and Virtamo 1991; the same queue in Eckberg 1979 and Dron, Ramamurthy and Sengupta 1991.
    Positive terms only. Raises ValueError for sources < 1, period < sources, or negative or NaN `work`.
    """
    _check_periodic(sources, period)
    levels = np.asarray(work, dtype=np.float64)
    if not np.all(levels >= 0.0):
        raise ValueError("work must not be negative")
    result = np.empty(levels.shape)
    for index, level in np.ndenumerate(levels):
        result[index] = _periodic_tail(sources, period, float(level))
    return result


def periodic_number_pmf(sources: int, period: float) -> Floats:
    """P(L = 0), ..., P(L = N) for the cells in an N*D/D/1 system at any time, the one in service included.

    Differences of :func:`periodic_tail`; absolute error below 1e-14. Same errors.
    """
    tail = periodic_tail(sources, period, np.arange(sources + 1))
    return np.concatenate(([1.0], tail[:-1])) - tail


def periodic_mean_number(sources: int, period: float) -> float:
    """Mean number in an N*D/D/1 system, the cell in service included. Errors as :func:`periodic_tail`."""
    _check_periodic(sources, period)
    return sources / period + _mean_waiting(sources, period)


def _mean_waiting(sources: int, period: float) -> float:
    """Sum over x = 1, 2, ... of P(V > x): the mean number of cells that wait."""
    total = 0.0
    for level in range(1, sources):
        term = _periodic_tail(sources, period, float(level))
        total += term
        if term < 1e-30:  # falling faster than any power: what follows changes no digit
            break
    return total


def periodic_mean_wait(sources: int, period: float) -> float:
    """Mean wait before service in N*D/D/1, cell times; the same for continuous and for slotted phases.

    Little's law on the cells that wait: (D / N) times the sum over x = 1, 2, ... of P(V > x).
    Errors as :func:`periodic_tail`.
    """
    _check_periodic(sources, period)
    return _mean_waiting(sources, period) * period / sources


def periodic_wait_tail(sources: int, period: float, wait: ArrayLike) -> Floats:
    """P(W > wait) for a cell of N*D/D/1 with continuous phases, first come first served, cell times.

    A cell finds the work that the other N - 1 sources leave at any time (Roberts and Virtamo 1991).
    Errors as :func:`periodic_tail`.
    """
    _check_periodic(sources, period)
    if sources == 1:
        return np.zeros(np.shape(wait))
    return periodic_tail(sources - 1, period, wait)


def periodic_slotted_wait_tail(sources: int, period: int, slots: int) -> float:
    """P(W >= slots) for a cell of slotted N*D/D/1, random order among the cells of one slot.

    With the tagged cell at a uniform place u among those of its slot, the ballot argument gives
    P(W >= w | u) = P(V > w - u) with the other N - 1 sources; averaged over u by Gauss-Legendre quadrature, which
    is exact but for rounding because that function is a polynomial of degree at most N - 1 between whole numbers.
    Errors as :func:`periodic_tail`, and ValueError for a period that is no integer or negative slots.
    """
    _check_periodic(sources, period)
    if period != int(period) or slots < 0:
        raise ValueError("period and slots must be whole numbers, slots not negative")
    if slots == 0:
        return 1.0
    if sources == 1:
        return 0.0
    nodes, weights = np.polynomial.legendre.leggauss(min(sources // 2 + 1, 64))
    tails = periodic_tail(sources - 1, period, slots - 0.5 * (1.0 + nodes))
    return float(0.5 * weights @ tails)
