"""Protocol arithmetic, against values worked out by hand."""

import pytest

from cellway.theory.tcp import (
    burst_tolerance,
    frame_cells,
    goodput_bound,
    line_rate_for,
    mathis_goodput,
    segment_cells,
    window_bound,
)


@pytest.mark.parametrize(
    ("octets", "cells"), [(0, 1), (40, 1), (41, 2), (1064, 23), (1072, 23), (1508, 32), (9188, 192)]
)
def test_cells_of_frames(octets: int, cells: int) -> None:
    assert frame_cells(octets) == cells


def test_a_segment_of_1024_octets_takes_23_cells_with_or_without_llc() -> None:
    assert segment_cells(1024) == segment_cells(1024, llc_snap=True) == 23
    assert (segment_cells(1460), segment_cells(1460, llc_snap=True)) == (32, 32)
    assert (segment_cells(1056), segment_cells(1056, llc_snap=True)) == (23, 24)


def test_goodput_of_the_gfr_paper() -> None:
    bound = goodput_bound(149.7e6, 1024)
    assert f"{bound / 1e6:.2f}" == "125.75"
    assert f"{bound / 15e6:.2f}" == "8.38"
    assert f"{bound / 50e6:.3f}" == "2.515"
    assert line_rate_for(bound, 1024) == pytest.approx(149.7e6)


def test_a_window_of_600000_octets_fills_the_line_at_30_ms() -> None:
    assert window_bound(600_000, 0.030) == pytest.approx(160e6)
    assert window_bound(65_535, 0.030) < 18e6


def test_the_square_root_law() -> None:
    assert mathis_goodput(1460, 0.1, 0.01) == pytest.approx(1.43e6, rel=0.01)  # 1.22 segments of 1460 in 0.1 s / 0.1
    assert mathis_goodput(1460, 0.1, 0.0025) == pytest.approx(2 * mathis_goodput(1460, 0.1, 0.01))
    assert mathis_goodput(1460, 0.1, 0.01, 2) == pytest.approx(mathis_goodput(1460, 0.1, 0.01) / 2**0.5)


def test_burst_tolerance() -> None:
    assert burst_tolerance(46, 10_000, 1e12) == pytest.approx(45 / 10_000)
    assert burst_tolerance(1, 10_000, 20_000) == 0
    assert burst_tolerance(46, 20_000, 20_000) == 0


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: frame_cells(-1),
        lambda: segment_cells(0),
        lambda: goodput_bound(0, 1024),
        lambda: line_rate_for(float("inf"), 1024),
        lambda: window_bound(0, 1),
        lambda: mathis_goodput(1024, 0.1, 0),
        lambda: mathis_goodput(1024, 0.1, 1),
        lambda: mathis_goodput(1024, 0, 0.1),
        lambda: burst_tolerance(0, 1, 2),
        lambda: burst_tolerance(2, 3, 2),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"must be|at least|is needed"):
        wrong()  # type: ignore[operator]
