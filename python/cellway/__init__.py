"""Cellway: simulate ATM networks cell by cell and compare their flow control with five published papers.

result = cellway.run("two_switches.yaml")
print(result.summary)
result.series("queue", node="s1").plot()
"""

from cellway.recording import NotRecorded
from cellway.result import Result
from cellway.run import Progress, SimulationError, check, run
from cellway.scenario import Scenario, ScenarioError, load
from cellway.series import Series

__version__ = "0.1.0"

__all__ = [
    "NotRecorded",
    "Progress",
    "Result",
    "Scenario",
    "ScenarioError",
    "Series",
    "SimulationError",
    "__version__",
    "check",
    "load",
    "run",
]
