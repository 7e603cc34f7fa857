"""TCP, contracts, policing and frame discard in the language: what reaches the engine, and errors at their place."""

import json
from typing import Any

import pytest

from cellway import _engine, check
from cellway.reference import UnknownName, algorithms, explain
from cellway.scenario import (
    Port,
    ScenarioError,
    SelectiveDropDiscard,
    TcpTraffic,
    loads,
    lower,
    to_yaml,
    with_values,
)

TEXT = """\
cellway: 1
rate: 149.7 Mbit/s
duration: 10 ms
switches:
  s1:
    ports: {s2: {buffer: 1000 cells, schedule: {kind: wfq}, discard: {kind: weighted_buffer_allocation, fraction: 0.4}}}
  s2:
hosts: [a, b, c]
links:
  - {between: [a, s1], delay: 5 us}
  - {between: [c, s1]}
  - {between: [s1, s2]}
  - {between: [s2, b]}
vcs:
  bulk:
    from: a
    to: b
    mcr: 42.4 Mbit/s
    police: {kind: frame_gcra, mbs: 46 cells, cdvt: 3 us}
    traffic: {kind: tcp, connections: 3, window: 600000 B, congestion: {kind: sack1}, phase: 0 s}
  video:
    from: c
    to: b
    mcr: 10000 cells/s
    police: {kind: gcra, action: discard}
    traffic: {kind: cbr, rate: 10000 cells/s}
record:
  tcp: [{vc: bulk}, {vc: bulk, connection: 1, quantity: rto, every: 1 ms}]
"""


def document(text: str = TEXT) -> dict[str, Any]:
    return lower(loads(text)).document


def test_what_reaches_the_engine() -> None:
    found = document()
    bulk, video = found["vcs"]["bulk"], found["vcs"]["video"]
    assert bulk["mcr"] == [100_000, 1]
    assert (bulk["police"]["kind"], bulk["police"]["mbs"], bulk["police"]["cdvt"]) == ("frame_gcra", 46, 3_000_000)
    assert video["police"]["action"] == "discard"
    tcp = bulk["traffic"]
    assert (tcp["kind"], tcp["connections"], tcp["window"], tcp["mss"]) == ("tcp", 3, 600_000, 1024)
    assert tcp["congestion"] == {"kind": "sack1"}
    port = found["switches"]["s1"]["ports"]["s1->s2"]
    assert port["schedule"]["kind"] == "wfq"
    assert (port["discard"]["kind"], port["discard"]["fraction"]) == ("weighted_buffer_allocation", 0.4)
    _engine.Simulation(json.dumps(found))


def test_absent_is_absent() -> None:
    plain = document(TEXT.replace("    mcr: 10000 cells/s\n    police: {kind: gcra, action: discard}\n", ""))
    assert not {"mcr", "police"} & plain["vcs"]["video"].keys()


def test_probes_of_connections() -> None:
    cwnd = [{"kind": "tcp", "vc": "bulk", "connection": k, "quantity": "cwnd", "every": None} for k in range(3)]
    rto = {"kind": "tcp", "vc": "bulk", "connection": 1, "quantity": "rto", "every": 10**9}
    assert document()["probes"] == [*cwnd, rto]
    everything = TEXT[: TEXT.index("record:")] + "record: {tcp: all}\n"
    assert document(everything)["probes"] == cwnd


def test_python_and_yaml_agree() -> None:
    scenario = loads(TEXT)
    assert isinstance(scenario.vcs["bulk"].traffic, TcpTraffic)
    assert loads(to_yaml(scenario)) == scenario
    assert TcpTraffic().congestion.kind == "sack"
    changed = with_values(scenario, {"vcs.bulk.traffic.congestion": {"kind": "reno"}})
    assert lower(changed).document["vcs"]["bulk"]["traffic"]["congestion"] == {"kind": "reno"}
    assert Port(discard=SelectiveDropDiscard(z=0.9)).discard == SelectiveDropDiscard(z=0.9)


