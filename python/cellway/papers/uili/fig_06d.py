"""Figure 6(d): the count-based policy comes to the goal quickly and stays there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellway.papers.figure import Figure
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.uili import five_sources as five
from cellway.papers.uili.setting import acr, policies
from cellway.result import Result
from cellway.scenario import Scenario


def scenarios() -> Mapping[str, Scenario]:
    policy = policies(five.HEADROOM)["count-based"]
    return {f"ICR {icr}": five.scenario(policy, icr) for icr in five.ICR}


def at_goal(result: Result) -> tuple[float, float, float, float]:
    """The longest way to the goal [s], and from then on least and largest ACR and largest swing of a source."""
    ways, lows, highs = [], [], []
    for vc in five.vcs(result):
        series = acr(result, vc)
        come = five.arrival(series)
        rest = series.between(come, five.FREE) if come == come else five.slow_part(series)
        ways.append(come - five.rise(series))
        lows.append(rest.min())
        highs.append(rest.max())
    return max(ways), min(lows), max(highs), max(high - low for low, high in zip(lows, highs, strict=True))


def measure(results: Results) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for icr in five.ICR:
        way, low, high, swing = at_goal(results[f"ICR {icr}"])
        found |= {
            f"from the rise to the goal, ICR {icr}": 1e3 * way,
            f"least ACR from then on, ICR {icr}": low,
            f"largest ACR from then on, ICR {icr}": high,
            f"swing from then on, ICR {icr}": swing,
        }
    return found


def figures(results: Results) -> Sequence[Figure]:
    return [
        five.rates(
            results[f"ICR {icr}"],
            name,
            f"Count-based policy, ICR {icr}, headroom 1 Mbit/s: ACR falls by 1/8 with each FRM cell to source rate +"
            " headroom, and the network's feedback does not raise it while it is not used.",
        )
        for icr, name in zip(five.ICR, ("rates", "large-icr"), strict=True)
    ]


GOAL = "figure 6d and section 7.1: reaches the goal, 10 + 1 Mbit/s, and has no oscillations there"
NO_BRM = (
    "the application is limited in data, to 30 of 32 cells of 10 Mbit/s. Around the first round trip few BRM cells go:"
    " 31 data cells between two FRM cells make SR 9.68 Mbit/s, and the policy stays where SR + headroom then was"
)
ITEM = Item(
    paper="uili",
    name="fig-06d",
    title="Slow sources with the count-based policy",
    claim="The count-based policy converges quickly to source rate + headroom and does not oscillate there.",
    quantities=tuple(
        quantity
        for icr in five.ICR
        for quantity in (
            Quantity(
                f"from the rise to the goal, ICR {icr}",
                "ms",
                0,
                30,
                "figure 6d: converges quickly; 19 steps of 1/8 from 140 to 11 Mbit/s, one with each 32 cells of 10"
                " Mbit/s, are 26 ms (section 5.2.1)",
            ),
            Quantity(f"least ACR from then on, ICR {icr}", "Mbit/s", 10.8, 11.2, GOAL, 11.0, reason=NO_BRM),
            Quantity(f"largest ACR from then on, ICR {icr}", "Mbit/s", 10.8, 11.2, GOAL, 11.0),
            Quantity(f"swing from then on, ICR {icr}", "Mbit/s", 0, 0.5, GOAL, 0.0),
        )
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note=(
        "The rise ends when ACR comes to 99 % of its largest value before 200 ms; the goal is reached at 11.2 Mbit/s."
        " The worst of five sources counts."
    ),
)
