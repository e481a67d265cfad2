//! Unknown fields: an error where a known one is meant, a warning where not.

use taxonomy_testfiles::{issues, read};

/// An object of the format: its pointer, a file with a `~` where it has a further field, and its fields.
struct Object {
    pointer: &'static str,
    file: &'static str,
    fields: &'static str,
}

const NODE: &str =
    "id name names notation altNames sortKey metadata deprecated deprecation replacedBy relations notes";

const FILE: Object = object(
    "",
    r#"{"categories":[{"id":1,"name":"Sector","terms":[{"id":1,"name":"IT"}]}],~}"#,
    "defaultCulture categories",
);
const CATEGORY: Object = object(
    "/categories/0",
    r#"{"categories":[{"id":1,"name":"Sector","terms":[{"id":1,"name":"IT"}],~}]}"#,
    NODE,
);
const TERM: Object = object(
    "/categories/0/terms/0",
    r#"{"categories":[{"id":1,"name":"Sector","terms":[{"id":1,"name":"IT",~}]}]}"#,
    NODE,
);
const NAME: Object = object(
    "/categories/0/names/0",
    r#"{"categories":[{"id":1,"terms":[{"id":1,"name":"IT"}],"names":[{"culture":"en-GB","name":"Sector",~}]}]}"#,
    "culture name path",
);
const NOTE: Object = object(
    "/categories/0/notes/0",
    r#"{"categories":[{"id":1,"name":"S","terms":[{"id":1,"name":"IT"}],"notes":[{"culture":"en-GB",~}]}]}"#,
    "culture definition scopeNote",
);
const DEPRECATION: Object = object(
    "/categories/0/deprecation",
    r#"{"categories":[{"id":1,"name":"S","terms":[{"id":1,"name":"IT"}],"deprecation":{"reason":"old",~}}]}"#,
    "reason since",
);
const RELATION: Object = object(
    "/categories/0/relations/0",
    r#"{"categories":[{"id":1,"name":"S","terms":[{"id":1,"name":"IT"}],"relations":[{"type":"exact","id":1,~}]}]}"#,
    "type scheme id",
);

const OBJECTS: [&Object; 7] = [&FILE, &CATEGORY, &TERM, &NAME, &NOTE, &DEPRECATION, &RELATION];

const fn object(pointer: &'static str, file: &'static str, fields: &'static str) -> Object {
    Object {
        pointer,
        file,
        fields,
    }
}

