"""Statistics of simulation output: pure functions on arrays, each with its source.

Intervals are two-sided at `confidence` (default 0.95). They speak of the mean of independent observations unless the
function says how it deals with dependence; a time series of one run is dependent, so use :func:`batch_means` or
:func:`time_weighted_batches` on it, or one value per independent replication.

Sources, cited by short name below:

- Law 2015: Simulation Modeling and Analysis, 5th edition.
- Fishman 1978: Grouping observations in digital simulation, Management Science 24(5), 510-521.
- Crane and Lemoine 1977: An Introduction to the Regenerative Method for Simulation Analysis.
- White 1997: An effective truncation heuristic for bias reduction in simulation output, Simulation 69(6), 323-334.
- White, Cobb and Spratt 2000: A comparison of five steady-state truncation heuristics for simulation,
  Proc. Winter Simulation Conference, 755-760.
- Hoad and Robinson 2011: Implementing MSER-5 in commercial simulation software and its wider implications,
  Proc. Winter Simulation Conference, 495-503.
- David and Nagaraja 2003: Order Statistics, 3rd edition.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """A point estimate and its symmetric confidence interval, in the unit of the observations."""

    mean: float
    half_width: float
    confidence: float
    #: Number of independent observations (values, batches or cycles) behind it.
    observations: int

    @property
    def low(self) -> float:
        """Lower end."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """Upper end."""
        return self.mean + self.half_width

    @property
    def relative(self) -> float:
        """Half width over the absolute mean; infinite for a mean of zero, unless the half width is zero too."""
        if self.half_width == 0.0:
            return 0.0
        return self.half_width / abs(self.mean) if self.mean != 0.0 else math.inf

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def _series(values: ArrayLike, least: int, what: str = "observations") -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{what} must be one-dimensional, found shape {array.shape}")
    if array.size < least:
        raise ValueError(f"at least {least} {what} are needed, found {array.size}")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{what} must be finite")
    return array


def _student(confidence: float, degrees: int) -> float:
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must be between 0 and 1, found {confidence}")
    return float(special.stdtrit(degrees, 0.5 + confidence / 2.0))


def mean_interval(observations: ArrayLike, confidence: float = 0.95) -> Interval:
    """Mean of independent observations with Student's interval (Law 2015, section 4.5).

    Raises ValueError for fewer than two observations, values that are not finite, or a confidence outside (0, 1).
    """
    values = _series(observations, 2)
    deviation = float(values.std(ddof=1))
    half = _student(confidence, values.size - 1) * deviation / math.sqrt(values.size)
    return Interval(float(values.mean()), half, confidence, values.size)


def replication_interval(runs: Sequence[ArrayLike], warmup: int = 0, confidence: float = 0.95) -> Interval:
    """Steady-state mean from independent replications: replication/deletion (Law 2015, section 9.5.2).

    `runs` holds one series per replication; the first `warmup` observations of each are deleted and each run counts as
    one observation, its mean. Raises ValueError for fewer than two runs or a run with nothing left.
    """
    if warmup < 0:
        raise ValueError(f"warmup must not be negative, found {warmup}")
    return mean_interval([_series(run, warmup + 1)[warmup:].mean() for run in runs], confidence)


# One long run


def lag_1_correlation(series: ArrayLike) -> float:
    """Correlation of neighbours, sum of (x_i - m)(x_i+1 - m) over sum of (x_i - m)^2; 0 for a constant series.

    Raises ValueError for fewer than two observations.
    """
    values = _series(series, 2)
    centred = values - values.mean()
    power = float(centred @ centred)
    return float(centred[:-1] @ centred[1:]) / power if power > 0.0 else 0.0


def neighbours_independent(series: ArrayLike, significance: float = 0.05) -> bool:
    """Whether neighbours pass for uncorrelated: von Neumann's ratio, one-sided against positive correlation.

    C = 1 - sum (x_i - x_i+1)^2 / (2 sum (x_i - m)^2) is close to normal with mean 0 and variance
    (n - 2) / (n^2 - 1) for independent observations, good from n = 8 (Fishman 1978). A constant series passes.
    Raises ValueError for fewer than 8 observations.
    """
    values = _series(series, 8)
    centred = values - values.mean()
    power = float(centred @ centred)
    if power == 0.0:
        return True
    steps = np.diff(values)
    ratio = 1.0 - float(steps @ steps) / (2.0 * power)
    limit = float(stats.norm.isf(significance)) * math.sqrt((values.size - 2) / (values.size**2 - 1))
    return ratio <= limit


@dataclass(frozen=True)
class BatchMeans:
    """Result of :func:`batch_means`: trust the interval only where `independent` holds."""

    interval: Interval
    #: Observations per batch.
    batch_size: int
    #: Lag-1 correlation of the batch means.
    lag_1: float
    #: Whether the batch means pass :func:`neighbours_independent`.
    independent: bool


def batch_means(series: ArrayLike, batches: int | None = None, confidence: float = 0.95) -> BatchMeans:
    """Steady-state mean of one dependent, warmed-up series by non-overlapping batch means (Law 2015, section 9.5.3).

    With `batches`, that many equal batches (at least 8). Without, 8 to 128 of them: the number is halved from 128 as
    long as the batch means fail the test of independence (Fishman 1978); if they still fail at 8 the run is too short,
    and the result says so by `independent = False`. What does not fill a batch is left out at the start of the series.
    Raises ValueError for fewer observations than batches (16 without `batches`) or fewer than 8 batches.
    """
    if batches is not None and batches < 8:
        raise ValueError(f"at least 8 batches are needed to judge their independence, found {batches}")
    values = _series(series, batches or 16)
    candidates = [batches] if batches else [count for count in (128, 64, 32, 16, 8) if 2 * count <= values.size]
    for count in candidates:
        size = values.size // count
        means = values[values.size - count * size :].reshape(count, size).mean(axis=1)
        independent = neighbours_independent(means)
        if independent:
            break
    return BatchMeans(mean_interval(means, confidence), size, lag_1_correlation(means), independent)


@dataclass(frozen=True)
class Warmup:
    """Result of :func:`mser_5`."""

    #: Observations to delete at the start.
    observations: int
    #: False where the best truncation lies in the second half: the run is too short to tell.
    reliable: bool


def mser_5(series: ArrayLike, group: int = 5) -> Warmup:
    """Length of the warm-up: the truncation that minimises the marginal standard error of what is left.

    Over the means Z of groups of 5, minimise over d: sum over i > d of (Z_i - mean)^2 / (n - d)^2 (White 1997; groups
    of five: White, Cobb and Spratt 2000). The last five groups are never candidates, a few alike values at the end
    would win (Hoad and Robinson 2011), and a minimum in the second half is reported as unreliable (White 1997).
    Raises ValueError for fewer than 10 groups or a group below 1.
    """
    if group < 1:
        raise ValueError(f"group must be at least 1, found {group}")
    values = _series(series, 10 * group)
    count = values.size // group
    # Anchored at the last group: a constant series then gives exact zeros, and so the first truncation.
    means = values[: count * group].reshape(count, group).mean(axis=1)
    means = means - means[-1]
    left = np.arange(count, 0, -1)
    total = np.cumsum(means[::-1])[::-1]
    squares = np.cumsum((means**2)[::-1])[::-1]
    statistic = (np.maximum(squares - total**2 / left, 0.0) / left**2)[: count - 5]
    best = int(np.argmin(statistic))
    return Warmup(best * group, best <= count // 2)


def ratio_interval(numerators: ArrayLike, denominators: ArrayLike, confidence: float = 0.95) -> Interval:
    """E[Y] / E[X] from independent pairs, such as the sums and lengths of regeneration cycles.

    Classical estimator: centre sum Y / sum X, variance of Y - ratio X, Student's t
    (Crane and Lemoine 1977; Law 2015, section 9.5.3). Biased by O(1/n): use it from some 30 cycles.
    Raises ValueError for fewer than two pairs, unequal lengths, or denominators whose mean is not positive.
    """
    y, x = _series(numerators, 2, "numerators"), _series(denominators, 2, "denominators")
    if y.size != x.size:
        raise ValueError(f"as many numerators as denominators are needed, found {y.size} and {x.size}")
    length = float(x.mean())
    if length <= 0.0:
        raise ValueError("the mean of the denominators must be positive")
    ratio = float(y.mean()) / length
    residual = y - ratio * x
    spread = math.sqrt(float(residual @ residual) / (y.size - 1))
    half = _student(confidence, y.size - 1) * spread / (math.sqrt(y.size) * length)
    return Interval(ratio, half, confidence, y.size)


# Series of steps


def _steps(times: ArrayLike, values: ArrayLike, start: float, end: float) -> tuple[Floats, Floats]:
    """Times relative to `start`, and values, of a series that is known from `start` on."""
    clock = np.asarray(times)
    if clock.ndim != 1 or clock.size == 0 or not np.all(np.isfinite(clock)):
        raise ValueError("times must be a non-empty list of finite numbers")
    heights = _series(values, 1, "values")
    if heights.size != clock.size:
        raise ValueError(f"as many values as times are needed, found {heights.size} and {clock.size}")
    if np.any(clock[1:] < clock[:-1]):
        raise ValueError("times must not decrease")
    if not start < end:
        raise ValueError(f"start must be before end, found {start} and {end}")
    if start < clock[0]:
        raise ValueError(f"the series begins at {clock[0]}, its value at {start} is unknown")
    # Subtracted in the type of the input: picoseconds as 64-bit integers stay exact.
    return (clock - start).astype(np.float64), heights


def time_weighted_mean(times: ArrayLike, values: ArrayLike, start: float, end: float) -> float:
    """Time average over [start, end) of a series of steps: values[i] holds from times[i] until times[i + 1].

    The last value holds on; of several values at one time the last one holds. `times` may be integers (picoseconds) or
    floats. Raises ValueError for times that decrease, start >= end, a start before the first time, unequal lengths, or
    numbers that are not finite.
    """
    return float(_step_means(times, values, start, end, 1)[0])


def _step_means(times: ArrayLike, values: ArrayLike, start: float, end: float, parts: int) -> Floats:
    clock, heights = _steps(times, values, start, end)
    edges = np.linspace(0.0, float(end - start), parts + 1)
    # Each piece lies between two neighbours among the steps and the edges.
    cuts = np.union1d(edges, clock[(clock > 0.0) & (clock < edges[-1])])
    held = heights[np.searchsorted(clock, cuts[:-1], side="right") - 1]
    part = np.searchsorted(edges, cuts[:-1], side="right") - 1
    area = np.bincount(part, weights=held * np.diff(cuts), minlength=parts)
    return np.asarray(area / np.diff(edges))


def time_weighted_batches(
    times: ArrayLike, values: ArrayLike, start: float, end: float, batches: int = 32, confidence: float = 0.95
) -> BatchMeans:
    """Time average of a series of steps with an interval from `batches` equal spans of [start, end).

    Batch means as in :func:`batch_means`, each the time average of its span; `batch_size` is 1. Errors of
    :func:`time_weighted_mean`, and ValueError for fewer than 8 batches.
    """
    if batches < 8:
        raise ValueError(f"at least 8 batches are needed to judge their independence, found {batches}")
    return batch_means(_step_means(times, values, start, end, batches), batches, confidence)


def time_weighted_distribution(times: ArrayLike, values: ArrayLike, start: float, end: float) -> tuple[Floats, Floats]:
    """Values that a series of steps takes in [start, end), ascending, and the fraction of the time at each.

    Errors of :func:`time_weighted_mean`.
    """
    clock, heights = _steps(times, values, start, end)
    spans = np.diff(np.clip(np.append(clock, float(end - start)), 0.0, float(end - start)))
    levels, place = np.unique(heights[spans > 0.0], return_inverse=True)
    return levels, np.bincount(place, weights=spans[spans > 0.0]) / float(end - start)


# Quantiles


@dataclass(frozen=True)
class QuantileInterval:
    """A quantile between two order statistics; an end is infinite where too few observations lie beyond."""

    quantile: float
    low: float
    high: float
    #: Probability that the interval holds the quantile of a continuous distribution; at least that for a discrete one.
    coverage: float


def quantile_interval(observations: ArrayLike, probability: float, confidence: float = 0.95) -> QuantileInterval:
    """Quantile of independent observations with a distribution-free interval from order statistics.

    With B binomial(n, p), P(X_(r) <= quantile < X_(s)) = P(r <= B < s); r and s leave at most (1 - confidence) / 2
    on each side (David and Nagaraja 2003, section 7.1). The estimate is X_(ceil(np)). For a time series, thin it until
    :func:`neighbours_independent` holds, or use one value per replication.
    Raises ValueError without observations or for a probability or confidence outside (0, 1).
    """
    if not (0.0 < probability < 1.0 and 0.0 < confidence < 1.0):
        raise ValueError("probability and confidence must be between 0 and 1")
    ordered = np.sort(_series(observations, 1))
    n, side = ordered.size, (1.0 - confidence) / 2.0
    lower = int(stats.binom.ppf(side, n, probability))
    upper = int(stats.binom.isf(side, n, probability)) + 1
    coverage = stats.binom.cdf(upper - 1, n, probability) - stats.binom.cdf(lower - 1, n, probability)
    return QuantileInterval(
        quantile=float(ordered[math.ceil(n * probability) - 1]),
        low=float(ordered[lower - 1]) if lower >= 1 else -math.inf,
        high=float(ordered[upper - 1]) if upper <= n else math.inf,
        coverage=float(coverage),
    )


# When to stop


@dataclass(frozen=True)
class Precision:
    """Result of :func:`precision_reached`."""

    interval: Interval
    reached: bool
    #: Observations expected to be needed in all, from the variance so far; None where the mean so far is zero.
    needed: int | None


def precision_reached(
    observations: ArrayLike, relative: float = 0.05, confidence: float = 0.95, least: int = 10
) -> Precision:
    """Sequential stopping rule: ask after each new independent observation, stop once `reached`.

    Stops when half width / |mean| <= g / (1 + g), g being the wanted relative error of the estimate with respect to the
    true mean (Law 2015, section 9.4.1), and at least `least` observations (Law advises 10) are there: with fewer the
    rule stops on variances that are small by luck. A constant series has reached any precision.
    Raises ValueError for fewer than two observations, relative outside (0, 1) or least < 2.
    """
    if not 0.0 < relative < 1.0:
        raise ValueError(f"relative must be between 0 and 1, found {relative}")
    if least < 2:
        raise ValueError(f"least must be at least 2, found {least}")
    interval = mean_interval(observations, confidence)
    adjusted = relative / (1.0 + relative)
    reached = interval.observations >= least and interval.relative <= adjusted
    return Precision(interval, reached, _needed(interval, adjusted, least))


def _needed(interval: Interval, adjusted: float, least: int) -> int | None:
    if interval.half_width == 0.0:
        return max(least, interval.observations)
    if interval.mean == 0.0:
        return None
    n = interval.observations
    deviations = interval.half_width / _student(interval.confidence, n - 1) * math.sqrt(n) / abs(interval.mean)

    def relative_at(count: int) -> float:
        return _student(interval.confidence, count - 1) * deviations / math.sqrt(count)

    low = high = max(least, n)
    while relative_at(high) > adjusted:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if relative_at(middle) > adjusted:
            low = middle
        else:
            high = middle
    return high
