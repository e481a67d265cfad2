//! A block: the records of some ordinals, with the records of everything above the first of them.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use taxonomy_keys::{CategoryId, TermId};
use taxonomy_model::attribute::{self, Attributes};
use taxonomy_model::stored::{StoredCategory, StoredTerm};
use taxonomy_model::{Category, InvalidRecord, Record, Settings, Taxonomy, TaxonomyBuilder, Term};

use crate::damage::{Damaged, PartName};
use crate::file::footer::Footer;
use crate::file::part::Part;

/// The stored form. `records` are those of the block's ordinals; `categories` and `ancestors` are the nodes above them, with their names alone.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BlockBody {
    #[serde(default)]
    categories: Vec<Record>,
    #[serde(default)]
    ancestors: Vec<Record>,
    #[serde(default)]
    records: Vec<Record>,
    #[serde(default)]
    removed: Vec<Removed>,
}

/// A removed category or term: its id, and the attributes of its tombstone in the table.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Removed {
    pub(crate) id: u64,
    pub(crate) item: Attributes,
}

/// A decoded block.
#[derive(Debug)]
pub struct Block {
    name: PartName,
    ordinals: Range<u32>,
    content: Content,
    bytes: usize,
}

/// The records, and the ids of those of the block's ordinals.
type Live = (Taxonomy, Vec<u64>);

#[derive(Debug)]
enum Content {
    Categories(Live),
    Terms(Live),
    RemovedCategories(Vec<Removed>),
    RemovedTerms(Vec<Removed>),
}

impl Block {
    /// Decodes a block, given the bytes of its part.
    ///
    /// # Errors
    /// [`Damaged`] if the bytes are not those of the part, or if the content is not that of a block.
    pub fn open(packed: &[u8], part: &Part, footer: &Footer) -> Result<Self, Damaged> {
        let name = part.name;
        let PartName::Block(number) = name else {
            return Err(name.malformed("not a block"));
        };
        let ordinals = footer.ordinals_of_block(number);
        let ordinals = ordinals.ok_or_else(|| name.malformed("not a block of this file"))?;
        let content = part.unpack(packed)?;
        let room = content.len();
        let body: BlockBody = serde_json::from_slice(&content).map_err(|error| name.malformed(error))?;
        drop(content);
        let count = body.records.len() + body.removed.len();
        if count != ordinals.len() {
            return Err(name.malformed("another number of records than of ordinals"));
        }
        let is_in = |section: Range<u32>| section.contains(&ordinals.start) && ordinals.end <= section.end;
        let has_records = body.removed.is_empty();
        let live = |body, push| {
            let fragment = fragment(body, footer.settings(), room, push);
            fragment.map_err(|error| name.malformed(error))
        };
        let content = match has_records {
            true if is_in(footer.categories()) => {
                Content::Categories(live(body, TaxonomyBuilder::push_category)?)
            }
            true if is_in(footer.terms()) => Content::Terms(live(body, TaxonomyBuilder::push_term)?),
            false if is_in(footer.removed_categories()) => Content::RemovedCategories(body.removed),
            false if is_in(footer.removed_terms()) => Content::RemovedTerms(body.removed),
            _ => return Err(name.malformed("records of another kind than its ordinals")),
        };
        let bytes = size_of::<Self>() + content.bytes(room);
        Ok(Self {
            name,
            ordinals,
            content,
            bytes,
        })
    }

    /// Returns the ordinals of its nodes.
    pub fn ordinals(&self) -> Range<u32> {
        self.ordinals.clone()
    }

    /// Returns the approximate number of bytes that the block takes in memory.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The category with this ordinal; none if the block has no category there.
    pub fn category(&self, ordinal: u32) -> Option<Category<'_>> {
        match &self.content {
            Content::Categories((fragment, ids)) => {
                fragment.category(CategoryId::new(*ids.get(self.position(ordinal)?)?)?)
            }
            _ => None,
        }
    }

    /// The term with this ordinal, with its category and its ancestors; none if the block has no term there.
    ///
    /// The category and ancestors have their names and paths, no optional field. Whether a term lies below it is in its
    /// [`Row`](crate::Row), not here.
    pub fn term(&self, ordinal: u32) -> Option<Term<'_>> {
        match &self.content {
            Content::Terms((fragment, ids)) => {
                fragment.term(TermId::new(*ids.get(self.position(ordinal)?)?)?)
            }
            _ => None,
        }
    }

    /// The id of a removed category or term and the attributes of its tombstone; none if the block has none there.
    pub fn removed(&self, ordinal: u32) -> Option<(u64, &Attributes)> {
        match &self.content {
            Content::RemovedCategories(removed) | Content::RemovedTerms(removed) => {
                let removed = removed.get(self.position(ordinal)?)?;
                Some((removed.id, &removed.item))
            }
            _ => None,
        }
    }

    /// The removed term with this ordinal, as it was stored last; none if the block has none there.
    ///
    /// # Errors
    /// [`Damaged`] if the attributes are not those of a term.
    pub fn removed_term(&self, ordinal: u32) -> Result<Option<(TermId, StoredTerm)>, Damaged> {
        match &self.content {
            Content::RemovedTerms(_) => self.removed_as(ordinal, TermId::new),
            _ => Ok(None),
        }
    }

    /// The removed category with this ordinal, as it was stored last; none if the block has none there.
    ///
    /// # Errors
    /// [`Damaged`] if the attributes are not those of a category.
    pub fn removed_category(&self, ordinal: u32) -> Result<Option<(CategoryId, StoredCategory)>, Damaged> {
        match &self.content {
            Content::RemovedCategories(_) => self.removed_as(ordinal, CategoryId::new),
            _ => Ok(None),
        }
    }

    fn removed_as<I, T: serde::de::DeserializeOwned>(
        &self,
        ordinal: u32,
        id: fn(u64) -> Option<I>,
    ) -> Result<Option<(I, T)>, Damaged> {
        let Some((number, item)) = self.removed(ordinal) else {
            return Ok(None);
        };
        let id = id(number).ok_or_else(|| self.name.malformed("an id out of range"))?;
        let item = attribute::read(item.clone()).map_err(|error| self.name.malformed(error))?;
        Ok(Some((id, item)))
    }

    fn position(&self, ordinal: u32) -> Option<usize> {
        let offset = ordinal.checked_sub(self.ordinals.start)?;
        self.ordinals.contains(&ordinal).then_some(offset as usize)
    }
}

impl Content {
    fn bytes(&self, room: usize) -> usize {
        match self {
            Self::Categories((fragment, ids)) | Self::Terms((fragment, ids)) => {
                fragment.bytes() + ids.capacity() * size_of::<u64>()
            }
            // Beside its texts, the map of a tombstone takes a node of eleven entries.
            Self::RemovedCategories(removed) | Self::RemovedTerms(removed) => room + 700 * removed.len(),
        }
    }
}

/// Builds the fragment of a block, and lists the ids of its own records.
fn fragment(
    body: BlockBody,
    settings: &Settings,
    room: usize,
    push: fn(&mut TaxonomyBuilder, Record) -> Result<(), InvalidRecord>,
) -> Result<Live, InvalidRecord> {
    let mut builder = TaxonomyBuilder::with_room(room);
    for category in body.categories {
        builder.push_category(category)?;
    }
    for ancestor in body.ancestors {
        builder.push_term(ancestor)?;
    }
    let ids = body.records.iter().map(|record| record.id).collect();
    for record in body.records {
        push(&mut builder, record)?;
    }
    Ok((builder.finish(settings.clone())?, ids))
}
