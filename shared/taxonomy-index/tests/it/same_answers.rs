//! Whatever both the table and the file can answer, they answer equally.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use taxonomy_index::{Digest, File, IdTable, PartName, map_of, notation_key, path_key, relation_key};
use taxonomy_keys::{Culture, ItemKey, TenantId};
use taxonomy_model::attribute::{self, Attributes};
use taxonomy_model::items::{self, Item};
use taxonomy_model::stored::{StoredCategory, StoredTerm};
use taxonomy_model::writes::{self, Write};
use taxonomy_model::{Node, NodeId, RelatedId, Taxonomy, Term, snapshot};

use crate::chain::{Link, chain, find, read, values};
use crate::steps::{histories, version_of};

fn acme() -> TenantId {
    "acme".parse().unwrap()
}

fn shape<T: serde::de::DeserializeOwned>(item: &Item) -> T {
    attribute::read(item.attributes.clone()).unwrap()
}

/// The ids of siblings in their order: of the terms below a category and a parent, and of the categories.
type Lists = BTreeMap<Option<(u64, Option<u64>)>, Vec<u64>>;

/// The text by which a node is sorted in a culture, by the keys of these tests.
fn place(taxonomy: &Taxonomy, node: Node<'_>, culture: &Culture, all_have_sort_keys: bool) -> String {
    let names: BTreeMap<&Culture, &str> = node.names().map(|name| (name.culture, name.name)).collect();
    let order = taxonomy.order(culture);
    let name = order.iter().find_map(|culture| names.get(culture)).unwrap();
    let text = node.details().sort_key.as_deref().unwrap_or(name).to_lowercase();
    match *culture == taxonomy.settings().default_culture || all_have_sort_keys {
        true => text,
        false => text.chars().rev().collect(),
    }
}

