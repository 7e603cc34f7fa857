"""ABR in the language: services of VCs, rate algorithms of ports, return traffic, and what is recorded of them."""

from typing import Any

import pytest

import cellway
from cellway.scenario import (
    VC,
    Abr,
    CbrTraffic,
    CountBasedUili,
    GreedyTraffic,
    NoneUili,
    Port,
    ScenarioError,
    loads,
    lower,
    to_yaml,
    with_values,
)

FULL = """\
cellway: 1
rate: 155.52 Mbit/s
duration: 10 ms
switches:
  s1: {port: {rate: {kind: erica, target_utilisation: 0.95}}, ports: {b: {rate: {kind: efci}}, c: {rate: null}}}
  s2: {ports: {d: {buffer: 100 cells}}}
hosts: [a, b, c, d]
links:
  - {between: [a, s1], delay: 5 us}
  - {between: [s1, b]}
  - {between: [s1, c]}
  - {between: [s1, s2]}
  - {between: [s2, d]}
vcs:
  plain: {from: a, to: b, traffic: {kind: greedy}, abr: {}}
  both:
    from: a
    to: d
    mcr: 1 Mbit/s
    traffic: {kind: greedy}
    return_traffic: {kind: cbr, rate: 10 Mbit/s}
    abr:
      icr: 42.4 Mbit/s
      rif: 1
      adtf: null
      crm: 128
      uili: {kind: count_based, headroom: 4.24 Mbit/s, tdf: 1/16}
    return_abr: {uili: {kind: time_based, floor: max, tc: 30 ms}}
  calls: {from: c, to: b, traffic: {kind: rpc}, abr: {}}
  other: {from: c, to: d, traffic: {kind: greedy}, return_traffic: {kind: greedy}}
"""


def document(text: str) -> dict[str, Any]:
    return lower(loads(text)).document


def probes(record: str, kind: str) -> list[dict[str, Any]]:
    return [probe for probe in document(f"{FULL}record: {record}\n")["probes"] if probe["kind"] == kind]


def test_parameters_reach_the_engine_in_its_units() -> None:
    vcs = document(FULL)["vcs"]
    abr = vcs["both"]["abr"]
    assert abr["icr"][0] / abr["icr"][1] == 100_000
    assert (abr["rif"], abr["adtf"], abr["crm"], abr["nrm"], abr["pcr"]) == (1.0, None, 128, 32, None)
    assert abr["uili"]["kind"] == "count_based"
    assert abr["uili"]["headroom"][0] / abr["uili"]["headroom"][1] == 10_000
    assert vcs["both"]["return_abr"]["uili"] | {"tof": 2.0} == {
        "kind": "time_based", "floor": "max", "tof": 2.0, "tc": 30_000_000_000, "addf": 2.0, "pni": False,
    }  # fmt: skip
    assert vcs["both"]["return_traffic"]["kind"] == "cbr"
    assert vcs["plain"]["abr"]["uili"] == {"kind": "none"}
    assert not {"return_abr", "return_traffic", "mcr"} & vcs["plain"].keys()
    assert "abr" not in vcs["other"]


def test_ports_have_rate_algorithms() -> None:
    switches = document(FULL)["switches"]
    ports = switches["s1"]["ports"]
    assert ports["s1->a"]["rate"]["target_utilisation"] == 0.95
    assert ports["s1->b"]["rate"]["kind"] == "efci"
    assert "rate" not in ports["s1->c"]
    assert "rate" not in switches["s2"]["ports"]["s2->d"]


def test_yaml_and_python_say_the_same() -> None:
    scenario = loads(FULL)
    assert loads(to_yaml(scenario)) == scenario
    vc = VC(from_="a", to="b", traffic=GreedyTraffic(), abr=Abr(icr="10 Mbit/s", uili=CountBasedUili()))
    assert scenario.vcs["plain"].abr == Abr()
    assert vc.abr is not None
    assert vc.abr.uili != NoneUili()
    changed = with_values(scenario, ["vcs.plain.abr.uili={kind: baseline}", "vcs.both.abr.nrm=16"])
    assert lower(changed).document["vcs"]["plain"]["abr"]["uili"]["kind"] == "baseline"
    assert lower(changed).document["vcs"]["both"]["abr"]["nrm"] == 16


def test_recording_rates_of_sources() -> None:
    assert [(one["vc"], one["returning"]) for one in probes("{acr: all}", "acr")] == [
        ("plain", False), ("both", False), ("both", True), ("calls", False), ("calls", True),
    ]  # fmt: skip
    some = "{er: [{vc: plain}, {vc: both, direction: return, every: 1 ms}], every: 2 ms}"
    assert probes(some, "er") == [
        {"kind": "er", "vc": "plain", "returning": False, "every": 2_000_000_000},
        {"kind": "er", "vc": "both", "returning": True, "every": 1_000_000_000},
    ]


