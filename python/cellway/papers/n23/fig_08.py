"""Figure 8: a greedy VC fills what a video of higher priority leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellway.papers.figure import Figure, Level, Panel, curve
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.measurement import value
from cellway.papers.n23.setting import CELL_TIME, N2, RATE, R, cell_times, link, n23
from cellway.scenario import VC, GreedyTraffic, RateChange, RateScheduleTraffic, Record, Scenario

PHASE = 2000
"""Cell times between changes of the video's rate; the paper gives none."""
PHASES = 10
QUIET, BUSY = 0.10, 0.66
WARMUP = 2 * PHASE
LABELS = (("VC1", "video"), ("VC2", "greedy"))


def scenario(
    n3: int = R, phase: int = PHASE, phases: int = PHASES, quiet: float = QUIET, busy: float = BUSY
) -> Scenario:
    changes = [
        RateChange(at=cell_times(k * phase), rate=f"{busy if k % 2 else quiet} cells/cell_time") for k in range(phases)
    ]
    return Scenario(
        title="A greedy VC beside a video of higher priority",
        rate=RATE,
        duration=cell_times(phases * phase),
        warmup=cell_times(2 * phase),
        switches=["s1"],
        hosts=["video", "a", "b"],
        links=[link("video", "s1"), link("a", "s1"), link("s1", "b")],
        vcs={
            "vc1": VC(from_="video", to="b", priority=0, traffic=RateScheduleTraffic(rates=changes)),
            "vc2": VC(from_="a", to="b", priority=1, traffic=GreedyTraffic(), credit=n23(n3)),
        },
        record=Record(queue=[{"switch": "s1", "vc": "vc2"}], trace=["a->s1", "s1->b"]),
    )


def scenarios() -> Mapping[str, Scenario]:
    return {"video": scenario()}


def measure(results: Results) -> Mapping[str, float]:
    result = results["video"]

    def share(phase: int) -> float:
        start, end = (phase + 0.5) * PHASE * CELL_TIME, (phase + 0.95) * PHASE * CELL_TIME
        return result.bandwidth("s1->b", vc="vc2").between(start, end).mean()

    steady = result.bandwidth("s1->b").between(WARMUP * CELL_TIME, (PHASES * PHASE - 25) * CELL_TIME)
    # The video rises at the start of phase 5; its cells reach the switch one hop later.
    rise = (5 * PHASE + 78) * CELL_TIME
    source = result.bandwidth("a->s1", vc="vc2").between(rise, rise + PHASE * CELL_TIME / 2)
    middle = 1 - (QUIET + BUSY) / 2
    return {
        "utilisation": value(result.links, "utilisation", link="s1->b"),
        "least utilisation in any 25 cell times": steady.min(),
        "most cells of VC2 in the switch": value(result.queues, "peak", vc="vc2"),
        "VC2 while the video takes 10 %": share(6),
        "VC2 while the video takes 66 %": share(7),
        "lag of VC2's source behind the video": float(source.times[source.values < middle][0] - rise) / CELL_TIME,
    }


def figures(results: Results) -> Sequence[Figure]:
    result = results["video"]
    start, end = WARMUP * CELL_TIME, (WARMUP + 3 * PHASE) * CELL_TIME
    visible = (WARMUP, WARMUP + 3 * PHASE)
    out, source = result.bandwidth("s1->b"), result.bandwidth("a->s1", vc="vc2")
    shares = {f"{name}, {what}": result.bandwidth("s1->b", vc=name.lower()) for name, what in LABELS}
    return [
        Figure(
            "bandwidth",
            "Bandwidth on the output link, averaged over 25 cell times: VC2 takes what the video leaves, and the two "
            "sum to the whole link.",
            "Time (cell times)",
            (
                Panel(
                    "Fraction of link",
                    (
                        *(curve(label, share, CELL_TIME, start=start, end=end) for label, share in shares.items()),
                        curve("both", out, CELL_TIME, start=start, end=end),
                    ),
                    y_range=(0, 1.05),
                ),
            ),
            x_range=visible,
        ),
        Figure(
            "switch",
            "Above: VC2's source follows the video a little later. Below: VC2's cells in the switch bridge that time.",
            "Time (cell times)",
            (
                Panel(
                    "Fraction of link",
                    (curve("VC2 from its source", source, CELL_TIME, start=start, end=end),),
                    y_range=(0, 1.05),
                ),
                Panel(
                    "Cells of VC2 in switch",
                    (curve("", result.series("queue", node="s1", vc="vc2"), CELL_TIME, start=start, end=end),),
                    (Level(N2 + R, "N2 + N3"),),
                    y_range=(0, 180),
                ),
            ),
            x_range=visible,
        ),
    ]


ITEM = Item(
    paper="n23",
    name="fig-08",
    title="A greedy VC fills the gaps of priority video",
    claim=(
        "The throughputs of the video and the greedy VC always sum to 100 %, and VC2 never uses more than N2 + N3 = 165"
        " cells of buffer."
    ),
    quantities=(
        Quantity("utilisation", "1", 0.999, 1.001, "section 6: always sum to 100 %", 1.0),
        Quantity(
            "least utilisation in any 25 cell times",
            "1",
            0.999,
            1.001,
            "section 6: always; 25 cell times is the paper's averaging interval (section 5)",
            1.0,
        ),
        Quantity("most cells of VC2 in the switch", "cells", 1, 165, "section 6: N2 + N3 = 10 + 155", 165),
        Quantity("VC2 while the video takes 10 %", "1", 0.895, 0.905, "section 6: all bandwidth not used by VC1"),
        Quantity("VC2 while the video takes 66 %", "1", 0.335, 0.345, "section 6: all bandwidth not used by VC1"),
        Quantity(
            "lag of VC2's source behind the video",
            "cell times",
            1,
            310,
            "section 6: lags slightly behind; at most two round trips, one for the credits and one for the cells",
        ),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note="The period of the video's changes is not given: 2000 cell times here, long against R.",
)
