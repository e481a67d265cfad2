//! The peak memory of an expansion, measured in a process of its own.

use std::future::pending;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, BufReader, ReadBuf, sink};

use super::super::engine::{End, Ended};
use super::process::{Role, role};
use super::{Book, MEMORY, expand};

/// The memory limit of an expansion, in bytes. The rest of 64 MB is for the program, the runtime and connections.
const MOST: usize = 32_000_000;

/// An input that is generated while it is read.
pub(super) struct Made<I> {
    lines: I,
    rest: Vec<u8>,
}

impl<I> Made<I> {
    pub(super) fn of(lines: I) -> Self {
        Self {
            lines,
            rest: Vec::new(),
        }
    }
}

impl<I: Iterator<Item = String> + Unpin> AsyncRead for Made<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        if self.rest.is_empty() {
            self.rest = self.lines.next().unwrap_or_default().into_bytes();
        }
        let length = self.rest.len().min(buffer.remaining());
        let bytes: Vec<u8> = self.rest.drain(..length).collect();
        buffer.put_slice(&bytes);
        Poll::Ready(Ok(()))
    }
}

/// Expands `lines` with names of `width` digits. Returns the end and the peak memory, in bytes.
async fn ended(lines: impl Iterator<Item = String> + Unpin, width: usize) -> (Ended, usize) {
    MEMORY.reset_peak_usage();
    let input = BufReader::new(Made::of(lines));
    let book = Book {
        delay: std::time::Duration::from_millis(2),
        width,
        ..Book::of(20_000_000)
    };
    let ended = expand(&["--field", "t"], &book, input, sink(), pending()).await;
    (ended, MEMORY.peak_usage())
}

async fn peak(lines: impl Iterator<Item = String> + Unpin, metrics: u64, width: usize) -> usize {
    let (ended, peak) = ended(lines, width).await;
    assert_eq!(ended.end.unwrap(), End::Complete);
    assert_eq!(ended.statistics.metrics, metrics);
    peak
}

fn assert_bounded(kind: &str, peak: usize) {
    assert!(peak < MOST, "{kind}: {peak} bytes");
}

/// Returns 200,000 metrics with 50,000 distinct ids, like views of jobs.
fn metrics() -> impl Iterator<Item = String> + Unpin {
    let id = |at: u64| at * 7_919 % 50_000;
    let metric = move |at: u64| {
        format!(
            "{{\"job\":{at},\"kind\":\"viewed\",\"t\":[{},{}]}}\n",
            id(at),
            id(at + 1_000)
        )
    };
    (0..200_000).map(metric)
}

/// Returns lines of 1 MiB, each with the largest number of ids, all of them distinct.
fn large() -> impl Iterator<Item = String> + Unpin {
    (0..30_u64).map(|at| {
        let ids: Vec<String> = (0..10_000)
            .map(|id| (at * 10_000 + id + 10_000_000).to_string())
            .collect();
        let metric = format!("{{\"t\":[{}]}}", ids.join(","));
        format!("{metric}{}\n", " ".repeat((1 << 20) - metric.len()))
    })
}

/// Returns a metric with `count` ids from `first` on.
fn of_ids(first: u64, count: u64) -> String {
    let ids: Vec<String> = (first..first + count).map(|id| id.to_string()).collect();
    format!("{{\"t\":[{}]}}\n", ids.join(","))
}

/// Returns metrics with distinct ids, then metrics that repeat all of these ids, so that the names stay in use while further metrics are
/// read ahead.
fn kept() -> impl Iterator<Item = String> + Unpin {
    let all = 40_000;
    let once = (0..all / 1_000).map(|at| of_ids(at * 1_000, 1_000));
    once.chain((0..all / 10_000).map(|at| of_ids(at * 10_000, 10_000)))
}

/// Returns metrics of 100 KB with one id and other fields.
fn wide() -> impl Iterator<Item = String> + Unpin {
    (0..1_000_u64).map(|at| format!("{{\"text\":\"{}\",\"t\":{at}}}\n", "x".repeat(100_000)))
}

#[test]
#[ignore = "peak memory: make prove NAMES=memory"]
fn expand_takes_bounded_memory_whatever_the_input() {
    let test = concat!(module_path!(), "::expand_takes_bounded_memory_whatever_the_input");
    if role(test) == Role::Parent {
        let output = super::process::child(test).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        assert_bounded("metrics", peak(metrics(), 200_000, 0).await);
        assert_bounded("large metrics", peak(large(), 30, 0).await);
        assert_bounded("wide metrics", peak(wide(), 1_000, 0).await);
        assert_bounded(
            "empty lines",
            peak((0..100_000).map(|_| "\n".to_owned()), 100_000, 0).await,
        );
        assert_bounded("names that are kept", peak(kept(), 44, 390).await);
        let too_long = [of_ids(0, 2), of_ids(0, 10_000), of_ids(0, 1)].into_iter();
        let (ended, peak) = ended(too_long, 30_000).await;
        assert_bounded("names that are too long", peak);
        assert_eq!(
            ended.end.unwrap_err().to_string(),
            "line 2: the names of its terms take more than 4194304 bytes"
        );
        assert_eq!(ended.statistics.metrics, 1);
    });
}
