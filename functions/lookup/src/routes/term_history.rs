//! The history of a term: each version that changed it, the newest first. `changedIn` leads from file to file
//! (docs/decisions/0021-changes.md).

use serde::Serialize;
use taxonomy_api::Provenance as ProvenanceSchema;
use taxonomy_index::Row;
use taxonomy_keys::{TermId, Version};
use taxonomy_model::{ChangeKind, Provenance};
use utoipa::ToSchema;

use crate::files::{FileNode, VersionFile};
use crate::request::Request;
use crate::request::parameters::{MAX_HISTORY_LIMIT, path_id};
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::response::rfc3339::rfc3339;
use crate::routes::missing;
use crate::routes::route::Route;
use crate::routes::states::{ChangeOperation, NodeState};
use crate::snapshot::Snapshot;

pub(crate) const HISTORY: Route = Route::get("/v1/tenants/{tenant}/terms/{id}/history", |request| {
    Box::pin(history(request))
});

/// A page of the versions that changed a term, the newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TermHistory {
    /// The versions of this page. A page may have fewer than `limit` and still be followed by another.
    items: Vec<TermVersion>,
    /// The cursor of the next page, for the parameter `cursor`; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// A version that changed a term.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TermVersion {
    /// The version.
    version: u64,
    /// The time at which it was committed.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    committed_at: String,
    /// The provenance of the version, if its uploader or operator gave any.
    #[serde(skip_serializing_if = "Provenance::is_empty")]
    #[schema(value_type = Option<ProvenanceSchema<'static>>)]
    provenance: Provenance,
    /// The kinds of the change; at least one.
    #[schema(value_type = Vec<ChangeOperation>)]
    operations: Vec<ChangeKind>,
    /// With `changed`: the fields that differ beside names, place and `deprecated`, by their names in the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<String>,
    /// The state in the version before; absent where this version added the term.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    before: Option<NodeState>,
    /// The state in this version; with `removed` where it removed the term.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    after: Option<NodeState>,
}

/// The history of a term
///
/// Each version that changed the term, the newest first, with the term before and after. A version that changed the FinalName alone, by a new
/// name of the category or a new default culture, is an entry as well.
#[utoipa::path(
    get, path = HISTORY.path, operation_id = "getTermHistory", tag = "terms",
    params(
        ("id" = u64, Path, description = "The term", maximum = 9007199254740991u64),
        ("include" = Option<String>, Query), ("culture" = Option<String>, Query), ("cursor" = Option<String>, Query),
        ("limit" = Option<u16>, Query, description = "The number of versions on a page; 10 where it is left out", minimum = 1, maximum = 20),
    ),
    responses((status = 200, description = "A page", body = TermHistory), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn history(request: &Request<'_>) -> Result<Answer, Problem> {
    let id: TermId = path_id(request.id)?;
    let limit = request.query.history_limit()?;
    let list = format!("history:{id}");
    let (before, start) = request.position(&list, |text| text.parse().ok().and_then(Version::new))?;
    let snapshot = request.snapshot(before).await?;
    if let Some(unchanged) = request.known(&snapshot.tag()) {
        return Ok(unchanged);
    }
    let newest = snapshot.version();
    let from = start.map_or(newest, |start| start.min(newest));
    let walk = HistoryWalk {
        snapshot: &snapshot,
        id,
        has_places: request.query.places()?,
    };
    let Some((items, next)) = walk.page(from, limit).await? else {
        // The page of a cursor begins at a version that has the term.
        return Err(match start {
            Some(_) => Problem::foreign_cursor(),
            None => missing::term(&snapshot, id).await,
        });
    };
    let body = TermHistory {
        items,
        next_cursor: request.next_cursor(&list, &snapshot, next),
    };
    let states = body
        .items
        .iter()
        .flat_map(|item| [&item.before, &item.after])
        .flatten();
    let answer = Answer::json(&body)?.in_languages(states.map(|state| state.culture.as_str()));
    Ok(answer.tagged(&snapshot.tag()).followed_by(body.next_cursor))
}

/// The maximum number of versions that a page looks at, each of which is a file to read. One that changed nothing visible is no entry.
const MOST_VERSIONS: u16 = 2 * MAX_HISTORY_LIMIT;

/// The entries of a page, and the version where the next one begins.
type HistoryPage = (Vec<TermVersion>, Option<Version>);

/// A walk from a term's last change to its first.
struct HistoryWalk<'a, 'w> {
    snapshot: &'a Snapshot<'w>,
    id: TermId,
    /// Whether the states have the names of what is above the term.
    has_places: bool,
}

/// The term in the file of a version.
struct TermAtVersion<'w> {
    version: Version,
    file: VersionFile<'w>,
    /// The versions that first had it and that changed it last.
    row: Row,
    node: FileNode,
}

