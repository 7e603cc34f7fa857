"""Nothing in README.md and docs/ is only claimed: blocks are executed, tables generated, links and names followed."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from cellway.reference import algorithms, language_keys

ROOT = Path(__file__).resolve().parents[2]


def load_refresh() -> ModuleType:
    name = "docs_refresh"
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs/refresh.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


refresh = load_refresh()
PAGES = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in refresh.pages()}
MODELS = {name: text for name, text in PAGES.items() if name.startswith("docs/models/")}


def prose(text: str) -> str:
    """Without blocks and generated tables."""
    return refresh.GENERATED.sub("", refresh.FENCE.sub("", text))


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_is_what_comes_out(page: str) -> None:
    new = refresh.refreshed(PAGES[page])
    assert new.splitlines() == PAGES[page].splitlines(), f"{page} is stale: `make docs`, then read what it changed"


def test_a_stale_page_is_found() -> None:
    stale = "```python\nprint(6 * 7)\n```\n\n```text\n41\n```\n"
    assert refresh.refreshed(stale) == stale.replace("41", "42")
    assert refresh.refreshed("```python\nprint(6 * 7)\n```\n") == stale.replace("41", "42")
    console = "```console\n$ cellway list discard\nold\n```\n"
    assert "tail_drop" in refresh.refreshed(console)
    assert "cut" not in refresh.refreshed("```console\n$ cellway list\ncut\n...\n```\n")
    # What is printed may be indented; only a backslash makes a command go on.
    console = "```console\n$ cellway list discard\n  cut\n```\n"
    assert refresh.refreshed(console) == refresh.refreshed(console.replace("  cut\n", ""))
    assert "tail_drop" in refresh.refreshed(console.replace(" discard\n", " \\\n    discard\n"))
    table = "<!-- parameters credit.n23 -->\n<!-- end -->\n"
    assert "`redundant`" in refresh.refreshed(table)


@pytest.mark.parametrize(
    "block", ["```sh\nls\n```\n", "```text\n42\n```\n", "```python\n1 / 0\n```\n", "```console\nx\n```\n"]
)
def test_a_block_that_cannot_be_executed_is_an_error(block: str) -> None:
    with pytest.raises(refresh.BlockError):
        refresh.refreshed(block)


def test_a_command_that_begins_to_fail_is_an_error() -> None:
    console = "```console\n$ cellway run nowhere.yaml\n```\n"
    with pytest.raises(refresh.BlockError, match="fails now"):
        refresh.refreshed(console)
    expected = console.replace("yaml\n", "yaml\n[exit status 2]\n")
    assert refresh.refreshed(expected).endswith("[exit status 2]\n```\n")


def numbers(svg: bytes) -> tuple[str, np.ndarray]:
    """The text of a picture without its numbers, and its numbers."""
    pattern = r"-?\d+\.?\d*(?:e-?\d+)?"
    text = svg.decode("utf-8")
    return re.sub(pattern, "0", text), np.array([float(one) for one in re.findall(pattern, text)])


def test_figures_are_those_of_this_version() -> None:
    drawn = refresh.figures()
    kept = {path.name: path.read_bytes() for path in (ROOT / "docs/figures").iterdir()}
    assert drawn.keys() == kept.keys()
    for name, content in drawn.items():
        assert len(kept[name]) < 100_000
        (text, values), (old_text, old_values) = numbers(content), numbers(kept[name])
        assert text == old_text, f"{name} is stale: `make docs`"
        assert np.allclose(values, old_values, atol=0.01), f"{name} is stale: `make docs`"


@pytest.mark.parametrize("page", PAGES)
def test_links_and_paths_lead_somewhere(page: str) -> None:
    folder = (ROOT / page).parent
    links = [link.partition("#") for link in re.findall(r"\]\(([^)\s]+)\)", PAGES[page]) if "://" not in link]
    assert [link for link, _, _ in links if link and not (folder / link).exists()] == []
    for link, _, anchor in links:
        if anchor:
            target = (folder / link if link else ROOT / page).read_text(encoding="utf-8")
            titles = re.findall(r"^#+ (.+)$", target, re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-") for title in titles}
    paths = re.findall(r"`((?:crates|docs|examples|python|tests)/[\w./-]+)`", prose(PAGES[page]))
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_named_rust_tests_exist(page: str) -> None:
    """`file.rs`: `name_of_a_test` in prose."""
    for path, name in re.findall(r"`(crates/[\w/]+\.rs)`: `(\w+)`", prose(PAGES[page])):
        assert f"fn {name}(" in (ROOT / path).read_text(encoding="utf-8"), f"{page} names {name} in {path}"


def test_every_page_is_reached_from_the_readme() -> None:
    seen, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page in seen:
            continue
        seen.add(page)
        for link in re.findall(r"\]\(([^)\s#]+)", page.read_text(encoding="utf-8")):
            target = page.parent / link
            waiting += [target] if target.suffix == ".md" else sorted(target.glob("*.md"))
    assert [name for name in PAGES if (ROOT / name).resolve() not in seen] == []


def test_every_algorithm_has_its_section() -> None:
    for one in algorithms():
        page = MODELS[f"docs/models/{one.family}.md"]
        sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
        assert one.kind in sections, f"docs/models/{one.family}.md has no section on {one.kind}"
        section = sections[one.kind]
        assert f"<!-- parameters {one.family}.{one.kind} -->" in section
        parts = re.findall(r"^\*\*(Scope and limitations|Validation|References)\.\*\*", section, re.MULTILINE)
        assert parts == ["Scope and limitations", "Validation", "References"], one.kind
        validation = section.partition("**Validation.**")[2].partition("**References.**")[0]
        assert re.search(r"`(crates|tests|examples)/[\w./-]+`", validation), f"{one.kind}: which test?"


def test_every_key_of_the_language_has_its_row() -> None:
    page = PAGES["docs/scenario-language.md"]
    shown = re.findall(r"<!-- keys (\S+) -->", page)
    below = {key.path.rpartition(".")[0] or "top" for key in language_keys()}
    assert sorted(shown) == sorted(below)


def test_the_readme_is_as_ruled() -> None:
    text = PAGES["README.md"]
    assert "[exit status" not in text, "a command of the README fails"
    commands = re.findall(r"^    make (\w+) ", text, re.MULTILINE)
    assert commands == ["reproduce", "test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(
        r"^reproduce: setup.*\n\t\$\(BIN\)/cellway reproduce --out reproduction \$\(ARGS\)$", makefile, re.M
    )
    [program] = [body for kind, body in refresh.FENCE.findall(text) if kind == "python"]
    assert len([line for line in program.splitlines() if line]) == 6
    assert len(re.findall(r"!\[", text)) == 1
    assert "## What is not modelled" in text
    assert tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["readme"] == "README.md"
    assert text.count("\n") < 110, "one screen more and nobody reads it"


def test_what_the_readme_counts() -> None:
    words = dict(
        enumerate(["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"], 13)
    )
    count = len(list((ROOT / "examples").glob("*.yaml")))
    assert f"the {words[count]} commented scenarios" in PAGES["README.md"]
