//! Answers queries over the search objects of a source file, for the proof `search`, which makes the queries and judges the answers.
//!
//! `answers FILE` reads a culture, a tab and a query a line. It writes a line each: the nanoseconds of the search, warm and in process, the least
//! of three; the class of the first hit; the keys of the first five. Lines that begin with `#` give the size of the object of each culture.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a tool that prints lines"
)]

use std::collections::HashMap;
use std::time::Instant;

use taxonomy_collation::sibling_keys;
use taxonomy_index::Preorder;
use taxonomy_index::search::{
    Entry, FOOTER_BYTES, Hit, Index, Kind, Language, Match, Node, PartId, Query, SearchFooter, SearchOptions,
    SearchPart, write,
};
use taxonomy_keys::Culture;
use taxonomy_model::{Limits, Taxonomy, parse};

const REPEATS: usize = 3;
const HITS: usize = 5;

/// A search object with all of its parts in memory.
struct Object {
    index: Index,
    parts: HashMap<PartId, SearchPart>,
}

fn main() {
    let file = std::env::args().nth(1).unwrap();
    let defaults = taxonomy_testfiles::defaults();
    let parsed = parse(&std::fs::read(file).unwrap(), &defaults, Limits::default());
    let taxonomy = parsed.unwrap().taxonomy;
    let cultures = taxonomy.cultures().iter();
    let objects = cultures.map(|culture| (culture.to_string(), object(&taxonomy, culture)));
    let objects: HashMap<String, Object> = objects.collect();
    let ids = ids(&taxonomy);
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (culture, text) = line.split_once('\t').unwrap();
        println!("{}", answer(&objects[culture], &ids, text));
    }
}

/// Writes the object of a culture and reads it.
fn object(taxonomy: &Taxonomy, culture: &Culture) -> Object {
    let entries = entries(taxonomy, culture);
    let (names, started) = (entries.len(), Instant::now());
    let ordinals = Preorder::new(taxonomy, sibling_keys).len();
    let bytes = write(Language::from(culture), ordinals, entries).unwrap();
    let (size, took) = (bytes.len(), started.elapsed().as_millis());
    println!("# {culture}\t{names}\t{size}\t{took}");
    let footer = SearchFooter::read(&bytes[bytes.len() - FOOTER_BYTES..], bytes.len() as u64).unwrap();
    let of = |range: std::ops::Range<u64>| &bytes[range.start as usize..range.end as usize];
    let index = Index::open(&footer, of(footer.root())).unwrap();
    let read = |id| (id, index.part(id, of(index.range(id))).unwrap());
    let parts = index.parts().map(read).collect();
    Object { index, parts }
}

fn entries<'a>(taxonomy: &'a Taxonomy, culture: &Culture) -> Vec<Entry<'a>> {
    let order = Preorder::new(taxonomy, sibling_keys);
    let categories = order.categories_of(taxonomy);
    let categories = categories.map(|category| (category.id().get(), 0, category.node));
    let terms = order.terms_of(taxonomy);
    let terms = terms.map(|term| (term.id().get(), term.depth(), term.node));
    let mut entries = Vec::new();
    for (ordinal, (id, depth, node)) in (0..).zip(categories.chain(terms)) {
        let details = node.details();
        let mut add = |kind, name| {
            entries.push(Entry {
                ordinal,
                id,
                name,
                kind,
                depth,
                deprecated: false,
                sort_key: "",
            });
        };
        if let Some(name) = node.name_in(culture) {
            add(Kind::Preferred, name.name);
        }
        for (_, name) in details.alt_names.iter().filter(|(other, _)| other == culture) {
            add(Kind::Alternative, name);
        }
        if let Some(notation) = &details.notation {
            add(Kind::Notation, notation);
        }
    }
    entries
}

fn answer(object: &Object, ids: &Ids, text: &str) -> String {
    let options = SearchOptions::new(HITS).unwrap();
    let mut least = u128::MAX;
    let mut hits: Vec<Hit> = Vec::new();
    for _ in 0..REPEATS {
        let started = Instant::now();
        let Ok(query) = Query::parse(text) else {
            return "0\trefused\t".to_owned();
        };
        hits = object.index.search(&query, &options, &object.parts).unwrap().hits;
        least = least.min(started.elapsed().as_nanos());
    }
    let key = |hit: &Hit| match hit.node {
        Node::Category => format!("c{}", hit.id),
        Node::Term => format!("t{}", hit.id),
    };
    // The route puts ids behind whole names.
    let (whole, others): (Vec<&Hit>, Vec<&Hit>) = hits.iter().partition(|hit| hit.matched == Match::Whole);
    let with_id = ids.get(text).into_iter().flatten().cloned();
    let keys = whole.into_iter().map(key).chain(with_id);
    let keys = keys.chain(others.into_iter().map(key));
    let keys: Vec<String> = keys.take(HITS).collect();
    let class = hits.first().map(|hit| format!("{:?}", hit.matched));
    let class = class.unwrap_or_default();
    format!("{least}\t{class}\t{}", keys.join(" "))
}

/// The keys of the nodes with an id.
type Ids = HashMap<String, Vec<String>>;

fn ids(taxonomy: &Taxonomy) -> Ids {
    let order = Preorder::new(taxonomy, sibling_keys);
    let categories = order.categories().iter().map(|id| (id.get(), "c"));
    let terms = order.terms().iter().map(|id| (id.get(), "t"));
    let mut ids = Ids::new();
    for (id, kind) in categories.chain(terms) {
        ids.entry(id.to_string()).or_default().push(format!("{kind}{id}"));
    }
    ids
}
