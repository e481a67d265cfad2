//! The place of a category or a term among its siblings, for `include=place`.

use taxonomy_api::{Place, Sibling};
use taxonomy_index::search::Deprecated;
use taxonomy_keys::Culture;
use taxonomy_model::NodeId;

use crate::cache::entry::Beside;
use crate::files::FileNode;
use crate::response::problem::Problem;
use crate::routes::states::NodeState;
use crate::snapshot::Snapshot;

/// Adds the place of a live category or term; a removed one has none.
pub(crate) async fn beside<'b>(
    snapshot: &Snapshot<'_>,
    id: NodeId,
    deprecated: Deprecated,
    beside: Beside<'b>,
) -> Result<Beside<'b>, Problem> {
    let (file, order) = (snapshot.file().await?, snapshot.order());
    let found = file.place(id, deprecated, file.order_for(&order)).await?;
    let place = found.map(|found| {
        let siblings = found.siblings.as_ref();
        let sibling = |node: Option<&FileNode>| node.and_then(|node| sibling(node, &order));
        Place {
            position: siblings.map(|siblings| siblings.position as u64 + 1),
            siblings: siblings.map(|siblings| siblings.total as u64),
            previous: sibling(siblings.and_then(|siblings| siblings.previous.as_ref())),
            next: sibling(siblings.and_then(|siblings| siblings.next.as_ref())),
            child_count: found.below.children.into(),
            descendant_count: found.below.descendants.into(),
        }
    });
    Ok(Beside { place, ..beside })
}

fn sibling(node: &FileNode, order: &[Culture]) -> Option<Sibling<'static>> {
    let state = NodeState::new(node, order)?;
    Some(Sibling {
        id: node.node_id()?,
        name: state.name.into(),
        culture: state.culture.parse().ok()?,
        notation: state.notation.map(Into::into),
        deprecated: state.deprecated,
    })
}
