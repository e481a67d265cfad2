//! Siblings page by page.

use std::ops::Range;

use taxonomy_keys::{CategoryId, List, ListPosition, TermId};
use taxonomy_model::items;
use taxonomy_model::stored::{ListedCategory, ListedTerm};
use taxonomy_model::{place_of_category, place_of_term};

use crate::error::VersionError;
use crate::file::VersionFile;

/// A row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRow<K, T> {
    /// Its id.
    pub id: K,
    /// What lists show of it.
    pub value: T,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows of this page.
    pub items: Vec<T>,
    /// The place of the last row, if more may follow: the next page begins after it.
    pub next: Option<ListPosition>,
}

impl VersionFile<'_> {
    /// Returns a page of the categories, in their order, after the end of the previous page.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn categories(
        &self,
        limit: u16,
        after: Option<&ListPosition>,
    ) -> Result<Page<ListRow<CategoryId, ListedCategory>>, VersionError> {
        let all = self.footer().categories();
        let start = match after {
            None => all.start,
            Some(after) => {
                let ordinal = match CategoryId::new(after.id()) {
                    Some(id) => self.category_ordinal(id).await?,
                    None => None,
                };
                self.start_after(after, ordinal, all.clone(), 0).await?
            }
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
            page.items.push(ListRow {
                id: category.id(),
                value: items::listed_category(category),
            });
            page.next = Some(place_of_category(category));
        }
        Ok(cut(page, limit))
    }

    /// Returns a page of a list of terms, in their order, after the end of the previous page.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn listed_terms(
        &self,
        list: List,
        limit: u16,
        after: Option<&ListPosition>,
    ) -> Result<Page<ListRow<TermId, ListedTerm>>, VersionError> {
        let (range, depth) = self.below(list).await?;
        let start = match after {
            None => range.start,
            Some(after) => {
                let ordinal = match TermId::new(after.id()) {
                    Some(id) => self.term_ordinal(id).await?,
                    None => None,
                };
                self.start_after(after, ordinal, range.clone(), depth).await?
            }
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
            page.items.push(ListRow {
                id: term.id(),
                value: items::listed_term(term, has_children),
            });
            page.next = Some(place_of_term(term));
        }
        Ok(cut(page, limit))
    }

    /// Returns the ordinals below the parent of a list, and the depth of the list's own entries; no ordinals if there is no such
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

    /// Returns the ordinal at which a page begins: that of the first sibling behind a position. `ordinal` is that of the entry that ended the page
    /// before, if the version has it. The version may lack it, or have it elsewhere, if that page came from the table while the next version was
    /// written: the rest of the list must not be lost then.
    async fn start_after(
        &self,
        after: &ListPosition,
        ordinal: Option<u32>,
        siblings: Range<u32>,
        depth: u8,
    ) -> Result<u32, VersionError> {
        if let Some(ordinal) = ordinal.filter(|ordinal| siblings.contains(ordinal))
            && self.row(ordinal).await?.depth == depth
            && self.position(ordinal, depth).await? == *after
        {
            return self.next_sibling(ordinal, depth).await;
        }
        let Range { mut start, mut end } = siblings;
        while start < end {
            let sibling = self.sibling_of(start + (end - start) / 2, depth).await?;
            let next = self.next_sibling(sibling, depth).await?;
            // Also a damaged file ends the search: each round leaves fewer ordinals.
            if !(start..end).contains(&sibling) || next <= sibling {
                return Err(self.inconsistent("the spans of siblings do not meet"));
            }
            if self.position(sibling, depth).await? <= *after {
                start = next;
            } else {
                end = sibling;
            }
        }
        Ok(start)
    }

    /// Returns the position of an entry among its siblings.
    async fn position(&self, ordinal: u32, depth: u8) -> Result<ListPosition, VersionError> {
        let node = self.node(ordinal).await?;
        let position = match depth {
            0 => node.category().map(place_of_category),
            _ => node.term().map(place_of_term),
        };
        position.ok_or_else(|| self.inconsistent("a list has an ordinal of another kind"))
    }

    /// Returns the ancestor of an ordinal at a depth, or the ordinal itself.
    async fn sibling_of(&self, mut ordinal: u32, depth: u8) -> Result<u32, VersionError> {
        // A category has depth 0, and no terms among its siblings.
        for _ in 0..=u8::MAX {
            let row = self.row(ordinal).await?;
            match row.first {
                Some(parent) if row.depth > depth => ordinal = parent,
                _ => return Ok(ordinal),
            }
        }
        Err(self.inconsistent("a term is its own ancestor"))
    }

    async fn next_sibling(&self, ordinal: u32, depth: u8) -> Result<u32, VersionError> {
        let span = match depth {
            0 => 1,
            _ => self.row(ordinal).await?.span,
        };
        Ok(ordinal.saturating_add(span))
    }

    /// Returns the first `most` ordinals of siblings in a range that begins at one of them, and whether each has children.
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

/// Cuts a page to its limit. Like a page of the table, a full page has the position of the next one, even if nothing follows.
fn cut<T>(mut page: Page<T>, limit: u16) -> Page<T> {
    if page.items.len() < limit.into() {
        page.next = None;
    }
    page
}
