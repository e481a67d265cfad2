//! The client of one tenant.

use serde_json::json;
use taxonomy_keys::{CategoryId, Culture, TenantId, TermId};

use crate::answers::{
    BatchItem, Category, CategoryStats, Child, Gap, GapsPage, Head, ListedCategory, OfBatch, TenantStats,
    Term, Terms,
};
use crate::client::Client;
use crate::error::ClientError;
use crate::pages::{Items, Page, PageRequest, items};
use crate::target::Target;

/// The maximum number of distinct ids of one request.
pub const MAX_IDS: usize = 100;

/// The client of one tenant. Cheap to clone. Without a culture the service answers in the tenant's default culture.
#[derive(Debug, Clone)]
pub struct Tenant {
    client: Client,
    id: TenantId,
    all_names: bool,
    related: bool,
    all_parents: bool,
}

impl Client {
    /// Returns the client of one tenant.
    pub fn tenant(&self, tenant: TenantId) -> Tenant {
        Tenant {
            client: self.clone(),
            id: tenant,
            all_names: false,
            related: false,
            all_parents: false,
        }
    }
}

impl Tenant {
    /// Returns the id of the tenant.
    pub fn id(&self) -> &TenantId {
        &self.id
    }

    /// Returns the same client, whose terms and categories, single ones and those of lists and batches, have their names in every culture.
    #[must_use]
    pub fn with_all_names(self) -> Self {
        Self {
            all_names: true,
            ..self
        }
    }

    /// Returns the same client, whose single terms have what they are related to within the tenant.
    #[must_use]
    pub fn with_related(self) -> Self {
        Self {
            related: true,
            ..self
        }
    }

    /// Returns the same client, whose children of a term are those by any of their parents: second parents are relations.
    #[must_use]
    pub fn with_all_parents(self) -> Self {
        Self {
            all_parents: true,
            ..self
        }
    }

    /// Returns the client of all tenants.
    pub fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn target(&self, rest: &str) -> Target {
        Target::of_tenant(&self.client.0.transport.api, &self.id, rest)
    }

    fn named_target(&self, rest: &str, culture: Option<&Culture>) -> Target {
        self.target(rest).culture(culture).names(self.all_names)
    }

    /// Returns the versions, cultures and totals of the tenant.
    ///
    /// # Errors
    /// [`ClientError`], as of every method here.
    pub async fn head(&self) -> Result<Head, ClientError> {
        self.client.get(self.target("")).await
    }

    /// Returns a term with its category and all its ancestors. A term that was removed is still found, with `removed` set.
    ///
    /// # Errors
    /// [`ClientError::is_not_found`] for a term that no version had.
    pub async fn term(&self, id: TermId, culture: Option<&Culture>) -> Result<Term, ClientError> {
        let target = self.named_target(&format!("/terms/{id}"), culture);
        let target = target.parameter("include", self.related.then_some("related"));
        self.client.get(target).await
    }

    /// Returns up to [`MAX_IDS`] terms with one request: an item for each id, in the given order. If they do not fit into one response, two
    /// requests for half of them each follow, and so on. No ids cost no request, and an id that is
    /// given twice is requested once.
    ///
    /// # Errors
    /// [`ClientError::TooManyIds`] for more distinct ids, before anything is sent.
    pub async fn terms(&self, ids: &[TermId], culture: Option<&Culture>) -> Result<Terms, ClientError> {
        self.batch(ids, culture).await
    }

    /// The items of [`terms`](Self::terms) with the members of `T`.
    pub(crate) async fn batch<T: OfBatch>(
        &self,
        ids: &[TermId],
        culture: Option<&Culture>,
    ) -> Result<Terms<T>, ClientError> {
        let mut asked = ids.to_vec();
        asked.sort_unstable();
        asked.dedup();
        if asked.len() > MAX_IDS {
            return Err(ClientError::TooManyIds { given: asked.len() });
        }
        if asked.is_empty() {
            return Ok(Terms { items: Vec::new() });
        }
        let answer = self.batch_in_parts(&asked, culture).await?;
        if asked == ids {
            return Ok(answer);
        }
        let item = |id| {
            asked
                .binary_search(id)
                .ok()
                .map(|place| answer.items[place].clone())
        };
        Ok(Terms {
            items: ids.iter().filter_map(item).collect(),
        })
    }

    /// Requests a batch, in halves if the response to all of it would be too large.
    async fn batch_in_parts<T: OfBatch>(
        &self,
        ids: &[TermId],
        culture: Option<&Culture>,
    ) -> Result<Terms<T>, ClientError> {
        match self.ask_for_batch(ids, culture).await {
            Ok((target, answer)) => {
                check_batch(&target, ids, &answer)?;
                Ok(answer)
            }
            Err(error) if ids.len() > 1 && is_too_large(&error) => {
                let (first, second) = ids.split_at(ids.len() / 2);
                let mut answer = Box::pin(self.batch_in_parts(first, culture)).await?;
                let rest = Box::pin(self.batch_in_parts(second, culture)).await?;
                answer.items.extend(rest.items);
                Ok(answer)
            }
            Err(error) => Err(error),
        }
    }