def test_recording_rate_algorithms() -> None:
    every = probes("{rate: all}", "rate")
    assert {one["link"] for one in every} == {"s1->a", "s1->b", "s1->s2"}
    assert "fair_share" in {one["quantity"] for one in every if one["link"] == "s1->s2"}
    assert probes("{rate: [{link: s1->s2}]}", "rate") == [
        {"kind": "rate", "link": "s1->s2", "quantity": "fair_share", "every": None}
    ]


def test_recording_bursts() -> None:
    assert probes("{bursts: [{vc: calls}]}", "bursts") == [{"kind": "bursts", "vc": "calls"}]
    assert len(probes("{bursts: all}", "bursts")) == 4


def test_return_links_can_be_recorded() -> None:
    found = probes("{throughput: [{link: d->s2, vc: both}, {link: b->s1, vc: plain}], every: 1 ms}", "throughput")
    assert [one["link"] for one in found] == ["d->s2", "b->s1"]


@pytest.mark.parametrize(
    ("record", "path", "message"),
    [
        ("{acr: [{vc: other}]}", "record.acr[0].vc", "VC 'other' has no ABR service"),
        ("{acr: [{vc: plian}]}", "record.acr[0].vc", "there is no VC 'plian'; did you mean 'plain'?"),
        (
            "{er: [{vc: both, direction: back}]}",
            "record.er[0].direction",
            "'back'; allowed: forward, return",
        ),
        ("{rate: [{link: s1->c}]}", "record.rate[0].link", "'s1->c' leaves no port with a rate algorithm"),
        ("{rate: [{link: a->s1}]}", "record.rate[0].link", "'a->s1' leaves no port with a rate algorithm"),
        ("{rate: [{link: s1->s2, quantity: overlaod}]}", "record.rate[0].quantity", "did you mean 'overload'?"),
        ("{bursts: [{vc: cals}]}", "record.bursts[0].vc", "did you mean 'calls'?"),
    ],
)
def test_what_cannot_be_recorded(record: str, path: str, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        lower(loads(f"{FULL}record: {record}\n"))
    assert f"{path}: " in str(error.value)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("change", "path", "message"),
    [
        ("vcs.plain.abr.uili={kind: count}", "vcs.plain.abr.uili.kind", "did you mean 'count_based'?"),
        ("vcs.plain.abr={icrr: 1 Mbit/s}", "vcs.plain.abr.icrr", "did you mean 'icr'?"),
        ("vcs.plain.abr={icr: 10}", "vcs.plain.abr.icr", "needs a unit"),
        ("vcs.plain.abr={nrm: 33}", "vcs.plain.abr.nrm", "power of two"),
        ("vcs.plain.abr={rif: 0.3}", "vcs.plain.abr.rif", "power of two"),
        ("vcs.plain.abr={icr: 200 Mbit/s}", "vcs.plain.abr.icr", "not between MCR and PCR"),
        ("vcs.plain.abr={uili: {kind: time_based, tof: 0}}", "vcs.plain.abr.uili.tof", "above 0"),
        ("vcs.plain.to=[b, c]", "vcs.plain.to", "one destination"),
        ("vcs.other.return_abr={}", "vcs.other.return_abr", "abr"),
        ("vcs.calls.return_traffic={kind: greedy}", "vcs.calls.return_traffic", "answers"),
        ("switches.s1.port.rate={kind: erica, interval: 0 s}", "switches.s1.port.rate.interval", "0 s"),
        ("switches.s1.port.rate={kind: rcp}", "switches.s1.port.rate.kind", "unknown rate 'rcp'; "),
    ],
)
def test_what_is_wrong_is_said_where_it_stands(change: str, path: str, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        cellway.check(with_values(loads(FULL), [change]))
    assert f"{path}: " in str(error.value)
    assert message in str(error.value)


def test_the_language_explains_itself() -> None:
    from cellway.reference import explain

    [policy] = explain("uili.count_based")
    assert "headroom" in {key.path for key in policy.parameters}  # type: ignore[union-attr]
    assert {key.path for key in explain("icr")} == {"vcs.abr.icr", "vcs.return_abr.icr"}  # type: ignore[union-attr]
    [record] = explain("record.acr")
    assert "Allowed cell rate" in record.text
    assert Port().rate is None
    assert CbrTraffic.family == "traffic"
