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


class Aging(Block):
    """Grants a VC less the more its declared rate CCR exceeds what the port sees of it: the allocation is divided by
    1 + e^(alpha u) - e^(alpha delta), where u is CCR over the smoothed measured rate.

    The paper prints the function, not its use; the reading here: nothing is withdrawn up to u = delta, where the
    function is 0; beyond, it is the reduction; the divisor is smoothed like the rate; and a VC keeps what it uses
    and at least `floor`. Idle sources send no RM cells and hear nothing of it: they need the source's own time-
    out (ADTF).

    Source: Kalyanaraman, Jain, Goyal, Fahmy and Samudra, *Use-it-or-lose-it policies for the available bit rate
    (ABR) service in ATM networks* (1998), section 5.5, after ATM Forum 95-1599.
    """

    alpha: float = 0.5
    """Steepness, more than 0. Default: 0.5, a choice. Steeper functions withdraw more and overshoot sooner."""
    delta: float = 1.1
    """CCR over measured rate up to which nothing is withdrawn, at least 1. Default: 1.1, a choice."""
    weight: Fraction = Fraction("0.0625")
    """Weight of the newest averaging interval in the smoothed rate and divisor, in (0, 1]. Default: 1/16, a choice."""
    floor: CellRate = CellRate("1000000/424 cells/s")
    """Rate that is left to each VC. Default: 1 Mbit/s, a choice: a source must be able to start again."""


class CongestedPeriod(Block):
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
    most_waiting: Cells | None = None
    """Cells that may wait in the host; with so many there no further cell comes, at least 1. Default: no limit. With
    few, a source that may not send for a while has nothing to make up for: limited in rate, not in what it
    offers.
    """


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

class EfciRate(Parameters):
    """Sets the EFCI bit of ABR data cells while many ABR cells wait at the port; the destination turns it into CI.

    Source: ATM Forum TM 4.0 (af-tm-0056.000), section 5.10.6, the first of the switch behaviours.
    """

    family: ClassVar[str] = "rate"
    kind: Literal["efci"] = "efci"
    quantities: ClassVar[tuple[str, ...]] = ("congested",)

    threshold: Cells = Cells("100 cells")
    """Congested when more ABR cells than this wait. Default: 100 cells, a choice."""
    clear: Cells | None = None
    """No longer congested when this many or fewer wait, at most `threshold`: hysteresis. Default: `threshold`, none."""


class RelativeRateRate(Parameters):
    """Compares the ABR cells that wait at the port with two thresholds, and tells sources by CI (decrease) and NI
    (do not increase) in their RM cells.

    Bits that are set stay set; nothing is ever cleared. With one threshold (`low` left out) NI and CI go
    together, as Stop & Go ABR uses it. Source: ATM Forum TM 4.0 (af-tm-0056.000), section 5.10.6.
    """

    family: ClassVar[str] = "rate"
    kind: Literal["relative_rate"] = "relative_rate"
    quantities: ClassVar[tuple[str, ...]] = ("congested",)

    high: Cells = Cells("100 cells")
    """CI is set when more ABR cells than this wait. Default: 100 cells, a choice."""
    low: Cells | None = None
    """NI is set when more ABR cells than this wait, at most `high`. Default: `high`."""
    direction: Literal["backward", "forward", "both"] = "backward"
    """Which RM cells are marked. Default: backward."""


