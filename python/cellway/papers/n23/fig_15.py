"""Figures 15 and 16: three greedy VCs with different N3 share a link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cellway.papers.figure import Figure, Level, Panel, curve
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.measurement import longest_run, starts, swing, value
from cellway.papers.n23.setting import CELL_TIME, N2, RATE, cell_times, link, n23
from cellway.scenario import VC, GreedyTraffic, QueueRecord, Record, Scenario

N3 = (155, 113, 63)
"""For 100, 72 and 40 % of the link."""
DURATION, WARMUP = 60_000, 3_000


def scenario(n3: Sequence[int] = N3, n2: int = N2, duration: int = DURATION) -> Scenario:
    names = range(1, len(n3) + 1)
    return Scenario(
        title="Greedy VCs share a link",
        rate=RATE,
        duration=cell_times(duration),
        warmup=cell_times(WARMUP),
        switches=["s1"],
        hosts=[*(f"a{k}" for k in names), "b"],
        links=[*(link(f"a{k}", "s1") for k in names), link("s1", "b")],
        vcs={f"vc{k}": VC(from_=f"a{k}", to="b", traffic=GreedyTraffic(), credit=n23(n3[k - 1], n2)) for k in names},
        record=Record(queue=[QueueRecord(switch="s1", vc=f"vc{k}") for k in names], trace=["a1->s1", "s1->b"]),
    )


def scenarios() -> Mapping[str, Scenario]:
    return {"three VCs": scenario()}


def measure(results: Results) -> Mapping[str, float]:
    result = results["three VCs"]
    steady = [
        result.series("queue", node="s1", vc=f"vc{k}").between(WARMUP * CELL_TIME, DURATION * CELL_TIME)
        for k in (1, 2, 3)
    ]
    into, out = (starts(result, name, "vc1") for name in ("a1->s1", "s1->b"))
    gaps = np.diff(out[out > WARMUP * CELL_TIME]) / CELL_TIME
    return {
        **{f"share of VC{k}": value(result.vcs, "rate", vc=f"vc{k}") * CELL_TIME for k in (1, 2, 3)},
        "least queue of VC1": steady[0].min(),
        "largest queue of VC1": steady[0].max(),
        **{f"swing of VC{k}'s queue": swing(steady[k - 1]) for k in (1, 2, 3)},
        "queue of VC2 below VC1's": steady[0].mean() - steady[1].mean(),
        "queue of VC3 below VC1's": steady[0].mean() - steady[2].mean(),
        "burst of VC1 arriving": longest_run(into[into > WARMUP * CELL_TIME], CELL_TIME),
        "least gap of VC1 departing": float(gaps.min()),
        "largest gap of VC1 departing": float(gaps.max()),
        "cells beyond N2 + N3": float(sum(value(result.credits, "overflow", link=f"a{k}->s1") for k in (1, 2, 3))),
    }


def figures(results: Results) -> Sequence[Figure]:
    result = results["three VCs"]
    window = {"start": 0.0, "end": 1000 * CELL_TIME}
    return [
        Figure(
            "throughput",
            "VC1, averaged over 25 cell times: it arrives in bursts of N2 = 10 cells and leaves evenly, both at a third"
            " of the link.",
            "Time (cell times)",
            (
                Panel(
                    "Fraction of link",
                    (
                        curve("VC1 arriving", result.bandwidth("a1->s1", vc="vc1"), CELL_TIME, **window),
                        curve("VC1 leaving", result.bandwidth("s1->b", vc="vc1"), CELL_TIME, **window),
                    ),
                    (Level(1 / 3, "1/3"),),
                    y_range=(0, 1.05),
                ),
            ),
            x_range=(0, 1000),
        ),
        Figure(
            "queues",
            "Queues of the three VCs in the switch. Each grows until N2 + N3 less the queue and less E leaves N2: the"
            " larger its N3, the longer its queue, at equal shares of the link.",
            "Time (cell times)",
            (
                Panel(
                    "Queue (cells)",
                    tuple(
                        curve(f"VC{k}, N3 = {n3}", result.series("queue", node="s1", vc=f"vc{k}"), CELL_TIME, **window)
                        for k, n3 in enumerate(N3, 1)
                    ),
                    y_range=(0, 130),
                ),
            ),
            x_range=(0, 1000),
        ),
    ]


SHARE = "section 7.2: each a third of the link, by round robin"
SWING = "section 7.2: a fluctuation of 7 cells, N2 (1 - 1/3) (theory.credit.fill_swing); figure 16"
ITEM = Item(
    paper="n23",
    name="fig-15/16",
    title="Three greedy VCs share a link",
    claim=(
        "Round robin gives each a third of the link whatever its N3; N3 decides the queue: about 110 cells for VC1, 42"
        " and 92 fewer for VC2 and VC3, swinging by 7."
    ),
    quantities=(
        Quantity("share of VC1", "1", 0.3313, 0.3353, SHARE, 1 / 3),
        Quantity("share of VC2", "1", 0.3313, 0.3353, SHARE, 1 / 3),
        Quantity("share of VC3", "1", 0.3313, 0.3353, SHARE, 1 / 3),
        Quantity(
            "least queue of VC1",
            "cells",
            101,
            107,
            "figure 16: 104 to 111, within 3; the equilibrium N3 - R/3 = 103 (theory.credit.equilibrium_fill)",
            104,
        ),
        Quantity("largest queue of VC1", "cells", 108, 114, "figure 16: 104 to 111, within 3", 111),
        Quantity("swing of VC1's queue", "cells", 6, 10, SWING, 7),
        Quantity("swing of VC2's queue", "cells", 6, 10, SWING, 7),
        Quantity("swing of VC3's queue", "cells", 6, 10, SWING, 7),
        Quantity(
            "queue of VC2 below VC1's",
            "cells",
            39,
            45,
            "section 7.2: N3 decides the queue; 155 - 113 = 42, within 3",
            42,
        ),
        Quantity(
            "queue of VC3 below VC1's",
            "cells",
            89,
            95,
            "section 7.2: N3 decides the queue; 155 - 63 = 92, within 3",
            92,
        ),
        Quantity("burst of VC1 arriving", "cells", 10, 10, "section 7.2: bursts of 10 cells upon a credit of 10", 10),
        Quantity(
            "least gap of VC1 departing",
            "cell times",
            2.99,
            3.01,
            "section 7.2: exactly one cell in any three cell times",
            3,
        ),
        Quantity(
            "largest gap of VC1 departing",
            "cell times",
            2.99,
            3.01,
            "section 7.2: exactly one cell in any three cell times",
            3,
        ),
        Quantity("cells beyond N2 + N3", "cells", 0, 0, "section 7.2: the scheme prevents overflow", 0),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note=(
        "Each VC has its N3 on both of its links. The queue follows from N2 + N3 - queue - E = N2 with E = 155/3: a"
        " least value of 103.3."
    ),
)