fn sorted(taxonomy: &Taxonomy, culture: &Culture, nodes: &[(u64, Node<'_>)]) -> Vec<u64> {
    let all_have_keys = nodes.iter().all(|(_, node)| node.details().sort_key.is_some());
    let place = |(id, node): &(u64, Node<'_>)| (place(taxonomy, *node, culture, all_have_keys), *id);
    let places: BTreeSet<(String, u64)> = nodes.iter().map(place).collect();
    places.into_iter().map(|(_, id)| id).collect()
}

/// The ids of a version's categories, and of its terms, each before its children, in the order of a culture; category by category as `categories` says.
fn in_order(taxonomy: &Taxonomy, culture: &Culture, categories: Option<&[u64]>) -> (Vec<u64>, Vec<u64>) {
    let mut nodes: BTreeMap<_, Vec<(u64, Node<'_>)>> = BTreeMap::new();
    for category in taxonomy.categories() {
        let categories = nodes.entry(None).or_default();
        categories.push((category.id().get(), category.node));
    }
    for term in taxonomy.terms() {
        let parent = term.parent().map(|parent| parent.id().get());
        let list = Some((term.category().id().get(), parent));
        nodes.entry(list).or_default().push((term.id().get(), term.node));
    }
    let lists = nodes.into_iter();
    let lists = lists.map(|(list, nodes)| (list, sorted(taxonomy, culture, &nodes)));
    let lists: Lists = lists.collect();
    let sorted = lists.get(&None).cloned().unwrap_or_default();
    let mut terms = Vec::new();
    for category in categories.unwrap_or(&sorted) {
        walk(&lists, *category, None, &mut terms);
    }
    (sorted, terms)
}

fn walk(lists: &Lists, category: u64, parent: Option<u64>, terms: &mut Vec<u64>) {
    for id in lists.get(&Some((category, parent))).into_iter().flatten() {
        terms.push(*id);
        walk(lists, category, Some(*id), terms);
    }
}

fn check_orders(link: &Link, file: &File<'_>, categories: &[u64], terms: &[u64]) {
    let (taxonomy, footer) = (&link.taxonomy, file.footer());
    let default = &taxonomy.settings().default_culture;
    let by_ordinal = [categories, terms].concat();
    for culture in taxonomy.cultures().iter().filter(|culture| *culture != default) {
        let (expect, walked) = in_order(taxonomy, culture, Some(categories));
        let expect = [expect, walked].concat();
        let Some(order) = footer.order_of(culture) else {
            assert_eq!(by_ordinal, expect, "{culture} has the order of the default");
            continue;
        };
        let live = 0..footer.terms().end;
        let part = |at| file.order(footer.order_at(order, at).unwrap()).unwrap();
        let found = live.map(|position| {
            let ordinal = part(position).ordinal_at(position).unwrap();
            assert_eq!(part(ordinal).position_of(ordinal), Some(position));
            by_ordinal[ordinal as usize]
        });
        assert_eq!(found.collect::<Vec<u64>>(), expect, "{culture}");
        assert_ne!(by_ordinal, expect, "{culture} needs no order");
    }
    assert_eq!(footer.order_of(default), None);
}

fn check_categories(link: &Link, file: &File<'_>, order: &[u64]) {
    let taxonomy = &link.taxonomy;
    assert_eq!(file.footer().categories().len(), order.len());
    for (ordinal, id) in (0..).zip(order) {
        let category = taxonomy.category((*id).try_into().unwrap()).unwrap();
        let (block, row) = read(file, ordinal);
        let found = block.category(ordinal).unwrap();
        let item = items::of_category(&acme(), category);
        assert_eq!(found.id().get(), *id);
        assert_eq!(attribute::write(&items::stored_category(found)), item.attributes);
        assert_eq!(items::stored_category(found), shape::<StoredCategory>(&item));
        let own = |term: &Term<'_>| term.category().id().get() == *id;
        assert_eq!(row.span as usize, taxonomy.terms().filter(own).count());
        let top = |term: &Term<'_>| own(term) && term.parent().is_none();
        assert_eq!(row.children as usize, taxonomy.terms().filter(top).count());
        assert_eq!((row.depth, row.removed), (0, false));
        assert_eq!(row.deprecated, category.node.details().deprecated);
        assert!(block.term(ordinal).is_none() && block.removed(ordinal).is_none());
    }
}

fn check_terms(link: &Link, file: &File<'_>, order: &[u64]) {
    let taxonomy = &link.taxonomy;
    let start = file.footer().terms().start;
    assert_eq!(file.footer().terms().len(), order.len());
    let position = |id: u64| order.iter().position(|other| *other == id).unwrap();
    let ordinal_of = |id: u64| start + u32::try_from(position(id)).unwrap();
    for (ordinal, id) in (start..).zip(order) {
        let term = taxonomy.term((*id).try_into().unwrap()).unwrap();
        let (block, row) = read(file, ordinal);
        let found = block.term(ordinal).unwrap();
        assert_eq!(found.id().get(), *id);
        let items = items::of_term(&acme(), term);
        for item in &items {
            let stored: StoredTerm = shape(item);
            let order = taxonomy.order(&stored.culture);
            assert_eq!(items::stored_term(found, &order), stored);
        }
        let stored = items::stored_term(found, &[]);
        assert_eq!(attribute::write(&stored), items[0].attributes);
        let parent = term.parent().map(|parent| ordinal_of(parent.id().get()));
        assert_eq!(row.first, parent);
        assert_eq!((row.depth, row.removed), (term.depth(), false));
        assert_eq!(row.deprecated, term.node.details().deprecated);
        let child = |other: &Term<'_>| other.parent().is_some_and(|above| above.id() == term.id());
        assert_eq!(row.children as usize, taxonomy.terms().filter(child).count());
        let end = ordinal + row.span;
        let below = |id: &u64| {
            let other = taxonomy.term((*id).try_into().unwrap()).unwrap();
            other.ancestors().any(|above| above.id() == term.id())
        };
        let subtree = order.iter().filter(|id| below(id)).map(|id| ordinal_of(*id));
        assert!(subtree.eq(ordinal + 1..end), "{id}");
    }
}

/// The tombstones of a chain, by plain code: of every id the one of the last version that had it.
#[derive(Default)]
struct Graves(BTreeMap<NodeId, Attributes>);

impl Graves {
    fn step(&mut self, before: &Taxonomy, now: &Taxonomy) {
        for write in writes::between(&acme(), Some(before), now, 0) {
            match write {
                Write::Remove(Item { key, attributes, .. }) => match key {
                    ItemKey::Category { category, .. } => {
                        self.0.insert(NodeId::Category(category.get()), attributes)
                    }
                    ItemKey::Term { term, .. } => self.0.insert(NodeId::Term(term.get()), attributes),
                    _ => None,
                },
                Write::Put(_) => None,
            };
        }
        self.0.retain(|node, _| match node {
            NodeId::Category(id) => now.category((*id).try_into().unwrap()).is_none(),
            NodeId::Term(id) => now.term((*id).try_into().unwrap()).is_none(),
        });
    }

    fn check(&self, file: &File<'_>) {
        let (categories, terms) = (file.footer().removed_categories(), file.footer().removed_terms());
        let mut found = BTreeMap::new();
        for ordinal in categories.clone().chain(terms) {
            let (block, row) = read(file, ordinal);
            let (id, item) = block.removed(ordinal).unwrap();
            let category = block.removed_category(ordinal).unwrap();
            let term = block.removed_term(ordinal).unwrap();
            let is_category = categories.contains(&ordinal);
            assert_eq!((category.is_some(), term.is_none()), (is_category, is_category));
            assert!(block.category(ordinal).is_none() && block.term(ordinal).is_none());
            let (node, table, depth) = if let Some((typed, stored)) = category {
                let read: StoredCategory = attribute::read(item.clone()).unwrap();
                assert_eq!((typed.get(), stored), (id, read));
                (NodeId::Category(id), IdTable::CategoryIds, 0)
            } else {
                let ((typed, stored), read) = (term.unwrap(), attribute::read(item.clone()).unwrap());
                let depth = StoredTerm::depth(&stored);
                assert_eq!((typed.get(), stored), (id, read));
                (NodeId::Term(id), IdTable::TermIds, depth)
            };
            let numbers = (row.span, row.first, row.children, usize::from(row.depth));
            assert_eq!(numbers, (0, None, 0, depth));
            assert!(row.deprecated && row.removed);
            assert_eq!(find(file, table, id), Some((ordinal, row)));
            found.insert(node, item.clone());
        }
        assert_eq!(found, self.0);
    }
}

/// The file names every id that the chain ever had.
fn check_nodes(links: &[Link], file: &File<'_>) {
    let mut ever = BTreeSet::new();
    for Link { taxonomy, .. } in links {
        let categories = taxonomy.categories().map(|category| category.id().get());
        ever.extend(categories.map(NodeId::Category));
        ever.extend(taxonomy.terms().map(|term| NodeId::Term(term.id().get())));
    }
    let named = file.nodes().flat_map(Result::unwrap);
    let named: Vec<NodeId> = named.map(|(node, _)| node).collect();
    assert_eq!(named.len(), ever.len());
    assert_eq!(named.into_iter().collect::<BTreeSet<_>>(), ever);
}

type Entries = BTreeMap<IdTable, Vec<(u64, u32)>>;

fn entries_of(node: Node<'_>, ordinal: u32, entries: &mut Entries) {
    let mut add = |table, key| entries.entry(table).or_default().push((key, ordinal));
    for name in node.names() {
        if let Some(path) = name.path {
            add(IdTable::Paths, path_key(name.culture, &path.text()));
        }
    }
    if let Some(notation) = &node.details().notation {
        add(IdTable::Notations, notation_key(notation));
    }
    for relation in &node.details().relations {
        let id = match &relation.id {
            RelatedId::Term(id) => id.to_string(),
            RelatedId::Concept(id) => id.clone(),
        };
        add(IdTable::Relations, relation_key(relation.scheme.as_deref(), &id));
    }
}

fn check_tables(file: &File<'_>, nodes: &[Node<'_>]) {
    let mut entries = Entries::new();
    for (ordinal, node) in (0..).zip(nodes) {
        entries_of(*node, ordinal, &mut entries);
    }
    for table in [IdTable::Paths, IdTable::Notations, IdTable::Relations] {
        let mut expect = entries.remove(&table).unwrap_or_default();
        expect.sort_unstable();
        expect.dedup();
        let buckets = (0..file.footer().buckets_of(table)).map(|number| file.bucket(table, number).unwrap());
        let found = buckets.flat_map(|bucket| bucket.entries().collect::<Vec<_>>());
        let found: Vec<(u64, u32)> = found.collect();
        assert_eq!(found, expect, "{table}");
        for (key, ordinal) in expect {
            assert!(values(file, table, key).contains(&ordinal), "{table}");
        }
    }
}

/// Compares each bit map with the nodes, one by one.
fn check_maps(file: &File<'_>, nodes: &[Node<'_>]) {
    let footer = file.footer();
    let check = |map, has: &dyn Fn(Node<'_>) -> bool| {
        let (first, parts) = footer.parts_of_map(&map);
        let parts = parts.iter().map(|part| match part.name {
            PartName::Bits(number) => file.bits(number).unwrap(),
            other => unreachable!("{other} is no part of bit maps"),
        });
        let set = map_of(parts.collect::<Vec<_>>().iter(), first, map);
        for (ordinal, node) in (0..).zip(nodes) {
            assert_eq!(set.contains(ordinal), has(*node), "{ordinal}");
        }
    };
    for culture in footer.cultures() {
        let has = |node: Node<'_>| node.names().any(|name| name.culture == culture);
        check(footer.map_of_named(culture).unwrap(), &has);
    }
    check(footer.map_of_deprecated(), &|node| node.details().deprecated);
    assert_eq!(footer.map_of_named(&"x-none".parse().unwrap()), None);
}

/// Compares the content of a file for live categories and terms with the items of the table.
fn check(link: &Link) {
    let file = link.file();
    assert_eq!(file.digest(), Ok(link.digest));
    // A lost snapshot follows from the index file: the hash names its bytes.
    assert_eq!(snapshot::hash(&file.taxonomy().unwrap()), link.identity.state);
    let footer = file.footer();
    assert_eq!(footer.identity(), &link.identity);
    assert_eq!(footer.settings(), link.taxonomy.settings());
    assert_eq!(footer.cultures(), link.taxonomy.cultures());
    for culture in footer.cultures() {
        let digest = Digest::from_content(culture.as_str().as_bytes());
        let key = link.identity.search_key(culture, digest);
        assert_eq!(footer.search_key(culture), Some(key));
    }
    let default = &link.taxonomy.settings().default_culture;
    let (categories, terms) = in_order(&link.taxonomy, default, None);
    check_categories(link, &file, &categories);
    check_terms(link, &file, &terms);
    check_orders(link, &file, &categories, &terms);
    let of_category = |id: &u64| link.taxonomy.category((*id).try_into().unwrap()).unwrap().node;
    let of_term = |id: &u64| link.taxonomy.term((*id).try_into().unwrap()).unwrap().node;
    let terms = terms.iter().map(of_term);
    let nodes: Vec<Node<'_>> = categories.iter().map(of_category).chain(terms).collect();
    check_tables(&file, &nodes);
    check_maps(&file, &nodes);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_file_answers_as_the_table_does(history in histories()) {
        let mut graves = Graves::default();
        let [links, again] = [(); 2].map(|()| chain(history.iter().map(|json| version_of(json))));
        for (number, link) in links.iter().enumerate() {
            prop_assert_eq!(&link.body, &again[number].body, "the same history gives the same bytes");
            if let Some(before) = number.checked_sub(1).map(|before| &links[before]) {
                graves.step(&before.taxonomy, &link.taxonomy);
            }
            check(link);
            graves.check(&link.file());
            check_nodes(&links[..=number], &link.file());
        }
    }
}
