//! Counts the allocations of parsing a file: `allocations READER FILE`. In a program of its own, because counting takes instructions.

use std::alloc::System;
use std::path::Path;

use ingest::failure::Failure;
use ingest::parse::Reader;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [reader, file] = arguments.as_slice() else {
        return Err("a reader and a file are needed".into());
    };
    let reader = Reader::named(reader).ok_or("no such reader")?;
    let bytes = std::fs::read(Path::new(file))?;
    let region = Region::new(ALLOCATOR);
    let terms = reader.read(&bytes)?;
    let counted = region.change();
    let allocations = counted.allocations + counted.reallocations;
    println!(
        "{}",
        serde_json::json!({"terms": terms, "allocations": allocations})
    );
    Ok(())
}
