"""What the protocols allow: cells of a segment, the goodput that a line of cells can carry, the law of 1/sqrt(p).

Rates of lines are in bits of whole 53-octet cells per second, goodput in bits of user data per second; sizes are in
octets, times in seconds.
"""

from __future__ import annotations

import math

CELL_BITS = 424
CELL_PAYLOAD = 48
#: AAL5's trailer: UU, CPI, length and CRC-32 (I.363.5).
AAL5_TRAILER = 8
#: IP and TCP headers without options (RFC 791, RFC 9293).
TCP_IP_HEADERS = 40
#: LLC/SNAP encapsulation of IP (RFC 2684).
LLC_SNAP = 8


def _positive(name: str, value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be positive and finite, found {value}")
    return value


def frame_cells(octets: int) -> int:
    """Cells of an AAL5 frame of `octets`: padded, with its trailer, to whole cells. ValueError below 0 octets."""
    if octets < 0:
        raise ValueError(f"a frame has at least 0 octets, found {octets}")
    return -(-(octets + AAL5_TRAILER) // CELL_PAYLOAD)


def segment_cells(mss: int, llc_snap: bool = False) -> int:
    """Cells of a full TCP segment of `mss` octets of data without options; 1024 octets take 23, with LLC/SNAP or not.

    Raises ValueError for fewer than 1 octet.
    """
    return frame_cells(int(_positive("mss", mss)) + TCP_IP_HEADERS + (LLC_SNAP if llc_snap else 0))


def goodput_bound(line_rate: float, mss: int, llc_snap: bool = False) -> float:
    """Most user data that TCP carries over a line, bit/s: the share of the data in the cells of a full segment.

    1024 octets over 149.7 Mbit/s: 125.75 Mbit/s. Raises ValueError for a rate or size that is not positive.
    """
    return _positive("line rate", line_rate) * 8 * mss / (segment_cells(mss, llc_snap) * CELL_BITS)


def line_rate_for(goodput: float, mss: int, llc_snap: bool = False) -> float:
    """Cells that `goodput` (bit/s of user data) takes, in bit/s of whole cells: the inverse of :func:`goodput_bound`.

    Raises ValueError for a goodput or size that is not positive.
    """
    return _positive("goodput", goodput) * segment_cells(mss, llc_snap) * CELL_BITS / (8 * mss)


def window_bound(window: int, round_trip: float) -> float:
    """Most user data that a window of `window` octets carries, bit/s: a window in each round trip.

    Raises ValueError for a window or round trip that is not positive.
    """
    return 8 * _positive("window", window) / _positive("round trip", round_trip)


def mathis_goodput(mss: int, round_trip: float, loss: float, acked_segments: int = 1) -> float:
    """Goodput of a greedy connection in congestion avoidance whose segments are lost at random, bit/s.

    MSS/RTT * C/sqrt(p) with C = sqrt(3 / (2 b)), b segments for each acknowledgement: Mathis, Semke, Mahdavi and Ott,
    *The macroscopic behavior of the TCP congestion avoidance algorithm*, 1997. It supposes one halving of the window
    for each loss, no time-outs and no limit by window or line: p from about 1e-4 to 1e-2.
    Raises ValueError unless 0 < loss < 1 and the rest is positive.
    """
    if not 0 < loss < 1:
        raise ValueError(f"the loss must be between 0 and 1, found {loss}")
    constant = math.sqrt(3 / (2 * _positive("acked_segments", acked_segments)))
    return 8 * _positive("mss", mss) / _positive("round trip", round_trip) * constant / math.sqrt(loss)


def burst_tolerance(mbs: int, mcr: float, pcr: float) -> float:
    """BT of a minimum rate [s]: (MBS - 1)(1/MCR - 1/PCR), rates in cells/s (TM 4.0, 4.4.2; GFR paper, section 3.1).

    A burst of MBS cells at PCR conforms to MCR with this tolerance. Raises ValueError for MBS < 1 or unless
    0 < MCR <= PCR.
    """
    if mbs < 1:
        raise ValueError(f"a burst has at least 1 cell, found {mbs}")
    if not 0 < mcr <= pcr:
        raise ValueError(f"0 < MCR <= PCR is needed, found {mcr} and {pcr}")
    return (mbs - 1) * (1 / mcr - 1 / pcr)
