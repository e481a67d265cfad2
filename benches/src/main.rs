//! Counts what an answer of the lookup costs: instructions and allocations, under valgrind.
//!
//! ```text
//! taxonomy-benches                 counts everything, prints a table, fails where a ratio is not kept
//! taxonomy-benches guard FOLDER    does that, and fails where a figure, or the size of a function in the folder, is above its baseline
//! taxonomy-benches record FOLDER   does that, and makes the figures the baseline
//! taxonomy-benches deployed FOLDER counts the programs in a folder, as they are deployed: `lookup`, and `hello` where it is there
//! taxonomy-benches report FILE FOLDER    counts all answers, and the deployed programs `lookup`, `hello` and `defaults` of a folder, into a JSON file
//! taxonomy-benches SCENARIO COUNT  does the work that is counted
//! ```
//!
//! Each scenario runs in processes of its own, once with N answers and once with 2N; what the second one took more, divided by N, is
//! what one answer takes. Start, preparations and everything that is done once cancel out. Counts repeat to a few in a thousand whatever
//! else the machine does. Ratios are of one run; a baseline holds for one compiler and one kind of processor.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command that prints a table"
)]

mod baseline;
mod count;
mod report;
mod size;

use std::path::Path;
use std::process::ExitCode;

use baseline::Figures;
use count::Counts;
use taxonomy_benches::{Failure, Scenario, deployed, work};

/// As in the lookup.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.as_slice() {
        [] => count_all().map(drop),
        [command, folder] if command == "guard" => guard(Path::new(folder)),
        [command, folder] if command == "record" => record(Path::new(folder)),
        [command, file, folder] if command == "report" => report_all(Path::new(file), Path::new(folder)),
        [command, folder] if command == "deployed" => count_deployed(Path::new(folder)),
        work_to_count => work(work_to_count),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// So much of the second may the first take at most, in percent of its instructions.
const RATIOS: [(Scenario, Scenario, u64); 7] = [
    (Scenario::Hit, Scenario::Entry, 90),
    (Scenario::Entry, Scenario::Miss, 25),
    (Scenario::Hit, Scenario::Uncached, 15),
    (Scenario::NotModified, Scenario::Hit, 100),
    (Scenario::Batch, Scenario::Entry, 5_000),
    (Scenario::Names, Scenario::Batch, 175),
    (Scenario::Miss, Scenario::Uncached, 75),
];

/// Prints the counts of every scenario.
fn count_all() -> Result<Figures, Failure> {
    let counted = count::all()?;
    let mut figures = Figures::default();
    println!(
        "{:<14} {:>13} {:>12}",
        "one answer", "instructions", "allocations"
    );
    for (scenario, counts) in &counted {
        let Counts {
            instructions,
            allocations,
        } = *counts;
        println!(
            "{:<14} {instructions:>13} {allocations:>12}   {}",
            scenario.name(),
            scenario.what()
        );
        figures.add("instructions", scenario.name(), instructions);
        figures.add("allocations", scenario.name(), allocations);
    }
    let of = |wanted: Scenario| {
        let found = counted.iter().find(|(scenario, _)| *scenario == wanted);
        found.map_or(0, |(_, counts)| counts.instructions)
    };
    let mut broken = 0;
    for (part, whole, most) in RATIOS {
        let percent = of(part) * 100 / of(whole).max(1);
        let verdict = if percent <= most { "kept" } else { "NOT KEPT" };
        broken += usize::from(percent > most);
        println!(
            "ratio: {} is {percent} % of {}, at most {most} %: {verdict}",
            part.name(),
            whole.name()
        );
    }
    if broken == 0 {
        Ok(figures)
    } else {
        Err(format!("{broken} ratios are not kept").into())
    }
}

/// Counts everything, and measures the functions in a folder.
fn measure_all(folder: &Path) -> Result<Figures, Failure> {
    let mut figures = count_all()?;
    for function in size::FUNCTIONS {
        let bytes = size::stripped(&folder.join(function))?;
        println!("{function:<14} {bytes:>13} bytes without symbols");
        figures.add("bytes", function, bytes);
    }
    Ok(figures)
}

/// Compares everything with the baseline.
fn guard(folder: &Path) -> Result<(), Failure> {
    let recorded = Figures::read(Path::new(baseline::FILE))?;
    let compared = recorded.compare(&measure_all(folder)?);
    for line in &compared.better {
        println!("better: {line}; `make record` makes it the baseline");
    }
    for line in &compared.broken {
        println!("NOT KEPT: {line}");
    }
    let (kept, broken) = (recorded.len(), compared.broken.len());
    println!("guard: {} passed, {broken} failed", kept.saturating_sub(broken));
    match broken {
        0 => Ok(()),
        _ => Err("where a change is worth it, `make record` makes its figures the baseline".into()),
    }
}

/// Makes the figures of this checkout the baseline.
fn record(folder: &Path) -> Result<(), Failure> {
    measure_all(folder)?.write(Path::new(baseline::FILE))
}

/// Writes all counts into a file.
fn report_all(file: &Path, folder: &Path) -> Result<(), Failure> {
    let figures = count_all()?;
    let report = runtime()?.block_on(report::report(&figures, folder))?;
    Ok(std::fs::write(file, report.to_string())?)
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    Ok(builder.enable_all().build()?)
}

/// Counts the deployed programs in a folder.
fn count_deployed(folder: &Path) -> Result<(), Failure> {
    let runtime = runtime()?;
    let lookup = deployed::binary(folder, "lookup")?;
    let counted = runtime.block_on(deployed::lookups(&lookup, &folder.join("certificates")))?;
    println!("{:<58} {:>13}", "lookup", "instructions");
    for (what, instructions) in [
        (
            "from its start to the first request to the table",
            counted.to_first_request,
        ),
        (
            "from its start to the first request for an event, over TLS",
            counted.to_first_event,
        ),
        ("the first answer, over TLS", counted.first_answer),
        ("an answer that reads the table", counted.miss),
        ("an answer from memory", counted.hit),
    ] {
        println!("{what:<58} {instructions:>13}");
    }
    if let Ok(hello) = deployed::binary(folder, "hello") {
        let counted = runtime.block_on(deployed::hello(&hello))?;
        println!(
            "{:<58} {:>13}",
            "hello: from its start to the first request for an event", counted.to_first_event
        );
        println!("{:<58} {:>13}", "hello: an answer", counted.answer);
    }
    Ok(())
}
