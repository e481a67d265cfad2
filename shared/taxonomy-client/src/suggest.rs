//! Search: categories and terms by what people type.

use taxonomy_keys::{CategoryId, Culture, TermId};

use crate::answers::{NodeKind, Suggestions};
use crate::error::ClientError;
use crate::pages::PageRequest;
use crate::target::Target;
use crate::tenant::Tenant;

/// What is searched for. All but the text has a default, which finds everything in the tenant's default culture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SuggestRequest {
    /// What a reader typed: at most 500 characters.
    pub text: String,
    /// The culture of the reader, whose fallback is searched as well.
    pub culture: Option<Culture>,
    /// Whether all other cultures are searched after these.
    pub all_cultures: bool,
    /// Categories alone, or terms alone.
    pub kind: Option<NodeKind>,
    /// Only terms of this category; not beside `below`.
    pub category: Option<CategoryId>,
    /// Only terms below this one.
    pub below: Option<TermId>,
    /// Only so many levels below the category or the term, or without either below the categories.
    pub depth: Option<u8>,
    /// Only what has no name in exactly this culture.
    pub missing: Option<Culture>,
    /// Whether deprecated nodes are found.
    pub deprecated: Deprecated,
    /// Whether everything is counted, which takes longer for a few letters.
    pub exact_total: bool,
    /// Whether the first page has the number of hits of each value of each filter.
    pub facet_totals: bool,
}

/// Which nodes are found by their state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Deprecated {
    /// All.
    #[default]
    Include,
    /// Those for new use.
    Exclude,
    /// Those that are deprecated.
    Only,
}

impl Deprecated {
    /// Returns the value of the parameter; none for what is the case without it.
    pub(crate) fn value(self) -> Option<&'static str> {
        match self {
            Self::Include => None,
            Self::Exclude => Some("exclude"),
            Self::Only => Some("only"),
        }
    }
}

impl Tenant {
    /// Searches names, alternative names, codes and ids: one page, the best first. The maximum number of its items is 50, the service's default 10.
    ///
    /// # Errors
    /// [`ClientError::is_not_found`] for a category or a term that no version had.
    pub async fn suggest(
        &self,
        wanted: &SuggestRequest,
        page: &PageRequest,
    ) -> Result<Suggestions, ClientError> {
        let target = self.target("/suggest").suggest(wanted);
        let target = target.limit(page.limit).cursor(page.cursor.as_ref());
        self.client().get(target).await
    }
}

impl Target {
    fn suggest(self, wanted: &SuggestRequest) -> Self {
        let kind = wanted.kind.map(|kind| match kind {
            NodeKind::Category => "category",
            NodeKind::Term => "term",
        });
        self.parameter("q", Some(&wanted.text))
            .culture(wanted.culture.as_ref())
            .parameter("cultures", wanted.all_cultures.then_some("all"))
            .parameter("kind", kind)
            .category(wanted.category)
            .parameter("below", wanted.below.map(|id| id.to_string()).as_deref())
            .parameter("depth", wanted.depth.map(|depth| depth.to_string()).as_deref())
            .parameter("missing", wanted.missing.as_ref().map(Culture::as_str))
            .parameter("deprecated", wanted.deprecated.value())
            .parameter("total", wanted.exact_total.then_some("exact"))
            .parameter("counts", wanted.facet_totals.then_some("facets"))
    }
}
