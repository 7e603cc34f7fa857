"""The UILI paper's scenarios at points that no figure uses: they keep working, and policies do what they promise."""

import pytest

import cellway
from cellway.papers.uili import client_server as pair
from cellway.papers.uili import five_sources as five
from cellway.papers.uili import table_1
from cellway.papers.uili.setting import acr
from cellway.scenario import CountBasedUili, JointUili, NoneUili, TimeBasedUili


@pytest.mark.parametrize(
    ("slow", "headroom", "tdf", "sources"), [(5, 3, "1/16", 3), (20, 2, "1/4", 4), (8, 5, "1/8", 1)]
)
def test_the_count_based_policy_keeps_rate_and_headroom(slow: float, headroom: float, tdf: str, sources: int) -> None:
    policy = CountBasedUili(headroom=f"{headroom} Mbit/s", tdf=tdf)
    scenario = five.scenario(policy, "2 Mbit/s", sources=sources, length="300 km", traffic=five.applications(slow))
    result = cellway.run(scenario)
    assert len(five.vcs(result)) == sources
    for vc in five.vcs(result):
        held = acr(result, vc).between(0.15, five.FREE)
        assert held.min() >= slow  # what is used is never taken
        assert held.max() == pytest.approx(slow + headroom, rel=0.06)
    assert five.queue_peak(result) < 300


@pytest.mark.parametrize("tc", ["20 ms", "120 ms"])
def test_the_time_based_policy_takes_its_time(tc: str) -> None:
    result = cellway.run(five.scenario(TimeBasedUili(tc=tc), sources=1, length="200 km", duration=0.4))
    series = acr(result, "vc1")
    way = five.arrival(series) - five.rise(series)
    expected = float(tc.split()[0]) / 60 * 151e-3  # as figure 6e, with another Tc
    if expected < 0.15:
        assert way == pytest.approx(expected, rel=0.25)  # the first step is larger: T is of before the rise
    else:
        assert not way < 0.15


def test_a_small_tdf_of_the_joint_proposal_takes_longer() -> None:
    ways = []
    for tdf in ("1/8", "1/32"):
        series = acr(cellway.run(five.scenario(JointUili(tdf=tdf), sources=1)), "vc1")
        ways.append(five.arrival(series) - five.rise(series))
    assert ways[1] > 3 * ways[0]


@pytest.mark.parametrize(("response", "cycle", "length"), [(64, "3 ms", "100 km"), (600, "1 ms", "200 km")])
def test_other_bursts(response: int, cycle: str, length: str) -> None:
    def throughput(policy: CountBasedUili | NoneUili) -> float:
        scenario = pair.scenario(policy, response, cycle=cycle, length=length, duration=0.6)
        found = pair.bursts(cellway.run(scenario), 0.2)
        assert len(found.response) > 20
        assert (found.response > 0).all()
        return float(found.throughput.mean())

    held, free = throughput(CountBasedUili(tdf="1/8")), throughput(NoneUili())
    assert 10 < held < free < 155.52


def test_table_1_with_another_decrease() -> None:
    occasions = table_1.shares(cellway.run(table_1.scenario(tdf="1/3")), True)
    assert all(occasions["A: trigger"])
    assert not any(occasions["A: increase"] + occasions["B: increase"] + occasions["C: trigger"])
    assert all(occasions["C: increase"] + occasions["D: decrease"])
