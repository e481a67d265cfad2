//! The work that is counted: the function that looks up, over a table that knows a few answers by heart.
#![allow(
    clippy::disallowed_methods,
    reason = "a benchmark is no function that is frozen"
)]

mod canned;
pub mod deployed;
mod failure;
mod scenario;

pub use failure::Failure;
pub use scenario::{ANSWERS, Scenario};

/// Runs the scenario that the arguments of a command name, for the given number of times.
///
/// # Errors
/// If the arguments are wrong, or an answer is not the expected one.
pub fn work(arguments: &[String]) -> Result<(), Failure> {
    let [scenario, count] = arguments else {
        return Err("a scenario and how often".into());
    };
    let scenario = Scenario::named(scenario).ok_or("no such scenario")?;
    scenario::run(scenario, count.parse()?)
}
