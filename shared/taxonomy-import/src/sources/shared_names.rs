//! Concepts by names that several may have: paths of names do not tell siblings of one name apart.

use std::collections::HashMap;
use std::rc::Rc;

use crate::concept::ConceptRef;
use crate::graph::Graph;
use crate::report::Code;

/// The meaning of a name for its concept, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameRole {
    /// It is the key, or as good as one.
    Key,
    /// The first name in a language.
    First,
    Other,
}

/// The concept of each name, its role there, and whether several have it in this role. The strongest role counts, then the first concept.
#[derive(Default)]
pub(super) struct SharedNames(HashMap<Rc<str>, (NameRole, ConceptRef, bool)>);

impl SharedNames {
    pub(super) fn add(&mut self, name: &Rc<str>, role: NameRole, concept: ConceptRef) {
        let added = (role, concept, false);
        let found = self.0.entry(Rc::clone(name)).or_insert(added);
        if role < found.0 {
            *found = added;
        } else if role == found.0 && concept != found.1 {
            found.2 = true;
        }
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The concept of a name, as the parent of `child`, which is reported where several have it.
    pub(super) fn parent(&self, name: &str, child: ConceptRef, graph: &mut Graph) -> Option<ConceptRef> {
        let (_, parent, is_shared) = *self.0.get(name)?;
        if is_shared {
            let message = format!(
                "several concepts have the name {name}; {} is the parent",
                graph.key(parent)
            );
            graph.issue_of(Code::AmbiguousParent, child, message);
        }
        Some(parent)
    }

    /// The names that one concept alone has, each with its concept.
    pub(super) fn unshared(&self) -> impl Iterator<Item = (&str, ConceptRef)> {
        let alone = self.0.iter().filter(|(_, (.., is_shared))| !is_shared);
        alone.map(|(name, (_, concept, _))| (&**name, *concept))
    }
}
