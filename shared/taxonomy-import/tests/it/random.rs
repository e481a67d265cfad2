//! Random trees, written in each dialect by this test, imported, and compared with the tree itself.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proptest::prelude::*;
use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{Categories, Statement};

use crate::support::{Imported, Source, graph_of, import, options, read};

/// A tree: of each concept the name and the number of an earlier one, its parent.
#[derive(Debug, Clone)]
struct Made {
    nodes: Vec<(String, Option<usize>)>,
    /// The order in which rows are written.
    order: Vec<usize>,
}

/// Names have what is special in some dialect, but nothing that it cannot write.
fn name() -> impl Strategy<Value = String> {
    let letter = prop::sample::select(vec![
        "a", "B", "é", "字", "1", "-", "&", "'", "\"", ";", ":", "|", ".", "+",
    ]);
    prop::collection::vec(letter, 1..6).prop_map(|letters| letters.concat())
}

fn tree() -> impl Strategy<Value = Made> {
    let node = (name(), any::<prop::sample::Index>(), 0..4_u8);
    prop::collection::vec(node, 1..30)
        .prop_map(|drawn| {
            let nodes = drawn.into_iter().enumerate().map(|(at, (name, parent, is_top))| {
                let parent = (at > 0 && is_top > 0).then(|| parent.index(at));
                // The number makes names unique, so that paths are keys.
                (format!("{name} n{at}"), parent)
            });
            nodes.collect::<Vec<_>>()
        })
        .prop_flat_map(|nodes| {
            let order: Vec<usize> = (0..nodes.len()).collect();
            (Just(nodes), Just(order).prop_shuffle())
        })
        .prop_map(|(nodes, order)| Made { nodes, order })
}

impl Made {
    fn path(&self, node: usize) -> Vec<&str> {
        let mut path = Vec::new();
        let mut at = Some(node);
        while let Some(node) = at {
            path.push(self.nodes[node].0.as_str());
            at = self.nodes[node].1;
        }
        path.reverse();
        path
    }

    /// The paths of all terms, as an import shows them.
    fn expected(&self) -> Vec<String> {
        let terms = (0..self.nodes.len()).filter(|node| self.nodes[*node].1.is_some());
        let mut paths: Vec<String> = terms.map(|node| self.path(node).join("/")).collect();
        paths.sort();
        paths
    }

    fn google(&self, has_ids: bool) -> String {
        let mut text = String::new();
        for &node in &self.order {
            let path = self.path(node).join(" > ");
            match has_ids {
                true => writeln!(text, "{} - {path}", node + 1).unwrap(),
                false => writeln!(text, "{path}").unwrap(),
            }
        }
        text
    }

    fn shopify(&self) -> String {
        let mut text = String::new();
        for &node in &self.order {
            let path = self.path(node).join(" > ");
            writeln!(text, "gid://shopify/TaxonomyCategory/c-{node} : {path}").unwrap();
        }
        text
    }

    fn table(&self) -> String {
        let mut text = "name;id;parent\n".to_owned();
        for &node in &self.order {
            let (name, parent) = &self.nodes[node];
            let parent = parent.map(|parent| format!("k{parent}")).unwrap_or_default();
            writeln!(text, "\"{}\";k{node};{parent}", name.replace('"', "\"\"")).unwrap();
        }
        text
    }

    /// The same table as spreadsheets and databases write it: the delimiter stated, cells without a column, words for no parent, blank rows, and
    /// a second row of an id.
    fn table_of_a_spreadsheet(&self) -> String {
        let mut text = "\u{feff}sep=;\r\n\r\nname;id;parent;;deprecated;;\r\n".to_owned();
        for (at, &node) in self.order.iter().enumerate() {
            let (name, parent) = &self.nodes[node];
            let none = ["NULL", "-", "0", ""][at % 4].to_owned();
            let parent = parent.map(|parent| format!("k{parent}")).unwrap_or(none);
            let name = name.replace('"', "\"\"");
            let row = format!(
                "\"{name}\";k{node};{parent};{};;;;;\r\n",
                if at == 1 { "x" } else { "" }
            );
            text += &row;
            text += [";;;;;;\r\n", "", &row][at % 3];
        }
        text
    }

