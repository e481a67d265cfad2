//! The work that is counted: the function that looks up, over a table that knows a few answers by heart.
#![allow(
    clippy::disallowed_methods,
    reason = "a benchmark is no function that is frozen"
)]
#![expect(clippy::print_stderr, reason = "commands end by it")]

mod canned;
mod scenario;

use std::process::ExitCode;

use serde_json::{Value, json};

/// Any failure.
pub type Failure = Box<dyn std::error::Error>;

/// Runs the scenario that the arguments of a command name, for the given number of times.
///
/// # Errors
/// If the arguments are wrong, or an answer is not the expected one.
pub fn work(arguments: &[String]) -> Result<(), Failure> {
    let [scenario, count] = arguments else {
        return Err("a scenario and how often".into());
    };
    let scenario = scenario::Scenario::named(scenario).ok_or("no such scenario")?;
    scenario::run(scenario, count.parse()?)
}

/// Returns the scenarios, and the responses of the table with the event of a term, for a deployed program.
///
/// # Errors
/// If the sample is refused.
pub fn canned() -> Result<Value, Failure> {
    let responses = canned::Responses::prepare()?;
    let event = scenario::event(&format!("terms/{}", canned::TERM), "", None);
    let scenarios = scenario::Scenario::ALL.map(|one| json!({"name": one.name(), "what": one.what()}));
    Ok(json!({
        "scenarios": scenarios,
        "answers": scenario::ANSWERS,
        "head": responses.head,
        "item": responses.term,
        "term": canned::TERM,
        "others": canned::other_term(0),
        "event": serde_json::from_slice::<Value>(&event)?,
    }))
}

/// Ends a command, with its failure on standard error.
pub fn ended(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
