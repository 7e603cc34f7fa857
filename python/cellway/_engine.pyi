"""The compiled engine (crates/python). It knows SI integers only; units and messages for users are Python's."""

from collections.abc import Mapping
from typing import Any, Protocol, final

class ArrowTable(Protocol):
    """A table that any Arrow library takes over without a copy, for example `pyarrow.table(...)`."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...

class EngineError(Exception):
    """The engine document is wrong at one place; nothing has run."""

    path: str
    """Where, in the engine document: `vcs.vc1.credit.a->s1.r`."""
    message: str
    """What is wrong, one sentence without a final stop."""
    found: str
    """What stands there; empty where the message says it."""
    allowed: str
    """What would be right; empty where the message says it."""

def version() -> str:
    """Version of the engine: part of every result."""

def schema() -> str:
    """JSON schema of the engine document."""

@final
class Simulation:
    """One network, built from an engine document and run step by step."""

    def __init__(self, document: str) -> None:
        """Build the network of a JSON engine document.

        Raises:
            EngineError: the document is wrong.
        """

    def advance(self, to_ps: int) -> None:
        """Run all that happens before `to_ps` [ps]; other Python threads run meanwhile."""

    @property
    def now_ps(self) -> int:
        """Simulated time reached [ps]."""

    @property
    def cell_hops(self) -> int:
        """Cells sent over links so far."""

    def mark(self) -> None:
        """End the warm-up: the counters of the summary start here."""

    def tables(self) -> Mapping[str, ArrowTable]:
        """Results by name (`vcs`, `links`, `queues`, ...); a field's metadata key `unit` holds its unit."""
