"""Table 1: the eight combinations of per-VC accounting, tagging and per-VC queueing, and which of them guarantee"
" rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cellway.papers.figure import Figure, Level, Panel, Sheet, marks, sheet
from cellway.papers.gfr.setting import (
    BUFFERS,
    CLASSES,
    DURATION,
    FRAME,
    R_EPD,
    R_WBA,
    RATE,
    achieved,
    efficiency,
    mcr,
    network,
    tagging,
    unequal,
)
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.measurement import value
from cellway.result import Result
from cellway.scenario import (
    VC,
    BurstTraffic,
    EpdDiscard,
    FifoSchedule,
    Port,
    Scenario,
    SelectiveDropDiscard,
    WeightedBufferAllocationDiscard,
    WfqSchedule,
)
from cellway.theory.tcp import CELL_BITS, line_rate_for

YES = 0.9
"""The rule for CLP0+1: a combination provides the guarantee if every class achieves at least this part of its"
" target."""
YES_CLP0 = 0.99
"""The rule for CLP0: if of every VC that keeps its contract at least this part arrives, whatever the others send."""
OVERLOAD = 2.0
"""Times its MCR that a VC sends which does not keep its contract."""


@dataclass(frozen=True)
class Option:
    """A row of the table."""

    accounting: bool
    tagging: bool
    queueing: bool
    printed: bool
    """The column GFR."""
    clp0: bool | None = None
    """What the paper says of the CLP0 flow, if it does."""
    says: str = ""
    """Where."""

    @property
    def label(self) -> str:
        """The row as printed, for example `X - X`."""
        return " ".join("X" if used else "-" for used in (self.accounting, self.tagging, self.queueing))

    def port(self, buffer: int) -> Port:
        """The bottleneck. Accounting is Selective Drop where nothing but shares of the buffer could tell VCs apart, as
        in section 5.1, else WBA; without accounting it is EPD, with a lower threshold for tagged frames where there are
        any.
        """
        discard: EpdDiscard | SelectiveDropDiscard | WeightedBufferAllocationDiscard
        if not self.accounting:
            discard = EpdDiscard(fraction=R_EPD, tagged_fraction=R_WBA if self.tagging else None)
        elif self.tagging or self.queueing:
            discard = WeightedBufferAllocationDiscard(fraction=R_WBA, z=0.8)
        else:
            discard = SelectiveDropDiscard(fraction=R_EPD, z=0.8)
        schedule = WfqSchedule() if self.queueing else FifoSchedule()
        return Port(buffer=f"{buffer} cells", schedule=schedule, discard=discard)


OPTIONS = (
    Option(False, False, False, printed=False),
    Option(True, False, False, printed=False),
    Option(False, True, False, printed=False),
    Option(True, True, False, printed=False),
    Option(False, False, True, printed=True, clp0=False, says="section 6, table 1: only for CLP0+1"),
    Option(True, False, True, printed=True, clp0=True, says="section 3.3: accounting of the CLP0 flow with scheduling"),
    Option(False, True, True, printed=True, clp0=True, says="section 5.2: should be sufficient; table 1: under study"),
    Option(True, True, True, printed=True, clp0=True, says="section 6, table 1: also for CLP0"),
)


def scenario(option: Option, buffer: int, duration: str = DURATION) -> Scenario:
    """The five classes of TCP sources."""
    title = f"Five classes of TCP sources, options {option.label}, {buffer} cells"
    return unequal(option.port(buffer), option.tagging, duration, title)


def overload(option: Option, buffer: int, duration: str = "2 s", times: float = OVERLOAD) -> Scenario:
    """In each class one VC sends frames at its MCR, and two send `times` as much without tagging it."""
    vcs = {}
    for k, target in enumerate(CLASSES):
        first = 3 * k + 1
        for name, factor in ((f"[{first}..{first}]", 1.0), (f"[{first + 1}..{first + 2}]", times)):
            cycle = FRAME * CELL_BITS * (1 / (factor * line_rate_for(target * 1e6, 1024)) - 1 / RATE)
            frames = BurstTraffic(cells=f"{FRAME} cells", idle=f"{cycle * 1e6:.6f} us", as_message=True)
            police = tagging() if option.tagging else None
            vcs[f"vc{name}"] = VC(from_=f"src{name}", to=f"dst{name}", mcr=mcr(target), police=police, traffic=frames)
    title = f"Contracts kept and broken, options {option.label}, {buffer} cells"
    return network(vcs, 3 * len(CLASSES), option.port(buffer), duration, title)


