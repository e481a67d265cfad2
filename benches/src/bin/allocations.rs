//! The same work with the allocator of the C library, whose calls memcheck counts.
#![expect(clippy::print_stderr, reason = "a command")]

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match taxonomy_benches::work(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
