"""Pictures of recorded series: bandwidth, end-to-end delay, cells queued, credits held.

Every function returns a matplotlib figure of its own (Agg), never pyplot's global one, and shows itself in a notebook.
Draws whatever looks like a series or a result (`Drawable`, `Recorded`); it runs nothing and reads no files.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Shape = Literal["held", "bins", "curve", "points"]
"""How values lie between the times: held until the next time; mean over the bin that ends at the time; a continuous
curve; separate events."""

KINDS = ("bandwidth", "delay", "queue", "credit", "abr", "rate", "bursts", "cwnd", "goodput")
"""Kinds of pictures that `plot_all` draws, in this order."""
CELL_BITS = 424
"""Bits of a cell: 53 octets."""
POINTS_DRAWN = 4000
"""Longer series are drawn by the first, least, largest and last value of about a thousand slices of time."""
LEGEND_ENTRIES = 24
"""More lines than this are counted in the legend rather than named."""

# Okabe and Ito's colours, told apart with any colour vision; without yellow and black, which are too light or too heavy
# for lines. Dashes tell further lines apart.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#6B6B6B")
_DASHES = ("-", "--", ":", "-.")
_TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_GRID = "#E2E2E2"
_FRAME = "#7A7A7A"


Part = tuple[float, float]


"""Begin and end [s] of the part of the time to draw."""


class Drawable(Protocol):
    """What a line is drawn from; `cellway.Series` is one."""

    @property
    def times(self) -> Floats:
        """Times [s], never decreasing."""

    @property
    def values(self) -> Floats:
        """Values, in `unit`."""

    @property
    def unit(self) -> str:
        """Unit of the values, `1` for fractions."""

    @property
    def label(self) -> str:
        """What the legend calls it."""

    @property
    def quantity(self) -> str:
        """What the axis calls it."""

    @property
    def shape(self) -> Shape:
        """How values lie between the times."""

    @property
    def start(self) -> float:
        """Begin of the observation [s]."""

    @property
    def end(self) -> float:
        """End of the observation [s]."""

    def between(self, start: float, end: float) -> Drawable:
        """The part from `start` to `end` [s]."""


class Recorded(Protocol):
    """What pictures are drawn from; `cellway.Result` is one."""

    @property
    def title(self) -> str:
        """Title of the scenario."""

    def observed(self, kind: str) -> Sequence[dict[str, str]]:
        """What was recorded of one kind, each as the arguments of the method that gives the series."""

    def series(
        self,
        kind: str,
        *,
        node: str | None = None,
        link: str | None = None,
        vc: str | None = None,
        cells: str | None = None,
        direction: str | None = None,
        quantity: str | None = None,
        connection: int | str | None = None,
    ) -> Drawable:
        """A recorded series."""

    def goodputs(self) -> dict[str, float]:
        """Goodput of each TCP connection by its name [bit/s]."""

    def bandwidth(
        self, link: str, vc: str | None = None, cells: str | None = None, window: float | str = 25
    ) -> Drawable:
        """Moving average of the bandwidth used on a link."""

    def delay(self, vc: str, to: str | None = None) -> Drawable:
        """End-to-end delays of a VC."""

    def response_times(self, vc: str, direction: str | None = None) -> Drawable:
        """Burst response times of a VC."""


class Picture(Figure):
    """A matplotlib figure that notebooks show, and that saves the same bytes each time."""

    def __init__(self, width: float = 9.0, height: float = 3.8) -> None:
        super().__init__(figsize=(width, height), layout="constrained", facecolor="white")
        FigureCanvasAgg(self)

    def _repr_png_(self) -> bytes:
        return self.to_bytes("png")

    def to_bytes(self, format: Literal["png", "svg"] = "png", dpi: int = 130) -> bytes:
        """The picture as PNG or SVG; equal pictures give equal bytes."""
        target = io.BytesIO()
        # Without these the file holds the time of day and random element names.
        metadata = {"Date": None} if format == "svg" else {"Software": None}
        with matplotlib.rc_context({"svg.hashsalt": "cellway", "svg.fonttype": "path"}):
            self.savefig(target, format=format, dpi=dpi, metadata=metadata)
        return target.getvalue()


def draw(
    series: Drawable | Iterable[Drawable],
    title: str = "",
    *,
    labels: Iterable[str] | None = None,
    between: Part | None = None,
    height: float = 3.8,
) -> Picture:
    """One set of axes with one line for each series, all of one unit.

    Args:
        series: What to draw.
        title: Above the axes.
        labels: Names in the legend. Default: the labels of the series.
        between: Draw this part of the time only, begin and end [s]. Default: all.
        height: Height of the picture in inches.

    Raises:
        ValueError: there is no series, or two have different units.
    """
    lines: list[Drawable] = [series] if hasattr(series, "times") else list(series)  # type: ignore[list-item]
    if not lines:
        raise ValueError("nothing to draw: no series")
    names = [line.label for line in lines] if labels is None else list(labels)
    units = {line.unit for line in lines}
    if len(units) > 1:
        raise ValueError(f"series of different units cannot share an axis: {', '.join(sorted(units))}")
    if between is not None:
        lines = [line.between(*between) for line in lines]
    picture = Picture(height=height)
    axes = picture.add_subplot()
    start, end = between or (min(line.start for line in lines), max(line.end for line in lines))
    time_scale, time_unit = _scale(end)
    value_scale, value_unit = _value_scale(lines)
    for index, (line, name) in enumerate(zip(lines, names, strict=True)):
        style = _style(index, len(lines)) | {"label": name}
        _draw_line(axes, line, style, time_scale, value_scale)
    axes.set_xlim(start / time_scale, max(end, start + time_scale * 1e-9) / time_scale)
    axes.set_xlabel(f"Time ({time_unit})")
    quantities = list(dict.fromkeys(line.quantity for line in lines))
    axes.set_ylabel(quantities[0] + (f" ({value_unit})" if value_unit else "") if len(quantities) == 1 else value_unit)
    _frame(axes, lines, value_scale)
    _legend(picture, axes, lines, names, title)
    return picture


def bandwidth(
    result: Recorded,
    link: str,
    vc: str | None = None,
    cells: str | None = None,
    *,
    window: float | str = 25,
    between: Part | None = None,
    title: str | None = None,
) -> Picture:
    """Fraction of a link's bandwidth in use, averaged over an interval around each point, headers included.

    Without `vc` and `cells`: a line for each VC's data, for all cells, and for credit cells alone.

    Args:
        result: The result.
        link: The link, `from->to`.
        vc: Cells of this VC alone.
        cells: `data`, `credit` or `all`.
        window: The interval, in cell times of the link or as a duration such as `"50 us"`.
        between: Draw this part of the time only. Default: all.
        title: Above the axes. Default: the title of the scenario and the link.
    """
    if vc is not None or cells is not None:
        lines = [result.bandwidth(link, vc=vc, cells=cells, window=window)]
    else:
        seen = [which for which in result.observed("bandwidth") if which["link"] == link]
        lines = [result.bandwidth(link, which.get("vc"), which.get("cells"), window) for which in seen]
        if not lines:
            lines = [result.bandwidth(link, window=window)]  # which says what is missing
    return draw(lines, _title(result, f"bandwidth of {link}", title), between=between)


def delays(
    result: Recorded, vc: str | None = None, *, between: Part | None = None, title: str | None = None
) -> Picture:
    """End-to-end delay of each cell, over the time it was sent; of one VC, or of all that were recorded."""
    seen = [which for which in result.observed("delay") if vc is None or which["vc"] == vc]
    lines = [result.delay(**which) for which in seen] or [result.delay(vc or "")]
    return draw(lines, _title(result, "end-to-end delay", title), between=between)


def queues(
    result: Recorded, node: str | None = None, *, between: Part | None = None, title: str | None = None
) -> Picture:
    """Cells queued: in one switch, or in all that were recorded."""
    seen = [which for which in result.observed("queue") if node is None or which["node"] == node]
    lines = [result.series("queue", **which) for which in seen] or [result.series("queue", node=node)]
    labels = [line.label if node else f"{which['node']}: {line.label}" for which, line in zip(seen, lines, strict=True)]
    where = f" in {node}" if node else ""
    return draw(lines, _title(result, f"cells queued{where}", title), labels=labels, between=between)


def credits(
    result: Recorded, link: str | None = None, *, between: Part | None = None, title: str | None = None
) -> Picture:
    """Credit that the sender of a link holds for each VC; on one link, or on all that were recorded."""
    seen = [which for which in result.observed("credit") if link is None or which["link"] == link]
    lines = [result.series("credit", **which) for which in seen] or [result.series("credit", link=link)]
    labels = [which["vc"] if link else line.label for which, line in zip(seen, lines, strict=True)]
    where = f" on {link}" if link else ""
    return draw(lines, _title(result, f"credit held{where}", title), labels=labels, between=between)


def windows(
    result: Recorded,
    vc: str | None = None,
    quantity: str = "cwnd",
    *,
    between: Part | None = None,
    title: str | None = None,
) -> Picture:
    """Congestion windows of TCP senders, of one VC or of all that were recorded; or another `quantity` of theirs."""
    seen = [which for which in result.observed(quantity) if vc is None or which["vc"] == vc]
    lines = [result.series(quantity, **which) for which in seen] or [result.series(quantity, vc=vc)]
    return draw(lines, _title(result, lines[0].quantity.lower(), title), between=between)


def goodputs(result: Recorded, *, title: str | None = None) -> Picture:
    """Goodput of every TCP connection since the warm-up.

    Raises:
        ValueError: the result has no TCP connection.
    """
    rates = result.goodputs()
    if not rates:
        raise ValueError("nothing to draw: no TCP connection")
    picture = Picture()
    axes = picture.add_subplot()
    places = np.arange(len(rates))
    axes.bar(places, np.asarray(list(rates.values())) / 1e6, color=_COLOURS[0], width=0.8)
    if len(rates) <= LEGEND_ENTRIES:
        axes.set_xticks(places, list(rates))
        axes.tick_params(axis="x", labelrotation=45 if len(rates) > 8 else 0)
    axes.set_xlabel("TCP connection")
    axes.set_ylabel("Goodput (Mbit/s)")
    axes.grid(True, axis="y", color=_GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_title(_title(result, "goodput", title), loc="left", fontsize=10.5)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return picture


def sources(
    result: Recorded, vc: str | None = None, *, between: Part | None = None, title: str | None = None
) -> Picture:
    """Rates of ABR sources: ACR and ER of one VC, or the ACR of all whose rate was recorded."""
    if vc is None:
        seen = result.observed("acr")
        lines = [result.series("acr", **which) for which in seen] or [result.series("acr")]
        labels = [line.label.removeprefix("ACR of ") for line in lines]
        return draw(lines, _title(result, "allowed cell rates", title), labels=labels, between=between)
    found = [(kind, which) for kind in ("er", "acr") for which in result.observed(kind) if which["vc"] == vc]
    lines = [result.series(kind, **which) for kind, which in found] or [result.series("acr", vc=vc)]
    labels = [kind.upper() + (" (return)" if which["direction"] == "return" else "") for kind, which in found]
    return draw(lines, _title(result, f"rates of {vc}", title), labels=labels or None, between=between)


def algorithms(
    result: Recorded,
    link: str | None = None,
    quantity: str | None = None,
    *,
    between: Part | None = None,
    title: str | None = None,
) -> Picture:
    """What the rate algorithm of a port measures and decides: its rates, or one quantity.

    Args:
        result: The result.
        link: The port's link. Default: the first that was recorded.
        quantity: One quantity, for example `overload`. Default: all that are rates, else the first.
        between: Draw this part of the time only. Default: all.
        title: Above the axes. Default: the title of the scenario and the link.
    """
    observed = result.observed("rate")
    chosen = link or next((which["link"] for which in observed), None)
    here = [which["quantity"] for which in observed if which["link"] == chosen]
    if not here or (quantity is not None and quantity not in here):
        result.series("rate", link=chosen, quantity=quantity)  # which says what is missing
    every = {name: result.series("rate", link=chosen, quantity=name) for name in here}
    rates = [name for name in here if every[name].unit == "cells/s"]
    names = [quantity] if quantity is not None else rates or here[:1]
    labels = [name.replace("_", " ") for name in names]
    title = _title(result, f"rate algorithm of {chosen}", title)
    return draw([every[name] for name in names], title, labels=labels, between=between)


def bursts(
    result: Recorded, vc: str | None = None, *, between: Part | None = None, title: str | None = None
) -> Picture:
    """Response time of each burst, over the time it was offered; of one VC, or of all that were recorded."""
    seen = [which for which in result.observed("bursts") if vc is None or which["vc"] == vc]
    lines = [result.response_times(**which) for which in seen] or [result.response_times(vc or "")]
    return draw(lines, _title(result, "burst response times", title), between=between)


def plot_all(
    result: Recorded,
    out: str | Path,
    format: Literal["png", "svg"] = "png",
    *,
    kinds: Iterable[str] = KINDS,
    window: float | str = 25,
    between: Part | None = None,
) -> list[Path]:
    """Writes every picture that the recorded series allow: one for each link, switch and kind.

    Args:
        result: The result.
        out: Folder for the pictures; made if missing.
        format: `png` or `svg`.
        kinds: Some of `KINDS`.
        window: Interval over which bandwidth is averaged.
        between: Draw this part of the time only. Default: all.

    Returns:
        The files, in the order of `KINDS`; empty where nothing was recorded.

    Raises:
        ValueError: an unknown kind.
    """
    folder, written = Path(out), []
    for name, picture in _pictures(result, tuple(kinds), window, between):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{_file_name(name)}.{format}"
        path.write_bytes(picture.to_bytes(format))
        written.append(path)
    return written


def _pictures(
    result: Recorded, kinds: Sequence[str], window: float | str, between: Part | None
) -> Iterator[tuple[str, Picture]]:
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise ValueError(f"unknown kind of picture '{unknown[0]}'; allowed: {', '.join(KINDS)}")
    for kind in (kind for kind in KINDS if kind in kinds):
        observed = result.observed(kind)
        if kind == "bandwidth":
            for link in dict.fromkeys(which["link"] for which in observed):
                yield f"{kind} {link}", bandwidth(result, link, window=window, between=between)
        elif kind == "delay":
            if observed:
                yield kind, delays(result, between=between)
        elif kind == "cwnd":
            if observed:
                yield kind, windows(result, between=between)
        elif kind == "goodput":
            if observed:
                yield kind, goodputs(result)
        elif kind == "queue":
            for node in dict.fromkeys(which["node"] for which in observed):
                yield f"{kind} {node}", queues(result, node, between=between)
        elif kind == "credit":
            for link in dict.fromkeys(which["link"] for which in observed):
                yield f"{kind} {link}", credits(result, link, between=between)
        elif kind == "abr":
            if len(result.observed("acr")) > 1:
                yield kind, sources(result, between=between)
            for vc in dict.fromkeys(which["vc"] for which in observed):
                yield f"{kind} {vc}", sources(result, vc, between=between)
        elif kind == "rate":
            for link in dict.fromkeys(which["link"] for which in observed):
                yield from _algorithm_pictures(result, link, between)
        elif observed:
            yield kind, bursts(result, between=between)


def _algorithm_pictures(result: Recorded, link: str, between: Part | None) -> Iterator[tuple[str, Picture]]:
    """The rates of a port in one picture, and each other quantity in one of its own."""
    names = [which["quantity"] for which in result.observed("rate") if which["link"] == link]
    others = [name for name in names if result.series("rate", link=link, quantity=name).unit != "cells/s"]
    if len(others) < len(names):
        yield f"rate {link}", algorithms(result, link, between=between)
    for name in others:
        yield f"rate {link} {name}", algorithms(result, link, name, between=between)


def _title(result: Recorded, what: str, chosen: str | None) -> str:
    if chosen is not None:
        return chosen
    return f"{result.title}: {what}" if result.title else what[0].upper() + what[1:]


def _file_name(text: str) -> str:
    """A name that every file system and shell takes: `bandwidth_a-to-s1`."""
    return re.sub(r"[^\w.,+\[\]-]+", "_", text.replace("->", "-to-"))


def _scale(largest: float) -> tuple[float, str]:
    """The unit of time that leaves numbers above 1."""
    for size, unit in _TIME_UNITS:
        if largest >= size:
            return size, unit
    return _TIME_UNITS[-1]


def _value_scale(lines: Sequence[Drawable]) -> tuple[float, str]:
    """Factor and name of the unit on the axis."""
    unit = lines[0].unit
    if unit == "1":
        return 1.0, ""
    if unit == "cells/s":
        return 1e6 / CELL_BITS, "Mbit/s"  # of whole cells
    if unit == "s":
        return _scale(max((float(np.nanmax(line.values)) for line in lines if len(line.values)), default=1.0))
    return 1.0, unit


def _style(index: int, crowd: int) -> dict[str, Any]:
    # Where lines coincide, the earlier one shows on both sides of the later one.
    width = 1.2 + 0.5 * min(crowd - 1 - index, 3) if crowd <= 8 else 1.0
    return {
        "color": _COLOURS[index % len(_COLOURS)],
        "linestyle": _DASHES[index // len(_COLOURS) % len(_DASHES)],
        "linewidth": width,
        "solid_capstyle": "butt",
    }


def _draw_line(axes: Axes, line: Drawable, style: dict[str, Any], time_scale: float, value_scale: float) -> None:
    times, values = line.times, line.values
    if line.shape == "held" and len(times) and times[-1] < line.end:
        times, values = np.append(times, line.end), np.append(values, values[-1])
    if line.shape == "bins" and len(times):
        times, values = np.insert(times, 0, line.start), np.insert(values, 0, values[0])
    times, values = downsample(times, values, POINTS_DRAWN * (4 if line.shape == "points" else 1))
    if line.shape == "held":
        style["drawstyle"] = "steps-post"
    elif line.shape == "bins":
        style["drawstyle"] = "steps-pre"
    elif line.shape == "points":
        style |= {"marker": ".", "markersize": 1 + style["linewidth"], "linestyle": "none"}
    axes.plot(times / time_scale, values / value_scale, **style)


def downsample(times: Floats, values: Floats, most: int = POINTS_DRAWN) -> tuple[Floats, Floats]:
    """At most about `most` points that look the same: the first, least, largest and last of each slice of time."""
    if len(times) <= most:
        return times, values
    slices = max(most // 4, 1)
    span = times[-1] - times[0]
    if span <= 0:
        keep = np.unique([0, int(np.argmin(values)), int(np.argmax(values)), len(times) - 1])
        return times[keep], values[keep]
    slot = np.minimum(((times - times[0]) / span * slices).astype(np.int64), slices - 1)
    first = np.flatnonzero(np.r_[True, slot[1:] != slot[:-1]])
    last = np.r_[first[1:], len(times)] - 1
    # Within each slice sort by value, keeping the slices in order: its ends are the least and the largest.
    order = np.lexsort((values, slot))
    keep = np.unique(np.concatenate([first, last, order[first], order[last]]))
    return times[keep], values[keep]


def _frame(axes: Axes, lines: Sequence[Drawable], value_scale: float) -> None:
    axes.grid(True, color=_GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(_FRAME)
    axes.tick_params(color=_FRAME, labelsize=9)
    whole = lines[0].unit == "cells"
    axes.yaxis.set_major_locator(MaxNLocator(nbins=7, integer=whole))
    finite = [values[np.isfinite(values)] for values in (line.values for line in lines)]
    highest = max((float(values.max()) for values in finite if len(values)), default=0.0) / value_scale
    lowest = min((float(values.min()) for values in finite if len(values)), default=0.0) / value_scale
    if lines[0].unit == "1" and lowest >= 0 and 0.25 <= highest <= 1.02:
        axes.set_ylim(0, 1.05)  # fractions of one whole are compared across pictures
        axes.set_yticks(np.linspace(0, 1, 6))
    elif lowest >= 0:
        axes.set_ylim(0, highest * 1.06 if highest > 0 else 1)


def _legend(picture: Picture, axes: Axes, lines: Sequence[Drawable], names: Sequence[str], title: str) -> None:
    if len(lines) == 1:
        title = f"{title}: {names[0]}" if title and names[0] not in title else title or names[0]
    if title:
        axes.set_title(title, loc="left", fontsize=10.5)
    if len(lines) == 1:
        return
    handles, labels = axes.get_legend_handles_labels()
    if len(handles) > LEGEND_ENTRIES:
        more = len(handles) - LEGEND_ENTRIES + 1
        handles = [*handles[: LEGEND_ENTRIES - 1], axes.plot([], [], linestyle="none")[0]]
        labels = [*labels[: LEGEND_ENTRIES - 1], f"… {more} more"]
    columns = 1 if len(handles) <= 14 else 2
    legend = picture.legend(
        handles, labels, loc="outside right upper", fontsize=9 if len(handles) <= 14 else 8, ncols=columns,
        frameon=False, handlelength=1.8,
    )  # fmt: skip
    for handle, line in zip(legend.get_lines(), lines, strict=False):
        if line.shape == "points":
            handle.set_markersize(8)
        else:
            handle.set_linewidth(2)
