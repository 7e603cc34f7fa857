"""A small result written by hand, so that every number that the interface derives from it is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from cellway.provenance import Provenance
from cellway.result import Result

RATE = 424_000_000
CELL_PS = 1_000_000
"""At 424 Mbit/s a cell lasts one microsecond."""


def table(rows: Sequence[dict[str, Any]], **columns: tuple[str, pa.DataType]) -> pa.Table:
    """A table as the engine gives it: `name=(unit, type)`."""
    schema = pa.schema(
        [pa.field(name, kind, metadata={"unit": unit} if unit else None) for name, (unit, kind) in columns.items()]
    )
    return pa.Table.from_pylist(list(rows), schema=schema)


def _link(name: str) -> dict[str, Any]:
    tail, _, head = name.partition("->")
    return {"name": name, "from": tail, "to": head, "rate": RATE, "delay": 10 * CELL_PS}


LINKS = ("a->s1", "s1->b", "s1->a", "b->s1")
DOCUMENT = {
    "version": 1,
    "seed": 7,
    "switches": {"s1": {}},
    "hosts": {"a": {}, "b": {}},
    "links": [_link(name) for name in LINKS],
    "vcs": {
        "vc1": {"from": "a", "to": ["b"], "links": ["a->s1", "s1->b"], "traffic": {"kind": "greedy"}},
        "vc2": {"from": "a", "to": ["b"], "links": ["a->s1", "s1->b"], "traffic": {"kind": "greedy"}},
    },
    "probes": [{}] * 9 + [{"kind": "tcp", "vc": "vc2", "connection": 1, "quantity": "cwnd"}],
}
N, X, T = pa.uint64(), pa.float64(), pa.string()
PROBES = (
    {"kind": "trace", "link": "a->s1", "unit": "", "every_ps": 0},
    {"kind": "trace", "link": "s1->b", "unit": "", "every_ps": 0},
    {"kind": "queue", "node": "s1", "unit": "cells", "every_ps": 0},
    {"kind": "queue", "node": "s1", "vc": "vc1", "unit": "cells", "every_ps": 0},
    {"kind": "queue", "node": "s1", "link": "s1->b", "unit": "cells", "every_ps": 25 * CELL_PS},
    {"kind": "credit", "link": "a->s1", "vc": "vc1", "unit": "cells", "every_ps": 0},
    {"kind": "throughput", "link": "s1->a", "unit": "cells/s", "every_ps": 25 * CELL_PS},
    {"kind": "total_throughput", "link": "s1->a", "unit": "cells/s", "every_ps": 25 * CELL_PS},
    {"kind": "delay", "node": "b", "vc": "vc2", "unit": "s", "every_ps": 0},
    {"kind": "cwnd", "vc": "vc2", "unit": "bytes", "every_ps": 0},
    {"kind": "acr", "node": "a", "vc": "vc1", "direction": "forward", "unit": "cells/s", "every_ps": 0},
    {"kind": "acr", "node": "b", "vc": "vc1", "direction": "return", "unit": "cells/s", "every_ps": 0},
    {"kind": "er", "node": "a", "vc": "vc1", "direction": "forward", "unit": "cells/s", "every_ps": 0},
    {"kind": "rate", "node": "s1", "link": "s1->b", "quantity": "overload", "unit": "1", "every_ps": 0},
    {"kind": "rate", "node": "s1", "link": "s1->b", "quantity": "fair_share", "unit": "cells/s", "every_ps": 0},
    {"kind": "bursts", "node": "a", "vc": "vc1", "direction": "forward", "unit": "s", "every_ps": 0},
    {"kind": "bursts", "node": "b", "vc": "vc1", "direction": "return", "unit": "s", "every_ps": 0},
    {"kind": "bursts", "node": "a", "vc": "vc2", "direction": "forward", "unit": "s", "every_ps": 0},
)
SERIES = (
    (2, 0, 0, 0), (2, 20, 4, 4), (2, 60, 1, 1),
    (3, 0, 0, 0), (3, 50, 2, 2),
    (4, 25, 1, 3), (4, 50, 2, 4), (4, 75, 3, 5), (4, 100, 2, 2),
    (5, 0, 10, 10), (5, 10, 0, 0), (5, 90, 10, 10),
    (6, 25, 0, 0), (6, 50, 5e5, 5e5), (6, 75, 1e6, 1e6), (6, 100, 0, 0),
    (7, 25, 1e6, 1e6), (7, 50, 1e6, 1e6), (7, 75, 1e6, 1e6), (7, 100, 1e6, 1e6),
    (9, 0, 1024, 1024), (9, 40, 2048, 2048), (9, 80, 4096, 4096),
    (10, 0, 1e5, 1e5), (10, 40, 5e4, 5e4), (11, 0, 5e4, 5e4), (12, 30, 2e5, 2e5),
    (13, 0, 0, 0), (13, 50, 1.2, 1.2), (14, 0, 4e5, 4e5), (14, 50, 2e5, 2e5),
)  # fmt: skip


def traced(link: str, start: int, vc: str, kind: str, seq: int, fate: str = "delivered") -> dict[str, Any]:
    begin = start * CELL_PS
    return {
        "time_ps": begin, "arrival_ps": begin + 11 * CELL_PS, "link": link, "vc": vc, "kind": kind, "seq": seq,
        "fate": fate,
    }  # fmt: skip


def trace_rows() -> list[dict[str, Any]]:
    """On a->s1 vc1 sends every other slot of 100; on s1->b it leaves two slots later, its tenth cell is lost."""
    rows = [traced("a->s1", 2 * k, "vc1", "data", k) for k in range(50)]
    rows += [traced("a->s1", 10 * k + 1, "vc2", "data", k) for k in range(10)]
    rows += [traced("a->s1", 10 * k + 3, "vc1", "credit", k) for k in range(5)]
    rows += [traced("s1->b", 2 * k + 13, "vc1", "data", k, "lost" if k == 9 else "delivered") for k in range(40)]
    return rows


def tables(**replaced: pa.Table) -> dict[str, pa.Table]:
    """All tables of the result."""
    vcs = [
        {
            "vc": f"vc{k}", "direction": "forward", "destination": "b", "sent": 50 // k, "delivered": 40 // k,
            "corrupted": 0, "rate": 5e5 / k, "responses": 0, "mean_response": float("nan"),
        }
        for k in (1, 2)
    ]  # fmt: skip
    links = [
        {
            "link": name, "data_cells": 60, "credit_cells": 5, "rm_cells": 0, "lost": 0, "corrupted": 0,
            "utilisation": 0.65, "data_utilisation": 0.6,
        }
        for name in LINKS
    ]  # fmt: skip
    nothing = dict.fromkeys(("node", "link", "vc", "direction", "quantity"))
    probes = [{"probe": index, **nothing, **probe} for index, probe in enumerate(PROBES)]
    series = [{"probe": p, "time_ps": t * CELL_PS, "value": float(v), "max": float(m)} for p, t, v, m in SERIES]
    delays = [
        {"vc": "vc2", "destination": "b", "seq": k, "sent_ps": 10 * k * CELL_PS, "delay_ps": (20 + k) * CELL_PS}
        for k in range(5)
    ]
    connections = [
        {
            "vc": vc, "connection": k, "delivered": 4096, "goodput": 3e8 / (k + 1), "segments": 5, "retransmissions": 1,
            "fast_retransmits": 1, "timeouts": k,
        }
        for vc, k in (("vc1", 0), ("vc2", 0), ("vc2", 1))
    ]  # fmt: skip
    cells = ("cells", N)
    return {
        "vcs": table(
            vcs, vc=("", T), direction=("", T), destination=("", T), sent=cells, delivered=cells, corrupted=cells,
            rate=("cells/s", X), responses=("1", N), mean_response=("s", X),
        ),
        "links": table(
            links, link=("", T), data_cells=cells, credit_cells=cells, rm_cells=cells, lost=cells, corrupted=cells,
            utilisation=("1", X), data_utilisation=("1", X),
        ),
        "queues": table([], node=("", T), link=("", T), vc=("", T), arrived=cells, dropped=cells, departed=cells),
        "switches": table([{"node": "s1", "stored": 1, "peak": 4}], node=("", T), stored=cells, peak=cells),
        "drops": table(
            [{"node": "s1", "link": "s1->b", "vc": "vc1", "direction": "forward", "reason": "buffer_full", "cells": 3}],
            node=("", T), link=("", T), vc=("", T), direction=("", T), reason=("", T), cells=cells,
        ),
        "credits": table([], link=("", T), vc=("", T), scheme=("", T), n2=cells, n3=cells),
        "abr": table(
            [
                {"vc": "vc1", "direction": way, "acr": rate, "er": 2e5, "frm_sent": 7, "brm_received": 6}
                for way, rate in (("forward", 1e5), ("return", 5e4))
            ],
            vc=("", T), direction=("", T), acr=("cells/s", X), er=("cells/s", X), frm_sent=cells, brm_received=cells,
        ),
        "policing": table(
            [{"vc": "vc1", "node": "s1", "kind": "gcra", "conforming": 40, "spared": 0, "tagged": 7, "discarded": 3}],
            vc=("", T), node=("", T), kind=("", T), conforming=cells, spared=cells, tagged=cells, discarded=cells,
        ),
        "frames": table(
            [
                {
                    "vc": "vc1", "direction": "return", "destination": "a", "sent": 9, "good": 3, "corrupted": 0,
                    "cells_lost": 2, "end_lost": 1, "merged": 1, "lost": 1, "under_way": 1,
                }
            ],
            vc=("", T), direction=("", T), destination=("", T), sent=("1", N), good=("1", N), corrupted=("1", N),
            cells_lost=("1", N), end_lost=("1", N), merged=("1", N), lost=("1", N), under_way=("1", N),
        ),
        "tcp": table(
            connections, vc=("", T), connection=("1", N), delivered=("bytes", N), goodput=("bit/s", X),
            segments=("1", N), retransmissions=("1", N), fast_retransmits=("1", N), timeouts=("1", N),
        ),
        "probes": table(
            probes, probe=("1", N), kind=("", T), node=("", T), link=("", T), vc=("", T), direction=("", T),
            quantity=("", T), unit=("", T), every_ps=("ps", N),
        ),
        "series": table(series, probe=("1", N), time_ps=("ps", N), value=("", X), max=("", X)),
        "trace": table(
            trace_rows(), time_ps=("ps", N), arrival_ps=("ps", N), link=("", T), vc=("", T), kind=("", T), seq=("1", N),
            fate=("", T),
        ),
        "delays": table(
            delays, vc=("", T), destination=("", T), seq=("1", N), sent_ps=("ps", N), delay_ps=("ps", N)
        ),
        "bursts": table(
            [
                {
                    "vc": "vc1", "direction": way, "offered_ps": 10 * k * CELL_PS,
                    "departed_ps": (10 * k + 2 * size) * CELL_PS, "cells": size,
                }
                for way, size in (("forward", 1), ("return", 4))
                for k in range(3)
            ],
            vc=("", T), direction=("", T), offered_ps=("ps", N), departed_ps=("ps", N), cells=cells,
        ),
    } | replaced  # fmt: skip


def make_result(**replaced: pa.Table) -> Result:
    """The result: 100 us simulated."""
    document = json.dumps(DOCUMENT)
    provenance = Provenance(
        title="By hand", scenario="sha256:0", seed=7, engine="0.0.0", cellway="0.0.0",
        duration_ps=100 * CELL_PS, warmup_ps=0, end_ps=100 * CELL_PS, interrupted=False, cell_hops=105,
    )  # fmt: skip
    return Result(tables(**replaced), provenance, document, "cellway: 1\n")


@pytest.fixture
def result() -> Result:
    return make_result()


SCENARIO = """\
cellway: 1
title: Two greedy VCs share a link
rate: 622.08 Mbit/s
duration: 4 ms
warmup: 500 us
hosts: [a, b, c]
switches:
  s1:
links:
  - {between: [a, s1], delay: 50 us}
  - {between: [b, s1], delay: 50 us}
  - {between: [c, s1], delay: 50 us}
vcs:
  vc1: {from: a, to: b, traffic: {kind: greedy}, credit: {kind: n23, n3: 155 cells}}
  vc2: {from: c, to: b, traffic: {kind: greedy}, credit: {kind: n23, n3: 155 cells}}
record: {trace: all, queue: all, credit: all}
"""


@pytest.fixture
def scenario_file(tmp_path: Path) -> Path:
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO)
    return path
