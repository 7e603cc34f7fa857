"""Throughput of a greedy credit-controlled VC against the exact formula."""

from __future__ import annotations

from typing import Any

import pytest

from cellway.theory import credit

from .network import EXACT, cell_ps, column, link, started, tables

CELL = round(cell_ps(EXACT))
WINDOW = 200_000


def share(loop: int, scheme: dict[str, Any]) -> tuple[float, dict[str, Any]]:
    """Fraction of the link that a greedy VC gets over a link of `loop` cell times, and the row of its credit table.

    The switch at its end forwards at once, so the loop is two propagation delays, one data and one credit cell.
    """
    delay, odd = divmod((loop - 2) * CELL, 2)
    document = {
        "version": 1,
        "seed": 1,
        "switches": {"s": {}},
        "hosts": {"a": {}, "b": {}},
        "links": [link("a", "s", EXACT, delay + odd), link("s", "a", EXACT, delay), link("s", "b", EXACT)],
        "vcs": {
            "vc": {
                "from": "a",
                "to": ["b"],
                "links": ["a->s", "s->b"],
                "traffic": {"kind": "greedy", "phase": 0},
                "credit": {"a->s": scheme},
            }
        },
    }
    simulation = started(document, 10 * loop * CELL)
    simulation.mark()
    simulation.advance((10 * loop + WINDOW) * CELL)
    found = tables(simulation)
    return column(found["vcs"], "rate")[0] / 1e6, found["credits"].to_pylist()[0]


POINTS = [
    *[(n2, n3, 156) for n2, n3 in [(1, 0), (10, 51), (10, 77), (3, 100), (20, 0), (7, 145), (10, 140), (10, 155)]],
    *[(n2, n3, loop) for n2, n3 in [(10, 5), (4, 13)] for loop in (2, 3, 9, 32, 77, 400)],
]


@pytest.mark.parametrize(("n2", "n3", "loop"), POINTS)
def test_throughput_of_a_greedy_vc(n2: int, n3: int, loop: int) -> None:
    measured, row = share(loop, {"kind": "n23", "n2": n2, "n3": n3})
    assert (row["n2"], row["n3"], row["r_ps"]) == (n2, n3, loop * CELL)
    theory = credit.greedy_rate(n2, n3, loop - 1)
    # The window may begin and end anywhere in a round trip: it holds at most one burst more or less.
    edge = (n2 + n3 + 1) / WINDOW
    assert measured == pytest.approx(theory, abs=edge)
    if theory < 1.0:
        assert abs(measured - credit.greedy_rate(n2, n3 + n2, loop - 1)) > edge
    assert row["overflow"] == 0
    assert row["peak_receiver"] <= n2 + n3


@pytest.mark.parametrize("loop", [2, 10, 31, 156])
def test_n3_from_the_round_trip_gives_the_full_rate_and_less_does_not(loop: int) -> None:
    measured, row = share(loop, {"kind": "n23", "n2": 10})
    assert measured == pytest.approx(1.0, abs=1 / WINDOW)
    assert row["n3"] == credit.n3_for_bandwidth(loop * CELL, EXACT) == loop
    # With N2 = 1 nothing waits for its credit cell: the formula's full rate ends exactly at N3 + 1 = loop.
    full, _ = share(loop, {"kind": "n23", "n2": 1, "n3": loop - 1})
    less, _ = share(loop, {"kind": "n23", "n2": 1, "n3": loop - 2})
    assert full == pytest.approx(1.0, abs=1 / WINDOW)
    assert less == pytest.approx((loop - 1) / loop, abs=(loop + 1) / WINDOW)
    assert less < full
