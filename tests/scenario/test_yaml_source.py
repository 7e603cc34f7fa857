"""YAML with the line of every value."""

import io
import json
import math
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from cellway.scenario import ScenarioError, loads
from cellway.scenario.yaml_source import parse, parse_fragment


def test_lines_of_keys_and_elements() -> None:
    source = parse("a: 1\nb:\n  - x\n  - {y: 2,\n     z: [3,\n  4]}\n'c d': >\n  text\n", "f.yaml")
    assert source.tree == {"a": 1, "b": ["x", {"y": 2, "z": [3, 4]}], "c d": "text\n"}
    assert source.lines == {
        ("a",): 1,
        ("b",): 2,
        ("b", 0): 3,
        ("b", 1): 4,
        ("b", 1, "y"): 4,
        ("b", 1, "z"): 5,
        ("b", 1, "z", 0): 5,
        ("b", 1, "z", 1): 6,
        ("c d",): 7,
    }
    assert source.line(("b", 1, "missing", "more")) == 4


def test_scalars_follow_the_core_rules() -> None:
    text = "[1, -2, 0x1F, 0o17, 1.5, 1e3, .5, true, False, null, ~, on, no, 0755, 1_000, 1:30, 2020-01-01, '1', "
    text += '"x", -.inf]'
    assert parse_fragment(text) == [
        1, -2, 31, 15, 1.5, 1000.0, 0.5, True, False, None, None, "on", "no", 755, "1_000", "1:30", "2020-01-01", "1",
        "x", -math.inf,
    ]  # fmt: skip
    assert parse_fragment("!!str 1") == "1"
    assert parse_fragment("") is None


def test_aliases_and_merge_keys() -> None:
    tree = parse("base: &b {x: 1, y: 2}\nother: &o {z: 3}\nmore: {<<: [*b, *o], y: 5}\nsame: *b\n").tree
    assert tree["more"] == {"y": 5, "x": 1, "z": 3}
    assert tree["same"] == {"x": 1, "y": 2}
    with pytest.raises(ScenarioError, match="'<<' merges a mapping"):
        parse("a: {<<: 3}")


def test_line_of_a_value_reached_by_an_alias() -> None:
    source = parse("a: &a\n  x: 1\nb: *a\n", "f.yaml")
    assert source.line(("b", "x")) == 2


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), values, min_size=1, max_size=4), st.sampled_from([None, 1, 4]))
def test_reads_json_which_is_yaml(tree: dict[str, Any], indent: int | None) -> None:
    assert parse(json.dumps(tree, indent=indent)).tree == tree


names = st.text(alphabet="abc_", min_size=1, max_size=5)


@settings(max_examples=50)
@given(
    st.dictionaries(
        names,
        st.recursive(
            st.one_of(st.integers(), st.booleans(), names),
            lambda inner: st.one_of(
                st.lists(inner, min_size=1, max_size=3), st.dictionaries(names, inner, min_size=1, max_size=3)
            ),
        ),
        min_size=1,
    )
)
def test_reads_block_style(tree: dict[str, Any]) -> None:
    stream = io.StringIO()
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = False
    writer.dump(tree, stream)
    assert parse(stream.getvalue()).tree == tree


garbage = st.one_of(
    st.text(max_size=200),
    st.text(alphabet="ab:-[]{}&*!|>'\"%@`#,? \n\t~<=.0", max_size=60),
    st.binary(max_size=100).map(lambda data: data.decode("latin-1")),
)


@given(garbage)
@example("a: !<!> x")
@example("%TAG ! x\n---\na: !b c")
@example("? ")
@example("a: &a [*a]")
@example("a: |99\n x")
@example("%YAML 9.9.9\n--- a")
@example("a: \\x\n'")
@example("{" * 100_000)
@example("- " * 100_000)
@example("a: '\\u0000'\n\"\\ud800\": 1")
@example("<<: {a: 1}\n<<: {b: 2}")
def test_garbage_never_raises_anything_else(text: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        loads(text, "garbage.yaml")
    error = caught.value
    assert error.message
    assert error.file == "garbage.yaml"
    assert error.line is not None
    assert 1 <= error.line <= text.count("\n") + text.count("\r") + text.count("\x85") + text.count("\u2028") + 3
