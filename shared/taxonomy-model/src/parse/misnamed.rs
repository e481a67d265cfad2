//! Unknown names of fields that are meant to be known ones: a file that loses its names or terms by a slip is refused
//! (docs/decisions/0003-input-file.md).

use taxonomy_keys::Culture;

/// The names of the lists of what lies below a category and a term.
pub(super) const BELOW: [&str; 2] = ["terms", "children"];
/// Names for what lies below that are further from the known ones than one edit, or nearer to another field.
const ALSO_BELOW: [&str; 3] = ["child", "childs", "nodes"];
/// The longest name that is compared. The longest known one has 14 letters.
const MOST_BYTES: usize = 32;
/// Two names of fewer letters are near each other by chance, such as `id` and `uid`.
const FEWEST_LETTERS: usize = 4;
/// Two names of fewer letters differ in one by chance, such as `name` and `nace`, the classification.
const FEWEST_FOR_ANOTHER_LETTER: usize = 5;

/// The known field that an unknown name misnames: the same but for case, underscores and hyphens, for one letter more, less or other, for two
/// neighbours in the wrong order, or for the form of its plural. Short names have fewer such forms.
pub(super) fn meant(name: &str, fields: &'static [&'static str]) -> Option<&'static str> {
    // Other formats mark their own fields by a sign: `_id`, `@type`, `$comment`.
    if name.len() > MOST_BYTES || name.starts_with(['_', '@', '$']) {
        return None;
    }
    let name = letters(name);
    if let Some(below) = fields.iter().find(|field| BELOW.contains(field))
        && ALSO_BELOW.contains(&name.as_str())
    {
        return Some(below);
    }
    // Nothing is lost with the address of a schema.
    let fields = || fields.iter().copied().filter(|field| !field.starts_with('$'));
    let same = fields().find(|field| name == letters(field));
    same.or_else(|| fields().find(|field| is_near(&name, &letters(field))))
}

/// Says that no field has this name. In other formats `name_fr` and `name@en-GB` are names in several cultures.
pub(super) fn unknown(name: &str) -> String {
    let tag = name
        .strip_prefix("name")
        .and_then(|rest| rest.strip_prefix(['_', '-', '.', '@', ':']));
    match tag.and_then(|tag| tag.replace('_', "-").parse::<Culture>().ok()) {
        Some(culture) => format!(
            "the format has no such field: a name in {culture} is {{\"culture\":\"{culture}\",\"name\":\"..\"}} in the list names"
        ),
        None => "the format has no such field".to_owned(),
    }
}

/// The letters of a name, in lower case.
fn letters(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    letters.flat_map(char::to_lowercase).collect()
}

fn is_near(name: &str, known: &str) -> bool {
    let is_plural = |one: &str, other: &str| {
        let (singular, plural) = (one.strip_suffix('y'), other.strip_suffix("ies"));
        singular.is_some() && singular == plural
    };
    let by_edit = match one_edit(name.as_bytes(), known.as_bytes()) {
        Some(Edit::AnotherLetter) => known.len() >= FEWEST_FOR_ANOTHER_LETTER,
        Some(Edit::Moved) => known.len() >= FEWEST_LETTERS,
        None => false,
    };
    by_edit || is_plural(name, known) || is_plural(known, name)
}

/// The kind of an edit.
enum Edit {
    /// A byte in the place of another.
    AnotherLetter,
    /// A byte more or less, or two neighbours in the other order.
    Moved,
}

/// The edit by which one text becomes the other, if one suffices.
fn one_edit(one: &[u8], other: &[u8]) -> Option<Edit> {
    let equal = |(one, other): &(&u8, &u8)| one == other;
    let start = one.iter().zip(other).take_while(equal).count();
    let (one, other) = (&one[start..], &other[start..]);
    let end = one.iter().rev().zip(other.iter().rev()).take_while(equal).count();
    match (&one[..one.len() - end], &other[..other.len() - end]) {
        ([_], [_]) => Some(Edit::AnotherLetter),
        ([], [_]) | ([_], []) => Some(Edit::Moved),
        ([a, b], [c, d]) if (a, b) == (d, c) => Some(Edit::Moved),
        _ => None,
    }
}
