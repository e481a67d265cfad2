//! Changes of a term that follow from a change above it: a FinalName begins with the category's name, a path continues the path above, and a term
//! that moves to another category takes the terms below it along.

use std::iter::successors;

use taxonomy_keys::Culture;

use crate::changes::fact::NodeId;
use crate::changes::node_change::{ChangeKind, NodeChange, PATH};
use crate::taxonomy::{Category, Node, Term};

/// A term in two versions.
type Pair<'a> = (Term<'a>, Term<'a>);

impl NodeChange {
    /// Returns the node above a term from whose own change this one, of the term from `old` to `new`, follows: of several the nearest. None where the
    /// term itself was changed.
    pub fn cause(&self, old: Term<'_>, new: Term<'_>) -> Option<NodeId> {
        let has = |kind| self.kinds.contains(&kind);
        let may_follow = |kind: &ChangeKind| match kind {
            ChangeKind::Moved | ChangeKind::FinalName => true,
            ChangeKind::Changed => self.fields == [PATH],
            _ => false,
        };
        let pair = (old, new);
        let paths = changed_paths(old.node, new.node);
        // In another default culture the FinalName has another name of the term itself.
        let is_named_anew = has(ChangeKind::FinalName) && default_name(old.node) != default_name(new.node);
        let is_changed = self.kinds.is_empty() || !self.kinds.iter().all(may_follow);
        if is_changed || is_named_anew || is_placed_anew(pair, &paths) {
            return None;
        }
        if has(ChangeKind::Moved) || !paths.is_empty() {
            let mut above = successors(above(pair), |pair| above(*pair));
            if let Some((_, cause)) = above.find(|pair| is_placed_anew(*pair, &paths)) {
                return Some(NodeId::Term(cause.id().get()));
            }
        }
        let categories = (old.category(), new.category());
        let follows = is_cause(categories, has(ChangeKind::FinalName), &paths);
        follows.then(|| NodeId::Category(categories.1.id().get()))
    }
}

/// Returns the term above; none of a top term. It is the same one in both versions unless the term was moved.
fn above((old, new): Pair<'_>) -> Option<Pair<'_>> {
    old.parent().zip(new.parent())
}

/// Whether a term itself was moved, or its path in one of `cultures` is not what it was below the path above.
fn is_placed_anew((old, new): Pair<'_>, cultures: &[&Culture]) -> bool {
    let is_moved = match (old.parent(), new.parent()) {
        (None, None) => old.category().id() != new.category().id(),
        (before, after) => before.map(Term::id) != after.map(Term::id),
    };
    let own = |term, culture| own_path(term, culture);
    is_moved
        || cultures
            .iter()
            .any(|culture| own(old, culture) != own(new, culture))
}

/// Whether a category's own change explains another FinalName of its terms, and their other paths in `cultures`.
fn is_cause((old, new): (Category<'_>, Category<'_>), is_named: bool, cultures: &[&Culture]) -> bool {
    let name = |node: Node<'_>, culture: &Culture| node.name_in(culture).map(|name| name.name.to_owned());
    let mut defaults = [old, new]
        .map(|category| category.node.default_name().culture)
        .into_iter();
    let is_renamed = defaults.any(|culture| name(old.node, culture) != name(new.node, culture));
    (is_renamed || !is_named)
        && cultures
            .iter()
            .all(|culture| path(old.node, culture) != path(new.node, culture))
}

/// Returns the cultures in which two versions of a node have different paths.
fn changed_paths<'a>(old: Node<'a>, new: Node<'a>) -> Vec<&'a Culture> {
    let cultures = old.names().chain(new.names()).map(|name| name.culture);
    let mut changed: Vec<&Culture> = cultures
        .filter(|culture| path(old, culture) != path(new, culture))
        .collect();
    changed.sort();
    changed.dedup();
    changed
}

/// Returns the part of a term's path that follows the path above, or else its whole path, and whether it continues that.
fn own_path(term: Term<'_>, culture: &Culture) -> (bool, Option<String>) {
    let above = term
        .parent()
        .map_or_else(|| term.category().node, |parent| parent.node);
    let own = path(term.node, culture);
    let rest = own.as_deref().zip(path(above, culture));
    let rest = rest.and_then(|(own, above)| own.strip_prefix(above.as_str()).map(str::to_owned));
    match rest {
        Some(rest) => (true, Some(rest)),
        None => (false, own),
    }
}

fn path(node: Node<'_>, culture: &Culture) -> Option<String> {
    let path = node.name_in(culture)?.path?;
    Some(path.text().into_owned())
}

fn default_name(node: Node<'_>) -> &str {
    node.default_name().name
}
