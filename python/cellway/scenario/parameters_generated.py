"""Parameters of every algorithm, by family. Generated from the engine's schema; do not edit.

`python -m cellway.scenario.generate_parameters` writes this file; a test fails when it is stale.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, StrictBool, StrictInt

from cellway.scenario.blocks import Block, Family, Parameters
from cellway.scenario.quantities import BitRate, Bytes, CellRate, Cells, Duration, Fraction


class RateChange(Block):
    """A change of the rate."""

    at: Duration
    """When, since the start of the run."""
    rate: CellRate | None = None
    """The rate from then on [cells/s], 0 for silence; more than the host's line can carry builds a queue in the
    host. `null` is no limit: as a greedy source, as fast as flow control and the line allow.
    """


class TraceEvent(Block):
    """Cells at one instant of a trace."""

    at: Duration
    """When, since the start of the trace."""
    cells: Cells
    """How many cells, at least 1; they leave back to back where nothing holds them up."""


class Operation(Block):
    """A procedure that can be called."""

    request: Bytes
    """Size of the request with all headers above AAL5, 1 byte to 1 GiB. Beyond 65535 bytes it would take several
    AAL5 frames; it is carried as one long frame all the same.
    """
    response: Bytes
    """Size of the response, likewise."""
    weight: float = 1.0
    """How often it is called, relative to the others; above 0. Default: 1."""


class Period(Block):
    """A period of time, from its first instant to before its last."""

    from_: Duration = Field(alias="from")
    """First instant, since the start of the run."""
    to: Duration
    """First instant after it."""


class TahoeCongestion(Parameters):
    """TCP of 4.3BSD Tahoe (1988) as Fall and Floyd simulate it: on the third duplicate acknowledgement, or after a
    time-out, half the window becomes the threshold and it starts again with one segment, from the first byte that
    is not acknowledged, slowly.

    What lies behind that byte is sent again too, even if it has arrived, until an acknowledgement says so. The
    duplicate acknowledgements which that causes start nothing: there is no second fast retransmit before
    everything sent at the first is acknowledged (Floyd, *TCP and successive fast retransmits*, 1994).

    Sources: Jacobson, *Congestion avoidance and control*, 1988; Fall and Floyd, *Simulation-based comparisons of
    Tahoe, Reno and SACK TCP*, 1996.
    """

    family: ClassVar[str] = "congestion"
    kind: Literal["tahoe"] = "tahoe"


class RenoCongestion(Parameters):
    """TCP of 4.3BSD Reno (1990): the third duplicate acknowledgement repeats the missing segment and halves the
    window; each further one lets a segment more into the network, until any new data is acknowledged (fast
    recovery).

    The first acknowledgement of new data ends the recovery, so each further loss of the same window needs three
    duplicates of its own and halves the window again; with three losses there are too few, and it waits for a
    time-out. As in 4.3BSD, half of the window means the smaller of both windows rather than the flight, and
    nothing prevents a fast retransmit on what a time-out has repeated needlessly. Other than there, leaving the
    recovery does not open the window by a segment.

    Sources: RFC 5681, section 3.2; Stevens, *TCP/IP Illustrated*, volume 2, section 29.4.
    """

    family: ClassVar[str] = "congestion"
    kind: Literal["reno"] = "reno"


class NewRenoCongestion(Parameters):
    """NewReno (RFC 6582): fast recovery lasts until everything sent before it is acknowledged, and each
    acknowledgement of a part shows the next loss, which is repeated at once. It recovers one loss in a round trip
    and halves the window once.

    The timer starts anew with the first partial acknowledgement only ("impatient", section 3.2, step 3), so with
    many losses it ends in a time-out. There is no fast retransmit before everything sent at the last loss is
    acknowledged and more (section 3.2, step 2, "careful").
    """

    family: ClassVar[str] = "congestion"
    kind: Literal["new_reno"] = "new_reno"


class SackCongestion(Parameters):
    """Loss recovery after RFC 6675 from the selective acknowledgements of RFC 2018: the sender estimates what is in
    the network (`pipe`) and fills the halved window with what is missing, then with new data. All losses of a
    window are repeated within about one round trip.

    The first two duplicate acknowledgements let new data out (limited transmit, RFC 3042, as section 5, step 3
    has it). After a time-out what is known to have arrived is not repeated, as section 5.1 allows; the receivers
    here never forget what they have acknowledged.
    """

    family: ClassVar[str] = "congestion"
    kind: Literal["sack"] = "sack"


class Sack1Congestion(Parameters):
    """SACK as Fall and Floyd simulate it ("sack1"): Reno's window, and during fast recovery a variable `pipe` that
    counts what is in the network. It grows with each segment sent, shrinks by a segment with each duplicate
    acknowledgement, and by two with each acknowledgement of a part (for the lost segment and its repetition);
    while it is below the window the next missing segment goes, or new data.

    It looks for no second loss of a repetition: that waits for the time-out, which also makes it forget what was
    selectively acknowledged (RFC 2018, section 8).

    Source: Fall and Floyd, *Simulation-based comparisons of Tahoe, Reno and SACK TCP*, 1996, section 4.
    """

    family: ClassVar[str] = "congestion"
    kind: Literal["sack1"] = "sack1"


Congestion = Annotated[TahoeCongestion | RenoCongestion | NewRenoCongestion | SackCongestion | Sack1Congestion, Family("congestion")]

class GreedyTraffic(Parameters):
    """Sends as much as flow control and the host's line allow, from `start` to `stop`.

    Source: N23 paper, section 5, "the simplest pattern is called greedy".
    """

    family: ClassVar[str] = "traffic"
    kind: Literal["greedy"] = "greedy"

    start: Duration = Duration("0 s")
    """When it begins. Default: 0 s."""
    phase: Duration | None = None
    """Added to the start. Default: random within one cell time of the host's line, so that sources do not march in
    step.
    """
    stop: Duration | None = None
    """When it ends. Default: never."""


class CbrTraffic(Parameters):
    """One cell every 1/rate; cell k comes at floor(k / rate) picoseconds after the first, without drift."""

    family: ClassVar[str] = "traffic"
    kind: Literal["cbr"] = "cbr"

    rate: CellRate
    """Cells per second; more than the host's line can carry builds a queue in the host."""
    start: Duration = Duration("0 s")
    """When it begins. Default: 0 s."""
    phase: Duration | None = None
    """Added to the start. Default: random within one period, so that sources do not march in step."""
    stop: Duration | None = None
    """When it ends. Default: never."""


