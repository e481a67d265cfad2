//! Unknown fields: an error where a known one is meant, a warning where not.

use taxonomy_testfiles::issues;

/// An object of the format: where it is, and what is before and behind its further fields.
struct Object {
    pointer: &'static str,
    before: &'static str,
    behind: &'static str,
    fields: &'static [&'static str],
}

const NODE: [&str; 12] = [
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
];

const FILE: Object = Object {
    pointer: "",
    before: r#"{"categories":[{"id":1,"name":"Sector","terms":[{"id":1,"name":"IT"}]}]"#,
    behind: "}",
    fields: &["defaultCulture", "categories"],
};
const CATEGORY: Object = Object {
    pointer: "/categories/0",
    before: r#"{"categories":[{"id":1,"name":"Sector","terms":[{"id":1,"name":"IT"}]"#,
    behind: "}]}",
    fields: &NODE,
};
const TERM: Object = Object {
    pointer: "/categories/0/terms/0",
    before: r#"{"categories":[{"id":1,"name":"Sector","terms":[{"id":1,"name":"IT""#,
    behind: "}]}]}",
    fields: &NODE,
};
const NAME: Object = Object {
    pointer: "/categories/0/names/0",
    before: r#"{"categories":[{"id":1,"terms":[{"id":1,"name":"IT"}],"names":[{"culture":"en-GB","name":"Sector""#,
    behind: "}]}]}",
    fields: &["culture", "name", "path"],
};
const NOTE: Object = Object {
    pointer: "/categories/0/notes/0",
    before: r#"{"categories":[{"id":1,"name":"Sector","terms":[{"id":1,"name":"IT"}],"notes":[{"culture":"en-GB""#,
    behind: "}]}]}",
    fields: &["culture", "definition", "scopeNote"],
};
const DEPRECATION: Object = Object {
    pointer: "/categories/0/deprecation",
    before: r#"{"categories":[{"id":1,"name":"Sector","terms":[{"id":1,"name":"IT"}],"deprecation":{"reason":"old""#,
    behind: "}}]}",
    fields: &["reason", "since"],
};
const RELATION: Object = Object {
    pointer: "/categories/0/relations/0",
    before: r#"{"categories":[{"id":1,"name":"Sector","terms":[{"id":1,"name":"IT"}],"relations":[{"type":"exact","id":1"#,
    behind: "}]}]}",
    fields: &["type", "scheme", "id"],
};

