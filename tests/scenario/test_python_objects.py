"""Scenarios built in Python: the same objects, the same checks."""

import copy
import pickle

import pint
import pytest

import cellway.scenario
from cellway.scenario import (
    VC,
    CbrTraffic,
    GreedyTraffic,
    Host,
    Link,
    N23Credit,
    Port,
    Record,
    RoundRobinSchedule,
    Scenario,
    ScenarioError,
    Switch,
    from_dict,
    loads,
    lower,
    to_yaml,
    with_values,
)

TEXT = """\
cellway: 1
rate: 155.52 Mbit/s
duration: 10 ms
switches:
  s1: {port: {buffer: 100 cells}}
hosts: {a: {schedule: {kind: round_robin}}, b: }
links:
  - {between: [a, s1], delay: 5 us}
  - {from: s1, to: b}
vcs:
  vc1: {from: a, to: b, traffic: {kind: cbr, rate: 1 Mbit/s}, credit: {kind: n23, n3: 51 cells}, credits: {s1->b: null}}
record: {trace: all}
"""


def built() -> Scenario:
    return Scenario(
        rate="155.52 Mbit/s",
        duration=pint.UnitRegistry().Quantity(10, "ms"),
        switches={"s1": Switch(port=Port(buffer="100 cells"))},
        hosts={"a": Host(schedule=RoundRobinSchedule()), "b": None},
        links=[Link(between=["a", "s1"], delay="5 us"), Link(from_="s1", to="b")],
        vcs={
            "vc1": VC(
                from_="a",
                to="b",
                traffic=CbrTraffic(rate="1 Mbit/s"),
                credit=N23Credit(n3="51 cells"),
                credits={"s1->b": None},
            )
        },
        record=Record(trace="all"),
    )


def test_python_and_yaml_build_the_same() -> None:
    assert built() == loads(TEXT)
    assert lower(built()).digest == lower(loads(TEXT)).digest
    assert loads(to_yaml(built())) == built()


def test_plain_values_and_objects_mix() -> None:
    scenario = built()
    scenario.vcs["vc1"].traffic = {"kind": "greedy"}
    assert scenario.vcs["vc1"].traffic == GreedyTraffic()
    assert from_dict(scenario.to_data()) == scenario


def test_copies() -> None:
    scenario = loads(TEXT, "f.yaml")
    for twin in (copy.deepcopy(scenario), pickle.loads(pickle.dumps(scenario)), scenario.model_copy(deep=True)):
        assert twin == scenario
        assert twin.source.line(("vcs", "vc1")) == 11


def test_with_values_leaves_the_original_alone() -> None:
    scenario = loads(TEXT)
    other = with_values(scenario, {"vcs.vc1.credit.n3": "63 cells", "seed": 5, "links[0].delay": "1 ms"})
    assert str(other.vcs["vc1"].credit.n3) == "63 cells"
    assert (other.seed, scenario.seed) == (5, 1)
    assert scenario == built()


def test_construction_errors_are_scenario_errors() -> None:
    with pytest.raises(ScenarioError) as caught:
        Scenario(
            duration="10",
            hosts=["a"],
            links=[{"between": ["a", "b"], "rat": 1}],
            vcs={"v": {"from": "a", "to": "b", "traffic": {"kind": "gredy"}}},
        )
    assert [problem.file for problem in caught.value.problems] == [None] * 3
    assert [str(problem).partition(":")[0] for problem in caught.value.problems] == [
        "duration",
        "links[0].rat",
        "vcs.v.traffic.kind",
    ]
    with pytest.raises(ScenarioError, match="n3: a number of cells needs a unit"):
        N23Credit(n3=51)
    with pytest.raises(ScenarioError, match="'n23' is a credit algorithm, not a traffic algorithm"):
        VC(from_="a", to="b", traffic=N23Credit())


def test_assignments_are_checked() -> None:
    scenario = built()
    with pytest.raises(ScenarioError, match="duration: 'km' is no unit of a duration"):
        scenario.duration = "5 km"
    with pytest.raises(ScenarioError, match="unknown key 'duratoin'; did you mean 'duration'"):
        scenario.duratoin = "5 ms"
    with pytest.raises(ScenarioError, match="`delay` and `length` say the same"):
        scenario.links[0].length = "1 km"
    scenario.duration = "6 ms"
    assert lower(scenario).duration_ps == 6 * 10**9


def test_references_are_checked_when_lowered() -> None:
    scenario = built()
    scenario.vcs["vc1"].to = "z"
    with pytest.raises(ScenarioError, match=r"^vcs\.vc1\.to: there is no host 'z'"):
        lower(scenario)


def test_the_public_names_exist() -> None:
    names = cellway.scenario.__all__
    assert len(names) == len(set(names))
    assert all(hasattr(cellway.scenario, name) for name in names)