class PoissonTraffic(Parameters):
    """Single cells of a Poisson process: the M of M/D/1.

    The process is stationary from its start, so there is no phase. The exact instants are rounded down to
    picoseconds, and the fraction is kept for the next gap: rounding never adds up, and the rate has no bias.
    """

    family: ClassVar[str] = "traffic"
    kind: Literal["poisson"] = "poisson"

    rate: CellRate
    """Mean rate [cells/s], 1e-6 to 1e12; more than the host's line can carry builds a queue in the host."""
    start: Duration = Duration("0 s")
    """When it begins. Default: 0 s."""
    stop: Duration | None = None
    """When it ends. Default: never."""


class BernoulliTraffic(Parameters):
    """One cell with a fixed probability in each slot of an exact grid: N such sources are the Geo^N of Geo^N/D/1.

    Slot k begins at `phase` + floor(k * slot) since the start of the run, whatever `start` is: sources of one
    slot and phase share one grid for ever. The cell comes at the beginning of its slot.
    """

    family: ClassVar[str] = "traffic"
    kind: Literal["bernoulli"] = "bernoulli"

    probability: Fraction
    """Probability of a cell in a slot, 0 to 1; the load in cells per slot."""
    slot: CellRate | None = None
    """Slots per second. Default: one slot is one cell time of the host's line."""
    start: Duration = Duration("0 s")
    """When it begins: the first slot is the first of the grid from then on. Default: 0 s."""
    phase: Duration | None = None
    """Beginning of the grid's slot 0. Default: random within one slot, so that sources do not march in step; 0 s for
    all makes them slot-synchronous.
    """
    stop: Duration | None = None
    """When it ends. Default: never."""


class OnOffTraffic(Parameters):
    """Alternates on periods, in which cells come equally spaced at `peak`, with silent off periods.

    The clock of the peak rate stands still during off periods: what is left of a cell's slot when an on period
    ends is spent in the next one. So cells are never closer than 1/peak, spacing within a period is exact, and
    the mean rate is exactly peak * on / (on + off), however short the periods.

    Source: the on-off (packet-train, interrupted Poisson) source of the ATM literature; Pareto periods after
    Willinger, Taqqu, Sherman and Wilson, *Self-similarity through high-variability*, 1997.
    """

    family: ClassVar[str] = "traffic"
    kind: Literal["on_off"] = "on_off"

    peak: CellRate
    """Rate during on periods [cells/s]; more than the host's line can carry builds a queue in the host."""
    on: Duration
    """Mean length of the on periods, at least one cell at the peak rate: shorter ones would hold no cell."""
    off: Duration
    """Mean length of the off periods; 0 s makes it a constant-rate source."""
    on_distribution: Literal["exponential", "deterministic", "pareto"] = "exponential"
    """How the on periods vary. Default: exponential."""
    off_distribution: Literal["exponential", "deterministic", "pareto"] = "exponential"
    """How the off periods vary. Default: exponential."""
    on_shape: float | None = None
    """Shape of Pareto on periods, 1.01 to 100; up to 2 the variance is infinite. Default: 1.5 for Pareto periods."""
    off_shape: float | None = None
    """Shape of Pareto off periods, 1.01 to 100; up to 2 the variance is infinite. Default: 1.5 for Pareto periods."""
    start: Duration = Duration("0 s")
    """When it begins. Default: 0 s."""
    phase: Duration | None = None
    """If given, a whole on period begins that long after the start, with its first cell in the middle of a slot of
    1/peak, so that a period of n slots holds n cells whatever its rounding. Default: the source is stationary
    from the start, on with probability on / (on + off) and with a remaining period of the equilibrium law.
    """
    stop: Duration | None = None
    """When it ends. Default: never."""


