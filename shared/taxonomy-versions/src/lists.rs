//! Siblings page by page, as the index of the table lists them.

use std::ops::Range;

use taxonomy_keys::{CategoryId, List, Place, TermId};
use taxonomy_model::items;
use taxonomy_model::stored::{ListedCategory, ListedTerm};
use taxonomy_model::{place_of_category, place_of_term};
use taxonomy_store::{Page, Row};

use crate::error::VersionError;
use crate::file::VersionFile;

impl VersionFile<'_> {
    /// A page of the categories, in their order, after the place where the page before ended.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn categories(
        &self,
        limit: u16,
        after: Option<&Place>,
    ) -> Result<Page<Row<CategoryId, ListedCategory>>, VersionError> {
        let all = self.footer().categories();
        let start = match after.and_then(|place| CategoryId::new(place.id())) {
            None => all.start,
            Some(id) => match self.category_ordinal(id).await? {
                Some(ordinal) if all.contains(&ordinal) => ordinal + 1,
                _ => all.end,
            },
        };
        let ordinals: Vec<u32> = (start..all.end).take(limit.into()).collect();
        let nodes = self.nodes(&ordinals).await?;
        let mut page = Page {
            items: Vec::with_capacity(nodes.len()),
            next: None,
        };
        for node in &nodes {
            let category = node.category();
            let category =
                category.ok_or_else(|| self.inconsistent("a category's ordinal is not one of a category"))?;
            page.items.push(Row {
                id: category.id(),
                value: items::listed_category(category),
            });
            page.next = Some(place_of_category(category));
        }
        Ok(cut(page, limit))
    }

    /// A page of a list of terms, in their order, after the place where the page before ended.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn listed_terms(
        &self,
        list: List,
        limit: u16,
        after: Option<&Place>,
    ) -> Result<Page<Row<TermId, ListedTerm>>, VersionError> {
        let (range, depth) = self.below(list).await?;
        let start = match after.and_then(|place| TermId::new(place.id())) {
            None => range.start,
            Some(id) => match self.term_ordinal(id).await? {
                Some(ordinal) if range.contains(&ordinal) => ordinal + self.row(ordinal).await?.span,
                _ => range.end,
            },
        };
        let siblings = self.siblings(start..range.end, depth, limit.into()).await?;
        let ordinals: Vec<u32> = siblings.iter().map(|(ordinal, _)| *ordinal).collect();
        let nodes = self.nodes(&ordinals).await?;
        let mut page = Page {
            items: Vec::with_capacity(nodes.len()),
            next: None,
        };
        for (node, (_, has_children)) in nodes.iter().zip(siblings) {
            let term = node.term();
            let term = term.ok_or_else(|| self.inconsistent("a term's ordinal is not one of a term"))?;
            page.items.push(Row {
                id: term.id(),
                value: items::listed_term(term, has_children),
            });
            page.next = Some(place_of_term(term));
        }
        Ok(cut(page, limit))
    }

    /// The ordinals of what lies below the parent of a list, and the depth of the list's own entries; no ordinals where there is no such
    /// parent.
    async fn below(&self, list: List) -> Result<(Range<u32>, u8), VersionError> {
        let ordinal = match list {
            List::Categories => return Ok((self.footer().categories(), 0)),
            List::TopTerms(category) => self.category_ordinal(category).await?,
            List::Children(parent) => self.term_ordinal(parent).await?,
        };
        let Some(ordinal) = ordinal else {
            return Ok((0..0, 0));
        };
        let row = self.row(ordinal).await?;
        if row.removed {
            return Ok((0..0, 0));
        }
        Ok(match list {
            List::Children(_) => (ordinal + 1..ordinal + row.span, row.depth + 1),
            _ => {
                let first = row.first.unwrap_or_default();
                (first..first + row.span, 1)
            }
        })
    }

    /// The first `most` ordinals of siblings in a range that begins at one of them, and whether each has children.
    async fn siblings(
        &self,
        range: Range<u32>,
        depth: u8,
        most: usize,
    ) -> Result<Vec<(u32, bool)>, VersionError> {
        let (mut siblings, mut next) = (Vec::new(), range.start);
        while next < range.end && siblings.len() < most {
            let row = self.row(next).await?;
            if row.depth != depth || row.span == 0 {
                return Err(self.inconsistent("the spans of siblings do not meet"));
            }
            siblings.push((next, row.span > 1));
            next = next.saturating_add(row.span);
        }
        Ok(siblings)
    }
}

/// As the table does it, a page that is full says where the next one begins, also where nothing follows.
fn cut<T>(mut page: Page<T>, limit: u16) -> Page<T> {
    if page.items.len() < limit.into() {
        page.next = None;
    }
    page
}
