"""Figure 9: a client and a server beside an infinite source; closed-loop cycles of a request and a response."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cellway.papers.figure import Figure, Level, Panel, Sheet, curve, sheet
from cellway.papers.item import Quantity
from cellway.papers.uili.setting import LINE, MBIT, RATE, Floats, acr, policies, reductions, switch
from cellway.result import Result
from cellway.scenario import (
    VC,
    Abr,
    AbrRecord,
    BurstsRecord,
    GreedyTraffic,
    Link,
    Operation,
    Record,
    RpcTraffic,
    Scenario,
    Uili,
)

ICR, LOW_ICR = "10 Mbit/s", "1 Mbit/s"
HEADROOM = "10 Mbit/s"
SMALL, MEDIUM, LARGE = 16, 256, 8192
REQUEST = 16
CYCLE = "1 ms"
"""Inter-cycle time."""
DURATION = 2.0
SETTLED = 0.5
"""Bursts before are left out [s], unless a figure says otherwise."""
VC_NAME, BACK = "client", "return"


def octets(cells: int) -> str:
    """An AAL5 frame of so many cells."""
    return f"{48 * cells - 8} B"


def abr(uili: Uili, icr: str = ICR, **more: Any) -> Abr:
    """The parameters of section 7.2.2; RIF = 1 as in 7.1, to maximise ACR."""
    parameters: dict[str, Any] = {
        "icr": icr, "rif": 1, "rdf": "1/512", "tcr": "10 cells/s", "trm": "100 ms", "tbe": "512 cells", "cdf": 0,
        "uili": uili,
    }  # fmt: skip
    return Abr(**(parameters | more))


def scenario(
    uili: Uili,
    response: int,
    icr: str = ICR,
    *,
    request: int = REQUEST,
    cycle: str = CYCLE,
    length: str = "500 km",
    duration: float = DURATION,
    **more: Any,
) -> Scenario:
    cycles = RpcTraffic(
        operations=[Operation(request=octets(request), response=octets(response))],
        think=cycle, think_distribution="deterministic", service="0 s", service_distribution="deterministic",
        timeout=None, phase="0 s",
    )  # fmt: skip
    ends = [("c", "s1"), ("x", "s1"), ("s1", "s2"), ("s2", "d"), ("s2", "y")]
    node = switch()
    service = abr(uili, icr, **more)
    return Scenario(
        title=f"Responses of {response} cells, ICR {icr}, policy {uili.kind_name()}",
        rate=RATE,
        duration=f"{duration} s",
        switches={"s1": node, "s2": node},
        hosts=["c", "d", "x", "y"],
        links=[Link(between=pair, length=length) for pair in ends],
        vcs={
            VC_NAME: VC(from_="c", to="d", traffic=cycles, abr=service),
            "infinite": VC(
                from_="x", to="y", traffic=GreedyTraffic(), return_traffic=GreedyTraffic(), abr=abr(uili, icr, **more)
            ),
        },
        record=Record(
            acr=[AbrRecord(vc=VC_NAME, direction=BACK)],
            er=[AbrRecord(vc=VC_NAME, direction=BACK)],
            bursts=[BurstsRecord(vc=VC_NAME)],
        ),
    )


LONGER = Quantity(
    "effective throughput, none over count-based",
    "1",
    1,
    None,
    "section 7.2: when a policy works, a source restarts from low rates and bursts take longer",
)


def alternatives() -> dict[str, Uili]:
    return policies(HEADROOM)


@dataclass(frozen=True)
class Bursts:
    """The responses from some time on."""

    offered: Floats
    """When each was offered to the server's host [s]."""
    response: Floats
    """Burst response times: to the end of the last cell on the server's line [s]."""
    throughput: Floats
    """Effective throughputs [Mbit/s]."""
    triggers: Floats
    """How often the policy lowered ACR during each burst."""


def bursts(result: Result, start: float = SETTLED) -> Bursts:
    found = result.bursts(VC_NAME, direction=BACK)
    keep = found.offered >= start
    offered, response = found.offered[keep], found.response[keep]
    times = reductions(result, VC_NAME, BACK)
    # The reduction comes at the instant at which the line takes the FRM cell.
    triggers = np.searchsorted(times, offered + response, "right") - np.searchsorted(times, offered, "left")
    return Bursts(offered, response, found.cells[keep] * MBIT / response, triggers.astype(np.float64))


def throughput(result: Result, start: float = SETTLED) -> float:
    """Mean effective throughput of the responses [Mbit/s]."""
    return float(bursts(result, start).throughput.mean())


def table(results: Mapping[str, Result], caption: str, start: float = SETTLED) -> Sheet:
    """Burst response time and effective throughput by policy."""
    rows = []
    for label, result in results.items():
        found = bursts(result, start)
        rows.append(
            (
                label,
                len(found.response),
                f"{1e3 * found.response.mean():.4g}",
                f"{found.throughput.mean():.4g}",
                f"{found.throughput.min():.4g}",
                f"{found.throughput.max():.4g}",
                f"{found.triggers.mean():.3g}",
            )
        )
    head = (
        "policy", "bursts", "response time (ms)", "effective throughput (Mbit/s)", "least", "largest",
        "reductions per burst",
    )  # fmt: skip
    return sheet(caption, head, rows)


def cycles_figure(
    results: Mapping[str, Result],
    name: str,
    caption: str,
    count: int,
    levels: Sequence[Level] = (),
    start: float = SETTLED,
) -> Figure:
    """ACR of the server over some cycles, a panel for each result, from the offer of a burst on."""
    panels, spans = [], []
    for label, result in results.items():
        found = bursts(result, start)
        first, last = found.offered[0], found.offered[min(count, len(found.offered) - 1)]
        line = curve(label, acr(result, VC_NAME, BACK), 1e-3, start=first, end=last)
        starts = found.offered[(found.offered >= first) & (found.offered < last)]
        busy_x = np.repeat(np.column_stack([starts, starts + found.response[: len(starts)]]).ravel(), 2)
        busy_y = np.tile([0.0, 1.0, 1.0, 0.0], len(starts)) * 0.06 * LINE
        sending = type(line)("sending", (busy_x - first) * 1e3, busy_y, "line", True)
        moved = type(line)(line.label, line.x - first * 1e3, line.y, line.style)
        panels.append(Panel("ACR (Mbit/s)", (sending, moved), tuple(levels), y_range=(0, LINE * 1.05)))
        spans.append(1e3 * (last - first))
    return Figure(name, caption, "Time (ms)", tuple(panels), x_range=(0, min(spans)))
