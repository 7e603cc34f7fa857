"""Recorded quantities over time, with their unit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas

    from cellway.plots import Floats, Picture, Shape


@dataclass(frozen=True, eq=False)
class Series:
    """A quantity over time.

    `shape` says how the values lie between the times: `held` until the next time, means over the bins that end at the
    times (`bins`), a continuous `curve`, or separate events (`points`, for example one cell each).
    """

    times: Floats
    """Times [s], never decreasing."""
    values: Floats
    """Values, in `unit`."""
    unit: str
    """Unit of the values; `1` for fractions."""
    label: str
    """What it is about: `vc1 at s1->b`."""
    quantity: str
    """What is measured: `Cells queued`."""
    shape: Shape
    """How values lie between the times."""
    start: float
    """Begin of the observation [s]."""
    end: float
    """End of the observation [s]."""
    maxima: Floats | None = None
    """The largest value within each bin, where the shape is `bins`."""

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        unit = "" if self.unit == "1" else f" {self.unit}"
        about = f"{len(self)} points in {self.start:.6g} s to {self.end:.6g} s"
        if len(self):
            about += f", mean {self.mean():.6g}{unit}, max {self.max():.6g}{unit}"
        return f"<Series {self.quantity.lower()}, {self.label}: {about}>"

    def mean(self) -> float:
        """Mean over time; over the events where the shape is `points`. NaN when empty."""
        if not len(self):
            return float("nan")
        if self.shape == "points":
            return float(self.values.mean())
        if self.shape == "curve":
            span = self.times[-1] - self.times[0]
            return float(np.trapezoid(self.values, self.times) / span) if span > 0 else float(self.values[0])
        weights = self._durations()
        total = float(weights.sum())
        return float((self.values * weights).sum() / total) if total > 0 else float(self.values[-1])

    def max(self) -> float:
        """The largest value, also within bins. NaN when empty."""
        values = self.values if self.maxima is None else self.maxima
        return float(values.max()) if len(self) else float("nan")

    def min(self) -> float:
        """The least value (of bins: the least mean). NaN when empty."""
        return float(self.values.min()) if len(self) else float("nan")

    def at(self, time: float) -> float:
        """The value at `time` [s]; NaN outside the observation, and for separate events."""
        if not len(self) or not self.start <= time <= self.end or self.shape == "points":
            return float("nan")
        if self.shape == "curve":
            return float(np.interp(time, self.times, self.values, left=np.nan, right=np.nan))
        if self.shape == "bins":
            index = int(np.searchsorted(self.times, time, side="left"))
            return float(self.values[index]) if index < len(self) else float("nan")
        index = int(np.searchsorted(self.times, time, side="right")) - 1
        return float(self.values[index]) if index >= 0 else float("nan")

    def between(self, start: float, end: float) -> Series:
        """The part from `start` to `end` [s]; of bins, those that lie within.

        Raises:
            ValueError: `end` is before `start`.
        """
        if end < start:
            raise ValueError(f"the end, {end} s, is before the start, {start} s")
        start, end = max(start, self.start), min(end, self.end)
        if self.shape == "bins":
            keep = (self._bin_starts() >= start) & (self.times <= end)
            maxima = None if self.maxima is None else self.maxima[keep]
            times = self.times[keep]
            first = float(self._bin_starts()[keep][0]) if len(times) else start
            last = float(times[-1]) if len(times) else first
            return replace(self, times=times, values=self.values[keep], maxima=maxima, start=first, end=last)
        keep = (self.times >= start) & (self.times <= end)
        times, values = self.times[keep], self.values[keep]
        if self.shape == "held" and len(self) and self.times[0] < start and not (len(times) and times[0] == start):
            times, values = np.insert(times, 0, start), np.insert(values, 0, self.at(start))
        return replace(self, times=times, values=values, start=start, end=max(start, end))

    def to_pandas(self) -> pandas.Series[Any]:
        """The values as a pandas Series with the times [s] as index.

        Raises:
            ImportError: pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas() needs pandas: pip install pandas") from None
        unit = "" if self.unit == "1" else f" [{self.unit}]"
        name = f"{self.quantity}, {self.label}{unit}"
        return pandas.Series(self.values, index=pandas.Index(self.times, name="time [s]"), name=name)

    def plot(self, title: str = "") -> Picture:
        """Draws it: times on the horizontal axis, values with their unit on the vertical one."""
        from cellway.plots import draw  # not above: matplotlib takes long to load, and most runs draw nothing

        return draw(self, title)

    def _bin_starts(self) -> Floats:
        return np.r_[self.start, self.times[:-1]]

    def _durations(self) -> Floats:
        """How long each value holds [s]."""
        if self.shape == "bins":
            return self.times - self._bin_starts()
        return np.diff(np.r_[self.times, self.end])


def moving_average(
    starts: Floats, duration: float, window: float, end: float, every: float | None = None
) -> tuple[Floats, Floats]:
    """Fraction of time in which something was busy, in a window around each point of a regular grid.

    The average is exact: the busy time is integrated, not sampled. Near the ends the window is cut, not shifted.

    Args:
        starts: Begins of the busy intervals [s], in order; they do not overlap.
        duration: Length of each [s].
        window: Length of the window [s].
        end: End of the observation, which begins at 0 [s].
        every: Distance of the points [s]. Default: `duration`.

    Returns:
        The points [s], and the fraction at each.
    """
    points = np.arange(0.0, end, duration if every is None else every)
    if not len(starts):
        return points, np.zeros_like(points)
    # Busy time up to t is linear between these knots. Rounding could order an end after the next start by a hair.
    knots = np.column_stack([starts, starts + duration]).ravel()
    busy = np.repeat(np.arange(len(starts) + 1, dtype=np.float64) * duration, 2)[1:-1]
    knots = np.maximum.accumulate(knots)
    low, high = np.maximum(points - window / 2, 0.0), np.minimum(points + window / 2, end)
    used = np.interp(high, knots, busy) - np.interp(low, knots, busy)
    return points, np.clip(used / (high - low), 0.0, 1.0)
