//! Families of algorithms: one file for each algorithm, one line in its family's list.

/// Turns a family's list into modules, the tagged parameter enum (`kind: name`), and access to the parameters.
///
/// ```text
/// family! { /// docs
///     TrafficSpec: TrafficConfig;
///     greedy => Greedy,        // file greedy.rs, parameter type greedy::Greedy, `kind: greedy`
/// }
/// ```
/// The tag is the module's name, so the file, the YAML kind and `cellway explain NAME` always agree.
macro_rules! family {
    ($(#[$meta:meta])* $spec:ident: $config:ident; $($module:ident => $parameters:ident),+ $(,)?) => {
        $(pub mod $module;)+

        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(tag = "kind")]
        #[allow(non_camel_case_types)]
        pub enum $spec {
            $(
                #[allow(missing_docs)] // the schema then takes the docs of the parameters
                $module($module::$parameters),
            )+
        }

        impl $spec {
            /// The kinds of this family, in the order of its list.
            pub const KINDS: &'static [&'static str] = &[$(stringify!($module)),+];

            /// The `kind` of this value.
            pub fn kind(&self) -> &'static str {
                match self { $(Self::$module(_) => stringify!($module)),+ }
            }

            /// The parameters behind the family's interface.
            pub fn config(&self) -> &dyn $config {
                match self { $(Self::$module(parameters) => parameters),+ }
            }
        }
    };
}
pub(crate) use family;
