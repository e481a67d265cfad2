//! The names of a node, and the scalar values of its fields.

use taxonomy_keys::Culture;

use super::json::{FileReader, ObjectList, Scalar, ScalarObject};
use super::text::{TextKind, checked};
use crate::report::Code;
use crate::taxonomy::names::{NameData, PathData};
use crate::taxonomy::tree::NodeRef;
use crate::text::Span;

/// The maximum number of cultures of a file, and so of each node. The head lists them all, every reader reads the head, and an item has at most 400 KB.
pub(super) const MAX_CULTURES: usize = 500;

/// The names of a node, from `start` on in the list of all.
pub(super) struct NodeNames {
    pub(super) start: u32,
    /// The node above a term; most paths continue its path.
    pub(super) above: Option<NodeRef>,
}

impl ObjectList for NodeNames {
    type Element = NameFields;

    fn add(&mut self, reader: &mut FileReader, fields: NameFields) {
        let NameFields { culture, name, path } = fields;
        for (is_absent, field) in [(culture.is_none(), "culture"), (name.is_none(), "name")] {
            if is_absent {
                reader.issue(Code::MissingField, format!("{field} is missing"));
            }
        }
        let (Some(Some(culture)), Some(Some(name))) = (culture, name) else {
            return;
        };
        let Some(number) = reader.tree.culture_within(&culture, MAX_CULTURES) else {
            let message = format!("the file names in more than {MAX_CULTURES} cultures");
            reader.issue_once(Code::TooManyValues, message);
            return;
        };
        let known = reader.tree.names.get(&(self.start..reader.tree.names.end()));
        if known.iter().any(|other| other.culture == number) {
            reader.issue_at(
                "culture",
                Code::DuplicateCulture,
                format!("a second name in {culture}"),
            );
        } else {
            let tree = &mut reader.tree;
            let own = path.as_deref();
            let own = own.map_or(PathData::None, |path| tree.push_path(self.above, number, path));
            tree.names.push(NameData::new(number, name, own));
            reader.path = path.unwrap_or_default();
        }
    }
}

#[derive(Default)]
pub(super) struct NameFields {
    /// None where the field is absent, and none in it where it is invalid; so is the name.
    pub(super) culture: Option<Option<Culture>>,
    pub(super) name: Option<Option<Span>>,
    path: Option<String>,
}

impl ScalarObject for NameFields {
    const FIELDS: &'static [&'static str] = &["culture", "name", "path"];

    fn set(&mut self, reader: &mut FileReader, field: &str, scalar: &Scalar<'_>) {
        match field {
            "culture" => self.culture = Some(culture(reader, scalar)),
            "name" => self.name = Some(text(reader, TextKind::Name, scalar)),
            _ => self.path = path(reader, scalar),
        }
    }
}

/// Cultures of the file that are compared with a tag before it is parsed, which takes as long as some dozens of comparisons.
const FEW_CULTURES: usize = 16;

pub(super) fn culture(reader: &mut FileReader, scalar: &Scalar<'_>) -> Option<Culture> {
    let tag = scalar.text(reader)?;
    let mut known = reader.tree.cultures.iter().take(FEW_CULTURES);
    if let Some(known) = known.find(|known| known.as_str() == tag) {
        return Some(known.clone());
    }
    let culture = tag.parse().ok();
    if culture.is_none() {
        reader.issue(Code::InvalidCulture, "not a language tag such as en-GB");
    }
    culture
}

pub(super) fn text(reader: &mut FileReader, kind: TextKind, scalar: &Scalar<'_>) -> Option<Span> {
    let text = scalar.text(reader)?;
    let text = checked(reader, kind, text);
    Some(reader.tree.text.push(&text))
}

/// Returns a path, in the buffer of the last one.
fn path(reader: &mut FileReader, scalar: &Scalar<'_>) -> Option<String> {
    let text = scalar.optional()?.text(reader)?;
    let text = checked(reader, TextKind::Path, text);
    if text.is_empty() {
        return None;
    }
    let mut path = std::mem::take(&mut reader.path);
    path.clear();
    path.push_str(&text);
    Some(path)
}

/// Returns an optional text; an empty one is absent.
pub(super) fn value(reader: &mut FileReader, kind: TextKind, scalar: &Scalar<'_>) -> Option<String> {
    let text = scalar.optional()?.text(reader)?;
    let text = checked(reader, kind, text);
    (!text.is_empty()).then(|| text.into_owned())
}
