"""Quantities that carry their unit: `"155.52 Mbit/s"`, `"5 ms"`, `"24000 cells"`.

A quantity keeps the exact number and the unit as written, and becomes an SI integer for the engine only when the
scenario is lowered: a *cell time* (424 bit at the scenario's `rate`) has no fixed length before that. Arithmetic is
rational, never floating: 155.52 Mbit/s is exactly 155 520 000 bit/s.

Numbers are decimal (`2.5`, `1e6`) or a ratio (`1/3`). Prefixes are SI (k = 1000, M, G, T) and IEC (Ki = 1024, Mi, Gi);
`KB` is refused because it means either. `b` is a bit, `B` a byte.
"""

from __future__ import annotations

import fractions
import functools
import math
import numbers
import re
from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeGuard

import pint
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from cellway.scenario.errors import Fault, nearest, pydantic_error, show_value

Exact = fractions.Fraction

CELL_BITS = 53 * 8
"""Bits of one cell on the line: 53 octets (I.361)."""
PS_PER_SECOND = 10**12
LIMIT = 2**61
"""No quantity exceeds this in the engine's unit; for durations it is 26 days of picoseconds."""
FIBRE_SECONDS_PER_METRE = Exact(5, 10**9)
"""Propagation delay of fibre: 5 us/km."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?(?:\s*/\s*[0-9]+)?")
_NOT_FINITE = re.compile(r"[+-]?\.?(nan|inf|infinity)\b", re.IGNORECASE)
_UNIT = re.compile(r"([A-Za-zµμ_]+)(?:\s*(?:/|\bper\b)\s*([A-Za-zµμ_]+))?")

_DEFINITIONS = (
    "pico- = 1e-12 = p-",
    "nano- = 1e-9 = n-",
    "micro- = 1e-6 = µ- = μ- = u-",
    "milli- = 1e-3 = m-",
    "centi- = 1e-2 = c-",
    "kilo- = 1e3 = k-",
    "mega- = 1e6 = M-",
    "giga- = 1e9 = G-",
    "tera- = 1e12 = T-",
    "kibi- = 1024 = Ki-",
    "mebi- = 1048576 = Mi-",
    "gibi- = 1073741824 = Gi-",
    "second = [time] = s = sec",
    "minute = 60 * second = min",
    "hour = 3600 * second = h = hr",
    "day = 86400 * second = d",
    "cell_time = [cell_time]",
    "cell = [cell]",
    "bit = [data] = b",
    "byte = 8 * bit = B = octet",
    "bps = bit / second",
    "meter = [length] = m = metre",
    "mile = 1609.344 * meter",
)
"""The units of the language. Nothing else is known, so that a typing error never means an obscure unit."""

_WHOLE = frozenset({"[data]", "[cell]", "[cell_time]"})
"""Dimensions that are counted: a milli-bit is a misspelt megabit."""


class QuantityError(Fault):
    """A text or value that is no quantity of the wanted kind."""

    def __init__(self, message: str, found: object = None, allowed: str = "", suggestion: str = "") -> None:
        super().__init__(message, "" if found is None else show_value(found), allowed, suggestion)


@functools.cache
def unit_registry() -> pint.UnitRegistry[Any]:
    """The pint registry of Cellway: quantities built with it (`155.52 * units.Mbit / units.s`) are accepted
    everywhere.
    """
    registry: pint.UnitRegistry[Any] = pint.UnitRegistry(None, non_int_type=Exact)
    for definition in _DEFINITIONS:
        registry.define(definition)
    return registry


@functools.cache
def _unit(text: str) -> tuple[str, Exact] | None:
    """Dimension (for example `[data]/[time]`) and size in s, bit, cell, cell_time, m of a unit; None if unknown."""
    match = _UNIT.fullmatch(text)
    if match is None or len(text) > 40:
        return None
    dimension, size = "", Exact(1)
    for index, name in enumerate(match.groups()):
        if name is None:
            continue
        try:
            parsed = unit_registry().parse_units(name)
        except (pint.errors.PintError, ValueError, AttributeError, TypeError):
            return None
        one = unit_registry().Quantity(Exact(1), parsed).to_root_units()
        powers: dict[str, Any] = dict(one.dimensionality)
        base = "/".join(sorted(powers, key=lambda key: -powers[key]))
        factor = Exact(one.magnitude)
        if base == "[data]/[time]" and index == 0 and not match.group(2):  # bps, Mbps
            return base, factor
        if "/" in base or (base in _WHOLE and factor < 1):
            return None
        dimension = base if index == 0 else f"{dimension}/{base}"
        size = size * factor if index == 0 else size / factor
    return dimension, size


def _exact(text: str) -> Exact:
    """The exact value of a decimal number or ratio."""
    number, _, denominator = text.replace(" ", "").partition("/")
    return Exact(Decimal(number)) / (int(denominator) if denominator else 1)


def _decimal(number: Exact) -> str:
    """Exact text: decimal where the number has one, else a ratio."""
    rest, places = number.denominator, 0
    while rest % 10 == 0 or rest % 2 == 0 or rest % 5 == 0:
        rest //= 10 if rest % 10 == 0 else 2 if rest % 2 == 0 else 5
        places += 1
    digits = number * 10**places
    if rest != 1:
        return f"{number.numerator}/{number.denominator}"
    if places > 18:
        return f"{digits.numerator}e-{places}"
    whole, part = divmod(digits.numerator, 10**places)
    return f"{whole}.{part:0{places}d}" if places else str(whole)


class CellTime:
    """What a cell time is in one scenario: 424 bit at its `rate`, or undefined."""

    def __init__(self, bits_per_second: int | None) -> None:
        self.seconds = None if bits_per_second is None else Exact(CELL_BITS, bits_per_second)


class Quantity:
    """A number with a unit, exact and immutable. Two are equal when they mean the same amount: `5 ms` and `5000 us`.

    Built from text, from a quantity of the same kind, or from a pint quantity.

    Raises `QuantityError` for a bare number, another dimension, an unknown unit, a negative, infinite or absurdly
    large value.
    """

    __slots__ = ("number", "unit")
    number: Exact
    unit: str

    noun: ClassVar[str]
    """What messages call it."""
    example: ClassVar[str]
    units: ClassVar[tuple[str, ...]]
    """Units to suggest, most usual first."""
    dimensions: ClassVar[Mapping[str, Exact]]
    """Accepted dimensions, with the factor from their base unit to the engine's unit. `[cell_time]` ones are
    relative.
    """

    def __init__(self, value: str | Quantity | pint.Quantity[Any]) -> None:
        number, unit = self._parse(value)
        dimension = self._check_unit(unit, value)
        if number < 0:
            raise QuantityError(f"a {self.noun} cannot be negative", value, "zero or more")
        relative = "[cell_time]" in dimension
        if not relative and number * _size(unit) * self.dimensions[dimension] > LIMIT:
            raise QuantityError(f"this {self.noun} is absurdly large", value, f"at most {self._largest()}")
        if relative and number > LIMIT:
            raise QuantityError(f"this {self.noun} is absurdly large", value, f"at most {LIMIT} {unit}")
        object.__setattr__(self, "number", number)
        object.__setattr__(self, "unit", unit)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {self.noun} is immutable")

    @classmethod
    def _parse(cls, value: object) -> tuple[Exact, str]:
        if isinstance(value, Quantity):
            if not isinstance(value, cls):
                raise QuantityError(f"a {cls.noun} is needed, not a {value.noun}", str(value), cls.hint())
            return value.number, value.unit
        if isinstance(value, pint.Quantity):
            unit = str(value.units).replace(" ", "")
            return _magnitude(value.magnitude, cls.noun), "" if unit == "dimensionless" else unit
        if _is_number(value):
            if not math.isfinite(value):
                raise QuantityError(f"a {cls.noun} must be a finite number", value, cls.hint())
            return cls._bare(value)
        if not isinstance(value, str):
            raise QuantityError(f"a {cls.noun} is written as a number and a unit", value, cls.hint())
        text = value.strip()
        if _NOT_FINITE.match(text):
            raise QuantityError(f"a {cls.noun} must be a finite number", value, cls.hint())
        match = _NUMBER.match(text)
        if match is None or len(text) > 80:
            raise QuantityError(f"a {cls.noun} is written as a number and a unit", value, cls.hint())
        try:
            number = _exact(match.group())
        except ZeroDivisionError:
            raise QuantityError("division by zero", value, cls.hint()) from None
        return number, text[match.end() :].strip()

    @classmethod
    def _bare(cls, value: object) -> tuple[Exact, str]:
        raise QuantityError(f"a {cls.noun} needs a unit; a bare number means nothing", value, cls.hint())

    @classmethod
    def _check_unit(cls, unit: str, value: object) -> str:
        if not unit:
            raise QuantityError(f"a {cls.noun} needs a unit; a bare number means nothing", value, cls.hint())
        known = _unit(unit)
        if known is None:
            if re.fullmatch(r"KB(yte)?s?", unit):
                raise QuantityError("'KB' is ambiguous", value, "kB (1000 bytes) or KiB (1024 bytes)")
            raise QuantityError(f"unknown unit '{unit}'", value, cls.hint(), nearest(unit, cls.units))
        if known[0] not in cls.dimensions:
            raise QuantityError(f"'{unit}' is no unit of a {cls.noun}", value, cls.hint())
        return known[0]

    @classmethod
    def hint(cls) -> str:
        """What to write, for messages."""
        return f"a {cls.noun} such as '{cls.example}' (units {', '.join(cls.units[:6])})"

    @classmethod
    def _largest(cls) -> str:
        return f"{LIMIT} {cls.units[0]}"

    def exact(self, cell_time: CellTime | None = None) -> Exact:
        """The value in the engine's unit (ps, bit/s, cells/s, cells, bytes, m), not rounded.

        Raises `QuantityError` when the unit is relative to cell times and their length is not known.
        """
        known = _unit(self.unit)
        assert known is not None, "checked on construction"
        dimension, size = known
        value = self.number * size * self.dimensions[dimension]
        if "[cell_time]" in dimension:
            if cell_time is None or cell_time.seconds is None:
                raise QuantityError(
                    "a cell time is undefined without the scenario's `rate`",
                    str(self),
                    "a `rate` at the top of the scenario, or a unit of time",
                )
            value = value / cell_time.seconds if dimension.endswith("/[cell_time]") else value * cell_time.seconds
        if value > LIMIT:
            raise QuantityError(f"this {self.noun} is absurdly large", str(self), f"at most {self._largest()}")
        return value

    def lower(self, cell_time: CellTime | None = None) -> Any:
        """The engine's value (JSON): an integer, rounded once to the nearest."""
        return _nearest_integer(self.exact(cell_time))

    def _key(self) -> tuple[object, ...]:
        known = _unit(self.unit)
        assert known is not None, "checked on construction"
        dimension, size = known
        return "[cell_time]" in dimension, self.number * size * self.dimensions[dimension]

    def __eq__(self, other: object) -> bool:
        return (
            self._key() == other._key() if isinstance(other, Quantity) and type(other) is type(self) else NotImplemented
        )

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._key()))

    def __str__(self) -> str:
        return f"{_decimal(self.number)} {self.unit}".strip()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (str(self),)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    @classmethod
    def _validate(cls, value: object) -> Self:
        if isinstance(value, cls):
            return value
        try:
            return cls(value)  # type: ignore[arg-type]  # whatever a user wrote: __init__ says what is wrong with it
        except QuantityError as error:
            raise pydantic_error(error) from None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls._validate, serialization=core_schema.to_string_ser_schema()
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "description": f"a {cls.noun} with its unit", "examples": [cls.example]}


