//! Lists, page by page or item by item.

use std::collections::HashSet;

use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::client::Client;
use crate::error::ClientError;
use crate::target::Target;

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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
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

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> Self {
        cursor.0
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

/// Returns the items of all pages of a list. The next page is requested when the items of the previous one are used up.
pub(crate) fn items<T: DeserializeOwned + Send + 'static>(client: Client, list: Target) -> Items<T> {
    let start = (Some(full_page(None)), HashSet::new());
    let pages = stream::try_unfold(start, move |(next, mut seen)| {
        let (client, list) = (client.clone(), list.clone());
        async move {
            let Some(request) = next else { return Ok(None) };
            let page: Page<T> = client.page(list, &request).await?;
            let next = page.next_cursor.map(|cursor| following(cursor, &mut seen));
            let items = stream::iter(page.items.into_iter().map(Ok));
            Ok::<_, ClientError>(Some((items, (next.transpose()?, seen))))
        }
    });
    pages.try_flatten().boxed()
}

/// Returns the request for the page at a cursor. Each page but the first had one, and `seen` has them all.
fn following(cursor: Cursor, seen: &mut HashSet<Cursor>) -> Result<PageRequest, ClientError> {
    let reason = if seen.len() + 1 >= MAX_PAGES {
        "more than 20000 pages"
    } else if !seen.insert(cursor.clone()) {
        "a cursor came twice"
    } else {
        return Ok(full_page(Some(cursor)));
    };
    Err(ClientError::EndlessList { reason })
}

fn full_page(cursor: Option<Cursor>) -> PageRequest {
    PageRequest {
        limit: Some(MAX_LIMIT),
        cursor,
    }
}
