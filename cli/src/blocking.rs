//! Runs blocking work (files, prompts, validation) outside the one thread of the runtime, so that Ctrl-C and other requests are still
//! handled.

use crate::failure::Failure;

/// Runs `work` on a blocking thread and waits for its result.
///
/// # Errors
/// The error of `work`.
pub(crate) async fn run<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    #[expect(clippy::disallowed_methods, reason = "the work ends with the process")]
    let work = tokio::task::spawn_blocking(work);
    match work.await {
        Ok(done) => done,
        Err(panicked) => Err(Failure::Stack(panicked.to_string())),
    }
}
