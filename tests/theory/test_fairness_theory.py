"""cellway.theory.fairness against known answers, the bottleneck condition, and a linear-programming oracle."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from cellway.theory.fairness import Criterion, Flow, jain_index, max_min


def test_parking_lot() -> None:
    capacities = dict.fromkeys("abc", 150)
    flows = {"long": Flow("abc"), "1": Flow("a"), "2": Flow("b"), "3": Flow("c"), "4": Flow("c")}
    assert max_min(capacities, flows) == {"long": 50, "1": 100, "2": 100, "3": 50, "4": 50}


def test_bertsekas_and_gallager_figure_6_15() -> None:
    # Five sessions over a line of links of capacity 1: 1/3 where three meet, the rest takes what is left.
    capacities = {"12": 1, "23": 1, "34": 1, "45": 1}
    flows = {1: Flow(["12", "23", "34"]), 2: Flow(["23"]), 3: Flow(["23"]), 4: Flow(["34"]), 5: Flow(["45"])}
    third = Fraction(1, 3)
    assert max_min(capacities, flows) == {1: third, 2: third, 3: third, 4: 2 * third, 5: 1}


def test_the_two_switch_network_of_the_credit_paper() -> None:
    # Section 7.3: VC1 meets VC2 on the first link, VC3 and VC4 on the second; VC1 gets 1/3 and VC2 takes 2/3.
    flows = {"vc1": Flow(["s1", "s2"]), "vc2": Flow(["s1"]), "vc3": Flow(["s2"]), "vc4": Flow(["s2"])}
    third = Fraction(1, 3)
    expected = {"vc1": third, "vc2": 2 * third, "vc3": third, "vc4": third}
    assert max_min({"s1": 1, "s2": 1}, flows) == expected


def test_weights_demands_and_minima() -> None:
    link = {"l": 90}
    assert max_min(link, {1: Flow("l", weight=2), 2: Flow("l")}) == {1: 60, 2: 30}
    assert max_min(link, {1: Flow("l", demand=10), 2: Flow("l"), 3: Flow("l")}) == {1: 10, 2: 40, 3: 40}
    minima = {1: Flow("l", minimum=50), 2: Flow("l"), 3: Flow("l")}
    assert max_min(link, minima) == {1: 50 + Fraction(40, 3), 2: Fraction(40, 3), 3: Fraction(40, 3)}
    assert max_min(link, minima, "floor") == {1: 50, 2: 20, 3: 20}
    low = {1: Flow("l", minimum=20), 2: Flow("l"), 3: Flow("l")}
    assert max_min(link, low, "floor") == {1: 30, 2: 30, 3: 30}
    assert max_min(link, {1: Flow("l", minimum=50, demand=10), 2: Flow("l")}) == {1: 10, 2: 80}
    assert max_min(link, {1: Flow("l", minimum=90), 2: Flow("l")}) == {1: 90, 2: 0}


def test_edges() -> None:
    assert max_min({}, {}) == {}
    assert max_min({"l": 0}, {1: Flow("l")}) == {1: 0}
    assert max_min({}, {1: Flow([], demand=7)}) == {1: 7}
    assert max_min({"l": 0.1}, {1: Flow("l"), 2: Flow("l")})[1] == Fraction(0.1) / 2


@st.composite
def networks(draw: st.DrawFn) -> tuple[dict[int, int], dict[int, Flow]]:
    links = draw(st.integers(1, 5))
    capacities = {link: draw(st.integers(20, 60)) for link in range(links)}
    flows = {}
    for name in range(draw(st.integers(1, 7))):
        route = draw(st.sets(st.integers(0, links - 1), min_size=1))
        flows[name] = Flow(
            sorted(route),
            weight=draw(st.sampled_from([1, 2, Fraction(1, 3)])),
            minimum=draw(st.integers(0, 2)),
            demand=draw(st.none() | st.integers(0, 40)),
        )
    return capacities, flows


def levels(rates: Mapping[int, Fraction], flows: Mapping[int, Flow], criterion: Criterion) -> dict[int, Fraction]:
    """Where a flow stands in the comparison: what it has above its minimum, or in all, per weight."""
    taken = {n: min(f.minimum, f.demand) if f.demand is not None else f.minimum for n, f in flows.items()}
    base = taken if criterion == "additive" else dict.fromkeys(flows, 0)
    return {n: (rates[n] - Fraction(base[n])) / Fraction(f.weight) for n, f in flows.items()}


@pytest.mark.parametrize("criterion", ["additive", "floor"])
@settings(max_examples=150, deadline=None, derandomize=True)
@given(network=networks())
def test_every_flow_is_satisfied_or_has_a_bottleneck(
    network: tuple[dict[int, int], dict[int, Flow]], criterion: Criterion
) -> None:
    capacities, flows = network
    rates = max_min(capacities, flows, criterion)
    load = {link: sum(rates[n] for n, f in flows.items() if link in f.links) for link in capacities}
    assert all(load[link] <= capacities[link] for link in capacities)
    level = levels(rates, flows, criterion)
    for name, flow in flows.items():
        assert rates[name] >= min(flow.minimum, flow.minimum if flow.demand is None else flow.demand)
        if flow.demand is not None:
            assert rates[name] <= flow.demand
            if rates[name] == flow.demand:
                continue
        # A bottleneck: a full link on which nobody that could give way stands higher (Bertsekas and Gallager 6.5.2).
        assert any(
            load[link] == capacities[link]
            and all(
                level[other] <= level[name] or rates[other] == flows[other].minimum
                for other, f in flows.items()
                if link in f.links
            )
            for link in flow.links
        )


@settings(max_examples=40, deadline=None, derandomize=True)
@given(network=networks())
def test_agrees_with_successive_linear_programs(network: tuple[dict[int, int], dict[int, Flow]]) -> None:
    capacities, flows = network
    names = list(flows)
    minima = [min(f.minimum, f.demand) if f.demand is not None else f.minimum for f in flows.values()]
    index = {name: i for i, name in enumerate(names)}
    fixed: dict[int, float] = {}

    def best(objective: list[float], floor: float | None) -> float:
        """Maximum of the objective over (levels, t), free levels being at least t, or at least `floor` if given."""
        upper: list[list[float]] = []
        limit: list[float] = []
        for link, capacity in capacities.items():
            users = [n for n in names if link in flows[n].links]
            row = [float(flows[n].weight) if n in users else 0.0 for n in names]
            upper.append([*row, 0.0])
            limit.append(capacity - sum(minima[index[n]] for n in users))
        for n in names:
            if n not in fixed and floor is None:
                upper.append([-1.0 if m == n else 0.0 for m in names] + [1.0])
                limit.append(0.0)
        bounds: list[tuple[float, float | None]] = []
        for n in names:
            demand = flows[n].demand
            most = None if demand is None else float((demand - minima[index[n]]) / flows[n].weight)
            if n in fixed:
                bounds.append((fixed[n], fixed[n]))
            else:
                bounds.append((max(floor or 0.0, 0.0), most))
        bounds.append((0.0, 1e6))
        solution = linprog([-c for c in objective], A_ub=upper, b_ub=limit, bounds=bounds, method="highs")
        assert solution.status == 0, solution.message
        return float(-solution.fun)

    while len(fixed) < len(names):
        level = max(0.0, best([0.0] * len(names) + [1.0], None) - 1e-9)
        free = [n for n in names if n not in fixed]
        for n in free:
            if best([1.0 if m == n else 0.0 for m in names] + [0.0], level) <= level + 1e-6:
                fixed[n] = level
    rates = max_min(capacities, flows)
    for n in names:
        assert float(rates[n]) == pytest.approx(minima[index[n]] + float(flows[n].weight) * fixed[n], abs=1e-5)


def test_bad_networks_are_refused() -> None:
    for capacities, flows, text in (
        ({"l": 1}, {1: Flow("m")}, "'m'"),
        ({"l": 1}, {1: Flow("ll")}, "twice"),
        ({"l": 1}, {1: Flow("")}, "nothing limits"),
        ({"l": -1}, {1: Flow("l")}, "capacity"),
        ({"l": float("inf")}, {1: Flow("l")}, "capacity"),
        ({"l": 1}, {1: Flow("l", weight=0)}, "weight"),
        ({"l": 1}, {1: Flow("l", demand=float("nan"))}, "demand"),
        ({"l": 1}, {1: Flow("l", minimum=1), 2: Flow("l", minimum=1)}, "'l' sum to 2"),
    ):
        with pytest.raises(ValueError, match=text):
            max_min(capacities, flows)
    with pytest.raises(ValueError, match="criterion"):
        max_min({}, {}, "equal")  # type: ignore[arg-type]


def test_jain_index() -> None:
    assert jain_index([3, 3, 3]) == pytest.approx(1.0)
    assert jain_index([1, 0, 0, 0]) == pytest.approx(0.25)
    # k of n sharing alike: k / n (Jain, Chiu and Hawe 1984).
    assert jain_index([5.0] * 3 + [0.0] * 7) == pytest.approx(0.3)
    assert jain_index(np.array([1.0, 2.0, 3.0])) == pytest.approx(36 / 42)
    assert jain_index([10, 20], ideal=[1, 2]) == pytest.approx(1.0)
    assert jain_index([1e-200, 1e-200]) == pytest.approx(1.0)
    for bad, text in (([], "non-empty"), ([0, 0], "all rates are zero"), ([-1, 2], "none neg"), ([np.nan], "finite")):
        with pytest.raises(ValueError, match=text):
            jain_index(bad)
    with pytest.raises(ValueError, match="one positive ideal"):
        jain_index([1, 2], ideal=[1])