class EricaRate(Parameters):
    """ERICA: at the end of each averaging interval the port divides its target rate by the active VCs (fair share)
    and measures its overload z; in backward RM cells it grants the larger of the fair share and CCR / z, and
    below overload what it granted others.

    Until the first interval ends all VCs that are set up count as active, and each is granted the fair share.
    Without cells in an interval the fair share is granted; without capacity nothing is. A VC whose minimum cell
    rate exceeds its share keeps it, and the others share the rest: the allocation is max-min with MCR as a floor
    (TM 4.0, fairness criterion "maximum of MCR or max-min share").

    Sources: Kalyanaraman, Jain, Fahmy, Goyal and Vandalore, *The ERICA switch algorithm for ABR traffic
    management in ATM networks*, IEEE/ACM Transactions on Networking 8 (2000); options and boundary cases from
    Kalyanaraman, *Traffic Management for the Available Bit Rate Service in ATM Networks*, Ohio State University
    1997, chapter 6 and appendix C.
    """

    family: ClassVar[str] = "rate"
    kind: Literal["erica"] = "erica"
    quantities: ClassVar[tuple[str, ...]] = ("fair_share", "overload", "active", "capacity", "input", "background", "max_alloc", "target",)

    target_utilisation: Fraction = Fraction("0.9")
    """Part U of the line that is aimed at, in (0, 1]; rates of higher priorities are subtracted. Default: 0.9. At 1
    a queue, once formed, does not drain.
    """
    interval: Duration = Duration("1 ms")
    """Averaging interval. Default: 1 ms. Shorter than the spacing of a VC's cells, the VC is active in some
    intervals only and the fair share is too large in the others; see `activity_decay`.
    """
    interval_cells: Cells | None = Cells("100 cells")
    """The interval ends earlier with this many ABR cells. Default: 100 cells. `null`: by time only. Needs to be
    several times the number of VCs.
    """
    delta: float = 0.1
    """While z is at most 1 + delta all get what one got (MaxAllocPrevious). Default: 0.1. At least 0. The load may
    settle anywhere between the target and (1 + delta) times the target.
    """
    overload_min: float | None = None
    """z counts as at least this; more than 0. Default: `null`, no bound. Bounds how fast allocations grow: by 1 / z."""
    overload_max: float | None = None
    """z counts as at most this; at least 1. Default: `null`, no bound. Bounds how fast allocations shrink, and keeps
    an interval without capacity from taking all.
    """
    load_weight: Fraction = Fraction("1.0")
    """Weight of the newest interval in the exponential averages of input and capacity, of which z is the ratio. In
    (0, 1]. Default: 1, no averaging.
    """
    activity_decay: Fraction = Fraction("0.0")
    """Factor by which a VC counts less with each interval in which it is silent, in [0, 1). Default: 0: it counts or
    it does not. Published for bursty sources and many VCs: 0.9.
    """
    bidirectional_counting: StrictBool = False
    """A VC whose backward RM cells come counts as active too. Default: false."""
    ccr: Literal["forward_rm", "measured"] = "forward_rm"
    """Where the rate of a VC is from. Default: `forward_rm`."""
    aging: Aging | None = None
    """The switch-based use-it-or-lose-it policy. Default: `null`, none."""


class EricaPlusRate(Parameters):
    """ERICA with the whole capacity that higher priorities leave, times a function of the queueing delay Tq of ABR
    cells: b T0 / ((b - 1) Tq + T0) up to the wanted delay T0, max(QDLF, a T0 / ((a - 1) Tq + T0)) beyond.

    Tq is the ABR cells that wait over the rate that higher priorities leave. Sources as of `erica`; queue
    control: thesis, section 6.19.
    """

    family: ClassVar[str] = "rate"
    kind: Literal["erica_plus"] = "erica_plus"
    quantities: ClassVar[tuple[str, ...]] = ("fair_share", "overload", "active", "capacity", "input", "background", "max_alloc", "target",)

    t0: Duration = Duration("500 us")
    """T0, the wanted queueing delay, more than 0. Default: 500 us, a choice. Where it is much shorter than the round
    trip the queue swings.
    """
    a: float = 1.15
    """a, how fast the target falls when the delay exceeds T0; more than 1. Default: 1.15."""
    b: float = 1.05
    """b, how far the target exceeds the capacity when there is no queue; at least 1. Default: 1.05. With 1.0 it does
    not, and the queue fills slowly.
    """
    qdlf: Fraction = Fraction("0.5")
    """QDLF, the queue drain limit factor: least part of the capacity that is given out, in (0, 1]. Default: 0.5."""
    interval: Duration = Duration("1 ms")
    """As of `erica`: averaging interval. Default: 1 ms."""
    interval_cells: Cells | None = Cells("100 cells")
    """As of `erica`: the interval ends earlier with this many ABR cells. Default: 100 cells."""
    delta: float = 0.1
    """As of `erica`: while z is at most 1 + delta all get what one got. Default: 0.1."""
    overload_min: float | None = None
    """As of `erica`: least z. Default: `null`."""
    overload_max: float | None = None
    """As of `erica`: largest z. Default: `null`."""
    load_weight: Fraction = Fraction("1.0")
    """As of `erica`: weight of the newest interval. Default: 1."""
    activity_decay: Fraction = Fraction("0.0")
    """As of `erica`: what a silent VC counts from one interval to the next. Default: 0."""
    bidirectional_counting: StrictBool = False
    """As of `erica`: backward RM cells make a VC active too. Default: false."""
    ccr: Literal["forward_rm", "measured"] = "forward_rm"
    """As of `erica`: where the rate of a VC is from. Default: `forward_rm`."""
    aging: Aging | None = None
    """As of `erica`: the switch-based use-it-or-lose-it policy. Default: `null`."""