def _size(unit: str) -> Exact:
    known = _unit(unit)
    return Exact(1) if known is None else known[1]


def _magnitude(value: object, noun: str) -> Exact:
    """The exact value of a Python number; floats by their shortest text, so that 155.52 is exactly that."""
    if _is_number(value) and math.isfinite(value):
        return Exact(value) if isinstance(value, (int, Exact, Decimal)) else Exact(repr(float(value)))
    raise QuantityError(f"a {noun} must be a finite number", value)


def _is_number(value: Any) -> TypeGuard[Any]:
    return isinstance(value, (numbers.Real, Decimal)) and not isinstance(value, bool)


def _nearest_integer(value: Exact) -> int:
    return math.floor(value + Exact(1, 2))


class Duration(Quantity):
    """A length of time, to the picosecond; `cell_times` are those of the scenario's `rate`."""

    __slots__ = ()
    noun = "duration"
    example = "5 ms"
    units = ("ms", "us", "s", "ns", "cell_times", "ps", "min", "h", "d", "seconds", "cell_time")
    dimensions = MappingProxyType({"[time]": Exact(PS_PER_SECOND), "[cell_time]": Exact(PS_PER_SECOND)})

    @classmethod
    def _largest(cls) -> str:
        return "26 days"


class BitRate(Quantity):
    """A rate of a line in bit/s of whole cells (header and payload), rounded to 1 bit/s."""

    __slots__ = ()
    noun = "bit rate"
    example = "155.52 Mbit/s"
    units = ("Mbit/s", "Gbit/s", "kbit/s", "bit/s", "Mbps", "MB/s", "bit/us")
    dimensions = MappingProxyType({"[data]/[time]": Exact(1)})

    @classmethod
    def _largest(cls) -> str:
        return f"{LIMIT} bit/s"

    def lower(self, cell_time: CellTime | None = None) -> int:
        """Bit/s; a rate that rounds to zero is an error."""
        value = int(super().lower(cell_time))
        if value == 0:
            raise QuantityError("a bit rate must be at least 1 bit/s", str(self), self.hint())
        return value


