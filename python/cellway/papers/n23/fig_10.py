"""Figures 10 and 11: one VC that offers a third of the link, N3 sized for just that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cellway.papers.figure import Figure, Level, Panel, curve
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.measurement import swing, value
from cellway.papers.n23.setting import CELL_TIME, N2, RATE, cell_times, link, n23
from cellway.scenario import VC, CbrTraffic, GreedyTraffic, Record, Scenario

N3 = 51
"""R / 3, rounded down as in the paper; the ceiling of footnote 4 gives 52."""
DURATION, WARMUP = 20_000, 2_000


def scenario(traffic: CbrTraffic | GreedyTraffic, n2: int = N2, n3: int = N3, duration: int = DURATION) -> Scenario:
    return Scenario(
        title="One VC over a switch without congestion",
        rate=RATE,
        duration=cell_times(duration),
        warmup=cell_times(WARMUP),
        switches=["s1"],
        hosts=["a", "b"],
        links=[link("a", "s1"), link("s1", "b")],
        vcs={"vc": VC(from_="a", to="b", traffic=traffic, credit=n23(n3, n2))},
        record=Record(queue="all", credit="all", trace=["s1->b"], delay="all"),
    )


def scenarios() -> Mapping[str, Scenario]:
    return {"a third of the link": scenario(CbrTraffic(rate="1/3 cells/cell_time"))}


def measure(results: Results) -> Mapping[str, float]:
    result = results["a third of the link"]
    credit = result.series("credit", link="s1->b", vc="vc").between(WARMUP * CELL_TIME, DURATION * CELL_TIME)
    arrivals = np.flatnonzero(np.diff(credit.values) > 0)
    delays = result.delay("vc")
    return {
        "bandwidth": value(result.links, "data_utilisation", link="s1->b"),
        "most cells in the switch": value(result.queues, "peak", vc="vc"),
        "extra delay": swing(delays) / CELL_TIME,
        "credit left when the next credit cell arrives": float(credit.values[arrivals].max()),
        "least effective credit": float(credit.values[arrivals + 1].min()),
        "largest effective credit": float(credit.values[arrivals + 1].max()),
    }


def figures(results: Results) -> Sequence[Figure]:
    result = results["a third of the link"]
    start, end = 3000, 3400
    window = {"start": start * CELL_TIME, "end": end * CELL_TIME}
    return [
        Figure(
            "credit",
            "Above: bandwidth of the VC as it leaves the switch, averaged over 25 cell times. Below: credit at the"
            " switch; each rise is the arrival of a credit cell, just as the last credit has been used.",
            "Time (cell times)",
            (
                Panel(
                    "Fraction of link",
                    (curve("VC leaving the switch", result.bandwidth("s1->b", vc="vc"), CELL_TIME, **window),),
                    (Level(1 / 3, "1/3"),),
                    y_range=(0, 1.05),
                ),
                Panel(
                    "Credit (cells)",
                    (
                        curve(
                            "credit at the switch", result.series("credit", link="s1->b", vc="vc"), CELL_TIME, **window
                        ),
                    ),
                    (Level(N2, "N2"),),
                    y_range=(0, 14),
                ),
            ),
            x_range=(start, end),
        )
    ]


ITEM = Item(
    paper="n23",
    name="fig-10/11",
    title="One VC without congestion, a third of the link",
    claim=(
        "With N3 = R/3 a VC that offers a third of the link gets it without delay: each credit cell brings about N2 and"
        " arrives just before the credit runs out."
    ),
    quantities=(
        Quantity("bandwidth", "1", 0.332, 0.334, "section 7.1: 1/3", 1 / 3),
        Quantity("most cells in the switch", "cells", 0, 1, "section 7.1: never more than one cell", 1),
        Quantity("extra delay", "cell times", 0, 1, "section 7.1: passed on without delay", 0),
        Quantity(
            "credit left when the next credit cell arrives",
            "cells",
            0,
            2,
            "section 7.1: arrives just as the switch is running out",
            0,
        ),
        Quantity("least effective credit", "cells", 8, 12, "section 7.1: roughly N2 = 10", 10),
        Quantity("largest effective credit", "cells", 8, 12, "section 7.1: roughly N2 = 10", 10),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note=(
        "E is 51 or 52 of the cells of the last R, so each credit cell brings 61 - E = 9 or 10. Both links have N3"
        " = 51."
    ),
)
