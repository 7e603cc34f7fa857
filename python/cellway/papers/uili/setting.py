"""What the experiments of the UILI paper share: the rate, the policies, and what is measured of a source.

Rates are those of whole cells of 53 octets, as everywhere in the paper; "ACR" below is in Mbit/s.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cellway.result import Result
from cellway.scenario import (
    August1995Uili,
    BaselineUili,
    CountBasedUili,
    EricaRate,
    JointUili,
    NoneUili,
    Port,
    Switch,
    TimeBasedUili,
    Uili,
)
from cellway.series import Series

Floats = NDArray[np.float64]

RATE = "155.52 Mbit/s"
"""Line rate, and PCR."""
LINE = 155.52
MBIT = 424e-6
"""One cell per second [Mbit/s]."""
TARGET = 0.9
"""Target utilisation of ERICA (section 7.2.2)."""


def erica(**more: Any) -> EricaRate:
    """ERICA as section 7.2.2 has it: 90 %, and averaging intervals of (1 ms, 100 cells)."""
    return EricaRate(target_utilisation=TARGET, interval="1 ms", interval_cells="100 cells", **more)


def switch(**more: Any) -> Switch:
    """A switch that runs ERICA on all ports."""
    return Switch(port=Port(rate=erica(**more)))


def policies(headroom: str) -> dict[str, Uili]:
    """The five alternatives of section 7, with TDF = 1/8."""
    return {
        "none": NoneUili(),
        "August 1995": August1995Uili(tof=2, tdff=0.125, rdf="fraction"),
        "baseline": BaselineUili(tdf="1/8"),
        "count-based": CountBasedUili(headroom=headroom, tdf="1/8"),
        "time-based": TimeBasedUili(floor="sum"),
    }


def joint() -> JointUili:
    """The joint proposal of section 5.4."""
    return JointUili(tdf="1/16")


def in_mbit(series: Series) -> Series:
    """A series of cells/s in Mbit/s."""
    maxima = None if series.maxima is None else series.maxima * MBIT
    return replace(series, values=series.values * MBIT, maxima=maxima, unit="Mbit/s")


def acr(result: Result, vc: str, direction: str = "forward") -> Series:
    """ACR of a source [Mbit/s]."""
    return in_mbit(result.series("acr", vc=vc, direction=direction))


def er(result: Result, vc: str, direction: str = "forward") -> Series:
    """ER of the last BRM cell that the source received [Mbit/s]."""
    return in_mbit(result.series("er", vc=vc, direction=direction))


def first_time(series: Series, condition: NDArray[np.bool_]) -> float:
    """When the condition on the values first holds [s]; NaN if never."""
    found = np.flatnonzero(condition)
    return float(series.times[found[0]]) if len(found) else float("nan")


def reductions(result: Result, vc: str, direction: str = "forward") -> Floats:
    """When the policy lowered ACR [s]: below what the network last allowed, which a BRM cell never does."""
    rate, allowed = acr(result, vc, direction), er(result, vc, direction)
    if not len(allowed):
        return np.empty(0)
    fell = np.flatnonzero(np.diff(rate.values) < 0) + 1
    index = np.searchsorted(allowed.times, rate.times[fell], side="right") - 1
    known = index >= 0
    below = rate.values[fell][known] < allowed.values[index[known]] * (1 - 1e-9)
    return np.asarray(rate.times[fell][known][below])
