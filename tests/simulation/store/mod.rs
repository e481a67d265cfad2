//! The scenario of the event store: the real projector over services that fail, checked against an oracle that shares no code with it.
//!
//! | File | Contents |
//! |---|---|
//! | `invariants` | what holds after each request: nothing goes back, nothing is deleted, no other tenant's item is written |
//! | `quiescent_checks` | what holds when every process has ended: the table, the log, the index files, the other tenant |
//! | `changeset_log`, `index_files`, `expected_items` | the log with its changesets, the index files, and the items that a content has |
//! | `files` | the files that are uploaded |
//! | `script` | one tenant, step by step: processes that crash, and those that follow them |
//! | `step` | what may happen to a tenant |
//! | `crashes` | every request of a script with every fault, and pairs of faults |
//! | `preemption` | a process paused at every request while other processes run |
//! | `full_load` | a load that goes on as a full one |
//! | `other_builds` | loads that the next build gives up, requests of theirs that arrive late, and files that another build packed |
//! | `workload` | concurrent processes, in an order and with faults that a seed chooses |

mod changeset_log;
pub(crate) mod crashes;
mod expected_items;
mod files;
mod full_load;
mod index_files;
mod invariants;
mod other_builds;
mod preemption;
mod quiescent_checks;
mod script;
mod step;
mod workload;

use taxonomy_tests::summary::Summary;

static SUMMARY: Summary = Summary::new("store", &["crashes", "pairs", "preemptions", "interleavings"]);

/// Returns the names of scripts with the number of requests of each.
fn counted<'a>(requests: impl Iterator<Item = (&'a str, usize)>) -> String {
    let each: Vec<String> = requests
        .map(|(name, requests)| format!("{name} ({requests} requests)"))
        .collect();
    each.join("; ")
}
