"""Figures 12 and 13: the same VC, greedy: bounded by its N3, in bursts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cellway.papers.figure import Figure, Level, Panel, curve
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.measurement import longest_run, most_in_window, starts, value
from cellway.papers.n23 import fig_10
from cellway.papers.n23.setting import CELL_TIME, N2, R
from cellway.scenario import GreedyTraffic, Scenario

N3 = fig_10.N3
DURATION, WARMUP = 60_000, fig_10.WARMUP


def scenarios() -> Mapping[str, Scenario]:
    return {"greedy": fig_10.scenario(GreedyTraffic(), duration=DURATION)}


def measure(results: Results) -> Mapping[str, float]:
    result = results["greedy"]
    cells = starts(result, "s1->b", "vc")
    credit = result.series("credit", link="s1->b", vc="vc").between(WARMUP * CELL_TIME, DURATION * CELL_TIME)
    return {
        "bandwidth": value(result.links, "data_utilisation", link="s1->b"),
        "bandwidth against the closed form": value(result.links, "data_utilisation", link="s1->b"),
        "most cells in any R": most_in_window(cells, R, CELL_TIME),
        "longest burst": longest_run(cells[cells > WARMUP * CELL_TIME], CELL_TIME),
        "longest silence": float(np.diff(cells).max()) / CELL_TIME,
        "part of the time with credit": credit_share(credit.times, credit.values, credit.end),
    }


def credit_share(times: np.ndarray, values: np.ndarray, end: float) -> float:
    lengths = np.diff(np.r_[times, end])
    return float(lengths[values > 0].sum() / lengths.sum())


def figures(results: Results) -> Sequence[Figure]:
    result = results["greedy"]
    start, end = 3000, 3700
    window = {"start": start * CELL_TIME, "end": end * CELL_TIME}
    return [
        Figure(
            "bursts",
            "Above: bandwidth averaged over 25 cell times. Below: credit at the switch, used up early in each round"
            " trip.",
            "Time (cell times)",
            (
                Panel(
                    "Fraction of link",
                    (curve("VC leaving the switch", result.bandwidth("s1->b", vc="vc"), CELL_TIME, **window),),
                    (Level((N2 + N3) / (R + N2), "(N2 + N3) / (R + N2) = 0.37"),),
                    y_range=(0, 1.05),
                ),
                Panel(
                    "Credit (cells)",
                    (
                        curve(
                            "credit at the switch", result.series("credit", link="s1->b", vc="vc"), CELL_TIME, **window
                        ),
                    ),
                    y_range=(0, 14),
                ),
            ),
            x_range=(start, end),
        )
    ]


ITEM = Item(
    paper="n23",
    name="fig-12/13",
    title="A greedy VC is held to its N3, in bursts",
    claim=(
        "A greedy VC sends N2 + N3 = 61 cells in a burst, then waits until E has fallen: on average (N2 + N3)/R of the"
        " link."
    ),
    quantities=(
        Quantity(
            "bandwidth",
            "1",
            0.36,
            0.395,
            "section 7.1 prints 0.39 = (N2 + N3)/R; SIGCOMM 1994 corrects it to (N2 + N3)/(R + N2) = 0.37",
            0.39,
            note=(
                "the printed 0.39 is the upper bound (N2 + N3)/R = 0.394; a burst is repeated not each R but each R +"
                " N2 - 1"
            ),
        ),
        Quantity(
            "bandwidth against the closed form",
            "1",
            0.3649,
            0.3669,
            "theory.credit.greedy_rate(10, 51, 155) = 60/164 = 0.3659",
        ),
        Quantity("most cells in any R", "cells", 61, 61, "section 7.1: N2 + N3 cells in each period of R", 61),
        Quantity(
            "longest burst",
            "cells",
            51,
            61,
            "section 7.1: a full-speed burst of N2 + N3, which may falter at its beginning",
            61,
        ),
        Quantity(
            "longest silence",
            "cell times",
            90,
            110,
            "section 7.1: from the end of the burst to the end of the period, R - (N2 + N3) = 94, and up to N2 - 1 more"
            " for the next credit cell",
        ),
        Quantity(
            "part of the time with credit",
            "1",
            0.30,
            0.40,
            "figure 13: credit is depleted early during each round trip; a burst lasts 61 of 164 cell times",
        ),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note="Both links have N3 = 51; where credit cells arrive during the silence they bring nothing, as the paper says.",
)
