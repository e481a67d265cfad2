//! Instructions by callgrind, allocations by memcheck.

use std::path::Path;
use std::process::Command;

use taxonomy_benches::{ANSWERS, Failure, Scenario};

/// The cost of one answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) instructions: u64,
    pub(crate) allocations: u64,
}

/// The difference between 2N and N answers, by N.
pub(crate) fn per_answer(scenario: Scenario) -> Result<Counts, Failure> {
    let each = |counted: &dyn Fn(usize) -> Result<u64, Failure>| -> Result<u64, Failure> {
        let more = counted(2 * ANSWERS)?.saturating_sub(counted(ANSWERS)?);
        Ok(more / ANSWERS as u64)
    };
    Ok(Counts {
        instructions: each(&|answers| instructions(scenario, answers))?,
        allocations: each(&|answers| allocations(scenario, answers))?,
    })
}

fn instructions(scenario: Scenario, answers: usize) -> Result<u64, Failure> {
    let tool = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];
    let output = valgrind(&tool, &std::env::current_exe()?, scenario, answers)?;
    number_after(&output, "Collected :")
}

fn allocations(scenario: Scenario, answers: usize) -> Result<u64, Failure> {
    let tool = ["--tool=memcheck", "--leak-check=no", "--undef-value-errors=no"];
    let program = std::env::current_exe()?.with_file_name("allocations");
    let output = valgrind(&tool, &program, scenario, answers)?;
    number_after(&output, "total heap usage:")
}

/// Runs a program under a tool and returns the report of the tool. The logs of the scenario are discarded.
fn valgrind(tool: &[&str], program: &Path, scenario: Scenario, answers: usize) -> Result<String, Failure> {
    let mut command = Command::new("valgrind");
    command.args(tool).arg(program);
    command.args([scenario.name(), &answers.to_string()]);
    let output = command
        .output()
        .map_err(|error| format!("valgrind cannot be run ({error}); install it, nothing was counted"))?;
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        Ok(report)
    } else {
        Err(format!("{} failed:\n{report}", scenario.name()).into())
    }
}

fn number_after(output: &str, words: &str) -> Result<u64, Failure> {
    let after = output.split_once(words).map(|(_, after)| after.trim_start());
    let digits = after.and_then(|after| after.split_whitespace().next());
    let digits = digits.ok_or_else(|| format!("valgrind said nothing of `{words}`:\n{output}"))?;
    Ok(digits.replace(',', "").parse()?)
}
