//! The terms that a text mentions.

use serde_json::json;
use taxonomy_keys::{CategoryId, Culture, TermId};

use crate::answers::Mentions;
use crate::error::ClientError;
use crate::suggest::Deprecated;
use crate::tenant::Tenant;

/// The longest text of a request, in bytes of UTF-8.
pub const MAX_TEXT_BYTES: usize = 102_400;

/// The most mentions of a response.
const LIMIT: u16 = 500;

/// The names that are looked for in a text.
#[derive(Debug, Clone, Default)]
pub struct MentionOptions {
    /// The culture of the names in the answer; by default the tenant's.
    pub culture: Option<Culture>,
    /// The cultures whose names are looked for, at most five; by default that of the answer.
    pub cultures: Vec<Culture>,
    /// Only terms of this category.
    pub category: Option<CategoryId>,
    /// Only terms below this term; not beside `category`.
    pub below: Option<TermId>,
    /// Whether deprecated terms are found.
    pub deprecated: Deprecated,
}

impl Tenant {
    /// Returns the terms that a text of at most [`MAX_TEXT_BYTES`] mentions, in the order of the text. Where they do not fit into one response, further
    /// requests for the same version follow.
    ///
    /// # Errors
    /// [`ClientError`]; the service refuses a longer text with `body-too-large`.
    pub async fn mentions(&self, text: &str, options: &MentionOptions) -> Result<Mentions, ClientError> {
        let mut mentions = self.mentions_from(text, options, 0, None).await?;
        while let Some(from) = mentions.next {
            let version = mentions.version.to_string();
            let page = self.mentions_from(text, options, from, Some(&version)).await?;
            mentions.items.extend(page.items);
            mentions.next = page.next;
        }
        Ok(mentions)
    }

    /// Requests the mentions from a place on.
    async fn mentions_from(
        &self,
        text: &str,
        options: &MentionOptions,
        from: u32,
        version: Option<&str>,
    ) -> Result<Mentions, ClientError> {
        let below = options.below.map(|id| id.to_string());
        let target = self
            .target("/terms:extract")
            .culture(options.culture.as_ref())
            .limit(Some(LIMIT))
            .category(options.category)
            .parameter("below", below.as_deref())
            .parameter("deprecated", options.deprecated.value())
            .parameter("version", version);
        let body = json!({"text": text, "cultures": options.cultures, "from": from});
        let page: Mentions = self.client().post(target.clone(), &body).await?;
        match page.next.is_some_and(|next| next <= from) {
            true => Err(ClientError::Malformed {
                path: target.path().to_owned(),
                place: "/next does not go on".to_owned(),
            }),
            false => Ok(page),
        }
    }
}
