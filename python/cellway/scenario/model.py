"""The objects of the scenario language: what a YAML file holds, and what Python users build.

Every key is known, every quantity has its unit, and assignments are checked like the file. What concerns more than one
object (names, references, routes) is checked when the scenario is lowered; parameters of algorithms by the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    PrivateAttr,
    StrictStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import InitErrorDetails

from cellway.scenario.blocks import Block, Parameters
from cellway.scenario.errors import Fault, pydantic_error
from cellway.scenario.families import Credit, Discard, Impairment, Police, Rate, Schedule, Traffic
from cellway.scenario.fields import (
    AllOr,
    Checked,
    LinkName,
    Name,
    PositiveBitRate,
    PositiveCells,
    PositiveDuration,
    WholeNumber,
    names_of,
    one_or_many,
    one_or_many_paths,
    two_names,
)
from cellway.scenario.parameters_generated import Abr
from cellway.scenario.quantities import CellRate, Duration, Length
from cellway.scenario.yaml_source import Source


def _fail(owner: Block, fault: Fault) -> ValidationError:
    """A pydantic error of an object, located at the fault's place below it."""
    details = InitErrorDetails(type=pydantic_error(fault), loc=(), input=None)
    return ValidationError.from_exception_data(type(owner).__name__, [details])


class Port(Block):
    """An output port of a switch."""

    buffer: PositiveCells | None = None
    """Cells that may wait for this port. Default: unlimited. Credit-controlled VCs have their own N2 + N3 besides."""
    schedule: Schedule | None = None
    """Discipline within each priority group. Default: round robin."""
    discard: Discard | None = None
    """Admission to the buffer. Default: tail drop."""
    rate: Rate | None = None
    """What the port tells ABR sources. Default: none, it tells them nothing."""


class Switch(Block):
    """A switch with shared cell memory and output queueing."""

    memory: PositiveCells | None = None
    """Shared cell memory. Default: unlimited."""
    port: Port = Field(default_factory=Port)
    """What every port of this switch is, unless `ports` says otherwise."""
    ports: dict[Name, Port] = Field(default_factory=dict)
    """Ports by neighbour; what is given here replaces the same key of `port`."""


class Host(Block):
    """A host: the applications at the ends of VCs, on one network interface."""

    schedule: Schedule | None = None
    """Discipline among the host's VCs of one priority. Default: round robin."""


class Link(Block):
    """A link: `between` two nodes in both directions, or `from` one `to` the other in one."""

    between: Annotated[tuple[str, str], Checked(two_names)] | None = None
    """The two nodes of a duplex link."""
    from_: Name | None = Field(default=None, alias="from")
    """The sending node of a one-way link."""
    to: Name | None = None
    """The receiving node of a one-way link."""
    rate: PositiveBitRate | None = None
    """Rate of the line in bits of whole cells. Default: the scenario's `rate`."""
    delay: Duration | None = None
    """Propagation delay. Default: 0 s."""
    length: Length | None = None
    """Length of fibre at 5 us/km, instead of `delay`."""
    impairments: list[Impairment] = Field(default_factory=list)
    """Errors of the line, in each direction alike and independent. Default: none."""

    @model_validator(mode="after")
    def _check_ends(self) -> Link:
        if self.between is None and (self.from_ is None or self.to is None):
            missing = "to" if self.from_ is not None else "from" if self.to is not None else "between"
            raise _fail(
                self, Fault("required, but missing", "", "`between: [a, b]`, or `from: a` with `to: b`", at=(missing,))
            )
        if self.between is not None:
            for name, key in ((self.from_, "from"), (self.to, "to")):
                if name is not None:
                    raise _fail(
                        self,
                        Fault("`between` already names both ends", allowed="`between`, or `from` and `to`", at=(key,)),
                    )
        if self.delay is not None and self.length is not None:
            raise _fail(self, Fault("`delay` and `length` say the same", allowed="one of them", at=("length",)))
        return self

    @property
    def ends(self) -> tuple[str, str]:
        """The two nodes as written, the sender first."""
        tail, head = self.between if self.between is not None else (self.from_, self.to)
        return str(tail), str(head)


