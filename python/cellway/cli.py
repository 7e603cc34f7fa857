"""The command `cellway`: each subcommand is one call of the library.

Exit status: 0 done; 1 the run failed, or with `--strict` something differs; 2 the scenario, a file or the command line
is wrong; 130 stopped by Ctrl-C. Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import json
import os
import re
import sys
import textwrap
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, CycloptsError, Group, Parameter
from rich.console import Console

if TYPE_CHECKING:
    from cellway.scenario.quantities import Duration

WIDTH = 100

OK, FAILED, WRONG, STOPPED = 0, 1, 2, 130
Flag = Annotated[bool, Parameter(show_default=False)]

app = App(
    name="cellway",
    help="Simulate ATM networks cell by cell and compare their flow control.",
    version=lambda: f"cellway {version('cellway')}",
    default_parameter=Parameter(negative=()),
    group_commands=Group.create_ordered("Commands"),
)


class UsageError(Exception):
    """What the user asked for cannot be done; the message says why."""


@app.command(sort_key=0)
def run(
    file: Path,
    /,
    *,
    set: Annotated[list[str] | None, Parameter(name="--set")] = None,
    seed: int | None = None,
    out: Path | None = None,
    json: Flag = False,
) -> int:
    """Simulate a scenario and show what it came to.

    Parameters
    ----------
    file
        The scenario, YAML.
    set
        Change the scenario: PATH=VALUE, for example vcs.vc1.credit.n3="51 cells". May be repeated.
    seed
        Seed of all random streams, instead of the scenario's.
    out
        Directory for the result: Parquet tables, provenance, the scenario as run.
    json
        Print one JSON object with provenance and summary tables instead of text.
    """
    from cellway import directory
    from cellway.run import run as simulate

    if out is not None:
        directory.check_writable(out)
    result = simulate(file, overrides=set or (), seed=seed, progress=True)
    if out is not None:
        result.save(out)
    if json:
        _print_json(result.to_json())
    else:
        console = Console(width=min(Console().width, WIDTH) if sys.stdout.isatty() else WIDTH, highlight=False)
        console.print(result.summary)
        hops = f"{result.provenance.cell_hops:,}".replace(",", " ")
        console.print(
            f"\n{hops} cell-hops in {result.elapsed:.2f} s" + (f"; saved in {out}" if out else ""),
            style="dim",
            markup=False,
            soft_wrap=True,  # a path in one piece
        )
    if result.provenance.interrupted:
        _complain("stopped by Ctrl-C; the result holds what was simulated so far")
        return STOPPED
    return OK


@app.command(sort_key=1)
def validate(file: Path, /, *more: Path) -> int:
    """Check scenarios without running them.

    Parameters
    ----------
    file
        A scenario, YAML.
    more
        Further scenarios.
    """
    from cellway.run import check
    from cellway.scenario import ScenarioError

    status = OK
    for one in (file, *more):
        try:
            check(one)
        except ScenarioError as error:
            _complain(str(error))
            status = WRONG
        else:
            print(f"{one}: ok")
    return status


@app.command(name="list", sort_key=2)
def list_(family: str | None = None, /) -> int:
    """List the algorithms.

    Parameters
    ----------
    family
        Of this family only: traffic, credit, schedule, discard, impairment, rate, uili.
    """
    from cellway.reference import algorithms

    found = algorithms(family)
    width = max(len(one.kind) for one in found)
    for name in dict.fromkeys(one.family for one in found):
        print(name)
        for one in (one for one in found if one.family == name):
            lines = textwrap.wrap(one.summary, WIDTH - width - 4)
            print(f"  {one.kind:{width}}  " + f"\n{' ' * (width + 4)}".join(lines))
    return OK


@app.command(sort_key=3)
def explain(name: str, /) -> int:
    """Explain an algorithm or a key of the scenario language: meaning, unit, default, source.

    Parameters
    ----------
    name
        For example n23, credit.n23, warmup, vcs.priority.
    """
    from cellway.reference import Algorithm, explain

    for index, found in enumerate(explain(name)):
        if index:
            print()
        if isinstance(found, Algorithm):
            print(f"{found.family}: {{kind: {found.kind}}}")
            for paragraph in found.text.split("\n\n"):
                print(_wrapped(paragraph, 2))
            if found.source:
                print(_wrapped(f"Source: {found.source}", 2))
            for key in found.parameters:
                print("\n" + _wrapped(f"{key.path}: {_about(key)}", 2, 4))
                print(_wrapped(key.text, 6))
        else:
            print(_wrapped(f"{found.path}: {_about(found)}", 0, 4))
            print(_wrapped(found.text, 2))
    return OK


@app.command(sort_key=4)
def schema(*, engine: Flag = False) -> int:
    """Print the JSON schema of the scenario language.

    Parameters
    ----------
    engine
        Print that of the engine's document instead, which scenarios are turned into.
    """
    from cellway import _engine
    from cellway.scenario import Scenario

    _print_json(json.loads(_engine.schema()) if engine else Scenario.model_json_schema(by_alias=True))
    return OK


@app.command(sort_key=5)
def plot(
    directory: Path,
    /,
    *,
    out: Path | None = None,
    kind: Annotated[
        list[Literal["bandwidth", "delay", "queue", "credit", "abr", "rate", "bursts", "cwnd", "goodput"],] | None,
        Parameter(name="--kind"),
    ] = None,
    window: str = "25 cell_times",
    start: Annotated[str | None, Parameter(name="--from")] = None,
    end: Annotated[str | None, Parameter(name="--to")] = None,
    format: Literal["png", "svg"] = "png",
) -> int:
    """Draw every picture that a saved result allows.

    Parameters
    ----------
    directory
        A result, saved by `cellway run --out`.
    out
        Directory for the pictures. Default: plots in the result's.
    kind
        Only this kind. May be repeated.
    window
        Interval over which bandwidth is averaged, for example "50 us".
    start
        Draw from this time on, for example "2 ms". Default: 0 s.
    end
        Draw up to this time. Default: the end of the run.
    format
        png or svg.
    """
    from cellway.plots import KINDS, plot_all
    from cellway.result import Result

    result = Result.load(directory)
    between = (
        0.0 if start is None else _seconds("--from", start),
        result.end if end is None else _seconds("--to", end),
    )
    if not 0 <= between[0] < between[1]:
        raise UsageError("--from must be before --to")
    interval = _duration("--window", window)
    if interval.number == 0:
        raise UsageError("--window: must be more than zero")
    part = None if start is end is None else between
    written = plot_all(
        result, out or directory / "plots", format, kinds=kind or KINDS, window=str(interval), between=part
    )
    if not written:
        raise UsageError(
            f"{directory} holds no series to draw; let the scenario `record` something, for example `trace: all`"
        )
    for path in written:
        print(path)
    return OK


@app.command(sort_key=6)
def reproduce(
    *items: str,
    out: Path = Path("reproduction"),
    jobs: int | None = None,
    strict: Flag = False,
    fresh: Flag = False,
) -> int:
    """Reproduce the figures and tables of the papers; write a report. What was finished before is not run again.

    Parameters
    ----------
    items
        PAPER or PAPER/ITEM, for example n23/figure-16. Default: everything.
    out
        Directory for index.html and reproduction.json.
    jobs
        Simulations at the same time. Default: one for each core.
    strict
        Exit with status 1 if anything differs from its paper.
    fresh
        Run again what was finished before by the same version.
    """
    from cellway.papers.reproduce import main

    return main(items, out=out, jobs=jobs, strict=strict, fresh=fresh)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit status; prints one clear message for whatever a user can get wrong."""
    try:
        return _dispatch(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        _complain("stopped by Ctrl-C")
        return STOPPED
    except BrokenPipeError:
        # The reader of a pipe has gone (`cellway list | head`): nothing is wrong, and nothing can be said.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except CycloptsError as error:
        _complain(f"{' '.join(str(error).split())} (`cellway --help` explains)")
        return WRONG
    except Exception as error:
        status = _status_of(error)
        if status is None:
            raise  # an error of Cellway: its traceback is wanted
        _complain(str(error))
        return status


def _status_of(error: Exception) -> int | None:
    """Exit status of an error that is not Cellway's own; None for one that should not have happened."""
    # Imported when something went wrong: `cellway --version` should not load the libraries of a simulation.
    from cellway.recording import NotRecorded
    from cellway.reference import UnknownName
    from cellway.run import SimulationError
    from cellway.scenario import ScenarioError

    if isinstance(error, (ScenarioError, UsageError, UnknownName, NotRecorded, OSError)):
        return WRONG
    if isinstance(error, (SimulationError, MemoryError)):
        return FAILED
    return None


def _dispatch(arguments: Sequence[str]) -> int:
    status = app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
    return status if isinstance(status, int) else OK


def _duration(option: str, text: str) -> Duration:
    from cellway.scenario.quantities import Duration, QuantityError

    try:
        return Duration(text)
    except QuantityError as error:
        raise UsageError(f"{option}: {error}; found '{text}'; for example '50 us'") from None


def _seconds(option: str, text: str) -> float:
    from cellway.scenario.quantities import QuantityError

    try:
        return _duration(option, text).lower() * 1e-12
    except QuantityError as error:
        raise UsageError(f"{option}: {error}") from None


def _complain(message: str) -> None:
    """One message on standard error, each of its lines marked."""
    for line in message.splitlines():
        print(f"cellway: {line}", file=sys.stderr)


def _print_json(document: Any) -> None:
    print(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def _wrapped(text: str, indent: int, hanging: int | None = None) -> str:
    text = re.sub(r"(?<![\w*])\*(\S[^*]*)\*(?![\w*])", r"\1", text)  # emphasis is for the documentation
    after = " " * (indent if hanging is None else hanging)
    return textwrap.fill(text, WIDTH, initial_indent=" " * indent, subsequent_indent=after)


def _about(key: Any) -> str:
    if key.default == "required":
        return f"{key.wanted}; required"
    said = "Default:" in key.text or not key.default
    return key.wanted if said else f"{key.wanted}; default {key.default}"
