//! The headers of a request: the culture and the encoding that the caller accepts, and the entity tags that it holds.
//!
//! A request without `culture=` is answered in the culture that `Accept-Language` chooses from those of the tenant. The choice needs the head
//! alone, so a conditional request is still answered from the head.

use std::sync::{Mutex, PoisonError};

use taxonomy_keys::Culture;
use taxonomy_runtime::http::Accepted;

use crate::request::event::Headers;
use crate::request::language;
use crate::response::etag::Tags;
use crate::response::prepared::Key;
use crate::response::reply::{Reply, Vary};
use crate::snapshot::edition::Edition;

/// One attempt to answer a request: its headers, and the findings of the handler.
#[derive(Debug)]
pub(crate) struct Negotiation<'e> {
    headers: &'e Headers,
    pub(crate) accepted: Accepted,
    found: Mutex<Found>,
}

#[derive(Debug, Default)]
struct Found {
    /// Whether the response depends on `Accept-Language`.
    by_language: bool,
    /// The culture that `Accept-Language` chose.
    chosen: Option<Culture>,
    /// The cursor of the next page.
    next_cursor: Option<String>,
    /// The key under which the response may be kept.
    key: Option<Key>,
}

impl<'e> Negotiation<'e> {
    pub(crate) fn new(headers: &'e Headers) -> Self {
        Self {
            headers,
            accepted: Accepted::by(headers.accept_encoding.as_deref()),
            found: Mutex::default(),
        }
    }

    fn with<T>(&self, change: impl FnOnce(&mut Found) -> T) -> T {
        change(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Records whether the response depends on `Accept-Language`.
    pub(crate) fn depend_on_language(&self, depends: bool) {
        self.with(|found| found.by_language = depends);
    }

    /// Chooses the culture of a response that depends on `Accept-Language`. If the default culture is chosen, the response is that to a request
    /// without the header, except while the default culture changes.
    pub(crate) fn choose(&self, cultures: &[Culture], default_culture: &Culture) -> Option<Culture> {
        let header = self.headers.accept_language.as_deref()?;
        if !self.with(|found| found.by_language) {
            return None;
        }
        let chosen = language::choose(header, cultures).filter(|culture| default_culture != culture);
        self.with(|found| found.chosen.clone_from(&chosen));
        chosen
    }

    /// Returns the tags of the response to a request for an edition; none without a tag.
    pub(crate) fn tags(&self, edition: &Edition) -> Option<Tags> {
        let view = edition.tag.as_deref()?;
        Some(self.with(|found| Tags::new(view, found.chosen.as_ref())))
    }

    /// Returns a 304 reply if the caller has the response with one of these tags.
    pub(crate) fn unchanged(&self, tags: &Tags) -> Option<Reply> {
        let if_none_match = self.headers.if_none_match.as_deref()?;
        Some(Reply::unchanged(tags.named_by(if_none_match, self.accepted)?))
    }

    /// Returns the value of `Accept-Encoding`.
    pub(crate) fn accept_encoding(&self) -> Option<&'e str> {
        self.headers.accept_encoding.as_deref()
    }

    /// Records the key under which the response may be kept.
    pub(crate) fn keep_as(&self, key: Option<Key>) {
        self.with(|found| found.key = key);
    }

    /// Records the cursor of the next page for `Link`.
    pub(crate) fn leads_to(&self, next_cursor: &str) {
        self.with(|found| found.next_cursor = Some(next_cursor.to_owned()));
    }

    /// Adds the findings of the handler to its reply.
    pub(crate) fn complete(self, reply: Reply, query: &str) -> Reply {
        let found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let vary = match found.by_language {
            true => Vary::EncodingAndLanguage,
            false => Vary::Encoding,
        };
        let reply = reply.chosen_by(vary, found.chosen).kept_as(found.key);
        match found.next_cursor {
            Some(cursor) => reply.followed_by(query, &cursor),
            None => reply,
        }
    }
}
