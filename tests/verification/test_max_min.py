"""ERICA's allocations against water-filling, on whole scenarios as users write them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cellway
from cellway.papers.measurement import value
from cellway.scenario import loads, lower, with_values
from cellway.theory.fairness import Flow, max_min

RATE, TARGET, CELL_BITS = 155.52e6, 0.9, 424
LINE = RATE / CELL_BITS
"""Cells per second of a line."""

NETWORK = """\
cellway: 1
rate: 155.52 Mbit/s
duration: 400 ms
warmup: 300 ms
switches:
  "s[1..4]": {port: {rate: {kind: erica, delta: 0}}}
hosts: ["a[1..6]", "b[1..6]", x, y]
links:
  - {between: [s1, s2], length: 50 km}
  - {between: [s2, s3], length: 100 km}
  - {between: [s3, s4], length: 20 km, rate: 77.76 Mbit/s}
  - {between: ["a[1..3]", s1], length: 1 km}
  - {between: ["a[4..5]", s2], length: 10 km}
  - {between: [a6, s3], length: 1 km}
  - {between: [s2, b1], length: 1 km}
  - {between: ["b[2..3]", s4], length: 1 km}
  - {between: ["b[4..5]", s3], length: 1 km}
  - {between: [s4, b6], length: 30 km}
  - {between: [x, s2], length: 1 km}
  - {between: [s3, y], length: 1 km}
vcs:
  "vc[1..6]": {from: "a[1..6]", to: "b[1..6]", priority: 1, traffic: {kind: greedy}, abr: {icr: 5 Mbit/s}}
  other: {from: x, to: y, traffic: {kind: cbr, rate: 30 Mbit/s}}
record: {acr: all, every: 5 ms}
"""

CASES: dict[str, dict[str, Any]] = {
    "greedy": {},
    "other traffic takes more": {"vcs.other.traffic.rate": "80 Mbit/s"},
    "encoded rates": {"vcs.vc[1..6].abr.encoded_rates": True},
    "all cells alike": {"vcs.vc[1..6].priority": 0},
}


@pytest.mark.parametrize("case", CASES)
def test_allocations_are_max_min_fair(case: str) -> None:
    scenario = with_values(loads(NETWORK), CASES[case])
    document = lower(scenario).document
    result = cellway.run(scenario)
    numerator, denominator = document["vcs"]["other"]["traffic"]["rate"]
    used = dict.fromkeys(document["vcs"]["other"]["links"], numerator / denominator)
    lines = {link["name"]: link["rate"] / CELL_BITS for link in document["links"]}
    capacities = {name: TARGET * line - used.get(name, 0) for name, line in lines.items()}
    names = [f"vc{k}" for k in range(1, 7)]
    # Ports of switches only: a host's own line is its limit as a whole.
    flows = {
        name: Flow([link for link in document["vcs"][name]["links"] if link.startswith("s")], demand=LINE)
        for name in names
    }
    fair = max_min(capacities, flows)
    measured = {name: result.series("acr", vc=name).between(0.3, 0.4).mean() for name in names}
    wrong = {name: measured[name] / float(fair[name]) for name in names}
    assert list(wrong.values()) == pytest.approx([1.0] * 6, rel=0.05)
    # RM cells are a part of the rate: an FRM cell of 32, and now and then a BRM cell of the silent source's FRM cells.
    sent = np.array([value(result.vcs, "rate", vc=name, direction="forward") for name in names])
    assert sent == pytest.approx(31 / 32 * np.array(list(measured.values())), rel=0.03)


def test_a_slow_source_leaves_its_share_to_the_others() -> None:
    scenario = with_values(loads(NETWORK), {"vcs.vc[1..6].traffic": {"kind": "cbr", "rate": "5 Mbit/s"}})
    result = cellway.run(scenario)
    links = result.links.to_pylist()
    assert max(link["utilisation"] for link in links if link["link"].startswith("s")) < TARGET
    for k in range(1, 7):
        assert value(result.vcs, "rate", vc=f"vc{k}", direction="forward") == pytest.approx(5e6 / CELL_BITS, rel=0.01)
        assert value(result.abr, "acr", vc=f"vc{k}", direction="forward") > 2 * 5e6 / CELL_BITS
