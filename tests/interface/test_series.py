"""Series: what a mean, a maximum, a part and a moving average are, for each shape."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellway.plots import Shape
from cellway.series import Series, moving_average


def series(shape: Shape, times: list[float], values: list[float], maxima: list[float] | None = None) -> Series:
    peak = None if maxima is None else np.asarray(maxima)
    return Series(np.asarray(times), np.asarray(values), "cells", "x", "Queue length", shape, 0.0, 10.0, peak)


def test_a_held_value_counts_as_long_as_it_holds() -> None:
    held = series("held", [0, 2, 6], [0, 4, 1])
    assert held.mean() == pytest.approx((0 * 2 + 4 * 4 + 1 * 4) / 10)
    assert (held.max(), held.min()) == (4, 0)
    assert [held.at(t) for t in (0, 1.9, 2, 5, 10)] == [0, 0, 4, 4, 1]
    assert np.isnan(held.at(10.1))


def test_bins_know_their_maximum() -> None:
    bins = series("bins", [5, 10], [1, 3], [7, 4])
    assert bins.mean() == pytest.approx(2)
    assert bins.max() == 7
    assert [bins.at(t) for t in (0.1, 5, 5.1)] == [1, 1, 3]


def test_a_curve_is_integrated() -> None:
    assert series("curve", [0, 1, 3], [0, 2, 2]).mean() == pytest.approx((1 + 4) / 3)
    assert series("curve", [0, 1, 3], [0, 2, 2]).at(0.5) == pytest.approx(1)


def test_points_count_alike() -> None:
    assert series("points", [0, 1, 9], [1, 2, 6]).mean() == pytest.approx(3)


def test_an_empty_series_has_no_mean() -> None:
    empty = series("held", [], [])
    assert np.isnan([empty.mean(), empty.max(), empty.min(), empty.at(1)]).all()
    assert len(empty) == 0


def test_a_part_starts_with_the_value_that_holds_there() -> None:
    part = series("held", [0, 2, 6], [0, 4, 1]).between(3, 8)
    assert part.times.tolist() == [3, 6]
    assert part.values.tolist() == [4, 1]
    assert part.mean() == pytest.approx((4 * 3 + 1 * 2) / 5)
    bins = series("bins", [2, 4, 6, 8, 10], [1, 2, 3, 4, 5], [1, 2, 9, 4, 5]).between(3, 9)
    assert (bins.times.tolist(), bins.mean(), bins.max()) == ([6, 8], 3.5, 9)
    with pytest.raises(ValueError, match="before the start"):
        part.between(2, 1)


def test_pandas_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = series("held", [0, 2], [1, 3]).to_pandas()
    assert (pandas.name, pandas.index.name) == ("Queue length, x [cells]", "time [s]")
    assert pandas.loc[2.0] == 3
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        series("held", [0], [1]).to_pandas()


def test_it_says_what_it_is() -> None:
    assert repr(series("held", [0, 5], [2, 4])) == (
        "<Series queue length, x: 2 points in 0 s to 10 s, mean 3 cells, max 4 cells>"
    )


def test_moving_average_of_a_steady_stream() -> None:
    starts = np.arange(0, 90, 3.0)
    points, busy = moving_average(starts, 1.0, 24.0, 90.0)
    inside = (points >= 12) & (points <= 78)
    assert points[:3].tolist() == [0, 1, 2]
    assert busy[inside] == pytest.approx(1 / 3)  # any 24 cell times hold exactly 8 cells
    assert busy[0] == pytest.approx(4 / 12)  # half a window at the edge


def test_moving_average_of_nothing_and_of_everything() -> None:
    assert moving_average(np.empty(0), 1.0, 25.0, 10.0)[1].tolist() == [0] * 10
    assert moving_average(np.arange(50.0), 1.0, 25.0, 50.0)[1] == pytest.approx(1)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=40), st.floats(0.5, 40), st.floats(0.1, 5), st.floats(0, 30))
def test_moving_average_is_the_busy_time_in_the_window(
    gaps: list[int], window: float, duration: float, extra: float
) -> None:
    starts = np.cumsum([gap + duration for gap in gaps]) - duration
    end = float(starts[-1] + duration + extra)
    points, busy = moving_average(starts, duration, window, end)
    for point, found in zip(points.tolist(), busy.tolist(), strict=True):
        low, high = max(point - window / 2, 0), min(point + window / 2, end)
        used = sum(max(0.0, min(start + duration, high) - max(start, low)) for start in starts)
        assert found == pytest.approx(used / (high - low), abs=1e-9)
