"""Types of the fields of the language: names, ranges of names, one or many, all or some, positive quantities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, GetCoreSchemaHandler, StrictInt, StrictStr
from pydantic_core import CoreSchema, core_schema

from cellway.scenario.errors import Fault, nearest, pydantic_error, show_value
from cellway.scenario.quantities import LIMIT, BitRate, Cells, Duration, Quantity
from cellway.scenario.ranges import elements, link_elements

Q = TypeVar("Q", bound=Quantity)


def _name(value: str) -> str:
    try:
        elements(value)
    except Fault as fault:
        raise pydantic_error(fault) from None
    return value


def _link(value: str) -> str:
    try:
        link_elements(value)
    except Fault as fault:
        raise pydantic_error(fault) from None
    return value


Name = Annotated[StrictStr, AfterValidator(_name)]
"""A name, or a range of names such as `src[1..15]`."""

LinkName = Annotated[StrictStr, AfterValidator(_link)]
"""A link `from->to`, or a range of links such as `src[1..15]->s1`."""


def _positive(value: Q) -> Q:
    if value.number == 0:
        raise pydantic_error(
            Fault(f"this {value.noun} must be more than zero", show_value(str(value)), f"for example '{value.example}'")
        )
    return value


PositiveCells = Annotated[Cells, AfterValidator(_positive)]
PositiveDuration = Annotated[Duration, AfterValidator(_positive)]
PositiveBitRate = Annotated[BitRate, AfterValidator(_positive)]


def _limited(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LIMIT:
        raise pydantic_error(Fault("this number is absurdly large", show_value(value), "at most 2^61"))
    return value


WholeNumber = Annotated[StrictInt, BeforeValidator(_limited)]
"""An integer that the engine can hold."""


def names_of(value: Any) -> Any:
    """A list of names as the mapping of each to nothing; a mapping with its empty values filled in."""
    if isinstance(value, (list, tuple)):
        seen: set[str] = set()
        for index, name in enumerate(value):
            if not isinstance(name, str):
                raise pydantic_error(
                    Fault("a name must be text", show_value(name), 'for example a, or "src[1..15]"', at=(index,))
                )
            if name in seen:
                raise pydantic_error(Fault(f"'{name}' is listed twice", at=(index,)))
            seen.add(name)
        return {name: {} for name in value}
    if isinstance(value, dict):
        return {name: {} if item is None else item for name, item in value.items()}
    return value


def path_of_names(value: Any) -> tuple[str, ...]:
    """A list of names.

    Raises `Fault` located at the element that is none.
    """
    if not isinstance(value, (list, tuple)):
        raise Fault("must be a list of names", show_value(value))
    for index, name in enumerate(value):
        if not isinstance(name, str):
            raise Fault("must be a name", show_value(name), at=(index,))
        try:
            elements(name)
        except Fault as fault:
            raise fault.under(index) from None
    return tuple(value)


def one_or_many(value: Any) -> str | tuple[str, ...]:
    """A name, or a list of at least one name.

    Raises `Fault` for anything else.
    """
    if isinstance(value, str):
        elements(value)
        return value
    if not isinstance(value, (list, tuple)):
        raise Fault("must be a name or a list of names", show_value(value))
    if not value:
        raise Fault("needs at least one name", show_value(value))
    return path_of_names(value)


def two_names(value: Any) -> tuple[str, str]:
    """The two ends of a link.

    Raises `Fault` for anything else.
    """
    names = path_of_names(value)
    if len(names) != 2:
        raise Fault("a link has two ends", show_value(value), "for example [a, s1]")
    return names[0], names[1]


def one_or_many_paths(value: Any) -> tuple[str, ...] | tuple[tuple[str, ...], ...]:
    """A list of at least two names, or a list of such lists.

    Raises `Fault` for anything else.
    """

    def one(names: Any) -> tuple[str, ...]:
        path = path_of_names(names)
        if len(path) < 2:
            raise Fault("a route needs at least two nodes", show_value(names))
        return path

    if not isinstance(value, (list, tuple)) or not value:
        raise Fault("must be a list of nodes, or a list of such lists", show_value(value))
    if not isinstance(value[0], (list, tuple)):
        return one(value)
    paths = []
    for index, names in enumerate(value):
        try:
            paths.append(one(names))
        except Fault as fault:
            raise fault.under(index) from None
    return tuple(paths)


class Checked:
    """Marks a field that one function reads whole; its `Fault` is the only error."""

    def __init__(self, read: Callable[[Any], Any]) -> None:
        self.read = read

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def read(value: Any) -> Any:
            try:
                return self.read(value)
            except Fault as fault:
                raise pydantic_error(fault) from None

        return core_schema.no_info_plain_validator_function(
            read, json_schema_input_schema=handler.generate_schema(source)
        )


class AllOr:
    """Marks a field that is the word `all` or a list: `Annotated[Literal["all"] | list[X], AllOr(list[X])]`."""

    def __init__(self, some: Any) -> None:
        self.some = some

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def read(value: Any, some: core_schema.ValidatorFunctionWrapHandler) -> Any:
            if value == "all":
                return value
            if not isinstance(value, (list, tuple)):
                near = nearest(value, ["all"]) if isinstance(value, str) else ""
                raise pydantic_error(Fault("must be `all` or a list", show_value(value), suggestion=near))
            return some(value)

        return core_schema.no_info_wrap_validator_function(
            read, handler.generate_schema(self.some), json_schema_input_schema=handler.generate_schema(source)
        )
