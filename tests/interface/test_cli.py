"""The command line: exit status, what goes where, one clear message for every mistake."""

from __future__ import annotations

import importlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import types
from collections.abc import Sequence
from pathlib import Path

import pytest

import cellway
from cellway import reference
from cellway.cli import main
from cellway.result import SUMMARY_TABLES, Result
from cellway.run import SimulationError
from cellway.scenario import FAMILIES, Scenario


def call(arguments: Sequence[object], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Exit status, standard output, standard error."""
    status = main([str(one) for one in arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_run_shows_tables_with_units(scenario_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(["run", scenario_file], capsys)
    assert (status, err) == (0, "")
    assert out.startswith("Two greedy VCs share a link (4 ms, warm-up 500 µs, seed 1)")
    for text in ("VCs", "[cells/s]", "[Mbit/s]", "311.", "Links", "[%]", "100.00", "Switches", "cell-hops in"):
        assert text in out
    assert max(map(len, out.splitlines())) <= 100


def test_run_saves_and_plots(scenario_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    status, text, _ = call(["run", scenario_file, "--out", out, "--seed", "3", "--set", "duration=2 ms"], capsys)
    assert status == 0
    assert f"saved in {out}" in text
    loaded = Result.load(out)
    assert (loaded.provenance.seed, loaded.provenance.duration_ps) == (3, 2 * 10**9)
    status, text, _ = call(["plot", out, "--kind", "queue", "--kind", "credit", "--to", "1 ms"], capsys)
    assert status == 0
    assert [Path(line).name for line in text.splitlines()] == [
        "queue_s1.png", "credit_a-to-s1.png", "credit_s1-to-b.png", "credit_c-to-s1.png",
    ]  # fmt: skip
    assert all(Path(line).read_bytes().startswith(b"\x89PNG") for line in text.splitlines())
    status, text, _ = call(["plot", out, "--out", tmp_path / "svg", "--format", "svg", "--window", "50 us"], capsys)
    assert status == 0
    assert b"<svg" in (tmp_path / "svg" / "bandwidth_s1-to-b.svg").read_bytes()


def test_json_is_one_object_and_nothing_else(scenario_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(["run", scenario_file, "--json"], capsys)
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert document["provenance"]["duration_ps"] == 4 * 10**9
    assert document["provenance"]["seed"] == 1
    vcs = document["tables"]["vcs"]
    assert vcs["units"]["rate"] == "cells/s"
    assert [row["vc"] for row in vcs["rows"]] == ["vc1", "vc2"]
    assert set(SUMMARY_TABLES) == document["tables"].keys()
    assert call(["run", scenario_file, "--json"], capsys)[1] == out


def test_json_is_what_out_holds(scenario_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(["run", scenario_file, "--json", "--out", tmp_path / "out"], capsys)
    assert json.loads(out) == json.loads(json.dumps(Result.load(tmp_path / "out").to_json()))


def test_validate_reports_every_file(scenario_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text(scenario_file.read_text().replace("duration: 4 ms", "duration: 4"))
    status, out, err = call(["validate", scenario_file, bad, tmp_path / "none.yaml"], capsys)
    assert status == 2
    assert out == f"{scenario_file}: ok\n"
    first, second = err.splitlines()
    assert first.startswith(f"cellway: {bad}:4: duration: ")
    assert second.startswith(f"cellway: {tmp_path / 'none.yaml'}: no such file")
    assert call(["validate", scenario_file], capsys)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "none.yaml"], r"none\.yaml: no such file"),
        (["run", "FILE", "--set", "vcs.vc1.credit.n4=3 cells"], r"vcs\.vc1\.credit\.n4.*unknown key"),
        (["run", "FILE", "--set", "vcs.vc1.credit.n3=3"], r"vcs\.vc1\.credit\.n3.*a number of cells needs a unit"),
        (["run", "FILE", "--set", "vcs.vc1.credit.r=5 us"], r"vcs\.vc1\.credit"),
        (["run", "FILE", "--set", "nonsense"], "nonsense"),
        (["run", "FILE", "--seed", "x"], r'Invalid value for --seed: unable to convert "x" into int'),
        (["run", "FILE", "--sed", "1"], "Unknown option: --sed. Did you mean --seed"),
        (["run", "FILE", "--out", "FILE"], "is a file, not a directory for results"),
        (["run", "FILE", "--out", "FULL"], "holds files but no result of Cellway"),
        (["run"], 'Command "run" parameter FILE requires an argument'),
        (["walk"], 'Unknown command "walk"'),
        (["validate"], "FILE requires an argument"),
        (["list", "trafic"], "there is no family 'trafic'; did you mean 'traffic'"),
        (["explain", "n24"], "there is no algorithm or key 'n24'; did you mean 'n23'"),
        (["plot", "FULL"], "is not a result"),
        (["plot", "none"], "is not a result"),
        (["plot", "RESULT", "--window", "25"], "--window: .*unit"),
        (["plot", "RESULT", "--window", "25 cells"], "--window: "),
        (["plot", "RESULT", "--window", "0 us"], "--window: must be more than zero"),
        (["plot", "RESULT", "--from", "2 ms", "--to", "1 ms"], "--from must be before --to"),
        (["plot", "RESULT", "--kind", "speed"], 'Invalid value "speed" for --kind'),
        (["plot", "BARE"], "holds no series to draw"),
    ],
)
def test_mistakes_get_one_message_and_status_2(
    arguments: list[str],
    message: str,
    scenario_file: Path,
    tmp_path: Path,
    result: Result,
    capsys: pytest.CaptureFixture[str],
) -> None:
    empty = {name: result.tables[name].slice(0, 0) for name in ("probes", "series", "trace", "delays", "tcp")}
    bare = Result({**result.tables, **empty}, result.provenance, result.document, result.scenario)
    places = {"FILE": scenario_file, "FULL": tmp_path, "RESULT": tmp_path / "result", "BARE": tmp_path / "bare"}
    result.save(places["RESULT"])
    bare.save(places["BARE"])
    status, out, err = call([places.get(one, one) for one in arguments], capsys)
    assert status == 2
    assert out == ""
    assert re.search(message, err)
    assert err.startswith("cellway: ")
    assert len(err.splitlines()) == 1


def test_a_foreign_directory_is_refused_before_the_run(
    scenario_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("cellway.run"), "run", lambda *_, **__: pytest.fail("must not run"))
    assert call(["run", scenario_file, "--out", tmp_path], capsys)[0] == 2


def test_a_failed_run_has_status_1(
    scenario_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise SimulationError("the engine stopped: s1")

    monkeypatch.setattr(importlib.import_module("cellway.run"), "run", fails)
    assert call(["run", scenario_file], capsys) == (1, "", "cellway: the engine stopped: s1\n")


def test_an_error_of_cellway_keeps_its_traceback(scenario_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(importlib.import_module("cellway.run"), "run", fails)
    with pytest.raises(ZeroDivisionError):
        main(["run", str(scenario_file)])


def test_ctrl_c_on_a_terminal(scenario_file: Path, tmp_path: Path) -> None:
    """The bar moves on the terminal; Ctrl-C ends with status 130 and saves what was simulated."""
    terminal, side = pty.openpty()
    # A process started in the background of a shell ignores SIGINT, and so would what it starts.
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        " from cellway.cli import main; sys.exit(main())"
    )
    out = tmp_path / "out"
    arguments = [
        "run",
        str(scenario_file),
        "--set",
        "duration=1000 s",
        "--set",
        "record={}",
        "--out",
        str(out),
        "--json",
    ]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stderr=side, stdout=subprocess.PIPE, env=environment
    )
    os.close(side)
    try:
        shown = b""
        while b"cell-hops/s" not in shown:
            shown += os.read(terminal, 4096)
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=60)
        while True:
            try:
                shown += os.read(terminal, 4096)
            except OSError:  # the other side is closed
                break
    finally:
        process.kill()
        os.close(terminal)
    assert process.returncode == 130
    assert b"stopped by Ctrl-C; the result holds what was simulated so far" in shown
    assert b"Two greedy VCs" in shown
    assert json.loads(printed)["provenance"]["interrupted"] is True
    assert Result.load(out).provenance.interrupted


def test_a_closed_pipe_is_no_error() -> None:
    code = "import sys; from cellway.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "schema"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


def test_list_names_every_algorithm(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(["list"], capsys)
    assert status == 0
    every = [(one.family, one.kind) for one in reference.algorithms()]
    assert ("credit", "n23") in every
    assert len(every) == len(set(every)) == sum(map(len, FAMILIES.values()))
    for family, kind in every:
        assert re.search(rf"^{family}$", out, re.MULTILINE)
        assert re.search(rf"^  {kind} +\S", out, re.MULTILINE)
    status, out, _ = call(["list", "schedule"], capsys)
    assert out.splitlines()[0] == "schedule"
    assert "n23" not in out
    assert max(map(len, out.splitlines())) <= 100


def test_explain_an_algorithm(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(["explain", "n23"], capsys)
    assert status == 0
    assert out.startswith("credit: {kind: n23}\n")
    for text in (
        "Source: Kung",
        "section 4",
        "n2: number of cells, for example 155 cells; default 10 cells",
        "r: duration",
    ):
        assert text in out
    assert call(["explain", "credit.n23"], capsys)[1] == out


def test_everything_can_be_explained(capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"{one.family}.{one.kind}" for one in reference.algorithms()]
    for name in names + [key.path for key in reference.language_keys()]:
        status, out, _ = call(["explain", name], capsys)
        assert status == 0, name
        assert len(out.splitlines()) > 1, name
        assert "None" not in out, name
        assert max(map(len, out.splitlines())) <= 100, name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("warmup", "warmup: duration, for example 5 ms\n"),
        ("vcs.priority", "vcs.priority: whole number\n"),
        ("switches.port.buffer", "switches.port.buffer: number of cells, for example"),
        ("record.throughput.cells", "data or credit or all"),
        ("traffic", "vcs.traffic: mapping with `kind`: greedy, "),
        ("vcs.from", "vcs.from: text; required"),
        ("schedule", "switches.port.schedule: mapping with `kind`: round_robin"),
    ],
)
def test_explain_a_key(name: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert text in call(["explain", name], capsys)[1]


def test_schemas_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    language = json.loads(call(["schema"], capsys)[1])
    assert {"cellway", "rate", "duration", "links", "vcs", "record"} <= language["properties"].keys()
    assert "from" in json.dumps(language)
    engine = json.loads(call(["schema", "--engine"], capsys)[1])
    assert "probes" in engine["properties"]
    assert language["title"] == Scenario.__name__


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["--version"], capsys)[1] == f"cellway {cellway.__version__}\n"
    status, out, _ = call(["--help"], capsys)
    assert status == 0
    for command in ("run", "validate", "list", "explain", "schema", "plot", "reproduce"):
        assert re.search(rf"^│ {command} ", out, re.MULTILINE), command
    assert "--set" in call(["run", "--help"], capsys)[1]


def test_reproduce_passes_its_arguments_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []

    def reproduce(items: Sequence[str], **options: object) -> int:
        seen.append((list(items), options))
        return 1

    module = types.ModuleType("cellway.papers.reproduce")
    module.main = reproduce  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cellway.papers", types.ModuleType("cellway.papers"))
    monkeypatch.setitem(sys.modules, "cellway.papers.reproduce", module)
    assert call(["reproduce", "n23/figure-8", "--out", tmp_path, "--jobs", "2", "--strict"], capsys)[0] == 1
    assert seen == [(["n23/figure-8"], {"out": tmp_path, "jobs": 2, "strict": True, "fresh": False})]
