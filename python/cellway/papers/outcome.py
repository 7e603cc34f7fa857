"""What came of an item: its findings, pictures and runs; kept on disk as soon as it is finished."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

import cellway
from cellway import _engine
from cellway.papers.drawing import svg
from cellway.papers.figure import Figure, Sheet
from cellway.papers.item import Item, Verdict
from cellway.provenance import time_text
from cellway.result import Result
from cellway.run import run

FOLDER = "items"
"""Where finished items are kept, below the folder of the report."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Finding(_Record):
    """One quantity, as `reproduction.json` has it."""

    paper: str
    item: str
    claim: str
    quantity: str
    unit: str
    low: float | None
    high: float | None
    paper_value: float | None
    measured: float | None
    verdict: Verdict
    note: str


class Picture(_Record):
    """A figure, drawn."""

    name: str
    caption: str
    svg: str


class Table(_Record):
    """A table of the report."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Run(_Record):
    """A simulation: what was run, with which seeds, by which engine."""

    label: str
    scenario: str
    """The scenario as YAML."""
    seeds: tuple[int, ...]
    hash: str
    """Of the engine document, for the first seed."""
    engine: str
    simulated: str
    """Simulated time of one seed."""
    cell_hops: int
    """Cells delivered over links, for the first seed."""


class Outcome(_Record):
    """What came of an item."""

    code: str
    """Fingerprint of the code that made it."""
    paper: str
    item: str
    title: str
    claim: str
    note: str
    findings: tuple[Finding, ...]
    sources: tuple[str, ...]
    """Where the band of each finding comes from."""
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()
    runs: tuple[Run, ...] = ()
    failure: str = ""
    """Why it could not be measured; empty where it was."""

    @property
    def verdict(self) -> Verdict:
        """The worst of its findings: `differs`, then `not reproducible` where nothing is better, else `reproduced`."""
        verdicts = {finding.verdict for finding in self.findings}
        order: tuple[Verdict, ...] = ("differs", "reproduced", "not reproducible")
        return next(verdict for verdict in order if verdict in verdicts)

    def count(self, verdict: Verdict) -> int:
        """Findings with this verdict."""
        return sum(finding.verdict == verdict for finding in self.findings)


class Stopped(KeyboardInterrupt):
    """Ctrl-C came while a simulation ran."""


def carry_out(item: Item) -> Outcome:
    """Runs an item's scenarios with every seed, measures and judges, and draws its figures.

    Raises:
        Stopped: a simulation was interrupted.
    """
    scenarios = item.scenarios()
    values: dict[str, list[float]] = {quantity.name: [] for quantity in item.quantities}
    figures: Sequence[Figure | Sheet] = ()
    runs: list[Run] = []
    for seed in item.seeds:
        results = {label: run(scenario, seed=seed) for label, scenario in scenarios.items()}
        if any(result.provenance.interrupted for result in results.values()):
            raise Stopped
        measured = item.measure(results)
        if measured.keys() != values.keys():
            odd = sorted(measured.keys() ^ values.keys())
            raise ValueError(f"{item.path} measures other quantities than it declares: {', '.join(odd)}")
        for name, found in measured.items():
            values[name].append(float(found))
        if seed == item.seeds[0]:
            figures = item.figures(results)
            runs = [_run(item, label, result) for label, result in results.items()]
    findings = []
    for quantity in item.quantities:
        value, verdict, note = quantity.judge(values[quantity.name])
        findings.append(_finding(item, quantity.name, value, verdict, note))
    pictures = [Picture(name=one.name, caption=one.caption, svg=svg(one)) for one in figures if isinstance(one, Figure)]
    tables = [Table(caption=one.caption, head=one.head, rows=one.rows) for one in figures if isinstance(one, Sheet)]
    return _outcome(item, findings, pictures, tables, runs)


def failed(item: Item, why: str) -> Outcome:
    """The outcome of an item that could not be measured."""
    findings = [_finding(item, one.name, None, "differs", f"could not be measured: {why}") for one in item.quantities]
    return _outcome(item, findings, failure=why)


def _outcome(
    item: Item,
    findings: Sequence[Finding],
    pictures: Sequence[Picture] = (),
    tables: Sequence[Table] = (),
    runs: Sequence[Run] = (),
    failure: str = "",
) -> Outcome:
    return Outcome(
        code=code_fingerprint(),
        paper=item.paper,
        item=item.name,
        title=item.title,
        claim=item.claim,
        note=item.note,
        findings=tuple(findings),
        sources=tuple(quantity.source for quantity in item.quantities),
        pictures=tuple(pictures),
        tables=tuple(tables),
        runs=tuple(runs),
        failure=failure,
    )


def _finding(item: Item, name: str, value: float | None, verdict: Verdict, note: str) -> Finding:
    quantity = next(one for one in item.quantities if one.name == name)
    return Finding(
        paper=item.paper,
        item=item.name,
        claim=item.claim,
        quantity=name,
        unit=quantity.unit,
        low=quantity.low,
        high=quantity.high,
        paper_value=quantity.paper,
        measured=value,
        verdict=verdict,
        note=note,
    )


def _run(item: Item, label: str, result: Result) -> Run:
    about = result.provenance
    return Run(
        label=label,
        scenario=result.scenario,
        seeds=item.seeds,
        hash=about.scenario,
        engine=about.engine,
        simulated=time_text(about.end_ps),
        cell_hops=about.cell_hops,
    )


# --- finished items on disk


@cache
def code_fingerprint() -> str:
    """Names all the code that decides an outcome: the package's files and the engine. Another version, another name."""
    top = Path(cellway.__file__).parent
    files = sorted(path for kind in ("*.py", "*.j2") for path in top.rglob(kind))
    digest = hashlib.blake2b(digest_size=16)
    for path in [*files, Path(_engine.__file__)]:
        digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return f"{cellway.__version__}-{digest.hexdigest()}"


def keep(outcome: Outcome, out: Path) -> None:
    """Writes a finished item below `out`: whole or not at all."""
    path = _path(out, outcome.paper, outcome.item)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_text(path, outcome.model_dump_json(indent=1))


def kept(item: Item, out: Path) -> Outcome | None:
    """The item as finished before by the same code; None if it was not, or not by this code."""
    try:
        outcome = Outcome.model_validate_json(_path(out, item.paper, item.name).read_bytes())
    except (OSError, ValidationError):
        return None
    same = (outcome.code, outcome.paper, outcome.item) == (code_fingerprint(), item.paper, item.name)
    return outcome if same else None


def replace_text(path: Path, text: str) -> None:
    """Writes a file so that a reader, or a crash, finds the old or the new one whole."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _path(out: Path, paper: str, item: str) -> Path:
    return out / FOLDER / paper / f"{item.replace('/', '-')}.json"
