"""Section 6: the time-out of the final standard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellway.papers.figure import Figure, Level, Panel, curve
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.uili import five_sources as five
from cellway.papers.uili.setting import acr, er
from cellway.result import Result
from cellway.scenario import NoneUili, RateChange, RateScheduleTraffic, Scenario

IDLE_FROM = 0.1
"""When the sources fall silent [s]."""
IDLE = (0.3, 0.7)
"""How long: less and more than the time-out of 500 ms [s]."""
AFTER = 0.1
"""How long the runs go on [s]."""


def burst(idle: float) -> RateScheduleTraffic:
    slow = f"{five.SLOW * 30 / 32:.12g} Mbit/s"
    changes = [("0 s", slow), (f"{IDLE_FROM} s", "0 cells/s"), (f"{IDLE_FROM + idle} s", None)]
    return RateScheduleTraffic(rates=[RateChange(at=at, rate=rate) for at, rate in changes], most_waiting=five.WAITING)


def label(idle: float) -> str:
    return f"idle for {1e3 * idle:g} ms"


def scenarios() -> Mapping[str, Scenario]:
    return {
        label(idle): five.scenario(NoneUili(), traffic=burst(idle), duration=IDLE_FROM + idle + AFTER, adtf="500 ms")
        for idle in IDLE
    }


def restart(result: Result, idle: float) -> list[float]:
    """ACR of each source 3 ms after it begins again, before any feedback of that [Mbit/s]."""
    return [acr(result, vc).at(IDLE_FROM + idle + 0.003) for vc in five.vcs(result)]


def measure(results: Results) -> Mapping[str, float]:
    short, long = (results[label(idle)] for idle in IDLE)
    allowed = [er(short, vc).at(IDLE_FROM + IDLE[0]) for vc in five.vcs(short)]
    kept = [rate / one for rate, one in zip(restart(short, IDLE[0]), allowed, strict=True)]
    return {
        "least ACR over ER after 300 ms": min(kept),
        "largest ACR over ER after 300 ms": max(kept),
        "least ACR after 700 ms": min(restart(long, IDLE[1])),
        "largest ACR after 700 ms": max(restart(long, IDLE[1])),
        "queue peak, 300 ms over 700 ms": peak(short, IDLE[0]) / peak(long, IDLE[1]),
    }


def peak(result: Result, idle: float) -> float:
    return result.series("queue", node="s1", link="s1->s2").between(IDLE_FROM + idle, result.end).max()


def figures(results: Results) -> Sequence[Figure]:
    panels = tuple(
        Panel("ACR (Mbit/s)", (curve(name, acr(result, "vc1"), 1e-3),), (Level(1.0, "ICR"),))
        for name, result in results.items()
    )
    return [
        Figure(
            "acr",
            "ACR of VC 1, idle from 100 ms on for 300 and for 700 ms: only after the longer silence its first FRM cell"
            " sets ACR to ICR.",
            "Time (ms)",
            panels,
            x_range=(0, 900),
        )
    ]


KEPT = "section 6: sources keep their rate allocations until a time-out of the order of 500 ms expires"
LOST = "section 6: after the time-out expires, ACR is reduced to ICR, 1 Mbit/s"
ITEM = Item(
    paper="uili",
    name="sec-6",
    title="The time-out of the standard",
    claim="Sources keep their allocations for 500 ms of silence (ADTF); then ACR is ICR.",
    quantities=(
        Quantity("least ACR over ER after 300 ms", "1", 0.99, 1.01, KEPT, 1.0),
        Quantity("largest ACR over ER after 300 ms", "1", 0.99, 1.01, KEPT, 1.0),
        Quantity("least ACR after 700 ms", "Mbit/s", 0.99, 1.01, LOST, 1.0),
        Quantity("largest ACR after 700 ms", "Mbit/s", 0.99, 1.01, LOST, 1.0),
        Quantity(
            "queue peak, 300 ms over 700 ms",
            "1",
            2,
            None,
            "section 5.5: idle sources which become active before the timeout expires may still overload the network",
        ),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note="The paper simulates nothing of this. The setting is that of figure 6 with ICR 1 Mbit/s and no other policy.",
)
