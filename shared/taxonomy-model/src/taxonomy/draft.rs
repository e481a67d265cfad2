//! The conversion of a tree under construction, in the order of its source, to a [`Taxonomy`]: [`TaxonomyTree::finish`].

use taxonomy_keys::MAX_DEPTH;

use crate::taxonomy::Taxonomy;
use crate::taxonomy::settings::Settings;
use crate::taxonomy::tree::{NodeData, Position, TaxonomyTree};
use crate::text::narrow;

/// The reason why a tree is not a taxonomy. A file is validated earlier, with pointers; this protects against every other source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfinished {
    /// Two categories or two terms share this id.
    #[error("id {0} occurs twice")]
    DuplicateId(u64),
    /// This node has no name in the default culture.
    #[error("node {0} has no name in the default culture")]
    MissingDefaultName(u64),
    /// This term is deeper than the limit, or is its own ancestor.
    #[error("term {0} lies too deep or above itself")]
    Depth(u64),
}

impl TaxonomyTree {
    /// Sorts cultures, names, categories and terms, computes depths, and checks the invariants of a taxonomy.
    pub(crate) fn finish(mut self, settings: Settings) -> Result<Taxonomy, Unfinished> {
        self.sort_cultures();
        for node in self.categories.iter().chain(&self.terms) {
            let names = self.names.get_mut(&node.names);
            names.sort_unstable_by_key(|name| name.culture);
        }
        self.set_depths()?;
        let category_order = sort_by_id(&mut self.categories)?;
        let term_order = sort_by_id(&mut self.terms)?;
        for term in &mut self.terms {
            term.category = category_order[term.category as usize];
            term.parent = term
                .parent
                .map(|parent| Position::new(term_order[parent.get() as usize]));
        }
        self.check_default_names(&settings)?;
        self.names.shrink_to_fit();
        Ok(Taxonomy { settings, tree: self })
    }

    fn sort_cultures(&mut self) {
        let before = self.cultures.clone();
        self.cultures.sort();
        let position = |culture| self.finished_culture(culture).unwrap_or(u16::MAX);
        let positions: Vec<u16> = before.iter().map(position).collect();
        for name in self.names.iter_mut() {
            name.culture = positions[usize::from(name.culture)];
        }
    }

    /// A parent may follow its children in the source, so depths are computed upwards; a cycle is longer than the largest depth.
    fn set_depths(&mut self) -> Result<(), Unfinished> {
        for position in 0..self.terms.len() {
            let (mut depth, mut above) = (1, self.terms[position].parent);
            while let Some(parent) = above {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(Unfinished::Depth(self.terms[position].id));
                }
                let parent = &mut self.terms[parent.get() as usize];
                parent.leaf = false;
                above = parent.parent;
            }
            self.terms[position].depth = depth;
        }
        Ok(())
    }

    fn check_default_names(&self, settings: &Settings) -> Result<(), Unfinished> {
        let default = self.finished_culture(&settings.default_culture);
        let named = |node: &NodeData| default.is_some_and(|culture| self.name_in(node, culture).is_some());
        let mut nodes = self.categories.iter().chain(&self.terms);
        match nodes.find(|node| !named(node)) {
            Some(node) => Err(Unfinished::MissingDefaultName(node.id)),
            None => Ok(()),
        }
    }
}

/// Sorts by id and returns, for each old position, the new one.
fn sort_by_id(nodes: &mut [NodeData]) -> Result<Vec<u32>, Unfinished> {
    let mut order: Vec<u32> = (0..narrow(nodes.len())).collect();
    order.sort_unstable_by_key(|&position| nodes[position as usize].id);
    let mut new_position = vec![0; nodes.len()];
    for (new, &old) in order.iter().enumerate() {
        new_position[old as usize] = narrow(new);
    }
    nodes.sort_unstable_by_key(|node| node.id);
    match nodes.windows(2).find(|pair| pair[0].id == pair[1].id) {
        Some(pair) => Err(Unfinished::DuplicateId(pair[0].id)),
        None => Ok(new_position),
    }
}
