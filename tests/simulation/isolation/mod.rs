//! The scenario of isolation: several tenants share the functions, the stream and the queues; one of them fails in every known way, and the
//! others are committed, counted and published as if it did not exist.
//!
//! | File | Contents |
//! |---|---|
//! | `platform` | Lambda, SNS, SQS and the stream in virtual time: batch size, parallelization, maximum and reserved concurrency, retries |
//! | `neighbour` | the ways in which the noisy tenant fails |
//! | `uploads` | the quiet tenants and their uploads |
//! | `run` | one run and its outcome |
//! | `comparison` | many seeds: each run beside the same run without the noisy tenant |
//! | `categories` | a changeset of as many categories as a test needs |
//! | `counting` | the largest tenant, counted within the units of a partition and the time of the function |

mod categories;
mod comparison;
mod counting;
mod neighbour;
mod platform;
mod run;
mod uploads;

use taxonomy_tests::summary::Summary;

static SUMMARY: Summary = Summary::new("isolation", &["comparison", "counting"]);