class BurstTraffic(Parameters):
    """Alternates bursts of back-to-back cells at the rate of the host's line with idle periods.

    A burst is handed to the host as a whole. The idle period begins when the last cell would have left on an idle
    line, so the offered load is burst / (burst + idle) of the line, both in time; where flow control or other VCs
    hold the burst up, the next one comes no later and waits in the host. For an application that waits, see
    `rpc`.

    Source: N23 paper, section 5, "most other patterns alternate idle periods with bursts of back-to-back cells".
    """

    family: ClassVar[str] = "traffic"
    kind: Literal["burst"] = "burst"

    cells: Cells
    """Cells of a burst, or their mean; at least 1."""
    length: Literal["deterministic", "geometric"] = "deterministic"
    """How the number of cells varies. Default: deterministic."""
    idle: Duration
    """Idle period after a burst, or its mean; 0 s makes the source as fast as the line."""
    idle_distribution: Literal["deterministic", "exponential"] = "deterministic"
    """How the idle periods vary. Default: deterministic."""
    as_message: StrictBool = False
    """Each burst is one message (an AAL5 frame): its last cell carries AAU. Default: false, cells without structure."""
    start: Duration = Duration("0 s")
    """When it begins. Default: 0 s."""
    phase: Duration | None = None
    """Time from the start to the first burst. Default: random within one mean cycle of burst and idle period, so
    that sources do not march in step.
    """
    stop: Duration | None = None
    """When it ends: no burst begins from then on; one that has begun is sent to its end. Default: never."""


class RateScheduleTraffic(Parameters):
    """Sends at a piecewise constant rate, or as fast as it may: for example a source that is its own bottleneck for
    a while.

    Each change restarts the exact clock: within a piece cell k comes floor(k / rate) after the piece's first
    cell. A cell of which a part is due at a change is finished at the new rate, so the cells sent by any time
    differ from the integral of the rate by less than one, and cells are never closer than the higher rate allows.

    Source: UILI paper, section 7.1, sources that are limited to a rate for some of the time.
    """

    family: ClassVar[str] = "traffic"
    kind: Literal["rate_schedule"] = "rate_schedule"

    rates: list[RateChange]
    """The changes in order of time, at least one; before the first the source is silent."""
    phase: Duration | None = None
    """Time from the beginning of the first piece that is not silent to its first cell, if it lasts so long. Default:
    random within one period of its rate, so that sources do not march in step.
    """
    stop: Duration | None = None
    """When it ends. Default: never; the last rate is kept."""


class TraceTraffic(Parameters):
    """Replays a list of events, once or periodically, to the picosecond."""

    family: ClassVar[str] = "traffic"
    kind: Literal["trace"] = "trace"

    events: list[TraceEvent]
    """The events in order of time, at least one; several at one instant are offered in order of the list."""
    repeat: Duration | None = None
    """Period after which the list begins again; longer than the time of the last event. Default: it is played once."""
    as_message: StrictBool = False
    """Each event is one message (an AAL5 frame): its last cell carries AAU. Default: false, cells without structure."""
    start: Duration = Duration("0 s")
    """Added to the time of every event. Default: 0 s."""
    stop: Duration | None = None
    """When it ends: events from then on are not offered. Default: never."""


class RpcTraffic(Parameters):
    """A client at the VC's source calls a server at its destination, which answers over the return path.

    The client keeps `outstanding` calls going side by side. Each repeats a cycle: `requests` requests, `gap`
    apart; their responses; a think time. Requests and responses are AAL5 frames of ceil((bytes + 8) / 48) cells.
    A request whose response is not complete within `timeout` is sent again, with the time-out doubled at each
    repetition up to 60 s; of several responses to one request the first counts and the others are discarded. The
    server works on one request at a time, in order of arrival, and answers repetitions too, as an NFS server
    answers reads.

    Sources: N23 paper, section 8.1 (NFS); time-outs as NFS over UDP (Macklem, *Lessons Learned Tuning the 4.3BSD
    Reno Implementation of the NFS Protocol*, 1991). The request-response cycles of the UILI paper, section 7.2.1,
    are `outstanding: 1`, one operation of 760 bytes (16 cells) and 760, 12280 or 393208 bytes (16, 256 or 8192
    cells), a deterministic `think` as the inter-cycle time, `gap` as the inter-request time, and no time-out.
    """

    family: ClassVar[str] = "traffic"
    kind: Literal["rpc"] = "rpc"
    answers: ClassVar[bool] = True

    operations: list[Operation] | None = None
    """What is called, each time one drawn by weight. Default: a client that reads the files of a directory tree, our
    synthesis for the traces of the N23 paper, which are lost: 200 bytes each way 40 % (attributes, look-up), and
    for requests of 200 bytes responses of 2 KiB 4 % (directory), 1 KiB 10 %, 4 KiB 10 % (ends of files) and 8 KiB
    36 % (blocks).
    """
    outstanding: StrictInt = Field(default=1, ge=0)
    """Calls side by side, each with its own cycle, 1 to 1024. Default: 1, a client that waits."""
    requests: StrictInt = Field(default=1, ge=0)
    """Requests in a cycle, 1 to 1024. Default: 1."""
    gap: Duration = Duration("0 s")
    """From one request of a cycle to the next. Default: 0 s, back to back."""
    think: Duration = Duration("1 ms")
    """From the last response of a cycle to the next cycle, or its mean. Default: 1 ms."""
    think_distribution: Literal["deterministic", "exponential"] = "exponential"
    """How the think time varies. Default: exponential."""
    service: Duration = Duration("0 s")
    """Time of the server for each request, or its mean. Default: 0 s, a server that is never the bottleneck."""
    service_distribution: Literal["deterministic", "exponential"] = "exponential"
    """How the service time varies. Default: exponential."""
    timeout: Duration | None = Duration("700 ms")
    """From a request to its first repetition; `null` never repeats, and one loss then stops the cycle for ever.
    Shorter than a response takes, it loads the network with repetitions. Default: 700 ms, NFS over UDP.
    """
    start: Duration = Duration("0 s")
    """When it begins. Default: 0 s."""
    phase: Duration | None = None
    """From the start to the first cycles. Default: random within one mean think time, at least within one cell time
    of the host's line, and for each of the `outstanding` on its own, so that clients do not march in step.
    """
    stop: Duration | None = None
    """When it ends: no request is made from then on; those under way are seen through. Default: never."""


