//! The lines of an input, each with a bounded size.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use tokio::io::AsyncBufRead;

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

/// The lines of an input without their line breaks. The last line may lack its line break. The stream ends after an error.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    line: Vec<u8>,
    is_ended: bool,
}

impl<R> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            line: Vec::new(),
            is_ended: false,
        }
    }
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    /// Reads the next line.
    fn poll_line(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Vec<u8>, LineError>>> {
        loop {
            let input = Pin::new(&mut self.input);
            let bytes = match ready!(input.poll_fill_buf(context)) {
                Ok(bytes) => bytes,
                Err(error) => return Poll::Ready(Some(Err(LineError::Read(error)))),
            };
            if bytes.is_empty() {
                self.is_ended = true;
                let last = std::mem::take(&mut self.line);
                return Poll::Ready((!last.is_empty()).then_some(Ok(last)));
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
            if self.line.len() + part.len() > MAX_LINE {
                return Poll::Ready(Some(Err(LineError::TooLong)));
            }
            self.line.extend_from_slice(part);
            let read = part.len() + usize::from(end.is_some());
            Pin::new(&mut self.input).consume(read);
            if end.is_some() {
                return Poll::Ready(Some(Ok(std::mem::take(&mut self.line))));
            }
        }
    }
}

impl<R: AsyncBufRead + Unpin> Stream for Lines<R> {
    type Item = Result<Vec<u8>, LineError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.is_ended {
            return Poll::Ready(None);
        }
        let line = ready!(self.poll_line(context));
        self.is_ended |= !matches!(line, Some(Ok(_)));
        Poll::Ready(line)
    }
}
