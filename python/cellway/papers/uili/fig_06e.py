"""Figure 6(e): the time-based policy comes to the goal very slowly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellway.papers.figure import Figure
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.uili import five_sources as five
from cellway.papers.uili.setting import acr, policies
from cellway.result import Result
from cellway.scenario import Scenario, TimeBasedUili

SUM, LARGE, MAX = "floor ICR + SR", "floor ICR + SR, ICR 155.52 Mbit/s", "floor Max(ICR, TOF x SR)"
ALONE = "a single source"


def scenarios() -> Mapping[str, Scenario]:
    policy = policies(five.HEADROOM)["time-based"]
    return {
        SUM: five.scenario(policy),
        LARGE: five.scenario(policy, five.ICR[1]),
        MAX: five.scenario(TimeBasedUili(floor="max", tof=2)),
        ALONE: five.scenario(policy, sources=1),
    }


def ways(result: Result) -> list[float]:
    """From the rise to the goal, of each source [ms]."""
    series = [acr(result, vc) for vc in five.vcs(result)]
    return [1e3 * (five.arrival(one) - five.rise(one)) for one in series]


def measure(results: Results) -> Mapping[str, float]:
    return {
        "least way to the goal": min(ways(results[SUM])),
        "largest way to the goal": max(ways(results[SUM])),
        "way to the goal of a single source": max(ways(results[ALONE])),
        "floor ICR + SR": five.least_after_rise(results[SUM]),
        "floor Max(ICR, TOF x SR)": five.least_after_rise(results[MAX]),
        **five.at_large_icr(results[LARGE]),
    }


def figures(results: Results) -> Sequence[Figure]:
    return [
        five.rates(
            results[SUM],
            "rates",
            "Time-based policy, ICR 1 Mbit/s, Tc = 60 ms: an FRM cell 1.36 ms after the last one lowers ACR by 2.3 %.",
        ),
        five.goal_figure(
            {label: acr(results[label], "vc1") for label in (SUM, MAX, ALONE)},
            "floors",
            "The two floors that the proposal suggests, 11 and 20 Mbit/s here; and a single source, whose fair share is"
            " 140 Mbit/s.",
            0,
            0.2,
        ),
    ]


SLOWLY = (
    "figure 6e and section 7.1: converges very slowly, hardly before 200 ms; steps of T/Tc = 1.36/60 from 140 to 11"
    " Mbit/s take 151 ms (section 5.3)"
)
FAIR_SHARE = (
    "ACR starts lower: ERICA first grants five sources their fair share, 28 Mbit/s, and as the policy acts from then on"
    " no later feedback raises ACR. From 28 Mbit/s the same steps take 56 ms; from the 140 of a single source they take"
    " as long as in the figure"
)
NEVER = "section 5.3: the floor ICR + SR is more than PCR"
ITEM = Item(
    paper="uili",
    name="fig-06e",
    title="Slow sources with the time-based policy",
    claim="The time-based policy converges very slowly to the goal.",
    quantities=(
        Quantity("least way to the goal", "ms", 100, 190, SLOWLY, reason=FAIR_SHARE),
        Quantity("largest way to the goal", "ms", 100, 190, SLOWLY, reason=FAIR_SHARE),
        Quantity("way to the goal of a single source", "ms", 100, 190, SLOWLY),
        Quantity("floor ICR + SR", "Mbit/s", 10.8, 11.2, "section 5.3: ICR + SR = 1 + 10 Mbit/s", 11.0),
        Quantity("floor Max(ICR, TOF x SR)", "Mbit/s", 19.6, 20.4, "section 5.3: Max(1, 2 x 10 Mbit/s)", 20.0),
        *five.large_icr(NEVER),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note=(
        "Tc = Max(2 FRTT, TBE/PCR) = Max(60 ms, 11 ms). Ways to the goal with the floor ICR + SR."
        " Rule 5b is as in August 1995 (section 7.2.3 says so of this policy)."
    ),
)
