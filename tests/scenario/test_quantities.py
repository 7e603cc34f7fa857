"""Quantities: exact, with a unit, and never an exception but QuantityError."""

import copy
import pickle
from fractions import Fraction as Exact

import pint
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from cellway.scenario.quantities import (
    LIMIT,
    BitRate,
    Bytes,
    CellRate,
    Cells,
    CellTime,
    Duration,
    Fraction,
    Length,
    Quantity,
    QuantityError,
    unit_registry,
)

STM1 = CellTime(155_520_000)
TYPES = [Duration, BitRate, CellRate, Cells, Bytes, Length, Fraction]


@pytest.mark.parametrize(
    ("quantity", "lowered"),
    [
        (Duration("5 ms"), 5_000_000_000),
        (Duration("5ms"), 5_000_000_000),
        (Duration("0 s"), 0),
        (Duration("1/3 s"), 333_333_333_333),
        (Duration("2.5 µs"), 2_500_000),
        (Duration("1 h"), 3_600 * 10**12),
        (Duration("0.4 ps"), 0),
        (Duration("0.5 ps"), 1),
        (Duration("1 cell_time"), 2_726_337),
        (Duration("1000000 cell_times"), 2_726_337_448_560),
        (BitRate("155.52 Mbit/s"), 155_520_000),
        (BitRate("622.08Mbps"), 622_080_000),
        (BitRate("1 MB/s"), 8_000_000),
        (BitRate("1 Gbit per s"), 10**9),
        (BitRate("149.76e6 bit/s"), 149_760_000),
        (CellRate("353207 cells/s"), [353_207, 1]),
        (CellRate("8.2 Mbit/s"), [1_025_000, 53]),
        (CellRate("155.52 Mbit/s"), [19_440_000, 53]),
        (CellRate("1 cell/ms"), [1000, 1]),
        (CellRate("1/3 cells/cell_time"), [6_480_000, 53]),
        (Cells("24000 cells"), 24_000),
        (Cells("1 cell"), 1),
        (Bytes("8 KiB"), 8192),
        (Bytes("8 kB"), 8000),
        (Bytes("53 octets"), 53),
        (Bytes("16 bit"), 2),
        (Fraction("10 %"), 0.1),
        (Fraction(0.1), 0.1),
        (Fraction("1/16"), 0.0625),
        (Fraction(1), 1.0),
    ],
)  # fmt: skip
def test_lowers_exactly(quantity: Quantity, lowered: object) -> None:
    assert quantity.lower(STM1) == lowered


def test_light_takes_5_us_for_a_km() -> None:
    assert Length("1000 km").delay_ps == 5_000_000_000
    assert Length("1 m").delay_ps == 5_000


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (Duration, "5", "a duration needs a unit; a bare number means nothing"),
        (Duration, 5, "a duration needs a unit; a bare number means nothing"),
        (Cells, 155, "a number of cells needs a unit; a bare number means nothing"),
        (Duration, True, "a duration is written as a number and a unit"),
        (Duration, None, "a duration is written as a number and a unit"),
        (Duration, [], "a duration is written as a number and a unit"),
        (Duration, "", "a duration is written as a number and a unit"),
        (Duration, "ms", "a duration is written as a number and a unit"),
        (Duration, "5 5 ms", "unknown unit '5 ms'"),
        (Duration, "5 m", "'m' is no unit of a duration"),
        (Duration, "5 ms/s", "'ms/s' is no unit of a duration"),
        (Duration, "5 furlongs", "unknown unit 'furlongs'"),
        (Duration, "-1 s", "a duration cannot be negative"),
        (Duration, "1/0 s", "division by zero"),
        (Duration, "nan s", "a duration must be a finite number"),
        (Duration, float("inf"), "a duration must be a finite number"),
        (Duration, "-inf s", "a duration must be a finite number"),
        (Duration, "54 d", "this duration is absurdly large"),
        (Duration, "1e999 s", "this duration is absurdly large"),
        (Duration, "9" * 200 + " s", "a duration is written as a number and a unit"),
        (BitRate, "155.52 mbit/s", "unknown unit 'mbit/s'"),
        (BitRate, "5 cells/s", "'cells/s' is no unit of a bit rate"),
        (CellRate, "5 s", "'s' is no unit of a cell rate"),
        (Cells, "1.5 cells", "a number of cells must be whole"),
        (Cells, "10 millicells", "unknown unit 'millicells'"),
        (Bytes, "8 KB", "'KB' is ambiguous"),
        (Bytes, "1 bit", "a number of bytes must be whole"),
        (Fraction, "1.1", "a fraction lies between 0 and 1"),
        (Fraction, "101 %", "a fraction lies between 0 and 1"),
        (Fraction, -0.1, "a fraction lies between 0 and 1"),
        (Fraction, float("nan"), "a fraction must be a finite number"),
        (Fraction, "0.1 ms", "'ms' is no unit of a fraction"),
        (Duration, Cells("1 cell"), "a duration is needed, not a number of cells"),
    ],
)  # fmt: skip
def test_refuses(kind: type[Quantity], value: object, message: str) -> None:
    with pytest.raises(QuantityError) as caught:
        kind(value)  # type: ignore[arg-type]
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("kind", "value", "suggestion"),
    [(BitRate, "1 Mbt/s", "Mbit/s"), (BitRate, "1 MBIT/S", "Mbit/s"), (Duration, "1 cell_tims", "cell_times")],
)  # fmt: skip
def test_suggests_the_nearest_unit(kind: type[Quantity], value: str, suggestion: str) -> None:
    with pytest.raises(QuantityError) as caught:
        kind(value)
    assert caught.value.suggestion == suggestion


