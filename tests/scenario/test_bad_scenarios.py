"""Every kind of bad scenario gives one clear error with file, line and path, and no other exception."""

# ruff: noqa: E501 (one row for each case)
from pathlib import Path

import pytest

from cellway.scenario import ScenarioError, load, loads

GOOD = """\
cellway: 1
rate: 155.52 Mbit/s
duration: 10 ms
switches:
  s1: {memory: 100 cells}
  s2:
hosts: [a, b, c]
links:
  - {between: [a, s1], delay: 5 us}
  - {between: [s1, s2]}
  - {between: [s2, b]}
  - {between: [s2, c]}
vcs:
  vc1:
    from: a
    to: b
    traffic: {kind: greedy}
    credit: {kind: n23, n2: 10 cells, n3: 51 cells}
"""
LINES = len(GOOD.splitlines())

# name: (edits by line number (LINES + 1 appends), line of the error, path, part of the rendered error)
CASES: dict[str, tuple[dict[int, str], int, str, str]] = {
    # keys
    "unknown key at the top": ({3: "duration: 10 ms\nsed: 1"}, 4, "sed", "unknown key 'sed'; did you mean 'seed'?"),
    "unknown key of a switch": ({5: "  s1: {memmory: 1 cell}"}, 5, "switches.s1.memmory", "did you mean 'memory'?"),
    "unknown key of a link": ({9: "  - {between: [a, s1], dely: 5 us}"}, 9, "links[0].dely", "did you mean 'delay'?"),
    "unknown key of a VC": ({17: "    trafic: {kind: greedy}\n    traffic: {kind: greedy}"}, 17, "vcs.vc1.trafic", "did you mean 'traffic'?"),
    "unknown key of traffic": ({17: "    traffic: {kind: greedy, strat: 1 ms}"}, 17, "vcs.vc1.traffic.strat", "did you mean 'start'?"),
    "unknown key of credit": ({18: "    credit: {kind: n23, n4: 1 cell}"}, 18, "vcs.vc1.credit.n4", "allowed: kind, n2, n3"),
    "key of another algorithm": ({18: "    credit: {kind: cup, r: 1 ms}"}, 18, "vcs.vc1.credit.r", "unknown key 'r'"),
    "duplicate key": ({3: "duration: 10 ms\nduration: 11 ms"}, 4, "", "duplicate key 'duration'; allowed: each key once; the first is on line 3"),
    "duplicate VC": ({14: "  vc1: {from: a, to: b, traffic: {kind: greedy}}\n  vc1:"}, 15, "", "duplicate key 'vc1'"),
    "numeric key": ({14: "  1:"}, 14, "", "a key must be text; quote it: '1'"),
    # required
    "no version": ({1: "title: x"}, 1, "cellway", "required, but missing"),
    "another version": ({1: "cellway: 2"}, 1, "cellway", "unknown value 2; allowed: 1"),
    "no duration": ({3: "seed: 1"}, 1, "duration", "required, but missing; allowed: a duration such as '5 ms'"),
    "no source": ({15: "    priority: 1"}, 14, "vcs.vc1.from", "required, but missing"),
    "no traffic": ({17: "    priority: 1"}, 14, "vcs.vc1.traffic", "required, but missing; allowed: kind: greedy"),
    "no kind": ({17: "    traffic: {start: 1 ms}"}, 17, "vcs.vc1.traffic.kind", "required, but missing; allowed: greedy"),
    "no parameter": ({17: "    traffic: {kind: cbr}"}, 17, "vcs.vc1.traffic.rate", "required, but missing; allowed: a cell rate"),
    "no rate anywhere": ({2: "seed: 1", 10: "  - {between: [s1, s2], rate: 1 Mbit/s}", 11: "  - {between: [s2, b], rate: 1 Mbit/s}", 12: "  - {between: [s2, c], rate: 1 Mbit/s}"}, 9, "links[0].rate", "required, but missing"),
    "no end of a link": ({9: "  - {from: a}"}, 9, "links[0].to", "required, but missing"),
    "empty list of links": ({8: "links: []", 9: "", 10: "", 11: "", 12: ""}, 8, "links", "needs at least 1"),
    "empty VCs": ({13: "vcs: {}", **dict.fromkeys(range(14, 19), "")}, 13, "vcs", "needs at least 1"),
    # kinds
    "unknown traffic": ({17: "    traffic: {kind: gredy}"}, 17, "vcs.vc1.traffic.kind", "unknown traffic 'gredy'; did you mean 'greedy'? allowed: greedy"),
    "unknown credit": ({18: "    credit: {kind: n32}"}, 18, "vcs.vc1.credit.kind", "unknown credit 'n32'; did you mean 'n23'?"),
    "unknown discard": ({5: "  s1: {port: {discard: {kind: codel}}}"}, 5, "switches.s1.port.discard.kind", "unknown discard 'codel'; allowed: tail_drop, ppd, epd"),
    "kind without braces": ({17: "    traffic: greedy"}, 17, "vcs.vc1.traffic", "did you mean '{kind: greedy}'?"),
    "kind is a list": ({17: "    traffic: {kind: [greedy]}"}, 17, "vcs.vc1.traffic.kind", "unknown traffic a list"),
    "unknown choice": ({9: "  - {between: [a, s1], impairments: [{kind: random_loss, probability: 0.1, cells: credits}]}"}, 9, "links[0].impairments[0].cells", "did you mean 'credit'?"),
    # quantities
    "missing unit": ({3: "duration: 10"}, 3, "duration", "needs a unit; a bare number means nothing; found 10"),
    "missing unit of cells": ({18: "    credit: {kind: n23, n2: 10}"}, 18, "vcs.vc1.credit.n2", "needs a unit"),
    "wrong dimension": ({3: "duration: 10 km"}, 3, "duration", "'km' is no unit of a duration"),
    "wrong dimension of a rate": ({2: "rate: 155.52 Mbit"}, 2, "rate", "'Mbit' is no unit of a bit rate"),
    "unknown unit": ({2: "rate: 155.52 Mbt/s"}, 2, "rate", "unknown unit 'Mbt/s'; found '155.52 Mbt/s'; did you mean 'Mbit/s'?"),
    "millibit": ({2: "rate: 155.52 mbit/s"}, 2, "rate", "did you mean 'Mbit/s'?"),
    "negative rate": ({2: "rate: -155.52 Mbit/s"}, 2, "rate", "a bit rate cannot be negative; found '-155.52 Mbit/s'"),
    "zero rate": ({10: "  - {between: [s1, s2], rate: 0 Mbit/s}"}, 10, "links[1].rate", "must be more than zero"),
    "negative delay": ({9: "  - {between: [a, s1], delay: -5 us}"}, 9, "links[0].delay", "cannot be negative"),
    "zero duration": ({3: "duration: 0 s"}, 3, "duration", "must be more than zero"),
    "zero buffer": ({5: "  s1: {port: {buffer: 0 cells}}"}, 5, "switches.s1.port.buffer", "must be more than zero"),
    "half a cell": ({5: "  s1: {memory: 0.5 cells}"}, 5, "switches.s1.memory", "must be whole"),
    "not a number": ({3: "duration: nan s"}, 3, "duration", "must be a finite number"),
    "bare infinity": ({3: "duration: .inf"}, 3, "duration", "must be a finite number"),
    "infinity": ({2: "rate: inf Mbit/s"}, 2, "rate", "must be a finite number"),
    "a year": ({3: "duration: 365 d"}, 3, "duration", "absurdly large; found '365 d'; allowed: at most 26 days"),
    "a year of cell times": ({3: "duration: 1e13 cell_times"}, 3, "duration", "absurdly large"),
    "huge exponent": ({5: "  s1: {memory: 1e999 cells}"}, 5, "switches.s1.memory", "absurdly large"),
    "huge integer": ({3: f"duration: 1 s\nseed: {10**90}"}, 4, "seed", "absurdly large"),
    "endless integer": ({3: f"duration: 1 s\nseed: {'9' * 9000}"}, 4, "", "absurdly large"),
    "negative seed": ({3: "duration: 1 s\nseed: -1"}, 4, "seed", "must be at least 0"),
    "seed is text": ({3: "duration: 1 s\nseed: one"}, 4, "seed", "must be a whole number; found 'one'"),
    "seed is true": ({3: "duration: 1 s\nseed: true"}, 4, "seed", "must be a whole number; found true"),
    "fraction beyond 1": ({9: "  - {between: [a, s1], impairments: [{kind: random_loss, probability: 110 %}]}"}, 9, "links[0].impairments[0].probability", "between 0 and 1"),
    "cell times without a rate": ({2: "seed: 1", 3: "duration: 100 cell_times", **{n: f"  - {{between: {ends}, rate: 1 Mbit/s}}" for n, ends in enumerate(("[a, s1]", "[s1, s2]", "[s2, b]", "[s2, c]"), 9)}}, 3, "duration", "undefined without the scenario's `rate`"),
    "ambiguous KB": ({17: "    traffic: {kind: greedy}\n    credit: {kind: n23, n2: 8 KB}", 18: ""}, 18, "vcs.vc1.credit.n2", "'KB' is ambiguous"),
    "warm-up longer than the run": ({3: "duration: 10 ms\nwarmup: 10 ms"}, 4, "warmup", "no shorter than the run"),
    "priority out of range": ({16: "    to: b\n    priority: 64"}, 17, "vcs.vc1.priority", "must be at most 63; found 64"),
    # names and references
    "unknown host": ({16: "    to: d"}, 16, "vcs.vc1.to", "there is no host 'd'"),
    "misspelt host": ({7: "hosts: [alpha, b, c]", 9: "  - {between: [alpha, s1]}", 15: "    from: alhpa"}, 15, "vcs.vc1.from", "there is no host 'alhpa'; did you mean 'alpha'?"),
    "VC ends at a switch": ({16: "    to: s2"}, 16, "vcs.vc1.to", "'s2' is a switch; VCs begin and end at hosts"),
    "VC to itself": ({16: "    to: a"}, 16, "vcs.vc1.to", "from 'a' to itself"),
    "destination twice": ({16: "    to: [b, b]"}, 16, "vcs.vc1.to[1]", "'b' is listed twice"),
    "no destination": ({16: "    to: []"}, 16, "vcs.vc1.to", "needs at least one name"),
    "link to an unknown node": ({11: "  - {between: [s3, b]}"}, 11, "links[2].between[0]", "there is no switch or host 's3'; allowed: s1, s2, a, b, c"),
    "link to itself": ({10: "  - {between: [s1, s1]}"}, 10, "links[1].between[1]", "a link from 's1' to itself"),
    "link with one end": ({10: "  - {between: [s1]}"}, 10, "links[1].between", "a link has two ends"),
    "link described twice over": ({10: "  - {between: [s1, s2], from: s1}"}, 10, "links[1].from", "`between` already names both ends"),
    "parallel links": ({10: "  - {between: [s1, s2]}\n  - {from: s2, to: s1}"}, 11, "links[2]", "the link 's2->s1' exists already; allowed: one link in each direction; the first is links[1] on line 10"),
    "delay and length": ({9: "  - {between: [a, s1], delay: 5 us, length: 1 km}"}, 9, "links[0].length", "`delay` and `length` say the same"),
    "host with two links": ({10: "  - {between: [s1, s2]}\n  - {between: [a, s2]}"}, 7, "hosts.a", "host 'a' has several links; found to s1, s2"),
    "host without a link": ({7: "hosts: [a, b, c, d]"}, 7, "hosts.d", "host 'd' has no link"),
    "duplicate host": ({7: "hosts: [a, b, c, a]"}, 7, "hosts[3]", "'a' is listed twice"),
    "host named as a switch": ({7: "hosts: [a, b, c, s1]"}, 7, "hosts.s1", "'s1' is already the name of a switch"),
    "names overlap through a range": ({5: "  s1: {memory: 100 cells}\n  's[2..3]':"}, 7, "switches.s2", "'s2' is already the name of a switch"),
    "port without a link": ({5: "  s1: {ports: {b: {buffer: 1 cell}}}"}, 5, "switches.s1.ports.b", "there is no link from 's1' to 'b'"),
    "not a name": ({7: "hosts: [a, b, c, 'd e']"}, 7, "hosts.d e", "not a name"),
    "name is a number": ({7: "hosts: [a, b, c, 7]"}, 7, "hosts[3]", "a name must be text; found 7"),
    "credit of a link off the route": ({18: "    credit: {kind: cup}\n    credits: {s2->c: {n2: 5 cells}}"}, 19, "vcs.vc1.credits.s2->c", "VC 'vc1' does not use link 's2->c'; allowed: a->s1, s1->s2, s2->b"),
    "credit of a malformed link": ({18: "    credit: {kind: cup}\n    credits: {s2: {n2: 5 cells}}"}, 19, "vcs.vc1.credits.s2", "not a link"),
    "credit over a one-way link": ({11: "  - {from: s2, to: b}"}, 18, "vcs.vc1.credit", "credit cells for 's2->b' need a link back"),
    "bad credit of one link": ({18: "    credit: {kind: cup}\n    credits: {s2->b: {n2: 5 ms}}"}, 19, "vcs.vc1.credits.s2->b.n2", "'ms' is no unit of a number of cells"),
    # ranges
    "malformed range": ({7: 'hosts: [a, b, c, "d[1-3]"]'}, 7, "hosts.d[1-3]", "malformed name range"),
    "backward range": ({7: 'hosts: [a, b, c, "d[3..1]"]'}, 7, "hosts.d[3..1]", "runs backwards"),
    "endless range": ({7: 'hosts: [a, b, c, "d[1..999999999]"]'}, 7, "hosts.d[1..999999999]", "absurdly long"),
    "ranges of different length": ({7: 'hosts: [a, b, c, "d[1..3]"]', 10: '  - {between: ["d[1..3]", "s[1..2]"]}'}, 10, "links[1]", "ranges of one entry differ in length; found 3 (d1..d3) and 2 (s1..s2)"),
    "range without a range in the name": ({7: 'hosts: [b, c, "d[1..2]"]', 9: '  - {between: ["d[1..2]", s1]}', 15: '    from: "d[1..2]"'}, 15, "vcs.vc1.from", "is a range, but the VC's name is none"),
    # routes
    "unreachable destination": ({10: ""}, 16, "vcs.vc1.to", "'b' cannot be reached from 'a'"),
    "only the other way": ({10: "  - {from: s2, to: s1}"}, 16, "vcs.vc1.to", "'b' cannot be reached from 'a'"),
    "route over a missing link": ({16: "    to: b\n    route: [a, s2, b]"}, 17, "vcs.vc1.route[1]", "there is no link 'a->s2'; allowed: a link from a: to s1"),
    "route over an unknown node": ({16: "    to: b\n    route: [a, s1, s9, b]"}, 17, "vcs.vc1.route[2]", "there is no switch or host 's9'"),
    "route starts elsewhere": ({16: "    to: b\n    route: [c, s2, b]"}, 17, "vcs.vc1.route[0]", "a route starts at the VC's `from`; found 'c'; allowed: 'a'"),
    "route ends elsewhere": ({16: "    to: b\n    route: [a, s1, s2, c]"}, 17, "vcs.vc1.route[3]", "a route ends at the VC's `to`; found 'c'; allowed: 'b'"),
    "route stops short": ({16: "    to: b\n    route: [a, s1, s2]"}, 17, "vcs.vc1.route[2]", "a route ends at the VC's `to`"),
    "route through a host": ({16: "    to: b\n    route: [a, s1, s2, c, s2, b]"}, 17, "vcs.vc1.route[3]", "'c' is a host; a route passes through switches only"),
    "route in a circle": ({16: "    to: b\n    route: [a, s1, s2, s1, s2, b]"}, 17, "vcs.vc1.route[3]", "comes to 's1' twice is a cycle"),
    "route of one node": ({16: "    to: b\n    route: [a]"}, 17, "vcs.vc1.route", "at least two nodes"),
    "route is text": ({16: "    to: b\n    route: a s1 b"}, 17, "vcs.vc1.route", "must be a list of nodes"),
    "multicast without a route": ({16: "    to: [b, c]\n    route: [[a, s1, s2, b]]"}, 17, "vcs.vc1.route", "no route leads to 'c'"),
    "multicast that meets again": (
        {6: "  s2:\n  s3:", 10: "  - {between: [s1, s2]}\n  - {between: [s1, s3]}\n  - {between: [s3, s2]}", 16: "    to: [b, c]\n    route: [[a, s1, s2, b], [a, s1, s3, s2, c]]"},
        20, "vcs.vc1.route[1][3]", "the routes part and meet again at 's2'",
    ),
    "cycle in a multicast tree": (
        {
            6: "  s2:\n  s3:\n  s4:",
            7: "hosts: [a, b, c, d]",
            10: "  - {between: [s1, s2]}\n  - {between: [s1, s3]}\n  - {between: [s3, s2]}\n  - {between: [s3, d]}",
            16: "    to: [b, d]\n    route: [[a, s1, s2, b], [a, s1, s3, d], [a, s1, s2, s3, d]]",
        },
        22, "vcs.vc1.route[2][3]", "a point-to-multipoint VC needs a tree; found 's2->s3' besides 's1->s3'",
    ),
    # record
    "unknown record": ({LINES + 1: "record: {queues: all}"}, 19, "record.queues", "did you mean 'queue'?"),
    "record of an unknown switch": ({LINES + 1: "record:\n  queue:\n    - {switch: s8}"}, 21, "record.queue[0].switch", "there is no switch 's8'"),
    "record of an unknown VC": ({LINES + 1: "record: {delay: [{vc: vc2}]}"}, 19, "record.delay[0].vc", "there is no VC 'vc2'; did you mean 'vc1'?"),
    "record of an unknown link": ({LINES + 1: "record: {trace: [a->b]}"}, 19, "record.trace[0]", "there is no link 'a->b'"),
    "record neither all nor a list": ({LINES + 1: "record: {trace: al}"}, 19, "record.trace", "must be `all` or a list; found 'al'; did you mean 'all'?"),
    "throughput without bins": ({LINES + 1: "record: {throughput: all}"}, 19, "record.throughput", "bins of a length that is not given; allowed: `every`"),
    "credit of a VC without": ({18: "", LINES + 1: "record: {credit: all}"}, 19, "record.credit", "no VC here has credit flow control"),
    "VC not at that port": ({LINES + 1: "record: {queue: [{switch: s2, port: c, vc: vc1}]}"}, 19, "record.queue[0].vc", "does not come through"),
    "destination that is none": ({LINES + 1: "record: {delay: [{vc: vc1, to: c}]}"}, 19, "record.delay[0].to", "there is no destination of VC 'vc1' 'c'"),
    # shapes
    "list instead of a mapping": ({13: "vcs: [vc1]", **dict.fromkeys(range(14, 19), "")}, 13, "vcs", "must be a mapping; found a list"),
    "mapping instead of a list": ({8: "links: {}", **dict.fromkeys(range(9, 13), "")}, 8, "links", "must be a list; found an empty mapping"),
    "text instead of a mapping": ({14: "  vc1: x", **dict.fromkeys(range(15, 19), "")}, 14, "vcs.vc1", "must be a mapping; found 'x'"),
    "null instead of a mapping": ({14: "  vc1:", **dict.fromkeys(range(15, 19), "")}, 14, "vcs.vc1", "must be a mapping; found nothing (null)"),
    "title is a number": ({1: "cellway: 1\ntitle: 3"}, 2, "title", "must be text; found 3"),
    # YAML
    "tab": ({5: "\ts1: {}"}, 5, "", "a tab in the indentation; use spaces"),
    "unclosed bracket": ({7: "hosts: [a, b"}, 8, "", "not YAML"),
    "unclosed quote": ({7: "hosts: ['a, b, c]"}, LINES + 1, "", "unexpected end of stream while scanning a quoted scalar, which begins on line 7"),
    "bad indentation": ({16: "   to: b"}, 16, "", "not YAML"),
    "two documents": ({13: "---\nvcs:"}, 13, "", "a second document starts here"),
    "unknown tag": ({3: "duration: !!python/name:os.system x"}, 3, "", "tags are not part of the language"),
    "unknown alias": ({3: "duration: *long"}, 3, "", "there is no anchor '&long'"),
    "recursive alias": ({13: "vcs: &v", 14: "  vc1: *v", **dict.fromkeys(range(15, 19), "")}, 14, "", "an alias cannot stand inside the value it names"),
    "nested too deeply": ({3: "duration: " + "[" * 5000}, 3, "", "nested too deeply"),
    "half a character": ({3: 'duration: "10 \\ud800 ms"'}, 3, "", "half a surrogate pair is no character"),
    "control character": ({3: "duration: 10\x07ms"}, 3, "", "this character is not allowed"),
}  # fmt: skip


