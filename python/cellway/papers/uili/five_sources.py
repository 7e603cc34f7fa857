"""Figure 5: five bidirectional ABR sources over two switches; the application of each is slow for the first 200 ms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cellway.papers.figure import Figure, Level, Panel, curve
from cellway.papers.item import Quantity
from cellway.papers.uili.setting import LINE, RATE, acr, er, first_time, in_mbit, switch
from cellway.result import Result
from cellway.scenario import (
    VC,
    Abr,
    AbrRecord,
    Link,
    QueueRecord,
    RateChange,
    RateScheduleTraffic,
    Record,
    Scenario,
    Switch,
    ThroughputRecord,
    Uili,
)
from cellway.series import Series

ICR = ("1 Mbit/s", "155.52 Mbit/s")
HEADROOM = "1 Mbit/s"
SOURCES = 5
SLOW = 10.0
"""Rate of a slow source, RM cells included [Mbit/s]."""
FREE = 0.2
"""When the sources begin to use all that they are allowed [s]."""
DURATION = 0.4
SETTLED = 0.1
"""Well after the rise, where the slow part is looked at as a whole [s]."""
GOAL = SLOW + 1.0
"""Rate of the source and headroom [Mbit/s]."""
WAITING = "4 cells"
"""Cells that a slow source may keep waiting: those that come while its RM cells go."""
NEAR = 0.2
"""So near to the goal counts as at it [Mbit/s]."""
AGAINST_ER = tuple(f"{end} ACR over ER, ICR {ICR[1]}" for end in ("least", "largest"))


def applications(slow: float = SLOW, free: float = FREE) -> RateScheduleTraffic:
    """An application that is slow at first: it has no more than that to send, and nothing to make up for when it could
    not send (MaxSrcRate in figure 6). Of 32 cells of a source one is an FRM and one a BRM cell, so that a source of
    `slow` Mbit/s has 30/32 of that in data.
    """
    changes = [
        RateChange(at="0 s", rate=f"{slow * 30 / 32:.12g} Mbit/s"),
        RateChange(at=f"{free} s", rate=None),
    ]
    return RateScheduleTraffic(rates=changes, most_waiting=WAITING)


def abr(uili: Uili, icr: str = ICR[0], **more: Any) -> Abr:
    """The parameters of section 7.1."""
    # Crm = Min(TBE / Nrm, PCR FRTT / Nrm) = 4096 / 32. TM 4.0 would lower an ICR above TBE / FRTT, which the paper does
    # not: for its large ICR the TBE, of no other effect here, is larger.
    tbe = "4096 cells" if icr == ICR[0] else "16384 cells"
    parameters: dict[str, Any] = {
        "pcr": RATE, "icr": icr, "rif": 1, "rdf": "1/512", "nrm": 32, "mrm": 2, "trm": "100 ms", "frtt": "30 ms",
        "tcr": "10 cells/s", "tbe": tbe, "crm": 128, "cdf": "1/2", "uili": uili,
    }  # fmt: skip
    return Abr(**(parameters | more))


def scenario(
    uili: Uili,
    icr: str = ICR[0],
    *,
    sources: int = SOURCES,
    length: str = "1000 km",
    traffic: RateScheduleTraffic | None = None,
    duration: float = DURATION,
    switches: Switch | None = None,
    **more: Any,
) -> Scenario:
    names = range(1, sources + 1)
    application = traffic or applications()
    node = switches or switch()
    ends = [*((f"a{k}", "s1") for k in names), ("s1", "s2"), *(("s2", f"b{k}") for k in names)]
    return Scenario(
        title=f"{sources} slow sources, ICR {icr}, policy {uili.kind_name()}",
        rate=RATE,
        duration=f"{duration} s",
        switches={"s1": node, "s2": node},
        hosts=[*(f"a{k}" for k in names), *(f"b{k}" for k in names)],
        links=[Link(between=pair, length=length) for pair in ends],
        vcs={
            f"vc{k}": VC(
                from_=f"a{k}", to=f"b{k}", traffic=application, return_traffic=application, abr=abr(uili, icr, **more)
            )
            for k in names
        },
        record=Record(
            acr=[AbrRecord(vc=f"vc{k}") for k in names],
            er=[AbrRecord(vc=f"vc{k}") for k in names],
            queue=[QueueRecord(switch="s1", port="s2", every="1 ms")],
            throughput=[ThroughputRecord(link="a1->s1", cells="all", every="2 ms")],
        ),
    )


def vcs(result: Result) -> list[str]:
    return [f"vc{k}" for k in range(1, 1 + sum(which["vc"].startswith("vc") for which in result.observed("acr")))]


def slow_part(series: Series, start: float = 0.0) -> Series:
    return series.between(start, FREE)


def against_er(result: Result) -> tuple[float, float]:
    """Least and largest ACR over ER while the sources are slow, from the first BRM cell on."""
    ratios = []
    for vc in vcs(result):
        rate, allowed = acr(result, vc), slow_part(er(result, vc))
        # ER from the first BRM cell on; before it the series holds what the source declares itself.
        times = np.unique(np.r_[allowed.times, slow_part(rate).times])
        times = times[times >= first_answer(result, vc)]
        ratios += [rate.at(time) / allowed.at(time) for time in times]
    return (min(ratios), max(ratios)) if ratios else (float("nan"), float("nan"))


def at_large_icr(result: Result) -> dict[str, float]:
    """What `large_icr` asks, measured."""
    return dict(zip(AGAINST_ER, against_er(result), strict=True))


def large_icr(why: str) -> tuple[Quantity, ...]:
    """With ICR = PCR the policy never acts: ACR is ER."""
    return tuple(Quantity(name, "1", 0.99, 1.01, why) for name in AGAINST_ER)


def least_after_rise(result: Result) -> float:
    """ACR of all sources, from its rise until they are free [Mbit/s]."""
    series = [acr(result, vc) for vc in vcs(result)]
    return min(one.between(rise(one), FREE).min() for one in series)


def first_answer(result: Result, vc: str) -> float:
    """When the first BRM cell comes [s]."""
    allowed = er(result, vc)
    return first_time(allowed, np.isfinite(allowed.values) & (allowed.times > 0))


def rise(series: Series) -> float:
    """When ACR has risen to (99 % of) the largest value that it has while the source is slow [s]."""
    part = slow_part(series)
    return first_time(part, part.values >= 0.99 * part.max())


def arrival(series: Series, goal: float = GOAL + NEAR) -> float:
    """When ACR, after its rise, first comes down to the goal [s]; NaN if it does not before 200 ms."""
    part = slow_part(series)
    return first_time(part, (part.times > rise(series)) & (part.values <= goal))


def falls(series: Series, level: float = SLOW) -> int:
    """How often ACR, once risen, falls below a level and returns above it, while the source is slow."""
    part = slow_part(series)
    above = part.values[part.times >= rise(series)] >= level
    return int(np.sum(~above[:-1] & above[1:]))


def queue_peak(result: Result) -> float:
    """Most cells at the bottleneck after 200 ms."""
    return result.series("queue", node="s1", link="s1->s2").between(FREE, result.end).max()


def source_rate(result: Result) -> float:
    """Mean rate of the first source while slow, once it has risen [Mbit/s]."""
    return in_mbit(result.series("throughput", link="a1->s1", cells="all")).between(SETTLED, FREE).mean()


def rates(result: Result, name: str, caption: str, *, queue: bool = False) -> Figure:
    """As a panel of figure 6: the ACR of all sources, and the rate of one."""
    sent = in_mbit(result.series("throughput", link="a1->s1", cells="all"))
    others = tuple(replace(curve("", acr(result, vc), 1e-3), faint=True) for vc in vcs(result)[1:])
    lines = (*others, curve("ACR (other sources grey)", acr(result, "vc1"), 1e-3), curve("source rate", sent, 1e-3))
    panels = [Panel("Rate (Mbit/s)", lines, y_range=(0, LINE * 1.05))]
    if queue:
        cells = result.series("queue", node="s1", link="s1->s2")
        panels.append(Panel("Queue at switch 1 (cells)", (curve("", cells, 1e-3),)))
    return Figure(name, caption, "Time (ms)", tuple(panels), x_range=(0, 1e3 * DURATION))


def goal_figure(results: dict[str, Series], name: str, caption: str, start: float, end: float) -> Figure:
    """ACR of several runs around the goal."""
    lines = tuple(curve(label, series, 1e-3, start=start, end=end) for label, series in results.items())
    panel = Panel("ACR of VC 1 (Mbit/s)", lines, (Level(GOAL, "source rate + headroom"),))
    return Figure(name, caption, "Time (ms)", (panel,), x_range=(1e3 * start, 1e3 * end))