class TcpTraffic(Parameters):
    """TCP connections from the VC's source to its destination, each segment in one AAL5 frame; acknowledgements come
    back over the return path.

    A segment of `mss` bytes has headers of TCP and IP (40 bytes) and LLC/SNAP (8) in front and an AAL5 trailer
    (8) behind, and is padded to whole cells: 1024 bytes take 23 cells with or without LLC/SNAP, so that at most
    1024 / (23 * 53) of a line is data. An acknowledgement takes 2 cells, or 1 without LLC/SNAP and SACK option.

    Connections are open from the start and stay open; data flows one way; the receiving application reads at
    once. What the host's line does not take at once waits in the host, without bound.

    Sources: RFC 9293, 5681, 6298, 7323 (window scale); the algorithms of `congestion` name theirs. The GFR
    paper's sources are `window: 600 000 bytes`, and otherwise the defaults.
    """

    family: ClassVar[str] = "traffic"
    kind: Literal["tcp"] = "tcp"
    answers: ClassVar[bool] = True

    congestion: Congestion = Field(default_factory=SackCongestion)
    """Congestion control and loss recovery. Default: sack."""
    connections: StrictInt = Field(default=1, ge=0)
    """Connections that share the VC, 1 to 65536. Default: 1."""
    mss: Bytes = Bytes("1024 B")
    """Largest segment, bytes of data: 1 to 65487. Default: 1024 bytes (GFR paper, section 4.1)."""
    window: Bytes = Bytes("65535 B")
    """Window that the receiver offers, from one segment to 2^30 bytes. Beyond 65535 bytes it is scaled, that is,
    rounded down to a multiple of the smallest power of two that will do (RFC 7323, section 2). Smaller than rate
    times round-trip time, it limits the throughput. Default: 65535 bytes, the largest without scaling.
    """
    initial_window: StrictInt = Field(default=1, ge=0)
    """Congestion window at the start and after idling for longer than the retransmission time-out, in segments, at
    least 1. Default: 1 segment, as 4.3BSD; RFC 5681 allows 2 to 4, RFC 6928 10.
    """
    ssthresh: Bytes | None = None
    """Slow start threshold at the start, at least one segment. Default: the window, so that slow start goes on until
    the first loss.
    """
    bytes: Bytes | None = None
    """Data that the application of each connection sends in all, at least 1 byte. Default: without end."""
    rate: BitRate | None = None
    """Rate at which the application of each connection writes segments' worth of data: bits of data per second, not
    of cells. Default: everything is there from the start.
    """
    delayed_ack: StrictBool = False
    """Whether the receiver waits with an acknowledgement for a second segment (RFC 1122, section 4.2.3.2). Default:
    false, one for each segment (GFR paper, section 4.1).
    """
    ack_delay: Duration = Duration("200 ms")
    """How long it waits at most; above 0, and without effect where `delayed_ack` is false. RFC 1122 allows up to 0.5
    s. Default: 200 ms, as 4.3BSD.
    """
    sack_blocks: StrictInt = Field(default=3, ge=0)
    """Blocks in an acknowledgement's SACK option, 1 to 4, where `congestion` makes use of them. Default: 3, as fit
    beside timestamps (RFC 2018, section 3).
    """
    llc_snap: StrictBool = True
    """Whether IP packets have an LLC/SNAP header of 8 bytes (RFC 2684), or none. Default: true, as classical IP over
    ATM (RFC 2225).
    """
    granularity: Duration = Duration("100 ms")
    """Ticks of the clock with which round trips and time-outs are measured (G of RFC 6298): 500 ms for 4.3BSD, 0 s
    for an exact clock. Time-outs end at ticks, never early. Default: 100 ms.
    """
    initial_rto: Duration = Duration("1 s")
    """Retransmission time-out before a round trip is measured. Default: 1 s (RFC 6298, rule 2.1)."""
    min_rto: Duration = Duration("1 s")
    """Shortest retransmission time-out; above 0. Default: 1 s (RFC 6298, rule 2.4)."""
    max_rto: Duration = Duration("64 s")
    """Longest retransmission time-out, where back-off ends. Default: 64 s, as 4.3BSD."""
    retries: StrictInt | None = Field(default=12, ge=0)
    """Time-outs in a row after which a connection gives up, for good; `null` never does. Default: 12, as 4.3BSD."""
    start: Duration = Duration("0 s")
    """When the first connection begins. Default: 0 s."""
    stagger: Duration = Duration("0 s")
    """From the beginning of one connection to that of the next. Default: 0 s."""
    phase: Duration | None = None
    """Added to the beginning of every connection. Default: random within the time that a segment takes on the host's
    line, for each connection on its own, so that they do not march in step.
    """


