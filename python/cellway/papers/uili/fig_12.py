"""Figure 12: large bursts, longer than the round trip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellway.papers.figure import Figure, Sheet
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.uili import client_server as pair
from cellway.scenario import Scenario

LONG = 8.0
"""At 1 Mbit/s a burst takes 3.5 s."""
AUGUST_LOW = f"August 1995, ICR {pair.LOW_ICR}"


def scenarios() -> Mapping[str, Scenario]:
    chosen = pair.alternatives()
    runs = {name: pair.scenario(policy, pair.LARGE) for name, policy in chosen.items()}
    slow = pair.scenario(chosen["August 1995"], pair.LARGE, pair.LOW_ICR, duration=LONG)
    return runs | {AUGUST_LOW: slow}


def measure(results: Results) -> Mapping[str, float]:
    each = {label: pair.bursts(result) for label, result in results.items()}
    return {
        "reductions per burst, August 1995, ICR 1 Mbit/s": float(each[AUGUST_LOW].triggers.mean()),
        "reductions per burst, time-based": float(each["time-based"].triggers.mean()),
        "reductions per burst, count-based": float(each["count-based"].triggers.mean()),
        "effective throughput, August 1995 at ICR 1 Mbit/s over none": (
            float(each[AUGUST_LOW].throughput.mean() / each["none"].throughput.mean())
        ),
    }


def figures(results: Results) -> Sequence[Figure | Sheet]:
    shown = {label: results[label] for label in (AUGUST_LOW, "time-based", "count-based")}
    return [
        pair.cycles_figure(
            shown,
            "acr",
            "ACR of the server over two cycles; grey below, while it sends. At a low ICR the proposal of August 1995"
            " takes each increase for a rate that is not used.",
            2,
        ),
        pair.table(results, "Responses of 8192 cells, by policy"),
    ]


ONCE = "section 7.2.5: it triggers once when the burst starts"
RISE = (
    "every burst has the reduction at its start, of more than half; in about one of four the feedback raises ACR by"
    " more than ICR just before an FRM cell, whose SR is then still the old one: a second reduction, by less than 1 %"
)
ITEM = Item(
    paper="uili",
    name="fig-12",
    title="Large bursts",
    claim=(
        "At a low ICR the proposal of August 1995 triggers repeatedly during a large burst, which makes it slow; the"
        " time-based and the count-based policy trigger once, when the burst starts."
    ),
    quantities=(
        Quantity(
            "reductions per burst, August 1995, ICR 1 Mbit/s",
            "1",
            2,
            None,
            "figure 12 and section 7.2.5: if ICR is very low, UILI triggers multiple times during the burst",
        ),
        Quantity("reductions per burst, time-based", "1", 0.9, 1.1, ONCE, 1.0, reason=RISE),
        Quantity("reductions per burst, count-based", "1", 0.9, 1.1, ONCE, 1.0),
        Quantity(
            "effective throughput, August 1995 at ICR 1 Mbit/s over none",
            "1",
            None,
            0.9,
            "section 7.2.5: low effective throughput and high burst response time",
        ),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    note="Responses of 8192 cells; bursts after 0.5 s. A very low ICR is 1 Mbit/s here; for the rest ICR is 10 Mbit/s.",
)
