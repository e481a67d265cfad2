//! What a term is related to within the tenant, for `include=related`.

use taxonomy_api::{NodeKind, RelatedNode};
use taxonomy_keys::{Culture, TermId};
use taxonomy_model::RelationType;

use crate::cache::entry::Beside;
use crate::files::FileNode;
use crate::response::problem::Problem;
use crate::routes::details::relation_type;
use crate::routes::states::NodeState;
use crate::snapshot::Snapshot;

/// The maximum number of others with a relation to the term that are looked at.
const MOST: usize = 100;

/// Adds what a term is related to.
pub(crate) async fn beside<'b>(
    snapshot: &Snapshot<'_>,
    id: TermId,
    beside: Beside<'b>,
) -> Result<Beside<'b>, Problem> {
    let order = snapshot.order();
    let found = snapshot.file().await?.related_to(id, MOST).await?;
    let related = found.nodes.iter();
    let related = related.filter_map(|(kind, node)| related_node(*kind, node, &order));
    Ok(Beside {
        related: Some(related.collect()),
        related_truncated: found.truncated,
        ..beside
    })
}

fn related_node(relation: RelationType, node: &FileNode, order: &[Culture]) -> Option<RelatedNode<'static>> {
    let (kind, id) = match (node.term(), node.category()) {
        (Some(term), _) => (NodeKind::Term, term.id().get()),
        (None, category) => (NodeKind::Category, category?.id().get()),
    };
    let state = NodeState::new(node, order)?;
    Some(RelatedNode {
        relation: relation_type(relation),
        kind,
        id,
        name: state.name.into(),
        culture: state.culture.parse().ok()?,
        final_name: state.final_name.map(Into::into),
        category: node.term().map(|term| term.category().id()),
        path: state.path.map(Into::into),
        notation: state.notation.map(Into::into),
        deprecated: state.deprecated,
    })
}
