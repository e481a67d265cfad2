//! Stored forms, pinned: a change here is a change of what is stored.

use std::fmt::Debug;
use std::io::Write as _;

use insta::assert_snapshot;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
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

pub(crate) fn acme() -> TenantId {
    "acme".parse().unwrap()
}

/// The items of a version.
pub(crate) fn all_items(tenant: &TenantId, taxonomy: &Taxonomy) -> Vec<Item> {
    let categories = taxonomy.categories();
    let categories = categories.map(|category| items::of_category(tenant, category));
    let terms = taxonomy.terms().flat_map(|term| items::of_term(tenant, term));
    categories.chain(terms).collect()
}

fn line(item: &Item) -> String {
    let key = item.key.key();
    format!("{} | {}{}", key.pk, key.sk, attributes(&item.attributes))
}

fn attributes(attributes: &Attributes) -> String {
    let attributes = attributes.iter();
    let attributes = attributes.map(|(name, value)| format!(" {name}={}", text(value)));
    attributes.collect()
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
        let nasty = |name: &str| (version == 2).then(|| format!("\"{name}\",\"categories\":["));
        let header = Header {
            tenant: acme(),
            version: Version::new(version).unwrap(),
            parent: written.last().map(|(id, _)| id.clone()),
            cause: Cause::Upload {
                sha256: Hash::digest(b"the file"),
            },
            provenance: Provenance::new(nasty),
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
    let new = SMALL.replace("\"IT\"", "\"Computing\"");
    let new = taxonomy(&new.replace("\"id\": 101", "\"id\": 102"));
    let (tenant, old) = (acme(), taxonomy(SMALL));
    let keys = writes::between(&tenant, Some(&old), &new, 0).map(|write| write.item().key.key());
    let lines: Vec<String> = keys.map(|key| format!("{} | {}", key.pk, key.sk)).collect();
    assert_snapshot!(lines.join("\n"));
}

/// One file for each format that was ever written; none of them may change.
#[test]
fn bodies_of_every_format_can_be_read() {
    let body = include_bytes!("stored/snapshot-1.json");
    let (read, hash) = snapshot::read(&body[..]).unwrap();
    let hashes = [snapshot::hash_as(&read, 1), Hash::digest(body)];
    assert_eq!(hashes, [hash.clone(), hash]);
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
        let names = format!(r#"[["en-GB","A","a"],["{culture}","{name}","{path}"]]"#);
        let head = r#""formatVersion":1,"projectionFormat":1,"defaultCulture":"en-GB","fallbackChain":[]"#;
        let stored = format!(r#"{{{head},"categories":[{{"id":1,"names":{names}}}],"terms":[]}}"#);
        let read = snapshot::read(stored.as_bytes()).map(drop);
        read.map_err(|error| error.to_string())
    };
    assert_eq!(read("fr-FR", "B", "b"), Ok(()));
    let refused = Err("the snapshot's records make no taxonomy".to_owned());
    for (what, culture, name, path) in [
        ("a culture that names it twice", "EN-gb", "B", "b"),
        ("a TAB in a name", "fr-FR", r"B\tB", "b"),
        ("a line break in a path", "fr-FR", "B", r"b\n"),
    ] {
        assert_eq!(read(culture, name, path), refused, "{what}");
    }
}

/// However the bytes come, and although it keeps no facts.
#[test]
fn a_header_can_be_read_as_its_changeset_streams_by() {
    for (id, body) in chain() {
        let header = changeset::read(body.as_bytes()).unwrap().header;
        for size in [1, 2, 7, 10, 11, 64, body.len()] {
            let mut reader = HeaderReader::default();
            for piece in body.as_bytes().chunks(size) {
                reader.write_all(piece).unwrap();
            }
            assert_eq!(reader.finish().unwrap(), (id.clone(), header.clone()), "{size}");
        }
        let mut reader = HeaderReader::default();
        let (header, _) = body.split_once("\"facts\"").unwrap();
        reader.write_all(header.as_bytes()).unwrap();
        let error = reader.finish().unwrap_err().to_string();
        assert_eq!(error, "the changeset has no facts");
    }
}

/// The attributes of what reads back from them.
fn kept<T: Serialize + DeserializeOwned + PartialEq + Debug>(stats: &T) -> Attributes {
    let attributes = attribute::write(stats);
    assert_eq!(&attribute::read::<T>(attributes.clone()).unwrap(), stats);
    attributes
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
    let twice = kept(&activity.and(activity));
    let stats = [kept(&tenant), kept(&category), kept(&gone)].map(|kept| format!("{kept:#?}\n"));
    assert_snapshot!(format!("{}{twice:?}", stats.concat()));
}

#[test]
fn causes_are_these() {
    let causes = [
        Cause::Configuration,
        Cause::Format,
        Cause::Rebuild,
        Cause::Rollback { to: 3 },
    ];
    let lines = causes.map(|cause| format!("{} {}", cause.kind(), serde_json::to_string(&cause).unwrap()));
    assert_snapshot!(lines.join("\n"), @r#"
    configuration {"kind":"configuration"}
    format {"kind":"format"}
    rebuild {"kind":"rebuild"}
    rollback {"kind":"rollback","to":3}
    "#);
}

#[test]
fn items_are_these() {
    let items = all_items(&acme(), &taxonomy(SMALL));
    for item in &items {
        let stored = item.attributes.clone();
        let again = match item.key.entity_type() {
            "Category" => attribute::write(&attribute::read::<StoredCategory>(stored).unwrap()),
            _ => attribute::write(&attribute::read::<StoredTerm>(stored).unwrap()),
        };
        assert_eq!(again, item.attributes, "it reads back");
    }
    assert_snapshot!(items.iter().map(line).collect::<Vec<_>>().join("\n"));
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
    let lines = facts.iter().map(|fact| serde_json::to_string(fact).unwrap());
    assert_snapshot!(lines.collect::<Vec<String>>().join("\n"));
}

/// Paths that are stored by their difference are read whole.
#[test]
fn paths_and_final_names_are_read_whole() {
    let taxonomy = taxonomy(SMALL);
    let term = taxonomy.term(TermId::new(101).unwrap()).unwrap();
    let items = items::of_term(&acme(), term).into_iter();
    let stored = items.map(|item| attribute::read(item.attributes).unwrap());
    let [default, french] = &stored.collect::<Vec<StoredTerm>>()[..] else {
        panic!("it is named in two cultures")
    };
    let paths = |term: &StoredTerm| -> Vec<String> {
        term.paths().into_iter().map(Option::unwrap_or_default).collect()
    };
    assert_eq!(paths(default), ["", "sector/it"]);
    // That of the term above in the culture it has.
    assert_eq!(paths(french), ["secteur/it/rouille", "sector/it"]);
    let categories = [default, french].map(StoredTerm::category_name);
    assert_eq!(categories, ["Sector", "Secteur"]);
    let above = french.lineage.iter();
    let above = above.map(|entry| final_name(french.category_name(), &entry.name));
    assert_eq!(above.collect::<Vec<String>>(), ["Secteur:IT"]);
    assert_eq!((default.depth(), french.depth()), (2, 2));
}

/// Applies to every writer: an entry of a cache is parsed by the same code.
#[test]
fn a_category_has_each_culture_once_and_in_order() {
    let item = r#"{"Culture": "en-GB", "Name": "Sector", "Names": {"FR-fr": {"Name": "Secteur"}, "cs-CZ": {"Name": "Obor"}}}"#;
    let read: StoredCategory = attribute::read(serde_json::from_str(item).unwrap()).unwrap();
    let cultures: Vec<&str> = read.names.keys().map(Culture::as_str).collect();
    assert_eq!(cultures, ["cs-CZ", "fr-FR"]);
    kept(&read);
}

#[test]
fn a_malformed_item_names_what_is_wrong() {
    let item = items::of_term(&acme(), taxonomy(SMALL).terms().next().unwrap()).remove(0);
    let no_path = "expected a path, or a list of what follows the path above";
    let no_id = "category id must be a whole number from 0 to 9007199254740991";
    let no_culture = "a culture must be a BCP 47 language tag of at most 35 characters, such as en-GB";
    for (name, value, message) in [
        ("CategoryId", json!(null), "invalid type: null, expected u64"),
        ("CategoryId", json!(1_u64 << 53), no_id),
        ("Culture", json!("en_GB"), no_culture),
        ("Lineage", json!([]), "invalid type: sequence, expected a string"),
        ("Path", json!(1), &format!("invalid type: integer `1`, {no_path}")),
        ("Path", json!([]), &format!("invalid length 0, {no_path}")),
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
