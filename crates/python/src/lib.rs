//! `cellway._engine`: the engine as a Python module. Conversion only; what it computes lives in `cellway-models`.

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use cellway_kernel::error::SpecError;
use cellway_kernel::table::{Table, Values};
use cellway_kernel::time::Time;
use cellway_models::network::Network;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyTable;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

create_exception!(_engine, EngineError, PyException, "The engine document is wrong at one place; nothing has run.");

/// The compiled engine; see `_engine.pyi` for the types.
#[pymodule]
mod _engine {
    #[pymodule_export]
    use super::{EngineError, Simulation, schema, version};
}

/// Version of the engine, for example `0.1.0`: part of every result.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// JSON schema of the engine document.
#[pyfunction]
fn schema() -> PyResult<String> {
    serde_json::to_string(&cellway_models::spec::schema()).map_err(|e| PyRuntimeError::new_err(e.to_string()))
}

/// One network, built from an engine document and run step by step.
#[pyclass(module = "cellway._engine")]
struct Simulation {
    /// One caller at a time; Python's own borrow check comes first, so nobody ever waits.
    network: Mutex<Network>,
}

impl Simulation {
    fn network(&mut self) -> &mut Network {
        self.network.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Simulation {
    #[new]
    fn new(py: Python<'_>, document: &str) -> PyResult<Simulation> {
        let network = guarded(|| Network::from_json(document))?.map_err(|e| engine_error(py, &e))?;
        Ok(Simulation { network: Mutex::new(network) })
    }

    /// Run all that happens before `to_ps` [ps]; other Python threads run meanwhile.
    fn advance(&mut self, py: Python<'_>, to_ps: u64) -> PyResult<()> {
        if to_ps > Time::LAST.ps() {
            return Err(PyValueError::new_err(format!("to_ps is {to_ps}; it must be at most 2^61 ps (26 days)")));
        }
        let network = self.network();
        py.detach(|| guarded(|| network.run_until(Time::from_ps(to_ps))))
    }

    /// Simulated time reached [ps].
    #[getter]
    fn now_ps(&mut self) -> u64 {
        self.network().now().ps()
    }

    /// Cells sent over links so far.
    #[getter]
    fn cell_hops(&mut self) -> u64 {
        self.network().cell_hops()
    }

    /// End the warm-up: the counters of the summary start here.
    fn mark(&mut self) {
        self.network().mark();
    }

    /// Results by name; a field's metadata key `unit` holds its unit.
    fn tables<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let network = self.network();
        let tables = py.detach(|| guarded(|| network.tables()))?;
        let by_name = PyDict::new(py);
        for table in tables {
            by_name.set_item(table.name, arrow(table)?)?;
        }
        Ok(by_name)
    }
}

/// A broken invariant is a bug of the engine: a Python exception that names the component, not the end of the process.
fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        PyRuntimeError::new_err(message.unwrap_or_else(|| "the engine panicked".to_owned()))
    })
}

fn engine_error(py: Python<'_>, error: &SpecError) -> PyErr {
    let exception = EngineError::new_err(error.to_string());
    let value = exception.value(py);
    let fields =
        [("path", &error.path), ("message", &error.message), ("found", &error.found), ("allowed", &error.allowed)];
    for (name, text) in fields {
        if let Err(failed) = value.setattr(name, text) {
            return failed;
        }
    }
    exception
}

fn arrow(table: Table) -> PyResult<PyTable> {
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for column in table.columns {
        let (kind, array): (DataType, ArrayRef) = match column.values {
            Values::U64(v) => (DataType::UInt64, Arc::new(UInt64Array::from(v))),
            Values::F64(v) => (DataType::Float64, Arc::new(Float64Array::from(v))),
            Values::Text(names) => (DataType::Utf8, Arc::new(names.iter().collect::<StringArray>())),
        };
        let unit = HashMap::from([("unit".to_owned(), column.unit.to_owned())]);
        fields.push(Field::new(column.name, kind, true).with_metadata(unit));
        arrays.push(array);
    }
    let schema = Arc::new(Schema::new(fields));
    let to_python = |e: arrow_schema::ArrowError| PyRuntimeError::new_err(e.to_string());
    let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(to_python)?;
    PyTable::try_new(vec![batch], schema)
}
