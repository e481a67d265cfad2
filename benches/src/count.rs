//! Instructions by callgrind, allocations by memcheck.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use taxonomy_benches::{ANSWERS, Failure, Scenario};

/// The cost of one answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) instructions: u64,
    pub(crate) allocations: u64,
}

/// Counts every scenario, one on each processor at a time: counts do not depend on what else runs.
pub(crate) fn all() -> Result<Vec<(Scenario, Counts)>, Failure> {
    let next = AtomicUsize::new(0);
    let count_next = || -> Option<Result<(usize, Counts), String>> {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let scenario = *Scenario::ALL.get(number)?;
        let counts = per_answer(scenario).map_err(|error| error.to_string());
        Some(counts.map(|counts| (number, counts)))
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let counted: Result<BTreeMap<usize, Counts>, String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..processors)
            .map(|_| scope.spawn(|| std::iter::from_fn(count_next).collect::<Vec<_>>()))
            .collect();
        let results = threads.into_iter().flat_map(|thread| match thread.join() {
            Ok(results) => results,
            Err(_) => vec![Err("a thread that counts has failed".to_owned())],
        });
        results.collect()
    });
    Ok(Scenario::ALL.into_iter().zip(counted?.into_values()).collect())
}

/// The difference between 2N and N answers, by N.
fn per_answer(scenario: Scenario) -> Result<Counts, Failure> {
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
