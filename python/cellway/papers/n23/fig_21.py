"""Figure 21: peak buffers for NFS clients over one bottleneck, with and without flow control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cellway.papers.figure import Figure, Panel, Sheet, marks, sheet
from cellway.papers.item import Item, Quantity, Results
from cellway.papers.measurement import values
from cellway.papers.n23.setting import N2, RATE, cells
from cellway.result import Result
from cellway.scenario import VC, Link, N23Credit, QueueRecord, Record, RpcTraffic, Scenario

CLIENTS = (4, 8, 12, 15)
PRINTED = {4: (6, 6), 8: (35, 120), 12: (70, 340), 15: (100, 550)}
"""Clients: cells with and without flow control."""
DELAY = "1.8 us"
"""With a cell each way a loop of 5 us, the paper's round trip."""
LIGHT, HEAVY = "20 ms", "2 ms"
"""Mean pause between a client's calls: about a disk access of the time (an 8 KB block alone took 7 ms on a 10 Mbit/s
Ethernet); and ten times as busy."""
LOADS = {LIGHT: "light", HEAVY: "heavy"}
CONTROLS = ("with", "without")


def scenario(clients: int, controlled: bool = True, think: str = LIGHT, duration: str = "1 s") -> Scenario:
    client, server = f"client[1..{clients}]", f"server[1..{clients}]"
    return Scenario(
        title=f"{clients} NFS clients, {'with' if controlled else 'without'} flow control",
        rate=RATE,
        duration=duration,
        switches=["near", "far"],
        hosts=[client, server],
        links=[
            Link(between=[client, "near"], delay=DELAY),
            Link(between=["near", "far"], delay=DELAY),
            Link(between=["far", server], delay=DELAY),
        ],
        vcs={
            f"vc[1..{clients}]": VC(
                from_=client,
                to=server,
                traffic=RpcTraffic(think=think),
                credit=N23Credit(n2=cells(N2)) if controlled else None,
            )
        },
        record=Record(queue=[QueueRecord(switch="far", port="near", every="100 us")]),
    )


def label(clients: int, load: str, control: str) -> str:
    return f"{clients} clients, {load} load, {control} flow control"


def scenarios() -> Mapping[str, Scenario]:
    return {
        label(clients, load, control): scenario(clients, control == "with", think)
        for think, load in LOADS.items()
        for clients in CLIENTS
        for control in CONTROLS
    }


def peak(result: Result) -> float:
    """Most cells queued for the bottleneck."""
    return result.series("queue", node="far", link="far->near").max()


def response_time(result: Result) -> float:
    """Mean over all calls [s]."""
    calls = values(result.vcs, "responses", direction="forward")
    return float((values(result.vcs, "mean_response", direction="forward") * calls).sum() / calls.sum())


def measure(results: Results) -> Mapping[str, float]:
    peaks = {
        (clients, load, control): peak(results[label(clients, load, control)])
        for load in LOADS.values()
        for clients in CLIENTS
        for control in CONTROLS
    }

    def ratio(clients: int, load: str) -> float:
        return peaks[clients, load, "without"] / peaks[clients, load, "with"]

    def slower(load: str) -> float:
        both = [response_time(results[label(15, load, control)]) for control in CONTROLS]
        return both[0] / both[1]

    return {
        **{
            f"peak, {clients} clients, {control} flow control": peaks[clients, "light", control]
            for clients in CLIENTS
            for control in CONTROLS
        },
        **{
            f"saving, {clients} clients, {load} load": ratio(clients, load)
            for load in LOADS.values()
            for clients in CLIENTS
        },
        "growth of the saving from 4 to 15 clients, light load": ratio(15, "light") / ratio(4, "light"),
        **{f"response time with against without, 15 clients, {load} load": slower(load) for load in LOADS.values()},
    }


