"""Rewrites the pictures that pages of the documentation show, from finished items: `python -m cellway.papers.pictures`.

A page `docs/papers/PAPER.md` shows `PAPER/ITEM-FIGURE.svg` beside it. Only pictures that a page mentions are written.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from cellway.papers.outcome import Outcome, kept
from cellway.papers.registry import PAPERS, select


def picture_files(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Name, as pages mention it, and content of each picture of an item."""
    item = re.sub(r"[^a-z0-9.]+", "-", outcome.item)
    for picture in outcome.pictures:
        yield f"{outcome.paper}/{item}-{picture.name}.svg", picture.svg


def shown(page: Path) -> set[str]:
    """The pictures that a page mentions."""
    return set(re.findall(r"\(([\w.-]+/[\w.-]+\.svg)\)", page.read_text(encoding="utf-8")))


def rewrite(reproduction: Path, pages: Path) -> list[Path]:
    """Writes the pictures of all pages and returns their paths.

    Raises:
        LookupError: a page shows a picture that no finished item has.
    """
    written = []
    for paper in PAPERS:
        outcomes = [outcome for item in select([paper.name]) if (outcome := kept(item, reproduction))]
        found = dict(pair for outcome in outcomes for pair in picture_files(outcome))
        wanted = shown(pages / f"{paper.name}.md")
        if missing := sorted(wanted - found.keys()):
            raise LookupError(f"no finished item has {', '.join(missing)}: run `cellway reproduce` first")
        for name in sorted(wanted):
            path = pages / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(found[name], encoding="utf-8", newline="\n")
            written.append(path)
    return written


if __name__ == "__main__":
    for path in rewrite(Path(sys.argv[1]), Path(sys.argv[2])):
        print(path)
