//! The network: builds nodes and links from a scenario, runs them, and reports. The only place that sees all families.

mod build;
mod frames;
mod probes;
mod report;
mod tcp;
mod topology;

use crate::cell::Cell;
use crate::host::Host;
use crate::spec::Scenario;
use crate::switch::Switch;
use cellway_kernel::error::SpecError;
use cellway_kernel::link::Wires;
use cellway_kernel::net::Net;
use cellway_kernel::node::Node;
use cellway_kernel::time::Time;
use probes::Recording;
use report::Mark;
use topology::Topology;

/// A network ready to run.
pub struct Network {
    net: Net<Cell, Station>,
    topology: Topology,
    vc_names: Vec<String>,
    recordings: Vec<Recording>,
    mark: Mark,
}

/// A node of the network.
enum Station {
    Host(Box<Host>),
    Switch(Box<Switch>),
}

impl Node<Cell> for Station {
    fn expect(&mut self, input: usize, wires: &mut Wires<'_, Cell>) {
        match self {
            Station::Host(host) => host.expect(input, wires),
            Station::Switch(switch) => switch.expect(input, wires),
        }
    }

    fn advance(&mut self, horizon: Time, wires: &mut Wires<'_, Cell>) {
        match self {
            Station::Host(host) => host.advance(horizon, wires),
            Station::Switch(switch) => switch.advance(horizon, wires),
        }
    }

    fn next_action(&self) -> Time {
        match self {
            Station::Host(host) => host.next_action(),
            Station::Switch(switch) => switch.next_action(),
        }
    }
}

impl Network {
    /// Builds the network of a scenario.
    ///
    /// # Errors
    /// Where the scenario contradicts itself; the error names the path in the document.
    pub fn new(scenario: &Scenario) -> Result<Network, SpecError> {
        build::network(scenario)
    }

    /// Builds the network of a scenario given as JSON.
    ///
    /// # Errors
    /// As [`Network::new`], and for text that is no engine document.
    pub fn from_json(document: &str) -> Result<Network, SpecError> {
        let mut json = serde_json::Deserializer::from_str(document);
        let scenario: Scenario = serde_path_to_error::deserialize(&mut json)
            .map_err(|e| SpecError::new(e.path().to_string(), e.inner().to_string()))?;
        json.end().map_err(|e| SpecError::new("", e.to_string()))?;
        Network::new(&scenario)
    }

    /// Everything before this instant is done.
    pub fn now(&self) -> Time {
        self.net.now()
    }

    /// Cells sent over all links since the start.
    pub fn cell_hops(&self) -> u64 {
        self.net.cell_hops()
    }

    /// Runs to `end` (exclusive). Several short runs give the same results as one long one.
    ///
    /// # Panics
    /// For an end after [`Time::LAST`].
    pub fn run_until(&mut self, end: Time) {
        self.net.run_until(end);
    }

    /// As [`run_until`](Network::run_until), by the reference scheduler: slowly, one event at a time.
    pub fn run_one_step_at_a_time(&mut self, end: Time) {
        self.net.run_one_step_at_a_time(end);
    }

    /// Asserts all conservation identities.
    ///
    /// # Panics
    /// Where the books do not balance: a bug of Cellway, named by its component.
    pub fn check_books(&self) {
        for station in &self.net.nodes {
            match station {
                Station::Host(host) => host.check_books(),
                Station::Switch(switch) => switch.check_books(),
            }
        }
        self.check_links();
        self.check_frames();
    }

    fn switches(&self) -> impl Iterator<Item = &Switch> {
        self.net.nodes.iter().filter_map(|n| match n {
            Station::Switch(switch) => Some(&**switch),
            Station::Host(_) => None,
        })
    }

    fn host(&self, node: usize) -> &Host {
        match &self.net.nodes[node] {
            Station::Host(host) => host,
            Station::Switch(switch) => unreachable!("node {node} is switch {}", switch.name()),
        }
    }
}
