//! Every rule of decision page 10 against a table made weaker than it is: replicas that lag, loads that begin in between, gates.
#![expect(
    clippy::unwrap_used,
    reason = "only tests run this; where something is missing they stop"
)]

mod bounds;
mod flights;
mod forms;
mod rules;
mod second_tier;
mod tier;
mod walk;
mod world;