class VC(Block):
    """A virtual connection, point to point or point to multipoint."""

    from_: Name = Field(alias="from")
    """The host that sends."""
    to: Annotated[str | tuple[str, ...], Checked(one_or_many)]
    """The host that receives; a list for point to multipoint."""
    route: Annotated[tuple[str, ...] | tuple[tuple[str, ...], ...], Checked(one_or_many_paths)] | None = None
    """The nodes from `from` to `to`; for point to multipoint a list of routes that form a tree. Default: the shortest
    path
    (fewest links, then least delay, then names)."""
    priority: WholeNumber = Field(default=0, ge=0, le=63)
    """Priority group, 0 (served first) to 63. Default: 0."""
    mcr: CellRate | None = None
    """Minimum cell rate of the contract, in both directions: weight in fair queueing and in buffer shares, rate that
    policing enforces, floor of an ABR rate. Default: none."""
    police: Police | None = None
    """Enforcement of the contract where the VC enters its first switch. Default: none."""
    traffic: Traffic
    """The application."""
    return_traffic: Traffic | None = None
    """An application at the destination that sends to the source, over the same nodes; not beside one that answers.
    Default: none."""
    abr: Abr | None = None
    """ABR service in both directions, point to point only. Default: none, the host sends as fast as its line takes."""
    return_abr: Abr | None = None
    """ABR parameters of the return direction. Default: those of `abr`."""
    credit: Credit | None = None
    """Credit flow control on every link of the VC. Default: none."""
    credits: dict[LinkName, Credit | None] = Field(default_factory=dict)
    """Credit flow control of single links; what is given here replaces the same key of `credit`, and null switches
    it off.
    """

    @field_validator("credits", mode="before")
    @classmethod
    def _merge_credits(cls, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, Mapping):
            return value
        if "credit" not in info.data:  # it is wrong; its own error suffices
            return {}
        base = info.data["credit"]
        return {link: _merged(base, item) for link, item in value.items()}

    @property
    def destinations(self) -> tuple[str, ...]:
        """The receiving hosts as written, always a list."""
        return (self.to,) if isinstance(self.to, str) else self.to

    @property
    def routes(self) -> tuple[tuple[str, ...], ...]:
        """The explicit routes as written, always a list; empty for the shortest path."""
        if self.route is None:
            return ()
        return (self.route,) if isinstance(self.route[0], str) else self.route


def _merged(base: Parameters | None, item: Any) -> Any:
    """The parameters of one link: `item` over `base`, unless it names another kind."""
    if item == "none" or (isinstance(item, Mapping) and item.get("kind") == "none"):
        return None
    if base is None or not isinstance(item, Mapping) or item.get("kind", base.kind_name()) != base.kind_name():
        return item
    given = {name: getattr(base, name) for name in base.model_fields_set}
    return {"kind": base.kind_name(), **given, **item}


class QueueRecord(Block):
    """Which queue to record: of a switch, of one of its ports, of one VC in it, or of one VC at one port."""

    switch: Name
    """The switch."""
    port: Name | None = None
    """The neighbour that the port leads to. Default: the whole switch."""
    vc: Name | None = None
    """The VC. Default: all cells."""
    every: PositiveDuration | None = None
    """Length of a bin. Default: `every` of `record`."""


class CreditRecord(Block):
    """Which credit to record: what the sender of a link holds for a VC. A missing key means all."""

    link: LinkName | None = None
    """The link that the data takes."""
    vc: Name | None = None
    """The VC."""
    every: PositiveDuration | None = None
    """Length of a bin. Default: `every` of `record`."""


class ThroughputRecord(Block):
    """Which throughput to record: cells per second that start on a link."""

    link: LinkName
    """The link."""
    vc: Name | None = None
    """Cells of this VC alone. Default: of all."""
    cells: Literal["data", "credit", "all"] = "data"
    """Which cells. Default: data."""
    every: PositiveDuration | None = None
    """Length of a bin. Default: `every` of `record`, one of which is required."""


class DelayRecord(Block):
    """Which end-to-end delays to record: those of each data cell of a VC."""

    vc: Name
    """The VC."""
    to: Name | None = None
    """The destination. Default: each."""


class TcpRecord(Block):
    """Which quantity of a TCP sender to record."""

    vc: Name
    """The VC."""
    connection: WholeNumber | None = Field(default=None, ge=0)
    """The connection of the VC, counted from 0. Default: each."""
    quantity: Literal["cwnd", "ssthresh", "in_flight", "srtt", "rto"] = "cwnd"
    """The congestion window, the threshold of slow start and the data in flight [bytes]; the smoothed round-trip time
    and the retransmission time-out [s]. Default: cwnd."""
    every: PositiveDuration | None = None
    """Length of a bin. Default: `every` of `record`."""