class CellRate(Quantity):
    """A rate of cells: in cells/s, in cells per cell time, or in bit/s of 53-octet cells. Exact."""

    __slots__ = ()
    noun = "cell rate"
    example = "353207 cells/s"
    units = ("cells/s", "Mbit/s", "cells/ms", "cells/cell_time", "kbit/s", "Gbit/s", "bit/s")
    dimensions = MappingProxyType(
        {"[cell]/[time]": Exact(1), "[data]/[time]": Exact(1, CELL_BITS), "[cell]/[cell_time]": Exact(1)}
    )

    def lower(self, cell_time: CellTime | None = None) -> list[int]:
        """`[numerator, denominator]` cells/s in lowest terms.

        Raises `QuantityError` where the exact ratio does not fit the engine's integers.
        """
        value = self.exact(cell_time)
        if value.denominator > LIMIT or value.numerator > LIMIT:
            raise QuantityError("this cell rate has too many digits", str(self), "a ratio of integers up to 2^61")
        return [value.numerator, value.denominator]


class Cells(Quantity):
    """A whole number of cells."""

    __slots__ = ()
    noun = "number of cells"
    example = "155 cells"
    units = ("cells", "cell", "kcells")
    dimensions = MappingProxyType({"[cell]": Exact(1)})

    def __init__(self, value: str | Quantity | pint.Quantity[Any]) -> None:
        super().__init__(value)
        _demand_whole(self, value)