@pytest.mark.parametrize(
    ("old", "new", "line", "path", "message"),
    [
        ("mcr: 42.4 Mbit/s", "mcr: 42.4 km", 18, "vcs.bulk.mcr", "is no unit of a cell rate"),
        ("kind: frame_gcra", "kind: frame_gcr", 19, "vcs.bulk.police.kind", "did you mean 'frame_gcra'"),
        ("mbs: 46 cells, ", "", 19, "vcs.bulk.police.mbs", "required, but missing"),
        ("action: discard", "action: drop", 25, "vcs.video.police.action", "allowed: tag, discard"),
        ("kind: sack1", "kind: sack2", 20, "vcs.bulk.traffic.congestion.kind", "unknown congestion 'sack2'"),
        ("{kind: sack1}", "sack1", 20, "vcs.bulk.traffic.congestion", "did you mean '{kind: sack1}'"),
        ("window: 600000 B", "window: 600000", 20, "vcs.bulk.traffic.window", "needs a unit"),
        ("kind: wfq", "kind: wfqueue", 6, "switches.s1.ports.s2.schedule.kind", "did you mean 'wfq'"),
        ("[{vc: bulk},", "[{vc: video},", 28, "record.tcp[0].vc", "VC 'video' carries no TCP"),
        ("[{vc: bulk},", "[{vc: blk},", 28, "record.tcp[0].vc", "did you mean 'bulk'"),
        ("connection: 1", "connection: 3", 28, "record.tcp[1].connection", "found 3; allowed: 0 to 2"),
        ("quantity: rto", "quantity: rtt", 28, "record.tcp[1].quantity", "unknown value 'rtt'"),
        # what the engine finds
        ("fraction: 0.4", "fraction: 1.4", 6, "switches.s1.ports.s2.discard.fraction", ""),
        ("window: 600000 B", "window: 600 B", 20, "vcs.bulk.traffic.window", "window"),
        ("phase: 0 s", "phase: 0 s, sack_blocks: 9", 20, "vcs.bulk.traffic.sack_blocks", "allowed: 1 to 4"),
        ("mbs: 46 cells", "mbs: 0 cells", 19, "vcs.bulk.police.mbs", "a burst without cells"),
        ("    mcr: 10000 cells/s\n", "", 24, "vcs.video.police", ""),
    ],
)  # fmt: skip
def test_errors_at_their_place(old: str, new: str, line: int, path: str, message: str) -> None:
    assert TEXT.count(old) == 1
    with pytest.raises(ScenarioError) as caught:
        check(loads(TEXT.replace(old, new), "tcp.yaml"))
    error = caught.value
    assert (error.line, error.path.startswith(path)) == (line, True), str(error)
    assert message in str(error)


def test_no_tcp_to_record() -> None:
    tcp = "kind: tcp, connections: 3, window: 600000 B, congestion: {kind: sack1}, phase: 0 s"
    text = TEXT.replace(tcp, "kind: greedy")
    with pytest.raises(ScenarioError, match=r"record\.tcp.*VC 'bulk' carries no TCP"):
        document(text)
    with pytest.raises(ScenarioError, match="no VC here carries TCP"):
        document(text[: text.index("record:")] + "record: {tcp: all}\n")


def test_list_and_explain_know_the_new_families() -> None:
    assert {one.kind for one in algorithms("police")} >= {"gcra", "frame_gcra"}
    assert {one.kind for one in algorithms("congestion")} >= {"tahoe", "reno", "new_reno", "sack", "sack1"}
    [tcp] = explain("tcp")[:1]
    wanted = {key.path: key.wanted for key in tcp.parameters}  # type: ignore[union-attr]
    assert wanted["congestion"].startswith("mapping with `kind`: tahoe")
    assert wanted["window"].startswith("number of bytes")
    with pytest.raises(UnknownName, match="did you mean 'police'"):
        algorithms("polcie")
