"""The papers' scenarios at points that no figure uses: they keep working, and follow theory there too."""

import pytest

import cellway
from cellway.papers.measurement import starts, swing, value, values
from cellway.papers.n23 import fig_08, fig_10, fig_12, fig_15, fig_18, fig_20, fig_21, fig_23, sec_4_5, sec_8_3
from cellway.papers.n23.setting import CELL_TIME, R
from cellway.result import Result
from cellway.scenario import CupCredit, GreedyTraffic, N123Credit, Scenario
from cellway.theory.credit import equilibrium_fill, fill_swing, greedy_rate, opposed_rates


def run(scenario: Scenario) -> Result:
    result = cellway.run(scenario)
    assert values(result.credits, "overflow").sum() == 0
    return result


@pytest.mark.parametrize(("n2", "n3"), [(5, 100), (20, 60), (7, 30), (10, 155)])
def test_a_greedy_vc_has_the_rate_of_the_closed_form(n2: int, n3: int) -> None:
    result = run(fig_10.scenario(GreedyTraffic(), n2, n3, duration=fig_12.DURATION))
    measured = value(result.links, "data_utilisation", link="s1->b")
    assert measured == pytest.approx(greedy_rate(n2, n3, R), abs=0.002)


@pytest.mark.parametrize(("n3", "n2"), [((155, 155), 20), ((155, 100, 90, 80), 10), ((140,) * 5, 5)])
def test_queues_under_congestion_follow_the_equilibrium(n3: tuple[int, ...], n2: int) -> None:
    result = run(fig_15.scenario(n3, n2, duration=20_000))
    for k, zone in enumerate(n3, 1):
        share = value(result.vcs, "rate", vc=f"vc{k}") * CELL_TIME
        assert share == pytest.approx(1 / len(n3), abs=0.002)
        queue = result.series("queue", node="s1", vc=f"vc{k}").between(5_000 * CELL_TIME, 20_000 * CELL_TIME)
        assert queue.min() == pytest.approx(equilibrium_fill(n2, zone, R, 1 / len(n3)), abs=2.5)
        assert swing(queue) == pytest.approx(fill_swing(n2, 1 / len(n3)), abs=2)


def test_video_of_other_rates() -> None:
    result = run(fig_08.scenario(n3=R, phase=1000, phases=8, quiet=0.3, busy=0.9))
    assert value(result.links, "utilisation", link="s1->b") == pytest.approx(1, abs=0.002)
    assert value(result.queues, "peak", vc="vc2") <= 165


def test_two_switches_with_larger_zones() -> None:
    result = run(fig_18.scenario(n3=200, duration=20_000))
    rates = [value(result.vcs, "rate", vc=f"vc{k}") * CELL_TIME for k in (1, 2, 3, 4)]
    assert rates == pytest.approx([1 / 3, 2 / 3, 1 / 3, 1 / 3], abs=0.005)
    assert len(starts(result, "s1->s2")) > 19_000


@pytest.mark.parametrize("n2", [2, 4, 31])
def test_credit_and_data_for_any_n2(n2: int) -> None:
    result = run(fig_20.scenario(n2, duration=20_000))
    shares = [value(result.links, "data_utilisation", link=link) for link in ("s1->b", "b->s1")]
    assert shares == pytest.approx(opposed_rates(n2, n2), abs=0.003)


def test_few_clients_for_a_short_time() -> None:
    for controlled in (True, False):
        result = run(fig_21.scenario(3, controlled, think="1 ms", duration="50 ms"))
        assert values(result.vcs, "responses", direction="forward").min() > 10
        assert fig_21.peak(result) > 0


def test_multicast_of_three_short_bursts_small_buffer() -> None:
    result = run(fig_23.scenario(ports=3, n3=100, burst=20, multicast=0.2, unicast=0.6, duration=50_000))
    assert 0 < fig_23.peak(result) <= 110
    assert fig_23.throughput(result) == pytest.approx(0.2, rel=0.15)


@pytest.mark.parametrize(
    "credit", [CupCredit(n2="10 cells", n3="155 cells"), N123Credit(n2="10 cells", n3="155 cells")]
)
def test_other_absolute_schemes_heal_too(credit: CupCredit | N123Credit) -> None:
    result = run(sec_4_5.scenario(credit, sec_4_5.lost(0.2), vcs=4, duration=20_000))
    assert sec_4_5.throughput(result, 5_000, 20_000) == pytest.approx(1, abs=0.001)


def test_a_window_over_three_links_fills_the_last_switch() -> None:
    result = run(sec_8_3.scenario(3, 2, "end to end"))
    assert sec_8_3.peak(result, 2) == 3 * (R + 1)
    assert sec_8_3.peak(run(sec_8_3.scenario(3, 2, "link by link")), 2) <= 165
