"""Figure 6(c): baseline rule 5 reaches the goal and leaves it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellway.papers.figure import Figure
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.uili import five_sources as five
from cellway.papers.uili.setting import acr, er, policies
from cellway.result import Result
from cellway.scenario import BaselineUili, Scenario

SMALL, LARGE, FREE = "ICR 1 Mbit/s", "ICR 155.52 Mbit/s", "without rule 5b"


def scenarios() -> Mapping[str, Scenario]:
    policy = policies(five.HEADROOM)["baseline"]
    return {
        SMALL: five.scenario(policy),
        LARGE: five.scenario(policy, five.ICR[1]),
        FREE: five.scenario(BaselineUili(tdf="1/8", pni=True)),
    }


def swings(result: Result) -> list[tuple[float, float, int]]:
    """Least ACR, amplitude over (ER - 11), and returns to more than halfway to ER, of each source once settled."""
    found = []
    for vc in five.vcs(result):
        series = acr(result, vc).between(five.SETTLED, five.FREE)
        allowed = er(result, vc).between(five.SETTLED, five.FREE).mean()
        halfway = (five.GOAL + allowed) / 2
        above = series.values > halfway
        returns = int((~above[:-1] & above[1:]).sum())
        found.append((series.min(), (series.max() - series.min()) / (allowed - five.GOAL), returns))
    return found


def measure(results: Results) -> Mapping[str, float]:
    each = swings(results[SMALL])
    return {
        "least of all minima": min(one[0] for one in each),
        "largest of all minima": max(one[0] for one in each),
        "least amplitude over ER - 11": min(one[1] for one in each),
        "returns to the feedback": min(one[2] for one in each),
        **five.at_large_icr(results[LARGE]),
    }


def figures(results: Results) -> Sequence[Figure]:
    return [
        five.rates(
            results[SMALL],
            "rates",
            "Baseline rule 5, ICR 1 Mbit/s: ACR comes down to source rate + headroom in steps of 1/8; there nothing"
            " keeps the next BRM cell from raising it again.",
        ),
        five.goal_figure(
            {"with rule 5b": acr(results[SMALL], "vc1"), "without (PNI set)": acr(results[FREE], "vc1")},
            "rule-5b",
            "Rule 5b ignores one BRM cell after each reduction. Without it every BRM cell takes back the last step, and"
            " ACR stays near the feedback.",
            0.1,
            0.2,
        ),
    ]


NEVER = "section 4.2: the headroom is ICR, here PCR, which ACR cannot exceed"
MINIMUM = "figure 6c: reaches the goal, 10 + 1 Mbit/s; the last step of 1/8 may end below it"
ITEM = Item(
    paper="uili",
    name="fig-06c",
    title="Slow sources with baseline rule 5",
    claim="Baseline rule 5 reaches the goal, but oscillates between the goal and the network's feedback.",
    quantities=(
        Quantity("least of all minima", "Mbit/s", 9.5, 12.5, MINIMUM, 11.0),
        Quantity("largest of all minima", "Mbit/s", 9.5, 12.5, MINIMUM, 11.0),
        Quantity(
            "least amplitude over ER - 11",
            "1",
            0.8,
            None,
            "figure 6c and section 7.1: between the goal and the network feedback",
        ),
        Quantity("returns to the feedback", "1", 2, None, "figure 6c: oscillates; from 100 to 200 ms"),
        *five.large_icr(NEVER),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note="Minima, amplitudes and returns from 100 to 200 ms; the largest and least of five sources.",
)
