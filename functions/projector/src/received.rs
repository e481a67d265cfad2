//! A message as a queue delivered it.

/// A message of the download queue.
pub(crate) struct Received<'a> {
    pub(crate) body: &'a str,
    /// The number of receives, this one included.
    pub(crate) receives: u64,
    /// The time at which it was sent, in epoch milliseconds.
    pub(crate) sent: Option<u64>,
}
