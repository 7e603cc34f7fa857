//! The engine document: the one validated form in which a scenario reaches the engine. SI integers only.
//!
//! Users never write it; `cellway.scenario` lowers YAML and Python objects to it. Unknown fields are errors.

use crate::abr::Abr;
use crate::buffer::BufferSpec;
use crate::credit::CreditSpec;
use crate::impairment::ImpairmentSpec;
use crate::police::PoliceSpec;
use crate::rate::{RateQuantity, RateSpec};
use crate::schedule::ScheduleSpec;
use crate::tcp::sender::Quantity;
use crate::traffic::TrafficSpec;
use cellway_kernel::time::Duration;
use cellway_kernel::units::{BitRate, CellRate, Cells};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of this document that the engine reads.
pub const VERSION: u32 = 1;

/// A scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Version of the document, [`VERSION`].
    pub version: u32,
    /// Seed of all random streams.
    pub seed: u64,
    /// Switches by name.
    #[serde(default)]
    pub switches: IndexMap<String, Switch>,
    /// Hosts by name. Each has one line to the network and one from it.
    pub hosts: IndexMap<String, Host>,
    /// One-way links.
    pub links: Vec<Link>,
    /// Virtual connections by name.
    pub vcs: IndexMap<String, Vc>,
    /// What to record.
    #[serde(default)]
    pub probes: Vec<Probe>,
}

/// A switch with shared memory and output queueing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// Shared cell memory; `null` is unlimited.
    #[serde(default)]
    pub memory: Option<Cells>,
    /// Output ports by the name of their link; missing ones take the defaults.
    #[serde(default)]
    pub ports: IndexMap<String, Port>,
}

/// An output port.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Port {
    /// Cells that may wait for this port; `null` is unlimited. Flow-controlled VCs have their own N2 + N3 besides.
    #[serde(default)]
    pub buffer: Option<Cells>,
    /// Discipline within each priority group.
    #[serde(default)]
    pub schedule: ScheduleSpec,
    /// Admission to the buffer.
    #[serde(default)]
    pub discard: BufferSpec,
    /// What the port tells ABR sources; `null` is nothing.
    #[serde(default)]
    pub rate: Option<RateSpec>,
}

/// A host: the applications at the ends of VCs, on one network interface.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Discipline among the host's VCs of one priority.
    #[serde(default)]
    pub schedule: ScheduleSpec,
}

/// A one-way link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Its name, `from->to`.
    pub name: String,
    /// Node that sends.
    pub from: String,
    /// Node that receives.
    pub to: String,
    /// Rate of the line, in bits of whole cells.
    pub rate: BitRate,
    /// Propagation delay.
    pub delay: Duration,
    /// Errors of the line.
    #[serde(default)]
    pub impairments: Vec<ImpairmentSpec>,
}

/// A virtual connection, point to point or point to multipoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vc {
    /// Host that sends.
    pub from: String,
    /// Hosts that receive, at least one.
    pub to: Vec<String>,
    /// The links of the path or tree, each after the one that feeds it.
    pub links: Vec<String>,
    /// Priority group, 0 (served first) to 63.
    #[serde(default)]
    pub priority: u8,
    /// Minimum cell rate of the contract, in both directions: the ABR floor, the weight in fair queuing and in buffer
    /// shares, the rate that policing enforces. `null` is no minimum: zero.
    #[serde(default)]
    pub mcr: Option<CellRate>,
    /// How the first switch enforces the contract on the cells from the source; `null` is not at all.
    #[serde(default)]
    pub police: Option<PoliceSpec>,
    /// The application.
    pub traffic: TrafficSpec,
    /// What the only destination sends back to the source, over the reversed route. Refused where the application
    /// answers itself. `null` is nothing.
    #[serde(default)]
    pub return_traffic: Option<TrafficSpec>,
    /// ABR service, in both directions; only point to point. `null` is none: the host sends as fast as its line takes.
    #[serde(default)]
    pub abr: Option<Abr>,
    /// ABR parameters of the return direction. `null`: those of `abr`.
    #[serde(default)]
    pub return_abr: Option<Abr>,
    /// Credit flow control by the name of the link (of the return path too, where there is one).
    #[serde(default)]
    pub credit: IndexMap<String, CreditSpec>,
}

/// Something to record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Probe {
    /// Every cell on a link: start, arrival, VC, kind, sequence number, fate.
    Trace {
        /// The link.
        link: String,
    },
    /// Cells waiting in a switch: in all, at one port, or of one VC (at one port, or stored copies in the switch).
    Queue {
        /// The switch.
        node: String,
        /// The port, by its link.
        #[serde(default)]
        link: Option<String>,
        /// The VC.
        #[serde(default)]
        vc: Option<String>,
        /// Bin length; `null` keeps every change.
        #[serde(default)]
        every: Option<Duration>,
    },
    /// Credit that the sender of a link holds for a VC.
    Credit {
        /// The link.
        link: String,
        /// The VC.
        vc: String,
        /// Bin length; `null` keeps every change.
        #[serde(default)]
        every: Option<Duration>,
    },
    /// A quantity of the rate algorithm of a switch's port.
    Rate {
        /// The port, by its link.
        link: String,
        /// Which quantity.
        quantity: RateQuantity,
        /// Bin length; `null` keeps every change.
        #[serde(default)]
        every: Option<Duration>,
    },
    /// Cells per second that start on a link.
    Throughput {
        /// The link.
        link: String,
        /// Of one VC; `null` means of all.
        #[serde(default)]
        vc: Option<String>,
        /// Of which kind.
        #[serde(default)]
        cells: Counted,
        /// Bin length.
        every: Duration,
    },
    /// A variable of the sender of a TCP connection.
    Tcp {
        /// The VC.
        vc: String,
        /// Number of the connection on the VC, from 0.
        #[serde(default)]
        connection: u32,
        /// Which variable.
        quantity: Quantity,
        /// Bin length; `null` keeps every change.
        #[serde(default)]
        every: Option<Duration>,
    },
    /// End-to-end delay of each data cell of a VC, from its start on the first link to its arrival over the last.
    Delay {
        /// The VC.
        vc: String,
        /// The destination; `null` means each.
        #[serde(default)]
        to: Option<String>,
    },
    /// Allowed cell rate of an ABR source.
    Acr {
        /// The VC.
        vc: String,
        /// The source of the return direction.
        #[serde(default)]
        returning: bool,
        /// Bin length; `null` keeps every change.
        #[serde(default)]
        every: Option<Duration>,
    },
    /// Explicit rate that came last to an ABR source; PCR before the first.
    Er {
        /// The VC.
        vc: String,
        /// The source of the return direction.
        #[serde(default)]
        returning: bool,
        /// Bin length; `null` keeps every change.
        #[serde(default)]
        every: Option<Duration>,
    },
    /// Messages of a VC, in each direction: when they were offered to the host and when the last cell had left it.
    Bursts {
        /// The VC.
        vc: String,
    },
}

/// Which cells a throughput probe counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// User data cells.
    #[default]
    Data,
    /// Credit cells and requests.
    Credit,
    /// Every cell.
    All,
}

/// The JSON schema of the document, from which Python's parameter classes are generated.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Scenario)
}
