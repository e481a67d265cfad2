//! Files that commands write: never one that they read, whole or not at all, and with the links, modes and kinds that they had.

mod arguments;
mod kinds;
mod races;

use std::path::Path;

use super::{assert_ends, run};

const TABLE: &str = "id,parent,name\n1,,Fruit\n2,1,Pears\n";
const TAXONOMY: &str =
    r#"{"categories":[{"id":1,"name":"Fruit","terms":[{"id":2,"name":"Pears"}]}],"defaultCulture":"en-GB"}"#;

/// Exports the input of the folder to a place in it.
fn export(folder: &Path, out: &str) {
    assert_ends(&run(folder, &["export", "csv", "input", "--out", out]), 0, "");
}
