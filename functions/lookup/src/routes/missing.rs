//! The problem of an id that a version lacks: it says which versions had the id.

use std::collections::HashMap;

use futures_util::{StreamExt, stream};
use taxonomy_api::{Existed, VersionTime};
use taxonomy_keys::{CategoryId, TermId, Version};
use taxonomy_model::NodeId;

use crate::files::Branch;
use crate::response::problem::{Problem, ProblemCode};
use crate::response::rfc3339::rfc3339;
use crate::snapshot::Snapshot;
use crate::snapshot::existence::Lifetime;

/// The maximum number of ids that are looked for concurrently.
const CONCURRENCY: usize = 8;

/// Returns the problem of a term that the version lacks; another one where the file of the served version cannot be read.
pub(crate) async fn term(snapshot: &Snapshot<'_>, id: TermId) -> Problem {
    let problem = problem(snapshot, NodeId::Term(id.get())).await;
    problem.unwrap_or_else(|unread| unread)
}

/// The same for a category.
pub(crate) async fn category(snapshot: &Snapshot<'_>, id: CategoryId) -> Problem {
    let problem = problem(snapshot, NodeId::Category(id.get())).await;
    problem.unwrap_or_else(|unread| unread)
}

/// The same for the term or the category of a list.
pub(crate) async fn branch(snapshot: &Snapshot<'_>, branch: Branch) -> Problem {
    match branch {
        Branch::Category(id) => category(snapshot, id).await,
        Branch::Below(id) => term(snapshot, id).await,
    }
}

/// Returns the problems of several terms that the version lacks.
pub(crate) async fn terms(snapshot: &Snapshot<'_>, ids: Vec<TermId>) -> HashMap<TermId, Problem> {
    let problems = stream::iter(ids).map(async |id| (id, term(snapshot, id).await));
    problems.buffered(CONCURRENCY).collect().await
}

async fn problem(snapshot: &Snapshot<'_>, node: NodeId) -> Result<Problem, Problem> {
    let (code, what) = match node {
        NodeId::Term(_) => (ProblemCode::TermNotFound, "term"),
        NodeId::Category(_) => (ProblemCode::CategoryNotFound, "category"),
    };
    let Some(lifetime) = snapshot.lifetime(node).await? else {
        let detail = format!("No version of this taxonomy has had a {what} with this id.");
        return Ok(Problem::new(code, detail));
    };
    let existed = existed(lifetime)?;
    let version = snapshot.version();
    let from = &existed.from;
    let detail = match &existed.until {
        None => format!("Version {version} has no {what} with this id; {from} added it."),
        Some(until) => {
            format!("Version {version} has no {what} with this id; {from} added it, and {until} removed it.")
        }
    };
    Ok(Problem::new(code, detail).with_existed(existed))
}

fn existed(lifetime: Lifetime) -> Result<Existed, Problem> {
    let at = |(version, committed_at): (Version, u64)| {
        Ok::<_, Problem>(VersionTime {
            version,
            committed_at: rfc3339(committed_at)?,
        })
    };
    Ok(Existed {
        from: at(lifetime.from)?,
        until: lifetime.until.map(at).transpose()?,
    })
}
