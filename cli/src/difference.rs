//! The difference between two taxonomies, as `plan` and `diff` show it. Its JSON form: docs/decisions/0013-command-line.md.

mod human;

use std::fmt::Write as _;
use std::io;

use serde::Serialize;
use taxonomy_keys::TenantId;
use taxonomy_model::operations::{self, Operation};
use taxonomy_model::units::{self, Cost};
use taxonomy_model::{ChangedIdentifier, Changes, NodeId, Taxonomy, changed_identifiers};
use taxonomy_store::RemovalLimit;

use crate::failure::Failure;
use crate::output::{WARNING, counted, grouped, printable_lines};
pub(crate) use human::write as write_human;

/// A tenant id for estimates where none is given: a GUID, the length that most tenant ids have.
const ANY_TENANT: &str = "00000000-0000-0000-0000-000000000000";

/// Returns `tenant`, or a placeholder id where it is `None`.
///
/// # Errors
/// Never: the placeholder is a valid id.
pub(crate) fn tenant_or_any(tenant: Option<&TenantId>) -> Result<TenantId, Failure> {
    match tenant {
        Some(tenant) => Ok(tenant.clone()),
        None => ANY_TENANT
            .parse()
            .map_err(|error| Failure::Usage(format!("{ANY_TENANT}: {error}"))),
    }
}

/// The difference between two taxonomies.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaxonomyDifference {
    /// Every operation; destructive operations come last.
    operations: Vec<Operation>,
    terms: ChangedTerms,
    /// The number of terms in both taxonomies whose FinalName differs in any culture.
    changed_final_names: u64,
    /// The ids that name another concept of their source.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) changed_identifiers: Vec<ChangedIdentifier>,
    /// The writes of the projection.
    writes: Cost,
    /// Whether the service would refuse the removals.
    pub(crate) exceeds_removal_limit: bool,
}

/// The number of terms by kind of change.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct ChangedTerms {
    pub(crate) added: u64,
    /// Terms that are renamed, moved, deprecated or reinstated, or have another changed field.
    pub(crate) changed: u64,
    renamed: u64,
    moved: u64,
    deprecated: u64,
    reinstated: u64,
    pub(crate) removed: u64,
}

impl From<&Changes> for ChangedTerms {
    fn from(changes: &Changes) -> Self {
        Self {
            added: changes.added,
            changed: changes.changed,
            renamed: changes.renamed,
            moved: changes.moved,
            deprecated: changes.deprecated,
            reinstated: changes.restored,
            removed: changes.removed,
        }
    }
}

/// The ids that are listed in a message.
const LISTED: usize = 5;

/// Says which ids name another concept of their source. None if there are none.
pub(crate) fn other_concepts(changed: &[ChangedIdentifier]) -> Option<String> {
    let number = counted(changed.len() as u64, "id");
    let mut text = match changed {
        [] => return None,
        [_] => format!("{number} names another concept of its source than before"),
        _ => format!("{number} name another concept of their source than before"),
    };
    for ChangedIdentifier {
        node,
        name,
        scheme,
        from,
        to,
    } in changed.iter().take(LISTED)
    {
        let (NodeId::Category(id) | NodeId::Term(id)) = node;
        // Writing to a text does not fail.
        let _ = write!(text, "\n{name} ({id}): {from} -> {to} of {scheme}");
    }
    let further = changed.len().saturating_sub(LISTED) as u64;
    if further > 0 {
        let _ = write!(text, "\nand {} more", grouped(further));
    }
    Some(text)
}

/// The next step where ids name another concept.
pub(crate) const KEEP_IDS: &str = "That is right where the source numbered its concepts anew. If it did not, import again with the id map of the release before (`--ids`).";

/// Warns of ids that name another concept of their source.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn warn_of_other_concepts(
    out: &mut impl io::Write,
    changed: &[ChangedIdentifier],
) -> io::Result<()> {
    match other_concepts(changed) {
        Some(text) => writeln!(
            out,
            "{WARNING}warning{WARNING:#}: {}\n       {KEEP_IDS}",
            printable_lines(&text)
        ),
        None => Ok(()),
    }
}

impl TaxonomyDifference {
    /// Compares two taxonomies. `tenant` is part of each item whose size is estimated; `limit` is the removal limit of an upload.
    pub(crate) fn between(
        old: Option<&Taxonomy>,
        new: &Taxonomy,
        tenant: &TenantId,
        limit: Option<RemovalLimit>,
    ) -> Self {
        let changes = Changes::between(old, new);
        let had = old.map_or(0, |old| old.terms().len() as u64);
        Self {
            operations: operations::between(old, new),
            terms: ChangedTerms::from(&changes),
            changed_final_names: old.map_or(0, |old| operations::changed_final_names(old, new)),
            changed_identifiers: old.map_or_else(Vec::new, |old| changed_identifiers(old, new)),
            writes: units::cost(tenant, old, new, 1),
            exceeds_removal_limit: limit.is_some_and(|limit| limit.is_exceeded(had, &changes)),
        }
    }

    /// Returns whether the difference has no operation.
    pub(crate) fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }
}
