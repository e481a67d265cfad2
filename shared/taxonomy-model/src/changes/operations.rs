//! Summarises the difference between two versions: an added, moved or removed subtree is one operation.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use taxonomy_keys::{CategoryId, Culture, TermId};

use crate::changes::fact::{Fact, NodeId, TermPosition};
use crate::changes::facts::facts_between;
use crate::items::stored::final_name;
use crate::items::writes::{Pair, pair_terms};
use crate::taxonomy::{Taxonomy, Term};

/// A change to a category, a term or the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// The category or term; none for a change of the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeId>,
    /// The name of the category or the FinalName of the term in the default culture: in the new version, or in the old one for a removed node.
    /// Empty for a change of the settings.
    pub name: String,
    /// The action.
    #[serde(flatten)]
    pub action: Action,
}

/// The kinds of changes, in the order of a summary: destructive ones come last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Action {
    /// The settings changed to these.
    Configure {
        /// The default culture.
        default_culture: String,
        /// The cultures that are tried before it.
        fallback_chain: Vec<String>,
    },
    /// It was added, with a number of terms below it.
    Add {
        /// Added terms below it.
        terms: u64,
    },
    /// Its name in a culture changed.
    Rename {
        /// The culture.
        culture: String,
        /// The name before; none if there was none.
        from: Option<String>,
        /// The name after; none if there is none.
        to: Option<String>,
    },
    /// Its path in a culture changed.
    ChangePath {
        /// The culture.
        culture: String,
        /// The path before; none if there was none.
        from: Option<String>,
        /// The path after; none if there is none.
        to: Option<String>,
    },
    /// Another field changed.
    Change {
        /// The field, by its name in the file.
        field: String,
    },
    /// Its parent changed, and a number of terms moved with it.
    Move {
        /// The parent before.
        from: Parent,
        /// The parent after.
        to: Parent,
        /// Terms below it whose own parent did not change.
        terms: u64,
    },
    /// It is no longer deprecated.
    Reinstate,
    /// It was deprecated.
    Deprecate,
    /// It was removed, with a number of terms below it.
    Remove {
        /// Removed terms below it.
        terms: u64,
    },
}

/// The parent of a term: a category or a term.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Parent {
    /// The category or term.
    pub node: NodeId,
    /// Its name or FinalName in the default culture.
    pub name: String,
}

impl Operation {
    /// Creates an operation on a node, whose name a version states.
    fn new(taxonomy: &Taxonomy, node: NodeId, action: Action) -> Self {
        Self {
            node: Some(node),
            name: name_of(taxonomy, node),
            action,
        }
    }
}

impl Action {
    /// Returns the position of its kind in a summary.
    fn rank(&self) -> u8 {
        match self {
            Self::Configure { .. } => 0,
            Self::Add { .. } => 1,
            Self::Rename { .. } => 2,
            Self::ChangePath { .. } => 3,
            Self::Change { .. } => 4,
            Self::Move { .. } => 5,
            Self::Reinstate => 6,
            Self::Deprecate => 7,
            Self::Remove { .. } => 8,
        }
    }
}

/// Returns the operations from `old` (none: a tenant without a taxonomy) to `new`: by kind, then by node.
pub fn between(old: Option<&Taxonomy>, new: &Taxonomy) -> Vec<Operation> {
    let mut found = ChangedNodes::default();
    let mut operations: Vec<Operation> = facts_between(old, new)
        .filter_map(|fact| found.take(fact, new))
        .collect();
    let added = subtrees(new, &found.added);
    operations.extend(added.map(|(root, terms)| Operation::new(new, root, Action::Add { terms })));
    if let Some(old) = old {
        operations.extend(found.moves(old, new));
        let removed = subtrees(old, &found.removed);
        operations.extend(removed.map(|(root, terms)| Operation::new(old, root, Action::Remove { terms })));
    }
    operations.sort_by_key(|operation| (operation.action.rank(), operation.node));
    operations
}

/// Returns the number of terms of both versions whose FinalName differs in a culture of either.
pub fn changed_final_names(old: &Taxonomy, new: &Taxonomy) -> u64 {
    let cultures: BTreeSet<&Culture> = old.cultures().iter().chain(new.cultures()).collect();
    // The cultures to try for each: those of the tenant, in the order of the lookup.
    let orders: Vec<[Vec<Culture>; 2]> = cultures
        .into_iter()
        .map(|culture| [old, new].map(|taxonomy| taxonomy.order(culture)))
        .collect();
    let changed = pair_terms(Some(old), new).filter(|pair| match pair {
        Pair::Kept(old, new) => orders
            .iter()
            .any(|[before, now]| answer(*old, before) != answer(*new, now)),
        Pair::Added(_) | Pair::Removed(_) => false,
    });
    changed.count() as u64
}

fn answer(term: Term<'_>, order: &[Culture]) -> String {
    let [category, name] = [term.category().node, term.node].map(|node| node.name_by(order).name);
    final_name(category, name)
}

