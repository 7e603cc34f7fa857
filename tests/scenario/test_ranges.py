"""Name ranges."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellway.scenario.errors import Fault
from cellway.scenario.ranges import elements, link_elements, zip_elements


def test_elements() -> None:
    assert elements("a") == ["a"]
    assert elements("src[1..3]") == ["src1", "src2", "src3"]
    assert elements("s[0..1]-out") == ["s0-out", "s1-out"]
    assert elements("s[08..10]") == ["s08", "s09", "s10"]
    assert elements("s[7..7]") == ["s7"]


def test_links() -> None:
    assert link_elements("a->b") == ["a->b"]
    assert link_elements("src[1..2]->s1") == ["src1->s1", "src2->s1"]
    assert link_elements("a[1..2] -> b[3..4]") == ["a1->b3", "a2->b4"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s[1-3]", "malformed name range"),
        ("s[1..2]p[1..2]", "malformed name range"),
        ("s[..2]", "malformed name range"),
        ("s[1..2", "malformed name range"),
        ("s[3..1]", "this range runs backwards"),
        ("s[1..100001]", "this range is absurdly long"),
        ("", "not a name"),
        ("a b", "not a name"),
        ("a->b", "not a name"),
        ("a.b", "not a name"),
        ("-a", "not a name"),
        ("a-", "not a name"),
        ("a b[1..2]", "not a name"),
        ("x" * 101, "not a name"),
    ],
)  # fmt: skip
def test_refuses(text: str, message: str) -> None:
    with pytest.raises(Fault) as caught:
        elements(text)
    assert caught.value.message == message


@pytest.mark.parametrize("text", ["a", "a->", "->b", "a->b->c", "a-b"])
def test_refuses_links(text: str) -> None:
    with pytest.raises(Fault, match="not a link"):
        link_elements(text)


def test_zip_repeats_single_names() -> None:
    assert zip_elements([["a"], ["x1", "x2"]]) == [["a", "a"], ["x1", "x2"]]
    with pytest.raises(Fault, match="differ in length"):
        zip_elements([["a1", "a2", "a3"], ["x1", "x2"]])


@given(st.integers(0, 10**6), st.integers(0, 50))
def test_a_range_is_its_elements(first: int, more: int) -> None:
    assert elements(f"x[{first}..{first + more}]y") == [f"x{k}y" for k in range(first, first + more + 1)]


@given(st.text(alphabet="ab1-[]. >", max_size=12))
def test_any_text_is_names_or_a_fault(text: str) -> None:
    with contextlib.suppress(Fault):
        names = elements(text)
        assert names
        assert all(elements(name) == [name] for name in names)
