//! The time of a first load on a fresh on-demand table, by a simulation of the table's partitions and of the projector's pace.
//!
//! **The table**, as AWS documents it: a partition takes 1,000 write units a second; a fresh table has 4; capacity grows to twice
//! the highest minute that lies half an hour back, by splitting partitions. A write takes the units of its item from the partition of its key.
//! Left out, so that the result is an upper bound: unused capacity of the last five minutes, and splits because of heat.
//!
//! **The projector**: writes in its order, 32 at once, with its pace under throttles and the SDK's retries, in invocations of 900 seconds.
//!
//! | File | Contents |
//! |---|---|
//! | `writes` | the writes of a first load, from the model's items |
//! | `partitions` | the partitions of a table |
//! | `pace` | concurrency and retries of the projector |
//! | `simulation` | one invocation after the other |

mod pace;
mod partitions;
mod simulation;
mod writes;

pub use simulation::{Invocations, Loaded, simulate};
pub use writes::{PlannedWrite, first_load};

/// Microseconds of the simulation.
pub(crate) type Micros = u64;

/// The microseconds of a second.
pub(crate) const SECOND: Micros = 1_000_000;
