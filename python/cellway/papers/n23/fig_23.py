"""Figures 23 and 24: point-to-multipoint VCs against bursty traffic of higher priority."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cellway.papers.figure import Curve, Figure, Level, Panel, curve, marks
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.measurement import values
from cellway.papers.n23.setting import CELL_TIME, N2, RATE, R, cell_times, link, n23
from cellway.result import Result
from cellway.scenario import VC, OnOffTraffic, QueueRecord, Record, Scenario, ThroughputRecord

LARGER = 3
"""N3 of the multicast VC in R: the paper uses "a larger N3" and does not say which. Chosen as the paper did: the least
multiple of R that leaves the throughput of 15 branches within 1 %; the report shows the others."""
BURST = 100
"""Mean length of bursts [cell times]; the paper says only that all VCs are bursty."""
DURATION = 300_000
PORTS = (5, 15)
MULTIPLES = (1, 2, 3, 4)
CONTROLS = {"uncontrolled": None} | {f"N3 = {multiple} R": multiple * R for multiple in MULTIPLES}


def on_off(load: float, burst: float) -> OnOffTraffic:
    return OnOffTraffic(peak="1 cells/cell_time", on=cell_times(burst), off=cell_times(burst * (1 - load) / load))


def scenario(
    ports: int = 5,
    n3: int | None = LARGER * R,
    burst: float = BURST,
    multicast: float = 1 / 3,
    unicast: float = 1 / 2,
    duration: int = DURATION,
) -> Scenario:
    to, source = f"b[1..{ports}]", f"u[1..{ports}]"
    return Scenario(
        title=f"{ports}-port multicast, {'without flow control' if n3 is None else f'N3 = {n3}'}",
        rate=RATE,
        duration=cell_times(duration),
        switches=["s1"],
        hosts=["m", source, to],
        links=[link("m", "s1"), link(source, "s1"), link("s1", to)],
        vcs={
            "multicast": VC(
                from_="m", to=[to], priority=1, traffic=on_off(multicast, burst), credit=None if n3 is None else n23(n3)
            ),
            f"unicast[1..{ports}]": VC(from_=source, to=to, priority=0, traffic=on_off(unicast, burst)),
        },
        record=Record(
            queue=[QueueRecord(switch="s1", vc="multicast", every=cell_times(50))],
            throughput=[ThroughputRecord(link="s1->b1", vc="multicast", every=cell_times(500))],
        ),
    )


def scenarios() -> Mapping[str, Scenario]:
    return {f"{ports} ports, {control}": scenario(ports, n3) for ports in PORTS for control, n3 in CONTROLS.items()}


def peak(result: Result) -> float:
    """Most stored cells of the multicast VC; each is stored once for all branches."""
    return result.series("queue", node="s1", vc="multicast").max()


def throughput(result: Result) -> float:
    """Of the slowest branch, fraction of a link."""
    return float(values(result.vcs, "rate", vc="multicast").min()) * CELL_TIME


def compared(results: Results, ports: int) -> list[float]:
    """Throughput with each N3 against that without flow control."""
    free = throughput(results[f"{ports} ports, uncontrolled"])
    return [throughput(results[f"{ports} ports, N3 = {multiple} R"]) / free for multiple in MULTIPLES]


def measure(results: Results) -> Mapping[str, float]:
    found: dict[str, float] = {}
    against = {ports: dict(zip(MULTIPLES, compared(results, ports), strict=True)) for ports in PORTS}
    for ports in PORTS:
        free, large = results[f"{ports} ports, uncontrolled"], results[f"{ports} ports, N3 = {LARGER} R"]
        found |= {
            f"peak, {ports} ports": peak(large),
            f"peak without flow control against with, {ports} ports": peak(free) / peak(large),
            f"throughput against uncontrolled, {ports} ports": against[ports][LARGER],
            f"throughput uncontrolled, {ports} ports": throughput(free),
        }
    return found | {
        "throughput against uncontrolled, 15 ports, N3 = R": against[15][1],
        "throughput at N3 = R, 15 ports against 5": against[15][1] / against[5][1],
    }


def forwarded(label: str, result: Result) -> Curve:
    """Cells sent by the first branch until each time."""
    rate = result.series("throughput", link="s1->b1", vc="multicast")
    times = np.r_[0.0, rate.times]
    return Curve(label, times / CELL_TIME, np.r_[0.0, np.cumsum(rate.values * np.diff(times))])


def figures(results: Results) -> Sequence[Figure]:
    free, large = results["5 ports, uncontrolled"], results[f"5 ports, N3 = {LARGER} R"]
    labels = ("without flow control", f"with, N3 = {LARGER} R")
    end = 100_000
    return [
        Figure(
            "buffer",
            "Cells of the 5-port multicast VC stored in the switch: with flow control never more than N2 + N3.",
            "Time (cell times)",
            (
                Panel(
                    "Stored cells",
                    tuple(
                        curve(label, result.series("queue", node="s1", vc="multicast"), CELL_TIME, end=end * CELL_TIME)
                        for label, result in zip(labels, (free, large), strict=True)
                    ),
                    (Level(N2 + LARGER * R, "N2 + N3"),),
                ),
            ),
            x_range=(0, end),
        ),
        Figure(
            "forwarded",
            "Cells that the multicast VC has forwarded over one branch: the curves coincide at a third of the link.",
            "Time (cell times)",
            (
                Panel(
                    "Cells forwarded",
                    tuple(forwarded(label, result) for label, result in zip(labels, (free, large), strict=True)),
                ),
            ),
            x_range=(0, end),
        ),
        Figure(
            "n3",
            "Throughput of the multicast VC with flow control against that without, and its peak buffer, by N3: 15"
            " branches need more than 5.",
            "N3 (R = 155 cells)",
            (
                Panel(
                    "Throughput, relative",
                    tuple(marks(f"{ports} ports", MULTIPLES, compared(results, ports)) for ports in PORTS),
                    (Level(1.0, "without flow control"),),
                    y_range=(0.6, 1.05),
                ),
                Panel(
                    "Peak cells",
                    tuple(
                        marks(
                            f"{ports} ports",
                            MULTIPLES,
                            [peak(results[f"{ports} ports, N3 = {n} R"]) for n in MULTIPLES],
                        )
                        for ports in PORTS
                    ),
                    tuple(
                        Level(peak(results[f"{ports} ports, uncontrolled"]), f"{ports} ports, without flow control")
                        for ports in PORTS
                    ),
                ),
            ),
        ),
    ]


LIMIT = "section 8.2: the credit value is N2 + N3 less the cells in memory, so at most N2 + N3 = 10 + 465"
SAME = "section 8.2: identical throughput at the larger N3, within 1 %"
ITEM = Item(
    paper="n23",
    name="fig-23/24",
    title="Point-to-multipoint VCs with and without flow control",
    claim=(
        "A flow-controlled multicast VC needs far less buffer and has the same throughput; with 15 branches it needs a"
        " larger N3 for that."
    ),
    quantities=(
        *(Quantity(f"peak, {ports} ports", "cells", 1, 475, LIMIT) for ports in PORTS),
        *(
            Quantity(
                f"peak without flow control against with, {ports} ports",
                "1",
                2.0,
                None,
                "figure 23: much less buffer; twice, at least",
                seeds="mean",
            )
            for ports in PORTS
        ),
        *(Quantity(f"throughput against uncontrolled, {ports} ports", "1", 0.99, 1.01, SAME, 1.0) for ports in PORTS),
        *(
            Quantity(
                f"throughput uncontrolled, {ports} ports",
                "1",
                0.30,
                0.3667,
                "section 8.2: about 1/3 of the link, within 10 % for bursty traffic",
                1 / 3,
            )
            for ports in PORTS
        ),
        Quantity(
            "throughput against uncontrolled, 15 ports, N3 = R",
            "1",
            0.0,
            0.999,
            "section 8.2: with 15 branches slightly lower than the target; hence the larger N3",
        ),
        Quantity(
            "throughput at N3 = R, 15 ports against 5",
            "1",
            0.0,
            1.0,
            "section 8.2: more branches, more likely that one is slowed down",
        ),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note=(
        "Left open: the length of bursts (here 100 cell times on average, exponential, at link rate) and the larger N3"
        " (here 3 R = 465: at 2 R one seed of three left 15 branches 1.05 % below the uncontrolled throughput). The"
        " multicast VC offers 1/3 of a link, each unicast VC 1/2, as stated. Without flow control the buffer is"
        " unlimited. How much 15 branches lose at N3 = R depends on the bursts; the paper says slightly."
    ),
)
