//! Tests of the command against a source of names in memory.

mod ids;
mod memory;
mod process;
mod stream;
mod written;

use std::future::{Future, pending};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser as _;
use peak_alloc::PeakAlloc;
use taxonomy_client::expander::{Answer, Source};
use taxonomy_keys::TermId;
use tokio::io::{AsyncBufRead, AsyncWrite};

use super::Expand;
use super::engine::{self, End, Ended};
use super::input::MetricInput;
use crate::failure::Failure;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// A source of names at version 7. The ancestors of id `n` are `n / 10` and `n / 100`. Ids from `known` on are unknown.
struct Book {
    known: u64,
    delay: Duration,
    /// The number of digits in the name of a term.
    width: usize,
    /// Requests with this id fail.
    broken: Option<u64>,
}

impl Book {
    fn of(known: u64) -> Self {
        Self {
            known,
            delay: Duration::ZERO,
            width: 0,
            broken: None,
        }
    }

    /// Answers after so many milliseconds.
    fn after(self, millis: u64) -> Self {
        let delay = Duration::from_millis(millis);
        Self { delay, ..self }
    }
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap()
}

/// The number of complete lines.
fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

impl Source for Book {
    type Error = Failure;

    async fn names(&self, ids: &[TermId]) -> Result<Answer, Failure> {
        tokio::time::sleep(self.delay).await;
        if ids.iter().any(|id| Some(id.get()) == self.broken) {
            let cause = io::Error::other("it is closed");
            return Err(Failure::Read {
                path: PathBuf::from("the book"),
                cause,
            });
        }
        let names = |id: &TermId| {
            let number = id.get();
            let names = [
                format!("Job:T{number:0width$}", width = self.width),
                format!("Job:G{}", number / 10),
                format!("Job:A{}", number / 100),
            ];
            (number < self.known).then(|| names.to_vec())
        };
        Ok(Answer {
            version: Some(7),
            terms: ids.iter().map(names).collect(),
        })
    }

    async fn version(&self) -> Result<u64, Failure> {
        Ok(7)
    }
}

#[derive(clap::Parser)]
struct Line {
    #[command(flatten)]
    expand: Expand,
}

/// Returns the arguments of a command line, given without the name of the command.
fn arguments(line: &[&str]) -> Expand {
    Line::try_parse_from([&["expand", "--tenant", "acme"], line].concat())
        .unwrap_or_else(|error| panic!("{error}"))
        .expand
}

/// Expands an input to a writer.
async fn expand<W: AsyncWrite + Unpin>(
    arguments: &[&str],
    book: &Book,
    input: impl AsyncBufRead + Unpin,
    output: W,
    stop: impl Future<Output = ()>,
) -> Ended {
    let expand = self::arguments(arguments);
    let input = MetricInput::new(input, PathBuf::from("metrics"), &expand.field, &expand.into, 0);
    engine::expand(book, input, output, &expand.into, stop, |_| {}).await
}

/// Expands a text. Returns the output and the end of the expansion.
fn expanded(arguments: &[&str], book: &Book, input: &[u8]) -> (String, Result<End, Failure>) {
    let mut output = Vec::new();
    let ended = runtime().block_on(expand(arguments, book, input, &mut output, pending()));
    (String::from_utf8(output).unwrap(), ended.end)
}

/// Returns the line, the column and the reason of a refusal.
fn refusal(end: Result<End, Failure>) -> (u64, usize, String) {
    let message = match end {
        Err(Failure::Refused { message, advice }) if advice.is_none() => message,
        other => panic!("{other:?}"),
    };
    let (place, reason) = message.split_once(": ").unwrap();
    let (line, column) = place.split_once(", column ").unwrap();
    let line = line.strip_prefix("line ").unwrap().parse().unwrap();
    (line, column.parse().unwrap(), reason.to_owned())
}
