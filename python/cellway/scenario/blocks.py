"""The base of every object of the scenario language, and of families of algorithms that are told apart by `kind`."""

from __future__ import annotations

from typing import Any, ClassVar, get_args

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from cellway.scenario.errors import Fault, listing, nearest, pydantic_error, show_value
from cellway.scenario.quantities import Fraction, Quantity


class Block(BaseModel):
    """A mapping of the language: every key is known, and assignments are checked like the file."""

    model_config = ConfigDict(
        extra="forbid",
        validate_assignment=True,
        validate_by_name=True,
        validate_by_alias=True,
        use_attribute_docstrings=True,
    )

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


class Parameters(Block):
    """The parameters of one algorithm. Its subclasses are generated from the engine's schema."""

    family: ClassVar[str]
    """The family: traffic, credit, schedule, discard, impairment."""
    answers: ClassVar[bool] = False
    """True for an application whose destination answers, so that the VC uses the return path too."""

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


class Family:
    """Marks a union of parameter classes as a family: `Annotated[GreedyTraffic | CbrTraffic, Family("traffic")]`.

    The value's `kind` decides which class reads it; an unknown kind is one error that names the accepted ones.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        members: dict[str, type[Parameters]] = {member.kind_name(): member for member in get_args(source) or (source,)}
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
