//! The logic of the consumer: events in, events with names out.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use taxonomy_client::answers::Term;
use taxonomy_client::{ClientError, MAX_IDS, Tenant};
use taxonomy_keys::{CategoryId, TermId};

/// Metrics that name terms by id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Event {
    metrics: Vec<Metric>,
}

/// A metric; fields of the sender's are kept as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metric {
    categories: Vec<Category>,
    #[serde(default)]
    final_names: Vec<String>,
    /// Ids that no version of the taxonomy had.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unknown_terms: Vec<TermId>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Category {
    id: CategoryId,
    terms: Vec<TermOf>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct TermOf {
    id: TermId,
}

impl Metric {
    fn ids(&self) -> impl Iterator<Item = TermId> {
        self.categories
            .iter()
            .flat_map(|category| &category.terms)
            .map(|term| term.id)
    }
}

/// Adds the FinalNames of each term and of all its ancestors to each metric.
pub(crate) async fn add(tenant: &Tenant, event: Event) -> Result<Event, lambda_runtime::Error> {
    let ids: BTreeSet<TermId> = event.metrics.iter().flat_map(Metric::ids).collect();
    let terms = terms(tenant, &ids).await?;
    let metrics = event.metrics.into_iter().map(|metric| named(metric, &terms));
    Ok(Event {
        metrics: metrics.collect(),
    })
}

/// Requests each distinct id once, a hundred in each request.
async fn terms(tenant: &Tenant, ids: &BTreeSet<TermId>) -> Result<HashMap<TermId, Term>, ClientError> {
    let ids: Vec<TermId> = ids.iter().copied().collect();
    let mut terms = HashMap::with_capacity(ids.len());
    for batch in ids.chunks(MAX_IDS) {
        let answer = tenant.terms(batch, None).await?;
        let found = answer
            .items
            .into_iter()
            .filter_map(|item| Some((item.id, item.term?)));
        terms.extend(found);
    }
    Ok(terms)
}

/// The names of a term come before those of its ancestors, and every name comes once.
fn named(metric: Metric, terms: &HashMap<TermId, Term>) -> Metric {
    let (mut final_names, mut unknown_terms) = (Vec::new(), Vec::new());
    for id in metric.ids() {
        let Some(term) = terms.get(&id) else {
            unknown_terms.push(id);
            continue;
        };
        let ancestors = term.ancestors.iter().map(|ancestor| &ancestor.final_name);
        final_names.extend(
            [&term.final_name]
                .into_iter()
                .chain(ancestors)
                .map(ToString::to_string),
        );
    }
    Metric {
        final_names: once_each(final_names),
        unknown_terms: once_each(unknown_terms),
        ..metric
    }
}

/// The same without repetitions, in the order of the first ones.
fn once_each<T: Clone + Eq + Hash>(mut all: Vec<T>) -> Vec<T> {
    let mut seen = HashSet::new();
    all.retain(|one| seen.insert(one.clone()));
    all
}