Traffic = Annotated[GreedyTraffic | CbrTraffic | PoissonTraffic | BernoulliTraffic | OnOffTraffic | BurstTraffic | RateScheduleTraffic | TraceTraffic | RpcTraffic | TcpTraffic, Family("traffic")]

class N23Credit(Parameters):
    """The N23 scheme: a credit cell after every N2 forwarded cells says how much of the VC's N2 + N3 buffer is free;
    the sender subtracts E, the cells it sent during the last R, and forgets its old count (absolute update).

    Source: Kung, Morris, Charuhas and Lin, *Use of link-by-link flow control in maximizing ATM network
    performance* (1993), section 4, equations (1) to (3).
    """

    family: ClassVar[str] = "credit"
    kind: Literal["n23"] = "n23"

    n2: Cells = Cells("10 cells")
    """Cells forwarded per credit cell, at least 1. Credit cells take at most 1/N2 of the return link."""
    n3: Cells | None = None
    """Size of the N3 zone, which keeps the VC going for one round trip. Default: from `target`."""
    target: CellRate | None = None
    """Bandwidth that N3 is sized for: N3 = ceil(R x target), eq. (3). Default: the rate of the link."""
    r: Duration | None = None
    """R, the time over which the sender counts E. Default: the loop of this link (both propagation delays, a data
    cell and a credit cell). It may be up to one cell time shorter than the loop (it then counts as the loop); if
    it is shorter the buffer overflows, and if it exceeds the loop by more than N3 cell times credits evaluate to
    zero and the VC can stall for ever, which only a `timeout` heals.
    """
    timeout: Duration | None = None
    """How long a sender with waiting cells and no credit waits before it asks for credit (section 4.5). Default: for
    ever.
    """
    redundant: Duration | None = None
    """Period of redundant credit cells that the receiver sends besides (section 4.5). Default: none."""


class CupCredit(Parameters):
    """The Credit Update Protocol: the receiver returns Vr, the number of cells it has forwarded; the sender, which
    has sent Vs, may send N2 + N3 - (Vs - Vr) more.

    Nothing to estimate, no stall from a wrong R, and lost credit cells heal with the next one. A lost data cell
    would be missed for ever; a request (see `timeout`) carries Vs, and the receiver then counts the missing cells
    as forwarded.

    Source: Kung, Blackwell and Chapman, *Credit-based flow control for ATM networks: credit update protocol,
    adaptive credit allocation, and statistical multiplexing*, SIGCOMM 1994, section 3. Counters are 32 bit and
    wrap.
    """

    family: ClassVar[str] = "credit"
    kind: Literal["cup"] = "cup"

    n2: Cells = Cells("10 cells")
    """Cells forwarded per credit cell, at least 1."""
    n3: Cells | None = None
    """Size of the N3 zone. Default: from `target`."""
    target: CellRate | None = None
    """Bandwidth that N3 is sized for: N3 = ceil(loop x target). Default: the rate of the link."""
    timeout: Duration | None = None
    """How long a sender with waiting cells and no credit waits before it asks for credit. Default: for ever."""
    redundant: Duration | None = None
    """Period of redundant credit cells. Default: none."""


class N123Credit(Parameters):
    """The N123 scheme: a credit cell gives the free part of the N2 and N3 zones, and the sender takes it as it is;
    the N1 zone absorbs what the sender had sent at line rate during the round trip.

    Simpler than N23 (no R, no E), but its buffer grows with the rate of the link instead of the rate of the VC.
    Source: N23 paper, section 3, and Kung and Chapman, *The FCVC proposal for ATM networks* (1993).
    """

    family: ClassVar[str] = "credit"
    kind: Literal["n123"] = "n123"

    n1: Cells | None = None
    """Size of the N1 zone. Default: the cells that the link sends in one loop. Smaller values overflow and are
    refused.
    """
    n2: Cells = Cells("10 cells")
    """Cells forwarded per credit cell, at least 1."""
    n3: Cells | None = None
    """Size of the N3 zone. Default: from `target`."""
    target: CellRate | None = None
    """Bandwidth that N3 is sized for: N3 = ceil(loop x target). Default: the rate of the link."""
    timeout: Duration | None = None
    """How long a sender with waiting cells and no credit waits before it asks for credit. Default: for ever."""
    redundant: Duration | None = None
    """Period of redundant credit cells. Default: none."""


