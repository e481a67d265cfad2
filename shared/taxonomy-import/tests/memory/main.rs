//! The memory of an import is linear in the concepts.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod statements;
mod turtle;

use std::io::{self, Write};
use std::sync::Mutex;

use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Counts bytes instead of keeping them.
#[derive(Default)]
struct Counted(usize);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The maximum number of bytes that are in use at once while something is written, and the bytes written. One at a time, since the peak is the
/// process's.
fn measured(write: impl FnOnce(&mut Counted)) -> (usize, usize) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock();
    let mut out = Counted::default();
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    write(&mut out);
    (MEMORY.peak_usage() - before, out.0)
}