impl Object {
    /// What is reported for a further field.
    fn issues(&self, name: &str, value: &str) -> Vec<String> {
        let Self { before, behind, .. } = self;
        issues(format!(r#"{before},"{name}":{value}{behind}"#).as_bytes())
    }

    fn misnames(&self, name: &str, known: &str) {
        let found = self.issues(name, "1");
        assert_eq!(
            found,
            [format!("misnamed-field {}/{name}", self.pointer)],
            "{name} for {known}"
        );
        let Self { before, behind, .. } = self;
        let file = format!(r#"{before},"{name}":1{behind}"#);
        let report = taxonomy_testfiles::read(&file).unwrap_err();
        assert_eq!(
            report.issues[0].message,
            format!("the field is called {known} here"),
            "{name}"
        );
    }

    fn ignores(&self, name: &str) {
        let expect = [format!("unknown-field {}/{name}", self.pointer)];
        assert_eq!(self.issues(name, "1"), expect, "{name}");
    }
}

const OBJECTS: [&Object; 7] = [&FILE, &CATEGORY, &TERM, &NAME, &NOTE, &DEPRECATION, &RELATION];

#[test]
fn a_known_field_in_another_case_is_misnamed() {
    for object in OBJECTS {
        for field in object.fields {
            object.misnames(&field.to_uppercase(), field);
            let snake: String = field
                .chars()
                .flat_map(|c| {
                    if c.is_uppercase() {
                        vec!['_', c.to_ascii_lowercase()]
                    } else {
                        vec![c]
                    }
                })
                .collect();
            if snake != **field {
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
        for field in object.fields.iter().filter(|field| field.len() > 2) {
            for at in 0..field.len() - 1 {
                let mut letters: Vec<char> = field.chars().collect();
                letters.swap(at, at + 1);
                let swapped: String = letters.iter().collect();
                letters.remove(at);
                let shorter: String = letters.iter().collect();
                for name in [swapped, shorter] {
                    let found = object.issues(&name, "1");
                    let is_field = object.fields.contains(&name.as_str());
                    let expect = format!("misnamed-field {}/{name}", object.pointer);
                    assert!(is_field || found == [expect], "{name} for {field}: {found:?}");
                }
            }
        }
    }
}

#[test]
fn slips_that_authors_make_name_the_right_word() {
    for (object, name, known) in [
        (&FILE, "defaultculture", "defaultCulture"),
        (&FILE, "default_culture", "defaultCulture"),
        (&FILE, "category", "categories"),
        (&FILE, "catagories", "categories"),
        (&CATEGORY, "term", "terms"),
        (&CATEGORY, "child", "terms"),
        (&CATEGORY, "nodes", "terms"),
        (&TERM, "term", "children"),
        (&TERM, "childern", "children"),
        (&TERM, "child", "children"),
        (&TERM, "nodes", "children"),
        (&TERM, "nmae", "name"),
        (&TERM, "altnames", "altNames"),
        (&TERM, "altName", "altNames"),
        (&TERM, "alt_name", "altNames"),
        (&TERM, "notaton", "notation"),
        (&TERM, "sort_key", "sortKey"),
        (&TERM, "replaced_by", "replacedBy"),
        (&TERM, "relation", "relations"),
        (&TERM, "deprecate", "deprecated"),
        (&TERM, "metaData", "metadata"),
        (&NAME, "cultures", "culture"),
        (&NAME, "Name", "name"),
        (&NOTE, "scopenote", "scopeNote"),
        (&NOTE, "definitions", "definition"),
        (&DEPRECATION, "reasons", "reason"),
        (&RELATION, "schema", "scheme"),
    ] {
        object.misnames(name, known);
    }
}

/// The price of the rule: words of their own that are one letter from a field. They have a place in `metadata`.
#[test]
fn words_that_are_near_a_field_by_chance_are_refused_too() {
    TERM.misnames("note", "notes");
    TERM.misnames("votes", "notes");
    TERM.misnames("rotation", "notation");
    TERM.misnames("teams", "children");
}

#[test]
fn fields_of_others_stay_warnings() {
    let words = "type code label description title text value url uri slug key uid gid guid uuid ids pid index order \
        position level depth parent parentId parents ancestors broader narrower related subterms items subcategories tags \
        status state active enabled visible hidden color colour icon image rank weight count version created modified \
        updated author source comment comments remark synonyms synonym keywords aliases prefLabel altLabel hiddenLabel \
        language lang locale translations nameEn name_en nameFr names_fr fullName displayName finalName shortName \
        externalId legacyId esco isco nace date dates location annotations mode model data properties attributes \
        extra custom game math nama x-internal _id @id @type $ref $comment";
    for word in words.split_whitespace() {
        TERM.ignores(word);
        CATEGORY.ignores(word);
    }
    for word in [
        "name",
        "names",
        "metadata",
        "version",
        "tenant",
        "language",
        "culture",
        "schema",
        "generator",
        "terms",
        "date",
    ] {
        FILE.ignores(word);
    }
    for word in [
        "lang", "language", "locale", "tag", "label", "value", "text", "url", "slug", "id", "type", "script",
    ] {
        NAME.ignores(word);
    }
    for word in ["note", "example", "source", "lang", "scope", "comment"] {
        NOTE.ignores(word);
    }
    for word in ["date", "by", "replacedBy", "version", "comment"] {
        DEPRECATION.ignores(word);
    }
    for word in [
        "name",
        "label",
        "uri",
        "url",
        "kind",
        "target",
        "confidence",
        "source",
    ] {
        RELATION.ignores(word);
    }
    // A long name is compared with nothing.
    let long = "n".repeat(60);
    TERM.ignores(&long);
}

#[test]
fn a_list_of_what_lies_below_under_the_other_name_is_misnamed() {
    let below = r#"[{"id":9,"name":"Rust"}]"#;
    assert_eq!(
        TERM.issues("terms", below),
        ["misnamed-field /categories/0/terms/0/terms"]
    );
    assert_eq!(
        CATEGORY.issues("children", below),
        ["misnamed-field /categories/0/children"]
    );
    assert_eq!(
        TERM.issues("terms", "7"),
        ["wrong-type /categories/0/terms/0/terms"]
    );
    // Nothing is lost with what is empty, as exporters write it that have one class for both.
    for empty in ["[]", "null"] {
        assert_eq!(
            TERM.issues("terms", empty),
            ["unknown-field /categories/0/terms/0/terms"]
        );
        assert_eq!(
            CATEGORY.issues("children", empty),
            ["unknown-field /categories/0/children"]
        );
    }
}
