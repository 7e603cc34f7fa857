"""Section 4.5: lost and corrupted credit cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cellway.papers.figure import Curve, Figure, Level, Panel, curve
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.measurement import value, values
from cellway.papers.n23.setting import CELL_TIME, DELAY, N2, RATE, R, cell_times, cells, n23
from cellway.result import Result
from cellway.scenario import (
    VC,
    AdditiveCredit,
    CupCredit,
    GreedyTraffic,
    Link,
    N23Credit,
    N123Credit,
    RandomCorruptionImpairment,
    RandomLossImpairment,
    Record,
    Scenario,
    ScheduledLossImpairment,
    ThroughputRecord,
)

DURATION, WARMUP, BIN = 60_000, 3_000, 200
CUT = 20_000
"""When the credit cells of the lone VC begin to be lost [cell times]."""
SHORT, LONG = 100, 400
"""How long: less than a loop, so that later credit cells follow; and so long that the last one is lost too."""
WAIT = cell_times(500)
"""Time-out of the sender, and period of redundant credit cells."""
NEAR = cell_times(49)
"""Propagation of links whose loop, 100 cell times, is so much shorter than R that all credits evaluate to zero."""


def additive(n3: int = R) -> AdditiveCredit:
    return AdditiveCredit(n2=cells(N2), n3=cells(n3))


def scenario(
    credit: N23Credit | AdditiveCredit | CupCredit | N123Credit,
    impairment: RandomLossImpairment | RandomCorruptionImpairment | ScheduledLossImpairment | None,
    vcs: int = 3,
    delay: str = DELAY,
    duration: int = DURATION,
) -> Scenario:
    names = range(1, vcs + 1)
    impairments = [] if impairment is None else [impairment]
    ends = [*((f"a{k}", "s1") for k in names), ("s1", "b")]
    return Scenario(
        title=f"{'Greedy VCs' if vcs > 1 else 'A greedy VC'} on links that lose credit cells",
        rate=RATE,
        duration=cell_times(duration),
        warmup=cell_times(WARMUP),
        switches=["s1"],
        hosts=[*(f"a{k}" for k in names), "b"],
        links=[Link(between=pair, delay=delay, impairments=impairments) for pair in ends],
        vcs={f"vc{k}": VC(from_=f"a{k}", to="b", traffic=GreedyTraffic(), credit=credit) for k in names},
        record=Record(throughput=[ThroughputRecord(link="s1->b", every=cell_times(BIN))]),
    )


def lost(share: float) -> RandomLossImpairment:
    return RandomLossImpairment(probability=share, cells="credit")


def cut(length: int) -> ScheduledLossImpairment:
    period: dict[str, Any] = {"from": cell_times(CUT), "to": cell_times(CUT + length)}
    return ScheduledLossImpairment(periods=[period], cells="credit")


def scenarios() -> Mapping[str, Scenario]:
    corrupted = RandomCorruptionImpairment(probability=0.3, cells="credit")
    return {
        "congested, 10 % lost": scenario(n23(R), lost(0.1)),
        "congested, 30 % lost": scenario(n23(R), lost(0.3)),
        "congested, 30 % corrupted": scenario(n23(R), corrupted),
        "congested, 10 % lost, additive": scenario(additive(), lost(0.1)),
        "congested, 30 % lost, additive": scenario(additive(), lost(0.3)),
        "alone, 30 % lost": scenario(n23(R), lost(0.3), vcs=1),
        "short cut": scenario(n23(R), cut(SHORT), vcs=1),
        "short cut, additive": scenario(additive(), cut(SHORT), vcs=1),
        "long cut": scenario(n23(R), cut(LONG), vcs=1),
        "long cut, time-out": scenario(n23(R, timeout=WAIT), cut(LONG), vcs=1),
        "long cut, redundant": scenario(n23(R, redundant=WAIT), cut(LONG), vcs=1),
        "R beyond the loop, time-out": scenario(n23(51, timeout=WAIT), None, vcs=1, delay=NEAR),
    }


def throughput(result: Result, start: int, end: int) -> float:
    """Of the output link between two times [cell times], as a fraction."""
    return result.bandwidth("s1->b", cells="data").between(start * CELL_TIME, end * CELL_TIME).mean()


def measure(results: Results) -> Mapping[str, float]:
    lossy = [label for label in results if label.startswith("congested")]
    late = {label: throughput(results[label], DURATION // 2, DURATION) for label in results}
    alone = results["alone, 30 % lost"]
    return {
        **{label: throughput(results[label], WARMUP, DURATION) for label in lossy if "additive" not in label},
        **{label: late[label] for label in lossy if "additive" in label},
        "most cells of a VC in the switch": max(
            float(values(results[label].credits, "peak_receiver").max()) for label in lossy
        ),
        "cells beyond N2 + N3": sum(float(values(results[label].credits, "overflow").sum()) for label in lossy),
        "corrupted credit cells discarded": (
            float(values(results["congested, 30 % corrupted"].credits, "discarded").sum())
            / float(values(results["congested, 30 % corrupted"].links, "corrupted").sum())
        ),
        "alone, 30 % lost": throughput(alone, WARMUP, DURATION),
        "alone, 30 % lost, last third against first": (
            throughput(alone, 2 * DURATION // 3, DURATION) / throughput(alone, WARMUP, DURATION // 3)
        ),
        **{label: late[label] for label in results if "cut" in label},
        "R beyond the loop, time-out": late["R beyond the loop, time-out"],
        "requests sent": value(results["long cut, time-out"].credits, "requests", link="s1->b"),
    }


def figures(results: Results) -> Sequence[Figure]:
    def line(label: str, name: str) -> Curve:
        series = results[name].bandwidth("s1->b", cells="data")
        return curve(label, series, CELL_TIME)

    def panel(*lines: Curve) -> Panel:
        return Panel("Fraction of link", lines, y_range=(0, 1.08))

    return [
        Figure(
            "random",
            f"Throughput of the congested link (three greedy VCs), in bins of {BIN} cell times: absolute update heals"
            " each loss, additive update loses credit for ever.",
            "Time (cell times)",
            (
                panel(
                    line("N23, 10 % lost", "congested, 10 % lost"),
                    line("additive, 10 % lost", "congested, 10 % lost, additive"),
                ),
                panel(
                    line("N23, 30 % lost", "congested, 30 % lost"),
                    line("additive, 30 % lost", "congested, 30 % lost, additive"),
                ),
            ),
            x_range=(0, 20_000),
        ),
        Figure(
            "cut",
            f"A lone VC whose credit cells are all lost for {SHORT} (above) and {LONG} cell times (below). After the"
            " short cut N23 is back at full rate with the next credit cell; additive update keeps what it lost. The"
            " long cut takes the last credit cell too, and only a request or a redundant credit cell starts the VC"
            " again.",
            "Time (cell times)",
            (
                Panel(
                    "Fraction of link",
                    (line("N23", "short cut"), line("additive", "short cut, additive")),
                    (Level(0.375, "65 cells of credit"),),
                    y_range=(0, 1.08),
                ),
                panel(
                    line("N23", "long cut"),
                    line("with time-out", "long cut, time-out"),
                    line("with redundant credits", "long cut, redundant"),
                ),
            ),
            x_range=(CUT - 2_000, CUT + 6_000),
        ),
    ]


HEALS = "section 4.5: automatically recovered by any future credit cell; under congestion the buffer bridges the delay"
LEAKS = (
    "section 3 and 4.5: additive updating is not robust; each lost credit cell takes 10 of 165 cells of credit for ever"
)
ITEM = Item(
    paper="n23",
    name="sec-4.5",
    title="Lost and corrupted credit cells",
    claim=(
        "Absolute updating heals lost or corrupted credit cells by the next one; where none follows, a time-out with a"
        " request or redundant credit cells do."
    ),
    quantities=(
        Quantity("congested, 10 % lost", "1", 0.999, 1.001, HEALS, 1.0),
        Quantity("congested, 30 % lost", "1", 0.999, 1.001, HEALS, 1.0),
        Quantity(
            "congested, 30 % corrupted",
            "1",
            0.999,
            1.001,
            "section 4.5: a corrupted credit cell is discarded, and the next one recovers",
            1.0,
        ),
        Quantity(
            "corrupted credit cells discarded",
            "1",
            0.99,
            1.0,
            "section 4.5: detected by the CRC and discarded (those still on the line at the end are not yet)",
            1.0,
        ),
        Quantity(
            "most cells of a VC in the switch",
            "cells",
            1,
            165,
            "section 4.5: lost credit cells only delay; never more than N2 + N3",
            165,
        ),
        Quantity("cells beyond N2 + N3", "cells", 0, 0, "section 4.5: lost credit cells only delay", 0),
        Quantity(
            "alone, 30 % lost",
            "1",
            0.5,
            0.999,
            "section 4.5: a potential, temporary delay: less than the full link, but no collapse",
        ),
        Quantity(
            "alone, 30 % lost, last third against first", "1", 0.95, 1.05, "section 4.5: no permanent effect", 1.0
        ),
        Quantity("congested, 10 % lost, additive", "1", 0.0, 0.01, LEAKS),
        Quantity("congested, 30 % lost, additive", "1", 0.0, 0.01, LEAKS),
        Quantity("short cut", "1", 0.999, 1.001, "section 4.5: the next credit cell removes any effect", 1.0),
        Quantity(
            "short cut, additive",
            "1",
            0.31,
            0.44,
            LEAKS + ": 9 to 11 credit cells lost leave 55 to 75 cells, theory.credit.greedy_rate(10, 45..65, 155)",
        ),
        Quantity("long cut", "1", 0.0, 0.0, "section 4.5: no credit cell follows the last one of a burst", 0.0),
        Quantity(
            "long cut, time-out", "1", 0.999, 1.001, "section 4.5: the sender requests credit after a time-out", 1.0
        ),
        Quantity(
            "long cut, redundant", "1", 0.999, 1.001, "section 4.5: the receiver sends redundant credit cells", 1.0
        ),
        Quantity(
            "R beyond the loop, time-out",
            "1",
            0.08,
            0.13,
            "eq. (1): with a loop of 100 and R = 155 every credit evaluates to zero (theory.credit.round_trip_limits);"
            " each request, a time-out of 500 and a loop later, brings 61 cells: 61/(500 + 100), less or more by a"
            " burst",
        ),
        Quantity(
            "requests sent",
            "cells",
            1,
            5,
            "section 4.5: a request per time-out of 500 cell times; one suffices after a cut of 400",
        ),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note=(
        "The paper argues this section and simulates nothing. Congested: three greedy VCs with N3 = 155 on one link,"
        " loss on every link. Alone: one VC; there a lost credit cell costs some throughput, since no queue bridges the"
        " delay."
    ),
)
