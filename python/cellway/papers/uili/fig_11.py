"""Figure 11: medium bursts, longer than Nrm cells and shorter than the round trip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellway.papers.figure import Figure, Sheet
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.uili import client_server as pair
from cellway.scenario import Scenario


def scenarios() -> Mapping[str, Scenario]:
    return {name: pair.scenario(policy, pair.MEDIUM) for name, policy in pair.alternatives().items()}


def measure(results: Results) -> Mapping[str, float]:
    count, time = (pair.bursts(results[label]) for label in ("count-based", "time-based"))
    return {
        "effective throughput, count-based": float(count.throughput.mean()),
        "effective throughput, time-based": float(time.throughput.mean()),
        "reductions per burst, count-based": float(count.triggers.mean()),
        "reductions per burst, time-based": float(time.triggers.mean()),
        "effective throughput, none over count-based": (
            pair.throughput(results["none"]) / float(count.throughput.mean())
        ),
    }


def figures(results: Results) -> Sequence[Figure | Sheet]:
    shown = {label: results[label] for label in ("time-based", "count-based")}
    return [
        pair.cycles_figure(
            shown,
            "acr",
            "ACR of the server over four cycles; grey below, while it sends. The first FRM cell of a burst lowers ACR"
            " by the idle time over Tc, or by 1/8; the feedback of the burst comes when it is over.",
            4,
        ),
        pair.table(results, "Responses of 256 cells, by policy"),
    ]


ONCE = "figure 11 and section 7.2.4: the mechanism triggers once when the first RM cell is sent"
ITEM = Item(
    paper="uili",
    name="fig-11",
    title="Medium bursts",
    claim=(
        "The count-based policy sends medium bursts at almost ACR x (1 - TDF), near 120 Mbit/s; the time-based policy,"
        " whose decrease grows with the idle time, at about 68 Mbit/s."
    ),
    quantities=(
        Quantity(
            "effective throughput, count-based",
            "Mbit/s",
            102,
            138,
            "section 7.2.4: 120 Mbit/s; within 15 %, for the cycles' idle times are not printed",
            120.0,
        ),
        Quantity(
            "effective throughput, time-based",
            "Mbit/s",
            57.8,
            78.2,
            "section 7.2.4: 68 Mbit/s; within 15 %, for the cycles' idle times are not printed",
            68.0,
        ),
        Quantity("reductions per burst, count-based", "1", 0.9, 1.1, ONCE, 1.0),
        Quantity("reductions per burst, time-based", "1", 0.9, 1.1, ONCE, 1.0),
        pair.LONGER,
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    note="Responses of 256 cells; bursts after 0.5 s. Tc = 2 FRTT = 30 ms.",
)
