"""The scenario language: networks, traffic and what to record, from YAML or Python.

scenario = load("two_switches.yaml", overrides=["vcs.vc1.credit.n3=51 cells"])
scenario = Scenario(rate="622.08 Mbit/s", duration="5 ms", hosts=["a", "b"], links=[Link(between=["a", "b"])],
                    vcs={"vc1": VC(from_="a", to="b", traffic=GreedyTraffic())})
lowered = lower(scenario)        # the engine document, and the way back from the engine's errors
"""

from cellway.scenario import families
from cellway.scenario.errors import Problem, ScenarioError
from cellway.scenario.families import *  # noqa: F403  # every algorithm's parameters, by `__all__`
from cellway.scenario.load import from_dict, load, loads, to_yaml, with_values
from cellway.scenario.lower import Lowered, lower
from cellway.scenario.model import (
    VC,
    CreditRecord,
    DelayRecord,
    Host,
    Link,
    Port,
    QueueRecord,
    Record,
    Scenario,
    Switch,
    ThroughputRecord,
)
from cellway.scenario.quantities import (
    BitRate,
    Bytes,
    CellRate,
    Cells,
    Duration,
    Fraction,
    Length,
    QuantityError,
    unit_registry,
)

__all__ = [
    "VC",
    "BitRate",
    "Bytes",
    "CellRate",
    "Cells",
    "CreditRecord",
    "DelayRecord",
    "Duration",
    "Fraction",
    "Host",
    "Length",
    "Link",
    "Lowered",
    "Port",
    "Problem",
    "QuantityError",
    "QueueRecord",
    "Record",
    "Scenario",
    "ScenarioError",
    "Switch",
    "ThroughputRecord",
    "from_dict",
    "load",
    "loads",
    "lower",
    "to_yaml",
    "unit_registry",
    "with_values",
]
__all__ += families.__all__
