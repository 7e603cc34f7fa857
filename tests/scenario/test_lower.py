"""From scenarios to the engine document and back to the scenario with the engine's errors."""

import json
from pathlib import Path
from typing import Any

import pytest

from cellway import _engine
from cellway.scenario import Scenario, ScenarioError, from_dict, load, loads, lower, to_yaml, with_values

FULL = """\
cellway: 1
title: Everything that the language has
rate: 622.08 Mbit/s
duration: 20000 cell_times
warmup: 1000 cell_times
seed: 7
switches:
  s1:
    memory: 24000 cells
    port: {buffer: 1000 cells, schedule: {kind: fifo}}
    ports: {b: {buffer: 20 cells}, s2: {buffer: null, schedule: {kind: round_robin}}}
  s2:
hosts: [a, b, c, "src[1..3]", "dst[1..3]"]
links:
  - {between: [a, s1], delay: 77.5 cell_times}
  - between: ["src[1..3]", s1]
    rate: 155.52 Mbit/s
    impairments: [{kind: random_loss, probability: 10 %, cells: credit}]
  - {between: ["dst[1..3]", s2], length: 10 km}
  - {from: s1, to: b}
  - {between: [s1, s2]}
  - {between: [c, s2]}
vcs:
  vc1: {from: a, to: b, priority: 3, mcr: 4.1 Mbit/s, traffic: {kind: cbr, rate: 8.2 Mbit/s}}
  vc2:
    from: a
    to: [c, dst1]
    route: [[a, s1, s2, c], [a, s1, s2, dst1]]
    traffic: {kind: greedy}
    credit: {kind: n23, n2: 5 cells, n3: 155 cells}
    credits: {s1->s2: {n3: 200 cells}, a->s1: null, s2->c: {kind: cup}}
  "vx[1..3]":
    from: "src[1..3]"
    to: "dst[1..3]"
    traffic: {kind: greedy, start: 1 ms}
    credit: {kind: cup}
    credits: {"src[1..3]->s1": {n2: 5 cells}}
record:
  trace: ["src[1..3]->s1"]
  queue: [{switch: s1, port: b, vc: vc1}, {switch: s2, every: 1 ms}]
  credit: [{vc: vc2}, {link: s1->s2, vc: "vx[1..3]"}]
  throughput: [{link: s1->s2, cells: all}, {link: s2->s1, vc: vc2, cells: credit}]
  delay: [{vc: "vx[1..3]", to: "dst[1..3]"}]
  every: 25 cell_times
"""


def document(text: str) -> dict[str, Any]:
    return lower(loads(text)).document


def test_times() -> None:
    lowered = lower(loads(FULL))
    assert (lowered.duration_ps, lowered.warmup_ps) == (13_631_687_243, 681_584_362)  # 424 bit / 622.08 Mbit/s each
    assert lowered.document["seed"] == 7
    assert lowered.document["version"] == 1


def test_ports_take_the_switch_defaults_unless_their_own_say_otherwise() -> None:
    switches = document(FULL)["switches"]
    assert switches["s1"]["memory"] == 24_000
    assert switches["s1"]["ports"]["s1->a"] == {"buffer": 1000, "schedule": {"kind": "fifo"}}
    assert switches["s1"]["ports"]["s1->b"] == {"buffer": 20, "schedule": {"kind": "fifo"}}
    assert switches["s1"]["ports"]["s1->s2"] == {"buffer": None, "schedule": {"kind": "round_robin"}}
    assert switches["s2"] == {
        "memory": None,
        "ports": {f"s2->{name}": {"buffer": None} for name in ("dst1", "dst2", "dst3", "s1", "c")},
    }


def test_links() -> None:
    links = {link["name"]: link for link in document(FULL)["links"]}
    assert len(links) == 2 * 9 + 1
    loss = {"kind": "random_loss", "probability": 0.1, "cells": "credit"}
    assert links["s1->src2"] == {
        "name": "s1->src2", "from": "s1", "to": "src2", "rate": 155_520_000, "delay": 0, "impairments": [loss],
    }  # fmt: skip
    assert links["a->s1"]["rate"] == 622_080_000
    assert links["a->s1"]["delay"] == 52_822_788
    assert links["s2->dst3"]["delay"] == 50_000_000
    assert "b->s1" not in links


