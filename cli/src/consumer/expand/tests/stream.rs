//! Tests of slow inputs and of outputs whose reader stops reading.

use std::future::pending;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader, ReadBuf, duplex,
};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};

use super::super::engine::End;
use super::{Book, expand, lines};
use crate::exit::Exit;
use crate::failure::Failure;

#[tokio::test(start_paused = true)]
async fn a_line_is_written_while_the_input_is_idle() {
    let (mut sender, input) = duplex(1 << 16);
    let (output, receiver) = duplex(1 << 16);
    let mut lines = BufReader::new(receiver).lines();
    let book = Book::of(100).after(30);
    let expansion = expand(&["--field", "t"], &book, BufReader::new(input), output, pending());
    let conversation = async {
        for id in 0..5 {
            let sent = Instant::now();
            let metric = format!("{{\"t\":{id}}}\n");
            sender.write_all(metric.as_bytes()).await.unwrap();
            let line = timeout(Duration::from_secs(1), lines.next_line()).await;
            let line = line.unwrap().unwrap().unwrap();
            assert!(line.starts_with(&format!("{{\"t\":{id},")), "{line}");
            assert!(sent.elapsed() < Duration::from_millis(60), "{:?}", sent.elapsed());
        }
        drop(sender);
    };
    let (ended, ()) = tokio::join!(expansion, conversation);
    assert_eq!(ended.end.unwrap(), End::Complete);
}

#[tokio::test(start_paused = true)]
async fn an_interruption_ends_with_complete_lines() {
    let (mut sender, input) = duplex(1 << 16);
    let (stop, stopped) = oneshot::channel::<()>();
    let mut output = Vec::new();
    let book = Book::of(100).after(5_000);
    let (input, stop_at) = (BufReader::new(input), async { drop(stopped.await) });
    let expansion = expand(&["--field", "t"], &book, input, &mut output, stop_at);
    let conversation = async {
        sender.write_all(b"{\"t\":1}\n{}\n").await.unwrap();
        sleep(Duration::from_secs(6)).await;
        // Neither is expanded when the interruption comes: the names are not there yet, and the second line is incomplete.
        sender.write_all(b"{\"t\":2}\n{\"t\":3").await.unwrap();
        sleep(Duration::from_secs(1)).await;
        stop.send(()).unwrap();
    };
    let (ended, ()) = tokio::join!(expansion, conversation);
    assert_eq!(ended.end.unwrap(), End::Interrupted);
    let output = String::from_utf8(output).unwrap();
    assert_eq!(output.lines().count(), 2, "{output}");
    assert!(output.ends_with("{\"names\":[]}\n"), "{output}");
}

#[tokio::test]
async fn an_interruption_is_seen_while_metrics_come_without_a_pause() {
    // The same metric, for minutes; its names are cached after the first.
    let input = "{\"t\":1}\n".repeat(5_000_000);
    let stop = sleep(Duration::from_secs(2));
    let (mut output, book) = (Vec::new(), Book::of(100));
    let ended = expand(&["--field", "t"], &book, input.as_bytes(), &mut output, stop).await;
    assert_eq!(ended.end.unwrap(), End::Interrupted);
    assert!(output.ends_with(b"\n"));
    assert_eq!(lines(&output) as u64, ended.statistics.metrics);
}

#[tokio::test(start_paused = true)]
async fn an_interruption_does_not_wait_for_a_reader_that_never_reads() {
    let input = "{\"t\":1}\n".repeat(10_000);
    let (output, mut receiver) = duplex(1_000);
    let stop = sleep(Duration::from_secs(60));
    let started = Instant::now();
    let ended = expand(&["--field", "t"], &Book::of(100), input.as_bytes(), output, stop).await;
    assert_eq!(ended.end.unwrap(), End::Interrupted);
    let took = started.elapsed();
    assert!(took < Duration::from_secs(62), "{took:?}");
    let mut written = Vec::new();
    receiver.read_to_end(&mut written).await.unwrap();
    assert_eq!(written.len(), 1_000);
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_reads_late_gets_each_byte_once() {
    let input = "{\"t\":1}\n".repeat(10_000);
    let (output, receiver) = duplex(10_000);
    let mut receiver = BufReader::new(receiver);
    let stop = sleep(Duration::from_secs(60));
    let late = async {
        sleep(Duration::from_millis(60_500)).await;
        let mut written = String::new();
        receiver.read_to_string(&mut written).await.unwrap();
        written
    };
    let book = Book::of(100);
    let expansion = expand(&["--field", "t"], &book, input.as_bytes(), output, stop);
    let (ended, written) = tokio::join!(expansion, late);
    assert_eq!(ended.end.unwrap(), End::Interrupted);
    let line = "{\"t\":1,\"names\":[\"Job:T1\",\"Job:G0\",\"Job:A0\"],\"taxonomyVersion\":7}\n";
    assert!(written.len() > 10_000, "{}", written.len());
    assert_eq!(written, line.repeat(written.len() / line.len()));
}

#[tokio::test]
async fn a_reader_that_goes_away_ends_the_command_quietly() {
    let input = "{\"t\":1}\n".repeat(10_000);
    let (output, receiver) = duplex(1_000);
    drop(receiver);
    let book = Book::of(100);
    let ended = expand(&["--field", "t"], &book, input.as_bytes(), output, pending()).await;
    let failure = ended.end.unwrap_err();
    let is_closed = matches!(&failure, Failure::Write(error) if error.kind() == io::ErrorKind::BrokenPipe);
    assert!(is_closed, "{failure}");
    assert_eq!(failure.exit(), Exit::Failed);
}

/// A reader that fails.
struct Failing;

impl AsyncRead for Failing {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Err(io::Error::other("the disk is gone")))
    }
}

#[tokio::test]
async fn an_input_that_cannot_be_read_ends_after_the_lines_before() {
    let mut output = Vec::new();
    let input = (&b"{\"t\":1}\n{\"t\":2"[..]).chain(Failing);
    let input = BufReader::new(input);
    let ended = expand(&["--field", "t"], &Book::of(100), input, &mut output, pending()).await;
    let text = "metrics cannot be read: the disk is gone";
    assert_eq!(ended.end.unwrap_err().to_string(), text);
    assert_eq!(lines(&output), 1);
}
