//! The scenario of the aggregates: the real aggregator behind a stream that delivers twice, late, in other batches, in another order or not
//! at all, over services that fail, checked against counts that share no code with its own.
//!
//! | File | Contents |
//! |---|---|
//! | `history` | tenants and their versions, made by the real projector, and a stack with them and without aggregates |
//! | `counts`, `expected` | the counts of a content and of a step between two, and the aggregates and messages that follow |
//! | `checker` | what holds after each write, and at the end |
//! | `workload` | shards, batches and the faults of the stream, chosen by a seed |
//! | `runs` | many seeds |
//! | `crashes` | every request of a few histories with every fault, and pairs of faults |
//! | `harm` | the ways in which an aggregate can be wrong, by which mutants are killed |

mod checker;
mod counts;
mod crashes;
mod expected;
mod harm;
mod history;
mod runs;
mod workload;

use taxonomy_tests::summary::Summary;

static SUMMARY: Summary = Summary::new("aggregates", &["streams", "crashes", "pairs"]);