class CapcRate(Parameters):
    """Congestion avoidance with proportional control: the port keeps one explicit rate ERS for all VCs and
    multiplies it at the end of each interval by min(ERU, 1 + (1 - z) Rup) below the target load, by max(ERF, 1 -
    (z - 1) Rdn) above.

    It counts no VCs and remembers nothing of them. ERS begins at the target rate and stays between 10 cells/s and
    the target rate of the line (choices). Source: Barnhart, *Explicit rate performance evaluation*, ATM Forum
    94-0983, October 1994, as given by Jain, *Congestion control and traffic management in ATM networks*, Computer
    Networks and ISDN Systems 28 (1996), section on CAPC.
    """

    family: ClassVar[str] = "rate"
    kind: Literal["capc"] = "capc"
    quantities: ClassVar[tuple[str, ...]] = ("fair_share", "overload", "capacity", "input", "background", "target",)

    target_utilisation: Fraction = Fraction("0.95")
    """Part of the line that is aimed at, in (0, 1]; higher priorities are subtracted. Default: 0.95."""
    interval: Duration = Duration("1 ms")
    """Averaging interval. Default: 1 ms, a choice."""
    interval_cells: Cells | None = None
    """The interval ends earlier with this many ABR cells. Default: null, by time only."""
    rup: float = 0.1
    """Rup, the gain below the target load; published between 0.025 and 0.1. Default: 0.1. More than 0."""
    rdn: float = 0.8
    """Rdn, the gain above the target load; published between 0.2 and 0.8. Default: 0.8. More than 0."""
    eru: float = 1.5
    """ERU, the largest factor in one interval, more than 1. Default: 1.5."""
    erf: float = 0.5
    """ERF, the smallest factor in one interval, in (0, 1). Default: 0.5."""
    threshold: Cells | None = None
    """CI is set in backward RM cells when more ABR cells than this wait. Default: null, never."""


Rate = Annotated[EfciRate | RelativeRateRate | EricaRate | EricaPlusRate | CapcRate, Family("rate")]

class NoneUili(Parameters):
    """ACR stays as it is. With ADTF, source rule 5, this is what the ATM Forum decided in December 1995.

    Source: UILI paper, section 6; TM 4.0, source rule 5.
    """

    family: ClassVar[str] = "uili"
    kind: Literal["none"] = "none"


class August1995Uili(Parameters):
    """If T > TOF x Nrm / ACR and ACR > ICR, then ACR falls by ACR x T x TDF, not below ICR, and the next BRM cell
    does not raise it.

    TDF = TDFF / RDF x (the smallest power of 2 that is PCR or more). Its unit is 1/s, and which number RDF is
    there was a matter of taste: see `rdf`.

    Source: UILI paper, section 3 (rules 5a and 5b) and section 4.2 (PNI).
    """

    family: ClassVar[str] = "uili"
    kind: Literal["august_1995"] = "august_1995"

    tof: float = 2.0
    """Time-out factor: a source keeps ACR while it sends at ACR / TOF or faster; above 0. Default: 2."""
    tdff: float = 0.125
    """TDFF, the factor of TDF that was negotiated; at least 0, which disables rule 5a. Default: 1/8."""
    rdf: Literal["fraction", "divisor"] = "fraction"
    """Which number RDF is in TDF. Default: fraction, with which ACR falls to ICR at once, as the paper describes."""
    tdf: float | None = None
    """TDF itself [1/s], at least 0, instead of the formula. Default: by the formula."""
    pni: StrictBool = False
    """Prohibit no increase: disables rule 5b. Default: false."""


class BaselineUili(Parameters):
    """If ACR > SR + ICR, then ACR falls by ACR x TDF, not below ICR, and the next BRM cell does not raise it.

    Source: UILI paper, end of section 4.2: the interim solution. What it did not replace is as in `august_1995`,
    the floor among it.
    """

    family: ClassVar[str] = "uili"
    kind: Literal["baseline"] = "baseline"

    tdf: Fraction = Fraction("0.125")
    """Timeout decrease factor, the part of ACR that is lost each time, 0 to 1. Default: 1/8."""
    pni: StrictBool = False
    """Prohibit no increase: disables rule 5b. Default: false."""


