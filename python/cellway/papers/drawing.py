"""Draws the figures of a report as SVG: readable on a phone, the same bytes for the same data."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from cellway.papers.figure import Curve, Figure, Panel
from cellway.plots import Picture, downsample

WIDTH = 6.4
"""Inches; with type of 9 to 10 points this is still legible on a screen of 360 pixels."""
POINTS = 1000
"""Longer curves are drawn by the extremes of slices of time."""

# Okabe and Ito's colours, told apart with any colour vision.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
_INK, _FRAME, _GRID, _FAINT = "#333333", "#7A7A7A", "#E6E6E6", "#B0B0B0"


def svg(figure: Figure) -> str:
    """The figure as an SVG document."""
    text = picture(figure).to_bytes("svg").decode()
    # Beyond a hundredth of a point there is nothing to see; the file becomes half as large.
    return re.sub(r' d="[^"]*"', lambda path: re.sub(r"\d+\.\d{3,}", _hundredths, path.group()), text)


def _hundredths(number: re.Match[str]) -> str:
    return f"{float(number.group()):.2f}".rstrip("0").rstrip(".")


def picture(figure: Figure) -> Picture:
    """The figure, drawn."""
    count = len(figure.panels)
    drawn = Picture(width=WIDTH, height=0.7 + 2.35 * count if count > 1 else 3.3)
    rows = drawn.subplots(count, 1, sharex=True, squeeze=False)
    for panel, axes in zip(figure.panels, rows[:, 0], strict=True):
        _draw(axes, panel, figure)
    rows[-1, 0].set_xlabel(figure.x_label)
    return drawn


def _draw(axes: Axes, panel: Panel, figure: Figure) -> None:
    visible = [_visible(line, figure) for line in panel.curves]
    strong = 0
    for line in visible:
        _draw_curve(axes, line, _FAINT if line.faint else _COLOURS[strong % len(_COLOURS)])
        strong += not line.faint
    for level in panel.levels:
        axes.axhline(level.value, color=_INK, linewidth=0.9, linestyle=(0, (4, 3)), label=level.label, zorder=1.5)
    axes.set_ylabel(panel.y_label)
    axes.grid(True, color=_GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(_FRAME)
    axes.tick_params(color=_FRAME, labelsize=9)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6))
    if panel.y_range:
        axes.set_ylim(*panel.y_range)
    else:
        tops = [float(line.y.max()) for line in visible if len(line.y)] + [one.value for one in panel.levels]
        highest = max(tops, default=0.0)
        axes.set_ylim(0, highest * 1.08 or 1)
    if figure.x_range:
        axes.set_xlim(*figure.x_range)
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        columns = 4 if len(handles) == 4 and sum(map(len, labels)) <= 44 else min(len(handles), 3)
        axes.legend(
            handles, labels, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=columns, fontsize=9,
            frameon=False, borderaxespad=0.2, handlelength=1.6, columnspacing=1.4,
        )  # fmt: skip


def _visible(line: Curve, figure: Figure) -> Curve:
    """The part within the horizontal limits and one point beyond each end, so that the line reaches the frame."""
    if figure.x_range is None or not len(line.x):
        return line
    first = max(int(np.searchsorted(line.x, figure.x_range[0])) - 1, 0)
    last = int(np.searchsorted(line.x, figure.x_range[1], side="right")) + 1
    return replace(line, x=line.x[first:last], y=line.y[first:last])


def _draw_curve(axes: Axes, line: Curve, colour: str) -> None:
    x, y = downsample(line.x, line.y, POINTS)
    style: dict[str, Any] = {"color": colour, "linewidth": 0.9 if line.faint else 1.3, "solid_capstyle": "butt"}
    if line.style == "steps":
        style["drawstyle"] = "steps-post"
    elif line.style == "points":
        style |= {"marker": ".", "markersize": 2.5, "linestyle": "none"}
    elif line.style == "marks":
        style |= {"marker": "o", "markersize": 3.5 if line.faint else 4.5}
    axes.plot(x, y, label=line.label or "_", **style)
