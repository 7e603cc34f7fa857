"""From pydantic's errors to located problems in the words of the language."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from cellway.scenario.blocks import Block, Parameters, alternatives
from cellway.scenario.errors import Path, Problem, ScenarioError, listing, nearest, show_value
from cellway.scenario.quantities import Quantity
from cellway.scenario.yaml_source import Source

_MESSAGES = {
    "string_type": "must be text",
    "invalid_key": "a key must be text",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "model_attributes_type": "must be a mapping",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "greater_than": "must be more than {gt}",
    "less_than": "must be less than {lt}",
    "too_short": "needs at least {min_length}",
    "too_long": "has more than {max_length}",
}


def scenario_error(error: ValidationError, source: Source, root: type[Block]) -> ScenarioError:
    """The problems that pydantic found, at their places in the source."""
    return ScenarioError([_problem(details, source, root) for details in error.errors(include_url=False)])


def _problem(details: ErrorDetails, source: Source, root: type[Block]) -> Problem:
    kind, context, value = details["type"], details.get("ctx", {}), details.get("input")
    path, types_there = _walk(details["loc"], root)
    if kind == "scenario":
        where: Path = (*path, *context["at"])
        return source.problem(where, context["message"], context["found"], context["allowed"], context["suggestion"])
    if kind == "missing":
        return source.problem(path, "required, but missing", "", _wanted(types_there) or _description(path, root))
    if kind in ("extra_forbidden", "no_such_attribute"):
        known = _keys(details["loc"][:-1], root)
        key = str(path[-1])
        return source.problem(path, f"unknown key {show_value(key)}", "", listing(known), nearest(key, known))
    if kind == "literal_error":
        allowed = [str(option) for one in types_there for option in get_args(one)]
        near = nearest(value, allowed) if isinstance(value, str) else ""
        return source.problem(path, f"unknown value {show_value(value)}", "", listing(allowed), near)
    if kind in _MESSAGES:
        return source.problem(path, _MESSAGES[kind].format(**context), show_value(value), _wanted(types_there))
    return source.problem(path, details["msg"], show_value(value))


def _walk(loc: tuple[int | str, ...], root: type[Block]) -> tuple[Path, list[Any]]:
    """The place that pydantic names, without the `kind` tags it inserts, and the types wanted there."""
    path: list[int | str] = []
    wanted: list[Any] = [root]
    chosen = True
    for part in loc:
        if part == "[key]":  # the key of a mapping, which is the part before
            continue
        tagged = [] if chosen else [one for one in wanted if _kind(one) == part]
        if tagged:
            wanted, chosen = tagged, True
            continue
        path.append(part)
        wanted = [deeper for one in wanted for deeper in _below(one, part)]
        chosen = not any(_kind(one) for one in wanted)
    return tuple(path), wanted


def _description(path: Path, root: type[Block]) -> str:
    """What the documentation says of a field at the top."""
    name = root.keys().get(str(path[0]), "")
    described = root.model_fields[name].description if len(path) == 1 and name else None
    return (described or "").split(". ")[0].rstrip(".")


def _keys(loc: tuple[int | str, ...], root: type[Block]) -> list[str]:
    wanted = _walk(loc, root)[1]
    return [key for one in wanted if isinstance(one, type) and issubclass(one, Block) for key in [*one.keys()]]


def _kind(one: Any) -> str:
    return one.kind_name() if isinstance(one, type) and issubclass(one, Parameters) else ""


def _below(one: Any, part: int | str) -> list[Any]:
    """The types that `part` of a value of type `one` may have."""
    if isinstance(one, type) and issubclass(one, Block):
        name = one.keys().get(str(part), str(part))
        return alternatives(one.model_fields[name].annotation) if name in one.model_fields else []
    arguments = get_args(one)
    if get_origin(one) is dict:
        return alternatives(arguments[1])
    return alternatives(arguments[0]) if get_origin(one) in (list, tuple) and arguments else []


def _wanted(wanted: list[Any]) -> str:
    """What to write at a place of these types."""
    hints = []
    for one in wanted:
        if isinstance(one, type) and issubclass(one, Quantity):
            hints.append(one.hint())
        elif get_origin(one) is Literal:
            hints += [str(option) for option in get_args(one)]
    kinds = [_kind(one) for one in wanted if _kind(one)]
    return listing([*hints, f"kind: {listing(kinds)}"] if kinds else hints)
