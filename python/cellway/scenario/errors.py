"""What is wrong with a scenario, and where: the only exception that a bad scenario raises."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic_core import PydanticCustomError

Path = tuple[str | int, ...]
"""A place in a scenario, for example `("vcs", "vc1", "traffic", "kind")`; list elements by index."""

LISTED = 12
"""Allowed values named in one message; longer lists are cut."""


def show_path(path: Path) -> str:
    """The path as people write it: `links[0].rate`, `vcs.vc1.traffic.kind`."""
    text = ""
    for part in path:
        if isinstance(part, str) and (not part or not part.isprintable() or len(part) > 80):
            part = show_value(part)
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def show_value(value: object) -> str:
    """A value as the message shows it: short, in YAML words rather than Python's."""
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:57] + "...")
    if isinstance(value, dict):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, (list, tuple)):
        return "a list" if value else "an empty list"
    try:
        text = str(value)
    except ValueError:  # an integer beyond Python's limit for decimal text
        return "a huge number"
    return text if len(text) <= 60 else text[:57] + "..."


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name closest to `name`, or an empty string where none is close."""
    names = list(known)
    folded = {candidate.lower(): candidate for candidate in names}
    if name.lower() in folded:
        return folded[name.lower()]
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if not close:
        close = difflib.get_close_matches(name.lower(), list(folded), n=1, cutoff=0.6)
        close = [folded[key] for key in close]
    return close[0] if close else ""


def listing(names: Iterable[str]) -> str:
    """The names in one line, cut after [`LISTED`][cellway.scenario.errors.LISTED]."""
    all_names = list(names)
    more = len(all_names) - LISTED
    return ", ".join(all_names[:LISTED]) + (f", ... ({more} more)" if more > 0 else "")


class Fault(ValueError):
    """Something wrong with one value, before it is known where in which file that value stands."""

    def __init__(self, message: str, found: str = "", allowed: str = "", suggestion: str = "", at: Path = ()) -> None:
        super().__init__(message)
        self.message, self.found, self.allowed, self.suggestion = message, found, allowed, suggestion
        self.at = at
        """The place below the value, for example `("kind",)`."""

    def under(self, *path: str | int) -> Fault:
        """The same fault, seen from a value that holds this one."""
        return Fault(self.message, self.found, self.allowed, self.suggestion, (*path, *self.at))


def pydantic_error(fault: Fault) -> PydanticCustomError:
    """The fault as pydantic wants it from a validator; `cellway.scenario.diagnosis` unpacks it."""
    context = {"message": fault.message, "found": fault.found, "allowed": fault.allowed}
    return PydanticCustomError("scenario", "{message}", context | {"suggestion": fault.suggestion, "at": fault.at})


def no_such(noun: str, name: str, known: Iterable[str], at: Path = ()) -> Fault:
    """The fault of a reference to something that does not exist."""
    names = list(known)
    return Fault(f"there is no {noun} '{name}'", "", listing(names), nearest(name, names), at)


@dataclass(frozen=True)
class Problem:
    """One fault of a scenario."""

    path: Path
    """Place in the scenario; empty for the file as a whole."""
    message: str
    """What is wrong, in one clause without a final stop."""
    found: str = ""
    """What stands there; empty where the message says it."""
    allowed: str = ""
    """What would be right; empty where the message says it."""
    suggestion: str = ""
    """The nearest known name; empty where none is close."""
    file: str | None = None
    """File name as the user gave it, or the `--set` argument; None for a scenario built in Python."""
    line: int | None = None
    """Line in the file, from 1; None where there is none."""

    def __str__(self) -> str:
        where = [] if self.file is None else [self.file if self.line is None else f"{self.file}:{self.line}"]
        if self.path:
            where.append(show_path(self.path))
        text = ": ".join([*where, self.message])
        if self.found:
            text += f"; found {self.found}"
        if self.suggestion:
            text += f"; did you mean '{self.suggestion}'?"
        if self.allowed:
            text += (" " if self.suggestion else "; ") + f"allowed: {self.allowed}"
        return text


class ScenarioError(ValueError):
    """A scenario cannot be used. Names every fault found, in the order of the file.

    The attributes `file`, `line`, `path`, `message`, `found`, `allowed` and `suggestion` are those of the first fault;
    `problems` has them all.
    """

    def __init__(self, problems: Problem | Sequence[Problem]) -> None:
        several = (problems,) if isinstance(problems, Problem) else tuple(dict.fromkeys(problems))
        self.problems = tuple(sorted(several, key=lambda p: (p.line is None, p.line or 0)))
        super().__init__("\n".join(str(problem) for problem in self.problems))

    @property
    def first(self) -> Problem:
        """The first fault."""
        return self.problems[0]

    @property
    def file(self) -> str | None:
        """File of the first fault."""
        return self.first.file

    @property
    def line(self) -> int | None:
        """Line of the first fault, from 1."""
        return self.first.line

    @property
    def path(self) -> str:
        """Path of the first fault in the scenario, for example `vcs.vc1.traffic.kind`."""
        return show_path(self.first.path)

    @property
    def message(self) -> str:
        """What is wrong, of the first fault."""
        return self.first.message

    @property
    def found(self) -> str:
        """What stands there, of the first fault."""
        return self.first.found

    @property
    def allowed(self) -> str:
        """What would be right, of the first fault."""
        return self.first.allowed

    @property
    def suggestion(self) -> str:
        """The nearest known name, of the first fault."""
        return self.first.suggestion