impl Object {
    fn fields(&self) -> impl Iterator<Item = &'static str> {
        self.fields.split(' ')
    }

    fn with(&self, name: &str, value: &str) -> String {
        self.file.replace('~', &format!(r#""{name}":{value}"#))
    }

    /// What is reported for a further field.
    fn issues(&self, name: &str, value: &str) -> Vec<String> {
        issues(self.with(name, value).as_bytes())
    }

    fn misnames(&self, name: &str, known: &str) {
        let expect = [format!("misnamed-field {}/{name}", self.pointer)];
        assert_eq!(self.issues(name, "1"), expect, "{name} for {known}");
        let report = read(&self.with(name, "1")).unwrap_err();
        let expect = format!("the field is called {known} here");
        assert_eq!(report.issues[0].message, expect, "{name}");
    }

    fn ignores(&self, name: &str) {
        let expect = [format!("unknown-field {}/{name}", self.pointer)];
        assert_eq!(self.issues(name, "1"), expect, "{name}");
    }
}

#[test]
fn a_known_field_in_another_case_is_misnamed() {
    for object in OBJECTS {
        for field in object.fields() {
            object.misnames(&field.to_uppercase(), field);
            let mut snake = String::new();
            for letter in field.chars() {
                snake.extend(letter.is_uppercase().then_some('_'));
                snake.push(letter.to_ascii_lowercase());
            }
            if snake != field {
                object.misnames(&snake, field);
                object.misnames(&snake.replace('_', "-"), field);
            }
        }
    }
}

/// Each letter left out, and each two neighbours exchanged, unless that is a field too: `names` without its last letter is `name`.
#[test]
fn a_known_field_with_a_slip_is_misnamed() {
    for object in OBJECTS {
        for field in object.fields().filter(|field| field.len() > 2) {
            for at in 0..field.len() - 1 {
                let mut letters: Vec<char> = field.chars().collect();
                letters.swap(at, at + 1);
                let swapped: String = letters.iter().collect();
                letters.remove(at);
                let shorter: String = letters.iter().collect();
                for name in [swapped, shorter] {
                    let found = object.issues(&name, "1");
                    let is_field = object.fields().any(|other| other == name);
                    let expect = format!("misnamed-field {}/{name}", object.pointer);
                    assert!(is_field || found == [expect], "{name} for {field}: {found:?}");
                }
            }
        }
    }
}

/// The last four are the price of the rule: words of their own that are near a field. They have a place in `metadata`.
#[test]
fn slips_that_authors_make_name_the_right_word() {
    for (object, known, slips) in [
        (&FILE, "defaultCulture", "defaultculture default_culture"),
        (&FILE, "categories", "category catagories"),
        (&CATEGORY, "terms", "term child nodes"),
        (&TERM, "children", "term childern child nodes"),
        (&TERM, "name", "nmae anme naem naame"),
        (&TERM, "altNames", "altnames altName alt_name"),
        (&TERM, "notation", "notaton"),
        (&TERM, "sortKey", "sort_key"),
        (&TERM, "replacedBy", "replaced_by"),
        (&TERM, "relations", "relation"),
        (&TERM, "deprecated", "deprecate"),
        (&TERM, "metadata", "metaData"),
        (&NAME, "culture", "cultures"),
        (&NAME, "name", "Name"),
        (&NOTE, "scopeNote", "scopenote"),
        (&NOTE, "definition", "definitions"),
        (&DEPRECATION, "reason", "reasons"),
        (&RELATION, "scheme", "schema"),
        (&TERM, "notes", "note votes"),
        (&TERM, "notation", "rotation"),
        (&TERM, "children", "teams"),
    ] {
        for name in slips.split(' ') {
            object.misnames(name, known);
        }
    }
}

#[test]
fn fields_of_others_stay_warnings() {
    let of_nodes = "type code label description title text value uri url slug key uid gid guid uuid ids pid index order \
        position level depth parent parentId parents ancestors broader narrower related subterms items subcategories tags \
        status state active enabled visible hidden color colour icon image rank weight count version created modified \
        updated author source comment comments remark synonyms synonym keywords aliases prefLabel altLabel hiddenLabel \
        language lang locale translations nameEn name_en nameFr names_fr fullName displayName finalName shortName \
        externalId legacyId esco isco nace date dates location annotations mode model data properties attributes \
        extra custom game math nama mane nm x-internal _id @id @type $ref $comment";
    let of_files = "name names metadata version tenant language culture schema generator terms date";
    let of_names = "lang language locale tag label value text url slug id type script";
    // A long name is compared with nothing.
    let long = "n".repeat(60);
    for (object, words) in [
        (&TERM, of_nodes),
        (&TERM, &long),
        (&CATEGORY, of_nodes),
        (&FILE, of_files),
        (&NAME, of_names),
        (&NOTE, "note example source lang scope comment"),
        (&DEPRECATION, "date by replacedBy version comment"),
        (&RELATION, "name label uri url kind target confidence source"),
    ] {
        words.split_whitespace().for_each(|word| object.ignores(word));
    }
}

#[test]
fn a_list_of_what_lies_below_under_the_other_name_is_misnamed() {
    let below = r#"[{"id":9,"name":"Rust"}]"#;
    for (object, field, value, code) in [
        (&TERM, "terms", below, "misnamed-field"),
        (&CATEGORY, "children", below, "misnamed-field"),
        (&TERM, "terms", "7", "wrong-type"),
        // Nothing is lost with what is empty, as exporters write it that have one class for both.
        (&TERM, "terms", "[]", "unknown-field"),
        (&TERM, "terms", "null", "unknown-field"),
        (&CATEGORY, "children", "[]", "unknown-field"),
        (&CATEGORY, "children", "null", "unknown-field"),
    ] {
        let expect = [format!("{code} {}/{field}", object.pointer)];
        assert_eq!(object.issues(field, value), expect, "{value}");
    }
}
