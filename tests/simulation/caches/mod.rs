//! The scenario of the caches: the real projector and the real lookup over replicas that lag and a second tier that loses entries, checked
//! against an oracle that knows only the uploaded files and the writes of the head.
//!
//! | File | Contents |
//! |---|---|
//! | `cluster` | the stack with its lookup processes, the lag of the replica, and the versions that were served |
//! | `expected` | the response of each version, from the uploaded file |
//! | `checker` | whether a response is one of a served version, and new enough |
//! | `second_tier`, `memory_tier` | the second cache tier: none, one in memory, or Valkey |
//! | `workload`, `runs` | uploads, crashes, lookups and the passing of time, chosen by a seed; many seeds |
//! | `savings`, `zipf` | what the tiers save, by requests as readers send them |
//! | `real` | real taxonomies, and what batches and lists cost in reads of files |

mod checker;
mod cluster;
mod expected;
mod memory_tier;
mod real;
mod runs;
mod savings;
mod second_tier;
mod workload;
mod zipf;

use taxonomy_tests::summary::Summary;

static SUMMARY: Summary = Summary::new("caches", &["runs", "runs over Valkey"]);
