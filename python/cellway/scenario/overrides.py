"""Changing single values of a scenario before it is checked: `--set PATH=VALUE`.

A path is written with dots and list indices: `vcs.vc1.credit.n3`, `links[0].rate`, `vcs.vc[1..15].traffic.rate`. The
value is read as YAML: `51 cells`, `null`, `{kind: greedy}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cellway.scenario.errors import Path, Problem, ScenarioError, listing, nearest, show_path, show_value
from cellway.scenario.ranges import elements, is_range
from cellway.scenario.yaml_source import Source, parse_fragment

_SEGMENT = re.compile(
    r"""\[(?P<index>[0-9]+)\]|\.?(?:"(?P<quoted>[^"]*)"|(?P<name>[^.\[\]"]+(?:\[[0-9]+\.\.[0-9]+\][^.\[\]"]*)*))"""
)

NAMED = ("vcs", "switches", "hosts")
"""Mappings whose keys are names that the user chose: a path does not make new ones."""


@dataclass(frozen=True)
class Override:
    """One value to set."""

    path: tuple[str | int, ...]
    """Keys and list indices; an index may also stand for a key."""
    value: Any
    """Plain value."""
    text: str
    """As the user wrote it, for messages."""


def parse_override(text: str) -> Override:
    """The override that `PATH=VALUE` describes.

    Raises `ScenarioError` for a text without `=`, a malformed path, or a value that is not YAML.
    """
    name, equals, value = text.partition("=")
    option = f"--set {text}"
    if not equals:
        raise ScenarioError(Problem((), "no value to set", allowed="PATH=VALUE, for example seed=2", file=option))
    path = parse_path(name, option)
    try:
        return Override(path, parse_fragment(value), text)
    except ScenarioError as error:
        raise ScenarioError(Problem(path, error.message, error.found, error.allowed, file=option)) from None


def parse_path(text: str, option: str | None = None) -> tuple[str | int, ...]:
    """The parts of a dotted path.

    Raises `ScenarioError` for a malformed path.
    """
    parts: list[str | int] = []
    position, text = 0, text.strip()
    while position < len(text):
        match = _SEGMENT.match(text, position)
        if match is None or (match.group()[0] not in ".[" if position else match.group()[0] == "."):
            break
        if match["index"] is not None:
            parts.append(int(match["index"]))
        else:
            parts.append(match["quoted"] if match["quoted"] is not None else match["name"].strip())
        position = match.end()
    if position < len(text) or not parts or isinstance(parts[0], int):
        allowed = "keys joined by dots, for example vcs.vc1.credit.n3 or links[0].rate"
        raise ScenarioError(Problem((), "malformed path", show_value(text), allowed, file=option))
    return tuple(parts)


def apply(source: Source, overrides: Iterable[Override]) -> None:
    """Sets the values in the tree of `source`.

    Keys that the language knows but the file lacks are made; unknown keys are left to the check of the whole. Raises
    `ScenarioError` for a name or list element that does not exist.
    """
    for override in overrides:
        path = _set(source.tree, override)
        source.overrides[path] = override.text


def _set(tree: dict[str, Any], override: Override) -> Path:
    """Sets one value; the path as it is in the tree."""
    done: list[str | int] = []

    def fail(message: str, found: str = "", allowed: str = "", suggestion: str = "") -> ScenarioError:
        return ScenarioError(Problem(tuple(done), message, found, allowed, suggestion, file=f"--set {override.text}"))

    here: Any = tree
    for position, part in enumerate(override.path):
        last = position == len(override.path) - 1
        if isinstance(here, list):
            index = _index(here, part)
            done.append(part if index is None else index)
            if index is None or index >= len(here):
                allowed = f"an index from 0 to {len(here) - 1}" if here else "the list is empty"
                raise fail("there is no such element", "", allowed)
            key: Any = index
        elif isinstance(here, dict):
            key = str(part)
            done.append(key)
            if tuple(done[:-1]) in {(name,) for name in NAMED} and key not in here and not last:
                raise fail(f"there is no '{key}' in {show_path(tuple(done[:-1]))}", "", *_names(here, key))
        else:
            raise fail(f"'{show_path(tuple(done))}' holds a single value", show_value(here), "a path that ends there")
        if last:
            here[key] = override.value
            break
        following = here[key] if isinstance(here, list) else here.get(key)
        if following is None:
            following = {}
            here[key] = following
        if done == ["hosts"] and isinstance(following, list) and isinstance(override.path[position + 1], str):
            following = {name: {} for name in following if isinstance(name, str)}
            here[key] = following
        here = following
    return tuple(done)


def _index(items: list[Any], part: str | int) -> int | None:
    if isinstance(part, int):
        return part
    return int(part) if part.isdigit() and len(part) < 10 else None


def _names(known: dict[str, Any], key: str) -> tuple[str, str]:
    """What is allowed and what is near, for a name that does not exist."""
    for name in known:
        if is_range(name) and key in elements(name):
            return listing(known), name
    return listing(known), nearest(key, known)
