//! The sizes of the functions.

use std::path::Path;
use std::process::Command;

use taxonomy_benches::Failure;

/// The programs that are deployed.
pub(crate) const FUNCTIONS: [&str; 4] = ["aggregator", "lookup", "pages", "projector"];

/// Returns the bytes of a program without its symbols.
///
/// # Errors
/// If it is not built, or `strip` is missing.
pub(crate) fn stripped(program: &Path) -> Result<u64, Failure> {
    let copy = program.with_extension("stripped");
    let output = Command::new("strip")
        .arg("-o")
        .args([&copy, program])
        .output()
        .map_err(|error| format!("strip cannot be run ({error}); it comes with the linker"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let bytes = std::fs::metadata(&copy)?.len();
    std::fs::remove_file(&copy)?;
    Ok(bytes)
}
