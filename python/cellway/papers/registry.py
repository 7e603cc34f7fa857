"""The papers, by explicit list, and the choice of items by name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from cellway.papers import gfr, n23, uili
from cellway.papers.item import Item, Paper

PAPERS: tuple[Paper, ...] = (n23.PAPER, uili.PAPER, gfr.PAPER)
"""Every paper; the order of the report."""


class UnknownName(LookupError):
    """No paper or item has this name; the message names the nearest."""


def paper(name: str) -> Paper:
    """The paper with this name."""
    return next(one for one in PAPERS if one.name == name)


def item(name: str, of: str) -> Item:
    """The item with exactly this name, of the paper `of`."""
    return next(one for one in paper(of).items if one.name == name)


def select(names: Iterable[str] = ()) -> list[Item]:
    """The items of all given papers and items, each once, in the order of the list; everything if no name is given.

    Args:
        names: `PAPER` or `PAPER/ITEM`. Items are found by any spelling: `n23/fig-16`, `n23/figure 15/16`.

    Raises:
        UnknownName: a name fits nothing.
    """
    every = [one for paper in PAPERS for one in paper.items]
    wanted = [one for name in names for one in _named(name)]
    return [one for one in every if one in wanted] if wanted else every


def _named(name: str) -> list[Item]:
    wanted, _, part = name.strip().partition("/")
    found = next((one for one in PAPERS if one.name == wanted.lower()), None)
    if found is None:
        names = [one.name for one in PAPERS]
        raise UnknownName(_message("paper", wanted, wanted.lower(), names, names))
    if not part.strip("/ "):
        return list(found.items)
    key = _key(part)
    for one in found.items:
        if key in _spellings(one):
            return [one]
    spellings = {key: one.name for one in found.items for key in _spellings(one)}
    raise UnknownName(_message(f"item of {found.name}", part, key, spellings, [one.name for one in found.items]))


def _spellings(one: Item) -> list[str]:
    """`fig-15/16` is also found as `fig-15` and `fig-16`."""
    match = re.fullmatch(r"(\w+)-(\d+)/(\d+)", one.name)
    parts = [f"{match[1]}-{match[2]}", f"{match[1]}-{match[3]}"] if match else []
    return [_key(spelling) for spelling in (one.name, *parts)]


def _key(text: str) -> str:
    """A spelling without its accidents: `Figure 06` and `fig-6` are the same."""
    words = re.findall(r"[a-z]+|\d+", text.lower())
    full = {"figure": "fig", "figures": "fig", "figs": "fig", "section": "sec", "sections": "sec", "table": "table"}
    return "-".join(str(int(word)) if word.isdigit() else full.get(word, word) for word in words)


def _message(noun: str, found: str, key: str, known: Iterable[str], allowed: list[str]) -> str:
    names = known if isinstance(known, dict) else {name: name for name in known}
    near = difflib.get_close_matches(key, names, n=1, cutoff=0.5)
    suggestion = f"; did you mean '{names[near[0]]}'?" if near else ""
    return f"there is no {noun} '{found}'{suggestion} (known: {', '.join(allowed)})"
