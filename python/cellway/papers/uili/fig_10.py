"""Figure 10: small bursts, shorter than Nrm cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellway.papers.figure import Figure, Level, Sheet
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.uili import client_server as pair
from cellway.papers.uili.setting import acr
from cellway.result import Result
from cellway.scenario import Scenario

DURATION, SETTLED = 4.0, 2.0
"""Long enough for 20 steps of 1/8, one with every second burst or so [s]."""
FASTER = 12.0
"""Effective throughput that a burst at ICR, 10 Mbit/s, cannot have [Mbit/s]."""


def scenarios() -> Mapping[str, Scenario]:
    return {name: pair.scenario(policy, pair.SMALL, duration=DURATION) for name, policy in pair.alternatives().items()}


def faster(result: Result) -> float:
    """Part of the bursts that are sent faster than at ICR."""
    return float((pair.bursts(result, SETTLED).throughput > FASTER).mean())


def measure(results: Results) -> Mapping[str, float]:
    count = pair.bursts(results["count-based"], SETTLED).throughput
    return {
        "bursts faster than ICR, count-based": faster(results["count-based"]),
        "largest ACR, count-based": acr(results["count-based"], pair.VC_NAME, pair.BACK)
        .between(SETTLED, DURATION)
        .max(),
        "bursts faster than ICR, time-based": faster(results["time-based"]),
        "effective throughput, none over count-based": pair.throughput(results["none"], SETTLED) / float(count.mean()),
    }


def figures(results: Results) -> Sequence[Figure | Sheet]:
    shown = {label: results[label] for label in ("time-based", "count-based")}
    return [
        pair.cycles_figure(
            shown,
            "acr",
            "ACR of the server over ten cycles; grey below, while it sends. An FRM cell goes with every second burst or"
            " so, and lowers ACR.",
            10,
            (Level(10.0, "ICR"),),
            SETTLED,
        ),
        pair.table(results, "Responses of 16 cells, by policy", SETTLED),
    ]


ITEM = Item(
    paper="uili",
    name="fig-10",
    title="Small bursts",
    claim=(
        "With the count-based policy all small bursts are sent at ICR in the long run; with the time-based policy about"
        " one in three is sent faster."
    ),
    quantities=(
        Quantity(
            "bursts faster than ICR, count-based", "1", 0, 0, "section 7.2.3: all short bursts are sent out at ICR", 0.0
        ),
        Quantity(
            "largest ACR, count-based",
            "Mbit/s",
            None,
            10.5,
            "section 7.2.3: all short bursts are sent out at ICR, 10 Mbit/s; SR is nearly zero besides",
            10.0,
        ),
        Quantity(
            "bursts faster than ICR, time-based",
            "1",
            0.2,
            0.45,
            "figure 10 and section 7.2.3: on the average one out of every three bursts is sent at a higher rate",
            1 / 3,
        ),
        pair.LONGER,
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    note="Responses of 16 cells; bursts after 2 s. Faster than ICR: an effective throughput of more than 12 Mbit/s.",
)
