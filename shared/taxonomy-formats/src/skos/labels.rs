//! Names, paths and notes of a concept. SKOS labels are texts without spaces at their ends, and no text is both preferred and
//! alternative; where the file differs, our own vocabulary repeats it exactly.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use taxonomy_keys::Culture;
use taxonomy_model::{Details, Node, NodePath, Notes};

use super::turtle::Turtle;
use super::vocabulary::{JSON, skos, tax};
use crate::fields;

pub(super) fn write(node: Node<'_>, turtle: &mut Turtle<impl Write>) -> io::Result<()> {
    for name in node.names() {
        turtle.label(skos::PREF_LABEL, name.name.trim(), name.culture)?;
    }
    for name in node.names().filter(|name| name.name.trim() != name.name) {
        turtle.label(tax::NAME, name.name, name.culture)?;
    }
    for name in node.names() {
        if let Some(path) = name.path.map(NodePath::text) {
            turtle.label(tax::PATH, &path, name.culture)?;
        }
    }
    write_alt_names(node, turtle)?;
    write_notes(node.details(), turtle)
}

fn write_alt_names(node: Node<'_>, turtle: &mut Turtle<impl Write>) -> io::Result<()> {
    let alt_names = &node.details().alt_names;
    let preferred = |culture: &Culture| node.name_in(culture).map(|name| name.name.trim());
    let labels = alt_names.iter().map(|(culture, name)| (culture, name.trim()));
    let labels: BTreeSet<(&Culture, &str)> = labels
        .filter(|(culture, label)| preferred(culture) != Some(*label))
        .collect();
    for (culture, label) in &labels {
        turtle.label(skos::ALT_LABEL, label, culture)?;
    }
    let exact = alt_names.iter().map(|(culture, name)| (culture, name.as_str()));
    if !exact.eq(labels) {
        let list = serde_json::to_string(&fields::alt_names(node.details()))?;
        turtle.typed(tax::ALT_NAMES, &list, JSON)?;
    }
    Ok(())
}

fn write_notes(details: &Details, turtle: &mut Turtle<impl Write>) -> io::Result<()> {
    type Field = for<'n> fn(&'n Notes) -> Option<&'n str>;
    let definition: Field = |notes| notes.definition.as_deref();
    let scope_note: Field = |notes| notes.scope_note.as_deref();
    for (predicate, field) in [(skos::DEFINITION, definition), (skos::SCOPE_NOTE, scope_note)] {
        for (culture, notes) in &details.notes {
            if let Some(text) = field(notes).map(str::trim).filter(|text| !text.is_empty()) {
                turtle.label(predicate, text, culture)?;
            }
        }
    }
    if !are_trimmed(&details.notes) {
        let list = serde_json::to_string(&fields::notes(details))?;
        turtle.typed(tax::NOTES, &list, JSON)?;
    }
    Ok(())
}

fn are_trimmed(notes: &BTreeMap<Culture, Notes>) -> bool {
    let texts = notes
        .values()
        .flat_map(|notes| [&notes.definition, &notes.scope_note]);
    texts.flatten().all(|text| text.trim() == text)
}