def figures(results: Results) -> Sequence[Figure | Sheet]:
    found = {
        (load, control): [peak(results[label(clients, load, control)]) for clients in CLIENTS]
        for load in LOADS.values()
        for control in CONTROLS
    }
    printed = {control: [PRINTED[clients][k] for clients in CLIENTS] for k, control in enumerate(CONTROLS)}
    panels = tuple(
        Panel(
            f"Peak cells, {load} load",
            (
                marks("without flow control", CLIENTS, found[load, "without"]),
                marks("with", CLIENTS, found[load, "with"]),
                marks("printed, without", CLIENTS, printed["without"], faint=True),
                marks("printed, with", CLIENTS, printed["with"], faint=True),
            ),
        )
        for load in LOADS.values()
    )
    rows = [
        (
            clients,
            *(f"{found[load, control][k]:.0f}" for load in LOADS.values() for control in CONTROLS),
            *PRINTED[clients],
        )
        for k, clients in enumerate(CLIENTS)
    ]
    head = (
        "clients",
        "light, with",
        "light, without",
        "heavy, with",
        "heavy, without",
        "printed, with",
        "printed, without",
    )
    return [
        Figure(
            "peaks",
            "Most cells queued for the bottleneck within one second, first seed, beside the printed numbers (whose"
            " traces are lost).",
            "NFS clients",
            panels,
            x_range=(3, 16),
        ),
        sheet("Peak cells queued for the bottleneck, first seed.", head, rows),
    ]


LOST = "the paper's NFS traces are lost; synthetic calls of 200 bytes to 8 KiB (traffic rpc)"
TABLE = "figure 21"
ITEM = Item(
    paper="n23",
    name="fig-21",
    title="Peak buffers for NFS clients",
    claim=(
        "Flow control substantially decreases the buffer that a number of NFS clients need, the more the more clients"
        " there are, without increasing delay."
    ),
    quantities=(
        *(
            Quantity(
                f"peak, {clients} clients, {control} flow control",
                "cells",
                None,
                None,
                TABLE,
                PRINTED[clients][k],
                lost=LOST,
                seeds="mean",
            )
            for clients in CLIENTS
            for k, control in enumerate(CONTROLS)
        ),
        *(
            Quantity(
                f"saving, {clients} clients, light load",
                "1",
                1.0,
                None,
                f"{TABLE}: no more with flow control",
                PRINTED[clients][1] / PRINTED[clients][0],
                seeds="mean",
            )
            for clients in CLIENTS
        ),
        *(
            Quantity(
                f"saving, {clients} clients, heavy load",
                "1",
                1.0,
                None,
                f"{TABLE}: no more with flow control",
                seeds="mean",
            )
            for clients in CLIENTS
        ),
        Quantity(
            "growth of the saving from 4 to 15 clients, light load",
            "1",
            1.0,
            None,
            f"{TABLE}: 1 to 5.5",
            5.5,
            seeds="mean",
        ),
        Quantity(
            "response time with against without, 15 clients, light load",
            "1",
            None,
            1.05,
            "section 8.1: without increasing delay",
            1.0,
        ),
        Quantity(
            "response time with against without, 15 clients, heavy load",
            "1",
            None,
            1.05,
            "section 8.1: without increasing delay",
            1.0,
        ),
    ),
    scenarios=scenarios,
    measure=measure,
    figures=figures,
    seeds=tuple(range(1, 11)),
    note=(
        "Clients read files: calls of 200 bytes, answers of 200 bytes to 8 KiB, one at a time with a pause of 20 ms on"
        " average (about a disk access of the time) or, for a second load, 2 ms. Client k calls server k over one"
        " common link between two switches; each link has a loop of 5 us, so N2 + N3 = 18 cells. Peaks are extremes of"
        " one second and vary much with the seed. Without flow control k blocks that meet leave about 171 (k - 1)"
        " cells, with it about 18 k; so the saving grows as long as more clients mean more blocks that meet, and levels"
        " off at 171/18. The printed 6 cells for 4 clients say that no two blocks met."
    ),
)
