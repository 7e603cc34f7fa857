"""From measured values to verdicts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellway.papers.item import Quantity, number

BAND = Quantity("x", "cells", 1, 3, "section 1", 2, reason="the queue is longer")
LOST = Quantity("x", "cells", None, None, "section 1", 2, lost="the traces are lost")


def test_inside_the_band_is_reproduced_and_its_limits_belong_to_it() -> None:
    for value in (1, 2.5, 3):
        assert BAND.judge([value]) == (value, "reproduced", "")


def test_outside_the_band_differs_with_the_reason() -> None:
    assert BAND.judge([3.5]) == (3.5, "differs", "the queue is longer")
    bare = Quantity("x", "cells", 1, 3, "section 1")
    assert bare.judge([0.0]) == (0.0, "differs", "no reason found")


def test_one_seed_outside_the_band_decides_and_is_shown() -> None:
    measured, verdict, note = BAND.judge([2, 3.5, 0.9])
    assert (measured, verdict) == (3.5, "differs")
    assert note == "over 3 seeds, 0.9 to 3.5; the queue is longer"
    assert BAND.judge([2, 3, 1])[:2] == (2, "reproduced"), "inside, the first seed is shown"


def test_a_mean_over_seeds_may_leave_the_band_for_single_seeds() -> None:
    mean = Quantity("x", "1", 1, 3, "section 1", seeds="mean")
    assert mean.judge([0, 4]) == (2, "reproduced", "mean of 2 seeds, 0 to 4")
    assert mean.judge([4, 4])[:2] == (4, "differs")


def test_half_bands() -> None:
    assert Quantity("x", "1", 1, None, "section 1").judge([1e9])[1] == "reproduced"
    assert Quantity("x", "1", None, 1, "section 1").judge([1.5])[1] == "differs"


def test_lost_input_is_not_reproducible_whatever_was_measured() -> None:
    assert LOST.judge([7]) == (7, "not reproducible", "the traces are lost")
    banded = Quantity("x", "cells", 1, 3, "section 1", lost="the traces are lost")
    assert banded.judge([2])[1] == "not reproducible"


@pytest.mark.parametrize("values", [[], [math.nan], [1.0, math.inf]])
def test_what_was_not_measured_differs(values: list[float]) -> None:
    assert BAND.judge(values) == (None, "differs", "not measured")


def test_picoseconds_of_rounding_decide_nothing() -> None:
    assert Quantity("x", "1", 0.999, 1.0, "section 1").judge([1.000000000022])[:2] == (1.0, "reproduced")


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=5))
def test_the_verdict_agrees_with_the_shown_value(values: list[float]) -> None:
    measured, verdict, _ = BAND.judge(values)
    assert measured is not None
    assert (verdict == "reproduced") == (1 <= measured <= 3)
    assert (verdict == "reproduced") == all(1 <= float(f"{value:.9g}") <= 3 for value in values)


def test_numbers_for_reading() -> None:
    assert [number(value) for value in (110.0, 0.333333333, 1.0, 14678.0, 0.04)] == [
        "110", "0.33333", "1", "14678", "0.04",
    ]  # fmt: skip
