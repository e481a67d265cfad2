//! The resident memory of this process, and the time of the processor that it took.

use std::fs;
use std::time::Duration;

use crate::failure::Failure;

/// Returns the most memory that was resident since the start or the last [`reset_peak`], in bytes: `VmHWM` of proc(5).
pub fn peak() -> Result<u64, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB"));
    let kilobytes: u64 = kilobytes
        .ok_or("the system does not report VmHWM")?
        .trim()
        .parse()?;
    Ok(kilobytes * 1024)
}

/// Returns the time that the main thread, the only one of a function, was on a processor: `schedstat` of proc(5). Other programs of the
/// machine do not change it much.
pub fn processor_time() -> Result<Duration, Failure> {
    let text = fs::read_to_string("/proc/self/schedstat")?;
    let nanoseconds = text
        .split_whitespace()
        .next()
        .ok_or("the system does not report times")?;
    Ok(Duration::from_nanos(nanoseconds.parse()?))
}

/// Makes the memory that is resident now the peak: `clear_refs` of proc(5).
pub fn reset_peak() -> Result<(), Failure> {
    Ok(fs::write("/proc/self/clear_refs", "5")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MORE: u64 = 64 << 20;

    #[test]
    fn the_time_of_the_processor_grows() {
        // Tests run in threads of their own, of which the main thread only waits, so this shows the form alone.
        assert!(processor_time().unwrap() < Duration::from_secs(3600));
    }

    #[test]
    fn the_peak_outlives_the_memory_until_it_is_reset() {
        let before = peak().unwrap();
        drop(std::hint::black_box(vec![1_u8; usize::try_from(MORE).unwrap()]));
        assert!(peak().unwrap() >= before.max(MORE));
        reset_peak().unwrap();
        assert!(peak().unwrap() < before + MORE);
    }
}
