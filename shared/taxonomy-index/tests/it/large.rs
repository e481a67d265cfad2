//! Large taxonomies: parts stay within their bounds, and a block answers its terms wherever it begins.

use std::fmt::Write as _;

use serde_json::{Value, json};
use taxonomy_index::{File, IdTable, PartName};
use taxonomy_keys::TermId;
use taxonomy_model::{items, snapshot};

use crate::chain::{Link, chain, find, read, values};
use crate::same_answers::check;
use taxonomy_testfiles::taxonomy;

/// The one version of a tenant, from the records of its snapshot.
fn link(culture: &str, categories: &str, terms: &str) -> Link {
    let json = format!(
        r#"{{"formatVersion":1,"projectionFormat":1,"defaultCulture":"{culture}","fallbackChain":[],"categories":[{categories}],"terms":[{terms}]}}"#
    );
    let (taxonomy, _) = snapshot::read(json.as_bytes()).unwrap();
    chain([taxonomy]).pop().unwrap()
}

/// The parts that are neither of a footer nor a block have at most 1 MiB of content, and so have blocks, but for `blocks`.
fn check_bounds(file: &File<'_>, blocks: u32) {
    for part in file.footer().parts() {
        let most = if let PartName::Block(_) = part.name {
            blocks
        } else {
            1 << 20
        };
        assert!(part.content <= most, "{}: {} bytes", part.name, part.content);
    }
}

/// Some 300 terms in three categories, each path of eight levels, 2 KB a term: blocks begin at every depth.
#[test]
fn a_block_answers_its_terms_wherever_it_begins() {
    let mut id = 0;
    let mut node = |path: &str| {
        id += 1;
        let names = json!([{"culture": "en-GB", "name": format!("N{id}"), "path": path}, {"culture": "fr-FR", "name": format!("F{id}")}]);
        let notes = json!([{"culture": "en-GB", "definition": "d".repeat(1_900)}]);
        json!({"id": id, "names": names, "notes": notes, "metadata": {"id": id}})
    };
    let mut categories = Vec::new();
    for number in 0..3 {
        let mut chains = Vec::new();
        for _ in 0..12 {
            let mut below: Option<Value> = None;
            for depth in (1..=8).rev() {
                let mut term = node(&format!("c{number}{}", "/x".repeat(depth)));
                term["children"] = json!(below.into_iter().collect::<Vec<Value>>());
                below = Some(term);
            }
            chains.extend(below);
        }
        let mut category = node(&format!("c{number}"));
        category["terms"] = json!(chains);
        categories.push(category);
    }
    let file = json!({"defaultCulture": "en-GB", "categories": categories}).to_string();
    let link = chain([taxonomy(&file)]).pop().unwrap();
    check(&link);
    let file = link.file();
    check_bounds(&file, 36 << 10);
    let blocks = (0..file.footer().blocks()).map(|number| file.block(number).unwrap());
    let depths: Vec<u8> = blocks
        .filter_map(|block| Some(block.term(block.ordinals().start)?.depth()))
        .collect();
    assert!(
        depths.len() > 10 && depths.iter().any(|depth| *depth > 4),
        "{depths:?}"
    );
}

