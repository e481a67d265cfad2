//! Stored forms, pinned: a change here is a change of what is stored.

use std::io::Write as _;

use insta::assert_snapshot;
use taxonomy_keys::{CategoryId, Culture, TenantId, TermId, Version};
use taxonomy_model::attribute::{self, Attributes, Value};
use taxonomy_model::changeset::{self, Cause, Header, HeaderReader};
use taxonomy_model::items::{self, Item};
use taxonomy_model::stats::{Activity, CategoryStats, TenantStats};
use taxonomy_model::stored::{StoredCategory, StoredTerm, final_name};
use taxonomy_model::writes::{self, Write};
use taxonomy_model::{
    Census, Changes, Counts, Hash, Provenance, Taxonomy, apply, diff, facts_between, snapshot, touched,
};

use taxonomy_testfiles::taxonomy;

const SMALL: &str = r#"{
  "defaultCulture": "en-GB",
  "categories": [{ "id": 1,
    "names": [{"culture": "fr-FR", "name": "Secteur", "path": "secteur"}, {"culture": "en-GB", "name": "Sector", "path": "sector"}],
    "altNames": [{"culture": "en-GB", "name": "Field"}, {"culture": "en-GB", "name": "Area"}], "metadata": {"visible": true},
    "terms": [
      { "id": 100, "names": [{"culture": "en-GB", "name": "IT", "path": "sector/it"}], "sortKey": "010",
        "children": [{ "id": 101, "notation": "6201", "deprecated": true, "replacedBy": [100],
          "names": [{"culture": "en-GB", "name": "Rust"}, {"culture": "fr-FR", "name": "Rouille", "path": "secteur/it/rouille"}],
          "altNames": [{"culture": "fr-FR", "name": "Oxyde"}, {"culture": "en-GB", "name": "Oxide"}], "metadata": {"b": 1, "a": [2]},
          "relations": [{"type": "broad", "id": 100}, {"type": "exact", "scheme": "isco", "id": "2512"}], "deprecation": {"reason": "Gone", "since": "2026-01-31"},
          "notes": [{"culture": "fr-FR", "definition": "Une oxydation"}, {"culture": "en-GB", "scopeNote": "Not the game"}] }] }] }] }"#;

fn acme() -> TenantId {
    "acme".parse().unwrap()
}

fn all_items(taxonomy: &Taxonomy) -> Vec<Item> {
    let categories = taxonomy
        .categories()
        .map(|category| items::of_category(&acme(), category));
    categories
        .chain(taxonomy.terms().flat_map(|term| items::of_term(&acme(), term)))
        .collect()
}

fn line(item: &Item) -> String {
    let key = item.key.key();
    format!("{} | {}{}", key.pk, key.sk, attributes(&item.attributes))
}

fn attributes(attributes: &Attributes) -> String {
    attributes
        .iter()
        .map(|(name, value)| format!(" {name}={}", text(value)))
        .collect()
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => format!("[{}]", values.iter().map(text).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => format!("{{{}}}", attributes(map).trim_start()),
        other => other.to_string(),
    }
}

#[test]
fn a_snapshot_is_these_bytes() {
    let mut bytes = Vec::new();
    let hash = snapshot::write(&taxonomy(SMALL), &mut bytes).unwrap();
    assert_snapshot!(String::from_utf8(bytes).unwrap());
    assert_snapshot!(hash.as_str());
}

