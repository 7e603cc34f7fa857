"""cellway.theory.credit against the paper's printed numbers and a slot-by-slot model of one credit-controlled link."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import pytest

from cellway.theory import credit

# Figure 6


def test_figure_6_is_the_papers_but_for_two_cells() -> None:
    ours = {(row.length_km, row.bandwidth_mbps): (row.n3, row.kilobytes) for row in credit.figure_6()}
    assert ours.keys() == credit.FIGURE_6_PRINTED.keys()
    differing = {key: value for key, value in ours.items() if value != credit.FIGURE_6_PRINTED[key]}
    assert differing == {(1000, 10): (236, 14), (1000, 622): (14678, 779)}
    assert credit.FIGURE_6_PRINTED[1000, 10] == (235, 13)
    assert credit.FIGURE_6_PRINTED[1000, 622] == (14679, 779)
    assert all(row.n2 == 10 and row.cells == 10 + row.n3 for row in credit.figure_6())


def test_kilobytes_follow_from_the_printed_cells_and_from_no_other_rounding() -> None:
    def reproduces(octets: int, kilo: int, shift: Fraction) -> bool:
        return all(
            int((10 + n3) * octets / Fraction(kilo) + shift) == kbytes
            for n3, kbytes in credit.FIGURE_6_PRINTED.values()
        )

    almost_one = 1 - Fraction(1, 10**9)
    rules = [(o, k, s) for o in (48, 53, 64) for k in (1000, 1024) for s in (Fraction(0), Fraction(1, 2), almost_one)]
    assert [rule for rule in rules if reproduces(*rule)] == [(53, 1000, almost_one)]
    assert all(credit.kilobytes(10 + n3) == kbytes for n3, kbytes in credit.FIGURE_6_PRINTED.values())


def test_equation_3_is_an_exact_ceiling() -> None:
    assert credit.round_trip_ps(10_000) == 105_000_000  # 105 us
    # 424 bits in a second: a bandwidth of whole cells needs whole cells, one bit/s more the next.
    assert credit.n3_for_bandwidth(10**12, 424) == 1
    assert credit.n3_for_bandwidth(10**12, 425) == 2
    assert credit.n3_for_bandwidth(10**12, 0) == 0
    draw = random.Random(1)
    for _ in range(200):
        r, b = draw.randrange(10**13), draw.randrange(10**11)
        n3 = credit.n3_for_bandwidth(r, b)
        assert n3 - 1 < Fraction(r * b, 424 * 10**12) <= n3


# A link in slots


@dataclass
class Link:
    """A greedy (or gated) N23 sender with absolute update, and a receiver that forwards at most one cell in a slot.

    In slot t: credit cells due arrive, the sender may send (the cell arrives at t + there), arrivals are stored, the
    receiver may forward, and after every n2 forwarded a credit cell goes back (arrives at t + back).
    """

    n2: int
    n3: int
    r: int
    there: int
    back: int
    count: int = 0
    sent: list[int] = field(default_factory=list)
    credits: deque[tuple[int, int]] = field(default_factory=deque)
    delivered: int = 0
    forwarded: int = 0
    peak: int = 0
    lowest: int = 10**9

    def run(
        self,
        slots: int,
        serve: Callable[[int], bool] = lambda slot: True,
        offer: Callable[[int], bool] = lambda slot: True,
        settled: int | None = None,
    ) -> Link:
        self.count = self.n2 + self.n3
        for t in range(slots):
            while self.credits and self.credits[0][0] <= t:
                value = self.credits.popleft()[1]
                self.count = value - sum(1 for s in self.sent[-self.r - 1 :] if s >= t - self.r)
            if self.count > 0 and offer(t):
                self.count -= 1
                self.sent.append(t)
            while self.delivered < len(self.sent) and self.sent[self.delivered] + self.there <= t:
                self.delivered += 1
            fill = self.delivered - self.forwarded
            self.peak = max(self.peak, fill)
            if fill and serve(t):
                self.forwarded += 1
                if self.forwarded % self.n2 == 0:
                    value = self.n2 + self.n3 - (self.delivered - self.forwarded)
                    self.credits.append((t + self.back, value))
            if settled is not None and t >= settled:
                self.lowest = min(self.lowest, self.delivered - self.forwarded)
        return self


@pytest.mark.parametrize(
    ("n2", "n3", "loop"), [(10, 51, 120), (10, 30, 31), (4, 7, 9), (3, 2, 5), (1, 3, 8), (1, 20, 2)]
)
def test_round_trip_limits_are_sharp_against_overflow_and_stall(n2: int, n3: int, loop: int) -> None:
    smallest, largest = credit.round_trip_limits(loop, n3)
    there = loop // 2
    back = loop - there

    def bursty(seed: int) -> Callable[[int], bool]:
        draw = random.Random(seed)
        stops = [draw.randrange(5, 3 * loop) for _ in range(200)]
        edges = [sum(stops[:i]) for i in range(1, 201)]
        return lambda t: sum(edge <= t for edge in edges) % 2 == 0

    for r in {smallest, (smallest + largest) // 2, largest} - {0}:
        for seed in range(3):
            link = Link(n2, n3, r, there, back).run(1500, serve=bursty(seed), offer=bursty(seed + 50))
            assert link.peak <= n2 + n3
        greedy = Link(n2, n3, r, there, back).run(30 * (loop + largest))
        assert greedy.sent[-1] >= 30 * (loop + largest) - 2 * (r + n2) - loop
    stalled = Link(n2, n3, largest + 1, there, back).run(30 * (loop + largest))
    assert stalled.sent[-1] <= loop + largest + n2 + n3
    if smallest >= 2:
        # The receiver stands still at the worst moment of each of many greedy runs.
        peaks = [
            Link(n2, n3, smallest - 1, there, back).run(8 * loop, serve=lambda t, stop=stop: t < stop).peak
            for stop in range(there, there + 4 * loop)
        ]
        assert n2 + n3 < max(peaks) <= n2 + n3 + 1


@pytest.mark.parametrize(
    ("n2", "n3", "loop"),
    [
        (10, 51, 156),
        (10, 100, 156),
        (5, 20, 156),
        (5, 23, 155),
        (20, 19, 156),
        (12, 81, 121),
        (1, 30, 9),
        (25, 34, 135),
    ],
)
def test_greedy_rate_is_the_slotted_links_and_within_the_bounds(n2: int, n3: int, loop: int) -> None:
    r = loop - 1
    whole, rest = divmod(n2 + n3, n2)
    rate, period = credit.greedy_rate(n2, n3, r), r + n2 - rest
    settled = 10 * period
    link = Link(n2, n3, r, loop // 2, loop - loop // 2).run(settled + 20 * period)
    assert sum(s >= settled for s in link.sent) == pytest.approx(20 * period * rate, abs=1e-6)
    assert rate <= credit.sustained_rate_bound(n2, n3, r) <= credit.rate_bound(n2, n3, r)
    if rest == 0:
        assert rate == credit.sustained_rate_bound(n2, n3, r)
    if rate < 1.0:
        assert rate == pytest.approx(whole * n2 / period)
        # No window of R holds more than N2 + N3 cells, also while the first burst settles.
        busiest = max(
            sum(1 for s in link.sent[i : i + n2 + n3 + 1] if s < sent + r) for i, sent in enumerate(link.sent)
        )
        assert busiest <= n2 + n3


def test_equation_3_always_reaches_its_target() -> None:
    draw = random.Random(4)
    for _ in range(500):
        n2, r, target = draw.randint(1, 30), draw.randint(1, 300), Fraction(draw.randint(1, 100), 100)
        n3 = -int(-target * r // 1)
        assert credit.greedy_rate(n2, n3, r) >= float(target) - 1e-12


def test_an_overestimated_r_costs_rate() -> None:
    def rate(r: int) -> float:
        return sum(s >= 4_000 for s in Link(10, 50, r, 77, 78).run(12_000).sent) / 8_000

    assert rate(154) > rate(155) > rate(160) > rate(190) > 0.0


def test_rate_formulas_at_the_papers_point() -> None:
    assert credit.rate_bound(10, 51, 155) == pytest.approx(0.39, abs=0.005)
    assert credit.sustained_rate_bound(10, 51, 155) == pytest.approx(61 / 165)
    assert credit.greedy_rate(10, 51, 155) == pytest.approx(60 / 164)
    assert credit.rate_bound(10, 155, 155) == 1.0
    assert credit.sustained_rate_bound(10, 155, 155) == 1.0
    assert credit.greedy_rate(10, 155, 155) == 1.0
    assert credit.greedy_rate(10, 154, 155) < 1.0
    assert credit.credit_overhead(10) == 0.1


# Opposed data and credit


def test_opposed_rates_solve_the_papers_two_equations() -> None:
    assert credit.opposed_rates(10, 10) == pytest.approx((10 / 11, 10 / 11))
    assert credit.opposed_rates(1, 1) == (0.5, 0.5)
    for forward in (2, 3, 10, 37):
        for backward in (2, 5, 64):
            b1, b2 = credit.opposed_rates(forward, backward)
            assert b1 + b2 / backward == pytest.approx(1.0)
            assert b2 + b1 / forward == pytest.approx(1.0)


def test_opposed_rates_agree_with_priority_credit_cells_slot_by_slot() -> None:
    for n2 in ((10, 10), (2, 10), (4, 3)):
        data, owed = [0, 0], [0, 0]  # owed[d]: credit cells waiting to leave in direction d
        slots = 50_000
        for _ in range(slots):
            sends = [not owed[d] for d in (0, 1)]  # credit cells have priority over data
            for d in (0, 1):
                if sends[d]:
                    data[d] += 1
                else:
                    owed[d] -= 1
            for d in (0, 1):
                if sends[d] and data[d] % n2[d] == 0:
                    owed[1 - d] += 1
        assert (data[0] / slots, data[1] / slots) == pytest.approx(credit.opposed_rates(*n2), abs=2e-3)


# Buffers


@pytest.mark.parametrize(("third", "n3", "fill"), [(3, 155, 103), (3, 113, 61), (2, 155, 77)])
def test_equilibrium_fill_is_where_the_slotted_link_settles(third: int, n3: int, fill: int) -> None:
    assert int(credit.equilibrium_fill(10, n3, 155, Fraction(1, third))) == fill
    link = Link(10, n3, 155, 77, 78).run(6_000, serve=lambda t: t % third == 0, settled=4_000)
    assert abs(link.lowest - fill) <= 1


def test_fill_and_swing_at_the_papers_points() -> None:
    third = Fraction(1, 3)
    assert credit.equilibrium_fill(10, 155, 155, third) == pytest.approx(103.33, abs=0.01)
    assert credit.equilibrium_fill(10, 51, 155, third) == 0.0  # 51 - 51.67: cannot be held back
    assert credit.fill_swing(10, third) == pytest.approx(20 / 3)  # section 7.2: 7 cells
    assert credit.fill_swing(10, third, Fraction(1, 2)) == pytest.approx(10 / 3)  # section 7.3: 3 or 4 cells
    # Section 7.2's queues differ by the differences of N3: about 42 and 92.
    fills = [credit.equilibrium_fill(10, n3, 155, third) for n3 in (155, 113, 63)]
    assert (fills[0] - fills[1], fills[0] - fills[2]) == pytest.approx((42.0, 92.0))


def test_further_credits_counts_the_cells_left_to_forward() -> None:
    assert credit.further_credits(0, 0, 10) == 0
    assert credit.further_credits(155, 10, 10) == 17
    assert credit.further_credits(3, 6, 10) == 1
    assert credit.further_credits(165, 0, 1) == 165


def test_link_by_link_needs_the_number_of_links_times_less() -> None:
    equal = [155] * 4
    assert credit.link_by_link_buffers(equal) == [155] * 4
    assert credit.end_to_end_buffers(equal) == [620] * 4
    mixed = [10, 155, 1005]
    assert sum(credit.end_to_end_buffers(mixed)) == len(mixed) * sum(credit.link_by_link_buffers(mixed))
    assert credit.link_by_link_buffers([155], Fraction(1, 3)) == [52]


def test_bad_arguments_are_refused() -> None:
    for call, text in (
        (lambda: credit.round_trip_ps(-1), "length"),
        (lambda: credit.n3_for_bandwidth(-1, 1), "round trip"),
        (lambda: credit.round_trip_limits(0, 5), "loop"),
        (lambda: credit.rate_bound(0, 5, 10), "n2"),
        (lambda: credit.rate_bound(1, -5, 10), "n3"),
        (lambda: credit.sustained_rate_bound(1, 5, 0), "r must"),
        (lambda: credit.greedy_rate(1, -1, 5), "n3"),
        (lambda: credit.greedy_rate(1, 5, float("nan")), "r must"),
        (lambda: credit.opposed_rates(0, 3), "n2"),
        (lambda: credit.further_credits(-1, 0, 1), "counts"),
        (lambda: credit.equilibrium_fill(1, 1, 1, 1.5), "share"),
        (lambda: credit.fill_swing(10, 0.5, 0.4), "burst rate"),
        (lambda: credit.link_by_link_buffers([]), "at least one link"),
        (lambda: credit.end_to_end_buffers([-1]), "round trip"),
        (lambda: credit.figure_6(n2=0), "n2"),
    ):
        with pytest.raises(ValueError, match=text):
            call()
