//! Large taxonomies: parts stay within their bounds.

use taxonomy_index::{File, IdTable, PartName};
use taxonomy_keys::TermId;
use taxonomy_model::{items, snapshot};

use crate::chain::{Link, chain, find, read, values};

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
        let is_block = matches!(part.name, PartName::Block(_));
        let most = if is_block { blocks } else { 1 << 20 };
        assert!(part.content <= most, "{}: {} bytes", part.name, part.content);
    }
}

#[test]
fn a_hundred_thousand_categories_share_blocks() {
    const COUNT: u64 = 100_000;
    let category = |id: u64| format!(r#"{{"id":{id},"names":[["en-GB","C{id}"]]}}"#);
    let term = |id: u64| format!(r#"{{"id":{id},"category":{id},"names":[["en-GB","T{id}"]]}}"#);
    let categories = (1..=COUNT).map(category).collect::<Vec<String>>().join(",");
    let terms = (1..=COUNT).map(term).collect::<Vec<String>>().join(",");
    let link = link("en-GB", &categories, &terms);
    let file = link.file();
    check_bounds(&file, 33 << 10);
    let content = categories.len() + terms.len();
    // Terms stand beside their categories, so those are written twice.
    let blocks = file.footer().blocks();
    assert!((blocks as usize) < 2 * content / (32 << 10), "{blocks} blocks");
    for id in [1, 2, 77_777, COUNT] {
        let (ordinal, row) = find(&file, IdTable::TermIds, id).unwrap();
        let block = file.block_of(ordinal).unwrap();
        let culture = "en-GB".parse().unwrap();
        let stored = items::stored_term(block.term(ordinal).unwrap(), std::slice::from_ref(&culture));
        assert_eq!(stored.final_name, format!("C{id}:T{id}"));
        assert_eq!((row.span, row.first), (1, None));
        let (category, row) = find(&file, IdTable::CategoryIds, id).unwrap();
        assert_eq!((row.span, row.first), (1, Some(ordinal)));
        let block = file.block_of(category).unwrap();
        assert_eq!(block.category(category).unwrap().id().get(), id);
    }
}

#[test]
fn fifty_thousand_siblings_lie_in_bounded_parts() {
    const COUNT: u64 = 50_000;
    let term = |id: u64| {
        let (name, notation) = (COUNT - id, id % 7);
        let names = format!(r#"[["en-GB","T{name:05}","p/same"]]"#);
        format!(r#"{{"id":{id},"category":1,"parent":0,"names":{names},"notation":"N{notation}"}}"#)
    };
    let parent = r#"{"id":0,"category":1,"names":[["en-GB","Parent","p"]]}"#.to_owned();
    let terms: Vec<String> = [parent].into_iter().chain((1..=COUNT).map(term)).collect();
    let category = r#"{"id":1,"names":[["en-GB","C","p"]]}"#;
    let link = link("en-GB", category, &terms.join(","));
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
    assert!(values(&file, IdTable::Paths, same).into_iter().eq(2..50_002));
    let notation = values(&file, IdTable::Notations, taxonomy_index::notation_key("N3"));
    assert_eq!(notation.len(), (1..=COUNT).filter(|id| id % 7 == 3).count());
}

/// The most that the format allows: 32 levels of names and paths in 500 cultures, half of each byte escaped, and the largest records.
#[test]
fn the_largest_lineage_fits_into_a_block() {
    let tag = |n| format!("qaa-x-{n:03}aaaaa-bbbbbbbb-cccccccc-dd");
    let tags: Vec<String> = (0..500).map(tag).collect();
    let record = |id: u64, above: &str, further: &str| {
        // 40,000 bytes of names and tags, 2,048 a path, all of which JSON escapes.
        let (name, path) = ("\\\"".repeat(45), "\\\"".repeat(2_046));
        let named = |tag: &String| format!(r#"["{tag}","{name}","{path}{id:02}"]"#);
        let names = tags.iter().map(named).collect::<Vec<String>>().join(",");
        format!(r#"{{"id":{id},{above}"names":[{names}]{further}}}"#)
    };
    let text = "\\n".repeat(4_000);
    let note = |tag: &String| format!(r#""{tag}":{{"definition":"{text}","scopeNote":"{text}"}}"#);
    let notes = tags.iter().map(note).collect::<Vec<String>>().join(",");
    let alt_name = format!(r#"["{}","{}"]"#, tags[0], "\\\"".repeat(2_000));
    let alt_names = vec![alt_name; 75].join(",");
    let further = format!(r#","altNames":[{alt_names}],"notes":{{{notes}}}"#);
    let mut terms = vec![record(1, r#""category":1,"#, "")];
    let below = |id| record(id, &format!(r#""category":1,"parent":{},"#, id - 1), "");
    terms.extend((2..=31).map(below));
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
    let cultures = [tags[499].parse().unwrap()];
    let [found, expect] = [found, term].map(|term| items::stored_term(term, &cultures));
    assert_eq!(found, expect);
}