    fn levels(&self) -> String {
        let most = (0..self.nodes.len())
            .map(|node| self.path(node).len())
            .max()
            .unwrap();
        let mut text = (1..=most)
            .map(|level| format!("level{level}"))
            .collect::<Vec<_>>()
            .join(",");
        for &node in &self.order {
            let mut cells: Vec<String> = self
                .path(node)
                .iter()
                .map(|name| format!("\"{}\"", name.replace('"', "\"\"")))
                .collect();
            cells.resize(most, String::new());
            text = format!("{text}\r\n{}", cells.join(","));
        }
        text
    }

    fn open_food_facts(&self) -> String {
        let mut text = String::new();
        for &node in &self.order {
            if let Some(parent) = self.nodes[node].1 {
                writeln!(text, "< en-gb:{}", self.nodes[parent].0).unwrap();
            }
            writeln!(text, "en-gb: {}\n", self.nodes[node].0).unwrap();
        }
        text
    }

    /// The same blocks with names in languages of three letters, lines of no form, and second blocks.
    fn open_food_facts_as_published(&self) -> String {
        let mut text = "# a file\n\nstopwords:en: the\n\nwikidata:Q1\n\n".to_owned();
        for (at, &node) in self.order.iter().enumerate() {
            if let Some(parent) = self.nodes[node].1 {
                writeln!(text, "< en-gb:{}", self.nodes[parent].0).unwrap();
            }
            writeln!(
                text,
                "en-gb: {}\nast: X{node}, Y\nhttps://example.org",
                self.nodes[node].0
            )
            .unwrap();
            writeln!(text, "ean:en: 1\nyue: 啤{node}\n\n").unwrap();
            if at % 2 == 0 {
                writeln!(text, "en-gb: {}\nfr: œuf {node}\n\n<odd\n\n", self.nodes[node].0).unwrap();
            }
        }
        text
    }

    /// The dialects as their publishers and people write them, each of the same tree.
    fn texts_with_traps(&self) -> [(SourceFormat, String); 4] {
        let comment =
            |text: String| ["\u{feff}# x\r\n\r\n", &text.replace('\n', "\r\n"), "\r\n# y\r\n"].concat();
        [
            (SourceFormat::Google, comment(self.google(true))),
            (SourceFormat::Shopify, comment(self.shopify())),
            (SourceFormat::Csv, self.table_of_a_spreadsheet()),
            (SourceFormat::OpenFoodFacts, self.open_food_facts_as_published()),
        ]
    }

    fn texts(&self) -> [(SourceFormat, String); 6] {
        [
            (SourceFormat::Google, self.google(true)),
            (SourceFormat::Google, self.google(false)),
            (SourceFormat::Shopify, self.shopify()),
            (SourceFormat::Csv, self.table()),
            (SourceFormat::Csv, self.levels()),
            (SourceFormat::OpenFoodFacts, self.open_food_facts()),
        ]
    }
}

fn imported(format: SourceFormat, text: &str, before: Option<&Imported>) -> Imported {
    let options = options();
    let graph = read(format, &options, &[(Some("en-GB"), text)]);
    import(graph, before.and_then(Imported::id_map), &[])
}