class AdditiveCredit(Parameters):
    """Additive updating: a credit cell carries the number of cells forwarded since the last one, and the sender adds
    it to its count.

    Equal to N23 on perfect links; a lost credit cell, or a lost data cell, takes credit away permanently. Source:
    N23 paper, section 3, on the "relative or additive" methods of its references [6, 7, 12].
    """

    family: ClassVar[str] = "credit"
    kind: Literal["additive"] = "additive"

    n2: Cells = Cells("10 cells")
    """Cells forwarded per credit cell, at least 1."""
    n3: Cells | None = None
    """Size of the N3 zone. Default: from `target`."""
    target: CellRate | None = None
    """Bandwidth that N3 is sized for: N3 = ceil(loop x target). Default: the rate of the link."""
    timeout: Duration | None = None
    """How long a sender with waiting cells and no credit waits before it asks for credit. Default: for ever."""
    redundant: Duration | None = None
    """Period of redundant credit cells (they carry what was forwarded since the last). Default: none."""


Credit = Annotated[N23Credit | CupCredit | N123Credit | AdditiveCredit, Family("credit")]

class RoundRobinSchedule(Parameters):
    """Each VC has its own queue, and the queues that have a cell (and credit) send one cell each in turn.

    Source: the discipline of the N23 paper, section 5 ("within each group, VCs that have both cells and credit
    are serviced in round-robin"). A queue that becomes ready joins at the end of the round.
    """

    family: ClassVar[str] = "schedule"
    kind: Literal["round_robin"] = "round_robin"


class FifoSchedule(Parameters):
    """All VCs of a priority group share one queue in order of arrival.

    Cannot be combined with credit flow control: one VC without credit would block all others.
    """

    family: ClassVar[str] = "schedule"
    kind: Literal["fifo"] = "fifo"


class WfqSchedule(Parameters):
    """Weighted fair queuing (packet-by-packet generalised processor sharing): the cell goes next that would be
    finished first if the line served all waiting VCs at once, each in proportion to its weight.

    A VC's weight is its minimum cell rate; VCs without one weigh `default_share` of the line's rate together, in
    equal parts (so without any minimum all VCs are equal). No cell leaves later than one cell time after the
    fluid server would have finished it. The fluid server serves one priority group; what the line gives to other
    groups does not count.

    At switches only: a host keeps counts of what its VCs offer, not cells. Cannot be combined with credit flow
    control: the fluid server knows arrivals, not credit, so a VC that had waited for credit would then hold the
    line.

    Source: Parekh and Gallager, A generalized processor sharing approach to flow control, IEEE/ACM ToN 1(3),
    1993; the equivalent Demers, Keshav and Shenker, Analysis and simulation of a fair queueing algorithm, SIGCOMM
    1989.
    """

    family: ClassVar[str] = "schedule"
    kind: Literal["wfq"] = "wfq"

    default_share: Fraction = Fraction("0.01")
    """What the VCs without a minimum cell rate weigh together, as a fraction of the line's rate; above 0. Default:
    0.01.
    """


Schedule = Annotated[RoundRobinSchedule | FifoSchedule | WfqSchedule, Family("schedule")]

class TailDropDiscard(Parameters):
    """A cell that finds the port's buffer full is lost; all others are stored."""

    family: ClassVar[str] = "discard"
    kind: Literal["tail_drop"] = "tail_drop"


class PpdDiscard(Parameters):
    """Partial packet discard: after a cell of a frame has found the buffer full, the other cells of the frame are
    dropped too, except the last, which marks where the next frame begins.

    Source: Romanow and Floyd, Dynamics of TCP traffic over ATM networks, IEEE JSAC 13(4), 1995.
    """

    family: ClassVar[str] = "discard"
    kind: Literal["ppd"] = "ppd"


class EpdDiscard(Parameters):
    """Early packet discard: a frame whose first cell finds more than R cells in the buffer is dropped, except its
    last cell.

    A frame that begins at exactly R cells enters. Above the threshold partial packet discard applies. With a
    lower threshold for tagged cells (CLP = 1), frames whose first cell is tagged go first.

    Source: Romanow and Floyd, Dynamics of TCP traffic over ATM networks, IEEE JSAC 13(4), 1995; R = 0.9 K as in
    Goyal et al., UBR+: improving performance of TCP over ATM-UBR service, ICC 1997.
    """

    family: ClassVar[str] = "discard"
    kind: Literal["epd"] = "epd"

    threshold: Cells | None = None
    """R in cells. Default: `fraction` of the buffer."""
    fraction: Fraction | None = None
    """R as a fraction of the buffer. Default: 0.9."""
    tagged_threshold: Cells | None = None
    """Threshold in cells for frames whose first cell is tagged; at most R. Default: R."""
    tagged_fraction: Fraction | None = None
    """The same as a fraction of the buffer."""


