//! `cellway._engine`: the engine as a Python module. Conversion only; what it computes lives in `cellway-models`.

use pyo3::prelude::*;

/// The compiled engine; see `_engine.pyi` for the types.
#[pymodule]
mod _engine {
    use super::*;

    /// Version of the engine, for example `0.1.0`: part of every result.
    #[pyfunction]
    fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}
