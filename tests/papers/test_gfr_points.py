"""The GFR paper's scenarios at points that no figure uses: other numbers of sources, segments, classes and buffers."""

import numpy as np
import pytest

import cellway
from cellway.papers.gfr import fig_03, fig_04, fig_05, table_1
from cellway.papers.gfr.setting import BOUND, RATE, achieved, efficiency, equal, goodputs, miss, spread, unequal
from cellway.papers.measurement import value, values
from cellway.scenario import EpdDiscard, Port, Scenario, SelectiveDropDiscard, WfqSchedule, with_values
from cellway.theory.tcp import goodput_bound


def test_numbers_of_the_setting() -> None:
    assert f"{BOUND / 1e6:.2f}" == "125.75"
    assert miss(np.array([1.0, 1.0])) == 0
    assert miss(np.array([2.0, 1.0])) == pytest.approx(0.5**0.5)
    assert spread(np.array([1.0, 3.0])) == pytest.approx(0.5)


@pytest.mark.parametrize(("sources", "least"), [(1, 0.2), (2, 0.4), (15, 0.9), (500, 0.7)])
def test_goodput_stays_below_the_protocol_bound(sources: int, least: float) -> None:
    """One or two sources take longer than 3 s to open their windows."""
    port = Port(buffer="12000 cells", discard=SelectiveDropDiscard())
    result = cellway.run(equal(sources, port, "3 s"))
    assert len(goodputs(result)) == sources
    assert least < efficiency(result) <= 1


@pytest.mark.parametrize("mss", [256, 536, 1460, 9140])
def test_the_bound_holds_for_other_segments(mss: int) -> None:
    scenario: Scenario = equal(10, Port(buffer="12000 cells", discard=EpdDiscard()), "2 s")
    result = cellway.run(with_values(scenario, {"vcs.vc[1..10].traffic.mss": f"{mss} B"}))
    bound = goodput_bound(RATE, mss) / 1e6
    assert 0.75 * bound < goodputs(result).sum() <= bound


def test_two_classes_by_weighted_fair_queueing() -> None:
    port = Port(buffer="20000 cells", schedule=WfqSchedule(), discard=EpdDiscard())
    ratios = achieved(cellway.run(unequal(port, False, "6 s", classes=(5, 10), each=5)), (5, 10))
    assert ratios.min() > 1.4
    assert ratios.max() / ratios.min() < 1.15


def test_without_queues_of_their_own_classes_come_together() -> None:
    wfq = achieved(cellway.run(fig_05.scenario(24_000, "5 s")))
    fifo = achieved(cellway.run(fig_04.scenario(0.5, 24_000, "5 s")))
    assert fifo[0] / fifo[-1] > 1.5 * wfq[0] / wfq[-1]


def test_selective_drop_with_eight_sources_and_another_buffer() -> None:
    rates = goodputs(cellway.run(fig_03.scenario(8, 16_000, "6 s")))
    assert np.abs(rates / rates.mean() - 1).max() < 0.35


@pytest.mark.parametrize("times", [1.5, 2.2])
def test_who_keeps_the_contract_is_admitted_where_vcs_are_told_apart(times: float) -> None:
    kept = {
        option.label: table_1.kept(cellway.run(table_1.overload(option, 12_000, "0.5 s", times)))
        for option in table_1.OPTIONS
        if option.queueing
    }
    assert kept["- - X"] < 0.9
    assert min(kept["X - X"], kept["- X X"], kept["X X X"]) > 0.99


def test_frames_at_the_minimum_rate_are_never_tagged() -> None:
    result = cellway.run(table_1.overload(table_1.OPTIONS[-1], 12_000, "0.5 s"))
    for k in range(5):
        assert value(result.tables["policing"], "tagged", vc=f"vc{3 * k + 1}") == 0
    assert values(result.tables["policing"], "tagged").sum() > 0


def test_last_cells_that_are_spared_use_up_the_link_at_last() -> None:
    """At four times their contracts the excess frames' last cells, never tagged nor refused, are 8 % of the link, and
    with the contracts' 95.7 % too much for it: tagging alone no longer keeps the contracts, accounting does.
    """
    kept = {
        option.label: table_1.kept(cellway.run(table_1.overload(option, 12_000, "0.5 s", 4.0)))
        for option in table_1.OPTIONS
        if option.queueing
    }
    assert kept["- X X"] < 0.99
    assert min(kept["X - X"], kept["X X X"]) > 0.99
