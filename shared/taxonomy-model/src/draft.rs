//! A taxonomy under construction, in the order of its source; [`Draft::finish`] sorts it and makes it a [`Taxonomy`].

use std::ops::Range;

use taxonomy_keys::{Culture, MAX_DEPTH};

use crate::names::NameList;
use crate::settings::Settings;
use crate::taxonomy::{Extra, NameData, NodeData, Taxonomy};
use crate::text::{Span, TextBuffer, narrow};

#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) cultures: Vec<Culture>,
    pub(crate) text: TextBuffer,
    pub(crate) names: NameList,
    pub(crate) extras: Vec<Extra>,
    pub(crate) categories: Vec<NodeData>,
    pub(crate) terms: Vec<NodeData>,
}

/// Why a draft is no taxonomy. A parsed file is checked before, with pointers; this guards every other source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfinished {
    /// Two categories or two terms share this id.
    #[error("id {0} occurs twice")]
    DuplicateId(u64),
    /// This node has no name in the default culture.
    #[error("node {0} has no name in the default culture")]
    MissingDefaultName(u64),
    /// This term lies deeper than the limit, or above itself.
    #[error("term {0} lies too deep or above itself")]
    Depth(u64),
}

impl Draft {
    /// The number that stands for a culture in this draft.
    pub(crate) fn culture(&mut self, culture: &Culture) -> u16 {
        let known = self.cultures.iter().position(|other| other == culture);
        let position = known.unwrap_or_else(|| {
            self.cultures.push(culture.clone());
            self.cultures.len() - 1
        });
        u16::try_from(position).unwrap_or(u16::MAX)
    }

    /// The same, but no number for one culture too many.
    pub(crate) fn culture_within(&mut self, culture: &Culture, most: usize) -> Option<u16> {
        let is_new = self.cultures.len() >= most && !self.cultures.contains(culture);
        (!is_new).then(|| self.culture(culture))
    }

    /// Keeps a text.
    pub(crate) fn push_text(&mut self, text: &str) -> Span {
        self.text.push(text)
    }

    pub(crate) fn text(&self, span: Span) -> &str {
        self.text.get(span)
    }

    pub(crate) fn names_of(&self, names: &Range<u32>) -> &[NameData] {
        self.names.get(names)
    }

    /// Keeps what few nodes have, unless it is nothing.
    pub(crate) fn push_extra(&mut self, extra: Extra) -> Option<u32> {
        if extra == Extra::default() {
            return None;
        }
        self.extras.push(extra);
        Some(narrow(self.extras.len() - 1))
    }

    /// Sorts cultures, names, categories and terms, computes depths, and checks what a taxonomy promises.
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
            term.parent = term.parent.map(|parent| term_order[parent as usize]);
        }
        self.check_default_names(&settings)?;
        let Self {
            cultures,
            text,
            mut names,
            extras,
            mut categories,
            mut terms,
        } = self;
        names.shrink_to_fit();
        categories.shrink_to_fit();
        terms.shrink_to_fit();
        Ok(Taxonomy {
            settings,
            cultures,
            text,
            names,
            extras,
            categories,
            terms,
        })
    }

    fn sort_cultures(&mut self) {
        let mut order: Vec<usize> = (0..self.cultures.len()).collect();
        order.sort_by_key(|&position| &self.cultures[position]);
        let mut new_position = vec![0_u16; order.len()];
        for (new, &old) in order.iter().enumerate() {
            new_position[old] = u16::try_from(new).unwrap_or(u16::MAX);
        }
        for name in self.names.iter_mut() {
            name.culture = new_position[usize::from(name.culture)];
        }
        self.cultures.sort();
    }

    /// Parents may come after their children, so depths are found upwards; a cycle is longer than any depth.
    fn set_depths(&mut self) -> Result<(), Unfinished> {
        for position in 0..self.terms.len() {
            let (mut depth, mut above) = (1, self.terms[position].parent);
            while let Some(parent) = above {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(Unfinished::Depth(self.terms[position].id));
                }
                self.terms[parent as usize].leaf = false;
                above = self.terms[parent as usize].parent;
            }
            self.terms[position].depth = depth;
        }
        Ok(())
    }

    fn check_default_names(&self, settings: &Settings) -> Result<(), Unfinished> {
        let default = self
            .cultures
            .iter()
            .position(|culture| *culture == settings.default_culture);
        let named = |node: &&NodeData| {
            self.names_of(&node.names)
                .iter()
                .any(|name| Some(usize::from(name.culture)) == default)
        };
        match self
            .categories
            .iter()
            .chain(&self.terms)
            .find(|node| !named(node))
        {
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
