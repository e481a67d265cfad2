//! Random trees, written in each dialect by this test, imported, and compared with the tree itself.

use std::collections::BTreeMap;

use proptest::prelude::*;
use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{Categories, Statement};

use crate::support::{Source, file};

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
        let above = std::iter::successors(Some(node), |node| self.nodes[*node].1);
        let mut path: Vec<&str> = above.map(|node| self.nodes[node].0.as_str()).collect();
        path.reverse();
        path
    }

    /// The paths of all terms and of categories without terms, as an import shows them.
    fn expected(&self) -> Vec<String> {
        let is_empty = |node: usize| self.nodes.iter().all(|(_, parent)| *parent != Some(node));
        let paths = (0..self.nodes.len()).filter_map(|node| match self.nodes[node].1 {
            Some(_) => Some(self.path(node).join("/")),
            None => is_empty(node).then(|| format!("{}/", self.nodes[node].0)),
        });
        let mut paths: Vec<String> = paths.collect();
        paths.sort();
        paths
    }

    /// A text behind its beginning, from the number, the name and the parent of each concept.
    fn text(&self, beginning: &str, row: impl Fn(usize, &str, Option<usize>) -> String) -> String {
        let row = |node: &usize| row(*node, &self.nodes[*node].0, self.nodes[*node].1);
        let rows = self.order.iter().map(row);
        rows.fold(beginning.to_owned(), |text, row| text + &row)
    }

    fn google(&self, has_ids: bool) -> String {
        self.text("", |node, _, _| {
            let id = if has_ids {
                format!("{} - ", node + 1)
            } else {
                String::new()
            };
            format!("{id}{}\n", self.path(node).join(" > "))
        })
    }

    fn shopify(&self) -> String {
        self.text("", |node, _, _| {
            let path = self.path(node).join(" > ");
            format!("gid://shopify/TaxonomyCategory/c-{node} : {path}\n")
        })
    }

    fn table(&self) -> String {
        self.text("name;id;parent\n", |node, name, parent| {
            let parent = parent.map(|parent| format!("k{parent}")).unwrap_or_default();
            format!("{};k{node};{parent}\n", quoted(name))
        })
    }

    /// The same table as spreadsheets and databases write it: the delimiter stated, cells without a column, words for no parent, blank rows, and
    /// a second row of an id.
    fn table_of_a_spreadsheet(&self) -> String {
        let beginning = "\u{feff}sep=;\r\n\r\nname;id;parent;;deprecated;;\r\n";
        self.text(beginning, |node, name, parent| {
            let none = ["NULL", "-", "0", ""][node % 4].to_owned();
            let parent = parent.map(|parent| format!("k{parent}")).unwrap_or(none);
            let (name, retired) = (quoted(name), if node == 1 { "x" } else { "" });
            let row = format!("{name};k{node};{parent};{retired};;;;;\r\n");
            format!("{row}{}", [";;;;;;\r\n", "", &row][node % 3])
        })
    }

    fn levels(&self) -> String {
        let depths = (0..self.nodes.len()).map(|node| self.path(node).len());
        let most = depths.max().unwrap();
        let header: Vec<String> = (1..=most).map(|level| format!("level{level}")).collect();
        self.text(&header.join(","), |node, _, _| {
            let mut cells: Vec<String> = self.path(node).into_iter().map(quoted).collect();
            cells.resize(most, String::new());
            format!("\r\n{}", cells.join(","))
        })
    }

    fn parent_line(&self, parent: Option<usize>) -> String {
        let line = parent.map(|parent| format!("< en-gb:{}\n", self.nodes[parent].0));
        line.unwrap_or_default()
    }

    fn open_food_facts(&self) -> String {
        self.text("", |_, name, parent| {
            format!("{}en-gb: {name}\n\n", self.parent_line(parent))
        })
    }

    /// The same blocks with names in languages of three letters, lines of no form, and second blocks.
    fn open_food_facts_as_published(&self) -> String {
        self.text("# a file\n\nstopwords:en: the\n\nwikidata:Q1\n\n", |node, name, parent| {
            let parent = self.parent_line(parent);
            let block = format!("{parent}en-gb: {name}\nast: X{node}, Y\nhttps://example.org\nean:en: 1\nyue: 啤{node}\n\n");
            let second = format!("en-gb: {name}\nfr: œuf {node}\n\n<odd\n\n");
            [block, if node % 2 == 0 { second } else { String::new() }].concat()
        })
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

/// A cell in quotes.
fn quoted(cell: &str) -> String {
    format!("\"{}\"", cell.replace('"', "\"\""))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_tree_comes_back_from_every_dialect(made in tree()) {
        let plain = made.texts().map(|text| (false, text));
        let with_traps = made.texts_with_traps().map(|text| (true, text));
        for (is_lenient, (format, text)) in plain.into_iter().chain(with_traps) {
            let found = file(format, &text).with(|options| options.is_lenient = is_lenient).import();
            prop_assert_eq!(found.sorted_paths(), made.expected(), "{:?}\n{}", format, text);
        }
    }

    /// Renamed, moved, removed and added: whatever stays under its key keeps its id, and no id goes to another key.
    #[test]
    fn ids_stay_over_releases(one in tree(), other in tree()) {
        for (format, text) in [(SourceFormat::Shopify, Made::shopify as fn(&Made) -> String), (SourceFormat::Csv, Made::table)] {
            let [one, other] = [&one, &other].map(|made| file(format, text(made)));
            let first = one.import();
            prop_assert_eq!(one.after(&first, &[]).ids(), first.ids());
            let second = other.after(&first, &[]);
            prop_assert_eq!(other.after(&second, &[]).ids(), second.ids());
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
}

/// The numbers of a child and of its parent.
type Edges = Vec<(usize, usize)>;

/// A graph with several parents, circles, and parents that nothing describes: edges between the numbers of concepts.
fn graph() -> impl Strategy<Value = (Edges, Edges)> {
    prop::collection::vec((0..8_usize, 0..10_usize), 0..24)
        .prop_flat_map(|edges| (Just(edges.clone()), Just(edges).prop_shuffle()))
}

/// A graph of some concepts, in which the order of statements must not matter.
fn unordered(edges: &[(usize, usize)], concepts: impl Iterator<Item = usize>) -> Source {
    let mut source = Source::new();
    source.graph.set_unordered();
    for number in concepts {
        source.concept(&format!("k{number}"));
    }
    for (child, parent) in edges {
        source.link(&format!("k{child}"), Statement::Broader, &format!("k{parent}"));
    }
    source
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Every concept occurs once; every edge but those to itself is the parent, or a relation; and the order of statements does not matter.
    #[test]
    fn any_graph_becomes_a_tree((edges, shuffled) in graph()) {
        let imported = unordered(&edges, 0..8).import();
        prop_assert_eq!(imported.written.counts.categories + imported.written.counts.terms, 8);
        let other = unordered(&shuffled, (0..8).rev()).import();
        prop_assert_eq!(&other.json, &imported.json);
        let again = unordered(&shuffled, 0..8).after(&imported, &[]);
        prop_assert_eq!(&again.json, &imported.json);

        let paths = imported.paths();
        let has = |end: &str| paths.values().any(|path| path.ends_with(end));
        for (child, parent) in edges.iter().filter(|(child, parent)| child != parent) {
            let relations = imported.field(&format!("K{child}"), "relations");
            let expected = match has(&format!("/K{parent}")) {
                true => format!("broad #K{parent}"),
                false => format!("broad things:k{parent}"),
            };
            let is_below = has(&format!("K{parent}/K{child}"));
            let is_related = relations.split(", ").any(|relation| relation == expected);
            prop_assert!(is_below != is_related, "{child} below {parent} of {edges:?}: {relations}");
        }
    }

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
        let again = source().after(&imported, &[]);
        prop_assert_eq!((&again.json, again.ids()), (&imported.json, imported.ids()));
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
    let edges: Vec<(usize, usize)> = edges.iter().copied().filter(|(_, parent)| *parent < 8).collect();
    let mut source = unordered(&edges, 0..8);
    source.graph.options.categories = choice;
    for number in deprecated {
        source.state(&format!("k{number}"), Statement::Deprecated);
    }
    for number in schemes {
        source.state(&format!("{letter}{number}"), Statement::Scheme);
    }
    let members = members.iter().filter(|(_, scheme)| *scheme < 8).take(6);
    let statements = [Statement::InScheme, Statement::TopOf].into_iter().cycle();
    for ((member, scheme), statement) in members.zip(statements) {
        source.link(&format!("k{member}"), statement, &format!("{letter}{scheme}"));
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
