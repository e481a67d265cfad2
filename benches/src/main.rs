//! The work of which `benches/counts.py` counts the instructions: the function that looks up, over a table that knows a few answers by heart.
//!
//! ```text
//! taxonomy-benches SCENARIO COUNT  gives so many answers of a scenario
//! taxonomy-benches canned          prints the scenarios, and what a table and a runtime API need for the same answers over HTTP
//! ```
#![expect(clippy::print_stdout, reason = "a command")]

use std::process::ExitCode;

/// As in the lookup.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.as_slice() {
        [command] if command == "canned" => taxonomy_benches::canned().map(|canned| println!("{canned}")),
        work => taxonomy_benches::work(work),
    };
    taxonomy_benches::ended(done)
}