/// The first two versions of a chain: bytes and ids.
fn chain() -> Vec<(Hash, String)> {
    let first = taxonomy(SMALL);
    let second = taxonomy(&SMALL.replace("\"IT\"", "\"Computing\""));
    let mut written: Vec<(Hash, String)> = Vec::new();
    for (version, old, new) in [(1, None, &first), (2, Some(&first), &second)] {
        let header = Header {
            tenant: acme(),
            version: Version::new(version).unwrap(),
            parent: written.last().map(|(id, _)| id.clone()),
            cause: Cause::Upload {
                sha256: Hash::digest(b"the file"),
            },
            provenance: Provenance::new(|name| {
                (version == 2).then(|| format!("\"{name}\",\"categories\":["))
            }),
            full: false,
            before: old.map(snapshot::hash),
            after: snapshot::hash(new),
            projection_format: 1,
            census: Census::new(new),
            changes: Changes::between(old, new),
            touched: Some(touched(old, new)),
        };
        let mut bytes = Vec::new();
        let changeset::WrittenChangeset { id, .. } =
            changeset::write(&header, facts_between(old, new), &mut bytes).unwrap();
        assert_eq!(id, Hash::digest(&bytes), "the id is the hash of the bytes");
        let read = changeset::read(&bytes).unwrap();
        assert_eq!(read.header, header);
        let applied = apply(old, &read.facts).unwrap();
        assert_eq!(snapshot::hash(&applied), header.after);
        written.push((id, String::from_utf8(bytes).unwrap()));
    }
    written
}

#[test]
fn a_changeset_is_these_bytes() {
    let chain = chain();
    let text: Vec<String> = chain.iter().map(|(id, body)| format!("{id}\n{body}")).collect();
    assert_snapshot!(text.join("\n\n"));
}

