"""Where a result comes from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Provenance:
    """Where a result comes from. The same scenario, seed and versions give the same result, to the byte."""

    title: str
    """Title of the scenario."""
    scenario: str
    """`sha256:` and the hash of all that decides the result: network, traffic, probes, duration, warm-up and seed."""
    seed: int
    """Seed of all random streams."""
    engine: str
    """Version of the engine."""
    cellway: str
    """Version of the Python package."""
    duration_ps: int
    """Simulated time that the scenario asks for."""
    warmup_ps: int
    """Rates, utilisations and marked peaks count from here."""
    end_ps: int
    """Simulated time reached: the duration, or less if the run was interrupted."""
    interrupted: bool
    """Whether the run ended early, by Ctrl-C."""
    cell_hops: int
    """Cells delivered over links."""
    units: str = "SI; times in integer picoseconds (ps); a cell is 53 octets = 424 bit"
    """System of units; each column of a table names its own."""


def time_text(ps: int) -> str:
    """A time for reading: `20 ms`."""
    for size, unit in ((10**12, "s"), (10**9, "ms"), (10**6, "µs"), (10**3, "ns")):
        if ps >= size:
            return f"{ps / size:.6g} {unit}"
    return f"{ps} ps"