class SelectiveDropDiscard(Parameters):
    """Selective Drop: a frame whose first cell finds X > R cells in the buffer is dropped, except its last cell, if
    its VC has Yi of them with Yi Na / X > Z.

    Na is the number of VCs that have a cell in the buffer, so X / Na is the fair share. At X = R the frame
    enters.

    Source: Goyal et al., UBR+: improving performance of TCP over ATM-UBR service, ICC 1997.
    """

    family: ClassVar[str] = "discard"
    kind: Literal["selective_drop"] = "selective_drop"

    threshold: Cells | None = None
    """R in cells. Default: `fraction` of the buffer."""
    fraction: Fraction | None = None
    """R as a fraction of the buffer. Default: 0.9."""
    z: float = 0.8
    """How much of its fair share a VC may hold above the threshold: Z. Default: 0.8."""


class FairBufferAllocationDiscard(Parameters):
    """Fair Buffer Allocation: a frame whose first cell finds X > R cells in the buffer of size K is dropped, except
    its last cell, if its VC has Yi of them with Yi Na / X > Z (K - R) / (X - R).

    Na is the number of VCs that have a cell in the buffer. A VC may hold much more than its share just above R,
    and Z of it in a full buffer. At X = R the frame enters.

    Source: Heinanen and Kilkki, A fair buffer allocation scheme, 1995; parameters of Goyal et al., UBR+:
    improving performance of TCP over ATM-UBR service, ICC 1997.
    """

    family: ClassVar[str] = "discard"
    kind: Literal["fair_buffer_allocation"] = "fair_buffer_allocation"

    threshold: Cells | None = None
    """R in cells. Default: `fraction` of the buffer."""
    fraction: Fraction | None = None
    """R as a fraction of the buffer. Default: 0.9."""
    z: float = 0.8
    """How much of its fair share a VC may hold when the buffer is full: Z. Default: 0.8."""


class WeightedBufferAllocationDiscard(Parameters):
    """Weighted Buffer Allocation: above R cells, a frame whose first cell is untagged enters while its VC has fewer
    than R Wi untagged cells (Li); any frame enters while (Yi - R Wi) Na < Z (X - R); all others are dropped,
    except their last cell.

    X is the number of cells in the buffer, Yi of them of the VC, Na the number of VCs that have a cell there. The
    weight Wi is the VC's minimum cell rate as a share of the line's rate, so that the weights of admissible
    contracts add up to at most 1; a VC without minimum has weight 0. The source names the cases X < R and X > R;
    at X = R the frame enters here, as in Selective Drop.

    Source: Goyal et al., Design issues for providing minimum rate guarantees to the ATM unspecified bit rate
    service, 1998, section on buffer management; R = 0.5 K as in its simulations.
    """

    family: ClassVar[str] = "discard"
    kind: Literal["weighted_buffer_allocation"] = "weighted_buffer_allocation"

    threshold: Cells | None = None
    """R in cells. Default: `fraction` of the buffer."""
    fraction: Fraction | None = None
    """R as a fraction of the buffer. Default: 0.5."""
    z: float = 0.8
    """How much of its equal share of the cells above R a VC may hold: Z. Default: 0.8."""


Discard = Annotated[TailDropDiscard | PpdDiscard | EpdDiscard | SelectiveDropDiscard | FairBufferAllocationDiscard | WeightedBufferAllocationDiscard, Family("discard")]

class RandomLossImpairment(Parameters):
    """Each affected cell is lost with the same probability, independently of all others."""

    family: ClassVar[str] = "impairment"
    kind: Literal["random_loss"] = "random_loss"

    probability: Fraction
    """Probability of loss, 0 to 1."""
    cells: Literal["all", "data", "credit", "rm"] = "all"
    """Which cells it affects. Default: all."""


class RandomCorruptionImpairment(Parameters):
    """Each affected cell arrives with a damaged payload with the same probability; its header stays readable.

    A corrupted credit cell is discarded by its CRC-32 (N23 paper, section 4.5); corrupted data is delivered and
    counted.
    """

    family: ClassVar[str] = "impairment"
    kind: Literal["random_corruption"] = "random_corruption"

    probability: Fraction
    """Probability of corruption, 0 to 1."""
    cells: Literal["all", "data", "credit", "rm"] = "all"
    """Which cells it affects. Default: all."""


class ScheduledLossImpairment(Parameters):
    """Every affected cell that starts within one of the periods is lost: a cut line, or one chosen cell."""

    family: ClassVar[str] = "impairment"
    kind: Literal["scheduled_loss"] = "scheduled_loss"

    periods: list[Period]
    """The periods, at least one, in any order."""
    cells: Literal["all", "data", "credit", "rm"] = "all"
    """Which cells it affects. Default: all."""


Impairment = Annotated[RandomLossImpairment | RandomCorruptionImpairment | ScheduledLossImpairment, Family("impairment")]