fn sorted(imported: &Imported) -> Vec<String> {
    let mut paths: Vec<String> = imported.paths().into_values().collect();
    paths.sort();
    paths
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_tree_comes_back_from_every_dialect(made in tree()) {
        for (format, text) in made.texts() {
            let found = imported(format, &text, None);
            prop_assert_eq!(sorted(&found), made.expected(), "{:?}\n{}", format, text);
        }
        let options = options();
        for (format, text) in made.texts_with_traps() {
            let mut graph = graph_of(&options);
            graph.options.is_lenient = true;
            graph.begin_file("file.txt", Some("en-GB".parse().unwrap()));
            format.read(&mut text.as_bytes(), &mut graph).unwrap();
            let found = import(graph, None, &[]);
            prop_assert_eq!(sorted(&found), made.expected(), "{:?}\n{}", format, text);
        }
    }

    /// Renamed, moved, removed and added: whatever stays under its key keeps its id, and no id goes to another key.
    #[test]
    fn ids_stay_over_releases(one in tree(), other in tree()) {
        for (format, text) in [(SourceFormat::Shopify, one.shopify()), (SourceFormat::Csv, one.table())] {
            let first = imported(format, &text, None);
            let again = imported(format, &text, Some(&first));
            prop_assert_eq!(again.ids(), first.ids());
            let text = if format == SourceFormat::Csv { other.table() } else { other.shopify() };
            let second = imported(format, &text, Some(&first));
            let third = imported(format, &text, Some(&second));
            prop_assert_eq!(third.ids(), second.ids());
            let (before, after) = (rows(&first.ids()), rows(&second.ids()));
            for (key, id) in &before {
                prop_assert_eq!(after.get(key), Some(id));
            }
            let mut ids: Vec<_> = after.iter().map(|((kind, _), id)| (kind, id)).collect();
            ids.sort();
            ids.dedup();
            prop_assert_eq!(ids.len(), after.len());
        }
    }

    /// Any bytes, and a good file with any bytes in it: refused with a place, or imported.
    #[test]
    fn no_bytes_end_in_a_panic(made in tree(), at in any::<prop::sample::Index>(), bytes in prop::collection::vec(any::<u8>(), 0..12)) {
        for (format, text) in made.texts() {
            let mut damaged = text.into_bytes();
            let at = at.index(damaged.len());
            damaged.splice(at..(at + bytes.len()).min(damaged.len()), bytes.iter().copied());
            let options = options();
            crate::support::refused(format, &options, &damaged);
            crate::support::refused(format, &options, &bytes);
        }
    }
}

/// The numbers of a child and of its parent.
type Edges = Vec<(usize, usize)>;

/// A graph with several parents, circles, and parents that nothing describes: edges between the numbers of concepts.
fn graph() -> impl Strategy<Value = (Edges, Edges)> {
    prop::collection::vec((0..8_usize, 0..10_usize), 0..24)
        .prop_flat_map(|edges| (Just(edges.clone()), Just(edges).prop_shuffle()))
}

