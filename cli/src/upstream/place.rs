//! Finds the lines and columns of the values that JSON Pointers refer to.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::members::Members;

/// A line and a column in a text. Both count from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct LineColumn {
    /// The line.
    pub(crate) line: usize,
    /// The column of the first character.
    pub(crate) column: usize,
}

/// A text and the starts of its lines.
pub(crate) struct Lines<'t> {
    text: &'t str,
    /// The offset of the first byte of each line.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Finds the lines of a text.
    pub(crate) fn new(text: &'t str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = [0].into_iter().chain(breaks.map(|(at, _)| at + 1)).collect();
        Self { text, starts }
    }

    /// Returns the offset of byte `byte` of line `line`, both counted from 1, or the length of the text if it has no such line.
    pub(crate) fn offset(&self, line: usize, byte: usize) -> usize {
        let start = self.starts.get(line - 1).copied();
        let offset = start.map_or(self.text.len(), |start| start + byte - 1);
        self.text.floor_char_boundary(offset)
    }

    /// Returns the places of ascending offsets. Each line is scanned once, even if it contains many offsets.
    pub(crate) fn places(&self, offsets: impl IntoIterator<Item = usize>) -> Vec<LineColumn> {
        let (mut line, mut counted, mut column) = (1, 0, 1);
        let places = offsets.into_iter().map(|offset| {
            let its_line = self.starts.partition_point(|start| *start <= offset);
            if its_line > line {
                (line, counted, column) = (its_line, self.starts[its_line - 1], 1);
            }
            column += self.text[counted..offset].chars().count();
            counted = offset;
            LineColumn { line, column }
        });
        places.collect()
    }

    /// Returns the parts of the line before and after an offset, without the line break.
    pub(crate) fn around(&self, offset: usize) -> (&'t str, &'t str) {
        let line = self.starts.partition_point(|start| *start <= offset);
        let end = self.starts.get(line).map_or(self.text.len(), |next| next - 1);
        let behind = self.text[offset.min(end)..end].trim_end_matches('\r');
        (&self.text[self.starts[line - 1]..offset.min(end)], behind)
    }
}

/// A pointer, and which part of the member that it leads to is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pointed<'p> {
    /// A JSON Pointer (RFC 6901).
    pub(crate) pointer: &'p str,
    /// The part.
    pub(crate) part: Part,
}

/// A part of a member of an object, which may repeat a key. Parsers of the file use the first member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// The value of the first member.
    Value,
    /// The key of the first member.
    Key,
    /// The key of the last member, which repeats the first.
    LastKey,
}

/// Finds the offsets of the parts that are wanted. For an absent value, returns the offset of the container that lacks it.
///
/// Parses each container on the way to a pointer once, even if many pointers lead through it.
pub(crate) fn find<'p>(
    json: &str,
    wanted: impl IntoIterator<Item = Pointed<'p>>,
) -> BTreeMap<Pointed<'p>, usize> {
    let mut found = BTreeMap::new();
    if let Ok(root) = serde_json::from_str::<&RawValue>(json) {
        let wanted = wanted.into_iter().map(|wanted| (wanted, wanted.pointer));
        descend(json, root.get(), wanted.collect(), &mut found);
    }
    found
}

/// A wanted part, and the rest of its pointer below a container.
type Rest<'p> = (Pointed<'p>, &'p str);

