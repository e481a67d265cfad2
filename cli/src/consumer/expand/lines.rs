//! The lines of an input, each with a bounded size.

use std::io;

use futures_util::Stream;
use futures_util::stream::try_unfold;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// The largest size of a line, in bytes.
pub(super) const MAX_LINE: usize = 1 << 20;

/// Returns the lines of an input without their line breaks. The last line may lack its line break. Of a longer line only one byte more
/// than [`MAX_LINE`] is read, and no line after it can be read.
pub(super) fn lines<R: AsyncBufRead + Unpin>(input: R) -> impl Stream<Item = io::Result<Vec<u8>>> {
    try_unfold(input, async |mut input| {
        let mut line = Vec::new();
        let most = MAX_LINE as u64 + 1;
        if (&mut input).take(most).read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        Ok(Some((line, input)))
    })
}