/// Added, removed and moved nodes, before they are grouped into subtrees.
#[derive(Default)]
struct ChangedNodes {
    added: BTreeSet<NodeId>,
    removed: BTreeSet<NodeId>,
    moved: BTreeMap<u64, (TermPosition, TermPosition)>,
}

impl ChangedNodes {
    /// Collects a fact that belongs to a subtree; returns any other one as an operation.
    fn take(&mut self, fact: Fact, new: &Taxonomy) -> Option<Operation> {
        let (node, action) = match fact {
            Fact::CategoryAdded(_) | Fact::TermAdded(_) => {
                self.added.extend(fact.subject());
                return None;
            }
            Fact::CategoryRemoved { .. } | Fact::TermRemoved { .. } => {
                self.removed.extend(fact.subject());
                return None;
            }
            Fact::TermMoved { id, from, to } => {
                // A term with the same parent in another category moved with that parent.
                if from.parent.is_none() || from.parent != to.parent {
                    self.moved.insert(id, (from, to));
                }
                return None;
            }
            Fact::Configured {
                default_culture,
                fallback_chain,
            } => {
                return Some(Operation {
                    node: None,
                    name: String::new(),
                    action: Action::Configure {
                        default_culture,
                        fallback_chain,
                    },
                });
            }
            Fact::Renamed {
                node,
                culture,
                from,
                to,
            } => (node, Action::Rename { culture, from, to }),
            Fact::PathChanged {
                node,
                culture,
                from,
                to,
            } => (node, Action::ChangePath { culture, from, to }),
            Fact::Changed { node, field, .. } => (node, Action::Change { field }),
            Fact::Deprecated { node } => (node, Action::Deprecate),
            Fact::Reinstated { node } => (node, Action::Reinstate),
        };
        Some(Operation::new(new, node, action))
    }

    fn moves(&self, old: &Taxonomy, new: &Taxonomy) -> impl Iterator<Item = Operation> {
        let mut below: BTreeMap<u64, u64> = BTreeMap::new();
        let is_moved = |term: &Term<'_>| self.moved.contains_key(&term.id().get());
        // Skipped where nothing moved: for each term this searches the nearest ancestor that moved.
        let terms = new
            .terms()
            .filter(|term| !self.moved.is_empty() && !is_moved(term));
        for term in terms.filter(|term| !self.added.contains(&NodeId::Term(term.id().get()))) {
            if let Some(above) = term.ancestors().find(is_moved) {
                *below.entry(above.id().get()).or_default() += 1;
            }
        }
        self.moved.iter().map(move |(id, (from, to))| {
            let action = Action::Move {
                from: parent(old, *from),
                to: parent(new, *to),
                terms: below.get(id).copied().unwrap_or_default(),
            };
            Operation::new(new, NodeId::Term(*id), action)
        })
    }
}

/// Returns the topmost nodes of a set, each with the number of terms of the set below it.
fn subtrees(taxonomy: &Taxonomy, nodes: &BTreeSet<NodeId>) -> impl Iterator<Item = (NodeId, u64)> {
    let mut roots: BTreeMap<NodeId, u64> = BTreeMap::new();
    for node in nodes {
        let root = root(taxonomy, *node, nodes);
        *roots.entry(root).or_default() += u64::from(root != *node);
    }
    roots.into_iter()
}

/// Returns the highest ancestor of a node that belongs to a set together with all nodes in between.
fn root(taxonomy: &Taxonomy, node: NodeId, nodes: &BTreeSet<NodeId>) -> NodeId {
    let term = match node {
        NodeId::Term(id) => TermId::new(id).and_then(|id| taxonomy.term(id)),
        NodeId::Category(_) => None,
    };
    let Some(term) = term else {
        return node;
    };
    let id = |term: Term<'_>| NodeId::Term(term.id().get());
    let mut top = term;
    for above in term.ancestors() {
        if !nodes.contains(&id(above)) {
            return id(top);
        }
        top = above;
    }
    let category = NodeId::Category(top.category().id().get());
    if nodes.contains(&category) {
        category
    } else {
        id(top)
    }
}

fn parent(taxonomy: &Taxonomy, place: TermPosition) -> Parent {
    let node = match place.parent {
        Some(term) => NodeId::Term(term),
        None => NodeId::Category(place.category),
    };
    Parent {
        node,
        name: name_of(taxonomy, node),
    }
}

/// Returns the name of a category, or the FinalName of a term, in the default culture.
pub(super) fn name_of(taxonomy: &Taxonomy, node: NodeId) -> String {
    let name = match node {
        NodeId::Category(id) => CategoryId::new(id)
            .and_then(|id| taxonomy.category(id))
            .map(|category| category.node.default_name().name.to_owned()),
        NodeId::Term(id) => TermId::new(id).and_then(|id| taxonomy.term(id)).map(|term| {
            let category = term.category().node.default_name().name;
            final_name(category, term.node.default_name().name)
        }),
    };
    name.unwrap_or_default()
}
