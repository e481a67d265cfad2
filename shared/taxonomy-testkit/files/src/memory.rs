//! The memory that writers take, in programs whose allocator is [`PeakAlloc`].

use std::io::{self, Write};
use std::sync::Mutex;

use peak_alloc::PeakAlloc;

/// Counts bytes instead of keeping them.
#[derive(Debug, Default)]
pub struct Counted(usize);

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
pub fn measured(memory: &PeakAlloc, write: impl FnOnce(&mut Counted)) -> (usize, usize) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock();
    let mut out = Counted::default();
    let before = memory.current_usage();
    memory.reset_peak_usage();
    write(&mut out);
    (memory.peak_usage() - before, out.0)
}
