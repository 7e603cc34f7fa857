//! Prints the JSON schema of the engine document.
fn main() {
    println!("{}", serde_json::to_string_pretty(&cellway_models::spec::schema()).expect("a schema is JSON"));
}
