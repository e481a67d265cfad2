//! Stops tokio's clock while an engine works.
//!
//! A call to an engine over HTTP blocks the one thread of a test's runtime for milliseconds instead of microseconds. If that time counted,
//! the requests that wait for the thread would exceed the SDK's time-outs, while real requests, on connections of their own, would not.

use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::time::Instant;

/// Runs a blocking action with the clock of the current runtime stopped. Outside a single-threaded runtime the clock is not stopped.
pub(super) fn frozen<T>(action: impl FnOnce() -> T) -> T {
    let can_pause =
        Handle::try_current().is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::CurrentThread);
    if !can_pause || stands_still() {
        return action();
    }
    tokio::time::pause();
    let outcome = action();
    tokio::time::resume();
    outcome
}

/// Whether a test has already paused the clock.
fn stands_still() -> bool {
    let (tokio, real) = (Instant::now(), std::time::Instant::now());
    while real.elapsed() < Duration::from_micros(1) {
        std::hint::spin_loop();
    }
    Instant::now() == tokio
}
