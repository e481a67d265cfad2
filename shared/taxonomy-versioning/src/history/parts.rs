//! Bridges a writer that blocks to an upload that does not: the writer runs on a thread of its own and hands parts over, one at a time.
//!
//! At most three parts are in memory: the one that the writer collects, the one that waits, and the one that is being uploaded. Once
//! the receiver is gone, handing over the next part fails, so the writer outlives the upload by a part at most.

use std::io::{self, Write};
use std::thread;

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::error::VersioningError;

/// The bytes of a part: more than the 5 MiB that S3 demands, and 10,000 of them are 78 GiB.
pub(crate) const PART_BYTES: usize = 8 << 20;

/// Collects bytes and hands over each whole part.
#[derive(Debug)]
pub(crate) struct PartWriter {
    part: Vec<u8>,
    parts: mpsc::Sender<Bytes>,
}

/// The bytes that one writer leaves to the next: at most a part.
#[derive(Debug)]
pub(crate) struct Parts {
    /// `None` while they are on the writer's thread, and after it failed.
    rest: Option<Vec<u8>>,
}

impl Write for PartWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.part.len() == PART_BYTES {
            let part = std::mem::take(&mut self.part);
            let sent = self.parts.blocking_send(part.into());
            sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        }
        let taken = bytes.len().min(PART_BYTES - self.part.len());
        self.part.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Parts {
    /// Without any bytes yet.
    pub(crate) fn new() -> Self {
        Self {
            rest: Some(Vec::new()),
        }
    }

    /// Runs `write` on a thread and hands each part that it fills to `upload`, in order. Where `upload` fails, the thread ends first.
    pub(crate) async fn write<T: Send + 'static>(
        &mut self,
        write: impl FnOnce(&mut PartWriter) -> T + Send + 'static,
        mut upload: impl AsyncFnMut(Bytes) -> Result<(), VersioningError>,
    ) -> Result<T, VersioningError> {
        let none = || VersioningError::writing("the writer has failed before");
        let part = self.rest.take().ok_or_else(none)?;
        let (sender, mut parts) = mpsc::channel(1);
        let mut writer = PartWriter { part, parts: sender };
        let thread = thread::Builder::new().name("download".to_owned());
        #[expect(
            clippy::disallowed_methods,
            reason = "it ends before the invocation does, or at its next part when this is dropped"
        )]
        let thread = thread.spawn(move || {
            let outcome = write(&mut writer);
            (outcome, writer.part)
        });
        let thread = thread.map_err(VersioningError::NoThread)?;
        let mut uploaded = Ok(());
        while let Some(part) = parts.recv().await {
            if uploaded.is_ok() {
                uploaded = upload(part).await;
            }
            if uploaded.is_err() {
                // The writer's next part is refused, which ends it.
                parts.close();
            }
        }
        // No part follows since the writer is gone, and with it its thread: this does not wait.
        let ended = thread.join();
        uploaded?;
        let (outcome, rest) = ended.map_err(|_| VersioningError::writing("the writer panicked"))?;
        self.rest = Some(rest);
        Ok(outcome)
    }

    /// The bytes that are left: at most a part.
    pub(crate) fn last(self) -> Bytes {
        self.rest.unwrap_or_default().into()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    const CHUNK: usize = 64 << 10;

    /// Records a number of written bytes, and reports the progress.
    fn written(
        bytes: usize,
        count: &Arc<AtomicUsize>,
    ) -> impl FnOnce(&mut PartWriter) -> io::Result<()> + use<> {
        let count = Arc::clone(count);
        move |out| {
            for chunk in 0..bytes.div_ceil(CHUNK) {
                let size = CHUNK.min(bytes - chunk * CHUNK);
                let byte = u8::try_from(chunk % 251).unwrap();
                out.write_all(&vec![byte; size])?;
                count.fetch_add(size, Ordering::SeqCst);
            }
            Ok(())
        }
    }

    fn expected(bytes: usize) -> Vec<u8> {
        let byte = |position: usize| u8::try_from(position / CHUNK % 251).unwrap();
        (0..bytes).map(byte).collect()
    }

    #[tokio::test]
    async fn parts_are_whole_and_in_order_and_the_rest_stays() {
        for bytes in [0, 1, PART_BYTES, PART_BYTES + 1, 3 * PART_BYTES + 12_345] {
            let (mut parts, count, mut got) = (Parts::new(), Arc::default(), Vec::new());
            let written = parts.write(written(bytes, &count), async |part: Bytes| {
                assert_eq!(part.len(), PART_BYTES);
                got.extend_from_slice(&part);
                Ok(())
            });
            written.await.unwrap().unwrap();
            let last = parts.last();
            assert!(last.len() <= PART_BYTES && (last.is_empty() == (bytes == 0)));
            got.extend_from_slice(&last);
            assert!(got == expected(bytes), "{bytes}");
        }
    }

    #[tokio::test]
    async fn several_writers_after_each_other_share_a_part() {
        let (mut parts, count, mut got) = (Parts::new(), Arc::default(), Vec::new());
        for _ in 0..3 {
            let written = parts.write(written(PART_BYTES / 2, &count), async |part: Bytes| {
                got.push(part);
                Ok(())
            });
            written.await.unwrap().unwrap();
        }
        assert_eq!(got.len(), 1);
        assert_eq!(parts.last().len(), PART_BYTES / 2);
    }

    /// However slow the upload is, the writer is never more than three parts ahead of it.
    #[tokio::test]
    async fn at_most_three_parts_are_in_memory() {
        let (mut parts, count, mut uploaded, mut most) = (Parts::new(), Arc::default(), 0, 0);
        let bytes = 12 * PART_BYTES;
        let written = parts.write(written(bytes, &count), async |part: Bytes| {
            let mut before = usize::MAX;
            // Until the writer stands still.
            while before != count.load(Ordering::SeqCst) {
                before = count.load(Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(40)).await;
            }
            most = most.max(count.load(Ordering::SeqCst) - uploaded);
            uploaded += part.len();
            Ok(())
        });
        written.await.unwrap().unwrap();
        assert_eq!(most, 3 * PART_BYTES);
    }

    #[tokio::test]
    async fn a_failed_upload_ends_the_writer_before_it_is_reported() {
        let (mut parts, count) = (Parts::new(), Arc::default());
        let endless = written(usize::MAX / 2, &count);
        let has_ended = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&has_ended);
        let write = move |out: &mut PartWriter| {
            let failed = endless(out).map_err(|error| error.kind());
            ended.store(failed == Err(io::ErrorKind::BrokenPipe), Ordering::SeqCst);
        };
        let failed = parts
            .write(write, async |_| Err(VersioningError::OutOfTime))
            .await;
        assert!(matches!(failed, Err(VersioningError::OutOfTime)));
        assert!(has_ended.load(Ordering::SeqCst));
        assert!(count.load(Ordering::SeqCst) <= 4 * PART_BYTES);
        let again = parts.write(|_| (), async |_| Ok(())).await;
        assert!(matches!(again, Err(VersioningError::Writing(_))), "{again:?}");
    }

    #[tokio::test]
    async fn an_invocation_that_is_dropped_ends_the_writer() {
        let count = Arc::default();
        let (mut parts, endless) = (Parts::new(), written(usize::MAX / 2, &count));
        let never = parts.write(endless, async |_| std::future::pending().await);
        let waited = tokio::time::timeout(Duration::from_millis(300), never);
        assert!(waited.await.is_err());
        drop(parts);
        let ended = async {
            while Arc::strong_count(&count) > 1 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let ended = tokio::time::timeout(Duration::from_secs(2), ended);
        ended.await.expect("the writer still runs");
    }

    #[tokio::test]
    async fn a_writer_that_panics_is_an_error() {
        let panics = |_: &mut PartWriter| assert_eq!(1, 2, "on purpose");
        let failed = Parts::new().write(panics, async |_| Ok(())).await;
        assert!(matches!(failed, Err(VersioningError::Writing(_))));
    }
}
