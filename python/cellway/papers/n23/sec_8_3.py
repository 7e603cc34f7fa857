"""Section 8.3: link-by-link flow control against an end-to-end window."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from cellway.papers.figure import Figure, Level, Panel, curve, marks
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.measurement import values
from cellway.papers.n23.setting import CELL_TIME, N2, RATE, R, cell_times, link, n23
from cellway.result import Result
from cellway.scenario import (
    VC,
    CbrTraffic,
    GreedyTraffic,
    Operation,
    Port,
    QueueRecord,
    Record,
    RpcTraffic,
    Scenario,
    Switch,
    ThroughputRecord,
)

START, LENGTH, DURATION = 4_000, 4_000, 12_000
"""When the cross traffic takes the whole link, for how long, and the run [cell times]."""
CASES = ((2, 1), (4, 1), (4, 2), (4, 3), (6, 3))
"""Links of the route, and the switch whose output is suddenly congested."""
SCHEMES = ("link by link", "end to end")


def window(links: int) -> RpcTraffic:
    """An end-to-end window of one round trip: so many cells on the way, each acknowledged by a cell."""
    one_cell = Operation(request="40 B", response="40 B")
    return RpcTraffic(outstanding=links * (R + 1), operations=[one_cell], think="0 s", phase="0 s", timeout=None)


def scenario(links: int, congested: int, scheme: str, buffer: str | None = None) -> Scenario:
    """A VC over `links` links; other traffic of higher priority takes the output of switch `congested`."""
    route = ["a", *(f"s{k}" for k in range(1, links)), "b"]
    onward = route[congested + 1]
    exit = "b" if onward == "b" else "y"
    long = (
        VC(from_="a", to="b", priority=1, traffic=GreedyTraffic(), credit=n23(R))
        if scheme == "link by link"
        else VC(from_="a", to="b", priority=1, traffic=window(links))
    )
    cross = CbrTraffic(rate="1 cells/cell_time", start=cell_times(START), stop=cell_times(START + LENGTH))
    return Scenario(
        title=f"Sudden congestion at switch {congested} of a route of {links} links, {scheme}",
        rate=RATE,
        duration=cell_times(DURATION),
        warmup=cell_times(START // 2),
        switches={name: Switch(port=Port(buffer=buffer)) for name in route[1:-1]},
        hosts=["a", "b", "x", *(["y"] if exit == "y" else [])],
        links=[
            *(link(*ends) for ends in itertools.pairwise(route)),
            link("x", f"s{congested}"),
            *([link(onward, "y")] if exit == "y" else []),
        ],
        vcs={"long": long, "cross": VC(from_="x", to=exit, priority=0, traffic=cross)},
        record=Record(
            queue=[QueueRecord(switch=name, vc="long") for name in route[1:-1]],
            throughput=[ThroughputRecord(link=f"{route[-2]}->b", vc="long", every=cell_times(100))],
        ),
    )


def label(links: int, congested: int, scheme: str) -> str:
    return f"{links} links, congestion at switch {congested}, {scheme}"


def scenarios() -> Mapping[str, Scenario]:
    runs = {label(*case, scheme): scenario(*case, scheme) for case in CASES for scheme in SCHEMES}
    return runs | {"end to end with link-by-link's buffers": scenario(4, 2, "end to end", f"{N2 + R} cells")}


def peak(result: Result, switch: int) -> float:
    """Most cells of the long VC in a switch."""
    return result.series("queue", node=f"s{switch}", vc="long").max()


def measure(results: Results) -> Mapping[str, float]:
    peaks = {(*case, scheme): peak(results[label(*case, scheme)], case[1]) for case in CASES for scheme in SCHEMES}

    def before(scheme: str) -> float:
        series = results[label(4, 2, scheme)].series("throughput", link="s3->b", vc="long")
        return series.between(START / 2 * CELL_TIME, START * CELL_TIME).mean() * CELL_TIME

    lossless = [results[label(*case, scheme)] for case in CASES for scheme in SCHEMES]
    return {
        **{f"{scheme}, {links} links, switch {k}": peaks[links, k, scheme] for links, k in CASES for scheme in SCHEMES},
        **{
            f"ratio, {links} links, switch {k}": peaks[links, k, "end to end"] / peaks[links, k, "link by link"]
            for links, k in CASES
        },
        **{f"throughput before, {scheme}": before(scheme) for scheme in SCHEMES},
        "cells lost": float(sum(values(result.drops, "cells").sum() for result in lossless)),
        "cells lost end to end with link-by-link's buffers": float(
            values(results["end to end with link-by-link's buffers"].drops, "cells", vc="long").sum()
        ),
    }


def figures(results: Results) -> Sequence[Figure]:
    one = {scheme: results[label(4, 2, scheme)] for scheme in SCHEMES}
    links = sorted({case[0] for case in CASES})
    last = dict(CASES)
    found = {scheme: [peak(results[label(n, last[n], scheme)], last[n]) for n in links] for scheme in SCHEMES}
    window = {"start": 3_000 * CELL_TIME, "end": 10_000 * CELL_TIME}
    return [
        Figure(
            "queue",
            "The VC's cells in switch 2 of a route of 4 links, whose output is taken by other traffic from 4000 to"
            " 8000: the window empties into this switch, link-by-link control stops each link after N2 + N3.",
            "Time (cell times)",
            (
                Panel(
                    "Cells in switch 2",
                    tuple(
                        curve(scheme, result.series("queue", node="s2", vc="long"), CELL_TIME, **window)
                        for scheme, result in one.items()
                    ),
                    (Level(N2 + R, "N2 + N3"),),
                    y_range=(0, 680),
                ),
            ),
            x_range=(3_000, 10_000),
        ),
        Figure(
            "ratio",
            "Most cells in the congested switch by the number of links of the route.",
            "Links",
            (Panel("Cells", tuple(marks(scheme, links, found[scheme]) for scheme in reversed(SCHEMES))),),
        ),
    ]


LINK = "section 8.3: one link round trip's worth; N2 + N3 = 165 and no less than 9/10 of it"
END = (
    "section 8.3: an end-to-end round trip's worth, links x 156 (theory.credit.end_to_end_buffers), and no less than"
    " 9/10 of it"
)
RATIO = "section 8.3: the ratio is the number of links, within 10 % (N2 comes on top of one round trip)"
ITEM = Item(
    paper="n23",
    name="sec-8.3",
    title="Link-by-link control against an end-to-end window",
    claim=(
        "For zero loss each switch must buffer an end-to-end round trip's worth under window control, but only one"
        " link's under link-by-link control: a ratio of the number of links."
    ),
    quantities=(
        *(Quantity(f"link by link, {links} links, switch {k}", "cells", 148, 165, LINK, 165) for links, k in CASES),
        *(
            Quantity(f"end to end, {links} links, switch {k}", "cells", 140.4 * links, 156 * links, END)
            for links, k in CASES
        ),
        *(
            Quantity(f"ratio, {links} links, switch {k}", "1", 0.9 * links, 1.1 * links, RATIO, links)
            for links, k in CASES
        ),
        *(
            Quantity(f"throughput before, {scheme}", "1", 0.999, 1.001, "section 8.3: both sized for the full link")
            for scheme in SCHEMES
        ),
        Quantity("cells lost", "cells", 0, 0, "section 8.3: lossless transmission", 0),
        Quantity(
            "cells lost end to end with link-by-link's buffers",
            "cells",
            1,
            None,
            "section 8.3: otherwise it must discard",
        ),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=(1, 2, 3),
    note=(
        "The paper argues this section and simulates nothing. The window is one end-to-end round trip of cells, each"
        " acknowledged by one cell (traffic rpc with calls of one cell and as many outstanding); traffic of higher"
        " priority takes the whole link for a while."
    ),
)
