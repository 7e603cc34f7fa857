"""The families of algorithms: those of the engine, and what Python adds to them."""

from __future__ import annotations

from typing import Annotated

from cellway.scenario import parameters_generated as engine
from cellway.scenario.blocks import Family, Parameters
from cellway.scenario.trace_file import TraceFileTraffic

Traffic = Annotated[engine.Traffic | TraceFileTraffic, Family("traffic")]
Credit = engine.Credit
Schedule = engine.Schedule
Discard = engine.Discard
Impairment = engine.Impairment
Police = engine.Police
Rate = engine.Rate
Uili = engine.Uili

FAMILIES: dict[str, dict[str, type[Parameters]]] = engine.FAMILIES | {
    "traffic": engine.FAMILIES["traffic"] | {"trace_file": TraceFileTraffic}
}
"""Every algorithm by family and kind."""

__all__ = [
    "FAMILIES",
    "Credit",
    "Discard",
    "Impairment",
    "Police",
    "Rate",
    "Schedule",
    "TraceFileTraffic",
    "Traffic",
    "Uili",
]
