"""Table 1: what a source with the count-based policy does with FRM and BRM cells in the regions A to D."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from cellway.papers.figure import Figure, Panel, Sheet, curve, sheet
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.uili.setting import LINE, MBIT, RATE, Floats, acr, er, in_mbit, switch
from cellway.result import Result
from cellway.scenario import (
    VC,
    Abr,
    AbrRecord,
    CountBasedUili,
    Link,
    RateChange,
    RateScheduleTraffic,
    Record,
    Scenario,
    ThroughputRecord,
)

NRM = 32
HEADROOM = 10.0
DURATION = 0.6
SLOT = 424 / (LINE * 1e6)
"""Cell time [s]."""
REGIONS = ("A", "B", "C", "D")
MS = 1e-3


def schedule(steps: Sequence[tuple[float, float]], period: float) -> RateScheduleTraffic:
    """Rates [Mbit/s] from times within a period [ms] on, again and again."""
    changes = [
        RateChange(at=f"{1e3 * k * period + start:.12g} ms", rate=f"{rate:g} Mbit/s")
        for k in range(int(DURATION / period) + 1)
        for start, rate in steps
    ]
    return RateScheduleTraffic(rates=changes, phase="0 s")


def scenario(pr5: bool = True, tdf: str = "1/8") -> Scenario:
    """A source that is now faster, now slower than it may be, beside other traffic of changing rate that ERICA takes
    account of: every region, with feedback that asks for more and for less in each.
    """
    policy = CountBasedUili(headroom=f"{HEADROOM:g} Mbit/s", tdf=tdf, pr5=pr5)
    return Scenario(
        title="A source in all regions of the count-based policy",
        rate=RATE,
        duration=f"{DURATION} s",
        switches={"s1": switch()},
        hosts=["a", "b", "x"],
        links=[Link(between=[name, "s1"], delay="200 us") for name in ("a", "b", "x")],
        vcs={
            "vc1": VC(
                from_="a",
                to="b",
                priority=1,
                traffic=schedule([(0, LINE), (8, 20), (40, LINE), (45, 60), (70, 5)], 0.1),
                abr=Abr(icr="10 Mbit/s", rif=1, uili=policy),
            ),
            "other": VC(from_="x", to="b", traffic=schedule([(0, 0), (9, 90), (13, 20), (30, 122), (39, 40)], 0.043)),
        },
        record=Record(
            trace=["a->s1", "s1->a"],
            acr=[AbrRecord(vc="vc1")],
            er=[AbrRecord(vc="vc1")],
            throughput=[ThroughputRecord(link="a->s1", cells="all", every="1 ms")],
        ),
    )


def scenarios() -> Mapping[str, Scenario]:
    return {"with PR5": scenario(), "without PR5": scenario(pr5=False)}


@dataclass(frozen=True)
class Event:
    """An FRM cell that goes, or a BRM cell that comes."""

    time: float
    forward: bool
    region: str
    """At the FRM cell, or at the last one before."""
    before: float
    """ACR [Mbit/s]."""
    after: float
    er: float
    """ER of the last BRM cell [Mbit/s]."""
    prohibited: bool
    """PR5 is set."""


def own_rm(result: Result, link: str, column: str, forward: bool) -> Floats:
    """Times of the RM cells on a link that are FRM, or BRM cells: of a flow's in-rate cells the first is an FRM cell,
    and then every one that follows Nrm - 1 others.
    """
    cells = result.trace.filter(pc.equal(result.trace["link"], link))
    times = np.asarray(cells[column], dtype=np.float64) * 1e-12
    found, since = [], NRM - 1
    for time, kind in zip(times, cells["kind"].to_pylist(), strict=True):
        is_frm = kind == "rm" and since == NRM - 1
        since = 0 if is_frm else since + 1
        if kind == "rm" and is_frm == forward:
            found.append(time)
    return np.asarray(found)


def region(rate: float, interval: float) -> str:
    """Figure 3, with SR as it would be had the FRM cell found its slot at once (the Delta of section 5.2.7)."""
    sent = NRM * MBIT / interval
    if rate > (sent + HEADROOM) * (1 + 1e-9):  # the policy itself ends at the border
        return "A"
    if rate > NRM * MBIT / (interval - SLOT):
        return "B"
    return "C" if rate >= NRM * MBIT / (interval + SLOT) else "D"


def events(result: Result, with_pr5: bool) -> Iterator[Event]:
    """FRM and BRM cells of the source in order of time."""
    rate, allowed = acr(result, "vc1"), er(result, "vc1")
    sent = own_rm(result, "a->s1", "time_ps", True)
    come = own_rm(result, "s1->a", "arrival_ps", False)
    last, now, used, pr5 = float("nan"), "", True, False
    for time, forward in sorted([*((one, True) for one in sent), *((one, False) for one in come)]):
        before, after = rate.at(time - 1e-12), rate.at(time)
        network = allowed.at(time)
        if forward:
            known, interval = last == last, time - last
            last = time
            if known:
                now = region(before, interval)
                used = now in ("C", "D")
                yield Event(time, True, now, before, after, network, pr5)
                pr5 = False
        else:
            if now:
                yield Event(time, False, now, before, after, network, pr5)
            if used:
                pr5 = with_pr5 and before < network


def shares(result: Result, with_pr5: bool) -> dict[str, list[bool]]:
    """For each entry of the table whether the source did it, at every occasion."""
    found: dict[str, list[bool]] = defaultdict(list)
    for one in events(result, with_pr5):
        if one.forward:
            found[f"{one.region}{' with PR5' if one.prohibited else ''}: trigger"].append(one.after < one.before)
        elif one.er > one.before * (1 + 1e-9):
            found[f"{one.region}: increase"].append(one.after > one.before)
        elif one.er < one.before * (1 - 1e-9):
            found[f"{one.region}: decrease"].append(one.after < one.before)
    return found


def share(occasions: Sequence[bool]) -> float:
    return float(np.mean(occasions)) if occasions else float("nan")


def measure(results: Results) -> Mapping[str, float]:
    with_pr5 = shares(results["with PR5"], True)
    without = shares(results["without PR5"], False)
    found = {f"A with PR5: {action}": share(with_pr5[f"A with PR5: {action}"]) for action in ("trigger",)}
    for one in REGIONS:
        for action in ("trigger", "increase", "decrease"):
            entry = f"{one}: {action}"
            found[entry] = share(with_pr5[entry] + without[entry])
    return found


def figures(results: Results) -> Sequence[Figure | Sheet]:
    result = results["with PR5"]
    counted = {label: shares(one, label == "with PR5") for label, one in results.items()}
    entries = ["A: trigger", "A with PR5: trigger", *(f"{r}: trigger" for r in "BCD")]
    entries += [f"{r}: {action}" for action in ("increase", "decrease") for r in REGIONS]
    rows = [[entry, *(f"{sum(one[entry])} of {len(one[entry])}" for one in counted.values())] for entry in entries]
    lines = (
        curve("ER", er(result, "vc1"), MS),
        curve("ACR", acr(result, "vc1"), MS),
        curve("source rate", in_mbit(result.series("throughput", link="a->s1", cells="all")), MS),
    )
    return [
        Figure(
            "rates",
            "ER of the last BRM cell, ACR and the rate of the source. Increases are obeyed only where the source uses"
            " its ACR, decreases always.",
            "Time (ms)",
            (Panel("Rate (Mbit/s)", lines, y_range=(0, LINE)),),
            x_range=(0, 200),
        ),
        sheet("How often the source did it, of all occasions", ["region: action", *counted], rows),
    ]


WANTED = {
    "A": (1, 0, 1),
    "B": (0, 0, 1),
    "C": (0, 1, 1),
    "D": (0, 1, 1),
}
"""Table 1: trigger, increase on BRM, decrease on BRM."""
SOURCE = "table 1; figure 3 for the regions, the pseudo-code of section 5.2.7 for PR5"
ITEM = Item(
    paper="uili",
    name="table-1",
    title="Actions in the regions of the count-based policy",
    claim=(
        "Only in region A is UILI triggered, unless PR5 is set; in A and B feedback does not increase ACR, in C and D"
        " it does; decreases are always obeyed."
    ),
    quantities=(
        Quantity("A with PR5: trigger", "1", 0, 0, SOURCE, 0),
        *(
            Quantity(f"{one}: {action}", "1", wanted, wanted, SOURCE, wanted)
            for one in REGIONS
            for action, wanted in zip(("trigger", "increase", "decrease"), WANTED[one], strict=True)
        ),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    note=(
        "Part of the occasions on which the source acts, over all FRM and BRM cells of a run that comes through all"
        " regions; regions are judged from the trace of the source's line, not from the engine's own state."
    ),
)