class GcraPolice(Parameters):
    """The generic cell rate algorithm GCRA(T, tau): cells conform that come at most `tolerance` (tau) before their
    time, where cells are due every T = 1 / `rate`.

    Exact for any rate. Where nonconforming cells are tagged, cells that come with CLP = 1 pass untested (the
    contract is that of the CLP = 0 stream); where they are discarded, all cells are tested.

    Source: ITU-T I.371, annex A; ATM Forum TM 4.0, section 4.4.3.
    """

    family: ClassVar[str] = "police"
    kind: Literal["gcra"] = "gcra"

    rate: CellRate | None = None
    """Cells per second that the contract allows. Default: the VC's minimum cell rate."""
    tolerance: Duration | None = None
    """How much too early a cell may come: tau, the limit L of the leaky bucket. Default: one cell time of the host's
    line, as much as the slots of that line move cells of an even stream.
    """
    action: Literal["tag", "discard"] = "tag"
    """What becomes of nonconforming cells. Default: tag."""
    form: Literal["leaky_bucket", "virtual_scheduling"] = "leaky_bucket"
    """Which of the two equivalent forms computes it. Default: leaky_bucket."""


class FrameGcraPolice(Parameters):
    """Frame-based generic cell rate algorithm: where a frame's first cell finds more than L = CDVT + BT/2 in a leaky
    bucket with I = 1/MCR, the frame's cells are tagged or discarded; otherwise all its cells conform and count in
    the bucket.

    BT = (MBS - 1) (1/MCR - 1/PCR) is the burst tolerance. The last cell of a frame that has other cells is
    spared: it passes as it is, and does not count (`spare_last`). Cells of traffic without frames each stand for
    themselves; resource management cells pass untested.

    Source: Goyal et al., Design issues for providing minimum rate guarantees to the ATM unspecified bit rate
    service, 1998, section 3.1.
    """

    family: ClassVar[str] = "police"
    kind: Literal["frame_gcra"] = "frame_gcra"

    rate: CellRate | None = None
    """MCR of the contract. Default: the VC's minimum cell rate."""
    pcr: CellRate | None = None
    """PCR of the contract; at least MCR. Default: the rate of the host's line."""
    mbs: Cells
    """Maximum burst size: twice the largest frame in cells."""
    cdvt: Duration = Duration("0 s")
    """Cell delay variation tolerance of MCR. Default: 0 s."""
    action: Literal["tag", "discard"] = "tag"
    """What becomes of the cells of nonconforming frames. Default: tag."""
    spare_last: StrictBool = True
    """Spares the last cell of a nonconforming frame, which marks where the next one begins. Default: true."""


Police = Annotated[GcraPolice | FrameGcraPolice, Family("police")]

FAMILIES: dict[str, dict[str, type[Parameters]]] = {
    "traffic": {"greedy": GreedyTraffic, "cbr": CbrTraffic, "poisson": PoissonTraffic, "bernoulli": BernoulliTraffic, "on_off": OnOffTraffic, "burst": BurstTraffic, "rate_schedule": RateScheduleTraffic, "trace": TraceTraffic, "rpc": RpcTraffic, "tcp": TcpTraffic},
    "credit": {"n23": N23Credit, "cup": CupCredit, "n123": N123Credit, "additive": AdditiveCredit},
    "schedule": {"round_robin": RoundRobinSchedule, "fifo": FifoSchedule, "wfq": WfqSchedule},
    "discard": {"tail_drop": TailDropDiscard, "ppd": PpdDiscard, "epd": EpdDiscard, "selective_drop": SelectiveDropDiscard, "fair_buffer_allocation": FairBufferAllocationDiscard, "weighted_buffer_allocation": WeightedBufferAllocationDiscard},
    "impairment": {"random_loss": RandomLossImpairment, "random_corruption": RandomCorruptionImpairment, "scheduled_loss": ScheduledLossImpairment},
    "police": {"gcra": GcraPolice, "frame_gcra": FrameGcraPolice},
    "congestion": {"tahoe": TahoeCongestion, "reno": RenoCongestion, "new_reno": NewRenoCongestion, "sack": SackCongestion, "sack1": Sack1Congestion},
}
"""Every algorithm by family and kind."""

__all__ = [
    "AdditiveCredit",
    "BernoulliTraffic",
    "BurstTraffic",
    "CbrTraffic",
    "CupCredit",
    "EpdDiscard",
    "FairBufferAllocationDiscard",
    "FifoSchedule",
    "FrameGcraPolice",
    "GcraPolice",
    "GreedyTraffic",
    "N123Credit",
    "N23Credit",
    "NewRenoCongestion",
    "OnOffTraffic",
    "Operation",
    "Period",
    "PoissonTraffic",
    "PpdDiscard",
    "RandomCorruptionImpairment",
    "RandomLossImpairment",
    "RateChange",
    "RateScheduleTraffic",
    "RenoCongestion",
    "RoundRobinSchedule",
    "RpcTraffic",
    "Sack1Congestion",
    "SackCongestion",
    "ScheduledLossImpairment",
    "SelectiveDropDiscard",
    "TahoeCongestion",
    "TailDropDiscard",
    "TcpTraffic",
    "TraceEvent",
    "TraceTraffic",
    "WeightedBufferAllocationDiscard",
    "WfqSchedule",
]
