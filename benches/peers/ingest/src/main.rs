//! Measures what large files cost.
//!
//! ```text
//! ingest run [--quick]              measures everything and prints one JSON document; --quick: 1,000 and 10,000 terms alone
//! ingest generate TERMS ARRANGEMENT CULTURES VERSION FILE
//! ingest edit FILE OTHER            writes a file with another name for every hundredth term
//! ingest parse READER FILE          parses a file: service, structs, Value or nothing
//! ingest ingest FOLDER FILE [SECONDS]   ingests a file as the next version of the store in a folder, in one invocation of so many seconds
//! ingest cost NEW [OLD]             counts items and units of a projection
//! ingest load FILE FIRST NEXT PROCESSOR   simulates a first load: seconds before the first write of the first invocation and of a further one,
//!                                   microseconds of the processor for a write
//! ```
//!
//! The document, of which `ingest::report` has the fields:
//!
//! ```text
//! {"profile": "..",
//!  "parse": [{"file", "terms", "bytes", "reader", "instructions_per_byte", "allocations_per_term", "peak_bytes"}],
//!  "ingest": [{"file", "version", "terms", "bytes", "peak_bytes", "idle_bytes", "peak_by_file", "seconds", "served_seconds", "processor_seconds",
//!     "phases": {phase: {"seconds", "processor_seconds", "peak_bytes"}}, "items", "items_by_kind", "units", "items_per_second",
//!     "requests": {operation: count}}],
//!  "memory": [{"file", "bytes", "peak_bytes", "megabytes"}],
//!  "load": [{"terms", "shape", "cultures", "units", "seconds", "invocations", "throttled"}]}
//! ```
//!
//! `items_per_second` counts seconds of the processor while items are written, so that other work of the machine does not change it; requests
//! are built and signed, and no network is waited for. `peak_bytes` is the resident memory of the whole process.
//!
//! Build it with `--profile measure`: optimised like a release, without link-time optimisation. Real data comes from the folder in
//! `TAXONOMY_DATA`, or from `../shared/data` beside the checkout; without it, the document has generated files alone. Files are written below
//! the folder for temporary files, and removed.

use std::path::Path;
use std::time::Duration;

use ingest::failure::Failure;
use ingest::generate::{Arrangement, Generated};
use ingest::load::{Invocations, first_load, simulate};
use ingest::parse::{Reader, service};
use ingest::{cost, ingest as whole, memory, report};
use serde_json::{Value, json};

/// The time of an invocation in which items are written: 900 seconds without the margin of `Deadline`.
const WRITING: u64 = 860_000_000;
/// From a request to its response, an assumption: DynamoDB answers a put in a few milliseconds.
const LATENCY: u64 = 5_000;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["run"] => report::everything(false)?,
        ["run", "--quick"] => report::everything(true)?,
        ["generate", terms, arrangement, cultures, version, file] => {
            let generated = Generated {
                terms: terms.parse()?,
                arrangement: arrangement_named(arrangement)?,
                cultures: cultures.parse()?,
                version: version.parse()?,
            };
            let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
            generated.write(&mut out)?;
            std::io::Write::flush(&mut out)?;
            json!({"terms": generated.terms})
        }
        ["edit", file, other] => {
            report::edit(Path::new(file), Path::new(other))?;
            json!({})
        }
        ["parse", reader, file] => {
            let reader = Reader::named(reader).ok_or("no such reader")?;
            let terms = reader.read(&std::fs::read(file)?)?;
            json!({"terms": terms, "peak_bytes": memory::peak()?})
        }
        ["ingest", folder, file] => whole::run(Path::new(folder), Path::new(file), None)?,
        ["ingest", folder, file, seconds] => {
            whole::run(Path::new(folder), Path::new(file), Some(seconds.parse()?))?
        }
        ["cost", new] => cost::cost(None, Path::new(new))?,
        ["cost", new, old] => cost::cost(Some(Path::new(old)), Path::new(new))?,
        ["load", file, first, next, processor] => load(file, first, next, processor)?,
        _ => return Err("unknown arguments; the documentation of the program lists them".into()),
    };
    println!("{result}");
    Ok(())
}

fn arrangement_named(name: &str) -> Result<Arrangement, Failure> {
    let mut all = [Arrangement::Tree, Arrangement::Flat].into_iter();
    Ok(all
        .find(|arrangement| arrangement.name() == name)
        .ok_or("tree or flat")?)
}

fn load(file: &str, first: &str, next: &str, processor: &str) -> Result<Value, Failure> {
    let writes = {
        let parsed = service(&std::fs::read(file)?)?;
        first_load(&whole::tenant()?, &parsed.taxonomy)
    };
    let micros = |seconds: &str| -> Result<u64, Failure> {
        Ok(u64::try_from(
            Duration::try_from_secs_f64(seconds.parse()?)?.as_micros(),
        )?)
    };
    let invocations = Invocations {
        first_preparation: micros(first)?,
        next_preparation: micros(next)?,
        time: WRITING,
        latency: LATENCY,
        processor: processor.parse()?,
    };
    let loaded = simulate(&writes, invocations).ok_or("the load does not end")?;
    Ok(json!({
        "items": writes.len(),
        "units": loaded.units,
        "seconds": (loaded.time as f64 / 1e5).round() / 10.0,
        "invocations": loaded.invocations,
        "throttled": loaded.throttled,
    }))
}
