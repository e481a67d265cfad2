//! The fields of the format: file, category, term.

use std::collections::BTreeMap;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess};
use taxonomy_keys::MAX_DEPTH;

use super::details::{AltNames, Ids, NoteList, Relations};
use super::json::{Elements, Object, ReadList, ReadObject, ReadOptional, ReadScalar, Reader, Scalar};
use super::metadata::ReadMetadata;
use super::misnamed;
use super::names::{MAX_CULTURES, Names, culture, text, value};
use super::text::Kind;
use crate::report::Code;
use crate::taxonomy::details::{Deprecation, Details, Notes};
use crate::taxonomy::metadata::Metadata;
use crate::taxonomy::tree::{NodeData, NodeRef, push_node};
use crate::text::{Span, narrow};

/// Reads the whole file into `reader`.
pub(super) fn read_file(json: &str, reader: &mut Reader) -> Result<(), serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let mut file = File {
        has_categories: false,
    };
    let is_object = ReadObject(reader, &mut file).deserialize(&mut deserializer)?;
    deserializer.end()?;
    if is_object && !file.has_categories {
        reader.issue(Code::MissingField, "categories is missing");
    }
    Ok(())
}

struct File {
    has_categories: bool,
}

impl Object for File {
    const FIELDS: &'static [&'static str] = &["$schema", "defaultCulture", "categories"];

    fn field<'de, A: MapAccess<'de>>(
        &mut self,
        reader: &mut Reader,
        field: usize,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match Self::FIELDS[field] {
            "defaultCulture" => {
                let tag = map.next_value_seed(ReadScalar)?;
                reader.default_culture = tag.optional().and_then(|tag| culture(reader, tag));
            }
            "categories" => {
                self.has_categories = true;
                let errors = reader.report.errors;
                let mut categories = Nodes {
                    kind: NodeKind::Category,
                };
                let is_list = map.next_value_seed(ReadList(reader, &mut categories))?;
                // In other places null is an absent list; here it would mean a tenant without a taxonomy.
                if !is_list && reader.report.errors == errors {
                    reader.issue(Code::WrongType, "expected a list");
                }
            }
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum NodeKind {
    Category,
    Term {
        category: u32,
        parent: Option<u32>,
        depth: u8,
    },
}

/// A list of categories or of terms.
struct Nodes {
    kind: NodeKind,
}

impl Elements for Nodes {
    fn element<'de, A: SeqAccess<'de>>(
        &mut self,
        reader: &mut Reader,
        seq: &mut A,
    ) -> Result<Option<()>, A::Error> {
        let nodes = reader.tree.categories.len() + reader.tree.terms.len();
        if nodes >= reader.max_nodes {
            let more = seq.next_element::<IgnoredAny>()?.is_some();
            // All further elements are skipped.
            if more {
                let message = format!("more than {} categories and terms", reader.max_nodes);
                reader.issue_once(Code::TooManyNodes, message);
            }
            return Ok(more.then_some(()));
        }
        // The node gets its position before its fields are read, because children may come before its id.
        let position = reader.position();
        let placeholder = match self.kind {
            NodeKind::Category => NodeData::new(0, None, 0),
            NodeKind::Term {
                category,
                parent,
                depth,
            } => NodeData::new(category, parent, depth),
        };
        let (nodes, positions) = match self.kind {
            NodeKind::Category => (&mut reader.tree.categories, &mut reader.category_positions),
            NodeKind::Term { .. } => (&mut reader.tree.terms, &mut reader.term_positions),
        };
        let place = narrow(nodes.len());
        push_node(nodes, placeholder);
        positions.push(position);
        let mut node = NodeFields {
            kind: self.kind,
            place,
            has_id: false,
            id: None,
            plain_name: None,
            not_deprecated: false,
            details: Details::default(),
        };
        let Some(is_object) = seq.next_element_seed(ReadObject(reader, &mut node))? else {
            node.withdraw(reader);
            return Ok(None);
        };
        if is_object {
            node.store(reader);
        } else {
            node.withdraw(reader);
        }
        Ok(Some(()))
    }
}

/// A category or a term while its fields are read.
struct NodeFields {
    kind: NodeKind,
    place: u32,
    has_id: bool,
    id: Option<u64>,
    plain_name: Option<Span>,
    /// Whether the file contains `deprecated: false`.
    not_deprecated: bool,
    details: Details,
}

impl NodeFields {
    /// Removes the node again: the list ended, or the element was not an object.
    fn withdraw(&self, reader: &mut Reader) {
        match self.kind {
            NodeKind::Category => {
                reader.tree.categories.pop();
                reader.category_positions.pop();
            }
            NodeKind::Term { .. } => {
                reader.tree.terms.pop();
                reader.term_positions.pop();
            }
        }
    }

    fn node(&self) -> NodeRef {
        match self.kind {
            NodeKind::Category => NodeRef::Category(self.place),
            NodeKind::Term { .. } => NodeRef::Term(self.place),
        }
    }

    /// Returns the node above; none for a category.
    fn above(&self) -> Option<NodeRef> {
        match self.kind {
            NodeKind::Category => None,
            NodeKind::Term { category, parent, .. } => {
                Some(parent.map_or(NodeRef::Category(category), NodeRef::Term))
            }
        }
    }

    /// Writes the fields to the node's position.
    fn store(mut self, reader: &mut Reader) {
        if !self.has_id {
            reader.issue(Code::MissingField, "id is missing");
        }
        if self.details.deprecation.is_some() {
            if self.not_deprecated {
                let message = "deprecated is false beside a deprecation";
                reader.issue_at("deprecated", Code::DeprecationDiffers, message);
            }
            self.details.deprecated = true;
        }
        let node = self.node();
        if let Some(plain_name) = self.plain_name {
            reader.plain_names.push((node, plain_name));
        }
        let details = reader.tree.push_details(self.details);
        let slot = reader.tree.node_mut(node);
        // A node without an id gets a unique one, so that it is not reported as a duplicate as well.
        slot.id = self.id.unwrap_or(u64::MAX - u64::from(self.place));
        slot.details = details;
    }

    /// Returns the name of the list of the nodes directly below this node.
    fn field_below(&self) -> &'static str {
        match self.kind {
            NodeKind::Category => "terms",
            NodeKind::Term { .. } => "children",
        }
    }

    /// Returns the kind of the nodes directly below this node.
    fn below(&self) -> NodeKind {
        match self.kind {
            NodeKind::Category => NodeKind::Term {
                category: self.place,
                parent: None,
                depth: 1,
            },
            NodeKind::Term { category, depth, .. } => NodeKind::Term {
                category,
                parent: Some(self.place),
                depth: depth.saturating_add(1),
            },
        }
    }
}

impl Object for NodeFields {
    /// A category names its terms `terms`, a term names its children `children`.
    const FIELDS: &'static [&'static str] = &[
        "id",
        "name",
        "names",
        "notation",
        "altNames",
        "sortKey",
        "metadata",
        "deprecated",
        "deprecation",
        "replacedBy",
        "relations",
        "notes",
        "terms",
        "children",
    ];

    fn meant(&self, name: &str) -> Option<&'static str> {
        let meant = misnamed::meant(name, Self::FIELDS)?;
        Some(if misnamed::BELOW.contains(&meant) {
            self.field_below()
        } else {
            meant
        })
    }

    fn field<'de, A: MapAccess<'de>>(
        &mut self,
        reader: &mut Reader,
        field: usize,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match Self::FIELDS[field] {
            "id" => (self.has_id, self.id) = (true, map.next_value_seed(ReadScalar)?.id(reader)),
            "name" => {
                let name = map.next_value_seed(ReadScalar)?;
                self.plain_name = name.optional().and_then(|name| text(reader, Kind::Name, name));
            }
            "names" => {
                let start = reader.tree.names.begin(MAX_CULTURES);
                let above = self.above();
                map.next_value_seed(ReadList(reader, &mut Names { start, above }))?;
                // Sorted at once: the paths of children continue the paths in them.
                let names = start..reader.tree.names.end();
                reader.tree.sort_names(&names);
                reader.tree.node_mut(self.node()).names = names;
            }
            "notation" => {
                self.details.notation = value(reader, Kind::Notation, &map.next_value_seed(ReadScalar)?);
            }
            "sortKey" => {
                self.details.sort_key = value(reader, Kind::SortKey, &map.next_value_seed(ReadScalar)?);
            }
            "altNames" => {
                let mut alt_names = AltNames(Vec::new());
                map.next_value_seed(ReadList(reader, &mut alt_names))?;
                // By culture; the sort is stable, so that the author's order is kept inside a culture.
                alt_names.0.sort_by(|a, b| a.0.cmp(&b.0));
                self.details.alt_names = alt_names.0;
            }
            "metadata" => {
                self.details.metadata = map.next_value_seed(ReadMetadata(reader))?.map(Metadata::new);
            }
            "deprecated" => {
                let scalar = map.next_value_seed(ReadScalar)?;
                self.not_deprecated = matches!(scalar, Scalar::Flag(false));
                self.details.deprecated = scalar.flag(reader);
            }
            "deprecation" => {
                let mut deprecation = Deprecation::default();
                map.next_value_seed(ReadOptional(reader, &mut deprecation))?;
                self.details.deprecation =
                    Some(deprecation).filter(|deprecation| *deprecation != Deprecation::default());
            }
            "notes" => {
                let mut notes = NoteList(BTreeMap::new());
                map.next_value_seed(ReadList(reader, &mut notes))?;
                notes.0.retain(|_, notes| *notes != Notes::default());
                self.details.notes = notes.0;
            }
            "relations" => {
                let mut relations = Relations(Vec::new());
                map.next_value_seed(ReadList(reader, &mut relations))?;
                relations.0.sort_unstable();
                self.details.relations = relations.0;
            }
            "replacedBy" => {
                let mut ids = Ids(Vec::new());
                map.next_value_seed(ReadList(reader, &mut ids))?;
                self.details.replaced_by = ids.0;
            }
            below => self.read_below(reader, below, map)?,
        }
        Ok(())
    }
}

