//! Work that would keep the one thread of the runtime from Ctrl-C and from other requests: files, questions, validation.

use crate::failure::Failure;

/// Runs `work` on a thread of its own.
///
/// # Errors
/// That of `work`.
pub(crate) async fn run<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(panicked) => Err(Failure::Stack(panicked.to_string())),
    }
}
