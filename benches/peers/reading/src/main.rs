//! Reads a taxonomy file: by the service, by serde_json into structs that own their texts, or by serde_json into `Value`.
//!
//! ```text
//! reading READER FILE   nothing, service, structs or Value; prints a JSON document: terms, and bytes of memory at most
//! ```
//!
//! `nothing` reads the file from the disk and parses nothing, for differences. The result is not freed, so that freeing is not counted.

use serde::Deserialize;
use serde_json::{Value, json};
use taxonomy_model::{Defaults, Limits};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [reader, file] = arguments.as_slice() else {
        return Err("a reader and a file".into());
    };
    let bytes = std::fs::read(file)?;
    let terms = match reader.as_str() {
        "nothing" => 0,
        "service" => service(&bytes)?,
        "structs" => structs(&bytes)?,
        "Value" => value(&bytes)?,
        _ => return Err("there is no such reader".into()),
    };
    println!("{}", json!({"terms": terms, "peak_bytes": peak()?}));
    Ok(())
}

/// As the projector does, with every check.
fn service(bytes: &[u8]) -> Result<usize, Failure> {
    let defaults = Defaults {
        tenant_culture: None,
        stack_culture: "en-GB".parse()?,
        fallback_chain: Vec::new(),
    };
    let parsed = taxonomy_model::parse(bytes, &defaults, Limits::default());
    let parsed = parsed.map_err(|report| format!("the file is refused: {:?}", report.first_error()))?;
    Ok(std::mem::ManuallyDrop::new(parsed).taxonomy.terms().len())
}

/// Without any check.
fn structs(bytes: &[u8]) -> Result<usize, Failure> {
    let file: File = serde_json::from_slice(bytes)?;
    let file = std::mem::ManuallyDrop::new(file);
    Ok(file
        .categories
        .iter()
        .map(|category| count(&category.terms))
        .sum())
}

fn value(bytes: &[u8]) -> Result<usize, Failure> {
    let file: Value = serde_json::from_slice(bytes)?;
    let file = std::mem::ManuallyDrop::new(file);
    let categories = file["categories"].as_array().ok_or("no categories")?;
    Ok(categories.iter().map(|category| below(category, "terms")).sum())
}

/// The most memory that was resident, in bytes: `VmHWM` of proc(5).
fn peak() -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next());
    Ok(kib.ok_or("the system does not report VmHWM")?.parse::<u64>()? * 1024)
}

/// The file as a program would declare it that knows the format: every field that a file of the benchmark has, with texts of its
/// own.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "read for the sake of reading")]
struct File {
    default_culture: Option<String>,
    categories: Vec<Category>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "read for the sake of reading")]
struct Category {
    id: u64,
    name: Option<String>,
    #[serde(default)]
    names: Vec<Name>,
    #[serde(default)]
    terms: Vec<Term>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "read for the sake of reading")]
struct Term {
    id: u64,
    name: Option<String>,
    #[serde(default)]
    names: Vec<Name>,
    notation: Option<String>,
    sort_key: Option<String>,
    metadata: Option<Value>,
    #[serde(default)]
    deprecated: bool,
    #[serde(default)]
    children: Vec<Term>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "read for the sake of reading")]
struct Name {
    culture: String,
    name: String,
    path: Option<String>,
}

fn count(terms: &[Term]) -> usize {
    terms.iter().map(|term| 1 + count(&term.children)).sum()
}

fn below(node: &Value, field: &str) -> usize {
    let terms = node[field].as_array().map(Vec::as_slice).unwrap_or_default();
    terms.iter().map(|term| 1 + below(term, "children")).sum()
}
