"""Runs: steps that do not show, progress, stopping, errors."""

from __future__ import annotations

import importlib
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cellway import _engine
from cellway.recording import NotRecorded
from cellway.result import Result
from cellway.run import Progress, SimulationError, check, run
from cellway.scenario import ScenarioError, load

from .conftest import SCENARIO

MODULE = importlib.import_module("cellway.run")  # `cellway.run` itself is the function


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt, as in a program that was started from a terminal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_file_and_its_scenario_give_the_same(scenario_file: Path, tmp_path: Path) -> None:
    one, two = run(scenario_file), run(load(scenario_file))
    one.save(tmp_path / "one")
    two.save(tmp_path / "two")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name
    assert one.provenance.end_ps == one.provenance.duration_ps
    assert not one.provenance.interrupted


def test_two_greedy_vcs_share_the_link(scenario_file: Path) -> None:
    result = run(scenario_file)
    rates = result.vcs["rate"].to_pylist()
    assert rates == pytest.approx([622.08e6 / 424 / 2] * 2, rel=0.01)
    used = dict(zip(result.links["link"].to_pylist(), result.links["utilisation"].to_pylist(), strict=True))
    assert used["s1->b"] == pytest.approx(1, abs=0.001)
    # The credit scheme's bound on what the switch stores, N2 + N3 of each VC.
    assert result.series("queue", node="s1").max() <= 2 * 165
    half = result.bandwidth("s1->b", vc="vc1", window=24).between(1e-3, 3e-3)
    assert half.values == pytest.approx(0.5, abs=1e-6)
    assert result.bandwidth("s1->a", cells="credit").between(1e-3, 3e-3).mean() == pytest.approx(0.05, rel=0.02)
    assert result.delay("vc1").min() > 100e-6
    assert result.series("credit", link="a->s1", vc="vc1").max() == 165
    with pytest.raises(NotRecorded, match="throughput"):
        result.series("throughput", link="s1->b")


def test_what_the_run_was_made_of_is_written_down(scenario_file: Path) -> None:
    changed = run(scenario_file, seed=5, overrides=["duration=1 ms"])
    about = changed.provenance
    assert (about.seed, about.duration_ps, about.engine) == (5, 10**9, _engine.version())
    assert "duration: 1 ms" in changed.scenario
    assert about.scenario != run(scenario_file, overrides={"duration": "1 ms"}).provenance.scenario  # another seed
    assert re.fullmatch("sha256:[0-9a-f]{64}", about.scenario)
    again = run(load(scenario_file), overrides={"duration": "1 ms", "seed": 5})
    assert again.provenance == about


def test_the_saved_scenario_gives_the_same_result(scenario_file: Path, tmp_path: Path) -> None:
    first = run(scenario_file, overrides={"vcs.vc1.credit.n3": "51 cells"})
    first.save(tmp_path / "first")
    second = run(tmp_path / "first" / "scenario.yaml")
    assert second.provenance == first.provenance
    assert second.trace.equals(first.trace)


def test_the_summary_counts_from_the_end_of_the_warm_up(scenario_file: Path) -> None:
    late = "vcs.vc1.traffic={kind: greedy, start: 2 ms}"
    whole = run(scenario_file, overrides=[late, "warmup=0 s", "duration=4 ms"])
    end = run(scenario_file, overrides=[late, "warmup=3 ms", "duration=4 ms"])
    rates = [result.vcs["rate"].to_pylist()[0] for result in (whole, end)]
    assert rates[0] == pytest.approx(rates[1] / 2, rel=0.1)


def test_progress_is_told_and_steps_do_not_show(scenario_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Progress] = []
    plain = run(scenario_file)
    monkeypatch.setattr(MODULE, "FIRST_STEP_PS", 1_234_567)
    monkeypatch.setattr(MODULE, "GROWTH", 1)  # all steps alike
    monkeypatch.setattr(MODULE, "STEP_SECONDS", 0.0)  # every one is told
    stepped = run(scenario_file, progress=told.append)
    assert len(told) > 500
    assert [state.now_ps for state in told] == sorted(state.now_ps for state in told)
    assert (told[-1].fraction, told[-1].cell_hops) == (1, stepped.provenance.cell_hops)
    assert stepped.trace.equals(plain.trace)
    assert stepped.tables["series"].equals(plain.tables["series"])


def test_no_bar_without_a_terminal(scenario_file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(scenario_file, progress=True)
    assert capfd.readouterr() == ("", "")


def test_ctrl_c_keeps_what_was_simulated(scenario_file: Path, tmp_path: Path, ctrl_c: None) -> None:
    def stop(state: Progress) -> None:
        if state.now_ps >= 2_000_000_000:
            signal.raise_signal(signal.SIGINT)

    result = run(scenario_file, overrides=["duration=1 s"], progress=stop)
    about = result.provenance
    assert about.interrupted
    assert 2_000_000_000 <= about.end_ps < 10**12
    assert "Interrupted at" in str(result.summary)
    assert result.series("queue", node="s1").end == pytest.approx(about.end_ps * 1e-12)
    assert result.trace["time_ps"].to_pylist()[-1] < about.end_ps
    result.save(tmp_path / "part")
    assert Result.load(tmp_path / "part").provenance == about
    whole = run(scenario_file, overrides={"duration": f"{about.end_ps} ps"})
    assert whole.trace.equals(result.trace)  # an interrupted run is the first part of a whole one


def test_ctrl_c_during_the_warm_up_is_said(scenario_file: Path, ctrl_c: None) -> None:
    def stop(state: Progress) -> None:
        signal.raise_signal(signal.SIGINT)

    result = run(scenario_file, progress=stop)
    assert result.provenance.end_ps < result.provenance.warmup_ps
    assert "The warm-up was not over" in str(result.summary)


def test_an_error_of_the_engine_is_located_in_the_scenario(scenario_file: Path) -> None:
    with pytest.raises(ScenarioError) as caught:
        check(scenario_file, overrides=["vcs.vc1.credit.r=5 us"])
    assert caught.value.path.startswith("vcs.vc1.credit")
    with pytest.raises(ScenarioError):
        run(scenario_file, overrides=["vcs.vc1.credit.r=5 us"])
    assert check(scenario_file).title == "Two greedy VCs share a link"


def test_a_broken_engine_is_a_failed_run(scenario_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        now_ps = 0
        cell_hops = 0

        def __init__(self, document: str) -> None:
            pass

        def advance(self, to_ps: int) -> None:
            raise RuntimeError("s1: 3 cells arrived, 2 accounted for")

    monkeypatch.setattr("cellway._engine.Simulation", Broken)
    with pytest.raises(SimulationError, match="the engine stopped: s1: 3 cells arrived"):
        run(scenario_file)


def test_errors_of_a_progress_function_are_its_own(scenario_file: Path) -> None:
    def fails(state: Progress) -> Any:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(scenario_file, progress=fails)


def test_the_scenario_of_these_tests_is_the_one_in_the_file(scenario_file: Path) -> None:
    assert scenario_file.read_text() == SCENARIO
