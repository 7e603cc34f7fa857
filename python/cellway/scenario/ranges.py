"""Name ranges: `src[1..15]` stands for src1, src2, ..., src15.

An entry that holds ranges is expanded element by element: all ranges in it have the same length, and the k-th element
of each meets the k-th of the others. `[01..15]` gives two digits each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cellway.scenario.errors import Fault

MAX_ELEMENTS = 100_000
"""Longest range."""

NAME = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
_NAME = re.compile(NAME)
_RANGE = re.compile(r"(?P<before>[^\[\]]*)\[(?P<first>[0-9]{1,12})\.\.(?P<last>[0-9]{1,12})\](?P<after>[^\[\]]*)")


def is_range(text: str) -> bool:
    """True for a text with a range in it."""
    return "[" in text or "]" in text


def elements(text: str) -> list[str]:
    """The names that `text` stands for: one, or those of its range.

    Raises `Fault` for a range that is malformed, runs backwards or is absurdly long, and for an invalid name.
    """
    if not is_range(text):
        _check_name(text)
        return [text]
    match = _RANGE.fullmatch(text)
    if match is None:
        raise Fault("malformed name range", repr(text), "one range in a name, such as 'src[1..15]'")
    first, last = match["first"], match["last"]
    low, high = int(first), int(last)
    if high < low:
        raise Fault("this range runs backwards", repr(text), f"'{match['before']}[{last}..{first}]{match['after']}'")
    if high - low >= MAX_ELEMENTS:
        raise Fault("this range is absurdly long", repr(text), f"at most {MAX_ELEMENTS} elements")
    width = len(first) if first.startswith("0") and len(first) > 1 else 0
    _check_name(f"{match['before']}{low}{match['after']}")
    return [f"{match['before']}{number:0{width}d}{match['after']}" for number in range(low, high + 1)]


def _check_name(text: str) -> None:
    if not _NAME.fullmatch(text) or len(text) > 100:
        raise Fault(
            "not a name", repr(text[:60]), "letters, digits, '_' and inner '-', or a range such as 'src[1..15]'"
        )


def link_ends(text: str) -> tuple[str, str]:
    """The two ends of a link name `from->to`; each may be a range.

    Raises `Fault` for anything else.
    """
    ends = [end.strip() for end in text.split("->")]
    if len(ends) != 2 or not all(ends):
        raise Fault("not a link", repr(text[:60]), "'from->to', for example 's1->b'")
    return ends[0], ends[1]


def link_elements(text: str) -> list[str]:
    """The link names that `a->b`, `src[1..15]->s1` or `a[1..3]->b[1..3]` stands for.

    Raises `Fault` for a malformed name or ranges of different length.
    """
    tails, heads = zip_elements([elements(end) for end in link_ends(text)])
    return [f"{tail}->{head}" for tail, head in zip(tails, heads, strict=True)]


def zip_elements(columns: Iterable[list[str]]) -> list[list[str]]:
    """The columns at one common length: single names are repeated.

    Raises `Fault` when two ranges differ in length.
    """
    every = list(columns)
    length = common_length(every)
    return [column * length if len(column) == 1 else column for column in every]


def common_length(columns: Iterable[list[str]]) -> int:
    """The length of the ranges among the columns; 1 where there is none.

    Raises `Fault` when two differ.
    """
    longer = [column for column in columns if len(column) > 1]
    if not longer:
        return 1
    for column in longer:
        if len(column) != len(longer[0]):
            raise Fault(
                "ranges of one entry differ in length",
                f"{len(longer[0])} ({longer[0][0]}..{longer[0][-1]}) and {len(column)} ({column[0]}..{column[-1]})",
                "equal lengths",
            )
    return len(longer[0])