    /// By GET where answers are cached: the ids are sorted, so one set of ids is one cached answer. Else by POST, which keeps them out
    /// of access logs.
    async fn ask_for_batch<T: OfBatch>(
        &self,
        ids: &[TermId],
        culture: Option<&Culture>,
    ) -> Result<(Target, Terms<T>), ClientError> {
        if self.client.0.cache.is_on() {
            let target = self.named_target("/terms", culture).fields(T::FIELDS).ids(ids);
            return Ok((target.clone(), self.client.get(target).await?));
        }
        let target = self.named_target("/terms:batchGet", culture);
        let target = target.fields(T::FIELDS);
        let answer = self.client.post(target.clone(), &json!({ "ids": ids })).await?;
        Ok((target, answer))
    }

    /// The children of a term in the order of siblings, over all pages. Needs `TryStreamExt` or `StreamExt` of `futures-util`.
    pub fn children(&self, id: TermId, culture: Option<&Culture>) -> Items<Child> {
        items(self.client.clone(), self.children_target(id, culture))
    }

    /// One page of the children of a term.
    ///
    /// # Errors
    /// [`ClientError::is_not_found`] for a term that no version had.
    pub async fn children_page(
        &self,
        id: TermId,
        culture: Option<&Culture>,
        page: &PageRequest,
    ) -> Result<Page<Child>, ClientError> {
        self.client.page(self.children_target(id, culture), page).await
    }

    fn children_target(&self, id: TermId, culture: Option<&Culture>) -> Target {
        let target = self.named_target(&format!("/terms/{id}/children"), culture);
        target.parameter("parents", self.all_parents.then_some("all"))
    }

    /// The categories in their order, over all pages. Needs `TryStreamExt` or `StreamExt` of `futures-util`.
    pub fn categories(&self, culture: Option<&Culture>) -> Items<ListedCategory> {
        items(self.client.clone(), self.categories_target(culture))
    }

    /// One page of the categories.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn categories_page(
        &self,
        culture: Option<&Culture>,
        page: &PageRequest,
    ) -> Result<Page<ListedCategory>, ClientError> {
        self.client.page(self.categories_target(culture), page).await
    }

    fn categories_target(&self, culture: Option<&Culture>) -> Target {
        self.named_target("/categories", culture)
    }

    /// The categories and terms without a name in exactly this culture, of a category or of all, over all pages: categories, then terms in the
    /// order of the tree. Needs `TryStreamExt` or `StreamExt` of `futures-util`.
    pub fn gaps(&self, culture: &Culture, category: Option<CategoryId>) -> Items<Gap> {
        items(self.client.clone(), self.gaps_target(culture, category))
    }

    /// One page of them, with their total number.
    ///
    /// # Errors
    /// [`ClientError::is_not_found`] for a category that no version had.
    pub async fn gaps_page(
        &self,
        culture: &Culture,
        category: Option<CategoryId>,
        page: &PageRequest,
    ) -> Result<GapsPage, ClientError> {
        let target = self.gaps_target(culture, category);
        self.client
            .get(target.limit(page.limit).cursor(page.cursor.as_ref()))
            .await
    }

    fn gaps_target(&self, culture: &Culture, category: Option<CategoryId>) -> Target {
        self.named_target("/gaps", Some(culture)).category(category)
    }

    /// A category.
    ///
    /// # Errors
    /// [`ClientError::is_not_found`] for a category that no version had.
    pub async fn category(&self, id: CategoryId, culture: Option<&Culture>) -> Result<Category, ClientError> {
        let target = self.named_target(&format!("/categories/{id}"), culture);
        self.client.get(target).await
    }

    /// The counts of the tenant, and its activity by month.
    ///
    /// # Errors
    /// [`ClientError::is_not_found`] until the first version is counted.
    pub async fn stats(&self) -> Result<TenantStats, ClientError> {
        self.client.get(self.target("/stats")).await
    }

    /// The counts of a category.
    ///
    /// # Errors
    /// [`ClientError::is_not_found`] for a category that was never counted.
    pub async fn category_stats(&self, id: CategoryId) -> Result<CategoryStats, ClientError> {
        self.client
            .get(self.target(&format!("/categories/{id}/stats")))
            .await
    }
}

/// Returns whether the problem is that the response is larger than Lambda returns.
fn is_too_large(error: &ClientError) -> bool {
    error
        .problem()
        .is_some_and(|problem| problem.code() == "answer-too-large")
}

/// Refuses a batch whose items are not exactly the requested ones: a caller would use the name of another term.
fn check_batch<T: OfBatch>(target: &Target, asked: &[TermId], answer: &Terms<T>) -> Result<(), ClientError> {
    let is_answer = |(item, id): (&BatchItem<T>, &TermId)| {
        let is_right = match (&item.term, &item.problem) {
            (Some(term), None) => item.status == 200 && term.id() == *id,
            (None, Some(_)) => item.status != 200,
            _ => false,
        };
        item.id == *id && is_right
    };
    let mut pairs = answer.items.iter().zip(asked);
    let wrong = match pairs.position(|pair| !is_answer(pair)) {
        Some(place) => Some(place),
        None => (answer.items.len() != asked.len()).then(|| answer.items.len().min(asked.len())),
    };
    match wrong {
        None => Ok(()),
        Some(place) => Err(ClientError::Malformed {
            path: target.path().to_owned(),
            place: format!("/items/{place} does not answer the id asked for"),
        }),
    }
}
