//! Counts the instructions of a deployed program: the binary that Lambda starts, under callgrind, between an emulated runtime API and a table
//! that knows a few items. Runtime, sockets, TLS and logging are counted; the sandbox, the network and DynamoDB are not there.

mod callgrind;
mod certificates;
mod cold;
mod quota;
mod runtime_api;
mod server;
mod table;

use std::path::{Path, PathBuf};

use crate::canned::{TERM, other_term};
use crate::failure::Failure;
use crate::scenario::event;
use callgrind::Program;
use certificates::Certificates;
use runtime_api::RuntimeApi;
use table::{Silence, Table};

pub use cold::{ColdStart, cold_start};

/// Invocations of the shorter and of the longer run, whose difference is a hundred.
const FEW: usize = 11;
const MANY: usize = 111;

/// The instructions of a program that answers HTTP requests from a table.
#[derive(Debug, Clone, Copy)]
pub struct Lookups {
    /// From the start of the process to its first request to the table.
    pub to_first_request: u64,
    /// From the start of the process to its first request for an event, with a request to the table over TLS.
    pub to_first_event: u64,
    /// The first invocation, over TLS.
    pub first_answer: u64,
    /// An invocation that reads the table, without TLS.
    pub miss: u64,
    /// An invocation that finds its answer in memory.
    pub hit: u64,
}

/// The instructions of a program that reads the table for each event, and keeps nothing.
#[derive(Debug, Clone, Copy)]
pub struct Reads {
    /// From the start of the process to its first request for an event.
    pub to_first_event: u64,
    /// The first invocation, over TLS.
    pub first_answer: u64,
    /// A later invocation, without TLS.
    pub answer: u64,
}

/// The instructions of a program without any request of its own.
#[derive(Debug, Clone, Copy)]
pub struct Hello {
    /// From the start of the process to its first request for an event.
    pub to_first_event: u64,
    /// An invocation.
    pub answer: u64,
}

/// Counts a program that looks up terms.
///
/// # Errors
/// If a tool is missing, the program fails, or an answer is not the expected one.
pub async fn lookups(binary: &Path, folder: &Path) -> Result<Lookups, Failure> {
    let certificates = Certificates::make(folder)?;
    let over_tls = Table::serve_tls(&certificates).await?;
    let plain = Table::serve().await?;
    let run = async |table: &Table, events: Vec<Vec<u8>>| {
        let program = Program::new(binary).with_table(&table.url(), &certificates.authority());
        program.count(RuntimeApi::serve(events).await?).await
    };
    let hits = |count: usize| vec![event(&format!("terms/{TERM}"), "", None); count];
    let misses = |count: usize| {
        (0..count as u64)
            .map(|number| event(&format!("terms/{}", other_term(number)), "", None))
            .collect()
    };
    let silent = Silence::serve().await?;
    let to_first_request = {
        let program = Program::new(binary).with_table(&silent.url(), &certificates.authority());
        program.count_until(silent.first_request()).await?
    };
    let to_first_event = run(&over_tls, Vec::new()).await?;
    let first = run(&over_tls, hits(1)).await?;
    let hit = run(&plain, hits(MANY)).await? - run(&plain, hits(FEW)).await?;
    let miss = run(&plain, misses(MANY)).await? - run(&plain, misses(FEW)).await?;
    let invocations = (MANY - FEW) as u64;
    Ok(Lookups {
        to_first_request,
        to_first_event,
        first_answer: first - to_first_event,
        miss: miss / invocations,
        hit: hit / invocations,
    })
}

/// Counts a program that reads the table for each event.
///
/// # Errors
/// If a tool is missing, the program fails, or an answer is not the expected one.
pub async fn reads(binary: &Path, folder: &Path) -> Result<Reads, Failure> {
    let certificates = Certificates::make(folder)?;
    let over_tls = Table::serve_tls(&certificates).await?;
    let plain = Table::serve().await?;
    let run = async |table: &Table, count: usize| {
        let program = Program::new(binary).with_table(&table.url(), &certificates.authority());
        program
            .count(RuntimeApi::serve(vec![term_event(); count]).await?)
            .await
    };
    let to_first_event = run(&over_tls, 0).await?;
    let first = run(&over_tls, 1).await?;
    let answers = run(&plain, MANY).await? - run(&plain, FEW).await?;
    Ok(Reads {
        to_first_event,
        first_answer: first - to_first_event,
        answer: answers / (MANY - FEW) as u64,
    })
}

/// Returns the event of a request for a term.
#[must_use]
pub fn term_event() -> Vec<u8> {
    event(&format!("terms/{TERM}"), "", None)
}

/// Counts a program that answers any event at once.
///
/// # Errors
/// If a tool is missing or the program fails.
pub async fn hello(binary: &Path) -> Result<Hello, Failure> {
    let run = async |count: usize| {
        let events = vec![b"{}".to_vec(); count];
        Program::new(binary).count(RuntimeApi::serve(events).await?).await
    };
    let to_first_event = run(0).await?;
    let answers = run(MANY).await? - run(FEW).await?;
    Ok(Hello {
        to_first_event,
        answer: answers / (MANY - FEW) as u64,
    })
}

/// Returns the path of a program that was built with the profile of the deployed functions.
///
/// # Errors
/// If it is not there.
pub fn binary(folder: &Path, name: &str) -> Result<PathBuf, Failure> {
    let path = folder.join(name);
    match path.is_file() {
        true => Ok(path),
        false => Err(format!("{} is not built", path.display()).into()),
    }
}
