"""Closed forms of cellway.theory.queues against simulation, enumeration, generating functions and limits."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

from cellway.theory import queues

Floats = NDArray[np.float64]


def agrees(observations: Floats, expected: float) -> bool:
    """Whether the mean of independent replications is within its 99.9 % Student interval of what is expected."""
    error = observations.std(ddof=1) / math.sqrt(observations.size)
    return bool(abs(observations.mean() - expected) <= stats.t.ppf(0.9995, observations.size - 1) * error)


def lindley(increments: Floats, axis: int = -1) -> Floats:
    """Reflected walk W' = max(W + increment, 0) from 0, along an axis."""
    walk = np.cumsum(increments, axis=axis)
    lowest = np.minimum.accumulate(np.minimum(walk, 0.0), axis=axis)
    return walk - lowest


# M/D/1


def md1_waits(load: float, runs: int, cells: int, seed: int) -> Floats:
    gaps = np.random.default_rng(seed).exponential(1.0 / load, (runs, cells))
    return lindley(1.0 - gaps)[:, cells // 10 :]


@pytest.mark.parametrize("load", [0.3, 0.7, 0.9])
def test_md1_wait_agrees_with_a_lindley_simulation(load: float) -> None:
    waits = md1_waits(load, runs=40, cells=30_000, seed=11)
    assert agrees(waits.mean(axis=1), queues.md1_mean_wait(load))
    assert agrees((waits**2).mean(axis=1), queues.md1_wait_variance(load) + queues.md1_mean_wait(load) ** 2)
    for t in (0.0, 0.5, 1.0, 1.7, 4.3):
        assert agrees((waits <= t).mean(axis=1), float(queues.md1_wait_cdf(load, t)))


def test_md1_wait_equals_erlangs_alternating_sum_where_that_can_be_computed() -> None:
    load = 0.6
    for t in np.linspace(0.0, 6.0, 41):
        k = np.arange(math.floor(t) + 1)
        terms = (load * (k - t)) ** k / np.array([math.factorial(i) for i in k]) * np.exp(-load * (k - t))
        assert queues.md1_wait_cdf(load, t) == pytest.approx((1.0 - load) * terms.sum(), abs=1e-12)


@pytest.mark.parametrize("load", [0.05, 0.5, 0.9])
def test_md1_moments_of_the_distributions_are_the_closed_forms(load: float) -> None:
    pmf = queues.md1_number_pmf(load, 600)
    n = np.arange(600)
    assert pmf.sum() == pytest.approx(1.0, abs=1e-12)
    assert pmf @ n == pytest.approx(queues.md1_mean_number(load), rel=1e-10)
    # Little's distributional law: cells left behind are the Poisson arrivals of a sojourn.
    mean, variance = queues.md1_mean_wait(load), queues.md1_wait_variance(load)
    assert pmf @ (n * (n - 1)) == pytest.approx(load**2 * (variance + (mean + 1.0) ** 2), rel=1e-10)
    end = 40.0 if load < 0.9 else 300.0
    tail = sum(
        integrate.fixed_quad(lambda t: 1.0 - queues.md1_wait_cdf(load, t), k, k + 1, n=8)[0] for k in range(int(end))
    )
    assert tail == pytest.approx(mean, rel=1e-8)


def test_md1_wait_stays_a_distribution_far_out() -> None:
    waits = np.linspace(-1.0, 400.0, 1203)
    cdf = queues.md1_wait_cdf(0.95, waits)
    assert np.all(np.diff(cdf) >= -1e-13)
    assert np.all(cdf[waits < 0.0] == 0.0)
    assert 1.0 - 1e-12 < cdf[-1] <= 1.0


def test_pollaczek_khinchine_gives_mm1_for_exponential_service() -> None:
    assert queues.pollaczek_khinchine_wait(0.8, 1.0, 2.0) == pytest.approx(0.8 / 0.2)


# Geo^N/D/1


def geo_numbers(sources: int, load: float, runs: int, slots: int, seed: int) -> tuple[NDArray[np.int64], Floats]:
    """Arrivals A per slot, and Y after each slot's departure, with arrivals first."""
    arrivals = np.random.default_rng(seed).binomial(sources, load / sources, (runs, slots))
    return arrivals, lindley(arrivals - 1.0)


@pytest.mark.parametrize(("sources", "load"), [(1, 0.7), (2, 0.9), (4, 0.5), (15, 0.85)])
def test_geo_agrees_with_a_slot_by_slot_simulation(sources: int, load: float) -> None:
    arrivals, left = geo_numbers(sources, load, runs=40, slots=30_000, seed=5)
    warm = 3_000
    before, new, after = left[:, warm - 1 : -1], arrivals[:, warm:], left[:, warm:]
    system = before + new  # departures first: what was left, then the new cells
    if sources == 1:
        assert not after.any()
        assert queues.geo_mean_number(1, load, "arrivals_first") == 0.0
    else:
        assert agrees(after.mean(axis=1), queues.geo_mean_number(sources, load, "arrivals_first"))
    assert agrees(system.mean(axis=1), queues.geo_mean_number(sources, load))
    waiting = queues.geo_number_pmf(sources, load, 6, "arrivals_first")
    inside = queues.geo_number_pmf(sources, load, 6)
    for k in range(min(6, 1 + 6 * (sources > 1))):
        assert agrees((system == k).mean(axis=1), float(inside[k]))
        if sources > 1:
            assert agrees((after == k).mean(axis=1), float(waiting[k]))
    # Wait of the j-th cell of a batch: before + j. Counted over all cells of a run.
    if sources > 1:
        ahead = np.arange(sources)
        waits = before[:, :, None] + ahead
        present = ahead < new[:, :, None]
        assert agrees(
            (waits * present).sum(axis=(1, 2)) / present.sum(axis=(1, 2)), queues.geo_mean_wait(sources, load)
        )
        share = ((waits >= 3) & present).sum(axis=(1, 2)) / present.sum(axis=(1, 2))
        assert agrees(share, float(1.0 - queues.geo_wait_pmf(sources, load, 3).sum()))


def invert(transform: Floats, radius: float) -> Floats:
    """Coefficients of a generating function sampled on a circle."""
    size = transform.size
    return np.real(np.fft.fft(transform)) / size / radius ** np.arange(size)


@pytest.mark.parametrize(("sources", "load"), [(2, 0.9), (3, 0.4), (16, 0.8), (200, 0.95)])
def test_geo_distribution_inverts_the_generating_function(sources: int, load: float) -> None:
    size, radius = 4096, 0.999
    z = radius * np.exp(2j * np.pi * np.arange(size) / size)
    batch = (1.0 - load / sources + z * load / sources) ** sources
    waiting = (1.0 - load) * (1.0 - z) / (batch - z)
    kept = 40
    assert queues.geo_number_pmf(sources, load, kept, "arrivals_first") == pytest.approx(
        invert(waiting, radius)[:kept], abs=1e-12
    )
    assert queues.geo_number_pmf(sources, load, kept) == pytest.approx(
        invert(waiting * batch, radius)[:kept], abs=1e-12
    )


@pytest.mark.parametrize(("sources", "load"), [(2, 0.5), (5, 0.9), (50, 0.8)])
def test_geo_moments_and_littles_law(sources: int, load: float) -> None:
    size = 1500
    n = np.arange(size)
    waiting = queues.geo_number_pmf(sources, load, size, "arrivals_first")
    inside = queues.geo_number_pmf(sources, load, size)
    delay = queues.geo_wait_pmf(sources, load, size)
    for pmf in (waiting, inside, delay):
        assert pmf.sum() == pytest.approx(1.0, abs=1e-10)
    assert waiting @ n == pytest.approx(queues.geo_mean_number(sources, load, "arrivals_first"), rel=1e-9)
    assert inside @ n == pytest.approx(queues.geo_mean_number(sources, load), rel=1e-9)
    assert delay @ n == pytest.approx(queues.geo_mean_wait(sources, load), rel=1e-9)
    assert inside @ n == pytest.approx(load * (delay @ n + 1.0), rel=1e-9)  # Little, system
    assert waiting @ n == pytest.approx(load * (delay @ n), rel=1e-9)  # Little, those who wait


def test_geo_tends_to_md1_as_sources_grow() -> None:
    load, size = 0.8, 40
    limit = queues.md1_number_pmf(load, size)
    errors = [np.abs(queues.geo_number_pmf(n, load, size) - limit).max() for n in (10, 100, 1000, 10_000)]
    assert all(later < earlier / 8 for earlier, later in itertools.pairwise(errors))
    assert errors[-1] < 1e-4
    assert queues.geo_mean_wait(10**9, load) == pytest.approx(queues.md1_mean_wait(load), rel=1e-8)


def test_any_batch_distribution_takes_the_same_road() -> None:
    sources, load = 7, 0.6
    batch = stats.binom.pmf(np.arange(sources + 1), sources, load / sources)
    for order in ("departures_first", "arrivals_first"):
        assert queues.batch_number_pmf(batch, 30, order) == pytest.approx(
            queues.geo_number_pmf(sources, load, 30, order), abs=1e-14
        )
    # 0 or 2 cells in a slot: P(Y = 0) = P(X <= 1), by hand for E[A] = 1/2: (1 - rho) / P(A = 0) = 2/3.
    assert queues.batch_number_pmf([0.75, 0.0, 0.25], 2, "arrivals_first")[0] == pytest.approx(2 / 3)


# N*D/D/1


def enumerate_periodic(sources: int, period: int) -> tuple[Floats, Floats]:
    """Exact P(X = k) and P(W = k) of slotted N*D/D/1 with departures first, over all D^N phase vectors."""
    number, wait = np.zeros(sources + 1), np.zeros(sources + 1)
    for phases in itertools.product(range(period), repeat=sources):
        arrivals = np.bincount(phases, minlength=period)
        system = 0
        for slot in range(2 * period):
            left = max(system - 1, 0)
            system = left + arrivals[slot % period]
            if slot >= period:  # the second period is the steady state
                number[system] += 1
                wait[left : left + arrivals[slot % period]] += 1
    return number / number.sum(), wait / wait.sum()


@pytest.mark.parametrize(
    ("sources", "period"), [(1, 1), (1, 4), (2, 2), (2, 5), (3, 3), (3, 7), (4, 4), (4, 6), (5, 5)]
)
def test_periodic_equals_the_enumeration_of_all_phases(sources: int, period: int) -> None:
    number, wait = enumerate_periodic(sources, period)
    assert queues.periodic_number_pmf(sources, period) == pytest.approx(number, abs=1e-13)
    tails = [queues.periodic_slotted_wait_tail(sources, period, w) for w in range(sources + 1)]
    assert tails == pytest.approx(np.cumsum(wait[::-1])[::-1].tolist(), abs=1e-13)
    k = np.arange(sources + 1)
    assert queues.periodic_mean_number(sources, period) == pytest.approx(number @ k, abs=1e-13)
    assert queues.periodic_mean_wait(sources, period) == pytest.approx(wait @ k, abs=1e-13)


@pytest.mark.parametrize(("sources", "period"), [(6, 7.3), (15, 16.0), (40, 50.5)])
def test_periodic_agrees_with_simulated_phases(sources: int, period: float) -> None:
    draw = np.random.default_rng(3)
    runs = 20_000
    phases = np.sort(draw.uniform(0.0, period, (runs, sources)), axis=1)
    gaps = np.diff(phases, axis=1, prepend=phases[:, -1:] - period)
    # Two periods from an empty server; the second is the steady state. The first cell waits for nothing.
    waits = lindley(np.concatenate([1.0 - gaps, 1.0 - gaps], axis=1)[:, 1:])[:, -sources:]
    assert agrees(waits.mean(axis=1), queues.periodic_mean_wait(sources, period))
    # Work at one random time in steady state: what the last cell before it left, less the time since.
    now = draw.uniform(0.0, period, runs)
    last = (phases < now[:, None]).sum(axis=1) - 1
    row = np.arange(runs)
    since = np.where(last >= 0, now - phases[row, last], now - phases[row, -1] + period)
    work = np.maximum(waits[row, last] + 1.0 - since, 0.0)
    for x in (0.0, 0.4, 1.0, 1.5, 2.0, 3.25):
        assert agrees((waits > x).mean(axis=1), float(queues.periodic_wait_tail(sources, period, x)))
        expected = float(queues.periodic_tail(sources, period, x))
        assert abs((work > x).mean() - expected) <= 3.5 * math.sqrt(expected * (1.0 - expected) / runs) + 1e-12


def test_periodic_two_sources_by_hand() -> None:
    # One source leaves work above x for 1 - x of its period. A second cell within s < 1 of the first adds to it.
    period = 5.0
    for x in (0.0, 0.25, 0.9):
        assert queues.periodic_tail(1, period, x) == pytest.approx((1.0 - x) / period)
    for x in (0.0, 0.3, 0.8):
        apart = 2.0 * (1.0 - x)  # time above x per period when the cells do not overlap
        # With a gap s < 1, uniform on [0, 5), the work falls from 1 to 1 - s, then from 2 - s to 0.
        overlap, _ = integrate.quad(
            lambda s, x=x, apart=apart: (min(s, 1.0 - x) + max(2.0 - s - x, 0.0)) - apart, 0.0, 1.0, limit=200
        )
        expected = (apart + 2.0 * overlap / period) / period  # either cell may come first
        assert queues.periodic_tail(2, period, x) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("sources", "period"), [(1, 3.0), (3, 3.0), (10, 12.5), (100, 110.0), (1000, 1050.0)])
