"""What items measure in results: cells of tables, starts of cells on a link, most cells in a window."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cellway.plots import Floats
from cellway.result import Result
from cellway.series import Series

PS = 1e-12


def value(table: pa.Table, column: str, **where: str) -> float:
    """The number in `column` of the only row with the given values: `value(result.links, "utilisation", link="a->b")`.

    Raises:
        LookupError: no row, or several rows have them.
    """
    found = _rows(table, where)[column].to_pylist()
    if len(found) != 1:
        raise LookupError(f"{len(found)} rows with {where}, not one")
    return float(found[0])


def values(table: pa.Table, column: str, **where: str) -> Floats:
    """The numbers in `column` of all rows that have the given values."""
    return np.asarray(_rows(table, where)[column].to_pylist(), dtype=np.float64)


def starts(result: Result, link: str, vc: str | None = None, kind: str = "data") -> Floats:
    """When the cells of one kind (of one VC) started on a traced link [s], in order."""
    where = {"link": link, "kind": kind} | ({} if vc is None else {"vc": vc})
    return np.sort(np.asarray(_rows(result.trace, where)["time_ps"], dtype=np.float64)) * PS


def most_in_window(times: Floats, window: float, unit: float) -> float:
    """Most events in any interval [t, t + window), window in multiples of `unit`.

    Slots are told apart by half a unit, so that picoseconds of rounding do not move an event over the border.
    """
    if not len(times):
        return 0.0
    ends = np.searchsorted(times, times + (window - 0.5) * unit)
    return float((ends - np.arange(len(times))).max())


def longest_run(times: Floats, unit: float) -> float:
    """Most events one `unit` apart, back to back."""
    if not len(times):
        return 0.0
    breaks = np.flatnonzero(np.diff(times) > 1.5 * unit)
    return float(np.diff(np.r_[-1, breaks, len(times) - 1]).max())


def swing(series: Series) -> float:
    """Largest less least value."""
    return series.max() - series.min()


def _rows(table: pa.Table, where: dict[str, str]) -> pa.Table:
    for column, wanted in where.items():
        table = table.filter(pc.equal(table[column], wanted))
    return table
