"""Sizes and bounds of N23 credit-based flow control, exactly.

The paper is Kung, Morris, Charuhas and Lin, "Use of link-by-link flow control in maximizing ATM network performance:
simulation results" (1993), cited by section, equation and figure. "SIGCOMM 1994" is Kung, Blackwell and Chapman,
"Credit-based flow control for ATM networks".

Cells are counted in 53-octet cells, rates are fractions of the link rate (1 = every cell slot) and R is in cell times
of that link, unless a name says otherwise (`_ps`, `_bps`, `_m`). A share or rate may be an int, float or Fraction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Number = int | float | Fraction

CELL_OCTETS = 53
CELL_BITS = 8 * CELL_OCTETS

#: Propagation delay of the paper's fibre, section 4.7: 5 us per km, here in picoseconds per metre.
PROPAGATION_PS_PER_M = 5_000
#: Time to handle data cells and process credit cells at the two ends, section 4.7: 5 us.
PROCESSING_PS = 5_000_000

#: Figure 6 as printed: (length in km, target in Mbit/s) -> (N3 in cells, buffer in KBytes), with N2 = 10.
FIGURE_6_PRINTED: dict[tuple[int, int], tuple[int, int]] = {
    (1, 10): (1, 1),
    (1, 100): (4, 1),
    (1, 622): (23, 2),
    (10, 10): (3, 1),
    (10, 100): (25, 2),
    (10, 622): (155, 9),
    (100, 10): (24, 2),
    (100, 100): (238, 14),
    (100, 622): (1475, 79),
    (1000, 10): (235, 13),
    (1000, 100): (2360, 126),
    (1000, 622): (14679, 779),
}


def _positive(name: str, value: Number) -> Fraction:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be positive and finite, found {value}")
    return Fraction(value)


def _not_negative(name: str, value: Number) -> Fraction:
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"{name} must be finite and not negative, found {value}")
    return Fraction(value)


def _n2(n2: int) -> int:
    if n2 < 1:
        raise ValueError(f"n2 must be at least 1 cell, found {n2}")
    return n2


# Sizing


def round_trip_ps(length_m: int, processing_ps: int = PROCESSING_PS) -> int:
    """R of a link of `length_m` metres, picoseconds: there and back at 5 us per km, plus `processing_ps`.

    Section 4.7; by default the 5 us of the paper's switch. Raises ValueError for a negative length or time.
    """
    if length_m < 0 or processing_ps < 0:
        raise ValueError("length and processing time must not be negative")
    return 2 * length_m * PROPAGATION_PS_PER_M + processing_ps


def n3_for_bandwidth(r_ps: int, bandwidth_bps: int) -> int:
    """N3 in cells that lets a VC send at `bandwidth_bps` (bits of whole cells per second): ceil(R B / Cell_Size).

    Equation (3) with the ceiling of footnote 4, in integers, so no rounding error decides a cell.
    Raises ValueError for a negative R or bandwidth.
    """
    if r_ps < 0 or bandwidth_bps < 0:
        raise ValueError("round trip and bandwidth must not be negative")
    return -(-r_ps * bandwidth_bps // (CELL_BITS * 10**12))


def kilobytes(cells: int) -> int:
    """Buffer of `cells` cells in figure 6's KBytes: 53 octets a cell, up to the next 1000 octets.

    Of the rounding rules (up, nearest, down; 1000 or 1024 octets; 48, 53 or 64 octets a cell) this alone gives every
    printed value.
    """
    return -(-cells * CELL_OCTETS // 1000)


@dataclass(frozen=True)
class BufferSize:
    """One cell of figure 6: what a VC needs at each node."""

    length_km: int
    bandwidth_mbps: int
    n2: int
    n3: int

    @property
    def cells(self) -> int:
        """N2 + N3, cells."""
        return self.n2 + self.n3

    @property
    def kilobytes(self) -> int:
        """N2 + N3 in units of 1000 octets, rounded up."""
        return kilobytes(self.cells)


def figure_6(
    lengths_km: Sequence[int] = (1, 10, 100, 1000),
    bandwidths_mbps: Sequence[int] = (10, 100, 622),
    n2: int = 10,
) -> list[BufferSize]:
    """Figure 6 from equation (3), row by row; lengths in km, target bandwidths in Mbit/s.

    Two printed cells differ from the equation: 1000 km at 10 Mbit/s (235.97 cells printed as 235, hence 13 KBytes,
    where the ceiling is 236 and 14) and 1000 km at 622 Mbit/s (14677.1 printed as 14679, where the ceiling is 14678;
    the KBytes agree).
    """
    return [
        BufferSize(km, mbps, _n2(n2), n3_for_bandwidth(round_trip_ps(1000 * km), mbps * 10**6))
        for km in lengths_km
        for mbps in bandwidths_mbps
    ]


def round_trip_limits(loop: int, n3: int) -> tuple[int, int]:
    """Smallest and largest R, whole cell times, that work with equations (1) and (2) on a link.

    `loop` is the true feedback time in cell times: a cell that starts its transmission in slot s and is forwarded by
    the receiver at once is accounted for in a credit that the sender can obey in slot s + loop.

    - R < loop - 1: E misses cells that are still on their way, the receiver may overflow by loop - 1 - R cells.
    - R > loop - 1 + N3: E counts cells that the credit has already accounted for. When more than N3 of them were sent
      back to back, the cells outstanding are fewer than N2, no credit cell follows and the VC stalls for ever: a greedy
      VC in its first round trip.

    Derivation: a credit C = N2 + N3 - B leaves B + F + (C - E) cells outstanding, F being those sent in the last
    loop - 1 slots and E those sent in the last R slots. No overflow asks for F - E <= 0, another credit cell for at
    least N2 outstanding, that is E - F <= N3. (The paper only says that R "can be measured", section 4.1.)
    Raises ValueError for a loop below one cell time or a negative N3.
    """
    if loop < 1 or n3 < 0:
        raise ValueError("the loop must be at least 1 cell time and N3 must not be negative")
    return loop - 1, loop - 1 + n3


# Rates


def rate_bound(n2: int, n3: int, r: Number) -> float:
    """Upper bound on a VC's rate, fraction of the link: (N2 + N3) / R, at most 1 (section 7.1, proven in [5]).

    No window of R holds more than N2 + N3 cells. Raises ValueError for N2 < 1, N3 < 0 or R <= 0.
    """
    return float(min(Fraction(1), (_n2(n2) + _not_negative("n3", n3)) / _positive("r", r)))


def sustained_rate_bound(n2: int, n3: int, r: Number) -> float:
    """Upper bound on the mean rate of a lone VC, fraction of the link: (N2 + N3) / (R + N2), at most 1.

    SIGCOMM 1994: a credit leaves only once N2 cells are forwarded, so a burst of N2 + N3 repeats at best every R + N2.
    With N2 = 10, N3 = 51, R = 155 this is 0.37, where section 7.1 prints 0.39 = (N2 + N3) / R. Reached where
    N2 divides N3; see :func:`greedy_rate`. Raises ValueError for N2 < 1, N3 < 0 or R <= 0.
    """
    return float(min(Fraction(1), (_n2(n2) + _not_negative("n3", n3)) / (_positive("r", r) + n2)))


def greedy_rate(n2: int, n3: int, r: Number) -> float:
    """Mean rate of a greedy VC whose receiver forwards at once, fraction of the link, exactly; R = loop - 1 cell times.

    With N2 + N3 = q N2 + m, m < N2: q N2 / (R + N2 - m), at most 1. The first cell that credit cell c releases is
    number q N2 + m + (c - 1) N2; credit cell c + q follows N2 - 1 - m cells later plus one loop. So m cells of the
    buffer do not count, and the rate may fall to (N3 + 1) / (R + 1): never below the target that equation (3) sized N3
    for, but well below (N2 + N3) / (R + N2) when N2 is not small beside N3. An R longer than loop - 1
    (:func:`round_trip_limits`) gives less, without a closed form. Raises ValueError for N2 < 1, N3 < 0 or R <= 0.
    """
    if n3 < 0:
        raise ValueError(f"n3 must not be negative, found {n3}")
    whole, rest = divmod(_n2(n2) + n3, n2)
    return float(min(Fraction(1), whole * n2 / (_positive("r", r) + n2 - rest)))


def credit_overhead(n2: int) -> float:
    """Credit cells per data cell, at most 1 / N2 (section 4.4). Raises ValueError for N2 < 1."""
    return 1.0 / _n2(n2)


def opposed_rates(n2_forward: int, n2_backward: int) -> tuple[float, float]:
    """Data rates of two greedy VCs that run against each other over one duplex link, fractions of the link.

    Each direction carries one VC's data and the other's credit cells: B1 = 1 - B2 / N2b and B2 = 1 - B1 / N2f, with
    solution B1 = (1 - 1/N2b) / (1 - 1/(N2f N2b)) and B2 likewise. Equal N2: N2 / (N2 + 1) each (section 7.4).
    N2 = 1 in both directions leaves only B1 + B2 = 1: the symmetric solution is given. Raises ValueError for N2 < 1.
    """
    a, b = Fraction(1, _n2(n2_forward)), Fraction(1, _n2(n2_backward))
    if a == b:
        share = float(1 / (1 + a))
        return share, share
    return float((1 - b) / (1 - a * b)), float((1 - a) / (1 - a * b))


# Buffers


def further_credits(in_receiver: int, in_flight: int, n2: int) -> int:
    """A, the credit cells that will still arrive after a corrupted one: ceil((B + G) / N2) (section 4.5).

    B data cells were in the receiver when the corrupted credit cell left, G may still arrive on earlier credit.
    The paper's count; a lost last credit with B + G < N2 is not healed although A = 1, as its next paragraph says:
    floor((B + G) / N2) credit cells are certain. Raises ValueError for negative counts or N2 < 1.
    """
    if in_receiver < 0 or in_flight < 0:
        raise ValueError("cell counts must not be negative")
    return -(-(in_receiver + in_flight) // _n2(n2))


def equilibrium_fill(n2: int, n3: int, r: Number, share: Number) -> float:
    """Lower end of the receiver's fill, cells, of a VC served at `share` of the link while its sender is held back.

    Section 7.3: N2 + N3 - fill - E = N2 with E = share R, so fill = N3 - share R, and not below 0 (then the VC does
    not fill its share). For N2 = 10, N3 = R = 155, share 1/3: 103. Raises ValueError for N2 < 1, N3 < 0, R <= 0 or a
    share outside [0, 1].
    """
    credit_per_credit_cell = _n2(n2)
    sent_in_r = _share(share) * _positive("r", r)
    return float(max(Fraction(0), n2 + _not_negative("n3", n3) - sent_in_r - credit_per_credit_cell))


def fill_swing(n2: int, share: Number, burst_rate: Number = 1) -> float:
    """Swing of that fill, cells: N2 cells come in at `burst_rate` while `share` leaves, N2 (1 - share / burst_rate).

    Section 7.2: bursts at link rate and share 1/3 swing by 7; section 7.3: bursts at 1/2, by 3 or 4.
    Raises ValueError for N2 < 1 or unless 0 <= share <= burst_rate <= 1, burst_rate > 0.
    """
    rate = _share(_positive("burst_rate", burst_rate))
    if _share(share) > rate:
        raise ValueError("the burst rate must be at least the share")
    return float(_n2(n2) * (1 - Fraction(share) / rate))


def _share(share: Number) -> Fraction:
    if not 0 <= share <= 1:
        raise ValueError(f"a share of the link must be in [0, 1], found {share}")
    return Fraction(share)


def link_by_link_buffers(round_trips: Sequence[Number], share: Number = 1) -> list[int]:
    """Cells of buffer for zero loss at the receiving end of each link of a route, link-by-link control.

    Section 8.3: one link round trip's worth at the VC's rate each (`round_trips` in cell times, rate a fraction of
    the link). N2 comes on top. Raises ValueError for an empty route, negative round trips or a share outside [0, 1].
    """
    return [math.ceil(_share(share) * trip) for trip in _trips(round_trips)]


def end_to_end_buffers(round_trips: Sequence[Number], share: Number = 1) -> list[int]:
    """The same for end-to-end window control: every node needs the whole route's round trip (section 8.3).

    The sum over the nodes is as many times link-by-link's as the route has links.
    """
    trips = _trips(round_trips)
    return [math.ceil(_share(share) * sum(trips, Fraction(0)))] * len(trips)


def _trips(round_trips: Sequence[Number]) -> list[Fraction]:
    if not round_trips:
        raise ValueError("a route has at least one link")
    return [_not_negative("round trip", trip) for trip in round_trips]
