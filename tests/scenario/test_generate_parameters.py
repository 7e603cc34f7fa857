"""The generator of parameter classes, on a schema of the engine's shape and on the engine's own."""

# ruff: noqa: E501 (schemas, one row for each property)
import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from cellway import _engine
from cellway.scenario import FAMILIES, Cells, Duration, Fraction, Scenario, generate_parameters
from cellway.scenario.generate_parameters import Generator, SchemaError, main

VARIANT = {
    "description": "First `line`.\n\nA paragraph with a \\ and a \"\"\"quote\"\"\".",
    "type": "object",
    "properties": {
        "kind": {"type": "string", "const": "first"},
        "wait": {"type": "integer", "format": "duration", "minimum": 0, "description": "How long. Default: 5 us.", "default": 5_000_000},
        "until": {"type": ["integer", "null"], "format": "duration", "default": None},
        "size": {"type": "integer", "format": "cells"},
        "line": {"type": "integer", "format": "bit-rate", "minimum": 1, "default": 155_520_000},
        "rate": {"type": "array", "format": "cell-rate", "items": {"type": "integer"}, "default": [1000, 53]},
        "share": {"type": "number", "format": "fraction", "default": 0.9},
        "data": {"type": "integer", "format": "bytes", "default": 200},
        "count": {"type": "integer", "format": "uint32", "minimum": 1, "maximum": 1024, "default": 1},
        "weight": {"type": "number", "format": "double", "exclusiveMinimum": 0, "default": 1.5},
        "flag": {"type": "boolean", "default": False},
        "which": {"$ref": "#/$defs/Which", "default": "all"},
        "periods": {"type": "array", "items": {"$ref": "#/$defs/Period"}, "minItems": 1},
        "inner": {"$ref": "#/$defs/Inner", "default": {"kind": "calm", "size": 3}},
        "outer": {"anyOf": [{"$ref": "#/$defs/Inner"}, {"type": "null"}], "default": None},
        "maybe": {"anyOf": [{"$ref": "#/$defs/Period"}, {"type": "null"}], "default": None},
    },
    "required": ["kind", "size", "periods"],
    "x-answers": True,
}  # fmt: skip


def schema(variant: dict[str, Any] = VARIANT) -> dict[str, Any]:
    second = {
        "$ref": "#/$defs/Second",
        "type": "object",
        "properties": {"kind": {"type": "string", "const": "second_one"}},
        "required": ["kind"],
    }
    family = {"oneOf": [variant, second]}
    single = {
        "oneOf": [{"type": "object", "properties": {"kind": {"type": "string", "const": "only"}}, "required": ["kind"]}]
    }
    return {
        "$defs": {
            "Vc": {"properties": {
                "traffic": {"$ref": "#/$defs/Traffic"},
                "credit": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Single"}},
            }},
            "Port": {"properties": {"schedule": {"$ref": "#/$defs/Single", "default": {"kind": "only"}}, "discard": {"anyOf": [{"$ref": "#/$defs/Single"}, {"type": "null"}]}}},
            "Link": {"properties": {"impairments": {"type": "array", "items": {"$ref": "#/$defs/Single"}}}},
            "Traffic": family,
            "Single": single,
            "Inner": {"oneOf": [
                {"properties": {"kind": {"const": "calm"}, "size": {"type": "integer", "format": "cells", "default": 3}}},
                {"properties": {"kind": {"const": "wild"}}},
            ]},
            "Second": {"description": "Another.", "type": "object", "properties": {"size": {"type": "integer", "format": "cells", "default": 7}}},
            "Whole": {"description": "A block.", "type": "object", "properties": {"inner": {"$ref": "#/$defs/Inner", "default": {"kind": "calm", "size": 3}}, "only": {"$ref": "#/$defs/Period"}}, "required": ["only"]},
            "Unlisted": {"oneOf": [{"properties": {"kind": {"const": "none"}}}]},
            "Which": {"oneOf": [{"type": "string", "const": "all"}, {"type": "string", "const": "data"}]},
            "Period": {"description": "A period.", "type": "object", "properties": {"from": {"type": "integer", "format": "duration"}, "to": {"type": "integer", "format": "duration"}}, "required": ["from", "to"]},
        }
    }  # fmt: skip


