"""Section 5.5: an aging function at the switch withdraws what sources do not use, but cannot tell idle ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cellway.papers.figure import Figure, Level, Panel, curve
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.uili import five_sources as five
from cellway.papers.uili.setting import acr, switch
from cellway.scenario import Aging, NoneUili, RateChange, RateScheduleTraffic, Scenario

IDLE_FROM = 0.1
"""When the sources of the second case fall silent [s]; they begin again at 200 ms."""


def idle() -> RateScheduleTraffic:
    slow = f"{five.SLOW * 30 / 32:.12g} Mbit/s"
    changes = [("0 s", slow), (f"{IDLE_FROM} s", "0 cells/s"), (f"{five.FREE} s", None)]
    return RateScheduleTraffic(rates=[RateChange(at=at, rate=rate) for at, rate in changes], most_waiting=five.WAITING)


def scenarios() -> Mapping[str, Scenario]:
    aging = switch(aging=Aging())
    return {
        "no policy": five.scenario(NoneUili()),
        "aging": five.scenario(NoneUili(), switches=aging),
        "aging, idle sources": five.scenario(NoneUili(), switches=aging, traffic=idle()),
    }


def measure(results: Results) -> Mapping[str, float]:
    def at(label: str, time: float) -> list[float]:
        return [acr(results[label], vc).at(time) for vc in five.vcs(results[label])]

    aged = [acr(results["aging"], vc).between(five.SETTLED, five.FREE) for vc in five.vcs(results["aging"])]
    silent = at("aging, idle sources", IDLE_FROM + 0.032)
    return {
        "largest ACR at 200 ms, aging over none": max(at("aging", 0.199)) / max(at("no policy", 0.199)),
        "least ACR, aging": min(one.min() for one in aged),
        "queue peak, aging over none": five.queue_peak(results["aging"]) / five.queue_peak(results["no policy"]),
        "least change of ACR while idle": min(
            late / early for late, early in zip(at("aging, idle sources", 0.199), silent, strict=True)
        ),
    }


def figures(results: Results) -> Sequence[Figure]:
    lines = tuple(curve(label, acr(result, "vc1"), 1e-3) for label, result in results.items())
    return [
        Figure(
            "acr",
            "ACR of VC 1: the switch sees that the source sends less than its CCR and grants less. A source that falls"
            " silent at 100 ms sends no RM cells, and hears of nothing.",
            "Time (ms)",
            (Panel("ACR (Mbit/s)", tuple(replace(line) for line in lines), (Level(five.SLOW, "source rate"),)),),
            x_range=(0, 250),
        )
    ]


ITEM = Item(
    paper="uili",
    name="sec-5.5",
    title="The switch-based policy",
    claim=(
        "An aging function at the switch withdraws the allocations of sources that retain them, but has no way to tell"
        " an idle source."
    ),
    quantities=(
        Quantity(
            "largest ACR at 200 ms, aging over none",
            "1",
            None,
            0.5,
            "section 5.5: withdraws the allocations; half is ours, the paper evaluates nothing",
        ),
        Quantity(
            "least ACR, aging",
            "Mbit/s",
            9.5,
            None,
            "section 5.5: takes what is not used, so not what is: 10 Mbit/s, less 5 % for what a switch can measure",
        ),
        Quantity("queue peak, aging over none", "1", None, 0.8, "section 5.5: allocates conservatively"),
        Quantity(
            "least change of ACR while idle",
            "1",
            0.999,
            1.001,
            "section 5.5: no way to convey this information to the idle source",
            1.0,
        ),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note=(
        "The setting is that of figure 6 with ICR 1 Mbit/s; no parameters are printed, so those are the defaults of"
        " `aging`. While idle: from 132 ms, when the last BRM cell has come back, to 199 ms."
    ),
)