impl<'w> HistoryWalk<'_, 'w> {
    /// Returns the entries of at most `limit` versions, from the last change up to version `start` on, and the version where the next page begins.
    /// None if that version has no such term.
    async fn page(&self, start: Version, limit: u16) -> Result<Option<HistoryPage>, Problem> {
        let mut items = Vec::with_capacity(limit.into());
        let Some(mut now) = self.at_version(start).await? else {
            return Ok(None);
        };
        // The first version of a term is always an entry, so no page but the last ends without one before.
        for _ in 0..MOST_VERSIONS {
            let before = self.before(&now).await?;
            items.extend(self.entry(&now, before.as_ref()).await?);
            match before {
                None => return Ok(Some((items, None))),
                Some(before) => now = before,
            }
            if items.len() == usize::from(limit) {
                break;
            }
        }
        Ok(Some((items, Some(now.version))))
    }

    /// Returns the term in a version; none if no version up to it had the term.
    async fn at_version(&self, version: Version) -> Result<Option<TermAtVersion<'w>>, Problem> {
        let file = self.snapshot.file_of(version).await?;
        let term = file.known_term(self.id).await?;
        Ok(term.map(|(row, node)| TermAtVersion {
            version,
            file,
            row,
            node,
        }))
    }

    /// Returns the term in the version before its last change; none if that change was its first.
    async fn before(&self, now: &TermAtVersion<'w>) -> Result<Option<TermAtVersion<'w>>, Problem> {
        let changed_in = now.row.changed_in;
        let version = Version::new(changed_in.get() - 1).filter(|_| now.row.created_in < changed_in);
        match version {
            None => Ok(None),
            Some(version) => {
                let lacking = || Problem::internal("a term that is older than the file that has it first");
                self.at_version(version).await?.ok_or_else(lacking).map(Some)
            }
        }
    }

    /// Returns the entry of the last change; none if the states are equal, as when another default culture does not change the FinalName.
    async fn entry(
        &self,
        now: &TermAtVersion<'w>,
        before: Option<&TermAtVersion<'w>>,
    ) -> Result<Option<TermVersion>, Problem> {
        let change = FileNode::change(before.map(|before| &before.node), Some(&now.node));
        if change.is_empty() {
            return Ok(None);
        }
        let changed_in = now.row.changed_in;
        let entry = self.snapshot.entry(changed_in).await?;
        let before = before.and_then(|before| self.state(before));
        let after = match now.node.is_live() {
            true => self.state_at(now, changed_in).await?,
            false => before.as_ref().map(NodeState::removed),
        };
        Ok(Some(TermVersion {
            version: changed_in.get(),
            committed_at: rfc3339(entry.committed_at)?,
            provenance: entry.provenance,
            operations: change.kinds,
            fields: change.fields,
            before,
            after,
        }))
    }

    /// Returns the state in a version, given a later one up to which the term did not change. The two are equal in the default culture alone: in
    /// another one the name of the category, or the fallback chain, may have changed since, and so may names above the term in any culture: then the
    /// file of the version itself is read.
    async fn state_at(
        &self,
        now: &TermAtVersion<'w>,
        version: Version,
    ) -> Result<Option<NodeState>, Problem> {
        let is_default = self.snapshot.language().culture().is_none();
        let is_same = now.version == version || (is_default && !self.has_places);
        match is_same {
            true => Ok(self.state(now)),
            false => {
                let then = self.at_version(version).await?;
                Ok(then.and_then(|then| self.state(&then)))
            }
        }
    }

    fn state(&self, at_version: &TermAtVersion<'_>) -> Option<NodeState> {
        let order = self.snapshot.order_in(&at_version.file);
        let state = NodeState::new(&at_version.node, &order)?;
        Some(match self.has_places {
            true => state.placed(&at_version.node, &order),
            false => state,
        })
    }
}
