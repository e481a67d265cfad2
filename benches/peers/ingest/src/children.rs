//! Pieces of work in processes of their own, so that each count and each peak is of that work alone.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::failure::Failure;
use crate::parse::Reader;

/// Runs this program with other arguments, and returns the JSON document that it printed last.
pub fn run<S: AsRef<OsStr>>(arguments: &[S]) -> Result<Value, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    // As the template sets it for the projector.
    command.env("MALLOC_TRIM_THRESHOLD_", "1048576");
    let output = command.args(arguments).output()?;
    last_line(&output)
}

/// Returns the instructions of parsing a file, without those of reading it from the disk.
pub fn instructions(reader: Reader, file: &Path) -> Result<u64, Failure> {
    let all = counted(reader, file)?;
    Ok(all.saturating_sub(counted(Reader::Nothing, file)?))
}

/// Returns the allocations of parsing a file, reallocations included.
pub fn allocations(reader: Reader, file: &Path) -> Result<u64, Failure> {
    let program = std::env::current_exe()?.with_file_name("allocations");
    let output = Command::new(program).arg(reader.name()).arg(file).output()?;
    let counted = last_line(&output)?;
    Ok(counted["allocations"].as_u64().ok_or("no allocations")?)
}

fn counted(reader: Reader, file: &Path) -> Result<u64, Failure> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    valgrind.arg(std::env::current_exe()?);
    let output = valgrind.arg("parse").arg(reader.name()).arg(file).output();
    let output = output.map_err(|error| format!("valgrind cannot be run: {error}"))?;
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(format!("{} failed under valgrind:\n{report}", reader.name()).into());
    }
    let count = report
        .split_once("Collected :")
        .map(|(_, count)| count.trim_start());
    let count = count.and_then(|count| count.split_whitespace().next());
    Ok(count
        .ok_or("valgrind reports no instructions")?
        .replace(',', "")
        .parse()?)
}

/// Functions print their metrics as lines of their own, so the result is the last one.
fn last_line(output: &Output) -> Result<Value, Failure> {
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().last().ok_or("a piece of work printed nothing")?;
    Ok(serde_json::from_str(line)?)
}
