"""The scenario language: networks, traffic and what to record, from YAML or Python.

scenario = load("two_switches.yaml", overrides=["vcs.vc1.credit.n3=51 cells"])
scenario = Scenario(rate="622.08 Mbit/s", duration="5 ms", hosts=["a", "b"], links=[Link(between=["a", "b"])],
                    vcs={"vc1": VC(from_="a", to="b", traffic=GreedyTraffic())})
lowered = lower(scenario)        # the engine document, and the way back from the engine's errors
"""

from cellway.scenario import parameters_generated
from cellway.scenario.errors import Problem, ScenarioError
from cellway.scenario.families import (
    FAMILIES,
    Credit,
    Discard,
    Impairment,
    Police,
    Rate,
    Schedule,
    TraceFileTraffic,
    Traffic,
    Uili,
)
from cellway.scenario.load import from_dict, load, loads, to_yaml, with_values
from cellway.scenario.lower import Lowered, lower
from cellway.scenario.model import (
    VC,
    AbrRecord,
    BurstsRecord,
    CreditRecord,
    DelayRecord,
    Host,
    Link,
    Port,
    QueueRecord,
    RateRecord,
    Record,
    Scenario,
    Switch,
    TcpRecord,
    ThroughputRecord,
)
from cellway.scenario.parameters_generated import *  # noqa: F403  # the algorithms' parameters, by `__all__`
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
    "FAMILIES",
    "VC",
    "AbrRecord",
    "BitRate",
    "BurstsRecord",
    "Bytes",
    "CellRate",
    "Cells",
    "Credit",
    "CreditRecord",
    "DelayRecord",
    "Discard",
    "Duration",
    "Fraction",
    "Host",
    "Impairment",
    "Length",
    "Link",
    "Lowered",
    "Police",
    "Port",
    "Problem",
    "QuantityError",
    "QueueRecord",
    "Rate",
    "RateRecord",
    "Record",
    "Scenario",
    "ScenarioError",
    "Schedule",
    "Switch",
    "TcpRecord",
    "ThroughputRecord",
    "TraceFileTraffic",
    "Traffic",
    "Uili",
    "from_dict",
    "load",
    "loads",
    "lower",
    "to_yaml",
    "unit_registry",
    "with_values",
]
__all__ += parameters_generated.__all__
