"""Figure 6(b): the proposal of August 1995 oscillates, for its floor is below the rate of the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellway.papers.figure import Figure
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.uili import five_sources as five
from cellway.papers.uili.setting import acr, policies
from cellway.scenario import August1995Uili, Scenario

SMALL, LARGE, OTHER = "ICR 1 Mbit/s", "ICR 155.52 Mbit/s", "RDF read as 512"


def scenarios() -> Mapping[str, Scenario]:
    policy = policies(five.HEADROOM)["August 1995"]
    return {
        SMALL: five.scenario(policy),
        LARGE: five.scenario(policy, five.ICR[1]),
        OTHER: five.scenario(August1995Uili(tof=2, tdff=0.125, rdf="divisor")),
    }


def measure(results: Results) -> Mapping[str, float]:
    small = results[SMALL]
    return {
        "falls below 10 Mbit/s, with return": min(five.falls(acr(small, vc)) for vc in five.vcs(small)),
        "least ACR": five.least_after_rise(small),
        "least ACR, RDF read as 512": five.least_after_rise(results[OTHER]),
        **five.at_large_icr(results[LARGE]),
    }


def figures(results: Results) -> Sequence[Figure]:
    return [
        five.rates(
            results[SMALL],
            "rates",
            "August 1995, ICR 1 Mbit/s: each time an FRM cell goes, ACR falls to ICR, below what the source needs; the"
            " BRM cell after the next raises it again.",
        ),
        five.goal_figure(
            {"RDF = 1/512": acr(results[SMALL], "vc1"), "RDF read as 512": acr(results[OTHER], "vc1")},
            "readings",
            "The two readings of RDF in the formula of TDF: 3.4e7/s takes ACR to ICR at once, as the paper describes;"
            " 128/s leaves it above 10 Mbit/s.",
            0.1,
            0.15,
        ),
    ]


NEVER = "section 3: rule 5 acts only where ACR exceeds ICR, here PCR"
ITEM = Item(
    paper="uili",
    name="fig-06b",
    title="Slow sources with the proposal of August 1995",
    claim=(
        "The proposal of August 1995 oscillates: its floor, ICR = 1 Mbit/s, is below the rate of the source, so ACR"
        " falls below 10 Mbit/s and returns, again and again."
    ),
    quantities=(
        Quantity(
            "falls below 10 Mbit/s, with return",
            "1",
            3,
            None,
            "figure 6b and section 7.1: oscillatory behaviour before 200 ms; again and again is three times or more",
        ),
        Quantity("least ACR", "Mbit/s", 0.99, 1.01, "sections 3 and 5.2.3: the floor is ICR, 1 Mbit/s", 1.0),
        Quantity(
            "least ACR, RDF read as 512",
            "Mbit/s",
            10,
            None,
            "section 3: at TDF = 128/s and T = 1.36 ms a step of 17 %, only while ACR exceeds TOF times the source"
            " rate, 20 Mbit/s",
        ),
        *five.large_icr(NEVER),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note=(
        "TDF is TDFF / RDF x the smallest power of 2 that is PCR or more, with TDFF = 1/8 and PCR = 366792 cells/s. The"
        " figure needs RDF as the fraction 1/512; while ACR is less than the source's rate, its cells wait in the host."
    ),
)
