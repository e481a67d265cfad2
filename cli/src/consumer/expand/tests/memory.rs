//! The peak memory of an expansion, measured in a process of its own.

use std::future::pending;

use tokio::io::{AsyncWriteExt as _, BufReader, duplex, sink};

use super::super::engine::{End, Ended};
use super::process::is_child;
use super::{Book, MEMORY, expand, runtime};

/// The memory limit of an expansion, in bytes. The rest of 64 MB is for the program, the runtime and connections.
const MOST: usize = 32_000_000;

/// Expands lines, which are made while they are read, with names of `width` digits. Returns the end and the peak memory, in bytes.
async fn ended(lines: impl Iterator<Item = String>, width: usize) -> (Ended, usize) {
    MEMORY.reset_peak_usage();
    let book = Book {
        width,
        ..Book::of(20_000_000).after(2)
    };
    let (mut sender, input) = duplex(1 << 16);
    let making = async move {
        for line in lines {
            if sender.write_all(line.as_bytes()).await.is_err() {
                break;
            }
        }
    };
    let input = BufReader::new(input);
    let expansion = expand(&["--field", "t"], &book, input, sink(), pending());
    let (ended, ()) = tokio::join!(expansion, making);
    (ended, MEMORY.peak_usage())
}

/// The lines, that many metrics, are expanded in bounded memory.
async fn check(kind: &str, lines: impl Iterator<Item = String>, metrics: u64, width: usize) {
    let (ended, peak) = ended(lines, width).await;
    assert_eq!(ended.end.unwrap(), End::Complete);
    assert_eq!(ended.statistics.metrics, metrics);
    assert!(peak < MOST, "{kind}: {peak} bytes");
}

/// Returns 200,000 metrics with 50,000 distinct ids, like views of jobs.
fn metrics() -> impl Iterator<Item = String> {
    let id = |at: u64| at * 7_919 % 50_000;
    let metric = move |at: u64| {
        let ids = format!("{},{}", id(at), id(at + 1_000));
        format!("{{\"job\":{at},\"kind\":\"viewed\",\"t\":[{ids}]}}\n")
    };
    (0..200_000).map(metric)
}

/// Returns lines of 1 MiB, each with the largest number of ids, all of them distinct.
fn large() -> impl Iterator<Item = String> {
    (0..30_u64).map(|at| {
        let metric = of_ids(at * 10_000 + 10_000_000, 10_000);
        let spaces = " ".repeat((1 << 20) + 1 - metric.len());
        format!("{}{spaces}\n", metric.trim_end())
    })
}

/// Returns a metric with `count` ids from `first` on.
fn of_ids(first: u64, count: u64) -> String {
    let ids: Vec<String> = (first..first + count).map(|id| id.to_string()).collect();
    format!("{{\"t\":[{}]}}\n", ids.join(","))
}

/// Returns metrics with distinct ids, then metrics that repeat all of these ids, so that the names stay in use while further metrics are
/// read ahead.
fn kept() -> impl Iterator<Item = String> {
    let all = 40_000;
    let once = (0..all / 1_000).map(|at| of_ids(at * 1_000, 1_000));
    once.chain((0..all / 10_000).map(|at| of_ids(at * 10_000, 10_000)))
}

/// Returns metrics of 100 KB with one id and other fields.
fn wide() -> impl Iterator<Item = String> {
    (0..1_000_u64).map(|at| format!("{{\"text\":\"{}\",\"t\":{at}}}\n", "x".repeat(100_000)))
}

#[test]
#[ignore = "peak memory: make prove NAMES=memory"]
fn expand_takes_bounded_memory_whatever_the_input() {
    let test = concat!(module_path!(), "::expand_takes_bounded_memory_whatever_the_input");
    if !is_child(test) {
        let output = super::process::child(test).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}");
        return;
    }
    runtime().block_on(async {
        check("metrics", metrics(), 200_000, 0).await;
        check("large metrics", large(), 30, 0).await;
        check("wide metrics", wide(), 1_000, 0).await;
        let empty = (0..100_000).map(|_| "\n".to_owned());
        check("empty lines", empty, 100_000, 0).await;
        check("names that are kept", kept(), 44, 390).await;
        let too_long = [of_ids(0, 2), of_ids(0, 10_000), of_ids(0, 1)].into_iter();
        let (ended, peak) = ended(too_long, 30_000).await;
        assert!(peak < MOST, "names that are too long: {peak} bytes");
        let text = "line 2: the names of its terms take more than 4194304 bytes";
        assert_eq!(ended.end.unwrap_err().to_string(), text);
        assert_eq!(ended.statistics.metrics, 1);
    });
}
