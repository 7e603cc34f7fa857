"""Figure 6(a): without a policy ACR stays at the explicit rate, whether it is used or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellway.papers.figure import Figure, Panel, curve
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.uili import five_sources as five
from cellway.papers.uili.setting import policies
from cellway.scenario import Scenario

POLICIES = ("none", "count-based")


def scenarios() -> Mapping[str, Scenario]:
    chosen = policies(five.HEADROOM)
    return {f"{name}, ICR {icr}": five.scenario(chosen[name], icr) for icr in five.ICR for name in POLICIES}


def measure(results: Results) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for icr in five.ICR:
        none, count = (results[f"{name}, ICR {icr}"] for name in POLICIES)
        least, largest = five.against_er(none)
        found |= {
            f"least ACR over ER, ICR {icr}": least,
            f"largest ACR over ER, ICR {icr}": largest,
            f"source rate before 200 ms, ICR {icr}": five.source_rate(none),
            f"queue peak over that of count-based, ICR {icr}": five.queue_peak(none) / five.queue_peak(count),
        }
    return found


def figures(results: Results) -> Sequence[Figure]:
    none, count = (results[f"{name}, ICR {five.ICR[0]}"] for name in POLICIES)
    queues = {
        "no policy": none.series("queue", node="s1", link="s1->s2"),
        "count-based": count.series("queue", node="s1", link="s1->s2"),
    }
    return [
        five.rates(
            none,
            "rates",
            "No policy, ICR 1 Mbit/s: ACR is what the network last allowed, far above the 10 Mbit/s that are sent. At"
            " 200 ms all sources use it at once.",
        ),
        Figure(
            "queue",
            "Cells at the bottleneck, mean over 1 ms: what five sources send in a feedback delay at rates that they had"
            " retained, and with the count-based policy.",
            "Time (ms)",
            (Panel("Queue (cells)", tuple(curve(label, one, 1e-3) for label, one in queues.items())),),
            x_range=(150, 400),
        ),
    ]


RETAINED = "figure 6a and section 7.1: ACR is what the network allows, much larger than the source rate"
ITEM = Item(
    paper="uili",
    name="fig-06a",
    title="Slow sources without a policy",
    claim=(
        "Without a policy ACR stays at the explicit rate though the source sends 10 Mbit/s; at 200 ms the sources jump"
        " to it and overload the network."
    ),
    quantities=tuple(
        quantity
        for icr in five.ICR
        for quantity in (
            Quantity(f"least ACR over ER, ICR {icr}", "1", 0.99, 1.01, RETAINED, 1.0),
            Quantity(f"largest ACR over ER, ICR {icr}", "1", 0.99, 1.01, RETAINED, 1.0),
            Quantity(
                f"source rate before 200 ms, ICR {icr}",
                "Mbit/s",
                9.8,
                10.2,
                "section 7.1: source-bottlenecked at 10 Mbit/s, 10 Mbit/s in figure 6",
                10.0,
            ),
            Quantity(
                f"queue peak over that of count-based, ICR {icr}",
                "1",
                10,
                None,
                "section 7.1: at 200 ms the source rate jumps to ACR and results in network overload; the policy is"
                " there to prevent it (section 2)",
            ),
        )
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note=(
        "The rate of a source includes its RM cells: an FRM and a BRM cell of 32. Queue: the largest number of cells at"
        " switch 1's output between 200 and 400 ms."
    ),
)
