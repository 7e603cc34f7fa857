"""Every item of every paper: its shape here, and in `test_every_item_holds` its result and the pictures of its page."""

import ast
import math
import re
from pathlib import Path

import pytest

from cellway.papers.item import Item, Quantity
from cellway.papers.outcome import carry_out
from cellway.papers.pictures import picture_files, shown
from cellway.papers.registry import PAPERS, select
from cellway.scenario import loads, lower, to_yaml

ROOT = Path(__file__).resolve().parents[2]
ITEMS = select()
ITEM_FILES = sorted((ROOT / "python/cellway/papers").glob("*/*.py"))

N23 = (
    "fig-06", "fig-08", "fig-10/11", "fig-12/13", "fig-15/16", "fig-18/19", "fig-20", "fig-21", "fig-23/24",
    "sec-4.5", "sec-8.3",
)  # fmt: skip

GFR = ("fig-03", "fig-04", "fig-05", "table-1")
UILI = (
    "table-1", "fig-04", "sec-5.5", "sec-6", "fig-06a", "fig-06b", "fig-06c", "fig-06d", "fig-06e", "fig-10", "fig-11",
    "fig-12",
)  # fmt: skip

LOST = {f"peak, {clients} clients, {which} flow control" for clients in (4, 8, 12, 15) for which in ("with", "without")}
"""The printed numbers of figure 21, whose traces are lost."""


DIFFERS = {
    "uili/fig-06d": {"least ACR from then on, ICR 1 Mbit/s"},
    "uili/fig-06e": {"least way to the goal", "largest way to the goal"},
    "uili/fig-12": {"reductions per burst, time-based"},
    "gfr/fig-03": {f"farthest from the mean, {n} sources, {k} cells" for n in (15, 50) for k in (12_000, 24_000)},
    "gfr/fig-04": {
        "miss at R = 0.5 over the least at another R, 12000 cells",
        "miss at R = 0.5 over the least at another R, 24000 cells",
        "least fall from a class to the next, 24000 cells",
    },
    "gfr/fig-05": {f"achieved/target, {target} Mbit/s, 12000 cells" for target in (2.6, 5.3, 8.0, 13.5)},
    "gfr/table-1": {"least achieved/target, - - X, 12000 cells", "least achieved/target, - X X, 12000 cells"},
}
"""What lies outside its band, each with its reason."""


def names(item: Item) -> str:
    return item.path


def test_every_figure_and_table_is_an_item() -> None:
    assert tuple(item.name for item in select(["n23"])) == N23
    assert tuple(item.name for item in select(["gfr"])) == GFR
    assert tuple(item.name for item in select(["uili"])) == UILI
    assert {item.paper for item in ITEMS} == {paper.name for paper in PAPERS}


@pytest.mark.parametrize("item", ITEMS, ids=names)
def test_an_item_says_what_is_claimed_and_where_its_bands_come_from(item: Item) -> None:
    assert item.claim.endswith(".")
    assert item.title
    assert not item.title.endswith(".")
    for quantity in item.quantities:
        assert re.search(r"section|figure|eq\.|theory\.", quantity.source), quantity
        assert quantity.unit
        for limit in (quantity.low, quantity.high, quantity.paper):
            assert limit is None or math.isfinite(limit)


@pytest.mark.parametrize("item", ITEMS, ids=names)
def test_scenarios_survive_yaml(item: Item) -> None:
    for label, scenario in item.scenarios().items():
        again = loads(to_yaml(scenario))
        assert lower(again).document == lower(scenario).document, label


def test_item_files_hold_scenario_claim_and_band_only() -> None:
    assert len(ITEM_FILES) > len(ITEMS)
    for path in ITEM_FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.While)], f"{path.name}: a loop over time"
        imported = {
            name
            for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names])
        }
        wrong = {name for name in imported if re.match(r"matplotlib|plotly|cellway\.(plots|run|_engine)\b", name)}
        assert not wrong, f"{path.name} draws or runs by itself: {wrong}"


def numbers(svg: str) -> tuple[str, list[float]]:
    """A picture without its numbers, and the numbers. Names made from hashes are left out."""
    text = re.sub(r"\b[mp][0-9a-f]{10}\b", "", svg)
    pattern = r"-?\d+(?:\.\d+)?"
    return re.sub(pattern, "0", text), [float(one) for one in re.findall(pattern, text)]


def same_picture(one: str, other: str) -> bool:
    """True where they differ by less than anyone sees: rounding depends on the processor."""
    (shape, values), (other_shape, other_values) = numbers(one), numbers(other)
    return shape == other_shape and all(
        math.isclose(a, b, abs_tol=0.05) for a, b in zip(values, other_values, strict=True)
    )


@pytest.mark.parametrize("item", ITEMS, ids=names)
def test_every_item_holds(item: Item) -> None:
    """The whole item with all its seeds: what the paper's page and the report say of it stays true."""
    outcome = carry_out(item)
    verdicts = {finding.quantity: finding.verdict for finding in outcome.findings}
    expected = dict.fromkeys(verdicts, "reproduced")
    if item.path == "n23/fig-21":
        expected |= dict.fromkeys(LOST, "not reproducible")
    expected |= dict.fromkeys(DIFFERS.get(item.path, ()), "differs")
    assert verdicts == expected
    assert [one.quantity for one in outcome.findings if "no reason found" in one.note] == []
    assert outcome.pictures or outcome.tables
    assert all(picture.caption.endswith(".") for picture in outcome.pictures)

    pages = ROOT / "docs/papers"
    wanted = shown(pages / f"{item.paper}.md")
    drawn = dict(picture_files(outcome))
    mentioned = {name for name in wanted if name.startswith(f"{item.paper}/{item.slug}-")}
    assert mentioned <= drawn.keys()
    stale = [name for name in mentioned if not same_picture((pages / name).read_text(encoding="utf-8"), drawn[name])]
    assert stale == [], "python -m cellway.papers.pictures rewrites them"


def test_pages_mention_every_item_and_keep_no_picture_that_they_do_not_show() -> None:
    for paper in PAPERS:
        page = ROOT / f"docs/papers/{paper.name}.md"
        text = page.read_text(encoding="utf-8")
        assert [item.name for item in paper.items if item.name not in text] == []
        kept = {f"{paper.name}/{path.name}" for path in (page.parent / paper.name).glob("*.svg")}
        assert kept == shown(page)
        assert kept
        for name in kept:
            assert (page.parent / name).stat().st_size < 100_000, name


def test_same_picture_sees_a_change() -> None:
    svg = '<path d="M 1.25 2 L 3.5 4" clip-path="url(#p0123456789)"/>'
    assert same_picture(svg, svg.replace("1.25", "1.26").replace("#p0123456789", "#pabcdef0123"))
    assert not same_picture(svg, svg.replace("3.5", "3.9"))
    assert not same_picture(svg, svg.replace("<path", "<line"))


def test_a_quantity_without_band_or_source_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a limit"):
        Quantity("x", "1", None, None, "section 1")
    with pytest.raises(ValueError, match="needs a source"):
        Quantity("x", "1", 0, 1, "")
    with pytest.raises(ValueError, match="empty"):
        Quantity("x", "1", 2, 1, "section 1")