PLACES: dict[str, tuple[str, str | None]] = {
    "traffic": ("Vc", "traffic"),
    "credit": ("Vc", "credit"),
    "schedule": ("Port", "schedule"),
    "discard": ("Port", "discard"),
    "impairment": ("Link", "impairments"),
    "inner": ("Inner", None),
}


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(generate_parameters, "FAMILIES", PLACES)
    monkeypatch.setattr(generate_parameters, "BLOCKS", ("Whole",))
    name = "generated_for_a_test"
    (tmp_path / f"{name}.py").write_text(Generator(schema()).source(), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module(name)
    del sys.modules[name]


def test_fields_have_units_defaults_and_help(generated: Any) -> None:
    first = generated.FirstTraffic(size="3 cells", periods=[{"from": "1 ms", "to": "2 ms"}])
    assert first.kind == "first"
    assert first.family == "traffic"
    assert first.answers
    assert (first.wait, first.until) == (Duration("5 us"), None)
    assert first.size == Cells("3 cells")
    assert str(first.line) == "155.52 Mbit/s"
    assert first.rate.lower() == [1000, 53]
    assert first.share == Fraction("0.9")
    assert str(first.data) == "200 B"
    assert (first.count, first.weight, first.flag, first.which) == (1, 1.5, False, "all")
    assert first.periods[0].from_ == Duration("1 ms")
    assert "A paragraph with a \\ and a '''quote'''." in generated.FirstTraffic.__doc__
    fields = generated.FirstTraffic.model_fields
    assert fields["wait"].description == "How long. Default: 5 us."
    assert [name for name, field in fields.items() if field.is_required()] == ["size", "periods"]


def test_shared_definitions_and_references(generated: Any) -> None:
    assert generated.SecondOneTraffic().size == Cells("7 cells")
    assert generated.SecondOneTraffic.__doc__ == "Another."
    assert generated.OnlyCredit.__doc__ == "The `only` credit."
    assert list(generated.FAMILIES) == list(PLACES)


def test_blocks_hold_families_and_shared_definitions(generated: Any) -> None:
    whole = generated.Whole(only={"from": "1 ms", "to": "2 ms"})
    assert whole.inner == generated.CalmInner(size="3 cells")
    assert whole.only == generated.Period(from_="1 ms", to="2 ms")
    assert generated.Whole.__doc__ == "A block."
    assert "Whole" in generated.__all__
    with pytest.raises(ValueError, match=r"inner\.kind: unknown inner 'clam'; did you mean 'calm'"):
        generated.Whole(only={"from": "1 ms", "to": "2 ms"}, inner={"kind": "clam"})


def test_families_are_told_apart_by_kind(generated: Any) -> None:
    traffic = TypeAdapter(generated.Traffic)
    assert isinstance(traffic.validate_python({"kind": "second_one"}), generated.SecondOneTraffic)
    with pytest.raises(ValidationError, match="unknown traffic 'scond_one'"):
        traffic.validate_python({"kind": "scond_one"})
    assert isinstance(TypeAdapter(generated.Credit).validate_python({"kind": "only"}), generated.OnlyCredit)


def test_a_family_within_an_algorithm(generated: Any) -> None:
    given = {"size": "3 cells", "periods": [{"from": "1 ms", "to": "2 ms"}]}
    first = generated.FirstTraffic(**given)
    assert first.inner == generated.CalmInner(size="3 cells")
    assert first.inner is not generated.FirstTraffic(**given).inner
    assert first.outer is None
    assert isinstance(generated.FirstTraffic(**given, outer={"kind": "wild"}).outer, generated.WildInner)
    with pytest.raises(ValueError, match=r"inner\.kind: unknown inner 'wld'; did you mean 'wild'"):
        generated.FirstTraffic(**given, inner={"kind": "wld"})


@pytest.mark.parametrize(
    "change",
    [
        {"format": "furlongs", "type": "integer"},
        {"type": ["integer", "string"]},
        {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        {"type": "object"},
        {"$ref": "#/$defs/Period", "default": {"from": 0, "to": 1}},
        {"$ref": "#/$defs/Inner", "default": {"kind": "calm", "size": 4}},
        {"$ref": "#/$defs/Unlisted"},
    ],
)  # fmt: skip
def test_an_unknown_shape_stops_the_generator(change: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate_parameters, "FAMILIES", PLACES)
    monkeypatch.setattr(generate_parameters, "BLOCKS", ("Whole",))
    variant = VARIANT | {"properties": VARIANT["properties"] | {"odd": change}}
    with pytest.raises(SchemaError):
        Generator(schema(variant)).source()


def test_limits_are_checked(generated: Any) -> None:
    with pytest.raises(ValueError, match="count: must be at most 1024; found 1025"):
        generated.FirstTraffic(size="3 cells", periods=[{"from": "1 ms", "to": "2 ms"}], count=1025)
    with pytest.raises(ValueError, match="periods: needs at least 1"):
        generated.FirstTraffic(size="3 cells", periods=[])


# --- the committed file


def test_the_committed_file_is_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().err


def test_a_stale_file_is_noticed(
    tmp_path: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generate_parameters, "FAMILIES", PLACES)
    monkeypatch.setattr(generate_parameters, "BLOCKS", ("Whole",))
    other = tmp_path / "schema.json"
    other.write_text(json.dumps(schema()), encoding="utf-8")
    assert main(["--check", "--schema", str(other)]) == 1
    assert "+++ engine's schema" in capsys.readouterr().err


def test_every_kind_of_the_engine_is_there_with_help() -> None:
    definitions = json.loads(_engine.schema())["$defs"]
    for family, spec in (
        ("traffic", "TrafficSpec"),
        ("credit", "CreditSpec"),
        ("schedule", "ScheduleSpec"),
        ("discard", "BufferSpec"),
        ("impairment", "ImpairmentSpec"),
        ("police", "PoliceSpec"),
        ("congestion", "CongestionSpec"),
        ("uili", "UiliSpec"),
        ("rate", "RateSpec"),
    ):
        kinds = {option["properties"]["kind"]["const"] for option in definitions[spec]["oneOf"]}
        assert kinds == set(FAMILIES[family]) - {"trace_file"}
    for classes in FAMILIES.values():
        for parameters in classes.values():
            assert parameters.__doc__
            assert all(field.description for name, field in parameters.model_fields.items() if name != "kind"), (
                parameters
            )


def test_the_language_has_a_json_schema_for_editors() -> None:
    language = Scenario.model_json_schema()
    assert language["properties"]["duration"]["examples"] == ["5 ms"]
    assert set(language["properties"]["hosts"]) >= {"description"}
    assert {"Abr", "CountBasedUili", "N23Credit", "TraceFileTraffic", "VC", "Record"} <= set(language["$defs"])
