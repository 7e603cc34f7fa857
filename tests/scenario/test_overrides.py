"""`--set PATH=VALUE`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellway.scenario import Scenario, ScenarioError, loads
from cellway.scenario.overrides import parse_override, parse_path

TEXT = """\
cellway: 1
rate: 155.52 Mbit/s
duration: 10 ms
switches: {s1: }
hosts: [a, b, "src[1..3]"]
links:
  - {between: [a, s1], delay: 5 us}
  - {between: [s1, b]}
  - {between: ["src[1..3]", s1]}
vcs:
  vc1: {from: a, to: b, traffic: {kind: greedy}, credit: {kind: n23, n3: 51 cells}}
  "vx[1..3]": {from: "src[1..3]", to: b, traffic: {kind: cbr, rate: 1 Mbit/s}}
"""


def changed(*options: str) -> Scenario:
    return loads(TEXT, "f.yaml", options)


def test_paths() -> None:
    assert parse_path("seed") == ("seed",)
    assert parse_path("vcs.vc1.credit.n3") == ("vcs", "vc1", "credit", "n3")
    assert parse_path("links[0].rate") == ("links", 0, "rate")
    assert parse_path("links.0.rate") == ("links", "0", "rate")
    assert parse_path("vcs.vx[1..3].traffic.rate") == ("vcs", "vx[1..3]", "traffic", "rate")
    assert parse_path("vcs.vx.credits.src[1..3]->s1.n2") == ("vcs", "vx", "credits", "src[1..3]->s1", "n2")
    assert parse_path('vcs."odd.name".priority') == ("vcs", "odd.name", "priority")
    assert parse_path("a[0][1]") == ("a", 0, 1)


@pytest.mark.parametrize("path", ["", ".", "a.", ".a", "a..b", "[0]", "a[", "a[x]", "a]", 'a"b', "a[0]b", "a.[0]"])
def test_malformed_paths(path: str) -> None:
    with pytest.raises(ScenarioError, match="malformed path"):
        parse_override(f"{path}=1")


def test_replaces_values() -> None:
    scenario = changed(
        "vcs.vc1.credit.n3=63 cells", "links[0].delay=1 ms", "links.1.rate=1 Gbit/s", "vcs.vx[1..3].priority=2"
    )
    assert str(scenario.vcs["vc1"].credit.n3) == "63 cells"
    assert str(scenario.links[0].delay) == "1 ms"
    assert str(scenario.links[1].rate) == "1 Gbit/s"
    assert scenario.vcs["vx[1..3]"].priority == 2


def test_adds_what_the_file_leaves_to_its_default() -> None:
    scenario = changed(
        "seed=5",
        "record.every=1 ms",
        "record.queue=all",
        "switches.s1.port.buffer=9 cells",
        "hosts.a.schedule.kind=fifo",
    )
    assert scenario.seed == 5
    assert str(scenario.record.every) == "1 ms"
    assert str(scenario.switches["s1"].port.buffer) == "9 cells"
    assert scenario.hosts["a"].schedule.kind == "fifo"


def test_values_are_yaml() -> None:
    scenario = changed("vcs.vc1.traffic={kind: cbr, rate: 1 Mbit/s}", "vcs.vc1.credit=null", "title='a = b'")
    assert scenario.vcs["vc1"].traffic.kind == "cbr"
    assert scenario.vcs["vc1"].credit is None
    assert scenario.title == "a = b"


def test_the_last_one_wins() -> None:
    assert changed("seed=5", "seed=6").seed == 6


@pytest.mark.parametrize(
    ("option", "path", "fragment"),
    [
        ("seed", "", "no value to set"),
        ("sede=1", "sede", "unknown key 'sede'; did you mean 'seed'?"),
        ("seed=one", "seed", "must be a whole number; found 'one'"),
        ("duration=5", "duration", "needs a unit"),
        ("vcs.vc2.priority=1", "vcs.vc2", "there is no 'vc2' in vcs; did you mean 'vc1'? allowed: vc1, vx[1..3]"),
        ("vcs.vx2.priority=1", "vcs.vx2", "did you mean 'vx[1..3]'?"),
        ("vcs.vc1.credit.n4=1 cell", "vcs.vc1.credit.n4", "unknown key 'n4'"),
        ("vcs.vc1.credt.n3=1 cell", "vcs.vc1.credt", "unknown key 'credt'; did you mean 'credit'?"),
        ("vcs.vc1.credit.n3.x=1 cell", "vcs.vc1.credit.n3", "holds a single value; found '51 cells'"),
        ("links[9].rate=1 Mbit/s", "links[9]", "there is no such element; allowed: an index from 0 to 2"),
        ("links.x.rate=1 Mbit/s", "links.x", "there is no such element"),
        ("hosts.z.schedule={kind: fifo}", "hosts.z", "there is no 'z' in hosts"),
        ("vcs.vc1.to=c", "vcs.vc1.to", "there is no host 'c'"),
        ("vcs.vc1.traffic={kind: [}", "vcs.vc1.traffic", "not YAML"),
        ("title=\x07", "title", "this character is not allowed"),
        ("record.every=5", "record.every", "needs a unit"),
        ("seed.x=5", "seed", "must be a whole number; found a mapping"),
    ],
)  # fmt: skip
def test_bad_overrides_name_the_option(option: str, path: str, fragment: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        changed(option)
    error = caught.value
    assert len(error.problems) == 1, str(error)
    assert (error.file, error.line, error.path) == (f"--set {option}", None, path)
    assert fragment in str(error)


def test_errors_of_the_file_still_have_their_line() -> None:
    with pytest.raises(ScenarioError) as caught:
        loads(TEXT.replace("to: b, traffic: {kind: greedy}", "to: z, traffic: {kind: greedy}"), "f.yaml", ["seed=2"])
    assert (caught.value.file, caught.value.line) == ("f.yaml", 11)


@given(st.text(max_size=40), st.text(max_size=20))
def test_any_option_is_taken_or_refused(path: str, value: str) -> None:
    refusal = None
    try:
        changed(f"{path}={value}")
    except ScenarioError as error:
        refusal = error
    assert refusal is None or refusal.message


@given(
    st.sampled_from(["vcs", "links", "hosts", "switches", "record", "rate", "vcs.vc1", "links[0]", "vcs.vc1.traffic"]),
    st.text("abc.[]012", max_size=12),
    st.text(alphabet="01 abcms{}[]:,", max_size=12),
)
def test_options_near_the_truth_are_taken_or_refused(path: str, more: str, value: str) -> None:
    refusal = None
    try:
        changed(f"{path}{more}={value}")
    except ScenarioError as error:
        refusal = error
    assert refusal is None or refusal.message
