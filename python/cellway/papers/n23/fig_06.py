"""Figure 6: buffer of a VC at each node, by link length and target bandwidth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellway.papers.figure import Sheet, sheet
from cellway.papers.item import Item, Quantity, Results
from cellway.theory.credit import BufferSize, figure_6

# Kilometres, Mbit/s: N3 in cells and the buffer in KBytes by equation (3); then what the paper prints.
TABLE = {
    (1, 10): (1, 1, 1, 1),
    (1, 100): (4, 1, 4, 1),
    (1, 622): (23, 2, 23, 2),
    (10, 10): (3, 1, 3, 1),
    (10, 100): (25, 2, 25, 2),
    (10, 622): (155, 9, 155, 9),
    (100, 10): (24, 2, 24, 2),
    (100, 100): (238, 14, 238, 14),
    (100, 622): (1475, 79, 1475, 79),
    (1000, 10): (236, 14, 235, 13),
    (1000, 100): (2360, 126, 2360, 126),
    (1000, 622): (14678, 779, 14679, 779),
}
SOURCE = "eq. (3) with the ceiling of footnote 4; 5 us/km and 5 us of handling (section 4.7)"
MISPRINTS = {
    (
        1000,
        10,
    ): "the paper prints 10+235 cells, 13 KBytes: R B = 235.97 cells, rounded down there and up everywhere else",
    (1000, 622): "the paper prints 10+14679 cells; R B = 14677.1 cells",
}


def zone(km: int, mbps: int) -> str:
    return f"N3 at {km} km, {mbps} Mbit/s"


def buffer(km: int, mbps: int) -> str:
    return f"buffer at {km} km, {mbps} Mbit/s"


def quantities() -> tuple[Quantity, ...]:
    zones = [
        Quantity(zone(*at), "cells", n3, n3, SOURCE, printed, note=MISPRINTS.get(at, ""))
        for at, (n3, _, printed, _) in TABLE.items()
    ]
    buffers = [
        Quantity(
            buffer(*at), "KBytes", kb, kb, f"(N2 + N3) x 53 octets, N2 = 10, up to the next 1000; {SOURCE}", printed
        )
        for at, (_, kb, _, printed) in TABLE.items()
    ]
    return (*zones, *buffers)


def measure(results: Results) -> Mapping[str, float]:
    sizes = figure_6()
    return {zone(size.length_km, size.bandwidth_mbps): float(size.n3) for size in sizes} | {
        buffer(size.length_km, size.bandwidth_mbps): float(size.kilobytes) for size in sizes
    }


def figures(results: Results) -> Sequence[Sheet]:
    def cell(size: BufferSize) -> str:
        *_, printed, kilobytes = TABLE[size.length_km, size.bandwidth_mbps]
        differs = (size.n3, size.kilobytes) != (printed, kilobytes)
        return f"{size.n2}+{size.n3}, {size.kilobytes} KB" + (
            f" (printed {size.n2}+{printed}, {kilobytes} KB)" * differs
        )

    by_length: dict[int, list[str]] = {}
    for size in figure_6():
        by_length.setdefault(size.length_km, []).append(cell(size))
    rows = [(f"{km} km", *cells) for km, cells in by_length.items()]
    return [
        sheet(
            "N2 + N3 in cells, and the buffer in KBytes, for each VC at each node.",
            ("", "10 Mbit/s", "100 Mbit/s", "622 Mbit/s"),
            rows,
        )
    ]


ITEM = Item(
    paper="n23",
    name="fig-06",
    title="Buffer for each VC by link length and bandwidth",
    claim=(
        "N3 = R B / Cell_Size: the buffer of a VC grows with its own bandwidth and the link's length, not with the"
        " link's rate."
    ),
    quantities=quantities(),
    measure=measure,
    figures=figures,
    note=(
        "Theory alone. Two printed cells differ from the equation that the table is computed from; all others agree"
        " exactly."
    ),
)