impl NodeFields {
    fn read_below<'de, A: MapAccess<'de>>(
        &self,
        reader: &mut Reader,
        field: &str,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let expected = self.field_below();
        if field != expected {
            let (mut elements, errors) = (Misplaced { found: false }, reader.report.errors);
            map.next_value_seed(ReadList(reader, &mut elements))?;
            let message = format!("what lies below is called {expected} here");
            if elements.found {
                reader.issue(Code::MisnamedField, message);
            } else if reader.report.errors == errors {
                // An exporter with one class for both writes both lists; nothing is lost with an empty one.
                reader.issue(Code::UnknownField, message);
            }
            return Ok(());
        }
        let kind = self.below();
        if matches!(kind, NodeKind::Term { depth, .. } if depth > MAX_DEPTH) {
            map.next_value_seed(ReadList(reader, &mut TooDeep { said: false }))?;
        } else {
            map.next_value_seed(ReadList(reader, &mut Nodes { kind }))?;
        }
        Ok(())
    }
}

/// A list under the name that it has in a node of the other kind; its elements are skipped.
struct Misplaced {
    found: bool,
}

impl Elements for Misplaced {
    fn element<'de, A: SeqAccess<'de>>(
        &mut self,
        _reader: &mut Reader,
        seq: &mut A,
    ) -> Result<Option<()>, A::Error> {
        let more = seq.next_element::<IgnoredAny>()?.map(drop);
        self.found |= more.is_some();
        Ok(more)
    }
}

/// Children below the deepest level; an empty list is valid.
struct TooDeep {
    said: bool,
}

impl Elements for TooDeep {
    fn element<'de, A: SeqAccess<'de>>(
        &mut self,
        reader: &mut Reader,
        seq: &mut A,
    ) -> Result<Option<()>, A::Error> {
        let more = seq.next_element::<IgnoredAny>()?.map(drop);
        if more.is_some() && !std::mem::replace(&mut self.said, true) {
            reader.issue(
                Code::DepthExceeded,
                format!("lies deeper than {MAX_DEPTH} levels"),
            );
        }
        Ok(more)
    }
}
