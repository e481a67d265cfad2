//! Bodies that arrive slowly, as from an overloaded service.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use http_body::Frame;
use tokio::time::{Sleep, sleep};

/// The number of pieces in which a body arrives.
const PIECES: u32 = 64;

/// Returns a body that arrives in pieces over this time. Each piece has at least one byte, so that the stream never pauses for long.
pub(super) fn body(bytes: Vec<u8>, over: Duration) -> SdkBody {
    let piece = bytes.len().div_ceil(PIECES as usize).max(1);
    let pause = over / PIECES;
    SdkBody::from_body_1_x(Trickle {
        left: Bytes::from(bytes),
        piece,
        pause,
        next: Box::pin(sleep(pause)),
    })
}

struct Trickle {
    left: Bytes,
    piece: usize,
    pause: Duration,
    next: Pin<Box<Sleep>>,
}

impl http_body::Body for Trickle {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.left.is_empty() {
            return Poll::Ready(None);
        }
        std::task::ready!(self.next.as_mut().poll(context));
        self.next = Box::pin(sleep(self.pause));
        let piece = self.piece.min(self.left.len());
        let frame = Frame::data(self.left.split_to(piece));
        Poll::Ready(Some(Ok(frame)))
    }
}