class CountBasedUili(Parameters):
    """At an FRM cell: if ACR > SR + headroom, then ACR = Max(SR + headroom, ACR x (1 - TDF)). A BRM cell raises ACR
    only where the source was using all of it, ACR <= SR, at its last FRM cell.

    Source: UILI paper, section 5.2, with the pseudo-code of 5.2.7.
    """

    family: ClassVar[str] = "uili"
    kind: Literal["count_based"] = "count_based"

    headroom: CellRate = CellRate("10000000/424 cells/s")
    """How far ACR may exceed the rate at which the source sends. Default: 10 Mbit/s, which the paper recommends: 23
    585 cells/s.
    """
    tdf: Fraction = Fraction("0.125")
    """Timeout decrease factor, the part of ACR that is lost each time, 0 to 1; 0 disables the policy. Default: 1/8;
    the paper recommends 1/8 or 1/16.
    """
    pr5: StrictBool = True
    """Prohibit rule 5: the first FRM cell after a rise of ACR lowers nothing. The paper finds it unnecessary with a
    small TDF, and that with it an idle source may keep its rate (section 5.2.4). Default: true, as in the pseudo-
    code.
    """
    delta: CellRate | None = None
    """Delta of the comparison ACR <= SR + Delta, which is there because cells start at certain instants only.
    Default: what one cell time of the host's line makes of SR, that is SR = Nrm / (T - cell time).
    """


class TimeBasedUili(Parameters):
    """If ACR > `ACR_max`, then ACR = Max(ACR x (1 - T / Tc), `ACR_max`), and the next BRM cell does not raise it.

    Source: UILI paper, section 5.3; that rule 5b stays as in `august_1995`, section 7.2.3.
    """

    family: ClassVar[str] = "uili"
    kind: Literal["time_based"] = "time_based"

    floor: Literal["sum", "max"] = "sum"
    """What `ACR_max` is. Default: sum."""
    tof: float = 2.0
    """Time-out factor of the floor `max`, above 0. Default: 2."""
    tc: Duration | None = None
    """Tc, the silence that takes all of ACR; more than 0 s. Default: Max(ADDF x FRTT, TBE / PCR), which with the
    default TBE is most of a minute.
    """
    addf: float = 2.0
    """ADDF of the default of Tc, above 0. Default: 2."""
    pni: StrictBool = False
    """Prohibit no increase: disables rule 5b. Default: false."""


class JointUili(Parameters):
    """If ACR > SR + ICR, then ACR falls by ACR x TDF, not below SR + ICR, and the next BRM cell does not raise it.

    Source: UILI paper, section 5.4: the reduction and the floor of `count_based` with ICR as headroom, but rule
    5b of `august_1995` instead of the region in which increases are ignored. TM 4.0, appendix I.8, describes it.
    """

    family: ClassVar[str] = "uili"
    kind: Literal["joint"] = "joint"

    tdf: Fraction = Fraction("0.0625")
    """Timeout decrease factor, the part of ACR that is lost each time, 0 to 1. Default: 1/16."""
    pni: StrictBool = False
    """Prohibit no increase: disables rule 5b. Default: false."""


Uili = Annotated[NoneUili | August1995Uili | BaselineUili | CountBasedUili | TimeBasedUili | JointUili, Family("uili")]

class Abr(Block):
    """ABR service of one direction of a VC: parameters of its source, and of the destination that turns its RM cells
    round.

    Names, defaults and ranges are those of TM 4.0, sections 5.10.2 and 5.10.3; MCR is that of the VC.
    """

    pcr: CellRate | None = None
    """Peak cell rate: the source never sends faster. Default: the rate of its host's line."""
    icr: CellRate | None = None
    """Initial cell rate: allowed at first, and after idle times longer than ADTF; MCR to PCR. Lowered to TBE / FRTT
    where that is less, as TM 4.0 has it. Default: PCR.
    """
    rif: Fraction = Fraction("0.0625")
    """Rate increase factor: a BRM cell raises ACR by at most RIF x PCR; a power of two, 1/32768 to 1 (where only the
    explicit rate bounds it; AIR of the UILI paper). Default: 1/16.
    """
    rdf: Fraction = Fraction("0.0625")
    """Rate decrease factor: a BRM cell with CI lowers ACR by RDF x ACR; a power of two, 1/32768 to 1. Default: 1/16."""
    nrm: StrictInt = Field(default=32, ge=0)
    """Cells for each FRM cell, itself included; a power of two, 2 to 256. Default: 32."""
    mrm: StrictInt = Field(default=2, ge=0)
    """In-rate cells after an FRM cell before Trm may call for the next, at least 1. Default: 2."""
    trm: Duration = Duration("100 ms")
    """Time after which an active source sends an FRM cell though fewer than Nrm cells went. Default: 100 ms."""
    adtf: Duration | None = Duration("500 ms")
    """ACR decrease time factor: after so long without an FRM cell ACR falls to ICR; 10 ms to 10.23 s, or `null` for
    never. Default: 500 ms.
    """
    cdf: Fraction = Fraction("0.0625")
    """Cutoff decrease factor: each FRM cell beyond CRM without an answer lowers ACR by CDF x ACR; a power of two,
    1/64 to 1, or 0, which disables rule 6. Default: 1/16.
    """
    crm: StrictInt | None = Field(default=None, ge=0)
    """FRM cells that may be sent without an answer before rule 6 acts, at least 1. Default: TBE / Nrm, rounded up."""
    tbe: Cells = Cells("16777215 cells")
    """Transient buffer exposure: cells that the network must be ready for before the first answer; at least 1.
    Default: 16 777 215 cells, as good as without limit.
    """
    frtt: Duration | None = None
    """Fixed round-trip time. Default: that of the route both ways, with one cell time for each link."""
    tcr: CellRate = CellRate("10/1 cells/s")
    """Rate of out-of-rate FRM cells, which a source sends while ACR is less than this; above 0. Default: 10 cells/s."""
    encoded_rates: StrictBool = False
    """Rates in RM cells are rounded down to what the 16 bits of the real cell can say. Default: false, exact."""
    uili: Uili = Field(default_factory=NoneUili)
    """Use-it-or-lose-it policy of the source. Default: none."""
    overtaken: Literal["out_of_rate", "dropped"] = "out_of_rate"
    """What the destination does with a BRM cell that has not left when the next FRM cell comes. Default: out of
    rate.
    """
    congested: list[CongestedPeriod] = []
    """When the destination is congested itself: it sets CI in what it turns round, and sends BRM cells of its own
    (destination rules 2 and 5). Default: never.
    """