def test_vcs() -> None:
    vcs = document(FULL)["vcs"]
    assert list(vcs) == ["vc1", "vc2", "vx1", "vx2", "vx3"]
    assert vcs["vc1"]["priority"] == 3
    assert vcs["vc1"]["traffic"]["rate"] == [1_025_000, 53]
    assert vcs["vc1"]["mcr"] == [512_500, 53]
    assert "mcr" not in vcs["vc2"]
    assert vcs["vc2"]["to"] == ["c", "dst1"]
    assert vcs["vc2"]["links"] == ["a->s1", "s1->s2", "s2->c", "s2->dst1"]
    assert vcs["vx3"]["links"] == ["src3->s1", "s1->s2", "s2->dst3"]
    assert vcs["vx3"]["traffic"]["start"] == 1_000_000_000


def test_credit_of_single_links_merges_over_the_credit_of_the_vc() -> None:
    vcs = document(FULL)["vcs"]
    credit = vcs["vc2"]["credit"]
    assert list(credit) == ["s1->s2", "s2->c", "s2->dst1"]
    assert (credit["s1->s2"]["kind"], credit["s1->s2"]["n2"], credit["s1->s2"]["n3"]) == ("n23", 5, 200)
    assert (credit["s2->c"]["kind"], credit["s2->c"]["n2"], credit["s2->c"]["n3"]) == ("cup", 10, None)
    assert (credit["s2->dst1"]["n2"], credit["s2->dst1"]["n3"]) == (5, 155)
    assert vcs["vx2"]["credit"]["src2->s1"]["n2"] == 5
    assert vcs["vx2"]["credit"]["s1->s2"]["n2"] == 10


def test_an_application_that_answers_has_credit_on_the_way_back() -> None:
    text = """\
cellway: 1
rate: 155.52 Mbit/s
duration: 1 ms
hosts: [a, b]
switches: {s: }
links: [{between: [a, s]}, {between: [s, b]}]
vcs: {v: {from: a, to: b, traffic: {kind: rpc}, credit: {kind: cup}, credits: {b->s: {n2: 3 cells}}}}
"""
    vc = document(text)["vcs"]["v"]
    assert vc["links"] == ["a->s", "s->b"]
    assert list(vc["credit"]) == ["a->s", "s->b", "b->s", "s->a"]
    assert vc["credit"]["b->s"]["n2"] == 3
    _engine.Simulation(json.dumps(document(text)))


def test_probes() -> None:
    bin_ps = 17_039_609
    assert document(FULL)["probes"] == [
        *({"kind": "trace", "link": f"src{k}->s1"} for k in (1, 2, 3)),
        {"kind": "queue", "node": "s1", "link": "s1->b", "vc": "vc1", "every": bin_ps},
        {"kind": "queue", "node": "s2", "link": None, "vc": None, "every": 10**9},
        *({"kind": "credit", "link": link, "vc": "vc2", "every": bin_ps} for link in ("s1->s2", "s2->c", "s2->dst1")),
        *({"kind": "credit", "link": "s1->s2", "vc": f"vx{k}", "every": bin_ps} for k in (1, 2, 3)),
        {"kind": "throughput", "link": "s1->s2", "vc": None, "cells": "all", "every": bin_ps},
        {"kind": "throughput", "link": "s2->s1", "vc": "vc2", "cells": "credit", "every": bin_ps},
        *({"kind": "delay", "vc": f"vx{k}", "to": f"dst{k}"} for k in (1, 2, 3)),
    ]


def test_record_all() -> None:
    everything = (
        FULL[: FULL.index("record:")]
        + "record: {trace: all, queue: all, credit: all, throughput: all, delay: all, every: 1 us}\n"
    )
    probes = document(everything)["probes"]
    found = {
        kind: [probe for probe in probes if probe["kind"] == kind]
        for kind in ("trace", "queue", "credit", "throughput", "delay")
    }
    assert len(found["trace"]) == 19
    assert {probe["vc"] for probe in found["queue"] if probe["node"] == "s2"} == {None, "vc2", "vx1", "vx2", "vx3"}
    assert len(found["credit"]) == 3 + 3 * 3
    assert {probe["cells"] for probe in found["throughput"] if probe["link"] == "s2->s1"} == {"all", "credit"}
    assert [probe["vc"] for probe in found["delay"]] == ["vc1", "vc2", "vx1", "vx2", "vx3"]
    _engine.Simulation(
        json.dumps(document(everything.replace("schedule: {kind: fifo}", "schedule: {kind: round_robin}")))
    )


