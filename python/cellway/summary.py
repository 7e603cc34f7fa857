"""The summary of a result: a few small tables for reading, as text, in notebooks, and as JSON."""

from __future__ import annotations

import html
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

CELL_BITS = 424
"""Bits of a cell: 53 octets."""
ROWS_SHOWN = 40
"""Longer tables are cut for reading; the tables of the result and `--json` hold every row."""
WIDTH = 100


@dataclass(frozen=True)
class Column:
    """A column for reading."""

    name: str
    unit: str
    """Empty for names."""
    cells: tuple[str, ...]
    """The values as text."""


@dataclass(frozen=True)
class Sheet:
    """A small table for reading."""

    title: str
    columns: tuple[Column, ...]
    rows: int
    """Rows of the table; `columns` hold the first ones."""


@dataclass(frozen=True)
class Summary:
    """What a run came to, from VCs to TCP connections, and notes that a reader must know. Prints as text."""

    title: str
    sheets: tuple[Sheet, ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        target = io.StringIO()
        Console(file=target, width=WIDTH, color_system=None, legacy_windows=False).print(self)
        return target.getvalue().rstrip("\n")

    def __repr__(self) -> str:
        return str(self)

    def __rich__(self) -> Group:
        """For rich's `print`."""
        parts: list[Any] = [Text(self.title, style="bold")] if self.title else []
        for sheet in self.sheets:
            parts += [Text(""), _rich_table(sheet)]
        parts += [Text(f"\n{note}", style="italic") for note in self.notes]
        return Group(*parts)

    def _repr_html_(self) -> str:
        heading = f"<h4>{html.escape(self.title)}</h4>" if self.title else ""
        notes = "".join(f"<p><em>{html.escape(note)}</em></p>" for note in self.notes)
        return f"<div>{heading}{''.join(map(_html_table, self.sheets))}{notes}</div>"


def summarise(title: str, tables: Mapping[str, pa.Table], notes: Sequence[str] = ()) -> Summary:
    """The summary of a result's tables."""
    sheets = [_vcs(tables["vcs"], tables["drops"]), _links(tables["links"])]
    if tables["switches"].num_rows:
        sheets.append(_switches(tables["switches"], tables["drops"]))
    if tables["abr"].num_rows:
        sheets.append(_abr(tables["abr"]))
    if tables["policing"].num_rows:
        sheets.append(_policing(tables["policing"]))
    if tables["frames"].num_rows:
        sheets.append(_frames(tables["frames"]))
    if tables["tcp"].num_rows:
        sheets.append(_tcp(tables["tcp"]))
    return Summary(title, tuple(sheets), tuple(notes))


def json_rows(table: pa.Table) -> dict[str, Any]:
    """A table as JSON: `{"units": {column: unit}, "rows": [{column: value}]}`; what is not a number becomes null."""
    units = {field.name: unit for field in table.schema if (unit := unit_of(field))}
    rows = [
        {name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()}
        for row in table.to_pylist()
    ]
    return {"units": units, "rows": rows}


def unit_of(field: pa.Field) -> str:
    """The unit of a column, empty for names."""
    return (field.metadata or {}).get(b"unit", b"").decode()


def _vcs(vcs: pa.Table, drops: pa.Table) -> Sheet:
    shown = vcs.slice(0, ROWS_SHOWN).to_pydict()
    lost = _sum_by(drops, "vc", "direction")
    flows = list(zip(shown["vc"], shown["direction"], strict=True))
    columns = [
        Column("VC", "", _flow_names(shown)),
        Column("to", "", tuple(shown["destination"])),
        Column("sent", "cells", _counts(shown["sent"])),
        Column("delivered", "cells", _counts(shown["delivered"])),
        Column("dropped", "cells", _counts([lost.get(flow, 0) for flow in flows])),
        Column("rate", "cells/s", _numbers(shown["rate"])),
        Column("rate", "Mbit/s", _numbers([rate * CELL_BITS / 1e6 for rate in shown["rate"]])),
    ]
    if any(shown["corrupted"]):
        columns.insert(5, Column("corrupted", "cells", _counts(shown["corrupted"])))
    if any(shown["responses"]):
        columns.append(Column("responses", "1", _counts(shown["responses"])))
        columns.append(Column("mean response", "ms", _numbers([time * 1e3 for time in shown["mean_response"]])))
    return Sheet("VCs", tuple(columns), vcs.num_rows)


def _links(links: pa.Table) -> Sheet:
    shown = links.slice(0, ROWS_SHOWN).to_pydict()
    columns = [
        Column("link", "", tuple(shown["link"])),
        Column("data", "cells", _counts(shown["data_cells"])),
        Column("credit", "cells", _counts(shown["credit_cells"])),
        Column("lost", "cells", _counts(shown["lost"])),
        Column("in use", "%", _percent(shown["utilisation"])),
        Column("by data", "%", _percent(shown["data_utilisation"])),
    ]
    if any(shown["corrupted"]):
        columns.insert(4, Column("corrupted", "cells", _counts(shown["corrupted"])))
    if any(shown["rm_cells"]):
        columns.insert(3, Column("RM", "cells", _counts(shown["rm_cells"])))
    return Sheet("Links", tuple(columns), links.num_rows)


def _switches(switches: pa.Table, drops: pa.Table) -> Sheet:
    shown = switches.slice(0, ROWS_SHOWN).to_pydict()
    lost = _sum_by(drops, "node")
    columns = (
        Column("switch", "", tuple(shown["node"])),
        Column("stored", "cells", _counts(shown["stored"])),
        Column("peak", "cells", _counts(shown["peak"])),
        Column("dropped", "cells", _counts([lost.get((node,), 0) for node in shown["node"]])),
    )
    return Sheet("Switches", columns, switches.num_rows)


def _abr(abr: pa.Table) -> Sheet:
    shown = abr.slice(0, ROWS_SHOWN).to_pydict()
    columns = (
        Column("ABR source", "", _flow_names(shown)),
        Column("FRM sent", "cells", _counts(shown["frm_sent"])),
        Column("BRM received", "cells", _counts(shown["brm_received"])),
        Column("ACR", "cells/s", _numbers(shown["acr"])),
        Column("ACR", "Mbit/s", _numbers([rate * CELL_BITS / 1e6 for rate in shown["acr"]])),
    )
    return Sheet("ABR", columns, abr.num_rows)


def _policing(policing: pa.Table) -> Sheet:
    shown = policing.slice(0, ROWS_SHOWN).to_pydict()
    columns = (
        Column("policed VC", "", tuple(shown["vc"])),
        Column("at", "", tuple(shown["node"])),
        Column("conforming", "cells", _counts(shown["conforming"])),
        Column("spared", "cells", _counts(shown["spared"])),
        Column("tagged", "cells", _counts(shown["tagged"])),
        Column("discarded", "cells", _counts(shown["discarded"])),
    )
    return Sheet("Policing", columns, policing.num_rows)


def _frames(frames: pa.Table) -> Sheet:
    shown = frames.slice(0, ROWS_SHOWN).to_pydict()
    columns = [
        Column("frames of", "", _flow_names(shown)),
        Column("to", "", tuple(shown["destination"])),
        Column("sent", "1", _counts(shown["sent"])),
        Column("good", "1", _counts(shown["good"])),
        Column("cells lost", "1", _counts(shown["cells_lost"])),
        Column("end lost", "1", _counts(shown["end_lost"])),
        Column("merged", "1", _counts(shown["merged"])),
        Column("all lost", "1", _counts(shown["lost"])),
    ]
    if any(shown["corrupted"]):
        columns.insert(4, Column("corrupted", "1", _counts(shown["corrupted"])))
    return Sheet("AAL5 frames", tuple(columns), frames.num_rows)


def _tcp(tcp: pa.Table) -> Sheet:
    shown = tcp.slice(0, ROWS_SHOWN).to_pydict()
    columns = (
        Column("TCP over", "", tuple(shown["vc"])),
        Column("no.", "1", _counts(shown["connection"])),
        Column("delivered", "bytes", _counts(shown["delivered"])),
        Column("goodput", "Mbit/s", _numbers([rate / 1e6 for rate in shown["goodput"]])),
        Column("segments", "1", _counts(shown["segments"])),
        Column("repeated", "1", _counts(shown["retransmissions"])),
        Column("fast", "1", _counts(shown["fast_retransmits"])),
        Column("time-outs", "1", _counts(shown["timeouts"])),
    )
    return Sheet("TCP connections", columns, tcp.num_rows)


def _flow_names(shown: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    flows = zip(shown["vc"], shown["direction"], strict=True)
    return tuple(vc if way == "forward" else f"{vc} ({way})" for vc, way in flows)


def _sum_by(drops: pa.Table, *keys: str) -> dict[tuple[str, ...], int]:
    sums: dict[tuple[str, ...], int] = {}
    for *names, cells in zip(*(drops[column].to_pylist() for column in (*keys, "cells")), strict=True):
        sums[tuple(names)] = sums.get(tuple(names), 0) + cells
    return sums


def _counts(values: Sequence[int | None]) -> tuple[str, ...]:
    return tuple("–" if value is None else f"{value:,}".replace(",", " ") for value in values)


def _numbers(values: Sequence[float | None]) -> tuple[str, ...]:
    return tuple(_number(value) for value in values)


def _number(value: float | None) -> str:
    """About five digits, no exponent up to a trillion."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    digits = max(0, 4 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(digits, 9)}f}".replace(",", " ")


def _percent(values: Sequence[float | None]) -> tuple[str, ...]:
    return tuple("–" if value is None or not math.isfinite(value) else f"{value * 100:.2f}" for value in values)


def _more(sheet: Sheet) -> str:
    hidden = sheet.rows - min(sheet.rows, ROWS_SHOWN)
    return f"… {hidden} more" if hidden else ""


def _rich_table(sheet: Sheet) -> Table:
    table = Table(
        title=sheet.title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style=""
    )
    for column in sheet.columns:
        heading = Text(column.name) if not column.unit else Text(f"{column.name}\n[{column.unit}]")
        table.add_column(
            heading, justify="right" if column.unit else "left", overflow="fold", no_wrap=bool(column.unit)
        )
    for row in zip(*(column.cells for column in sheet.columns), strict=True):
        table.add_row(*map(Text, row))
    if more := _more(sheet):
        table.add_row(Text(more, style="italic"))
    return table


def _html_table(sheet: Sheet) -> str:
    right = "text-align:right"
    head = "".join(
        f'<th style="{right if column.unit else "text-align:left"}">{html.escape(column.name)}'
        + (f"<br><small>{html.escape(column.unit)}</small>" if column.unit else "")
        + "</th>"
        for column in sheet.columns
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="{right if column.unit else "text-align:left"}">{html.escape(cell)}</td>'
            for column, cell in zip(sheet.columns, row, strict=True)
        )
        + "</tr>"
        for row in zip(*(column.cells for column in sheet.columns), strict=True)
    )
    if more := _more(sheet):
        body += f"<tr><td>{html.escape(more)}</td></tr>"
    return (
        f'<table><caption style="text-align:left"><b>{html.escape(sheet.title)}</b></caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )
