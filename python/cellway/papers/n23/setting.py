"""What the experiments of the N23 paper share: the rate, the links with R = 155 cell times, N2 = 10.

A loop in this simulator takes 2 x (one cell time + propagation): data cells and credit cells are stored before they are
acted upon. The paper counts in whole slots, where a cell that starts in slot s is answered by a credit that the sender
obeys in slot s + 156; the 155 slots in between are its R. So a propagation delay of 77 cell times gives the paper's
loop, and `r: 155 cell_times` its R, which the engine takes as "the loop less one cell time".
"""

from __future__ import annotations

from typing import Any

from cellway.scenario import Link, N23Credit
from cellway.theory.credit import CELL_BITS

RATE = "622.08 Mbit/s"
"""Line rate; the paper's switch has 622 Mbit/s ports (section 1)."""
CELL_TIME = CELL_BITS / 622.08e6
"""One cell on that line [s]."""
DELAY = "77 cell_times"
"""Propagation of each link."""
R = 155
"""Round trip for E, cell times (sections 6 and 7)."""
N2 = 10
"""Cells per credit cell: "an N2 of 10 is used for all simulations" (section 7)."""


def link(one: str, other: str, **more: Any) -> Link:
    """A duplex link of the paper's length."""
    return Link(between=[one, other], delay=DELAY, **more)


def cells(count: int) -> str:
    """A number of cells with its unit."""
    return f"{count} cells"


def cell_times(count: float) -> str:
    """A duration in cell times with its unit."""
    return f"{count:.12g} cell_times"


def n23(n3: int, n2: int = N2, **more: Any) -> N23Credit:
    """The N23 scheme with the paper's R."""
    return N23Credit(n2=cells(n2), n3=cells(n3), r=cell_times(R), **more)
