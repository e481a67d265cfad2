//! The fields of the format: file, category, term.

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess};
use taxonomy_keys::MAX_DEPTH;

use super::json::{Elements, FileReader, Object, ReadList, ReadObject, ReadScalar, Scalar};
use super::metadata::ReadMetadata;
use super::misnamed;
use super::names::{MAX_CULTURES, NodeNames, culture, text, value};
use super::text::TextKind;
use crate::report::Code;
use crate::taxonomy::details::{Deprecation, Details, Notes};
use crate::taxonomy::metadata::Metadata;
use crate::taxonomy::tree::{NodeData, NodeRef, push_node};
use crate::text::{Span, narrow};

/// Reads the whole file into `reader`.
pub(super) fn read_file(json: &str, reader: &mut FileReader) -> Result<(), serde_json::Error> {
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
        reader: &mut FileReader,
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
                let is_list = map.next_value_seed(ReadList(reader, &mut Nodes { above: None }))?;
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

/// A list of categories, or of the terms directly below a node.
struct Nodes {
    above: Option<NodeRef>,
}

impl Elements for Nodes {
    fn element<'de, A: SeqAccess<'de>>(
        &mut self,
        reader: &mut FileReader,
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
        let node = reader.begin_node(self.above);
        let mut fields = NodeFields::new(node);
        let is_object = seq.next_element_seed(ReadObject(reader, &mut fields))?;
        if is_object == Some(true) {
            fields.store(reader);
        } else {
            reader.withdraw_node(node);
        }
        Ok(is_object.map(drop))
    }
}

impl FileReader {
    /// Adds a category, or a term below a node, of which only the position is known.
    fn begin_node(&mut self, above: Option<NodeRef>) -> NodeRef {
        let (position, tree) = (self.position(), &mut self.tree);
        match above {
            None => {
                let place = narrow(tree.categories.len());
                push_node(&mut tree.categories, NodeData::new(0, None, 0));
                self.category_positions.push(position);
                NodeRef::Category(place)
            }
            Some(above) => {
                let (place, term) = (narrow(tree.terms.len()), tree.term_below(above));
                push_node(&mut tree.terms, term);
                self.term_positions.push(position);
                NodeRef::Term(place)
            }
        }
    }

    /// Removes the last node again: the list ended, or the element was not an object.
    fn withdraw_node(&mut self, node: NodeRef) {
        let (nodes, positions) = match node {
            NodeRef::Category(_) => (&mut self.tree.categories, &mut self.category_positions),
            NodeRef::Term(_) => (&mut self.tree.terms, &mut self.term_positions),
        };
        nodes.pop();
        positions.pop();
    }
}

/// A category or a term while its fields are read.
struct NodeFields {
    node: NodeRef,
    /// None where the field is absent, and none in it where it is invalid.
    id: Option<Option<u64>>,
    plain_name: Option<Span>,
    /// Whether the file contains `deprecated: false`.
    not_deprecated: bool,
    details: Details,
}

impl NodeFields {
    fn new(node: NodeRef) -> Self {
        Self {
            node,
            id: None,
            plain_name: None,
            not_deprecated: false,
            details: Details::default(),
        }
    }

    /// Writes the fields to the node's position.
    fn store(mut self, reader: &mut FileReader) {
        if self.id.is_none() {
            reader.issue(Code::MissingField, "id is missing");
        }
        if self.details.deprecation.is_some() {
            if self.not_deprecated {
                let message = "deprecated is false beside a deprecation";
                reader.issue_at("deprecated", Code::DeprecationDiffers, message);
            }
            self.details.deprecated = true;
        }
        if let Some(plain_name) = self.plain_name {
            reader.plain_names.push((self.node, plain_name));
        }
        let details = reader.tree.push_details(self.details);
        let (NodeRef::Category(place) | NodeRef::Term(place)) = self.node;
        let slot = reader.tree.node_mut(self.node);
        // A node without an id gets a unique one, so that it is not reported as a duplicate as well.
        slot.id = self.id.flatten().unwrap_or(u64::MAX - u64::from(place));
        slot.details = details;
    }

    /// Returns the name of the list of the nodes directly below this node.
    fn field_below(&self) -> &'static str {
        match self.node {
            NodeRef::Category(_) => "terms",
            NodeRef::Term(_) => "children",
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
        reader: &mut FileReader,
        field: usize,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match Self::FIELDS[field] {
            "id" => self.id = Some(map.next_value_seed(ReadScalar)?.id(reader)),
            "name" => {
                let name = map.next_value_seed(ReadScalar)?;
                self.plain_name = name
                    .optional()
                    .and_then(|name| text(reader, TextKind::Name, name));
            }
            "names" => {
                let start = reader.tree.names.begin(MAX_CULTURES);
                let above = reader.tree.above(self.node);
                map.next_value_seed(ReadList(reader, &mut NodeNames { start, above }))?;
                // Sorted at once: the paths of children continue the paths in them.
                let names = start..reader.tree.names.end();
                reader.tree.sort_names(&names);
                reader.tree.node_mut(self.node).names = names;
            }
            "notation" => {
                self.details.notation = value(reader, TextKind::Notation, &map.next_value_seed(ReadScalar)?);
            }
            "sortKey" => {
                self.details.sort_key = value(reader, TextKind::SortKey, &map.next_value_seed(ReadScalar)?);
            }
            "altNames" => {
                let alt_names = &mut self.details.alt_names;
                map.next_value_seed(ReadList(reader, alt_names))?;
                // By culture; the sort is stable, so that the author's order is kept inside a culture.
                alt_names.sort_by(|a, b| a.0.cmp(&b.0));
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
                map.next_value_seed(ReadObject(reader, &mut deprecation))?;
                self.details.deprecation =
                    Some(deprecation).filter(|deprecation| *deprecation != Deprecation::default());
            }
            "notes" => {
                map.next_value_seed(ReadList(reader, &mut self.details.notes))?;
                self.details.notes.retain(|_, notes| *notes != Notes::default());
            }
            "relations" => {
                map.next_value_seed(ReadList(reader, &mut self.details.relations))?;
                self.details.relations.sort_unstable();
            }
            "replacedBy" => drop(map.next_value_seed(ReadList(reader, &mut self.details.replaced_by))?),
            below => self.read_below(reader, below, map)?,
        }
        Ok(())
    }
}

impl NodeFields {
    fn read_below<'de, A: MapAccess<'de>>(
        &self,
        reader: &mut FileReader,
        field: &str,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let (expected, errors) = (self.field_below(), reader.report.errors);
        let is_deepest = reader.tree.node(self.node).depth >= MAX_DEPTH;
        if field == expected && !is_deepest {
            let above = Some(self.node);
            map.next_value_seed(ReadList(reader, &mut Nodes { above }))?;
            return Ok(());
        }
        let mut skipped = Skipped { any: false };
        map.next_value_seed(ReadList(reader, &mut skipped))?;
        if field == expected {
            if skipped.any {
                let message = format!("lies deeper than {MAX_DEPTH} levels");
                reader.issue_at("0", Code::DepthExceeded, message);
            }
            return Ok(());
        }
        let message = format!("what lies below is called {expected} here");
        if skipped.any {
            reader.issue(Code::MisnamedField, message);
        } else if reader.report.errors == errors {
            // An exporter with one class for both writes both lists; nothing is lost with an empty one.
            reader.issue(Code::UnknownField, message);
        }
        Ok(())
    }
}

/// A list that is not read: it has the name of the other kind of node, or lies below the deepest level. An empty one loses nothing.
struct Skipped {
    any: bool,
}

impl Elements for Skipped {
    fn element<'de, A: SeqAccess<'de>>(
        &mut self,
        _reader: &mut FileReader,
        seq: &mut A,
    ) -> Result<Option<()>, A::Error> {
        let element = seq.next_element::<IgnoredAny>()?.map(drop);
        self.any |= element.is_some();
        Ok(element)
    }
}
