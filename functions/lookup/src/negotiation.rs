//! The headers of a request: the culture and the form that the caller accepts, and the tags of the answers that it has.
//!
//! A request without `culture=` is answered in the culture that `Accept-Language` chooses out of those of the tenant. The choice needs the
//! head alone, so that a conditional request is still answered from the head.

use std::sync::{Mutex, PoisonError};

use taxonomy_http::Accepted;
use taxonomy_keys::Culture;

use crate::conditional::Tags;
use crate::event::Headers;
use crate::language;
use crate::problem::Problem;
use crate::reply::{Reply, Vary};
use crate::serving::{Edition, Serving};
use crate::world::Asked;

/// One try to answer a request: its headers, and what the handler finds out.
#[derive(Debug)]
pub(crate) struct Negotiation<'e> {
    headers: &'e Headers,
    pub(crate) accepted: Accepted,
    found: Mutex<Found>,
}

#[derive(Debug, Default)]
struct Found {
    /// True for an answer that depends on `Accept-Language`.
    by_language: bool,
    /// The culture that it chose.
    chosen: Option<Culture>,
    /// The cursor of the next page.
    next_cursor: Option<String>,
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

    /// Chooses the culture of an answer that depends on `Accept-Language`. The default culture is no choice: the answer is that to a request
    /// without the header. Only while it changes is it not the same.
    pub(crate) fn choose(&self, serving: &Serving<'_>) -> Option<Culture> {
        let header = self.headers.accept_language.as_deref()?;
        if !self.with(|found| found.by_language) {
            return None;
        }
        let chosen = language::choose(header, serving.cultures())
            .filter(|culture| serving.default_culture() != Some(culture));
        self.with(|found| found.chosen.clone_from(&chosen));
        chosen
    }

    /// The 304 to a request that has the answer already.
    pub(crate) fn unchanged(&self, edition: impl FnOnce() -> Edition) -> Option<Reply> {
        // The tag costs an allocation, so it is built for a request that sends tags alone.
        let if_none_match = self.headers.if_none_match.as_deref()?;
        let edition = edition();
        let tags = Tags::new(
            edition.tag.as_deref()?,
            self.with(|found| found.chosen.clone()).as_ref(),
        );
        let tag = tags.named_by(if_none_match, self.accepted)?;
        Some(Reply::unchanged(tag).of_version(edition.version))
    }

    /// Keeps the cursor of the next page for `Link`.
    pub(crate) fn leads_to(&self, next_cursor: &str) {
        self.with(|found| found.next_cursor = Some(next_cursor.to_owned()));
    }

    /// Completes the reply of the handler by what was found out.
    pub(crate) fn complete(self, reply: Reply, query: &str) -> Reply {
        let found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let vary = match found.by_language {
            true => Vary::EncodingAndLanguage,
            false => Vary::Encoding,
        };
        let reply = reply.chosen_by(vary, found.chosen);
        match found.next_cursor {
            Some(cursor) => reply.followed_by(query, &cursor),
            None => reply,
        }
    }
}

impl Asked<'_> {
    /// The culture of `culture=`. Without one the answer depends on `Accept-Language`.
    ///
    /// # Errors
    /// `invalid-culture` where it is no language tag.
    pub(crate) fn culture(&self) -> Result<Option<Culture>, Problem> {
        let culture = self.query.culture()?;
        self.negotiation
            .with(|found| found.by_language = culture.is_none());
        Ok(culture)
    }
}
