"""A good scenario with anything in any place: taken, or refused with a located ScenarioError, nothing else."""

# ruff: noqa: E501 (rows of a scenario and of values)
import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cellway import _engine
from cellway.scenario import ScenarioError, from_dict, loads, lower, to_yaml
from cellway.scenario.errors import Path
from cellway.scenario.yaml_source import parse

GOOD: dict[str, Any] = parse("""\
cellway: 1
title: damaged
rate: 622.08 Mbit/s
duration: 2000 cell_times
warmup: 10 cell_times
seed: 7
switches:
  s1: {memory: 2400 cells, port: {buffer: 100 cells, schedule: {kind: round_robin}}, ports: {b: {buffer: 20 cells}}}
  s2:
hosts: [a, b, c, "x[1..2]", "y[1..2]"]
links:
  - {between: [a, s1], delay: 77.5 cell_times}
  - {between: ["x[1..2]", s1], rate: 155.52 Mbit/s, impairments: [{kind: random_loss, probability: 10 %, cells: credit}]}
  - {between: ["y[1..2]", s2], length: 10 km}
  - {from: s1, to: b}
  - {between: [s1, s2]}
  - {between: [c, s2]}
vcs:
  v1: {from: a, to: b, priority: 3, traffic: {kind: cbr, rate: 8.2 Mbit/s}}
  v2:
    from: a
    to: [c, y1]
    route: [[a, s1, s2, c], [a, s1, s2, y1]]
    traffic: {kind: greedy}
    credit: {kind: n23, n2: 5 cells, n3: 155 cells}
    credits: {s1->s2: {n3: 200 cells}, a->s1: null, s2->c: {kind: cup}}
  "w[1..2]": {from: "x[1..2]", to: "y[1..2]", traffic: {kind: on_off, on: 1 ms, off: 1 ms, peak: 10 Mbit/s}}
record:
  trace: ["x[1..2]->s1"]
  queue: [{switch: s1, port: b, vc: v1}, {switch: s2, every: 1 ms}]
  credit: [{vc: v2}]
  throughput: [{link: s1->s2, cells: all}]
  delay: [{vc: "w[1..2]", to: "y[1..2]"}]
  every: 25 cell_times
""").tree  # fmt: skip


def places(value: Any, path: Path = ()) -> list[Path]:
    """Every key and element."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [path] if path else []
    for key, item in inner:
        found += places(item, (*path, key))
    return found


PLACES = places(GOOD)
SCALARS = [
    None, True, 0, -1, 1, 64, 10**30, 0.5, float("nan"), float("inf"), "", "a", "b", "s1", "v1", "none", "all", "x[1..2]", "x[1..3]",
    "x[2..1]", "[", "s1->s2", "s2->s1", "->", "5 ms", "0 s", "5 cells", "0 cells", "1e15 cell_times", "1 Mbit/s", "10 %", "-1 s", "53 d",
    "99999999 Tbit/s", "1e18 cells", "greedy", "n23", {}, [], [[]], {"kind": "greedy"}, {"kind": "fifo"}, {"kind": "cup", "n2": "0 cells"},
    {"kind": "rpc"}, {"kind": None}, ["a", "s1"], [["a", "s1", "b"]], {"a": None}, {1: 2}, {"switch": "s1"}, {"x": {"x": {"x": "x"}}},
]  # fmt: skip
scalars = st.sampled_from(SCALARS)
replacements = st.one_of(scalars, st.sampled_from(PLACES).map(lambda path: at(GOOD, path)), st.text(max_size=8))


def at(tree: Any, path: Path) -> Any:
    for part in path:
        tree = tree[part]
    return tree


def damaged(edits: list[tuple[Path, str, Any]]) -> dict[str, Any]:
    tree = copy.deepcopy(GOOD)
    for path, deed, value in edits:
        try:
            holder = at(tree, path[:-1])
            if deed == "drop":
                del holder[path[-1]]
            elif deed == "rename" and isinstance(holder, dict):
                holder[value if isinstance(value, (str, int)) else "z"] = holder.pop(path[-1])
            else:
                holder[path[-1]] = copy.deepcopy(value)
        except (KeyError, IndexError, TypeError):
            continue  # an edit before removed the place
    return tree


def test_the_undamaged_scenario_runs() -> None:
    _engine.Simulation(lower(from_dict(GOOD)).json)


@settings(max_examples=600)
@given(
    st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(["set", "drop", "rename"]), replacements), min_size=1, max_size=3)
)  # fmt: skip
def test_is_taken_or_refused(edits: list[tuple[Path, str, Any]]) -> None:
    tree = damaged(edits)
    try:
        scenario = from_dict(tree)
    except ScenarioError as error:
        refusal = error
    else:
        check_taken(scenario)
        return
    assert refusal.message
    assert refusal.path or not isinstance(tree, dict)
    str(refusal).encode()


def check_taken(scenario: Any) -> None:
    """Goes to YAML and back, and the engine takes it or refuses it at a place that the scenario has."""
    assert loads(to_yaml(scenario)) == scenario
    lowered = lower(scenario)
    try:
        _engine.Simulation(json.dumps(lowered.document))
    except _engine.EngineError as error:
        refusal = lowered.relocate(error)
    else:
        return
    assert refusal.message
    assert refusal.path.split(".")[0].split("[")[0] in {*type(scenario).model_fields}, (refusal.path, str(refusal))
