"""What the scenario language knows: its keys and the algorithms of each family, for `cellway list` and `explain`.

Everything is read from the classes of the language, so that it cannot differ from what a scenario accepts.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from cellway.scenario import FAMILIES, Scenario
from cellway.scenario.blocks import Block, Parameters, alternatives, plain
from cellway.scenario.errors import listing, nearest
from cellway.scenario.quantities import Quantity


class UnknownName(LookupError):
    """There is no such family, algorithm or key; the message names the nearest one."""


@dataclass(frozen=True)
class Key:
    """A key of a mapping in a scenario."""

    path: str
    """Place without the names that users give: `vcs.credit`, `links.delay`; for parameters the key alone."""
    wanted: str
    """What stands there: `duration, for example 5 ms`."""
    default: str
    """Default as written in YAML, `required`, or empty where the text says it."""
    text: str
    """What it means."""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm of a family: what a `kind` means."""

    family: str
    kind: str
    summary: str
    """The first sentence."""
    text: str
    """All that is said about it, without the source."""
    source: str
    """Paper and section, or empty."""
    parameters: tuple[Key, ...]


def algorithms(family: str | None = None) -> list[Algorithm]:
    """The algorithms of a family, or of all, in the order of the language.

    Raises:
        UnknownName: there is no such family.
    """
    everything = [_algorithm(one) for classes in FAMILIES.values() for one in classes.values()]
    families = list(dict.fromkeys(one.family for one in everything))
    if family is not None and family not in families:
        raise UnknownName(_unknown("family", family, families))
    return [one for name in families for one in everything if one.family == name and family in (None, name)]


def language_keys() -> list[Key]:
    """Every key of the language outside the parameters of algorithms."""
    return list(_keys(Scenario, ""))


def explain(name: str) -> list[Algorithm | Key]:
    """What a name means: an algorithm (`n23`, `credit.n23`), a family, or a key (`warmup`, `vcs.priority`).

    Raises:
        UnknownName: nothing has that name.
    """
    known, places = algorithms(), language_keys()
    found: list[Algorithm | Key] = [one for one in known if name in (one.kind, f"{one.family}.{one.kind}")]
    found += [key for key in places if name == key.path or key.path.endswith(f".{name}")]
    if not found:
        found += [one for one in known if name == one.family]
    if not found:
        names = [one.kind for one in known] + [key.path.rpartition(".")[2] for key in places]
        raise UnknownName(_unknown("algorithm or key", name, list(dict.fromkeys(names + [key.path for key in places]))))
    return found


def _unknown(noun: str, name: str, names: list[str]) -> str:
    near = nearest(name, names)
    return f"there is no {noun} '{name}'; " + (f"did you mean '{near}'?" if near else f"there are {listing(names)}")


def _algorithm(parameters: type[Parameters]) -> Algorithm:
    paragraphs = [" ".join(one.split()) for one in re.split(r"\n\s*\n", inspect.getdoc(parameters) or "")]
    sources = [one.removeprefix("Source: ") for one in paragraphs if one.startswith("Source: ")]
    said = [one for one in paragraphs if not one.startswith("Source: ")]
    summary = re.split(r"(?<=[.;]) ", said[0], maxsplit=1)[0].rstrip(".;") if said else ""
    own = tuple(key for key in _keys(parameters, "") if key.path != "kind")
    return Algorithm(parameters.family, parameters.kind_name(), summary, "\n\n".join(said), " ".join(sources), own)


def _keys(block: type[Block], above: str) -> Iterator[Key]:
    """The keys of a block and of the blocks in it."""
    for key, (name, field) in zip(_own_keys(block), block.model_fields.items(), strict=True):
        path = f"{above}.{field.alias or name}" if above else key.path
        yield Key(path, key.wanted, key.default, key.text)
        for inner in _blocks(field.annotation):
            yield from _keys(inner, path)


def _own_keys(block: type[Block]) -> Iterator[Key]:
    for name, field in block.model_fields.items():
        yield Key(
            field.alias or name, _wanted(field.annotation), _default(field), " ".join((field.description or "").split())
        )


def _blocks(annotation: Any) -> list[type[Block]]:
    """The blocks that stand directly in a field, but not the parameters of algorithms."""
    if isinstance(annotation, type) and issubclass(annotation, Block):
        return [] if issubclass(annotation, Parameters) else [annotation]
    return list(dict.fromkeys(block for inner in get_args(annotation) for block in _blocks(inner)))


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True, validated_data={})
    if value is None or isinstance(value, (Block, dict, list)) or value == "":
        return ""
    return str(value).lower() if isinstance(value, bool) else str(plain(value))


def _wanted(annotation: Any) -> str:
    """What a field takes, in the words of the language."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _wanted(inner[0])
    if origin is Literal:
        return " or ".join(str(one) for one in inner)
    if origin in (Union, types.UnionType):
        options = alternatives(annotation)
        kinds = [one.kind_name() for one in options if isinstance(one, type) and issubclass(one, Parameters)]
        if kinds:
            return f"mapping with `kind`: {', '.join(kinds)}"
        return " or ".join(dict.fromkeys(_wanted(one) for one in options))
    if origin is dict:
        return f"mapping of names, each to a {_wanted(inner[1])}" if inner else "mapping"
    if origin in (list, tuple):
        return f"list, each a {_wanted(inner[0])}" if inner else "list"
    if isinstance(annotation, type):
        if issubclass(annotation, Quantity):
            return f"{annotation.noun}, for example {annotation.example}"
        if issubclass(annotation, Parameters):
            return f"mapping with `kind`: {annotation.kind_name()}"
        if issubclass(annotation, Block):
            return f"mapping with {', '.join(annotation.keys())}"
        return {bool: "true or false", int: "whole number", float: "number", str: "text"}.get(
            annotation, annotation.__name__
        )
    return str(annotation)
