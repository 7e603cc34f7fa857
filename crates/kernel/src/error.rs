//! Errors of a scenario: where it is wrong, what was found, and what is allowed.

use std::fmt;

/// A fault of a scenario. It names the place; it never stops a run that has started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// Path in the engine document, for example `vcs.vc1.credit.a->s1.r`.
    pub path: String,
    /// What is wrong, in one sentence without a final stop.
    pub message: String,
    /// What was found there; empty where the message says it.
    pub found: String,
    /// What would be right; empty where the message says it.
    pub allowed: String,
}

impl SpecError {
    /// An error at `path`.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> SpecError {
        SpecError { path: path.into(), message: message.into(), found: String::new(), allowed: String::new() }
    }

    /// Adds what was found.
    #[must_use]
    pub fn found(mut self, found: impl fmt::Display) -> SpecError {
        self.found = found.to_string();
        self
    }

    /// Adds what is allowed.
    #[must_use]
    pub fn allowed(mut self, allowed: impl fmt::Display) -> SpecError {
        self.allowed = allowed.to_string();
        self
    }

    /// Puts `prefix` and a dot before the path.
    #[must_use]
    pub fn under(mut self, prefix: &str) -> SpecError {
        self.path = if self.path.is_empty() { prefix.to_owned() } else { format!("{prefix}.{}", self.path) };
        self
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)?;
        if !self.found.is_empty() {
            write!(f, "; found {}", self.found)?;
        }
        if !self.allowed.is_empty() {
            write!(f, "; allowed: {}", self.allowed)?;
        }
        Ok(())
    }
}

impl std::error::Error for SpecError {}

/// Asserts an invariant of a component; a failure is a bug of Cellway, and the panic names the component.
#[macro_export]
macro_rules! invariant {
    ($condition:expr, $component:expr, $($message:tt)+) => {
        assert!($condition, "broken invariant in {}: {}", $component, format_args!($($message)+))
    };
}