def test_the_engine_takes_what_the_language_can_say() -> None:
    simulation = _engine.Simulation(json.dumps(document(FULL.replace("kind: fifo", "kind: round_robin"))))
    simulation.advance(10**9)
    assert simulation.cell_hops > 0
    with pytest.raises(ValueError, match="at most 2\\^61 ps"):
        simulation.advance(2**61 + 1)


def test_digest_depends_on_meaning_alone() -> None:
    def digest(*edits: tuple[str, str]) -> str:
        text = FULL
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        return lower(loads(text)).digest

    assert digest() == digest(("title: Everything", "title: Whatever"))
    assert digest() == digest(
        ("10 %", "0.1"), ("length: 10 km", "delay: 50 us"), ("rate: 622.08 Mbit/s", "rate: 0.62208 Gbit/s")
    )
    assert digest() == digest(("{kind: cup}", "{kind: cup, n2: 10 cells}"))
    assert digest() != digest(("seed: 7", "seed: 8"))
    assert digest() != digest(("warmup: 1000", "warmup: 1001"))
    assert digest() != digest(("duration: 20000", "duration: 20001"))


# --- YAML, plain values and objects


def test_yaml_round_trip() -> None:
    scenario = loads(FULL)
    again = loads(to_yaml(scenario))
    assert again == scenario
    assert lower(again).document == lower(scenario).document
    assert to_yaml(again) == to_yaml(scenario)
    assert "vx[1..3]" in to_yaml(scenario)


def test_plain_values_round_trip() -> None:
    scenario = loads(FULL)
    plain = json.loads(json.dumps(scenario.to_data()))
    assert from_dict(plain) == scenario
    assert Scenario.model_validate_json(scenario.model_dump_json(by_alias=True)) == scenario


def test_from_dict_leaves_its_argument_alone() -> None:
    plain = loads(FULL).to_data()
    before = json.dumps(plain)
    from_dict(plain, ["hosts.a.schedule={kind: fifo}", "seed=3"])
    assert json.dumps(plain) == before


# --- the engine's errors


class Refusal:
    """An error of the engine."""

    def __init__(self, path: str, found: str = "", allowed: str = "") -> None:
        self.path, self.message, self.found, self.allowed = path, "no good", found, allowed


@pytest.mark.parametrize(
    ("engine_path", "line", "path"),
    [
        ("vcs.vc2.credit.s2->dst1.n2", 30, "vcs.vc2.credit.n2"),
        ("vcs.vc2.credit.s1->s2.n3", 31, "vcs.vc2.credits.s1->s2.n3"),
        ("vcs.vc2.credit.s1->s2.r", 31, "vcs.vc2.credits.s1->s2.r"),
        ("vcs.vc1.traffic.rate", 24, "vcs.vc1.traffic.rate"),
        ("vcs.vc1.priority", 24, "vcs.vc1.priority"),
        ("vcs.vc2.to[1]", 27, "vcs.vc2.to[1]"),
        ("vcs.vc2.links[2]", 28, "vcs.vc2.route[2]"),
        ("vcs.vx2.credit.src2->s1", 37, "vcs.vx[1..3].credits.src[1..3]->s1"),
        ("links[0].delay", 15, "links[0].delay"),
        ("links[0].rate", 3, "rate"),
        ("links[3].rate", 17, "links[1].rate"),
        ("links[3].impairments[0].probability", 18, "links[1].impairments[0].probability"),
        ("switches.s1.memory", 9, "switches.s1.memory"),
        ("switches.s1.ports.s1->b.buffer", 11, "switches.s1.ports.b.buffer"),
        ("switches.s1.ports.s1->b.schedule", 10, "switches.s1.port.schedule"),
        ("switches.s1.ports.s1->a.buffer", 10, "switches.s1.port.buffer"),
        ("hosts.src2.schedule", 13, "hosts.src[1..3].schedule"),
        ("probes[3].vc", 40, "record.queue[0].vc"),
        ("seed", 6, "seed"),
        ("somewhere.else", 1, "somewhere.else"),
        ("", 1, ""),
    ],
)  # fmt: skip
def test_relocates_errors_of_the_engine(engine_path: str, line: int, path: str) -> None:
    lowered = lower(loads(FULL, "full.yaml"))
    error = lowered.relocate(Refusal(engine_path, "3", "4"))
    assert (error.file, error.line, error.path) == ("full.yaml", line, path)
    assert str(error).endswith("; found 3; allowed: 4")


