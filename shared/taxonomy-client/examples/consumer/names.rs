//! The logic of the consumer: events in, events with names out.

use futures_util::stream;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use taxonomy_client::Tenant;
use taxonomy_client::expander::{self, Expander, ExpanderSettings};
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
        let terms = self.categories.iter().flat_map(|category| &category.terms);
        terms.map(|term| term.id)
    }
}

/// Adds the FinalNames of each term and of all its ancestors to each metric, once each.
pub(crate) async fn add(tenant: &Tenant, event: Event) -> Result<Event, lambda_runtime::Error> {
    let input = event.metrics.into_iter().map(|metric| expander::Metric {
        ids: metric.ids().collect(),
        value: metric,
        bytes: 0,
    });
    let source = tenant.names(None);
    let mut expander = Expander::new(&source, stream::iter(input), ExpanderSettings::default());
    let mut metrics = Vec::new();
    while let Some(expanded) = expander.next().await {
        let expanded = expanded?;
        metrics.push(Metric {
            final_names: expanded.names.iter().map(ToString::to_string).collect(),
            unknown_terms: expanded.unknown,
            ..expanded.value
        });
    }
    Ok(Event { metrics })
}
