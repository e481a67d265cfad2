//! The names of categories and terms in every culture, for `names=all`.

use std::borrow::Cow;

use taxonomy_api::{CultureName, Notes};
use taxonomy_model::Node;
use taxonomy_model::stored::{StoredCategory, StoredTerm};

use crate::files::FileNode;
use crate::response::compression::MAX_BODY;
use crate::response::problem::Problem;
use crate::routes::details::notes;

/// The names of the nodes of a response, up to the bytes that a response can have.
#[derive(Debug)]
pub(crate) struct AllNames {
    left: usize,
}

impl AllNames {
    pub(crate) fn new() -> Self {
        Self { left: MAX_BODY }
    }

    /// Returns the names of a term, or of a live category, by culture. A removed term has its last one.
    ///
    /// # Errors
    /// `answer-too-large`; `archive-unavailable` where a removed term is damaged.
    pub(crate) fn of_node<'n>(&mut self, node: &'n FileNode) -> Result<Vec<CultureName<'n>>, Problem> {
        match node.node() {
            Some(live) => self.within(of_live(live)),
            None => {
                let removed = node
                    .block
                    .removed_term(node.ordinal)
                    .map_err(Problem::file_lost)?;
                let (_, term) = removed.ok_or_else(|| Problem::internal("an ordinal without a term"))?;
                self.within(vec![of_removed(term)])
            }
        }
    }

    /// The same of a category, removed or not.
    ///
    /// # Errors
    /// `answer-too-large`.
    pub(crate) fn of_category<'c>(
        &mut self,
        category: &'c StoredCategory,
    ) -> Result<Vec<CultureName<'c>>, Problem> {
        let own = (&category.culture, &category.name, &category.path);
        let others = category.names.iter();
        let others = others.map(|(culture, stored)| (culture, &stored.name, &stored.path));
        let names = others.chain([own]).map(|(culture, name, path)| CultureName {
            culture: culture.clone(),
            name: name.into(),
            path: path.as_deref().map(Into::into),
            alt_names: texts(category.alt_names.get(culture).into_iter().flatten()),
            notes: category.notes.get(culture).map(notes),
        });
        let mut names: Vec<_> = names.collect();
        names.sort_unstable_by(|one, other| one.culture.cmp(&other.culture));
        self.within(names)
    }

    fn within<'n>(&mut self, names: Vec<CultureName<'n>>) -> Result<Vec<CultureName<'n>>, Problem> {
        let bytes = names.iter().map(size).sum();
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or_else(Problem::answer_too_large)?;
        Ok(names)
    }
}

fn of_live(node: Node<'_>) -> Vec<CultureName<'_>> {
    let details = node.details();
    let names = node.names().map(|name| {
        let others = details
            .alt_names
            .iter()
            .filter(|(culture, _)| culture == name.culture);
        CultureName {
            culture: name.culture.clone(),
            name: name.name.into(),
            path: name.path.map(|path| path.text()),
            alt_names: texts(others.map(|(_, name)| name)),
            notes: details.notes.get(name.culture).map(notes),
        }
    });
    names.collect()
}

fn of_removed(term: StoredTerm) -> CultureName<'static> {
    let path = term.paths().swap_remove(0);
    CultureName {
        culture: term.culture,
        name: term.name.into(),
        path: path.map(Into::into),
        alt_names: term.alt_names.into_iter().map(Into::into).collect(),
        notes: term.notes.map(|stored| Notes {
            definition: stored.definition.map(Into::into),
            scope_note: stored.scope_note.map(Into::into),
        }),
    }
}

fn texts<'n>(names: impl Iterator<Item = &'n String>) -> Vec<Cow<'n, str>> {
    names.map(|name| name.as_str().into()).collect()
}

/// The bytes of the texts.
fn size(name: &CultureName<'_>) -> usize {
    let notes = name
        .notes
        .iter()
        .flat_map(|notes| [&notes.definition, &notes.scope_note]);
    let optional = name.path.iter().chain(notes.flatten());
    let texts = optional.chain(&name.alt_names).chain([&name.name]);
    texts.map(|text| text.len()).sum()
}