def test_names_the_element_of_a_range() -> None:
    error = lower(loads(FULL)).relocate(Refusal("vcs.vx2.traffic.start"))
    assert error.message == "no good (for vx2)"


@pytest.mark.parametrize(
    ("old", "new", "line", "path", "fragment"),
    [
        ("n2: 5 cells, n3: 155", "n2: 0 cells, n3: 155", 30, "vcs.vc2.credit.n2", ""),
        ("n3: 155 cells", "n3: 155 cells, r: 1 ns", 30, "vcs.vc2.credit.r", "R is shorter than the loop of this link"),
        ("n3: 200 cells", "n3: 200 cells, timeout: 0 s", 31, "vcs.vc2.credits.s1->s2.timeout", "more than 0 s"),
        ("start: 1 ms", "start: 1 ms, stop: 1 us", 35, "vcs.vx[1..3].traffic.stop", "(for vx1)"),
        ("rate: 8.2 Mbit/s", "rate: 0 Mbit/s", 24, "vcs.vc1.traffic.rate", ""),
    ],
)  # fmt: skip
def test_real_errors_of_the_engine(old: str, new: str, line: int, path: str, fragment: str) -> None:
    assert old in FULL
    lowered = lower(loads(FULL.replace("kind: fifo", "kind: round_robin").replace(old, new), "full.yaml"))
    with pytest.raises(_engine.EngineError) as caught:
        _engine.Simulation(lowered.json)
    error = lowered.relocate(caught.value)
    assert (error.line, error.path) == (line, path), str(error)
    assert fragment in str(error)


# --- trace files


def test_trace_file_is_relative_to_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "cells.txt").write_text("# time, cells\n0 s, 1 cell\n\n1.5 us, 3 cells  # a burst\n", encoding="utf-8")
    text = """\
cellway: 1
rate: 1 Mbit/s
duration: 1 s
hosts: [a, b]
links: [{between: [a, b]}]
vcs:
  v: {from: a, to: b, traffic: {kind: trace_file, file: cells.txt, repeat: 1 ms}}
"""
    (tmp_path / "x.yaml").write_text(text, encoding="utf-8")
    scenario = load(tmp_path / "x.yaml")
    lowered = lower(scenario)
    assert lowered.document["vcs"]["v"]["traffic"] == {
        "kind": "trace", "events": [{"at": 0, "cells": 1}, {"at": 1_500_000, "cells": 3}], "repeat": 10**9,
        "as_message": False, "start": 0, "stop": None,
    }  # fmt: skip
    _engine.Simulation(lowered.json)
    assert "file: cells.txt" in to_yaml(scenario)
    assert lower(with_values(scenario, {"seed": 2})).document["vcs"] == lowered.document["vcs"]
    for content, message in [
        (b"0 s 1 cell\n", "line 1 of the trace file is no event"),
        (b"\n0 s, 1\n", "line 2 of the trace file: a number of cells needs a unit"),
        (b"\xff", "the trace file is not text in UTF-8"),
    ]:
        (tmp_path / "cells.txt").write_bytes(content)
        with pytest.raises(ScenarioError) as caught:
            load(tmp_path / "x.yaml")
        assert message in str(caught.value)
        assert (caught.value.line, caught.value.path) == (7, "vcs.v.traffic.file")
    (tmp_path / "cells.txt").unlink()
    with pytest.raises(ScenarioError, match="No such file"):
        load(tmp_path / "x.yaml")
