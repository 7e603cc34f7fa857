"""Figure 20: data and credit cells compete on a link that is used in both directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellway.papers.figure import Figure, Level, Panel, curve, marks
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.measurement import value
from cellway.papers.n23.setting import CELL_TIME, RATE, R, cell_times, link, n23
from cellway.scenario import VC, GreedyTraffic, Record, Scenario
from cellway.theory.credit import opposed_rates

DURATION, WARMUP = 50_000, 5_000
N2 = (5, 10, 20)
DIRECTIONS = {"one way": "s1->b", "the other way": "b->s1"}


def scenario(n2: int = 10, n3: int = R, duration: int = DURATION) -> Scenario:
    return Scenario(
        title="Two greedy VCs in opposite directions",
        rate=RATE,
        duration=cell_times(duration),
        warmup=cell_times(WARMUP),
        switches=["s1"],
        hosts=["a", "b"],
        links=[link("a", "s1"), link("s1", "b")],
        vcs={
            "vc1": VC(from_="a", to="b", traffic=GreedyTraffic(), credit=n23(n3, n2)),
            "vc2": VC(from_="b", to="a", traffic=GreedyTraffic(), credit=n23(n3, n2)),
        },
        record=Record(trace=["s1->b"]),
    )


def scenarios() -> Mapping[str, Scenario]:
    return {f"N2 = {n2}": scenario(n2) for n2 in N2}


def measure(results: Results) -> Mapping[str, float]:
    def data(n2: int, direction: str) -> float:
        return value(results[f"N2 = {n2}"].links, "data_utilisation", link=DIRECTIONS[direction])

    def use(direction: str) -> float:
        return value(results["N2 = 10"].links, "utilisation", link=DIRECTIONS[direction])

    return {
        **{f"data {way}": data(10, way) for way in DIRECTIONS},
        **{f"credit {way}": use(way) - data(10, way) for way in DIRECTIONS},
        "link in use": use("one way"),
        "data with N2 = 5": data(5, "one way"),
        "data with N2 = 20": data(20, "one way"),
    }


def figures(results: Results) -> Sequence[Figure]:
    result = results["N2 = 10"]
    measured = [value(results[f"N2 = {n2}"].links, "data_utilisation", link="s1->b") for n2 in N2]
    window = {"start": 0.0, "end": 1000 * CELL_TIME}
    return [
        Figure(
            "bandwidth",
            "One direction of the link, averaged over 25 cell times: data of one VC and credit cells of the other share"
            " it 10 to 1.",
            "Time (cell times)",
            (
                Panel(
                    "Fraction of link",
                    (
                        curve("data of VC1", result.bandwidth("s1->b", vc="vc1"), CELL_TIME, **window),
                        curve("credit cells of VC2", result.bandwidth("s1->b", cells="credit"), CELL_TIME, **window),
                    ),
                    (Level(10 / 11, "N2/(N2 + 1)"),),
                    y_range=(0, 1.05),
                ),
            ),
            x_range=(0, 1000),
        ),
        Figure(
            "n2",
            "Data in each direction for several N2.",
            "N2 (cells)",
            (
                Panel(
                    "Fraction of link",
                    (
                        marks("measured", N2, measured),
                        marks("N2/(N2 + 1)", range(1, 26), [opposed_rates(n2, n2)[0] for n2 in range(1, 26)]),
                    ),
                    y_range=(0, 1.05),
                ),
            ),
        ),
    ]


DATA = "section 7.4: B1 = 1 - B2/N2 and B2 = 1 - B1/N2, so N2/(N2 + 1) (theory.credit.opposed_rates)"
ITEM = Item(
    paper="n23",
    name="fig-20",
    title="Credit and data compete",
    claim=(
        "Where two VCs run against each other over one link, data takes N2/(N2 + 1) = 91 % of each direction and credit"
        " 9 %."
    ),
    quantities=(
        Quantity("data one way", "1", 0.907, 0.911, DATA, 0.91),
        Quantity("data the other way", "1", 0.907, 0.911, DATA, 0.91),
        Quantity("credit one way", "1", 0.089, 0.093, "section 7.4: 9 %", 0.09),
        Quantity("credit the other way", "1", 0.089, 0.093, "section 7.4: 9 %", 0.09),
        Quantity(
            "link in use", "1", 0.999, 1.001, "section 7.4: only competition with credit prevents full speed", 1.0
        ),
        Quantity("data with N2 = 5", "1", 0.8313, 0.8353, DATA + "; not in the paper"),
        Quantity("data with N2 = 20", "1", 0.9504, 0.9544, DATA + "; not in the paper"),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note=(
        "The paper's sketch is not preserved: host, switch, host, both VCs over both links. Credit cells have priority"
        " over data (section 7.4)."
    ),
)
