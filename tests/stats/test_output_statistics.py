"""cellway.stats: exact cases, measured coverage on data with known parameters, and refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import signal
from scipy import stats as distributions

from cellway import stats

Floats = NDArray[np.float64]


def ar1(draw: np.random.Generator, phi: float, size: int, mean: float = 10.0) -> Floats:
    """Stationary AR(1) with unit innovations."""
    noise = draw.normal(size=size)
    noise[0] /= math.sqrt(1.0 - phi**2)
    return mean + signal.lfilter([1.0], [1.0, -phi], noise)


def covers(hits: int, trials: int, coverage: float) -> bool:
    """Whether a count of hits is plausible (two-sided p above 0.001) for a coverage."""
    return bool(distributions.binomtest(hits, trials, coverage).pvalue > 0.001)


# Independent observations


def test_mean_interval_by_hand() -> None:
    interval = stats.mean_interval([1.0, 2.0, 3.0, 4.0])
    assert interval.mean == 2.5
    assert interval.half_width == pytest.approx(3.182446 * math.sqrt(5 / 3) / 2, rel=1e-6)
    assert (interval.low, interval.high) == (2.5 - interval.half_width, 2.5 + interval.half_width)
    assert 2.5 in interval
    assert 9.0 not in interval
    assert interval.relative == interval.half_width / 2.5
    assert stats.mean_interval([0.0, 0.0]).relative == 0.0
    assert stats.mean_interval([-1.0, 1.0]).relative == math.inf


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_mean_interval_covers_exactly_for_normal_data(confidence: float) -> None:
    draw = np.random.default_rng(1)
    trials = 3000
    hits = sum(3.0 in stats.mean_interval(draw.normal(3.0, 2.0, 6), confidence) for _ in range(trials))
    assert covers(hits, trials, confidence)


def test_replication_deletion_removes_the_initial_bias() -> None:
    draw = np.random.default_rng(2)
    bias = 40.0 * 0.95 ** np.arange(800)
    trials = 300
    kept = deleted = 0
    for _ in range(trials):
        runs = [ar1(draw, 0.8, 800) + bias for _ in range(10)]
        kept += 10.0 in stats.replication_interval(runs)
        deleted += 10.0 in stats.replication_interval(runs, warmup=200)
    assert kept < 0.3 * trials
    assert covers(deleted, trials, 0.95)


# Batch means


def test_batch_means_cover_ar1_where_the_naive_interval_fails() -> None:
    draw = np.random.default_rng(3)
    trials = 400
    naive = fixed = chosen = trusted = 0
    for _ in range(trials):
        series = ar1(draw, 0.9, 20_000)
        naive += 10.0 in stats.mean_interval(series)
        fixed += 10.0 in stats.batch_means(series, batches=20).interval
        automatic = stats.batch_means(series)
        chosen += 10.0 in automatic.interval
        trusted += automatic.independent
    # Neighbours' correlation widens the true interval by sqrt((1 + 0.9) / (1 - 0.9)) = 4.36: 35 % coverage.
    assert covers(naive, trials, 2 * distributions.norm.cdf(1.96 / math.sqrt(19)) - 1)
    assert covers(fixed, trials, 0.95)
    assert chosen >= 0.92 * trials
    assert trusted >= 0.99 * trials


def test_batch_means_say_when_the_run_is_too_short() -> None:
    draw = np.random.default_rng(4)
    doubtful = sum(not stats.batch_means(ar1(draw, 0.995, 400)).independent for _ in range(200))
    assert doubtful > 0.6 * 200
    assert all(stats.batch_means(ar1(draw, 0.995, 400)).interval.observations >= 8 for _ in range(10))


def test_batch_means_leave_the_remainder_out_at_the_start() -> None:
    series = np.concatenate([[1000.0, 1000.0], np.repeat(np.arange(8.0), 5)])
    result = stats.batch_means(series, batches=8)
    assert result.batch_size == 5
    assert result.interval.mean == 3.5
    assert result.lag_1 == pytest.approx(stats.lag_1_correlation(np.arange(8.0)))
    assert not result.independent
    assert stats.batch_means(np.full(50, 2.0)).independent


def test_independence_test_has_its_size_and_power() -> None:
    draw = np.random.default_rng(5)
    trials = 4000
    rejected = sum(not stats.neighbours_independent(draw.exponential(size=20)) for _ in range(trials))
    assert 0.03 < rejected / trials < 0.065
    assert sum(not stats.neighbours_independent(ar1(draw, 0.5, 100)) for _ in range(200)) > 0.98 * 200
    assert stats.neighbours_independent([0.0, 1.0] * 10)  # negative correlation makes intervals wide, not narrow


def test_lag_1_correlation() -> None:
    assert stats.lag_1_correlation([1.0, 1.0]) == 0.0
    assert stats.lag_1_correlation([1.0, -1.0] * 500) == pytest.approx(-0.999)
    assert stats.lag_1_correlation(ar1(np.random.default_rng(6), 0.7, 100_000)) == pytest.approx(0.7, abs=0.01)


# Warm-up


def test_mser_5_is_the_minimum_of_its_definition() -> None:
    draw = np.random.default_rng(7)
    for _ in range(20):
        series = ar1(draw, 0.6, 203) + 20.0 * 0.9 ** np.arange(203)
        groups = series[:200].reshape(40, 5).mean(axis=1)
        error = [groups[d:].var() / (40 - d) for d in range(35)]
        assert stats.mser_5(series).observations == 5 * int(np.argmin(error))


def test_mser_5_finds_a_step_and_keeps_a_constant_and_a_stationary_series() -> None:
    draw = np.random.default_rng(8)
    step = np.concatenate([np.full(100, 50.0), np.zeros(1900)]) + draw.normal(size=2000)
    assert 100 <= stats.mser_5(step).observations <= 400
    assert stats.mser_5(step).reliable
    assert stats.mser_5(np.full(100, 0.1)) == stats.Warmup(0, True)
    cut = [stats.mser_5(draw.normal(size=1000)).observations for _ in range(200)]
    assert np.median(cut) <= 100
    assert not stats.mser_5(np.arange(1000.0)).reliable  # still rising: nothing to keep


# Ratios


def test_ratio_interval_covers_the_regenerative_mean_queue() -> None:
    # Cycles of a slotted queue fed by 0 or 2 cells: time average of X = E[sum over a cycle] / E[its length].
    draw = np.random.default_rng(9)
    load = 0.6
    expected = load + 0.5 * load / (2 * (1 - load)) * load  # Geo^2/D/1: (N - 1) / N = 1/2
    trials, hits = 150, 0
    for _ in range(trials):
        walk = np.cumsum(draw.binomial(2, load / 2, 6000) - 1.0)
        left = walk - np.minimum.accumulate(np.minimum(walk, 0.0))
        number = np.concatenate([[0.0], left[:-1]]) + np.diff(walk, prepend=0.0) + 1.0
        starts = np.flatnonzero(number == 0)  # an idle slot forgets the past
        ends = np.add.reduceat(number, starts)[:-1]
        hits += expected in stats.ratio_interval(ends, np.diff(starts))
    assert hits >= 0.89 * trials
    assert stats.ratio_interval([2.0, 4.0, 6.0], [1.0, 2.0, 3.0]).half_width == pytest.approx(0.0, abs=1e-12)


# Steps


def test_time_weighted_mean_by_hand() -> None:
    times, values = [0, 10, 10, 30], [1.0, 99.0, 3.0, 7.0]
    assert stats.time_weighted_mean(times, values, 0, 40) == (10 * 1 + 20 * 3 + 10 * 7) / 40
    assert stats.time_weighted_mean(times, values, 5, 15) == 2.0
    assert stats.time_weighted_mean(times, values, 100, 101) == 7.0
    levels, fractions = stats.time_weighted_distribution(times, values, 0, 40)
    assert levels.tolist() == [1.0, 3.0, 7.0]
    assert fractions.tolist() == [0.25, 0.5, 0.25]


def test_time_weighted_functions_agree_with_a_fine_grid() -> None:
    draw = np.random.default_rng(10)
    times = np.cumsum(draw.integers(0, 4, 500))
    times[0] = 0
    values = draw.integers(0, 5, 500).astype(float)
    start, end = 17, 657
    grid = np.array([values[np.flatnonzero(times <= t)[-1]] for t in range(start, end)])
    assert stats.time_weighted_mean(times, values, start, end) == pytest.approx(grid.mean())
    batches = stats.time_weighted_batches(times, values, start, end, batches=10)
    expected = stats.mean_interval(grid.reshape(10, 64).mean(axis=1))
    assert batches.interval.mean == pytest.approx(expected.mean)
    assert batches.interval.half_width == pytest.approx(expected.half_width)
    levels, fractions = stats.time_weighted_distribution(times, values, start, end)
    assert fractions == pytest.approx([(grid == level).mean() for level in levels])
    assert fractions.sum() == pytest.approx(1.0)


def test_picoseconds_stay_exact_late_in_a_long_run() -> None:
    late = 9_000_000_000_000_000_001  # beyond the integers that a float holds
    times = np.array([late, late + 1, late + 3], dtype=np.int64)
    assert stats.time_weighted_mean(times, [0.0, 6.0, 0.0], late, late + 4) == 3.0


# Quantiles


@pytest.mark.parametrize("probability", [0.5, 0.9])
def test_quantile_interval_covers_what_it_says(probability: float) -> None:
    draw = np.random.default_rng(12)
    truth = -math.log(1.0 - probability)
    trials = 2000
    intervals = [stats.quantile_interval(draw.exponential(size=100), probability) for _ in range(trials)]
    hits = sum(interval.low <= truth <= interval.high for interval in intervals)
    assert 0.95 <= intervals[0].coverage < 0.98
    assert covers(hits, trials, intervals[0].coverage)


def test_quantile_interval_picks_the_tabulated_order_statistics() -> None:
    # The median of 10: (x_2, x_9) with coverage 0.9785 (David and Nagaraja 2003; Conover's table).
    interval = stats.quantile_interval(np.arange(1.0, 11.0), 0.5)
    assert (interval.low, interval.high) == (2.0, 9.0)
    assert interval.coverage == pytest.approx(0.978516, abs=1e-6)
    assert interval.quantile == 5.0
    assert stats.quantile_interval(np.arange(1.0, 11.0), 0.99).high == math.inf
    assert stats.quantile_interval(np.arange(1.0, 11.0), 0.01).low == -math.inf


# Stopping


def test_precision_reached_stops_near_the_predicted_number_and_covers() -> None:
    draw = np.random.default_rng(13)
    trials = hits = 0
    stops = []
    for _ in range(200):
        values = draw.normal(10.0, 2.0, 400)
        n = 10
        while not (state := stats.precision_reached(values[:n], relative=0.05)).reached:
            n += 1
        trials += 1
        hits += 10.0 in state.interval
        stops.append(n)
        assert state.interval.half_width <= 0.05 / 1.05 * state.interval.mean
    # z = 1.96, sigma / mean = 0.2, g' = 0.0476: 68 observations, a few more for Student's t.
    assert 60 < np.mean(stops) < 75
    assert hits >= 0.90 * trials
    needed = stats.precision_reached(draw.normal(10.0, 2.0, 100_000)[:1000], relative=0.01).needed
    assert needed is not None
    assert 1300 < needed < 1900


def test_needed_is_the_smallest_number_that_would_do() -> None:
    values = np.random.default_rng(14).normal(5.0, 4.0, 30)
    state = stats.precision_reached(values, relative=0.05)
    assert state.needed is not None
    assert not state.reached
    spread = values.std(ddof=1)

    def relative_at(n: int) -> float:
        return float(distributions.t.ppf(0.975, n - 1) * spread / math.sqrt(n) / abs(values.mean()))

    assert relative_at(state.needed) <= 0.05 / 1.05 < relative_at(state.needed - 1)
    assert stats.precision_reached([0.0, 0.0, 1.0, -1.0]).needed is None
    assert stats.precision_reached([3.0] * 4) == stats.Precision(stats.mean_interval([3.0] * 4), False, 10)
    assert stats.precision_reached([3.0] * 10).reached


# Errors


def test_bad_input_is_refused() -> None:
    ok = [1.0] * 100
    for call, text in (
        (lambda: stats.mean_interval([1.0]), "at least 2"),
        (lambda: stats.mean_interval([1.0, math.nan]), "finite"),
        (lambda: stats.mean_interval([[1.0, 2.0]]), "one-dimensional"),
        (lambda: stats.mean_interval(ok, 1.0), "confidence"),
        (lambda: stats.replication_interval([ok, [1.0]], warmup=1), "at least 2 observations"),
        (lambda: stats.replication_interval([ok, ok], warmup=-1), "warmup"),
        (lambda: stats.batch_means(ok, batches=7), "at least 8 batches"),
        (lambda: stats.batch_means([1.0] * 15), "at least 16"),
        (lambda: stats.batch_means(ok, batches=101), "at least 101"),
        (lambda: stats.mser_5([1.0] * 49), "at least 50"),
        (lambda: stats.mser_5(ok, group=0), "group"),
        (lambda: stats.neighbours_independent([1.0] * 7), "at least 8"),
        (lambda: stats.ratio_interval([1.0, 2.0, 3.0], [1.0, 2.0]), "as many numerators"),
        (lambda: stats.ratio_interval([1.0, 2.0], [0.0, 0.0]), "must be positive"),
        (lambda: stats.time_weighted_mean([0, 1], [1.0], 0, 1), "as many values"),
        (lambda: stats.time_weighted_mean([1, 0], [1.0, 1.0], 1, 2), "decrease"),
        (lambda: stats.time_weighted_mean([1], [1.0], 0, 2), "unknown"),
        (lambda: stats.time_weighted_mean([1], [1.0], 2, 2), "before end"),
        (lambda: stats.time_weighted_mean([], [], 0, 1), "non-empty"),
        (lambda: stats.time_weighted_batches([0], [1.0], 0, 1, batches=2), "at least 8"),
        (lambda: stats.quantile_interval([], 0.5), "at least 1"),
        (lambda: stats.quantile_interval(ok, 1.0), "probability"),
        (lambda: stats.precision_reached(ok, relative=0.0), "relative"),
        (lambda: stats.precision_reached(ok, least=1), "least must"),
    ):
        with pytest.raises(ValueError, match=text):
            call()