def scenarios() -> Mapping[str, Scenario]:
    return {
        **{f"TCP, {option.label}, {k} cells": scenario(option, k) for k in BUFFERS for option in OPTIONS},
        **{f"CLP0, {option.label}, {k} cells": overload(option, k) for k in BUFFERS for option in OPTIONS},
    }


def kept(result: Result) -> float:
    """Of the VCs that keep their contract, the least part of the cells that the bottleneck admits."""
    books = [
        [value(result.queues, column, vc=f"vc{3 * k + 1}", link="s1->s2") for column in ("arrived", "dropped")]
        for k in range(len(CLASSES))
    ]
    return min(1 - dropped / arrived for arrived, dropped in books)


def measure(results: Results) -> Mapping[str, float]:
    tcp = {(option, k): results[f"TCP, {option.label}, {k} cells"] for k in BUFFERS for option in OPTIONS}
    return {
        **{
            f"least achieved/target, {option.label}, {k} cells": float(achieved(one).min())
            for (option, k), one in tcp.items()
        },
        **{
            f"CLP0 admitted, {option.label}, {k} cells": kept(results[f"CLP0, {option.label}, {k} cells"])
            for k in BUFFERS
            for option in OPTIONS
            if option.clp0 is not None
        },
        "largest part of the protocol bound": max(efficiency(one) for one in tcp.values()),
    }


def figures(results: Results) -> Sequence[Figure | Sheet]:
    sheets, panels = [], []
    for k in BUFFERS:
        rows, curves = [], []
        for option in OPTIONS:
            result = results[f"TCP, {option.label}, {k} cells"]
            ratios = achieved(result)
            clp0 = kept(results[f"CLP0, {option.label}, {k} cells"])
            rows.append(
                (
                    option.label,
                    *(f"{ratio:.2f}" for ratio in ratios),
                    f"{efficiency(result):.3f}",
                    "Yes" if ratios.min() >= YES else "No",
                    "Yes" if option.printed else "No",
                    f"{clp0:.3f}",
                    "Yes" if clp0 >= YES_CLP0 else "No",
                )
            )
            curves.append(marks(option.label if option.queueing else "", CLASSES, ratios, faint=not option.queueing))
        panels.append(Panel(f"Achieved / target, {k} cells", tuple(curves), (Level(YES, "0.9"),), (0, 3)))
        head = ("acc. tag. queue", *map(str, CLASSES), "efficiency", "GFR", "printed", "CLP0 admitted", "CLP0")
        caption = (
            f"Achieved/target by class [Mbit/s], what the rules make of it, and what is printed; {k} cells, first seed."
        )
        sheets.append(sheet(caption, head, rows))
    picture = Figure(
        "achieved",
        "Goodput of each class over its target for the eight combinations, first seed: with per-VC queueing in colour,"
        " without it grey.",
        "Target of the class (Mbit/s)",
        tuple(panels),
        x_range=(0, 15),
    )
    return [picture, *sheets]


SAYS_YES, SAYS_NO = "section 6, table 1: Yes", "section 6, table 1: No"
SHORT = (
    "12 000 cells, one round trip, are too few where nothing keeps the small classes from filling them: see figure 5;"
    " a lower threshold for tagged frames makes them fewer still"
)
ITEM = Item(
    paper="gfr",
    name="table-1",
    title="The eight combinations",
    claim=(
        "Of accounting, tagging and queueing only per-VC queueing gives TCP its guaranteed rates; for the CLP0 flow it"
        " needs accounting or tagging besides."
    ),
    quantities=(
        *(
            Quantity(
                f"least achieved/target, {option.label}, {k} cells",
                "1",
                YES if option.printed else None,
                None if option.printed else YES,
                SAYS_YES if option.printed else SAYS_NO,
                reason=SHORT if option.printed and k == BUFFERS[0] else "",
            )
            for k in BUFFERS
            for option in OPTIONS
        ),
        *(
            Quantity(
                f"CLP0 admitted, {option.label}, {k} cells",
                "1",
                YES_CLP0 if option.clp0 else None,
                None if option.clp0 else YES_CLP0,
                option.says,
            )
            for k in BUFFERS
            for option in OPTIONS
            if option.clp0 is not None
        ),
        Quantity("largest part of the protocol bound", "1", None, 1.0, "theory.tcp.goodput_bound: 125.75 Mbit/s"),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    note=(
        "Rows as printed: accounting, tagging, queueing. The column GFR is Yes if every class of TCP sources achieves"
        " at least 0.9 of its target (CLP0+1). For CLP0, one VC of each class sends frames at its MCR and two send"
        " twice theirs, 1.6 times the link in all: Yes if the bottleneck admits at least 0.99 of each VC that keeps"
        " its contract."
    ),
)