class Bytes(Quantity):
    """A whole number of bytes (octets): `200 B`, `8 kB` = 8000, `8 KiB` = 8192."""

    __slots__ = ()
    noun = "number of bytes"
    example = "8 KiB"
    units = ("B", "KiB", "kB", "MB", "MiB", "bytes", "octets")
    dimensions = MappingProxyType({"[data]": Exact(1, 8)})

    def __init__(self, value: str | Quantity | pint.Quantity[Any]) -> None:
        super().__init__(value)
        _demand_whole(self, value)


class Length(Quantity):
    """A length of fibre; light takes 5 us for each km of it."""

    __slots__ = ()
    noun = "length"
    example = "1000 km"
    units = ("km", "m", "cm", "mm", "miles", "metres")
    dimensions = MappingProxyType({"[length]": Exact(1)})

    @property
    def delay_ps(self) -> int:
        """Propagation delay in ps at 5 us/km, rounded once."""
        return _nearest_integer(self.exact() * FIBRE_SECONDS_PER_METRE * PS_PER_SECOND)


def _demand_whole(quantity: Quantity, value: object) -> None:
    if quantity.exact().denominator != 1:
        raise QuantityError(f"a {quantity.noun} must be whole", value)


class Fraction(Quantity):
    """A share or probability from 0 to 1: `0.1`, `10 %`, `1/16`. Dimensionless, so that a bare number is right."""

    __slots__ = ()
    noun = "fraction"
    example = "0.1"
    units = ("%",)
    dimensions = MappingProxyType({"": Exact(1)})

    def __init__(self, value: str | float | Quantity | pint.Quantity[Any]) -> None:
        number, unit = self._parse(value)
        if unit not in ("", "%", "percent"):
            raise QuantityError(f"'{unit}' is no unit of a fraction", value, self.hint())
        if not 0 <= number <= (1 if unit == "" else 100):
            raise QuantityError("a fraction lies between 0 and 1", value, "0 to 1, or 0 % to 100 %")
        object.__setattr__(self, "number", number)
        object.__setattr__(self, "unit", "%" if unit else "")

    @classmethod
    def _bare(cls, value: object) -> tuple[Exact, str]:
        return _magnitude(value, cls.noun), ""

    @classmethod
    def hint(cls) -> str:
        """What to write, for messages."""
        return "a number from 0 to 1, such as 0.1, '1/16' or '10 %'"

    def exact(self, cell_time: CellTime | None = None) -> Exact:
        """The value, from 0 to 1."""
        return self.number / 100 if self.unit else self.number

    def lower(self, cell_time: CellTime | None = None) -> float:
        """The nearest floating-point number."""
        return float(self.exact())

    def _key(self) -> tuple[object, ...]:
        return (self.exact(),)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {
            "type": ["number", "string"],
            "description": "a number from 0 to 1, or a percentage",
            "examples": [0.1, "10 %"],
        }
