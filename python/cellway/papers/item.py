"""What an item of a paper is: a claim, the quantities that decide it with their bands, and how to measure them.

A band is a literal in the item's file, written down before the first run, and says where it comes from. It is never
widened to fit a result: what lies outside differs, and the note gives the reason.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from cellway.papers.figure import Figure, Sheet
from cellway.result import Result
from cellway.scenario import Scenario

Verdict = Literal["reproduced", "differs", "not reproducible"]
Results = Mapping[str, Result]
"""The results of an item's scenarios, by label."""


@dataclass(frozen=True)
class Quantity:
    """Something measured, and the band that the paper or theory gives for it."""

    name: str
    """What it is, for reading; unique within its item."""
    unit: str
    """Its unit; `1` for fractions and ratios."""
    low: float | None
    """Least value that confirms the claim; None: no lower limit."""
    high: float | None
    """Largest value that confirms the claim; None: no upper limit."""
    source: str
    """Where the band comes from: section, figure, equation, function of `cellway.theory`."""
    paper: float | None = None
    """The value that the paper prints or states, if it does."""
    note: str = ""
    """What a reader must know of this value, whatever the verdict."""
    reason: str = ""
    """Why it differs, as far as it was found out; shown only where it differs."""
    lost: str = ""
    """Why the printed value cannot be reproduced (its input is lost). The verdict is then `not reproducible`."""
    seeds: Literal["each", "mean"] = "each"
    """Whether the value of each seed must lie in the band, or their mean (for extremes of random traffic)."""

    def __post_init__(self) -> None:
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"{self.name}: the band [{self.low}, {self.high}] is empty")
        if self.low is None and self.high is None and not self.lost:
            raise ValueError(f"{self.name}: a band needs a limit")
        if not self.source:
            raise ValueError(f"{self.name}: a band needs a source")

    def holds(self, value: float) -> bool:
        """True where `value` lies in the band."""
        return (
            math.isfinite(value)
            and (self.low is None or value >= self.low)
            and (self.high is None or value <= self.high)
        )

    def judge(self, values: Sequence[float]) -> tuple[float | None, Verdict, str]:
        """The measured value, the verdict, and the note, from the values of each seed.

        The measured value is the mean where `seeds` says so; else that of the first seed or, if some seed left the
        band, the one farthest outside it.
        """
        notes = [self.note]
        finite = [tidy(value) for value in values if math.isfinite(value)]
        if len(finite) < len(values) or not values:
            return None, "not reproducible" if self.lost else "differs", _joined(*notes, self.lost or "not measured")
        if self.seeds == "mean":
            measured = tidy(math.fsum(finite) / len(finite))
        else:
            measured = max(finite, key=self._outside)  # the first of equals
        least, largest = number(min(finite)), number(max(finite))
        if least != largest:
            what = "mean of" if self.seeds == "mean" else "over"
            notes.append(f"{what} {len(finite)} seeds, {least} to {largest}")
        if self.lost:
            return measured, "not reproducible", _joined(*notes, self.lost)
        if self.holds(measured):
            return measured, "reproduced", _joined(*notes)
        return measured, "differs", _joined(*notes, self.reason or "no reason found")

    def _outside(self, value: float) -> float:
        """How far outside the band."""
        below = 0.0 if self.low is None else self.low - value
        above = 0.0 if self.high is None else value - self.high
        return max(below, above, 0.0)


@dataclass(frozen=True)
class Item:
    """A figure, table or section of a paper."""

    paper: str
    """Name of the paper."""
    name: str
    """Its name within the paper: `fig-16`, `fig-10/11`, `sec-4.5`."""
    title: str
    """A few words."""
    claim: str
    """What the paper claims, in one sentence."""
    quantities: tuple[Quantity, ...]
    """What decides it."""
    measure: Callable[[Results], Mapping[str, float]]
    """The values of all quantities, by name, from the results of one seed."""
    figures: Callable[[Results], Sequence[Figure | Sheet]]
    """What the report shows, from the results of the first seed."""
    scenarios: Callable[[], Mapping[str, Scenario]] = field(default=dict)
    """The scenarios by label; none where theory alone decides."""
    seeds: tuple[int, ...] = (1,)
    """Seeds of the runs."""
    note: str = ""
    """What the paper left open and how it is settled here."""

    def __post_init__(self) -> None:
        names = [quantity.name for quantity in self.quantities]
        if len(set(names)) < len(names) or not names:
            raise ValueError(f"{self.paper}/{self.name}: quantities need names of their own")
        if not self.seeds:
            raise ValueError(f"{self.paper}/{self.name}: at least one seed")

    @property
    def path(self) -> str:
        """`PAPER/ITEM`."""
        return f"{self.paper}/{self.name}"

    @property
    def slug(self) -> str:
        """The name as part of a file name or an anchor."""
        return re.sub(r"[^a-z0-9.]+", "-", self.name)


@dataclass(frozen=True)
class Paper:
    """A paper and its items."""

    name: str
    """Its short name."""
    citation: str
    """Authors, title, year."""
    setting: str
    """What holds for all its items: parameters, and choices where the paper is silent."""
    items: tuple[Item, ...]
    """Its figures and tables, in their order."""

    def __post_init__(self) -> None:
        if any(item.paper != self.name for item in self.items):
            raise ValueError(f"an item of {self.name} names another paper")


def number(value: float) -> str:
    """A value for reading: up to five significant digits, more for whole numbers."""
    if value == round(value) and abs(value) < 1e9:
        return f"{round(value)}"
    return f"{value:.5g}"


def tidy(value: float) -> float:
    """The value to nine significant digits: times are whole picoseconds, and what lies below that means nothing."""
    return float(f"{value:.9g}")


def _joined(*parts: str) -> str:
    return "; ".join(part.rstrip(".") for part in parts if part)
