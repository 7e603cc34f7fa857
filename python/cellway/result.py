"""Results: tables with units, series over time, pictures, provenance; saved as a directory of Parquet files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa

from cellway import directory
from cellway.provenance import Provenance, time_text
from cellway.recording import PS, Bursts, NotRecorded, Recording, Window
from cellway.series import Series
from cellway.summary import Summary, json_rows, summarise

if TYPE_CHECKING:
    from cellway.plots import Picture

SUMMARY_TABLES = ("vcs", "links", "queues", "switches", "drops", "credits", "abr", "policing", "frames", "tcp")
"""Tables that every run has, one row for each thing."""
SERIES_TABLES = ("probes", "series", "trace", "delays", "bursts")
"""Tables of what `record` asked for."""


class Result:
    """What a run came to. `print(result.summary)`, `result.series("queue", node="s1").plot()`, `result.save("out")`."""

    def __init__(
        self,
        tables: Mapping[str, pa.Table],
        provenance: Provenance,
        document: str,
        scenario: str,
        elapsed: float | None = None,
    ) -> None:
        if missing := [name for name in (*SUMMARY_TABLES, *SERIES_TABLES) if name not in tables]:
            raise ValueError(f"a result needs the tables {', '.join(missing)}")
        self.tables = dict(tables)
        """All tables by name."""
        self.provenance = provenance
        """Where the result comes from."""
        self.document = document
        """The engine document, JSON."""
        self.scenario = scenario
        """The scenario, YAML."""
        self.elapsed = elapsed
        """Wall-clock time of the run [s]; None where loaded. Not saved: it differs from run to run."""

    # --- tables

    @property
    def vcs(self) -> pa.Table:
        """One row for each destination of each VC: cells sent, delivered, corrupted; rate since the warm-up."""
        return self.tables["vcs"]

    @property
    def links(self) -> pa.Table:
        """One row for each link: cells by kind, lost, corrupted; utilisation since the warm-up."""
        return self.tables["links"]

    @property
    def queues(self) -> pa.Table:
        """One row for each VC at each port: cells arrived = dropped + departed + queued; peaks."""
        return self.tables["queues"]

    @property
    def switches(self) -> pa.Table:
        """One row for each switch: cells stored at the end, and at most."""
        return self.tables["switches"]

    @property
    def drops(self) -> pa.Table:
        """Cells dropped, by place, VC and reason."""
        return self.tables["drops"]

    @property
    def credits(self) -> pa.Table:
        """One row for each flow-controlled VC on each link: parameters, credit cells, peak at the receiver."""
        return self.tables["credits"]

    @property
    def abr(self) -> pa.Table:
        """One row for each ABR source: RM cells by kind, ACR at the end."""
        return self.tables["abr"]

    @property
    def policing(self) -> pa.Table:
        """One row for each policed VC: cells that conform, that are spared, tagged and discarded."""
        return self.tables["policing"]

    @property
    def frames(self) -> pa.Table:
        """One row for each VC end that receives AAL5 frames: sent, good, spoiled by each cause, under way."""
        return self.tables["frames"]

    @property
    def tcp(self) -> pa.Table:
        """One row for each TCP connection: bytes, goodput since the warm-up, segments, retransmissions, time-outs."""
        return self.tables["tcp"]

    @property
    def trace(self) -> pa.Table:
        """Every cell on the traced links: start and arrival, VC, kind, sequence number, fate."""
        return self.tables["trace"]

    @property
    def title(self) -> str:
        """Title of the scenario."""
        return self.provenance.title

    @property
    def end(self) -> float:
        """Simulated time reached [s]."""
        return self.provenance.end_ps * PS

    @cached_property
    def summary(self) -> Summary:
        """VCs, links and switches in a few small tables: prints as text, shows as tables in a notebook."""
        about = self.provenance
        notes = []
        if about.interrupted:
            reached, wanted = time_text(about.end_ps), time_text(about.duration_ps)
            notes.append(f"Interrupted at {reached} of {wanted}; the rest was not simulated.")
            if about.end_ps <= about.warmup_ps:
                notes.append("The warm-up was not over: rates and utilisations are those of the warm-up.")
        title = f"{self.title or 'Simulation'} ({time_text(about.end_ps)}"
        title += f", warm-up {time_text(about.warmup_ps)}" if about.warmup_ps else ""
        return summarise(f"{title}, seed {about.seed})", self.tables, notes)

    def __repr__(self) -> str:
        return f"<Result {self.title or 'untitled'}: {self.vcs.num_rows} VC ends, {time_text(self.provenance.end_ps)}>"

    def _repr_html_(self) -> str:
        return self.summary._repr_html_()

    def to_json(self) -> dict[str, Any]:
        """Provenance and summary tables, with units, as JSON objects; the same for the same scenario and seed."""
        return {
            "provenance": asdict(self.provenance),
            "tables": {name: json_rows(self.tables[name]) for name in SUMMARY_TABLES},
        }

    # --- series

    def observed(self, kind: str) -> list[dict[str, str]]:
        """What was recorded of one kind, each as the arguments that select it; see `Recording.observed`."""
        return self._recording.observed(kind)

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
    ) -> Series:
        """A recorded series: `result.series("queue", node="s1", vc="vc1")`; see `Recording.series`."""
        return self._recording.series(
            kind,
            node=node,
            link=link,
            vc=vc,
            cells=cells,
            direction=direction,
            quantity=quantity,
            connection=connection,
        )

    def bandwidth(self, link: str, vc: str | None = None, cells: str | None = None, window: Window = 25) -> Series:
        """Fraction of a link's bandwidth in use around each point; see `Recording.bandwidth`."""
        return self._recording.bandwidth(link, vc, cells, window)

    def delay(self, vc: str, to: str | None = None) -> Series:
        """End-to-end delay of each data cell of a VC; see `Recording.delay`."""
        return self._recording.delay(vc, to)

    def bursts(self, vc: str, direction: str | None = None) -> Bursts:
        """Response times and effective throughputs of a VC's messages; see `Recording.bursts`."""
        return self._recording.bursts(vc, direction)

    def response_times(self, vc: str, direction: str | None = None) -> Series:
        """Burst response time of each message; see `Recording.response_times`."""
        return self._recording.response_times(vc, direction)

    def goodputs(self) -> dict[str, float]:
        """Goodput of each TCP connection since the warm-up [bit/s], by VC (and number, where a VC carries several)."""
        rows = self.tcp.to_pylist()
        several = {row["vc"] for row in rows if row["connection"] > 0}
        return {
            f"{row['vc']}.{row['connection']}" if row["vc"] in several else row["vc"]: row["goodput"] for row in rows
        }

    def plot(self, kind: str | None = None, **which: Any) -> Picture:
        """Draws one kind of picture: `result.plot("queue", node="s1")`, `result.plot("bandwidth", link="s1->b")`.

        Args:
            kind: `bandwidth`, `delay`, `queue`, `credit`, `abr`, `rate`, `bursts`, `cwnd` or `goodput`. Default: the
                first that was recorded.
            which: Arguments for the function of `cellway.plots`; `bandwidth` takes the first traced link by default.

        Raises:
            NotRecorded: nothing of that kind was recorded.
            ValueError: an unknown kind.
        """
        from cellway import plots  # not above: matplotlib takes long to load, and most runs draw nothing

        if kind is None:
            kind = next((one for one in plots.KINDS if self.observed(one)), None)
            if kind is None:
                raise NotRecorded(
                    "no series was recorded; add to the scenario, for example: `record: {queue: all, trace: all}`"
                )
        if kind == "bandwidth":
            seen = self.observed("bandwidth")
            if not seen and "link" not in which:
                raise NotRecorded("no bandwidth was recorded; add to the scenario: `record: {trace: all}`")
            return plots.bandwidth(self, which.pop("link", None) or seen[0]["link"], **which)
        functions = {
            "delay": plots.delays,
            "queue": plots.queues,
            "credit": plots.credits,
            "abr": plots.sources,
            "rate": plots.algorithms,
            "bursts": plots.bursts,
            "cwnd": plots.windows,
            "goodput": plots.goodputs,
        }
        if kind not in functions:
            raise ValueError(f"unknown kind of picture '{kind}'; allowed: {', '.join(plots.KINDS)}")
        return functions[kind](self, **which)

    # --- directories

    def save(self, path: str | Path) -> Path:
        """Writes the result to a directory: a Parquet file per table, `provenance.json`, the scenario.

        The same result gives the same bytes. A result that is there is replaced; other files in it stay.

        Raises:
            DirectoryError: the directory holds something else than a result.
        """
        target = Path(path)
        texts = {"scenario.yaml": self.scenario, "document.json": self.document}
        directory.write(target, self.tables, texts, asdict(self.provenance))
        return target

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Reads a result that `save` wrote.

        Raises:
            DirectoryError: the directory is no result, or not a whole one.
        """
        tables, texts, provenance = directory.read(Path(path))
        try:
            return cls(tables, Provenance(**provenance), texts["document.json"], texts["scenario.yaml"])
        except (KeyError, TypeError, ValueError) as error:
            raise directory.DirectoryError(f"{path} is not a whole result: {error}") from None

    @cached_property
    def _recording(self) -> Recording:
        return Recording(self.tables, json.loads(self.document), self.end)
