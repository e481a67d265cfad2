//! The lines of an input, each with a bounded size.

use std::io;

use futures_util::Stream;
use futures_util::stream::try_unfold;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// The largest size of a line, in bytes.
pub(super) const MAX_LINE: usize = 1 << 20;

/// The reason why a line cannot be read.
#[derive(Debug)]
pub(super) enum LineError {
    /// It has more than [`MAX_LINE`] bytes.
    TooLong,
    /// The input cannot be read.
    Read(io::Error),
}

/// Returns the lines of an input without their line breaks. The last line may lack its line break. The stream ends after an error.
pub(super) fn lines<R: AsyncBufRead + Unpin>(input: R) -> impl Stream<Item = Result<Vec<u8>, LineError>> {
    try_unfold(input, async |mut input| {
        let mut line = Vec::new();
        let most = MAX_LINE as u64 + 1;
        let read = (&mut input).take(most).read_until(b'\n', &mut line).await;
        if read.map_err(LineError::Read)? == 0 {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        match line.len() > MAX_LINE {
            true => Err(LineError::TooLong),
            false => Ok(Some((line, input))),
        }
    })
}