def edited(edits: dict[int, str]) -> str:
    lines = GOOD.splitlines() + ["" for number in edits if number > LINES]
    for number, text in edits.items():
        lines[number - 1] = text
    return "\n".join(lines) + "\n"


def test_the_unedited_scenario_is_good() -> None:
    assert loads(GOOD).vcs["vc1"].destinations == ("b",)


@pytest.mark.parametrize("name", CASES)
def test_bad_scenario(name: str) -> None:
    edits, line, path, fragment = CASES[name]
    with pytest.raises(ScenarioError) as caught:
        loads(edited(edits), "two.yaml")
    error = caught.value
    text = str(error)
    assert fragment in text
    assert (error.line, error.path) == (line, path), text
    assert text.startswith(f"two.yaml:{line}: " + (f"{path}: " if path else ""))
    assert len(error.problems) == 1, text


def test_there_are_at_least_forty_kinds() -> None:
    assert len(CASES) >= 40


def test_several_errors_come_together_first_line_first() -> None:
    with pytest.raises(ScenarioError) as caught:
        loads(edited({3: "duration: 10", 9: "  - {between: [a, s1], delay: 5}", 16: "    too: b"}), "two.yaml")
    assert [problem.line for problem in caught.value.problems] == [3, 9, 14, 16]
    assert len(str(caught.value).splitlines()) == 4