def test_a_cell_time_needs_a_rate() -> None:
    for quantity in (Duration("5 cell_times"), CellRate("1 cell/cell_time")):
        with pytest.raises(QuantityError, match="a cell time is undefined"):
            quantity.lower(CellTime(None))


def test_a_rate_below_1_bit_per_second_is_refused() -> None:
    with pytest.raises(QuantityError, match="at least 1 bit/s"):
        BitRate("0.4 bit/s").lower()


def test_a_cell_rate_with_too_many_digits_is_refused() -> None:
    with pytest.raises(QuantityError, match="too many digits"):
        CellRate(f"1/{10**30} cells/s").lower()


def test_equal_amounts_are_equal() -> None:
    assert Duration("5 ms") == Duration("5000 us")
    assert hash(Duration("5 ms")) == hash(Duration("0.005 s"))
    assert Duration("5 ms") != Duration("5 us")
    assert Duration("5 cell_times") != Duration("5 s")
    assert CellRate("424 bit/s") == CellRate("1 cell/s")
    assert Fraction("10 %") == Fraction(0.1)
    assert Cells("1 cell") != Bytes("1 B")


def test_is_immutable_and_can_be_copied() -> None:
    quantity = Duration("5 ms")
    with pytest.raises(AttributeError):
        quantity.unit = "s"
    assert copy.deepcopy(quantity) is quantity
    assert pickle.loads(pickle.dumps(quantity)) == quantity
    assert repr(quantity) == "Duration('5 ms')"


def test_takes_pint_quantities_of_any_registry() -> None:
    units, own = pint.UnitRegistry(), unit_registry()
    assert Duration(units.Quantity(5, "ms")) == Duration("5 ms")
    assert BitRate(units.Quantity(155.52, "Mbit/s")).lower() == 155_520_000
    assert Cells(own.Quantity(24, "cells")) == Cells("24 cells")
    assert Fraction(units.Quantity(0.5, "")) == Fraction(0.5)
    with pytest.raises(QuantityError, match="no unit of a duration"):
        Duration(units.Quantity(5, "km"))
    with pytest.raises(QuantityError, match="finite"):
        Duration(units.Quantity(float("nan"), "s"))


numbers = st.one_of(
    st.decimals(0, 10**9, allow_nan=False, allow_infinity=False, places=9).map(str),
    st.tuples(st.integers(0, 10**9), st.integers(1, 10**6)).map(lambda pair: f"{pair[0]}/{pair[1]}"),
    st.integers(0, 10**12).map(str),
)


@given(numbers, st.sampled_from(["ps", "ns", "us", "ms", "cell_times"]))
def test_durations_round_once_to_the_nearest_picosecond(number: str, unit: str) -> None:
    quantity = Duration(f"{number} {unit}")
    size = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "cell_times": Exact(424 * 10**12, 155_520_000)}[unit]
    exact = Exact(number) * size
    if exact <= LIMIT:
        assert abs(quantity.lower(STM1) - exact) <= Exact(1, 2)


@given(numbers, st.sampled_from(["bit/s", "kbit/s", "Mbit/s", "cells/s", "cells/ms"]))
def test_cell_rates_are_exact(number: str, unit: str) -> None:
    size = {
        "bit/s": Exact(1, 424),
        "kbit/s": Exact(1000, 424),
        "Mbit/s": Exact(10**6, 424),
        "cells/s": 1,
        "cells/ms": 1000,
    }
    exact = Exact(number) * size[unit]
    if exact.numerator <= LIMIT and exact.denominator <= LIMIT:
        assert CellRate(f"{number} {unit}").lower() == [exact.numerator, exact.denominator]


@given(numbers, st.sampled_from(["ps", "us", "s", "cell_times"]))
def test_text_gives_the_quantity_back(number: str, unit: str) -> None:
    try:
        quantity = Duration(f"{number} {unit}")
    except QuantityError:
        assert Exact(number) * {"ps": 1, "us": 10**6, "s": 10**12, "cell_times": 1}[unit] > LIMIT
        return
    assert Duration(str(quantity)) == quantity
    adapter = TypeAdapter(Duration)
    assert adapter.validate_json(adapter.dump_json(quantity)) == quantity


@given(st.floats(0, 1))
def test_fractions_keep_the_float(value: float) -> None:
    assert Fraction(value).lower() == value
    assert Fraction(str(Fraction(value))).lower() == value


@given(
    st.sampled_from(TYPES),
    st.one_of(
        st.text(max_size=100),
        st.from_regex(r"[-+]?[0-9.eE/_]{1,20} ?[A-Za-z%/_µ ]{0,15}", fullmatch=True),
        st.floats(),
        st.integers(),
        st.booleans(),
        st.none(),
        st.binary(max_size=10),
        st.complex_numbers(),
        st.decimals(),
        st.fractions(),
    ),
)
@example(Duration, "1e9999999999 s")
@example(Duration, "5 " + "k" * 5000)
@example(Cells, "5 [cell]")
@example(Duration, "٣ ms")
@example(Duration, "5 ms\n")
@example(Bytes, "5 kKiB")
def test_anything_else_is_refused_with_a_quantity_error(kind: type[Quantity], value: object) -> None:
    refusal = None
    try:
        quantity = kind(value)  # type: ignore[arg-type]
    except QuantityError as error:
        refusal = error
    if refusal is None:
        assert 0 <= quantity.exact(STM1) <= LIMIT
    else:
        assert refusal.message
        assert len(refusal.found) < 100
