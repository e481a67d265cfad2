//! Every rule of decision page 10 against a table made weaker than it is: replicas that lag, loads that begin in between, gates.

mod bounds;
mod forms;
mod heads;
mod rules;
mod second_tier;
pub(crate) mod tier;
pub(crate) mod world;
