"""What the experiments of the GFR paper share: N TCP sources over two switches (figure 2), and what is measured.

    src1 ──┐                          ┌── dst1
     ...   s1 ── 149.7 Mbit/s, 5 ms ── s2   ...       every link 5 ms and 149.7 Mbit/s of cells
    srcN ──┘                          └── dstN

The port of s1 towards s2 is the bottleneck and the only one whose buffer fills; what the paper varies is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cellway.papers.measurement import values
from cellway.result import Result
from cellway.scenario import VC, FrameGcraPolice, Link, Port, Record, Sack1Congestion, Scenario, Switch, TcpTraffic
from cellway.theory.tcp import CELL_BITS, goodput_bound, line_rate_for, segment_cells

Floats = NDArray[np.float64]

RATE = 149.7e6
"""Peak cell rate after the SONET overhead of 155.52 Mbit/s [bit/s of cells], as the paper gives it (exactly 149.76)."""
MSS = 1024
"""Data of a segment [octets]."""
WINDOW = 600_000
"""Largest window [octets]: 160 Mbit/s at the round trip of 30 ms."""
BOUND = goodput_bound(RATE, MSS)
"""Most goodput of all sources together [bit/s]: 125.75 Mbit/s."""
FRAME = segment_cells(MSS)
"""Cells of a segment: 23."""
DURATION = "20 s"
CLASSES = (2.6, 5.3, 8.0, 10.7, 13.5)
"""Targets of the five classes [Mbit/s of goodput]."""
BUFFERS = (12_000, 24_000)
"""Cells of the bottleneck's buffer: about one and two round trips. Section 5.1 names both, section 5.2 none."""
R_EPD = 0.9
"""Threshold of EPD and Selective Drop as a part of the buffer; UBR+ paper, as Z = 0.8."""
R_WBA = 0.5
"""Threshold of WBA, and of tagged frames where there is no accounting; section 5.2."""


def tcp(**more: Any) -> TcpTraffic:
    """A greedy source as in section 4, otherwise as the documents of its time have it: sack1 (Fall and Floyd 1996),
    slow start up to 65535 octets (RFC 2001), a shortest time-out of two ticks (4.3BSD; "fractions of a second", RFC
    1122), ticks of 100 ms.
    """
    return TcpTraffic(
        mss=f"{MSS} B",
        window=f"{WINDOW} B",
        congestion=Sack1Congestion(),
        delayed_ack=False,
        ssthresh="65535 B",
        granularity="100 ms",
        min_rto="200 ms",
        **more,
    )


def mcr(target: float) -> str:
    """The cell rate that carries a goodput of `target` Mbit/s: the contract of a VC."""
    return f"{line_rate_for(target * 1e6, MSS) / CELL_BITS:.6f} cells/s"


def tagging() -> FrameGcraPolice:
    """Section 3.1: GCRA of MCR with a limit of BT/2 + CDVT; MBS is twice the largest frame, CDVT one cell time."""
    return FrameGcraPolice(mbs=f"{2 * FRAME} cells", cdvt="1 cell_times", action="tag")


def network(vcs: Mapping[str, VC], n: int, port: Port, duration: str = DURATION, title: str = "") -> Scenario:
    """Figure 2 with these VCs, from `src` to `dst`."""
    src, dst = f"src[1..{n}]", f"dst[1..{n}]"
    return Scenario(
        title=title,
        rate=f"{RATE / 1e6} Mbit/s",
        duration=duration,
        switches={"s1": Switch(ports={"s2": port}), "s2": Switch()},
        hosts=[src, dst],
        links=[
            Link(between=[src, "s1"], delay="5 ms"),
            Link(between=["s1", "s2"], delay="5 ms"),
            Link(between=["s2", dst], delay="5 ms"),
        ],
        vcs=vcs,
        record=Record(),
    )


def equal(n: int, port: Port, duration: str = DURATION, title: str = "") -> Scenario:
    """N equal sources."""
    vc = VC(from_=f"src[1..{n}]", to=f"dst[1..{n}]", traffic=tcp())
    return network({f"vc[1..{n}]": vc}, n, port, duration, title)


def unequal(
    port: Port,
    tagged: bool,
    duration: str = DURATION,
    title: str = "",
    classes: Sequence[float] = CLASSES,
    each: int = 3,
) -> Scenario:
    """Classes of `each` sources with targets of their own."""
    vcs = {}
    for k, target in enumerate(classes):
        some = f"[{k * each + 1}..{(k + 1) * each}]"
        police = tagging() if tagged else None
        vcs[f"vc{some}"] = VC(from_=f"src{some}", to=f"dst{some}", mcr=mcr(target), police=police, traffic=tcp())
    return network(vcs, each * len(classes), port, duration, title)


def goodputs(result: Result) -> Floats:
    """Goodput of each connection [Mbit/s], in the order of the VCs: data delivered in order over the whole run."""
    return values(result.tables["tcp"], "goodput") / 1e6


def efficiency(result: Result) -> float:
    """Goodput of all as a part of what the protocols allow."""
    return float(goodputs(result).sum()) * 1e6 / BOUND


def achieved(result: Result, classes: Sequence[float] = CLASSES) -> Floats:
    """For each class the mean goodput over the target."""
    return goodputs(result).reshape(len(classes), -1).mean(axis=1) / np.asarray(classes)


def miss(ratios: Floats) -> float:
    """How far achieved rates are from their targets: root mean square of achieved/target - 1."""
    return float(np.sqrt(np.mean((ratios - 1) ** 2)))


def spread(rates: Floats) -> float:
    """Standard deviation over the mean."""
    return float(rates.std() / rates.mean())
