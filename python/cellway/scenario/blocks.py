"""The base of every object of the scenario language, and of families of algorithms that are told apart by `kind`."""

from __future__ import annotations

import types
from pathlib import Path as FilePath
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, core_schema

from cellway.scenario.errors import Fault, ScenarioError, listing, nearest, pydantic_error, show_value
from cellway.scenario.quantities import Fraction, Quantity
from cellway.scenario.yaml_source import Source


class Block(BaseModel):
    """A mapping of the language: every key is known, and assignments are checked like the file."""

    model_config = ConfigDict(
        extra="forbid",
        validate_assignment=True,
        validate_by_name=True,
        validate_by_alias=True,
        use_attribute_docstrings=True,
    )

    def __init__(self, /, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise _scenario_error(error, type(self)) from None

    # Objects inside others are built without it, so that their errors keep their place.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            super().__setattr__(name, value)
        except ValidationError as error:
            raise _scenario_error(error, type(self)) from None

    @classmethod
    def keys(cls) -> dict[str, str]:
        """The keys as written in YAML, each with the name of its field."""
        return {field.alias or name: name for name, field in cls.model_fields.items()}

    def to_data(self) -> dict[str, Any]:
        """The plain values that give an equal object when read: what YAML holds. Values left at their default are
        left out.
        """
        data = {}
        for key, name in self.keys().items():
            value = getattr(self, name)
            default = type(self).model_fields[name].get_default(call_default_factory=True)
            if name in ("kind", "cellway") or name in self.model_fields_set or value != default:
                data[key] = plain(value)
        return data


def _scenario_error(error: ValidationError, root: type[Block]) -> ScenarioError:
    from cellway.scenario.diagnosis import scenario_error  # which needs this module

    return scenario_error(error, Source(), root)


class Parameters(Block):
    """The parameters of one algorithm. Its subclasses are generated from the engine's schema."""

    family: ClassVar[str]
    """The family: traffic, credit, schedule, discard, impairment, rate, uili."""
    answers: ClassVar[bool] = False
    """True for an application whose destination answers, so that the VC uses the return path too."""
    quantities: ClassVar[tuple[str, ...]] = ()
    """What can be recorded of a rate algorithm."""

    def engine_parameters(self, directory: FilePath) -> Parameters | dict[str, Any]:
        """What the engine takes instead of this, for what only Python knows; files are relative to `directory`.

        Raises `Fault` for what cannot be read.
        """
        return self

    @classmethod
    def kind_name(cls) -> str:
        """The algorithm's name in its family."""
        return str(cls.model_fields["kind"].default)


def plain(value: Any) -> Any:
    """A value of the language as YAML writes it."""
    if isinstance(value, Block):
        return value.to_data()
    if isinstance(value, Fraction) and not value.unit:
        number = float(value.number)
        return number if Fraction(number) == value else str(value)
    if isinstance(value, Quantity):
        return str(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def alternatives(annotation: Any) -> list[Any]:
    """The types of an annotation, with unions and `Annotated` opened and None left out."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return alternatives(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        return [one for part in get_args(annotation) for one in alternatives(part)]
    return [] if annotation is type(None) else [annotation]


class Family:
    """Marks a union of parameter classes as a family: `Annotated[GreedyTraffic | CbrTraffic, Family("traffic")]`.

    The value's `kind` decides which class reads it; an unknown kind is one error that names the accepted ones.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        members: dict[str, type[Parameters]] = {member.kind_name(): member for member in alternatives(source)}
        choices = {kind: handler.generate_schema(member) for kind, member in members.items()}

        def check(value: Any) -> Any:
            self._check(value, members)
            return value

        union = core_schema.tagged_union_schema(choices, discriminator=_kind_of)
        return core_schema.no_info_before_validator_function(check, union)

    def _check(self, value: Any, members: dict[str, type[Parameters]]) -> None:
        kinds = listing(members)
        if isinstance(value, tuple(members.values())):
            return
        if isinstance(value, str):
            near = nearest(value, members)
            hint = "{kind: " + near + "}" if near else ""
            raise pydantic_error(Fault("must be a mapping with a `kind`", show_value(value), f"kind: {kinds}", hint))
        if isinstance(value, Parameters):
            message = f"'{value.kind_name()}' is a {value.family} algorithm, not a {self.name} algorithm"
            raise pydantic_error(Fault(message, "", f"kind: {kinds}"))
        if not isinstance(value, dict):
            raise pydantic_error(Fault("must be a mapping with a `kind`", show_value(value), f"kind: {kinds}"))
        if "kind" not in value:
            raise pydantic_error(Fault("required, but missing", "", kinds, at=("kind",)))
        kind = value["kind"]
        if not isinstance(kind, str) or kind not in members:
            suggestion = nearest(kind, members) if isinstance(kind, str) else ""
            raise pydantic_error(Fault(f"unknown {self.name} {show_value(kind)}", "", kinds, suggestion, ("kind",)))


def _kind_of(value: Any) -> Any:
    return value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)
