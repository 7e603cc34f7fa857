"""Pictures: something is drawn, with the right names and units, and it is the same each time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from cellway import plots
from cellway.result import Result
from cellway.series import Series

from .conftest import make_result


def labels(picture: Figure) -> list[str]:
    """What the legend says."""
    return [text.get_text() for legend in picture.legends for text in legend.get_texts()]


def drawn(picture: Figure) -> dict[str, int]:
    """Points of each line."""
    (axes,) = picture.axes
    return {str(line.get_label()): len(line.get_xdata()) for line in axes.get_lines()}


def test_bandwidth_of_a_link(result: Result) -> None:
    picture = plots.bandwidth(result, "a->s1")
    (axes,) = picture.axes
    assert labels(picture) == ["all cells", "credit cells", "vc1", "vc2"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Time (µs)", "Fraction of link bandwidth")
    assert axes.get_title(loc="left") == "By hand: bandwidth of a->s1"
    assert drawn(picture) == dict.fromkeys(labels(picture), 100)
    assert axes.get_xlim() == pytest.approx((0, 100))


def test_bandwidth_of_one_vc(result: Result) -> None:
    picture = plots.bandwidth(result, "a->s1", vc="vc2", window="40 us")
    assert drawn(picture) == {"vc2": 100}
    assert picture.axes[0].get_title(loc="left") == "By hand: bandwidth of a->s1: vc2"
    assert labels(picture) == []


def test_queues_are_steps(result: Result) -> None:
    picture = plots.queues(result, "s1")
    (axes,) = picture.axes
    assert axes.get_ylabel() == "Queue length (cells)"
    assert labels(picture) == ["whole switch", "vc1", "port s1->b"]
    assert [line.get_drawstyle() for line in axes.get_lines()] == ["steps-post", "steps-post", "steps-pre"]
    whole = axes.get_lines()[0]
    assert np.asarray(whole.get_xdata()).tolist() == pytest.approx([0, 20, 60, 100])  # held to the end
    assert np.asarray(whole.get_ydata()).tolist() == [0, 4, 1, 1]


def test_rates_of_sources(result: Result) -> None:
    picture = plots.sources(result, "vc1")
    (axes,) = picture.axes
    assert labels(picture) == ["ER", "ACR", "ACR (return)"]
    assert axes.get_ylabel() == "Mbit/s"
    assert np.asarray(axes.get_lines()[1].get_ydata()).tolist() == pytest.approx([42.4, 21.2, 21.2])
    assert labels(plots.sources(result)) == ["vc1", "vc1 (return)"]


def test_rate_algorithms(result: Result) -> None:
    assert plots.algorithms(result).axes[0].get_title(loc="left").endswith("rate algorithm of s1->b: fair share")
    assert plots.algorithms(result, "s1->b", "overload").axes[0].get_ylabel() == "Rate algorithm"
    with pytest.raises(LookupError, match="no rate of link=s1->b, quantity=active"):
        plots.algorithms(result, "s1->b", "active")


def test_response_times_of_bursts(result: Result) -> None:
    picture = plots.bursts(result)
    assert labels(picture) == ["vc1", "vc1 (return)"]
    assert picture.axes[0].get_ylabel() == "Burst response time (µs)"


def test_a_part_of_the_time(result: Result) -> None:
    picture = plots.queues(result, "s1", between=(30e-6, 80e-6))
    (axes,) = picture.axes
    assert axes.get_xlim() == pytest.approx((30, 80))
    assert np.asarray(axes.get_lines()[0].get_ydata()).tolist() == [4, 1, 1]  # what holds at its begin, to its end
    assert drawn(plots.delays(result, "vc2", between=(5e-6, 25e-6))) == {"vc2": 2}


def test_credits_and_delays(result: Result) -> None:
    held = plots.credits(result, "a->s1")
    assert held.axes[0].get_ylabel() == "Credit held (cells)"
    assert drawn(held) == {"vc1": 4}
    assert held.axes[0].get_title(loc="left") == "By hand: credit held on a->s1: vc1"
    assert drawn(plots.credits(result)) == {"vc1 on a->s1": 4}
    delays = plots.delays(result)
    assert delays.axes[0].get_ylabel() == "End-to-end delay (µs)"
    assert drawn(delays) == {"vc2": 5, "vc1": 39}


def test_windows_and_goodput_of_tcp(result: Result) -> None:
    picture = result.plot("cwnd")
    assert picture.axes[0].get_ylabel() == "Congestion window (bytes)"
    assert drawn(picture) == {"vc2, connection 1": 4}
    assert picture.axes[0].get_title(loc="left") == "By hand: congestion window: vc2, connection 1"
    bars = result.plot("goodput").axes[0]
    assert [bar.get_height() for bar in bars.patches] == [300, 300, 150]
    assert [label.get_text() for label in bars.get_xticklabels()] == ["vc1", "vc2.0", "vc2.1"]
    with pytest.raises(ValueError, match="no TCP connection"):
        make_result(tcp=result.tcp.slice(0, 0)).plot("goodput")


def test_plot_of_a_result_and_of_a_series(result: Result) -> None:
    assert result.plot().axes[0].get_ylabel() == "Fraction of link bandwidth"
    assert result.plot("queue", node="s1").axes[0].get_ylabel() == "Queue length (cells)"
    assert result.series("queue", node="s1").plot("Title").axes[0].get_title(loc="left") == "Title: whole switch"
    with pytest.raises(ValueError, match="unknown kind of picture 'queues'; allowed: bandwidth, delay, queue, credit"):
        result.plot("queues")


def test_all_pictures_are_files_of_equal_bytes(result: Result, tmp_path: Path) -> None:
    for form in ("png", "svg"):
        first = plots.plot_all(result, tmp_path / "1", form)  # type: ignore[arg-type]  # both are allowed
        second = plots.plot_all(result, tmp_path / "2", form)  # type: ignore[arg-type]
        assert [path.name for path in first] == [
            f"bandwidth_a-to-s1.{form}", f"bandwidth_s1-to-b.{form}", f"bandwidth_s1-to-a.{form}", f"delay.{form}",
            f"queue_s1.{form}", f"credit_a-to-s1.{form}", f"abr.{form}", f"abr_vc1.{form}",
            f"rate_s1-to-b.{form}", f"rate_s1-to-b_overload.{form}", f"bursts.{form}", f"cwnd.{form}",
            f"goodput.{form}",
        ]  # fmt: skip
        assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert len(plots.plot_all(result, tmp_path / "3", kinds=["queue"])) == 1
    with pytest.raises(ValueError, match="unknown kind of picture 'speed'"):
        plots.plot_all(result, tmp_path / "3", kinds=["speed"])


def test_pyplot_is_not_touched(result: Result) -> None:
    plots.queues(result, "s1").to_bytes()
    assert pyplot.get_fignums() == []


def test_notebooks_show_the_picture(result: Result) -> None:
    assert plots.queues(result, "s1")._repr_png_().startswith(b"\x89PNG")


def test_units_are_not_mixed(result: Result) -> None:
    with pytest.raises(ValueError, match="different units cannot share an axis: cells, s"):
        plots.draw([result.series("queue", node="s1"), result.delay("vc1")])
    with pytest.raises(ValueError, match="nothing to draw"):
        plots.draw([])


def test_an_empty_series_can_be_drawn() -> None:
    empty = Series(np.empty(0), np.empty(0), "s", "vc1", "End-to-end delay", "points", 0.0, 1.0)
    assert drawn(plots.draw(empty)) == {"vc1": 0}


def test_many_lines_are_counted_not_named() -> None:
    times = np.array([0.0, 1.0])
    many = [Series(times, times + k, "cells", f"vc{k}", "Queue length", "held", 0.0, 2.0) for k in range(40)]
    picture = plots.draw(many)
    assert len(labels(picture)) == plots.LEGEND_ENTRIES
    assert labels(picture)[-1] == "… 17 more"
    styles = {(line.get_color(), str(line.get_linestyle())) for line in picture.axes[0].get_lines()[:20]}
    assert len(styles) == 20


def test_downsampling_keeps_every_peak() -> None:
    rng = np.random.default_rng(1)
    times = np.sort(rng.uniform(0, 1, 100_000))
    values = rng.normal(size=times.size)
    values[[123, 45_678]] = 50, -50
    few_times, few = plots.downsample(times, values)
    assert len(few) <= plots.POINTS_DRAWN
    assert (few.max(), few.min()) == (50, -50)
    assert (few_times[0], few_times[-1]) == (times[0], times[-1])
    assert (np.diff(few_times) >= 0).all()
    edges = np.linspace(times[0], times[-1], plots.POINTS_DRAWN // 4 + 1)
    slots = [np.clip(np.searchsorted(edges, t, side="right") - 1, 0, len(edges) - 2) for t in (times, few_times)]
    highest = [np.full(len(edges) - 1, -np.inf) for _ in slots]
    for slot, v, top in zip(slots, (values, few), highest, strict=True):
        np.maximum.at(top, slot, v)
    assert (highest[0] == highest[1]).mean() > 0.99  # but for rounding at the edges of the slices


def test_downsampling_at_one_instant() -> None:
    few_times, few = plots.downsample(np.zeros(10_000), np.arange(10_000.0))
    assert few.tolist() == [0, 9999]
    assert few_times.tolist() == [0, 0]
