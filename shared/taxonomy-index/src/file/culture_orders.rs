//! Writing the orders of cultures: of each whose siblings have another order than those of the default culture, the live ordinals in that order.

use std::collections::BTreeMap;
use std::ops::Range;

use taxonomy_keys::Culture;
use taxonomy_model::{Node, SiblingKeys, Taxonomy, sort_siblings};

use crate::ROWS;
use crate::build::Source;
use crate::build_error::BuildError;
use crate::damage::{Damaged, PartName};
use crate::file::body::FileWriter;
use crate::file::culture_order::encode;
use crate::file::footer::Summary;
use crate::file::list::PartList;
use crate::file::preorder::Preorder;

/// Writes the orders of all cultures that need one.
pub(crate) fn write(
    writer: &mut FileWriter,
    source: &Source<'_>,
) -> Result<BTreeMap<Culture, PartList>, BuildError> {
    let taxonomy = source.taxonomy;
    let mut orders = BTreeMap::new();
    for (number, culture) in (0_u16..).zip(taxonomy.cultures()) {
        if *culture == taxonomy.settings().default_culture {
            continue;
        }
        let keys = (source.order.collate)(taxonomy, culture);
        let ordinals = Walk::new(source.order, taxonomy, &*keys).walk();
        if ordinals.is_sorted() {
            continue;
        }
        let mut list = PartList::default();
        let positions = inverse(&ordinals);
        for (ordinals, positions) in ordinals.chunks(ROWS).zip(positions.chunks(ROWS)) {
            let start = u32::try_from(list.len() * ROWS).map_err(|_| BuildError::TooMany("ordinals"))?;
            let name = |part| PartName::Order(number, part);
            writer.add(
                &mut list,
                (name, "parts of an order"),
                &encode(start, ordinals, positions),
            )?;
            list.first.push(start.into());
        }
        orders.insert(culture.clone(), list);
    }
    Ok(orders)
}

/// Checks that each list is that of a culture and covers what is live, from `offset` on, and returns the offset behind the last part.
pub(crate) fn check(
    orders: &BTreeMap<Culture, PartList>,
    summary: &Summary,
    mut offset: u64,
) -> Result<u64, Damaged> {
    let malformed = |reason| PartName::Footer.malformed(reason);
    let live = summary.categories.saturating_add(summary.terms) as usize;
    for (culture, list) in orders {
        let place = summary.cultures.binary_search(culture).ok();
        let order = place.and_then(|place| u16::try_from(place).ok());
        let order = order.ok_or_else(|| malformed("the order of a culture that nothing is named in"))?;
        offset = list.check(offset, false, |number| PartName::Order(order, number))?;
        if list.len() != live.div_ceil(ROWS) {
            return Err(malformed("an order that does not cover what is live"));
        }
    }
    Ok(offset)
}

/// Returns the position of each ordinal, given the ordinal of each position.
fn inverse(ordinals: &[u32]) -> Vec<u32> {
    let mut positions = vec![0; ordinals.len()];
    for (position, ordinal) in (0..).zip(ordinals) {
        positions[*ordinal as usize] = position;
    }
    positions
}

/// Collects ordinals in the order of a culture: categories, then the terms of each category in the places that they have by ordinal, every term
/// before its children.
struct Walk<'a> {
    order: &'a Preorder,
    taxonomy: &'a Taxonomy,
    keys: &'a dyn SiblingKeys,
    ordinals: Vec<u32>,
}

impl<'a> Walk<'a> {
    fn new(order: &'a Preorder, taxonomy: &'a Taxonomy, keys: &'a dyn SiblingKeys) -> Self {
        Self {
            order,
            taxonomy,
            keys,
            ordinals: Vec::with_capacity(order.len() as usize),
        }
    }

    fn walk(mut self) -> Vec<u32> {
        let categories = 0..self.order.term_range().start;
        self.ordinals.extend(self.sorted(categories.clone().collect()));
        for category in categories {
            let place = self.order.places()[category as usize];
            let first = place.first.unwrap_or_default();
            self.add_level(first..first + place.span);
        }
        self.ordinals
    }

    /// Adds siblings, whose subtrees fill a range, and what lies below each. A term lies at most 32 deep, and so does this recursion.
    fn add_level(&mut self, range: Range<u32>) {
        let (mut siblings, mut next) = (Vec::new(), range.start);
        while next < range.end {
            siblings.push(next);
            next = self.end_of(next);
        }
        for ordinal in self.sorted(siblings) {
            self.ordinals.push(ordinal);
            self.add_level(ordinal + 1..self.end_of(ordinal));
        }
    }

    /// The ordinal behind the subtree of a term.
    fn end_of(&self, ordinal: u32) -> u32 {
        ordinal + self.order.places()[ordinal as usize].span
    }

    fn sorted(&self, mut siblings: Vec<u32>) -> Vec<u32> {
        // Every ordinal of the order is that of a node of the taxonomy.
        let known: Option<Vec<(u32, (Node<'_>, u64))>> = siblings
            .iter()
            .map(|ordinal| Some((*ordinal, self.node(*ordinal)?)))
            .collect();
        if let Some(mut known) = known {
            sort_siblings(&mut known, self.keys, |(_, node)| node);
            siblings = known.into_iter().map(|(ordinal, _)| ordinal).collect();
        }
        siblings
    }

    /// Returns the node of an ordinal, with its id.
    fn node(&self, ordinal: u32) -> Option<(Node<'a>, u64)> {
        let categories = self.order.categories();
        match categories.get(ordinal as usize) {
            Some(id) => Some((self.taxonomy.category(*id)?.node, id.get())),
            None => {
                let id = self.order.terms().get(ordinal as usize - categories.len())?;
                Some((self.taxonomy.term(*id)?.node, id.get()))
            }
        }
    }
}
