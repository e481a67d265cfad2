//! The same work with the allocator of the C library, whose calls memcheck counts.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    taxonomy_benches::ended(taxonomy_benches::work(&arguments))
}
