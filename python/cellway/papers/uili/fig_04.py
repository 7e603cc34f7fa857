"""Figure 4: the joint proposal leaves the goal again, for it has no region in which increases are ignored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellway.papers.figure import Figure
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.uili import five_sources as five
from cellway.papers.uili.setting import acr, joint, policies
from cellway.scenario import Scenario


def scenarios() -> Mapping[str, Scenario]:
    return {
        "joint": five.scenario(joint()),
        "count-based": five.scenario(policies(five.HEADROOM)["count-based"]),
    }


def measure(results: Results) -> Mapping[str, float]:
    series = {label: [acr(result, vc) for vc in five.vcs(result)] for label, result in results.items()}
    after = {
        label: [one.between(five.arrival(one), five.FREE) for one in many if five.arrival(one) < five.FREE]
        for label, many in series.items()
    }
    return {
        "sources that reach the goal, joint": len(after["joint"]),
        "least ACR once there, joint": min((one.min() for one in after["joint"]), default=float("nan")),
        "least of the largest ACR once there, joint": min((one.max() for one in after["joint"]), default=float("nan")),
        "largest ACR once there, count-based": max((one.max() for one in after["count-based"]), default=float("nan")),
    }


def figures(results: Results) -> Sequence[Figure]:
    return [
        five.goal_figure(
            {label: acr(result, "vc1") for label, result in results.items()},
            "acr",
            "Joint and count-based proposal, headroom 1 Mbit/s each: the joint one ignores one feedback after a"
            " reduction and obeys the next, and so enters the danger zone again.",
            0,
            0.2,
        )
    ]


ITEM = Item(
    paper="uili",
    name="fig-04",
    title="The joint proposal against the count-based one",
    claim=(
        "A source with the joint proposal comes to the goal and re-enters the danger zone of ACR retention; with the"
        " count-based proposal it remains at the goal."
    ),
    quantities=(
        Quantity("sources that reach the goal, joint", "1", 5, 5, "section 5.4: reduces ACR to the threshold", 5),
        Quantity(
            "least ACR once there, joint",
            "Mbit/s",
            10.5,
            11.2,
            "section 5.4: the new floor, source rate + ICR, 11 Mbit/s",
            11.0,
        ),
        Quantity(
            "least of the largest ACR once there, joint",
            "Mbit/s",
            20,
            None,
            "figure 4 and section 5.4: re-enters the danger zone, far above 11 Mbit/s",
        ),
        Quantity(
            "largest ACR once there, count-based",
            "Mbit/s",
            10.8,
            11.2,
            "figure 4 and section 5.4: remains in this region until it uses its ACR",
            11.0,
        ),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note="The paper draws figure 4 by hand. The setting is that of figure 6: ICR 1 Mbit/s; TDF of the joint one 1/16.",
)