/// A cursor counts writes, so their order may change with the projection format alone.
#[test]
fn the_order_of_writes_is_this() {
    let (old, new) = (
        taxonomy(SMALL),
        taxonomy(
            &SMALL
                .replace("\"IT\"", "\"Computing\"")
                .replace("\"id\": 101", "\"id\": 102"),
        ),
    );
    let keys = |writes: &mut dyn Iterator<Item = Write>| {
        writes
            .map(|write| {
                let key = write.item().key.key();
                format!("{} | {}", key.pk, key.sk)
            })
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_snapshot!(keys(&mut writes::between(&acme(), Some(&old), &new, 0)));
}

/// One file for each format that was ever written; none of them may change.
#[test]
fn bodies_of_every_format_can_be_read() {
    let body = include_bytes!("stored/snapshot-1.json");
    let (read, hash) = snapshot::read(&body[..]).unwrap();
    assert_eq!(
        (snapshot::hash_as(&read, 1), &hash),
        (hash.clone(), &Hash::digest(body))
    );
    let body = include_bytes!("stored/changeset-1.json");
    let changeset = changeset::read(body).unwrap();
    assert_eq!(changeset.header.version.get(), 2);
    let parent = "a9d6f45ad3d7de9e663addceaf2643faf115428502686181be58ae6efcc8ab14";
    assert_eq!(changeset.header.parent.unwrap().as_str(), parent);
    assert_eq!(changeset.header.touched, None, "it is from before that was said");
    let applied = apply(Some(&read), &changeset.facts).unwrap();
    assert_eq!(snapshot::hash_as(&applied, 1), changeset.header.after);
}

#[test]
fn a_snapshot_that_no_file_leads_to_is_refused() {
    let read = |culture: &str, name: &str, path: &str| {
        let stored = format!(
            r#"{{"formatVersion":1,"projectionFormat":1,"defaultCulture":"en-GB","fallbackChain":[],"categories":[{{"id":1,"names":[["en-GB","A","a"],["{culture}","{name}","{path}"]]}}],"terms":[]}}"#
        );
        snapshot::read(stored.as_bytes())
            .map(drop)
            .map_err(|error| error.to_string())
    };
    assert_eq!(read("fr-FR", "B", "b"), Ok(()));
    for (what, refused) in [
        ("a culture that names it twice", read("EN-gb", "B", "b")),
        ("a TAB in a name", read("fr-FR", r"B\tB", "b")),
        ("a line break in a path", read("fr-FR", "B", r"b\n")),
    ] {
        assert_eq!(
            refused,
            Err("the snapshot's records make no taxonomy".to_owned()),
            "{what}"
        );
    }
}

/// However the bytes come, and although it keeps no facts.
#[test]
fn a_header_can_be_read_as_its_changeset_streams_by() {
    for (id, body) in chain() {
        let header = changeset::read(body.as_bytes()).unwrap().header;
        for size in [1, 2, 7, 10, 11, 64, body.len()] {
            let mut reader = HeaderReader::default();
            body.as_bytes()
                .chunks(size)
                .for_each(|bytes| reader.write_all(bytes).unwrap());
            assert_eq!(reader.finish().unwrap(), (id.clone(), header.clone()), "{size}");
        }
        let cut = body.find("\"facts\"").unwrap();
        let mut reader = HeaderReader::default();
        reader.write_all(&body.as_bytes()[..cut]).unwrap();
        assert_eq!(
            reader.finish().unwrap_err().to_string(),
            "the changeset has no facts"
        );
    }
}

#[test]
fn aggregates_are_these_attributes() {
    let new = taxonomy(SMALL);
    let Census { totals, categories } = Census::new(&new);
    let tenant = TenantStats {
        counts: totals,
        changed_at: 7,
        added: 3,
        changed: 2,
        removed: 1,
    };
    let category = CategoryStats {
        id: CategoryId::new(categories[0].id).unwrap(),
        counts: categories[0].counts.clone(),
        changed_at: 7,
        removed: false,
    };
    let gone = CategoryStats {
        counts: Counts::default(),
        removed: true,
        ..category
    };
    assert_eq!(
        attribute::read::<TenantStats>(attribute::write(&tenant)).unwrap(),
        tenant
    );
    assert_eq!(
        attribute::read::<CategoryStats>(attribute::write(&category)).unwrap(),
        category
    );
    assert_eq!(
        attribute::read::<CategoryStats>(attribute::write(&gone)).unwrap(),
        gone
    );
    let activity = Activity::new(Changes {
        added: 1,
        changed: 2,
        removed: 3,
        renamed: 4,
        moved: 5,
        deprecated: 6,
        restored: 7,
        final_names: 8,
    });
    assert_snapshot!(format!(
        "{:#?}\n{:#?}\n{:#?}\n{:?}",
        attribute::write(&tenant),
        attribute::write(&category),
        attribute::write(&gone),
        attribute::write(&activity.and(activity))
    ));
}

#[test]
fn a_changeset_of_another_format_is_refused_by_name() {
    let (_, body) = chain().remove(0);
    let later = body.replacen("\"formatVersion\":1", "\"formatVersion\":2", 1);
    let error = changeset::read(later.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "changeset format 2 is not known to this build");
}

#[test]
fn a_changeset_that_lacks_the_number_of_changed_final_names_is_refused() {
    let (_, body) = chain().remove(1);
    let lacking = body.replacen(",\"finalNames\":1", "", 1);
    assert_ne!(lacking, body);
    assert!(changeset::read(lacking.as_bytes()).is_err());
    let mut reader = HeaderReader::default();
    reader.write_all(lacking.as_bytes()).unwrap();
    assert!(reader.finish().is_err());
}

#[test]
fn causes_are_these() {
    let causes = [
        Cause::Configuration,
        Cause::Format,
        Cause::Rebuild,
        Cause::Rollback { to: 3 },
    ];
    let lines: Vec<String> = causes
        .iter()
        .map(|cause| format!("{} {}", cause.kind(), serde_json::to_string(cause).unwrap()))
        .collect();
    assert_snapshot!(lines.join("\n"), @r#"
    configuration {"kind":"configuration"}
    format {"kind":"format"}
    rebuild {"kind":"rebuild"}
    rollback {"kind":"rollback","to":3}
    "#);
}

#[test]
fn items_are_these() {
    let lines: Vec<String> = all_items(&taxonomy(SMALL)).iter().map(line).collect();
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn tombstones_keep_the_term_and_forget_the_rest() {
    let old = taxonomy(SMALL);
    let new = taxonomy(r#"{"defaultCulture":"en-GB","categories":[]}"#);
    let mut lines: Vec<String> = writes::between(&acme(), Some(&old), &new, 1_800_000_000)
        .map(|write| match write {
            Write::Put(item) => format!("put    {}", line(&item)),
            Write::Remove(item) => format!("remove {}", line(&item)),
        })
        .collect();
    lines.sort();
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn facts_are_these() {
    let new = SMALL
        .replace("\"IT\"", "\"Computing\"")
        .replace("Oxyde", "Rouillé")
        .replace(r#""sortKey": "010","#, "")
        .replace("2512", "2513")
        .replace("the game", "the film")
        .replace(r#", "since": "2026-01-31""#, "");
    let facts = diff(Some(&taxonomy(SMALL)), &taxonomy(&new));
    let lines: Vec<String> = facts
        .iter()
        .map(|fact| serde_json::to_string(fact).unwrap())
        .collect();
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn stored_shapes_read_back() {
    for item in all_items(&taxonomy(SMALL)) {
        let stored = || item.attributes.clone();
        let again = match item.key.entity_type() {
            "Category" => attribute::write(&attribute::read::<StoredCategory>(stored()).unwrap()),
            _ => attribute::write(&attribute::read::<StoredTerm>(stored()).unwrap()),
        };
        assert_eq!(again, item.attributes);
    }
}

/// Paths that are stored by their difference are read whole.
#[test]
fn paths_and_final_names_are_read_whole() {
    let taxonomy = taxonomy(SMALL);
    let term = |id| taxonomy.term(TermId::new(id).unwrap()).unwrap();
    let stored: Vec<StoredTerm> = items::of_term(&acme(), term(101))
        .into_iter()
        .map(|item| attribute::read(item.attributes).unwrap())
        .collect();
    let [default, french] = stored.as_slice() else {
        panic!("{stored:?}")
    };
    let path = |term: &StoredTerm, level: usize| term.paths().swap_remove(level);
    assert_eq!(
        (path(default, 0), path(default, 1)),
        (None, Some("sector/it".to_owned()))
    );
    assert_eq!(path(french, 0).as_deref(), Some("secteur/it/rouille"));
    assert_eq!(
        path(french, 1).as_deref(),
        Some("sector/it"),
        "in the culture it has"
    );
    assert_eq!(
        (default.category_name(), french.category_name()),
        ("Sector", "Secteur")
    );
    let above: Vec<String> = french
        .lineage
        .iter()
        .map(|entry| final_name(french.category_name(), &entry.name))
        .collect();
    assert_eq!(above, ["Secteur:IT"]);
    assert_eq!((default.depth(), french.depth()), (2, 2));
}

/// Applies to every writer: an entry of a cache is parsed by the same code.
#[test]
fn a_category_has_each_culture_once_and_in_order() {
    let item = r#"{"Culture": "en-GB", "Name": "Sector", "Names": {"FR-fr": {"Name": "Secteur"}, "cs-CZ": {"Name": "Obor"}}}"#;
    let read: StoredCategory = attribute::read(serde_json::from_str(item).unwrap()).unwrap();
    let cultures: Vec<&str> = read.names.keys().map(Culture::as_str).collect();
    assert_eq!(cultures, ["cs-CZ", "fr-FR"]);
    assert_eq!(
        attribute::read::<StoredCategory>(attribute::write(&read)).unwrap(),
        read
    );
}

#[test]
fn a_malformed_item_names_what_is_wrong() {
    let item = items::of_term(&acme(), taxonomy(SMALL).terms().next().unwrap()).remove(0);
    for (name, value, message) in [
        ("CategoryId", Value::Null, "invalid type: null, expected u64"),
        (
            "CategoryId",
            (1_u64 << 53).into(),
            "category id must be a whole number from 0 to 9007199254740991",
        ),
        (
            "Culture",
            "en_GB".into(),
            "a culture must be a BCP 47 language tag of at most 35 characters, such as en-GB",
        ),
        (
            "Lineage",
            Value::Array(Vec::new()),
            "invalid type: sequence, expected a string",
        ),
        (
            "Path",
            1_u64.into(),
            "invalid type: integer `1`, expected a path, or a list of what follows the path above",
        ),
        (
            "Path",
            Value::Array(Vec::new()),
            "invalid length 0, expected a path, or a list of what follows the path above",
        ),
    ] {
        let mut attributes = item.attributes.clone();
        attributes.insert(name.to_owned(), value);
        let error = attribute::read::<StoredTerm>(attributes).unwrap_err();
        assert_eq!(error.0, message, "{name}");
    }
    let mut attributes = item.attributes;
    attributes.remove("FinalName");
    let error = attribute::read::<StoredTerm>(attributes).unwrap_err();
    assert_eq!(error.0, "missing field `FinalName`");
}
