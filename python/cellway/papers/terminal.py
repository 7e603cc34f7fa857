"""Shows a reproduction on the terminal: each item as it finishes, then all items in one table."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from cellway.papers.item import Verdict, number
from cellway.papers.outcome import Finding, Outcome

if TYPE_CHECKING:
    from cellway.papers.reproduce import Reproduction

WIDTH = 120
ROWS = 14
"""Items with more findings are shown by those that do not agree, and a count of the others."""
STYLES: dict[Verdict, str] = {"reproduced": "green", "differs": "bold red", "not reproducible": "yellow"}


class Terminal:
    """Prints items as they finish, above a bar that says how many are done."""

    def __init__(self, items: int) -> None:
        interactive = sys.stdout.isatty()
        self.console = Console(width=None if interactive else WIDTH, highlight=False, soft_wrap=False)
        self.bar = Progress(
            TextColumn("reproducing"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            console=self.console, transient=True, disable=not interactive,
        )  # fmt: skip
        self.task = self.bar.add_task("", total=items)
        self.heading = False

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.bar.stop()

    def show(self, outcome: Outcome, before: bool) -> None:
        """Prints an item."""
        if not self.heading:
            self.console.print(self._table(header=True))
            self.heading = True
        title = Text(f"{outcome.paper}/{outcome.item}", style="bold")
        self.console.print(
            title.append(f"  {outcome.title}" + (" (finished before)" if before else ""), style="not bold")
        )
        self.console.print(self._table(outcome.findings))
        self.bar.advance(self.task)

    def summarise(self, result: Reproduction) -> None:
        """Prints all items in one table, and where the report is."""
        self.bar.stop()
        table = Table(box=None, pad_edge=False, header_style="bold", title="Items", title_justify="left")
        for column in ("item", "", "reproduced", "differs", "not reproducible"):
            table.add_column(column, justify="left" if column in ("item", "") else "right")
        for outcome in result.outcomes:
            counts = [(verdict, outcome.count(verdict)) for verdict in STYLES]
            cells = [
                Text(str(count), style=STYLES[verdict]) if count else Text("–", style="dim")
                for verdict, count in counts
            ]
            table.add_row(f"{outcome.paper}/{outcome.item}", outcome.title, *cells)
        self.console.print()
        self.console.print(table)
        total = sum(len(outcome.findings) for outcome in result.outcomes)
        parts = ", ".join(f"{result.count(verdict)} {verdict}" for verdict in STYLES)
        self.console.print(
            f"\n{total} quantities: {parts}.\n{result.out / 'index.html'}  {result.out / 'reproduction.json'}"
        )

    def _table(self, findings: tuple[Finding, ...] = (), header: bool = False) -> Table:
        table = Table(
            box=None, pad_edge=False, show_header=header, header_style="bold", width=min(self.console.width, WIDTH)
        )
        table.add_column("  quantity", ratio=1, no_wrap=False)
        for name, width in (("band", 16), ("paper", 8), ("measured", 8), ("unit", 10)):
            table.add_column(name, justify="left" if name == "unit" else "right", width=width)
        table.add_column("verdict", width=16)
        shown = findings
        if len(findings) > ROWS:
            shown = tuple(one for one in findings if one.verdict != "reproduced")
        for one in shown:
            table.add_row(
                f"  {one.quantity}",
                band(one),
                "" if one.paper_value is None else number(one.paper_value),
                "–" if one.measured is None else number(one.measured),
                "" if one.unit == "1" else one.unit,
                Text(one.verdict, style=STYLES[one.verdict]),
            )
        if len(shown) < len(findings):
            rest = Text("reproduced", style=STYLES["reproduced"])
            table.add_row(f"  {'and ' if shown else ''}{len(findings) - len(shown)} quantities", "", "", "", "", rest)
        return table


def band(one: Finding) -> str:
    """The band for reading."""
    if one.low is None and one.high is None:
        return ""
    if one.low is None:
        return f"at most {number(one.high or 0)}"
    if one.high is None:
        return f"at least {number(one.low)}"
    if one.low == one.high:
        return number(one.low)
    return f"{number(one.low)} to {number(one.high)}"
