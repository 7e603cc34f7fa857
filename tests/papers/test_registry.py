"""Items by name."""

import pytest

from cellway.papers.registry import UnknownName, select


def chosen(*names: str) -> list[str]:
    return [item.path for item in select(names)]


def test_a_paper_an_item_and_everything() -> None:
    assert chosen("n23/fig-08") == ["n23/fig-08"]
    assert chosen("n23") == chosen("n23/")
    assert chosen() == [item.path for item in select()]
    assert len(chosen("n23")) == 11


@pytest.mark.parametrize(
    "spelling", ["n23/fig-15/16", "n23/fig-16", "n23/figure-16", "N23/Figure 15", "n23/figures 15/16", "n23/fig-15-16"]
)
def test_spellings_of_one_item(spelling: str) -> None:
    assert chosen(spelling) == ["n23/fig-15/16"]


def test_more_spellings() -> None:
    assert chosen("n23/fig-6", "n23/sec. 4.5", "n23/Section 8.3") == ["n23/fig-06", "n23/sec-4.5", "n23/sec-8.3"]


def test_each_item_once_in_the_order_of_the_paper() -> None:
    assert chosen("n23/fig-20", "n23/fig-08", "n23/fig-20") == ["n23/fig-08", "n23/fig-20"]
    assert chosen("n23/fig-20", "n23") == chosen("n23")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("n32", "did you mean 'n23'"),
        ("n23/fig-9", "did you mean 'fig-"),
        ("n23/sec-4.6", "did you mean 'sec-4.5'"),
        ("n23/sec-45", "did you mean 'sec-4.5'"),
        ("nonsense", "there is no paper 'nonsense' (known: n23"),
        ("n23/zzz", "there is no item of n23 'zzz' (known: fig-06"),
        ("", "there is no paper ''"),
    ],
)
def test_an_unknown_name_gives_the_nearest(name: str, near: str) -> None:
    with pytest.raises(UnknownName) as error:
        select([name])
    assert near in str(error.value)