FAMILIES: dict[str, dict[str, type[Parameters]]] = {
    "traffic": {"greedy": GreedyTraffic, "cbr": CbrTraffic, "poisson": PoissonTraffic, "bernoulli": BernoulliTraffic, "on_off": OnOffTraffic, "burst": BurstTraffic, "rate_schedule": RateScheduleTraffic, "trace": TraceTraffic, "rpc": RpcTraffic, "tcp": TcpTraffic},
    "credit": {"n23": N23Credit, "cup": CupCredit, "n123": N123Credit, "additive": AdditiveCredit},
    "schedule": {"round_robin": RoundRobinSchedule, "fifo": FifoSchedule, "wfq": WfqSchedule},
    "discard": {"tail_drop": TailDropDiscard, "ppd": PpdDiscard, "epd": EpdDiscard, "selective_drop": SelectiveDropDiscard, "fair_buffer_allocation": FairBufferAllocationDiscard, "weighted_buffer_allocation": WeightedBufferAllocationDiscard},
    "impairment": {"random_loss": RandomLossImpairment, "random_corruption": RandomCorruptionImpairment, "scheduled_loss": ScheduledLossImpairment},
    "police": {"gcra": GcraPolice, "frame_gcra": FrameGcraPolice},
    "congestion": {"tahoe": TahoeCongestion, "reno": RenoCongestion, "new_reno": NewRenoCongestion, "sack": SackCongestion, "sack1": Sack1Congestion},
    "rate": {"efci": EfciRate, "relative_rate": RelativeRateRate, "erica": EricaRate, "erica_plus": EricaPlusRate, "capc": CapcRate},
    "uili": {"none": NoneUili, "august_1995": August1995Uili, "baseline": BaselineUili, "count_based": CountBasedUili, "time_based": TimeBasedUili, "joint": JointUili},
}
"""Every algorithm by family and kind."""

__all__ = [
    "Abr",
    "AdditiveCredit",
    "Aging",
    "August1995Uili",
    "BaselineUili",
    "BernoulliTraffic",
    "BurstTraffic",
    "CapcRate",
    "CbrTraffic",
    "CongestedPeriod",
    "CountBasedUili",
    "CupCredit",
    "EfciRate",
    "EpdDiscard",
    "EricaPlusRate",
    "EricaRate",
    "FairBufferAllocationDiscard",
    "FifoSchedule",
    "FrameGcraPolice",
    "GcraPolice",
    "GreedyTraffic",
    "JointUili",
    "N123Credit",
    "N23Credit",
    "NewRenoCongestion",
    "NoneUili",
    "OnOffTraffic",
    "Operation",
    "Period",
    "PoissonTraffic",
    "PpdDiscard",
    "RandomCorruptionImpairment",
    "RandomLossImpairment",
    "RateChange",
    "RateScheduleTraffic",
    "RelativeRateRate",
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
    "TimeBasedUili",
    "TraceEvent",
    "TraceTraffic",
    "WeightedBufferAllocationDiscard",
    "WfqSchedule",
]
