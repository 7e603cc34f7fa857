"""Runs a scenario on the engine, in steps, so that it shows how far it is and can be stopped without loss."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa

from cellway import _engine
from cellway.provenance import Provenance
from cellway.result import Result
from cellway.scenario import Scenario, load, lower, to_yaml, with_values

Overrides = Sequence[str] | Mapping[str, Any]
"""Changes of a scenario: texts `PATH=VALUE`, or a mapping of path to value."""

FIRST_STEP_PS = 10_000_000
"""Simulated time of the first step, 10 us: short even in a large network."""
STEP_SECONDS = 0.05
"""Aim for the wall-clock time of a step: 20 reports a second, and Ctrl-C answered at once."""
LEAST_STEPS = 1000
"""No step is longer than this part of the run, so that a quiet stretch does not lead to an endless step."""
GROWTH = 8


class SimulationError(RuntimeError):
    """The engine found itself in a state that cannot be: an error of Cellway, not of the scenario."""


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    now_ps: int
    """Simulated time reached."""
    end_ps: int
    """Simulated time to reach."""
    cell_hops: int
    """Cells delivered over links so far."""
    elapsed: float
    """Wall-clock time so far [s]."""

    @property
    def fraction(self) -> float:
        """Part of the simulated time that is done, 0 to 1."""
        return self.now_ps / self.end_ps


def run(
    scenario: Scenario | str | Path,
    *,
    seed: int | None = None,
    overrides: Overrides = (),
    progress: Callable[[Progress], object] | bool | None = None,
) -> Result:
    """Simulates a scenario.

    Ctrl-C ends the run; the result then holds what was simulated so far, with `provenance.interrupted` set.

    Args:
        scenario: A scenario, or the path of a scenario file.
        seed: Seed of all random streams. Default: that of the scenario.
        overrides: Changes of the scenario: texts `PATH=VALUE` as for `--set`, or a mapping such as
            `{"vcs.vc1.credit.n3": "51 cells"}`.
        progress: A function that is told about 20 times a second how far the run is, or True for a bar with the time
            left on the terminal (on stderr, and only if that is a terminal).

    Raises:
        ScenarioError: the scenario cannot be used; the message says where and why.
        SimulationError: the engine failed.
    """
    prepared = _prepare(scenario, seed, overrides)
    about = prepared.provenance
    simulation = prepared.simulation
    started = time.perf_counter()
    interrupted = False
    try:
        with _display(progress, about.title) as report, _engine_failures():
            _advance(simulation, about.warmup_ps, about.duration_ps, report, started)
            simulation.mark()
            _advance(simulation, about.duration_ps, about.duration_ps, report, started)
    except KeyboardInterrupt:
        interrupted = True
    elapsed = time.perf_counter() - started
    with _engine_failures():  # the engine checks its books when it hands them over
        return prepared.result(interrupted, elapsed)


def check(scenario: Scenario | str | Path, *, seed: int | None = None, overrides: Overrides = ()) -> Scenario:
    """Everything that `run` checks before it simulates: the language, the network, the engine's own limits.

    Raises:
        ScenarioError: the scenario cannot be used; the message says where and why.
    """
    return _prepare(scenario, seed, overrides).scenario


@dataclass(frozen=True)
class _Prepared:
    """A scenario on its engine, ready to run."""

    scenario: Scenario
    simulation: _engine.Simulation
    document: str
    provenance: Provenance
    """As it will be if nothing interrupts the run."""

    def result(self, interrupted: bool, elapsed: float) -> Result:
        """The result so far."""
        end_ps = min(self.simulation.now_ps, self.provenance.duration_ps)
        provenance = replace(
            self.provenance,
            end_ps=end_ps,
            interrupted=interrupted and end_ps < self.provenance.duration_ps,
            cell_hops=self.simulation.cell_hops,
        )
        tables = {name: pa.table(table) for name, table in self.simulation.tables().items()}
        return Result(tables, provenance, self.document, to_yaml(self.scenario), elapsed)


def _prepare(scenario: Scenario | str | Path, seed: int | None, overrides: Overrides) -> _Prepared:
    if not isinstance(scenario, Scenario):
        scenario = load(scenario, overrides)
    elif overrides:
        scenario = with_values(scenario, overrides)
    if seed is not None:
        scenario = with_values(scenario, {"seed": seed})
    lowered = lower(scenario)
    document = json.dumps(lowered.document, separators=(",", ":"), ensure_ascii=False)
    try:
        simulation = _engine.Simulation(document)
    except _engine.EngineError as error:
        raise lowered.relocate(error) from None
    provenance = Provenance(
        title=scenario.title,
        scenario=f"sha256:{lowered.digest}",
        seed=scenario.seed,
        engine=_engine.version(),
        cellway=version("cellway"),
        duration_ps=lowered.duration_ps,
        warmup_ps=lowered.warmup_ps,
        end_ps=lowered.duration_ps,
        interrupted=False,
        cell_hops=0,
    )
    return _Prepared(scenario, simulation, document, provenance)


@contextmanager
def _engine_failures() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:  # a broken invariant, which names its component
        raise SimulationError(f"the engine stopped: {error}. This is an error of Cellway; please report it") from error


def _advance(
    simulation: _engine.Simulation, to_ps: int, end_ps: int, report: Callable[[Progress], object], started: float
) -> None:
    """Runs to `to_ps` in steps of about `STEP_SECONDS`."""
    step, longest = FIRST_STEP_PS, max(end_ps // LEAST_STEPS, FIRST_STEP_PS)
    now = simulation.now_ps
    before = time.perf_counter()
    while now < to_ps:
        step = min(step, longest, to_ps - now)
        simulation.advance(now + step)
        now += step
        after = time.perf_counter()
        factor = STEP_SECONDS / max(after - before, 1e-9)
        before = after
        step = max(int(step * min(max(factor, 1 / GROWTH), GROWTH)), 1)
        report(Progress(now, end_ps, simulation.cell_hops, after - started))


def _display(
    progress: Callable[[Progress], object] | bool | None, title: str
) -> AbstractContextManager[Callable[[Progress], object]]:
    if callable(progress):
        return nullcontext(_spaced(progress))
    if progress and sys.stderr.isatty():
        return _Bar(title)
    return nullcontext(lambda _: None)


def _spaced(progress: Callable[[Progress], object]) -> Callable[[Progress], object]:
    """Tells `progress` at most every `STEP_SECONDS`, and of the start and the end."""
    told = -STEP_SECONDS

    def tell(state: Progress) -> None:
        nonlocal told
        if state.elapsed - told >= STEP_SECONDS or state.now_ps == state.end_ps:
            told = state.elapsed
            progress(state)

    return tell


class _Bar(AbstractContextManager[Callable[[Progress], object]]):
    """A bar on the terminal with speed and time left."""

    def __init__(self, title: str) -> None:
        # Imported here: most programs that use this module show no bar.
        from rich import progress as rich_progress
        from rich.console import Console

        self.bar = rich_progress.Progress(
            rich_progress.TextColumn("{task.description}", markup=False),
            rich_progress.BarColumn(bar_width=None),
            rich_progress.TaskProgressColumn(),
            rich_progress.TextColumn("{task.fields[speed]}", markup=False),
            rich_progress.TimeRemainingColumn(compact=True),
            console=Console(stderr=True),
            transient=True,
        )
        self.task = self.bar.add_task(title[:40] or "Simulation", total=1.0, speed="")

    def __enter__(self) -> Callable[[Progress], object]:
        self.bar.__enter__()
        return self.show

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.bar.__exit__(kind, error, traceback)

    def show(self, state: Progress) -> None:
        """Moves the bar."""
        speed = state.cell_hops / max(state.elapsed, 1e-9) / 1e6
        self.bar.update(self.task, completed=state.fraction, speed=f"{speed:.1f} M cell-hops/s")