def test_periodic_identities(sources: int, period: float) -> None:
    # The sum at x -> 0 is the load, and the mean work satisfies work conservation: E[V] = load (E[W] + 1/2).
    assert queues.periodic_tail(sources, period, 1e-9) == pytest.approx(sources / period, rel=1e-6)
    assert queues.periodic_tail(sources, period, 0.0) == sources / period
    nodes, weights = np.polynomial.legendre.leggauss(24)
    tails = [
        weights @ queues.periodic_tail(sources, period, k + 0.5 + 0.5 * nodes) / 2 for k in range(min(sources, 150))
    ]
    wait = queues.periodic_mean_wait(sources, period)
    assert sum(tails) == pytest.approx(sources / period * (wait + 0.5), rel=1e-8)
    assert queues.periodic_mean_number(sources, period) == pytest.approx(sources / period * (wait + 1.0), rel=1e-12)
    assert queues.periodic_number_pmf(sources, period).sum() == pytest.approx(1.0, abs=1e-12)
    assert queues.periodic_tail(sources, period, sources) == 0.0


def test_periodic_tends_to_md1_from_below_as_sources_grow() -> None:
    load = 0.8
    limit = 1.0 - np.cumsum(queues.md1_number_pmf(load, 12))
    tails = [queues.periodic_tail(n, n / load, np.arange(12)) for n in (10, 100, 1000, 50_000)]
    assert all(np.all(fewer <= more + 1e-15) for fewer, more in itertools.pairwise(tails))
    assert tails[-1] == pytest.approx(limit, abs=2e-4)
    short = [1.0 - queues.periodic_mean_wait(n, n / load) / queues.md1_mean_wait(load) for n in (1000, 10_000)]
    assert short[1] == pytest.approx(short[0] / 10, rel=0.1)  # the difference vanishes as 1 / N


