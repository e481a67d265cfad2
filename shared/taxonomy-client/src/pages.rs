//! Lists, page by page or item by item.

use std::collections::HashSet;
use std::fmt;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};

use crate::error::ClientError;

/// The items of a list, over all its pages. An error ends the stream.
pub type Items<T> = BoxStream<'static, Result<T, ClientError>>;

/// The maximum number of items of a page.
pub const MAX_LIMIT: u16 = 100;
/// The maximum number of pages of a list. A taxonomy has at most 1,100,000 nodes, 11,000 full pages.
const MAX_PAGES: usize = 20_000;
/// A cursor has to fit into a URL.
const MAX_CURSOR: usize = 2_048;

/// A page of a list, in the list's order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The items of this page. A page may be empty although another one follows.
    pub items: Vec<T>,
    /// The beginning of the next page; absent after the last one.
    #[serde(default = "no_cursor", skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
}

fn no_cursor() -> Option<Cursor> {
    None
}

/// A place in a list, opaque.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cursor(String);

/// A cursor is empty or longer than the service's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a cursor has 1 to 2048 bytes")]
pub struct InvalidCursor;

impl Cursor {
    /// The text, as the service wrote it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Cursor {
    type Error = InvalidCursor;

    fn try_from(text: String) -> Result<Self, InvalidCursor> {
        let fits = (1..=MAX_CURSOR).contains(&text.len());
        if fits { Ok(Self(text)) } else { Err(InvalidCursor) }
    }
}

impl std::str::FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        Self::try_from(text.to_owned())
    }
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> Self {
        cursor.0
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The page of a list to request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// The maximum number of items, 1 to 100; the service's default is 50.
    pub limit: Option<u16>,
    /// `next_cursor` of the page before; none for the first page.
    pub cursor: Option<Cursor>,
}

/// A list on its way: the next page, and the cursors that were used.
struct Progress<F> {
    fetch: F,
    next: Option<Cursor>,
    seen: HashSet<Cursor>,
    pages: usize,
    is_done: bool,
}

impl<F> Progress<F> {
    /// Records the cursor of the next page.
    fn go_on(&mut self, next: Option<Cursor>) -> Result<(), ClientError> {
        self.pages += 1;
        self.is_done = next.is_none();
        if self.pages >= MAX_PAGES && !self.is_done {
            let reason = "more than 20000 pages";
            return Err(ClientError::EndlessList { reason });
        }
        if let Some(cursor) = &next
            && !self.seen.insert(cursor.clone())
        {
            let reason = "a cursor came twice";
            return Err(ClientError::EndlessList { reason });
        }
        self.next = next;
        Ok(())
    }
}

/// Returns the items of all pages of `fetch`. The next page is requested when the items of the previous one are used up.
pub(crate) fn items<T, F>(fetch: F) -> Items<T>
where
    T: Send + 'static,
    F: Fn(PageRequest) -> BoxFuture<'static, Result<Page<T>, ClientError>> + Send + Sync + 'static,
{
    let start = Progress {
        fetch,
        next: None,
        seen: HashSet::new(),
        pages: 0,
        is_done: false,
    };
    let pages = stream::try_unfold(start, |mut progress| async move {
        if progress.is_done {
            return Ok(None);
        }
        let request = PageRequest {
            limit: Some(MAX_LIMIT),
            cursor: progress.next.take(),
        };
        let page = (progress.fetch)(request).await?;
        progress.go_on(page.next_cursor)?;
        let items = stream::iter(page.items.into_iter().map(Ok));
        Ok::<_, ClientError>(Some((items, progress)))
    });
    pages.try_flatten().boxed()
}
