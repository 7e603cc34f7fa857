"""Max-min fair rates of flows over a network of links, exactly, and Jain's index.

An allocation is max-min fair when no flow can get more without taking from one that has no more per weight
(Bertsekas and Gallager, Data Networks (1992), section 6.5.2). Water-filling finds it: one water level rises for all
flows together; a flow stops at its demand or at the first of its links to fill up.

A flow with a minimum cell rate follows one of the example criteria of TM 4.0 (af-tm-0056, informative appendix):

- ``additive``: minimum + weight x level, "MCR plus equal share" (weights equal) or "weighted allocation";
- ``floor``: max(minimum, weight x level), "maximum of MCR or max-min share".

Rates may be in any one unit. Everything is computed in fractions: floats enter at their exact binary value, and the
results are :class:`fractions.Fraction`, so ties are ties and a link is full or it is not.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, SupportsFloat, TypeVar

Number = int | float | Fraction
FlowName = TypeVar("FlowName", bound=Hashable)
LinkName = TypeVar("LinkName", bound=Hashable)
Criterion = Literal["additive", "floor"]


@dataclass(frozen=True)
class Flow:
    """One flow: where it goes and what it wants.

    links: names of the links it uses, each once; for a multicast flow all links of its tree.
    weight: its share of the rising level, positive; default 1.
    minimum: guaranteed rate (MCR); default 0. A demand below it is all the flow gets.
    demand: the most it can use (PCR, or the rate of a bottlenecked source); default None, no limit.
    """

    links: Sequence[Hashable]
    weight: Number = 1
    minimum: Number = 0
    demand: Number | None = None


@dataclass(frozen=True)
class _Filling:
    """A flow's rate as a function of the water level, without its demand."""

    weight: Fraction
    minimum: Fraction
    demand: Fraction | None
    floor: bool

    def rate(self, level: Fraction) -> Fraction:
        if self.floor:
            return max(self.minimum, self.weight * level)
        return self.minimum + self.weight * level

    @property
    def starts(self) -> Fraction:
        """Level from which the rate grows."""
        return self.minimum / self.weight if self.floor else Fraction(0)

    @property
    def demand_level(self) -> Fraction | None:
        """Level at which the demand is met."""
        if self.demand is None:
            return None
        return (self.demand if self.floor else self.demand - self.minimum) / self.weight


def max_min(
    capacities: Mapping[LinkName, Number],
    flows: Mapping[FlowName, Flow],
    criterion: Criterion = "additive",
) -> dict[FlowName, Fraction]:
    """Max-min fair rate of each flow, in the unit of the capacities.

    `capacities` maps a link's name to the rate that the flows may fill together (target utilisation and other
    traffic already taken off). Weighted, with minima after `criterion` (see the module's text) and demands.
    Raises ValueError, naming flow or link, for an unknown or repeated link, a flow limited by nothing, a negative or
    infinite number, a weight of zero, or minima that exceed a link.
    """
    if criterion not in ("additive", "floor"):
        raise ValueError(f"criterion must be 'additive' or 'floor', found {criterion!r}")
    room: dict[Hashable, Fraction] = {
        link: _amount(f"capacity of {link!r}", capacity) for link, capacity in capacities.items()
    }
    rising = {name: _filling(name, flow, room, criterion) for name, flow in flows.items()}
    users: dict[Hashable, list[FlowName]] = {}
    for name, flow in flows.items():
        for link in flow.links:
            users.setdefault(link, []).append(name)
    for link, names in users.items():
        promised = sum((rising[name].minimum for name in names), Fraction(0))
        if promised > room[link]:
            raise ValueError(f"the minima over link {link!r} sum to {promised}, above its capacity {room[link]}")

    rates: dict[FlowName, Fraction] = {}
    full: dict[Hashable, Fraction] = {}
    changed = set(users)
    while rising:
        for link in changed:
            full.pop(link, None)
            if users[link]:
                full[link] = _level_when_full(room[link], [rising[name] for name in users[link]])
        wanted = {name: level for name in rising if (level := rising[name].demand_level) is not None}
        # Never empty: _filling refused flows without links and demand.
        level = min([*full.values(), *wanted.values()])
        stopped = {name for name, at in wanted.items() if at == level}
        stopped.update(name for link, at in full.items() if at == level for name in users[link])
        for name in stopped:
            rates[name] = rising.pop(name).rate(level)
            for link in flows[name].links:
                room[link] -= rates[name]
                users[link].remove(name)
        changed = {link for name in stopped for link in flows[name].links}
    return {name: rates[name] for name in flows}


def _amount(what: str, value: Number) -> Fraction:
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"{what} must be finite and not negative, found {value}")
    return Fraction(value)


def _filling(name: Hashable, flow: Flow, room: Mapping[Hashable, Fraction], criterion: Criterion) -> _Filling:
    for link in flow.links:
        if link not in room:
            raise ValueError(f"flow {name!r} uses link {link!r}, which has no capacity")
    if len(set(flow.links)) != len(flow.links):
        raise ValueError(f"flow {name!r} uses a link twice")
    if not flow.links and flow.demand is None:
        raise ValueError(f"flow {name!r} has neither a link nor a demand: nothing limits it")
    weight = _amount(f"weight of {name!r}", flow.weight)
    if weight == 0:
        raise ValueError(f"weight of {name!r} must be positive")
    minimum = _amount(f"minimum of {name!r}", flow.minimum)
    demand = None if flow.demand is None else _amount(f"demand of {name!r}", flow.demand)
    if demand is not None:
        minimum = min(minimum, demand)
    return _Filling(weight, minimum, demand, criterion == "floor")


def _level_when_full(room: Fraction, fillings: Sequence[_Filling]) -> Fraction:
    """Highest level at which the flows' rates sum to at most `room`; the sum is piecewise linear in the level."""
    ordered = sorted(fillings, key=lambda filling: filling.starts)
    spare = room - sum((filling.minimum for filling in ordered), Fraction(0))
    level = ordered[0].starts
    slope = Fraction(0)
    for position, filling in enumerate(ordered):
        slope += filling.weight
        reach = level + spare / slope
        following = ordered[position + 1].starts if position + 1 < len(ordered) else None
        if following is None or reach <= following:
            return reach
        spare -= slope * (following - level)
        level = following
    raise AssertionError("the last flow returns")


def jain_index(rates: Iterable[SupportsFloat], ideal: Iterable[SupportsFloat] | None = None) -> float:
    """Jain's fairness index of the given rates, 1/n (one takes all) to 1 (all equal).

    (sum x)^2 / (n sum x^2); with `ideal` (positive), x is the rate over its ideal. Source: Jain, Chiu and Hawe,
    A quantitative measure of fairness (DEC-TR-301, 1984).
    Raises ValueError without rates, for negative or infinite rates, when all are zero (nothing is shared, so nothing
    is fair) or when `ideal` does not match.
    """
    values = [float(rate) for rate in rates]
    if ideal is not None:
        ideals = [float(rate) for rate in ideal]
        if len(ideals) != len(values) or not all(math.isfinite(x) and x > 0 for x in ideals):
            raise ValueError("there must be one positive ideal for each rate")
        values = [value / target for value, target in zip(values, ideals, strict=True)]
    if not values or not all(math.isfinite(x) and x >= 0 for x in values):
        raise ValueError("rates must be a non-empty list of finite numbers, none negative")
    largest = max(values)
    if largest == 0:
        raise ValueError("all rates are zero")
    scaled = [value / largest for value in values]  # squares neither overflow nor vanish
    return math.fsum(scaled) ** 2 / (len(scaled) * math.fsum(x * x for x in scaled))