# Errors


@pytest.mark.parametrize("load", [1.0, 1.5, -0.1, math.nan])
def test_a_load_without_steady_state_is_refused(load: float) -> None:
    for call in (
        lambda: queues.md1_mean_wait(load),
        lambda: queues.md1_number_pmf(load, 3),
        lambda: queues.md1_wait_cdf(load, 1.0),
        lambda: queues.geo_mean_wait(4, load),
        lambda: queues.geo_number_pmf(4, load, 3),
    ):
        with pytest.raises(ValueError, match="load"):
            call()


def test_other_bad_arguments_are_refused() -> None:
    for call, text in (
        (lambda: queues.geo_mean_wait(0, 0.5), "sources"),
        (lambda: queues.geo_wait_pmf(2, 0.0, 3), "above 0"),
        (lambda: queues.geo_number_pmf(2, 0.5, 0), "size"),
        (lambda: queues.geo_mean_number(2, 0.5, "late"), "order"),  # type: ignore[arg-type]
        (lambda: queues.geo_number_pmf(2, 0.5, 3, "late"), "order"),  # type: ignore[arg-type]
        (lambda: queues.batch_number_pmf([0.5, 0.4], 3), "sum to 1"),
        (lambda: queues.batch_number_pmf([1.5, -0.5], 3), "none negative"),
        (lambda: queues.batch_number_pmf([0.0, 1.0], 3), "load"),
        (lambda: queues.md1_wait_cdf(0.5, math.inf), "finite"),
        (lambda: queues.periodic_tail(5, 4.9, 1.0), "at least 5"),
        (lambda: queues.periodic_tail(5, math.nan, 1.0), "period"),
        (lambda: queues.periodic_tail(5, 6.0, -1.0), "work"),
        (lambda: queues.periodic_tail(0, 6.0, 1.0), "sources"),
        (lambda: queues.periodic_slotted_wait_tail(5, 6, -1), "whole"),
        (lambda: queues.pollaczek_khinchine_wait(0.5, 1.0, 0.5), "second moment"),
    ):
        with pytest.raises(ValueError, match=text):
            call()
