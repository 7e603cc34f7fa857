"""Reproduction as a whole: what is written, in parallel, after Ctrl-C, and when something fails."""

import html.parser
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import cellway
from cellway.cli import main as command
from cellway.papers import outcome as outcomes
from cellway.papers import registry, reproduce
from cellway.papers.item import Item, Results
from cellway.papers.outcome import Outcome, kept
from cellway.papers.registry import select

FAST = ("n23/fig-06", "n23/fig-10/11", "n23/fig-12/13", "n23/fig-20")
# A process started in the background of a shell ignores SIGINT, and so would what it starts.
START = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
    " from cellway.cli import main; sys.exit(main())"
)
FIELDS = ("paper", "item", "claim", "quantity", "unit", "low", "high", "paper_value", "measured", "verdict", "note")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of a few items, made with one job."""
    out = tmp_path_factory.mktemp("report")
    assert reproduce.main(FAST, out=out, jobs=1) == 0
    return out


def read(out: Path) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = json.loads((out / "reproduction.json").read_text(encoding="utf-8"))
    return found


def test_the_json_has_the_documented_form(report: Path) -> None:
    document = read(report)
    assert list(document) == ["version", "items"]
    assert document["version"] == cellway.__version__
    expected = [(item.path, quantity) for item in select(FAST) for quantity in item.quantities]
    assert len(document["items"]) == len(expected)
    for row, (path, quantity) in zip(document["items"], expected, strict=True):
        assert tuple(row) == FIELDS
        assert f"{row['paper']}/{row['item']}" == path
        assert (row["quantity"], row["unit"], row["low"], row["high"], row["paper_value"]) == (
            quantity.name, quantity.unit, quantity.low, quantity.high, quantity.paper,
        )  # fmt: skip
        assert isinstance(row["measured"], float)
        assert row["verdict"] in ("reproduced", "differs", "not reproducible")
        assert isinstance(row["note"], str)
        assert row["claim"]


def test_two_jobs_write_the_same_bytes_as_one(report: Path, tmp_path: Path) -> None:
    assert reproduce.main(FAST, out=tmp_path, jobs=2) == 0
    for name in ("reproduction.json", "index.html"):
        assert (tmp_path / name).read_bytes() == (report / name).read_bytes(), name


class Page(html.parser.HTMLParser):
    """Checks that tags are closed, and collects what the page refers to."""

    VOID = frozenset({"meta", "img", "br", "link", "input", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "data", "srcset", "action"):
                self.references.append(value or "")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_needs_nothing_else(report: Path) -> None:
    text = (report / "index.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    assert len(set(page.ids)) == len(page.ids)
    assert not page.tags & {"script", "link", "iframe", "object"}
    inner = {reference[1:] for reference in page.references if reference.startswith("#")}
    assert inner <= set(page.ids)
    outer = [
        reference for reference in page.references if not reference.startswith(("#", "data:image/svg+xml;base64,"))
    ]
    assert outer == []
    assert not re.search(r"@import|url\(", text.split("</style>")[0])
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in text


def test_the_page_shows_claims_bands_values_and_scenarios(report: Path) -> None:
    text = (report / "index.html").read_text(encoding="utf-8")
    for item in select(FAST):
        assert item.title in text
    assert "cellway: 1" in text, "a scenario as YAML"
    assert "sha256:" in text
    assert "seeds 1, 2, 3" in text
    assert "0.36 – 0.395" in text
    assert text.count("<img ") >= 4


def test_what_is_finished_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("n23/fig-06", "n23/fig-10/11")
    reproduce.reproduce(names, tmp_path, 1)
    first = (tmp_path / "reproduction.json").read_bytes()
    ran: list[str] = []
    carry_out = outcomes.carry_out

    def spy(item: Item) -> Outcome:
        ran.append(item.path)
        return carry_out(item)

    monkeypatch.setattr(reproduce, "carry_out", spy)
    seen: list[tuple[str, bool]] = []
    reproduce.reproduce(names, tmp_path, 1, progress=lambda one, before: seen.append((one.item, before)))
    assert ran == []
    assert seen == [("fig-06", True), ("fig-10/11", True)]
    assert (tmp_path / "reproduction.json").read_bytes() == first

    (tmp_path / "items/n23/fig-10-11.json").write_text("{", encoding="utf-8")
    reproduce.reproduce(names, tmp_path, 1)
    assert ran == ["n23/fig-10/11"], "half a file counts as none"
    reproduce.reproduce(names, tmp_path, 1, fresh=True)
    assert ran == ["n23/fig-10/11", *names]

    monkeypatch.setattr(outcomes, "code_fingerprint", lambda: "another version")
    assert kept(select(names)[0], tmp_path) is None


def test_ctrl_c_keeps_what_is_finished_and_the_next_run_completes_it(tmp_path: Path) -> None:
    names = ("n23/fig-06", "n23/fig-10/11", "n23/fig-23/24")
    arguments = [sys.executable, "-c", START, "reproduce", *names, "--out", str(tmp_path), "--jobs", "2"]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        kept_item = tmp_path / "items/n23/fig-10-11.json"
        deadline = time.monotonic() + 120
        while not kept_item.exists() and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.05)
        assert kept_item.exists()
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "2 of 3 items are done" in err
    assert "fig-10/11" in out
    assert "Traceback" not in err
    items = {row["item"] for row in read(tmp_path)["items"]}
    assert items == {"fig-06", "fig-10/11"}
    assert "Interrupted: 1 of 3 items" in (tmp_path / "index.html").read_text(encoding="utf-8")

    again: list[tuple[str, bool]] = []
    result = reproduce.reproduce(names[:2], tmp_path, 1, progress=lambda one, before: again.append((one.item, before)))
    assert again == [("fig-06", True), ("fig-10/11", True)]
    assert not result.interrupted


def test_ctrl_c_within_a_simulation_with_one_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(item: Item) -> Outcome:
        raise outcomes.Stopped

    monkeypatch.setattr(reproduce, "carry_out", stopped)
    assert reproduce.main(("n23/fig-08",), out=tmp_path, jobs=1) == 130
    assert read(tmp_path)["items"] == []


def with_item(monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
    """Replaces figure 6, which needs no simulation, by a changed one."""
    paper = registry.PAPERS[0]
    changed = tuple(replace(item, **changes) if item.name == "fig-06" else item for item in paper.items)  # type: ignore[arg-type]
    monkeypatch.setattr(registry, "PAPERS", (replace(paper, items=changed),))


def measured(value: float) -> Mapping[str, float]:
    item = select(["n23/fig-06"])[0]
    return {quantity.name: value for quantity in item.quantities}


def test_strict_fails_where_something_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_item(monkeypatch, measure=lambda results: measured(1.0))
    assert reproduce.main(("n23/fig-06",), out=tmp_path, jobs=1) == 0
    assert reproduce.main(("n23/fig-06",), out=tmp_path, jobs=1, strict=True) == 1
    assert "What differs, and why" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_an_item_that_fails_is_reported_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(results: Results) -> Mapping[str, float]:
        raise ZeroDivisionError("no cells <at all>")

    with_item(monkeypatch, measure=measure)
    assert reproduce.main(("n23/fig-06", "n23/fig-10"), out=tmp_path, jobs=1) == 1
    rows = read(tmp_path)["items"]
    broken = [row for row in rows if row["item"] == "fig-06"]
    assert {row["verdict"] for row in broken} == {"differs"}
    assert {row["measured"] for row in broken} == {None}
    assert broken[0]["note"] == "could not be measured: ZeroDivisionError: no cells <at all>"
    assert {row["verdict"] for row in rows if row["item"] == "fig-10/11"} == {"reproduced"}
    assert not (tmp_path / "items/n23/fig-06.json").exists()
    assert "no cells &lt;at all&gt;" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_a_measurement_that_forgets_a_quantity_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    item = replace(select(["n23/fig-06"])[0], measure=lambda results: {"N3 at 1 km, 10 Mbit/s": 1.0})
    with pytest.raises(ValueError, match="other quantities than it declares"):
        outcomes.carry_out(item)


def test_the_command_refuses_what_it_does_not_know(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["reproduce", "n23/fig-88", "--out", str(tmp_path)]) == 2
    assert "did you mean 'fig-08'" in capsys.readouterr().err
    assert command(["reproduce", "n23/fig-06", "--out", str(tmp_path), "--jobs", "0"]) == 2
    assert "at least one job" in capsys.readouterr().err
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert command(["reproduce", "n23/fig-06", "--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.startswith("cellway: ")


def test_the_command_shows_each_quantity_and_a_table_of_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(["reproduce", "n23/fig-10", "--out", str(tmp_path), "--jobs", "1", "--strict"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"bandwidth +0\.332 to 0\.334 +0\.33333 +0\.33333 +reproduced", out)
    assert re.search(r"n23/fig-10/11 +One VC without congestion.* 6 +– +–", out)
    assert "6 quantities: 6 reproduced, 0 differs, 0 not reproducible." in out
