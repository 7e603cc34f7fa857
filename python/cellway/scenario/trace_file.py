"""Traffic from a file: the engine's `trace`, with its events in a text file beside the scenario."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any, ClassVar, Literal

from pydantic import StrictBool, StrictStr

from cellway.scenario.blocks import Parameters
from cellway.scenario.errors import Fault, show_value
from cellway.scenario.quantities import Cells, Duration

MAX_BYTES = 64 * 2**20
"""Largest trace file read: 64 MiB."""


class TraceFileTraffic(Parameters):
    """Replays the events of a text file, once or periodically, to the picosecond.

    Each line is an event, `TIME, CELLS`, for example `1.5 ms, 3 cells`: the time since the start of the trace and the
    cells offered then, at least one, in order of time. Empty lines and what follows a `#` do not count.
    """

    family: ClassVar[str] = "traffic"
    kind: Literal["trace_file"] = "trace_file"

    file: StrictStr
    """The file; its path is relative to the scenario file (to the working directory for a scenario built in Python)."""
    repeat: Duration | None = None
    """Period after which the list begins again; longer than the time of the last event. Default: it is played once."""
    as_message: StrictBool = False
    """Each event is one message (an AAL5 frame): its last cell carries AAU. Default: false, cells without structure."""
    start: Duration = Duration("0 s")
    """Added to the time of every event. Default: 0 s."""
    stop: Duration | None = None
    """When it ends: events from then on are not offered. Default: never."""

    def engine_parameters(self, directory: FilePath) -> dict[str, Any]:
        """The engine's `trace`.

        Raises `Fault` for a file that cannot be read, and for a line that is no event, with its number.
        """
        events = _events(directory / self.file, self.file)
        rest = {"repeat": self.repeat, "as_message": self.as_message, "start": self.start, "stop": self.stop}
        return {"kind": "trace", "events": events, **rest}


def _events(path: FilePath, name: str) -> list[dict[str, Any]]:
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise Fault("the trace file is too large", f"'{name}'", f"at most {MAX_BYTES // 2**20} MiB", at=("file",))
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Fault("the trace file is not text in UTF-8", f"'{name}'", at=("file",)) from None
    except (OSError, ValueError) as error:
        if isinstance(error, Fault):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise Fault(f"the trace file cannot be read: {reason}", f"'{name}'", at=("file",)) from None
    events = []
    for number, line in enumerate(text.splitlines(), 1):
        row = line.partition("#")[0].strip()
        if not row:
            continue
        time, comma, cells = row.partition(",")
        if not comma:
            message = f"line {number} of the trace file is no event"
            raise Fault(message, show_value(row), "TIME, CELLS: for example '1.5 ms, 3 cells'", at=("file",))
        try:
            events.append({"at": Duration(time), "cells": Cells(cells)})
        except Fault as fault:
            message = f"line {number} of the trace file: {fault.message}"
            raise Fault(message, fault.found, fault.allowed, fault.suggestion, ("file",)) from None
    return events
