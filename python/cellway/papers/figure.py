"""What a report shows, as data: curves, reference lines and tables. `cellway.papers.drawing` draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from cellway.plots import Floats
from cellway.series import Series

Style = Literal["line", "steps", "points", "marks"]
"""A continuous curve, a value held until the next one, separate dots, or dots joined by a line."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A line in a panel."""

    label: str
    """What the legend calls it; empty for none."""
    x: Floats
    """Horizontal values, never decreasing."""
    y: Floats
    """Vertical values."""
    style: Style = "line"
    """How the values lie between the points."""
    faint: bool = False
    """Drawn thin and grey, as background: printed values, other runs."""


@dataclass(frozen=True)
class Level:
    """A horizontal reference: what theory or the paper says."""

    value: float
    """Where."""
    label: str
    """What it is."""


@dataclass(frozen=True)
class Panel:
    """One set of axes."""

    y_label: str
    """What the vertical axis shows, with its unit."""
    curves: tuple[Curve, ...]
    """The lines."""
    levels: tuple[Level, ...] = ()
    """Horizontal references."""
    y_range: tuple[float, float] | None = None
    """Limits of the vertical axis. Default: from 0, or as the values need."""


@dataclass(frozen=True)
class Figure:
    """Panels under one another with a common horizontal axis."""

    name: str
    """Unique within its item, for file names: letters, digits and hyphens."""
    caption: str
    """What there is to see, in a sentence or two."""
    x_label: str
    """What the horizontal axis shows, with its unit."""
    panels: tuple[Panel, ...]
    """From top to bottom."""
    x_range: tuple[float, float] | None = None
    """Limits of the horizontal axis. Default: as the values need."""


@dataclass(frozen=True)
class Sheet:
    """A table."""

    caption: str
    """What it holds."""
    head: tuple[str, ...]
    """Headings of the columns."""
    rows: tuple[tuple[str, ...], ...]
    """The cells of each row."""


def curve(label: str, series: Series, unit: float, *, start: float | None = None, end: float | None = None) -> Curve:
    """A recorded series as a curve, its times in multiples of `unit` [s], cut to `start` and `end` [s]."""
    if start is not None or end is not None:
        series = series.between(series.start if start is None else start, series.end if end is None else end)
    times, values = series.times, series.values
    style: Style = "points" if series.shape == "points" else "line"
    if series.shape == "held":
        style = "steps"
        if len(times) and times[-1] < series.end:
            times, values = np.append(times, series.end), np.append(values, values[-1])
    elif series.shape == "bins" and len(times):
        style = "steps"  # each mean from the start of its bin to the next
        times, values = np.r_[series.start, times], np.append(values, values[-1])
    return Curve(label, times / unit, values, style)


def marks(label: str, x: ArrayLike, y: ArrayLike, faint: bool = False) -> Curve:
    """Measured points joined by a line."""
    return Curve(label, np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64), "marks", faint)


def sheet(caption: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> Sheet:
    """A table of anything that prints."""
    return Sheet(caption, tuple(head), tuple(tuple(str(cell) for cell in row) for row in rows))