#[test]
fn a_hundred_thousand_categories_share_blocks() {
    const COUNT: u64 = 100_000;
    let (mut categories, mut terms) = (String::new(), String::new());
    for id in 1..=COUNT {
        let comma = if id > 1 { "," } else { "" };
        write!(categories, r#"{comma}{{"id":{id},"names":[["en-GB","C{id}"]]}}"#).unwrap();
        write!(
            terms,
            r#"{comma}{{"id":{id},"category":{id},"names":[["en-GB","T{id}"]]}}"#
        )
        .unwrap();
    }
    let link = link("en-GB", &categories, &terms);
    let file = link.file();
    check_bounds(&file, 33 << 10);
    let content = categories.len() + terms.len();
    // Terms stand beside their categories, so those are written twice.
    assert!(
        (file.footer().blocks() as usize) < 2 * content / (32 << 10),
        "{} blocks",
        file.footer().blocks()
    );
    for id in [1, 2, 77_777, COUNT] {
        let (ordinal, row) = find(&file, IdTable::TermIds, id).unwrap();
        let block = file.block_of(ordinal).unwrap();
        let culture = "en-GB".parse().unwrap();
        let stored = items::stored_term(block.term(ordinal).unwrap(), std::slice::from_ref(&culture));
        assert_eq!(stored.final_name, format!("C{id}:T{id}"));
        assert_eq!((row.span, row.first), (1, None));
        let (category, row) = find(&file, IdTable::CategoryIds, id).unwrap();
        assert_eq!((row.span, row.first), (1, Some(ordinal)));
        assert_eq!(
            file.block_of(category)
                .unwrap()
                .category(category)
                .unwrap()
                .id()
                .get(),
            id
        );
    }
}

#[test]
fn fifty_thousand_siblings_lie_in_bounded_parts() {
    const COUNT: u64 = 50_000;
    let mut terms = r#"{"id":0,"category":1,"names":[["en-GB","Parent","p"]]}"#.to_owned();
    for id in 1..=COUNT {
        write!(terms, r#",{{"id":{id},"category":1,"parent":0,"names":[["en-GB","T{:05}","p/same"]],"notation":"N{}"}}"#, COUNT - id, id % 7).unwrap();
    }
    let link = link("en-GB", r#"{"id":1,"names":[["en-GB","C","p"]]}"#, &terms);
    let file = link.file();
    check_bounds(&file, 33 << 10);
    assert_eq!(file.footer().columns(), 7);
    let (_, row) = find(&file, IdTable::TermIds, 0).unwrap();
    assert_eq!((row.span, row.depth), (50_001, 1));
    // The names descend by id, so the order does.
    for (ordinal, id) in [(2, COUNT), (3, COUNT - 1), (50_001, 1)] {
        let (block, row) = read(&file, ordinal);
        assert_eq!(block.term(ordinal).unwrap().id().get(), id);
        assert_eq!((row.span, row.first, row.depth), (1, Some(1), 2));
    }
    // One key over several buckets.
    let same = taxonomy_index::path_key(&"en-GB".parse().unwrap(), "p/same");
    assert_eq!(
        values(&file, IdTable::Paths, same),
        (2..50_002).collect::<Vec<u32>>()
    );
    let notation = values(&file, IdTable::Notations, taxonomy_index::notation_key("N3"));
    assert_eq!(notation.len(), (1..=COUNT).filter(|id| id % 7 == 3).count());
}

/// The most that the format allows: 32 levels of names and paths in 500 cultures, half of each byte escaped, and the largest records.
#[test]
fn the_largest_lineage_fits_into_a_block() {
    let tags: Vec<String> = (0..500)
        .map(|n| format!("qaa-x-{n:03}aaaaa-bbbbbbbb-cccccccc-dd"))
        .collect();
    let record = |id: u64, above: &str, further: &str| {
        // 40,000 bytes of names and tags, 2,048 a path, all of which JSON escapes.
        let names: Vec<String> = tags
            .iter()
            .map(|tag| {
                format!(
                    r#"["{tag}","{}","{}{id:02}"]"#,
                    "\\\"".repeat(45),
                    "\\\"".repeat(2_046)
                )
            })
            .collect();
        format!(r#"{{"id":{id},{above}"names":[{}]{further}}}"#, names.join(","))
    };
    let text = "\\n".repeat(4_000);
    let notes: Vec<String> = tags
        .iter()
        .map(|tag| format!(r#""{tag}":{{"definition":"{text}","scopeNote":"{text}"}}"#))
        .collect();
    let alt_names: Vec<String> = (0..75)
        .map(|_| format!(r#"["{}","{}"]"#, tags[0], "\\\"".repeat(2_000)))
        .collect();
    let further = format!(
        r#","altNames":[{}],"notes":{{{}}}"#,
        alt_names.join(","),
        notes.join(",")
    );
    let mut terms: Vec<String> = (1..=31)
        .map(|id| match id {
            1 => record(1, r#""category":1,"#, ""),
            _ => record(id, &format!(r#""category":1,"parent":{},"#, id - 1), ""),
        })
        .collect();
    terms.extend((32..34).map(|id| record(id, r#""category":1,"parent":31,"#, &further)));
    let link = link(&tags[0], &record(1, "", &further), &terms.join(","));
    let file = link.file();
    check_bounds(&file, 96 << 20);
    let largest = file.footer().parts().map(|part| part.content).max().unwrap();
    assert!(largest > 70 << 20, "{largest} bytes do not come near the bound");
    let (ordinal, row) = find(&file, IdTable::TermIds, 33).unwrap();
    assert_eq!(row.depth, 32);
    let block = file.block_of(ordinal).unwrap();
    let found = block.term(ordinal).unwrap();
    let term = link.taxonomy.term(TermId::new(33).unwrap()).unwrap();
    let culture = tags[499].parse().unwrap();
    assert_eq!(
        items::stored_term(found, std::slice::from_ref(&culture)),
        items::stored_term(term, std::slice::from_ref(&culture))
    );
}
