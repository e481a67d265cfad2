//! The part of the file before that the next one is built from: the numbers of all ids, and the last records of removed ones.

use taxonomy_keys::{CategoryId, TermId};
use taxonomy_model::attribute::{self, Attributes};
use taxonomy_model::{items, writes};

use crate::build_error::BuildError;
use crate::damage::{Damaged, PartName};
use crate::file::File;
use crate::file::block::{Block, Removed};
use crate::file::column::{Column, Row};
use crate::file::id_table::IdTable;

/// An id that the version before had, live or removed, and that the new version lacks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gone {
    pub(crate) id: u64,
    /// Its ordinal in the file before.
    pub(crate) before: u32,
    pub(crate) row: Row,
}

/// The file of the version before; nothing for the first version.
#[derive(Debug, Default)]
pub(crate) struct Past<'a> {
    file: Option<&'a File<'a>>,
    /// Ids and ordinals, ascending by id.
    categories: Vec<(u64, u32)>,
    terms: Vec<(u64, u32)>,
    columns: Vec<Column>,
}

impl<'a> Past<'a> {
    pub(crate) fn read(file: Option<&'a File<'a>>) -> Result<Self, Damaged> {
        let Some(file) = file else {
            return Ok(Self::default());
        };
        let footer = file.footer();
        let columns = (0..footer.columns()).map(|number| file.column(number));
        let past = Self {
            file: Some(file),
            categories: entries(file, IdTable::CategoryIds)?,
            terms: entries(file, IdTable::TermIds)?,
            columns: columns.collect::<Result<_, _>>()?,
        };
        let is_category = |ordinal: u32| {
            footer.categories().contains(&ordinal) || footer.removed_categories().contains(&ordinal)
        };
        let is_term =
            |ordinal: u32| footer.terms().contains(&ordinal) || footer.removed_terms().contains(&ordinal);
        let counts = [
            past.categories.len() == footer.categories().len() + footer.removed_categories().len(),
            past.terms.len() == footer.terms().len() + footer.removed_terms().len(),
            past.categories.iter().all(|(_, ordinal)| is_category(*ordinal)),
            past.terms.iter().all(|(_, ordinal)| is_term(*ordinal)),
        ];
        match counts.contains(&false) {
            true => Err(PartName::Footer.malformed("tables of ids that do not cover the ordinals")),
            false => Ok(past),
        }
    }

    /// The numbers of a category in the version before.
    pub(crate) fn category(&self, id: CategoryId) -> Result<Option<Row>, Damaged> {
        self.find(&self.categories, id.get())
    }

    /// The numbers of a term in the version before.
    pub(crate) fn term(&self, id: TermId) -> Result<Option<Row>, Damaged> {
        self.find(&self.terms, id.get())
    }

    fn find(&self, ids: &[(u64, u32)], id: u64) -> Result<Option<Row>, Damaged> {
        match ids.binary_search_by_key(&id, |(id, _)| *id) {
            Ok(found) => ids.get(found).map(|(_, ordinal)| self.row(*ordinal)).transpose(),
            Err(_) => Ok(None),
        }
    }

    fn row(&self, ordinal: u32) -> Result<Row, Damaged> {
        let column = self.columns.get(ordinal as usize / crate::ROWS);
        let row = column.and_then(|column| column.row(ordinal));
        row.ok_or_else(|| PartName::Footer.malformed("an ordinal outside the columns"))
    }

    /// The categories that the new version lacks: those that the version before lacked already, then the others, in their order there.
    pub(crate) fn gone_categories(&self, is_live: impl Fn(CategoryId) -> bool) -> Result<Vec<Gone>, Damaged> {
        self.gone(&self.categories, |id| CategoryId::new(id).is_some_and(&is_live))
    }

    /// The same of terms.
    pub(crate) fn gone_terms(&self, is_live: impl Fn(TermId) -> bool) -> Result<Vec<Gone>, Damaged> {
        self.gone(&self.terms, |id| TermId::new(id).is_some_and(&is_live))
    }

    fn gone(&self, ids: &[(u64, u32)], is_live: impl Fn(u64) -> bool) -> Result<Vec<Gone>, Damaged> {
        let lacking = ids.iter().filter(|(id, _)| !is_live(*id));
        let gone = lacking.map(|(id, before)| {
            let (id, before) = (*id, *before);
            self.row(before).map(|row| Gone { id, before, row })
        });
        let mut gone = gone.collect::<Result<Vec<Gone>, Damaged>>()?;
        gone.sort_unstable_by_key(|gone| (!gone.row.removed, gone.before));
        Ok(gone)
    }

    /// Reads the tombstones of ids that are gone, in the order of the ids.
    pub(crate) fn tombstones(&self) -> Tombstones<'a> {
        Tombstones {
            file: self.file,
            block: None,
        }
    }
}

fn entries(file: &File<'_>, table: IdTable) -> Result<Vec<(u64, u32)>, Damaged> {
    let mut entries = Vec::new();
    for number in 0..file.footer().buckets_of(table) {
        entries.extend(file.bucket(table, number)?.entries());
    }
    match entries.is_sorted_by(|one, next| one.0 < next.0) {
        true => Ok(entries),
        false => Err(PartName::Footer.malformed("a table of ids that holds one twice")),
    }
}

/// The tombstones of ids that are gone, with one block of the file before in memory.
pub(crate) struct Tombstones<'a> {
    file: Option<&'a File<'a>>,
    block: Option<Block>,
}

impl Tombstones<'_> {
    /// The attributes of the tombstone: those that the file before has, or those of the last record.
    pub(crate) fn removed(&mut self, gone: &Gone) -> Result<Removed, BuildError> {
        let block = self.block(gone.before)?;
        let (id, item) = match block.removed(gone.before) {
            Some((id, item)) => (id, item.clone()),
            None => last(block, gone).ok_or_else(|| lacking(gone))?,
        };
        match id == gone.id {
            true => Ok(Removed { id, item }),
            false => Err(lacking(gone).into()),
        }
    }

    fn block(&mut self, ordinal: u32) -> Result<&Block, Damaged> {
        let lacking = || PartName::Footer.malformed("an ordinal outside the file");
        let kept = self
            .block
            .take()
            .filter(|block| block.ordinals().contains(&ordinal));
        let block = match kept {
            Some(block) => block,
            None => self.file.ok_or_else(lacking)?.block_of(ordinal)?,
        };
        Ok(self.block.insert(block))
    }
}

fn lacking(gone: &Gone) -> Damaged {
    PartName::Footer.malformed(format!("ordinal {} is not that of id {}", gone.before, gone.id))
}

/// The id and the tombstone of something that was live in the file before.
fn last(block: &Block, gone: &Gone) -> Option<(u64, Attributes)> {
    let (id, item) = match block.category(gone.before) {
        Some(category) => (
            category.id().get(),
            attribute::write(&items::stored_category(category)),
        ),
        None => {
            let term = block.term(gone.before)?;
            (term.id().get(), attribute::write(&items::stored_term(term, &[])))
        }
    };
    Some((id, writes::removed(item)))
}
