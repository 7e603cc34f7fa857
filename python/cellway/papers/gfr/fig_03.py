"""Figure 3: Selective Drop shares the link equally, without per-VC queues or policing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cellway.papers.figure import Figure, Level, Panel, Sheet, marks, sheet
from cellway.papers.gfr.setting import BOUND, BUFFERS, DURATION, R_EPD, Floats, efficiency, equal, goodputs, spread
from cellway.papers.item import Item, Quantity, Results
from cellway.scenario import Port, Scenario, SelectiveDropDiscard

SOURCES = (15, 50)
LONG = "100 s"
"""Five times as long as the paper, to see what becomes of the differences."""


def scenario(sources: int, buffer: int, duration: str = DURATION) -> Scenario:
    port = Port(
        buffer=f"{buffer} cells", schedule={"kind": "fifo"}, discard=SelectiveDropDiscard(fraction=R_EPD, z=0.8)
    )
    return equal(sources, port, duration, f"{sources} TCP sources, Selective Drop in {buffer} cells")


def label(sources: int, buffer: int) -> str:
    return f"{sources} sources, {buffer} cells"


def scenarios() -> Mapping[str, Scenario]:
    every = {label(n, k): scenario(n, k) for n in SOURCES for k in BUFFERS}
    return every | {LONG: scenario(15, BUFFERS[0], LONG)}


def departure(rates: Floats) -> float:
    """Of the source farthest from the mean, as a part of the mean."""
    return float(np.abs(rates / rates.mean() - 1).max())


def measure(results: Results) -> Mapping[str, float]:
    rates = {(n, k): goodputs(results[label(n, k)]) for n in SOURCES for k in BUFFERS}
    means = {f"mean goodput, {label(n, k)}": float(one.mean()) for (n, k), one in rates.items()}
    farthest = {f"farthest from the mean, {label(n, k)}": departure(one) for (n, k), one in rates.items()}
    shrinking = {
        f"spread of 50 sources over that of 15, {k} cells": spread(rates[50, k]) / spread(rates[15, k]) for k in BUFFERS
    }
    return {
        **means,
        **farthest,
        f"farthest from the mean in {LONG}, {label(15, BUFFERS[0])}": departure(goodputs(results[LONG])),
        **shrinking,
        "spread with 24000 cells over that with 12000, 15 sources": spread(rates[15, 24_000])
        / spread(rates[15, 12_000]),
        "largest part of the protocol bound": max(efficiency(result) for result in results.values()),
    }


def figures(results: Results) -> Sequence[Figure | Sheet]:
    panels = []
    for n in SOURCES:
        bound = BOUND / 1e6 / n
        curves = tuple(
            marks(f"{k} cells", np.arange(1, n + 1), np.sort(goodputs(results[label(n, k)]))) for k in BUFFERS
        )
        panels.append(
            Panel(
                f"{n} sources: Mbit/s",
                tuple(marks(one.label, one.x / n, one.y) for one in curves),
                (Level(bound, "an equal share of the protocol bound"),),
            )
        )
    rows = []
    for n in SOURCES:
        for k in BUFFERS:
            rates = goodputs(results[label(n, k)])
            part = rates / (BOUND / 1e6 / n)
            rows.append(
                (
                    n,
                    k,
                    f"{rates.mean():.3f}",
                    f"{part.mean():.3f} ± {part.std():.3f}",
                    f"{rates.min():.3f} – {rates.max():.3f}",
                )
            )
    head = ("sources", "cells of buffer", "mean [Mbit/s]", "part of the bound, ± deviation", "least – largest [Mbit/s]")
    return [
        Figure(
            "goodput",
            "Goodput of each source, the sources in order of goodput, first seed. All lie near an equal share of the"
            " link.",
            "Part of the sources",
            tuple(panels),
            x_range=(0, 1.02),
        ),
        sheet("The four configurations, first seed.", head, rows),
    ]


MEAN_15 = "figure 3, section 5.1: about 8.2 Mbit/s; at most 8.38 (theory.tcp.goodput_bound)"
MEAN_50 = "figure 3, section 5.1: about 2.5 Mbit/s; at most 2.515 (theory.tcp.goodput_bound)"
NEAR = "section 5.1: all throughputs are within 20 % of the mean"
FEW_LOSSES = (
    "20 s are 5 to 12 losses of a source for 15 sources, 14 to 30 for 50, too few to come near the mean: one source"
    " that slow start spares keeps a large window for seconds. In 100 s all come within 20 %"
)
SHRINKS = "section 5.1: the variability falls as the number of sources increases"
ITEM = Item(
    paper="gfr",
    name="fig-03",
    title="Equal shares by Selective Drop",
    claim=(
        "Per-VC accounting alone (Selective Drop, one FIFO queue) gives SACK TCP sources equal shares of a link at"
        " nearly 100 % efficiency, the more evenly the more sources there are."
    ),
    quantities=(
        *(Quantity(f"mean goodput, {label(15, k)}", "Mbit/s", 7.9, 8.38, MEAN_15, 8.2) for k in BUFFERS),
        *(Quantity(f"mean goodput, {label(50, k)}", "Mbit/s", 2.4, 2.515, MEAN_50, 2.5) for k in BUFFERS),
        *(
            Quantity(f"farthest from the mean, {label(n, k)}", "1", None, 0.2, NEAR, 0.2, reason=FEW_LOSSES)
            for n in SOURCES
            for k in BUFFERS
        ),
        Quantity(f"farthest from the mean in {LONG}, {label(15, BUFFERS[0])}", "1", None, 0.2, NEAR, 0.2),
        *(
            Quantity(f"spread of 50 sources over that of 15, {k} cells", "1", None, 1.0, SHRINKS, seeds="mean")
            for k in BUFFERS
        ),
        Quantity(
            "spread with 24000 cells over that with 12000, 15 sources",
            "1",
            1.0,
            None,
            "section 5.1: the deviation grows with the buffer for 15 sources",
            seeds="mean",
        ),
        Quantity("largest part of the protocol bound", "1", None, 1.0, "theory.tcp.goodput_bound: 125.75 Mbit/s"),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note=(
        "Selective Drop with R = 0.9 of the buffer and Z = 0.8, as in the UBR+ paper. Spread: standard deviation over"
        " mean. The buffer counts cells of data; acknowledgements go the other way."
    ),
)