# --- files


def refusal(path: Path) -> ScenarioError:
    with pytest.raises(ScenarioError) as caught:
        load(path)
    assert str(caught.value).startswith(str(path))
    assert len(caught.value.problems) == 1
    return caught.value


def test_missing_file(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.yaml").message == "no such file"


def test_directory(tmp_path: Path) -> None:
    assert refusal(tmp_path).message == "this is a directory"


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", 1, "the file is empty"),
        (b"# nothing but a comment\n\n", 1, "the file is empty"),
        (b"\xff\xfe\x00\x01binary\n", 1, "not a text file in UTF-8"),
        (b"cellway: 1\ntitle: caf\xe9\n", 2, "not a text file in UTF-8"),
        (b"\x7fELF\x02\x01\x01\x00\x00", 1, "not YAML: this character is not allowed"),
        (bytes(range(256)), 2, "not a text file in UTF-8"),
        (b"- a\n- b\n", 1, "the top level must be a mapping of keys to values"),
        (b"just text\n", 1, "the top level must be a mapping of keys to values"),
    ],
)  # fmt: skip
def test_file_that_is_no_scenario(tmp_path: Path, content: bytes, line: int, message: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_bytes(content)
    error = refusal(file)
    assert (error.line, error.message) == (line, message)


def test_alias_bomb(tmp_path: Path) -> None:
    file = tmp_path / "bomb.yaml"
    levels = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 12))
    file.write_text(f"l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n{levels}\n", encoding="utf-8")
    assert refusal(file).message == "aliases make this scenario absurdly large"


def test_deep_aliases(tmp_path: Path) -> None:
    file = tmp_path / "deep.yaml"
    levels = "\n".join(f"l{n}: &l{n} [*l{n - 1}]" for n in range(1, 500))
    file.write_text(f"l0: &l0 x\n{levels}\n", encoding="utf-8")
    assert refusal(file).message == "nested too deeply"