/// Follows the rest of each pointer below `value`.
fn descend<'p>(json: &str, value: &str, wanted: Vec<Rest<'p>>, found: &mut BTreeMap<Pointed<'p>, usize>) {
    let offset = |part: &str| part.as_ptr() as usize - json.as_ptr() as usize;
    let mut below: BTreeMap<(Cow<'p, str>, bool), Vec<Rest<'p>>> = BTreeMap::new();
    for (wanted, rest) in wanted {
        found.insert(wanted, offset(value));
        if let Some(rest) = rest.strip_prefix('/') {
            let (token, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let is_last = wanted.part == Part::LastKey && rest.is_empty();
            let below = below.entry((unescaped(token), is_last)).or_default();
            below.push((wanted, rest));
        }
    }
    if below.is_empty() {
        return;
    }
    let Ok(Members(members)) = serde_json::from_str(value) else {
        return;
    };
    // The first and the last member of each key.
    let mut by_key: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for (place, (key, _)) in members.iter().enumerate() {
        by_key.entry(key).or_insert([place; 2])[1] = place;
    }
    for ((token, is_last), wanted) in below {
        let Some(places) = by_key.get(&*token) else {
            continue;
        };
        let (key, value) = &members[places[usize::from(is_last)]];
        let are_keys = wanted
            .iter()
            .filter(|(wanted, rest)| rest.is_empty() && wanted.part != Part::Value);
        let are_keys: Vec<Pointed<'_>> = are_keys.map(|(wanted, _)| *wanted).collect();
        descend(json, value.get(), wanted, found);
        // A key with an escape is no part of the text, so its value stands for it.
        if let Cow::Borrowed(key) = key {
            found.extend(are_keys.into_iter().map(|wanted| (wanted, offset(key) - 1)));
        }
    }
}

/// Decodes a token of a pointer (RFC 6901, section 4).
fn unescaped(token: &str) -> Cow<'_, str> {
    if token.contains('~') {
        token.replace("~1", "/").replace("~0", "~").into()
    } else {
        token.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = "{\n  \"categories\": [ {\"id\": 1},\n    {\"id\": \"é\", \"a/b~\": {\"c\": [7, 8]}} ],\r\n  \"x\": 1, \"x\": 2\n}";

    fn first(pointer: &str) -> Pointed<'_> {
        pointed(pointer, Part::Value)
    }

    fn pointed(pointer: &str, part: Part) -> Pointed<'_> {
        Pointed { pointer, part }
    }

    #[test]
    fn a_pointer_names_a_value_or_a_key_and_a_container_stands_for_what_it_lacks() {
        let at = |pointer, part| &JSON[find(JSON, [pointed(pointer, part)])[&pointed(pointer, part)]..];
        for (pointer, part, start) in [
            ("", Part::Value, JSON),
            ("/categories/0", Part::Value, r#"{"id": 1}"#),
            ("/categories/1/id", Part::Value, "\"é\""),
            ("/categories/1/a~1b~0/c/1", Part::Value, "8]"),
            ("/x", Part::Value, "1, \"x\": 2"),
            ("/x", Part::Key, "\"x\": 1"),
            ("/x", Part::LastKey, "\"x\": 2"),
            ("/categories/1/a~1b~0/c", Part::Key, "\"c\": [7"),
            // Neither an element nor what is not there has a key.
            ("/categories/0", Part::Key, "{\"id\": 1}"),
            ("/categories/0/name", Part::Key, "{\"id\": 1}"),
            ("/categories/0/names/3", Part::Value, r#"{"id": 1}"#),
            ("/categories/0/id/x", Part::Value, "1}"),
            ("/categories/7", Part::Value, r#"[ {"id": 1}"#),
        ] {
            let found = at(pointer, part);
            assert!(found.starts_with(start), "{pointer}: {found}");
        }
        assert!(find("{", [first("/a")]).is_empty());
        assert!(find("", [first("")]).is_empty());
        let all = find(JSON, ["/x", "", "/categories/1", "/categories/1/id"].map(first));
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn places_count_lines_and_characters() {
        let lines = Lines::new(JSON);
        let offset = |pointer| find(JSON, [first(pointer)])[&first(pointer)];
        let id = offset("/categories/1/id");
        let last = offset("/categories/1/a~1b~0");
        let places = lines.places([offset(""), id, id, last, JSON.len()]);
        let places: Vec<_> = places.iter().map(|place| (place.line, place.column)).collect();
        assert_eq!(places, [(1, 1), (3, 12), (3, 12), (3, 25), (5, 2)]);
        let around = ("    {\"id\": ", "\"é\", \"a/b~\": {\"c\": [7, 8]}} ],");
        assert_eq!(lines.around(id), around);
        assert_eq!(lines.around(JSON.len()), ("}", ""));
        assert_eq!(Lines::new("").places([0]), [LineColumn { line: 1, column: 1 }]);
    }

    #[test]
    fn a_byte_of_a_line_is_an_offset() {
        let lines = Lines::new("é\nab");
        let places = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 9), (7, 1)];
        let offsets = places.map(|(line, byte)| lines.offset(line, byte));
        assert_eq!(offsets, [0, 0, 2, 3, 5, 5]);
    }
}