/// Imports a graph of eight concepts, in which the order of statements must not matter.
fn unordered(edges: &[(usize, usize)], concepts: &[usize], before: Option<&Imported>) -> Imported {
    let mut source = Source::new();
    source.graph.set_unordered();
    for number in concepts {
        source.concept(&format!("k{number}"), &[]);
    }
    for (child, parent) in edges {
        let parent = source.key(&format!("k{parent}"));
        source.state(&format!("k{child}"), Statement::Broader(parent));
    }
    source.import_with(before.and_then(Imported::id_map), &[])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Every concept occurs once; every edge but those to itself is the parent, or a relation; and the order of statements does not matter.
    #[test]
    fn any_graph_becomes_a_tree((edges, shuffled) in graph()) {
        let forwards: Vec<usize> = (0..8).collect();
        let backwards: Vec<usize> = (0..8).rev().collect();
        let imported = unordered(&edges, &forwards, None);
        prop_assert_eq!(imported.written.counts.categories + imported.written.counts.terms, 8);
        let other = unordered(&shuffled, &backwards, None);
        prop_assert_eq!(&other.json, &imported.json);
        let again = unordered(&shuffled, &forwards, Some(&imported));
        prop_assert_eq!(&again.json, &imported.json);

        for (child, parent) in &edges {
            if child == parent {
                continue;
            }
            let (name, above) = (format!("K{child}"), format!("K{parent}"));
            let stands_there = imported.paths().values().any(|path| path.ends_with(&format!("{above}/{name}")));
            let relations = imported.node(&name)["relations"].as_array().cloned().unwrap_or_default();
            let by_key = serde_json::json!({"type": "broad", "scheme": "things", "id": format!("k{parent}")});
            let is_term = *parent < 8 && imported.paths().values().any(|path| path.ends_with(&format!("/{above}")));
            let expected = match is_term {
                true => serde_json::json!({"type": "broad", "id": imported.id(&above)}),
                false => by_key,
            };
            prop_assert!(stands_there != relations.contains(&expected), "{child} below {parent} of {edges:?}: {relations:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Where every concept may be a scheme as well, in any other or below it, each is one node all the same.
    #[test]
    fn any_graph_of_schemes_becomes_a_tree((edges, members) in graph(), schemes in prop::collection::vec(any::<bool>(), 8)) {
        let schemes: Vec<usize> = (0..8).filter(|number| schemes[*number]).collect();
        let imported = of_schemes(&edges, &members, (&schemes, "k"), Some(Categories::Schemes), &[]).import();
        let counts = &imported.written.counts;
        let added = u64::from(imported.ids().contains("\ncategory,,"));
        prop_assert_eq!(counts.categories + counts.terms, 8 + added);
    }

    /// Where schemes are schemes alone and nothing lies below itself, the same source is the same file again, whatever becomes a category.
    #[test]
    fn any_graph_in_schemes_is_the_same_again(
        (edges, members) in graph(),
        choice in prop::option::of(prop::sample::select(&Categories::ALL)),
        deprecated in prop::collection::vec(0..8_usize, 0..4),
    ) {
        let edges: Vec<(usize, usize)> = edges.into_iter().filter(|(child, parent)| parent < child).collect();
        let source = || of_schemes(&edges, &members, (&[0, 1, 2, 3], "s"), choice, &deprecated);
        let imported = source().import();
        let again = source().import_with(imported.id_map(), &[]);
        prop_assert_eq!((again.tree(), again.ids()), (imported.tree(), imported.ids()));
        prop_assert_eq!(&again.json, &imported.json);
    }
}

/// A graph of eight concepts in schemes, which have keys that begin with a letter; some of the concepts are deprecated.
fn of_schemes(
    edges: &[(usize, usize)],
    members: &[(usize, usize)],
    (schemes, letter): (&[usize], &str),
    choice: Option<Categories>,
    deprecated: &[usize],
) -> Source {
    let mut source = Source::new();
    source.graph.set_unordered();
    source.graph.options.categories = choice;
    for number in 0..8 {
        source.concept(&format!("k{number}"), &[]);
    }
    for number in deprecated {
        source.state(&format!("k{number}"), Statement::Deprecated);
    }
    for number in schemes {
        source.state(&format!("{letter}{number}"), Statement::Scheme);
    }
    for (child, parent) in edges.iter().filter(|(_, parent)| *parent < 8) {
        let parent = source.key(&format!("k{parent}"));
        source.state(&format!("k{child}"), Statement::Broader(parent));
    }
    for (at, (member, scheme)) in members
        .iter()
        .filter(|(_, scheme)| *scheme < 8)
        .take(6)
        .enumerate()
    {
        let scheme = source.key(&format!("{letter}{scheme}"));
        let statement = if at % 2 == 0 {
            Statement::InScheme(scheme)
        } else {
            Statement::TopOf(scheme)
        };
        source.state(&format!("k{member}"), statement);
    }
    source
}

/// The ids of an id map by kind and key.
fn rows(csv: &str) -> BTreeMap<(String, String), String> {
    let nodes = csv.lines().skip(1).filter(|row| !row.starts_with("choice,"));
    let rows = nodes.map(|row| {
        let cells: Vec<&str> = row.split(',').collect();
        ((cells[0].to_owned(), cells[1].to_owned()), cells[2].to_owned())
    });
    rows.collect()
}
