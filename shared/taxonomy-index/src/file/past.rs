//! The part of the file before that the next one is built from: the numbers of all ids, and the last records of removed ones.

use taxonomy_keys::{CategoryId, TermId};
use taxonomy_model::attribute::{self, Attributes};
use taxonomy_model::{NodeId, Taxonomy, items, writes};

use crate::build_error::BuildError;
use crate::damage::{Damaged, PartName};
use crate::file::File;
use crate::file::block::{Block, Removed};
use crate::file::column::{Column, Row};

/// An id that the version before had, live or removed, and that the new version lacks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gone {
    pub(crate) node: NodeId,
    /// Its ordinal in the file before.
    pub(crate) before: u32,
    was_removed: bool,
}

impl Gone {
    pub(crate) fn id(&self) -> u64 {
        match self.node {
            NodeId::Category(id) | NodeId::Term(id) => id,
        }
    }

    pub(crate) fn is_category(&self) -> bool {
        matches!(self.node, NodeId::Category(_))
    }
}

/// The file of the version before; nothing for the first version.
#[derive(Debug, Default)]
pub(crate) struct Past<'a> {
    file: Option<&'a File<'a>>,
    /// Categories and terms with their ordinals, ascending.
    nodes: Vec<(NodeId, u32)>,
    columns: Vec<Column>,
}

impl<'a> Past<'a> {
    pub(crate) fn read(file: Option<&'a File<'a>>) -> Result<Self, Damaged> {
        let Some(file) = file else {
            return Ok(Self::default());
        };
        let footer = file.footer();
        let mut nodes = Vec::new();
        for bucket in file.nodes() {
            nodes.extend(bucket?);
        }
        if !nodes.is_sorted_by(|(one, _), (next, _)| one < next) {
            return Err(PartName::Footer.malformed("a table of ids that holds one twice"));
        }
        let columns = (0..footer.columns()).map(|number| file.column(number));
        let columns = columns.collect::<Result<_, _>>()?;
        let is_category = |node: &NodeId| matches!(node, NodeId::Category(_));
        let mut kinds = nodes.iter();
        let are_kinds = kinds.all(|(node, ordinal)| is_category(node) == footer.is_category(*ordinal));
        let mut ordinals: Vec<u32> = nodes.iter().map(|(_, ordinal)| *ordinal).collect();
        ordinals.sort_unstable();
        match are_kinds && ordinals.into_iter().eq(footer.ordinals()) {
            true => Ok(Self {
                file: Some(file),
                nodes,
                columns,
            }),
            false => Err(PartName::Footer.malformed("tables of ids that do not cover the ordinals")),
        }
    }

    /// The numbers of a category or a term in the version before.
    pub(crate) fn row_of(&self, node: NodeId) -> Result<Option<Row>, Damaged> {
        match self.nodes.binary_search_by_key(&node, |(node, _)| *node) {
            Ok(found) => self.row(self.nodes[found].1).map(Some),
            Err(_) => Ok(None),
        }
    }

    /// The numbers of an ordinal of the version before.
    pub(crate) fn row(&self, ordinal: u32) -> Result<Row, Damaged> {
        let column = self.columns.get(ordinal as usize / crate::ROWS);
        let row = column.and_then(|column| column.row(ordinal));
        row.ok_or_else(|| PartName::Footer.malformed("an ordinal outside the columns"))
    }

    /// The categories that a taxonomy lacks, then the terms: those that the version before lacked already, then the others, in their order there.
    pub(crate) fn gone(&self, taxonomy: &Taxonomy) -> Result<Vec<Gone>, Damaged> {
        let is_live = |node: NodeId| match node {
            NodeId::Category(id) => CategoryId::new(id).is_some_and(|id| taxonomy.category(id).is_some()),
            NodeId::Term(id) => TermId::new(id).is_some_and(|id| taxonomy.term(id).is_some()),
        };
        let lacking = self.nodes.iter().filter(|(node, _)| !is_live(*node));
        let gone = lacking.map(|(node, before)| {
            let (node, before) = (*node, *before);
            let was_removed = self.row(before)?.removed;
            Ok(Gone {
                node,
                before,
                was_removed,
            })
        });
        let mut gone = gone.collect::<Result<Vec<Gone>, Damaged>>()?;
        gone.sort_unstable_by_key(|gone| (!gone.is_category(), !gone.was_removed, gone.before));
        Ok(gone)
    }

    /// The tombstone of an id that is gone: the one that the file before has, or that of the last record. `kept` is the block that was read last.
    pub(crate) fn tombstone(&self, gone: &Gone, kept: &mut Option<Block>) -> Result<Removed, BuildError> {
        let outside = || PartName::Footer.malformed("an ordinal outside the file");
        let ordinal = gone.before;
        let block = kept.take().filter(|block| block.ordinals().contains(&ordinal));
        let block = match block {
            Some(block) => block,
            None => self.file.ok_or_else(outside)?.block_of(ordinal)?,
        };
        let block = kept.insert(block);
        let found = block.removed(ordinal);
        let found = found.map(|(id, item)| (id, item.clone()));
        match found.or_else(|| last(block, gone)) {
            Some((id, item)) if id == gone.id() => Ok(Removed { id, item }),
            _ => Err(lacking(gone).into()),
        }
    }
}

fn lacking(gone: &Gone) -> Damaged {
    let (ordinal, id) = (gone.before, gone.id());
    PartName::Footer.malformed(format!("ordinal {ordinal} is not that of id {id}"))
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
