"""Figures 18 and 19: four greedy VCs over two switches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellway.papers.figure import Figure, Level, Panel, curve
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.measurement import starts, swing, value
from cellway.papers.n23.setting import CELL_TIME, N2, RATE, R, cell_times, link, n23
from cellway.scenario import VC, GreedyTraffic, QueueRecord, Record, Scenario

DURATION, WARMUP = 60_000, 5_000
FIRST = (100, 300)
"""While the queues still fill [cell times]."""


def scenario(n3: int = R, n2: int = N2, duration: int = DURATION) -> Scenario:
    ends = {"vc1": ("a1", "b"), "vc2": ("a2", "c"), "vc3": ("a3", "b"), "vc4": ("a4", "b")}
    return Scenario(
        title="Four greedy VCs over two switches",
        rate=RATE,
        duration=cell_times(duration),
        warmup=cell_times(WARMUP),
        switches=["s1", "s2"],
        hosts=["a1", "a2", "a3", "a4", "b", "c"],
        links=[
            link("a1", "s1"),
            link("a2", "s1"),
            link("s1", "s2"),
            link("a3", "s2"),
            link("a4", "s2"),
            link("s2", "b"),
            link("s2", "c"),
        ],
        vcs={
            name: VC(from_=source, to=destination, traffic=GreedyTraffic(), credit=n23(n3, n2))
            for name, (source, destination) in ends.items()
        },
        record=Record(queue=[QueueRecord(switch="s2", vc=name) for name in ends], trace=["s1->s2"]),
    )


def scenarios() -> Mapping[str, Scenario]:
    return {"two switches": scenario()}


def measure(results: Results) -> Mapping[str, float]:
    result = results["two switches"]
    fill = {
        k: result.series("queue", node="s2", vc=f"vc{k}").between(WARMUP * CELL_TIME, DURATION * CELL_TIME)
        for k in (1, 3, 4)
    }

    def at_first(vc: str) -> float:
        cells = starts(result, "s1->s2", vc) / CELL_TIME
        return float(((cells >= FIRST[0]) & (cells < FIRST[1])).sum()) / (FIRST[1] - FIRST[0])

    return {
        "VC1 at first": at_first("vc1"),
        "VC2 at first": at_first("vc2"),
        **{f"VC{k}": value(result.vcs, "rate", vc=f"vc{k}") * CELL_TIME for k in (1, 2, 3, 4)},
        "least fill of VC1 at switch 2": fill[1].min(),
        "largest fill of VC1 at switch 2": fill[1].max(),
        "swing of VC1's fill at switch 2": swing(fill[1]),
        "mean fill of VC3 above VC1's": fill[3].mean() - fill[1].mean(),
        "mean fill of VC4 above VC1's": fill[4].mean() - fill[1].mean(),
    }


def figures(results: Results) -> Sequence[Figure]:
    result = results["two switches"]
    window = {"start": 0.0, "end": 1500 * CELL_TIME}
    fills = tuple(curve(f"VC{k}", result.series("queue", node="s2", vc=f"vc{k}"), CELL_TIME, **window) for k in (1, 3))
    return [
        Figure(
            "throughput",
            "Throughput leaving switch 1, averaged over 25 cell times: VC1 and VC2 begin with a half each; as VC1's"
            " buffer at switch 2 fills, its credits throttle it to a third, and VC2 takes the rest.",
            "Time (cell times)",
            (
                Panel(
                    "Fraction of link",
                    (
                        curve("VC1", result.bandwidth("s1->s2", vc="vc1"), CELL_TIME, **window),
                        curve("VC2", result.bandwidth("s1->s2", vc="vc2"), CELL_TIME, **window),
                    ),
                    (Level(1 / 3, "1/3"), Level(2 / 3, "2/3")),
                    y_range=(0, 1.05),
                ),
            ),
            x_range=(0, 1500),
        ),
        Figure(
            "fill",
            "Cells queued at switch 2: VC1's buffer fills slowly, by the difference of a half and a third of the link.",
            "Time (cell times)",
            (Panel("Queue (cells)", fills, (Level(103, "N3 - R/3"),), y_range=(0, 130)),),
            x_range=(0, 1200),
        ),
        Figure(
            "swing",
            "The same, enlarged. VC1 arrives at half the link rate in its bursts, so it swings by 4; VC3, like VC4,"
            " comes straight from a host at full rate and swings by 7, as in figure 16.",
            "Time (cell times)",
            (Panel("Queue (cells)", fills, (Level(103, "N3 - R/3"),), y_range=(98, 114)),),
            x_range=(1000, 1300),
        ),
    ]


FILL = (
    "figure 19 and section 7.3: between 102 and 107 cells, a lower end of 102 to 103 and 3 or 4 cells more; to 109 in"
    " the figure"
)
SIMILAR = "section 7.3: similar to VC1's; within the swing of 7 of section 7.2"
ITEM = Item(
    paper="n23",
    name="fig-18/19",
    title="Four greedy VCs over two switches",
    claim=(
        "VC1 falls from a half to its third of the second link, VC2 takes the remaining two thirds, and VC1's fill"
        " stays at N3 - R/3 = 103, swinging by 3 or 4 cells."
    ),
    quantities=(
        Quantity("VC1 at first", "1", 0.45, 0.55, "section 7.3: initially both send at 1/2", 0.5),
        Quantity("VC2 at first", "1", 0.45, 0.55, "section 7.3: initially both send at 1/2", 0.5),
        Quantity("VC1", "1", 0.3313, 0.3353, "section 7.3: exactly 1/3", 1 / 3),
        Quantity("VC2", "1", 0.6647, 0.6687, "section 7.3: the remaining 2/3", 2 / 3),
        Quantity("VC3", "1", 0.3313, 0.3353, "section 7.3: exactly 1/3", 1 / 3),
        Quantity("VC4", "1", 0.3313, 0.3353, "section 7.3: exactly 1/3", 1 / 3),
        Quantity("least fill of VC1 at switch 2", "cells", 102, 109, FILL, 102),
        Quantity("largest fill of VC1 at switch 2", "cells", 102, 109, FILL, 107),
        Quantity(
            "swing of VC1's fill at switch 2",
            "cells",
            3,
            5,
            "section 7.3: 3 or 4 cells, N2 (1 - (1/3)/(1/2)) (theory.credit.fill_swing); 102 to 107 in the text",
            4,
        ),
        Quantity("mean fill of VC3 above VC1's", "cells", -7, 7, SIMILAR, 0),
        Quantity("mean fill of VC4 above VC1's", "cells", -7, 7, SIMILAR, 0),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note="Figure 17 shows no hosts: each VC has a host of its own, and VC2 leaves switch 2 by a port of its own.",
)
