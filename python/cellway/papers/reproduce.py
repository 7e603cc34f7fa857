"""Reproduces papers: runs their items, several at a time, and writes `reproduction.json` and the report `index.html`.

What is written depends on code, items and seeds only, not on the number of jobs nor on the order of completion.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

import cellway
from cellway.papers import registry
from cellway.papers.item import Item, Verdict
from cellway.papers.outcome import Outcome, carry_out, failed, keep, kept, replace_text
from cellway.papers.page import page
from cellway.papers.registry import UnknownName, select

JSON, PAGE = "reproduction.json", "index.html"
OK, FAILED, WRONG, STOPPED = 0, 1, 2, 130

Listener = Callable[[Outcome, bool], object]
"""Is told of each item as it finishes, and whether it had been finished before."""


@dataclass(frozen=True)
class Reproduction:
    """What came of a selection of items."""

    outcomes: tuple[Outcome, ...]
    """The finished items, in the order of the papers."""
    selected: int
    """Items that were asked for."""
    out: Path
    """Where the report is."""
    interrupted: bool
    """Whether Ctrl-C came before all were finished."""

    def count(self, verdict: Verdict) -> int:
        """Findings with this verdict."""
        return sum(outcome.count(verdict) for outcome in self.outcomes)

    def status(self, strict: bool) -> int:
        """Exit status: 130 when interrupted; 1 when an item failed or, if `strict`, something differs; else 0."""
        if self.interrupted:
            return STOPPED
        failures = any(outcome.failure for outcome in self.outcomes)
        return FAILED if failures or (strict and self.count("differs")) else OK


def reproduce(
    selection: Iterable[str] = (),
    out: str | Path = "reproduction",
    jobs: int | None = None,
    *,
    fresh: bool = False,
    progress: Listener | None = None,
) -> Reproduction:
    """Carries out items and writes the report. Ctrl-C loses nothing finished; the next call completes what is missing.

    Args:
        selection: `PAPER` or `PAPER/ITEM`. Default: everything.
        out: Folder for `index.html`, `reproduction.json` and the finished items.
        jobs: Items at the same time. Default: one for each core that this process may use.
        fresh: Run again what is finished.
        progress: Is told of each item as it finishes.

    Raises:
        UnknownName: a name of the selection fits no paper or item.
        ValueError: fewer than one job.
        OSError: the folder cannot be written.
    """
    items = select(selection)
    if jobs is not None and jobs < 1:
        raise ValueError(f"at least one job is needed, not {jobs}")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    tell = progress or (lambda outcome, before: None)
    done: dict[str, Outcome] = {}
    interrupted = False
    try:
        missing = []
        for item in items:
            before = None if fresh else kept(item, folder)
            if before is None:
                missing.append(item)
            else:
                done[item.path] = before
                tell(before, True)
        for outcome in _carried_out(missing, jobs or _cores()):
            if not outcome.failure:
                keep(outcome, folder)
            done[f"{outcome.paper}/{outcome.item}"] = outcome
            tell(outcome, False)
    except KeyboardInterrupt:
        interrupted = True
    outcomes = tuple(done[item.path] for item in items if item.path in done)
    result = Reproduction(outcomes, len(items), folder, interrupted)
    _write(result)
    return result


def main(
    items: Sequence[str] = (),
    out: Path = Path("reproduction"),
    jobs: int | None = None,
    strict: bool = False,
    fresh: bool = False,
) -> int:
    """The command `cellway reproduce`: shows each item as it finishes and returns the exit status."""
    from cellway.papers.terminal import Terminal

    try:
        chosen = select(items)
        with Terminal(len(chosen)) as terminal:
            result = reproduce(items, out, jobs, fresh=fresh, progress=terminal.show)
            terminal.summarise(result)
    except (UnknownName, ValueError, OSError) as error:
        print(f"cellway: {error}", file=sys.stderr)
        return WRONG
    if result.interrupted:
        print(
            f"cellway: stopped by Ctrl-C; {len(result.outcomes)} of {result.selected} items are done and kept in {out}",
            file=sys.stderr,
        )
    return result.status(strict)


def document(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """The content of `reproduction.json`."""
    findings = [finding.model_dump() for outcome in outcomes for finding in outcome.findings]
    return {"version": cellway.__version__, "items": findings}


def _write(result: Reproduction) -> None:
    text = json.dumps(document(result.outcomes), indent=2, ensure_ascii=False, allow_nan=False)
    replace_text(result.out / JSON, text + "\n")
    replace_text(result.out / PAGE, page(result.outcomes, registry.PAPERS, result.selected))


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _carried_out(items: Sequence[Item], jobs: int) -> Iterator[Outcome]:
    """The outcomes as they finish."""
    # What needs no simulation is shown at once, while the workers start.
    yield from (_attempt(item.paper, item.name) for item in items if item.scenarios is dict)
    simulated = [item for item in items if item.scenarios is not dict]
    if jobs == 1 or len(simulated) < 2:
        yield from (_attempt(item.paper, item.name) for item in simulated)
    else:
        yield from _in_parallel(simulated, min(jobs, len(simulated)))


def _attempt(paper: str, name: str) -> Outcome:
    """The outcome of an item, also where its code fails: the others go on."""
    item = registry.item(name, paper)
    try:
        return carry_out(item)
    except Exception as error:
        traceback.print_exc()
        return failed(item, f"{type(error).__name__}: {error}")


def _in_parallel(items: Sequence[Item], jobs: int) -> Iterator[Outcome]:
    others = set(multiprocessing.active_children())
    # Fork would copy the threads' locks of numpy and Arrow.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, _leave_interrupts_to_the_parent)
    try:
        futures: dict[Future[Outcome], Item] = {pool.submit(_attempt, item.paper, item.name): item for item in items}
        waiting = set(futures)
        while waiting:
            finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in sorted(finished, key=lambda one: items.index(futures[one])):
                yield _outcome_of(future, futures[future])
    except BaseException:
        # The workers are in the middle of a simulation and would keep us waiting.
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        raise
    pool.shutdown()


def _outcome_of(future: Future[Outcome], item: Item) -> Outcome:
    try:
        return future.result()
    except Exception as error:  # the worker itself died
        return failed(item, f"its process ended: {type(error).__name__}: {error}")


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