class AbrRecord(Block):
    """Which rate of ABR sources to record."""

    vc: Name
    """The VC."""
    direction: Literal["forward", "return"] = "forward"
    """The source at the VC's `from`, or that at its `to`. Default: forward."""
    every: PositiveDuration | None = None
    """Length of a bin. Default: `every` of `record`."""


class RateRecord(Block):
    """Which quantity of a port's rate algorithm to record."""

    link: LinkName
    """The link of the port."""
    quantity: Name = "fair_share"
    """What: for ERICA fair_share, overload, active, capacity, input, background, max_alloc or target. Default:
    fair_share."""
    every: PositiveDuration | None = None
    """Length of a bin. Default: `every` of `record`."""


class BurstsRecord(Block):
    """Of which VC to record the bursts: each message of its applications, when offered and when on the line."""

    vc: Name
    """The VC."""


class Record(Block):
    """What to record besides the summary tables; each `all` or a list."""

    trace: Annotated[Literal["all"] | list[LinkName], AllOr(list[LinkName])] | None = None
    """Time-stamped trace of every cell on these links."""
    queue: Annotated[Literal["all"] | list[QueueRecord], AllOr(list[QueueRecord])] | None = None
    """Cells queued. `all`: every switch, and every VC in each switch it crosses."""
    credit: Annotated[Literal["all"] | list[CreditRecord], AllOr(list[CreditRecord])] | None = None
    """Credit held by the sender. `all`: every flow-controlled VC on every link."""
    throughput: Annotated[Literal["all"] | list[ThroughputRecord], AllOr(list[ThroughputRecord])] | None = None
    """Rate of cells in bins. `all`: on every link all cells, its credit cells, and the data of every VC on it."""
    delay: Annotated[Literal["all"] | list[DelayRecord], AllOr(list[DelayRecord])] | None = None
    """End-to-end delay of each data cell. `all`: every VC."""
    tcp: Annotated[Literal["all"] | list[TcpRecord], AllOr(list[TcpRecord])] | None = None
    """Quantities of TCP senders. `all`: the congestion window of every connection."""
    acr: Annotated[Literal["all"] | list[AbrRecord], AllOr(list[AbrRecord])] | None = None
    """Allowed cell rate of ABR sources. `all`: of every source that has an application."""
    er: Annotated[Literal["all"] | list[AbrRecord], AllOr(list[AbrRecord])] | None = None
    """Explicit rate that ABR sources received last. `all`: of every source that has an application."""
    rate: Annotated[Literal["all"] | list[RateRecord], AllOr(list[RateRecord])] | None = None
    """What rate algorithms measure and decide. `all`: every quantity at every port that a VC uses."""
    bursts: Annotated[Literal["all"] | list[BurstsRecord], AllOr(list[BurstsRecord])] | None = None
    """Messages of applications, in both directions: response times and effective throughputs. `all`: of every VC."""
    every: PositiveDuration | None = None
    """Length of a bin. Default: every change is kept; throughput needs a length."""


class Scenario(Block):
    """A network, its traffic, and what to record."""

    cellway: Literal[1] = 1
    """Version of the scenario language; required in a file."""
    title: StrictStr = ""
    """One line about the scenario."""
    rate: PositiveBitRate | None = None
    """Rate of links that give none; defines `cell_times` (424 bit / rate) in the whole scenario."""
    duration: PositiveDuration
    """Simulated time."""
    warmup: Duration = Duration("0 s")
    """The counters of the summary start here. Default: 0 s."""
    seed: WholeNumber = Field(default=1, ge=0)
    """Seed of all random streams. Default: 1."""
    switches: Annotated[dict[Name, Switch], BeforeValidator(names_of)] = Field(default_factory=dict)
    """Switches by name; null for one with all defaults."""
    hosts: Annotated[dict[Name, Host], BeforeValidator(names_of)] = Field(min_length=1)
    """Hosts: a list of names, or a mapping. Each has one link to the network."""
    links: list[Link] = Field(min_length=1)
    """Links between switches and hosts."""
    vcs: dict[Name, VC] = Field(min_length=1)
    """Virtual connections by name."""
    record: Record = Field(default_factory=Record)
    """What to record. Default: the summary tables alone."""

    _source: Source = PrivateAttr(default_factory=Source)

    @property
    def source(self) -> Source:
        """Where the values come from: file and lines; empty for a scenario built in Python."""
        return self._source

    def __eq__(self, other: object) -> bool:
        """Equal values; it does not matter whether they come from a file."""
        if not isinstance(other, Scenario):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in type(self).model_fields)

    __hash__ = None  # type: ignore[assignment]  # mutable
