//! From concepts to a tree: parents, cycles, categories, limits.

use taxonomy_import::{Categories, Code, ConceptTree, IdMap, NodeKind, Replacements, Statement};
use taxonomy_model::Limits;

use crate::support::{Source, codes};

#[test]
fn concepts_have_their_place_by_their_parents() {
    for (concepts, expect) in [
        // Without a parent they are categories, and a parent may come after its child.
        ("a b<a c<b d", "A/B A/B/C D/"),
        ("c<b b<a a", "A/B A/B/C"),
        // The first of several parents counts.
        ("z a m<a c<z,m,a,z", "A/M Z/C # further-parent"),
        ("a b<x,a c<x", "A/B C/ # unknown-parent"),
        ("a<a", "A/ # self-parent"),
        ("a<b b<a", "A/B # cycle"),
        ("a<c b<a c<b d<c", "A/B A/B/C A/B/C/D # cycle"),
        // The other parent of a lies below a itself, so it is no way out.
        ("a<b,c b<a c<a", "A/B A/C # cycle further-parent"),
        // c has another parent outside of the cycle, so the cut is there.
        ("r a<c b<a c<b,r", "R/C R/C/A R/C/A/B # cycle further-parent"),
        // The other parent of each cycle is in the other cycle: one way out, then a top.
        ("a<b,c b<a c<d,a d<c", "C/A C/A/B C/D # cycle further-parent"),
    ] {
        assert_eq!(Source::of(concepts).import().shown(), expect, "{concepts}");
    }
}

#[test]
fn parents_that_the_tree_does_not_show_are_relations() {
    // A term by its number, a category or what is not described by its key: relations without a scheme name terms.
    let several = "exact things:c, broad #M, broad things:a";
    for (concepts, name, expect) in [
        ("z a m<a c<z,m,a,z", "C", several),
        ("a b<x,a c<x", "B", "exact things:b, broad things:x"),
        ("r a<c b<a c<b,r", "C", "exact things:c, broad #B"),
    ] {
        let imported = Source::of(concepts).import();
        assert_eq!(imported.field(name, "relations"), expect, "{concepts}");
    }
    let unknown = Source::of("a b<x,a").import();
    assert_eq!(unknown.places("unknown-parent"), "source:2");
    assert_eq!(unknown.issues("unknown-parent")[0].key.as_deref(), Some("b"));
}

#[test]
fn a_choice_of_the_source_counts_and_in_rdf_no_order() {
    let concepts = "z a m<a c<z,m,a,z";
    let mut chosen = Source::of(concepts);
    chosen.link("c", Statement::Parent, "m");
    assert_eq!(chosen.import().tree(), "A/M A/M/C Z/");
    // The smallest key.
    for (concepts, expect) in [
        (concepts, "A/C A/M Z/"),
        ("m<b,n b<m n<a,m a<n", "B/M B/M/N B/M/N/A"),
        ("a<n n<a,m b<m m<b,n", "B/M B/M/N B/M/N/A"),
    ] {
        let mut unordered = Source::of(concepts);
        unordered.graph.set_unordered();
        assert_eq!(unordered.import().tree(), expect, "{concepts}");
    }
    let mut own = Source::of("a<b b c<a");
    own.state("a", Statement::Own(NodeKind::Category));
    own.import().shows("A/C B/ # category-below");
}

fn in_one(concepts: &str) -> Source {
    let mut one = Source::of(concepts);
    one.graph.options.categories = Some(Categories::One);
    one.graph.options.category_name = Some("All".to_owned());
    one
}

#[test]
fn all_can_be_in_one_category() {
    let imported = in_one("a b<a d").import();
    assert_eq!(imported.tree(), "All/A All/A/B All/D");
    imported.has("All relations: ");
    let ids = imported.ids();
    assert!(ids.contains("category,,1,,All,\n"), "{ids}");
    // A concept may have the key that stands for it in options; the next release knows both again.
    let imported = in_one("* b<*").import();
    assert_eq!(imported.tree(), "All/* All/*/B");
    assert_eq!(in_one("* b<*").after(&imported, &[]).ids(), imported.ids());
}

fn in_schemes(concepts: &str, schemes: &[&str], inside: &[(&str, &str)]) -> Source {
    let mut source = Source::of(concepts);
    source.graph.options.categories = Some(Categories::Schemes);
    for scheme in schemes {
        source.state(scheme, Statement::Scheme);
    }
    for (concept, scheme) in inside {
        source.link(concept, Statement::InScheme, scheme);
    }
    source
}

#[test]
fn schemes_can_be_the_categories() {
    // Of two schemes the larger one; a concept in none is in the one category.
    let inside = [("a", "t"), ("a", "s"), ("b", "s"), ("c", "s")];
    let mut schemes = in_schemes("a b<a c d", &["s", "t", "unused"], &inside);
    for scheme in ["s", "t", "unused"] {
        schemes.state(scheme, Statement::Name(None, &scheme.to_uppercase()));
    }
    let imported = schemes.import();
    imported.shows("S/A S/A/B S/C things/D # no-language ignored");

    // A folder of files easily becomes a scheme that is a concept of itself, and no concept lies below itself.
    let inside = [("own", "own"), ("s", "t"), ("t", "s"), ("b", "s"), ("top", "low")];
    let schemes = in_schemes("own a<own s t b top low<top", &["own", "s", "t", "low"], &inside);
    schemes.import().shows("OWN/A T/S T/S/B TOP/LOW # cycle ignored");
}

#[test]
fn a_relation_in_one_direction_is_read_in_both() {
    let mut source = Source::of("a b<a c d<a");
    source.link("a", Statement::Narrower, "c");
    source.link("a", Statement::Narrower, "d");
    source.link("b", Statement::Related, "c");
    let imported = source.import();
    imported.shows("A/B A/C A/D # one-way");
    assert_eq!(imported.written.report.count_of(Code::OneWay), 2);
    imported.has("B relations: exact things:b, related #C");
    imported.has("C relations: exact things:c, related #B");
}

#[test]
fn terms_lie_at_most_32_deep() {
    let chain = |terms: usize| {
        let below = (1..=terms).map(|term| format!(" n{term}<n{}", term - 1));
        Source::of(&below.fold("n0".to_owned(), |concepts, concept| concepts + &concept))
    };
    chain(32).import();
    let report = chain(40).refused(None);
    assert_eq!(codes(&report), ["depth-exceeded"]);
    assert_eq!(report.issues()[0].key.as_deref(), Some("n33"));
}

#[test]
fn too_many_nodes_are_refused_at_the_first_that_is_too_many() {
    let import = |nodes| {
        let (ids, replaced) = (Some(IdMap::default()), Replacements::default());
        let graph = Source::of("a b<a c<a d<a").graph;
        ConceptTree::new(graph, ids, &replaced, Limits { nodes })
    };
    import(4).unwrap();
    let report = import(2).unwrap_err();
    assert_eq!(codes(&report), ["too-many-nodes"]);
    let issue = &report.issues()[0];
    assert_eq!((issue.key.as_deref(), issue.line), (Some("c"), Some(3)));
    assert_eq!(issue.file.as_deref(), Some("source.txt"));
}

#[test]
fn an_empty_source_is_refused() {
    assert_eq!(codes(&Source::new().refused(None)), ["no-concepts"]);
}

#[test]
fn a_concept_is_known_by_its_file_beyond_65536_of_them() {
    let mut source = Source::new();
    for number in 1..=70_000 {
        source.graph.begin_file(&format!("{number}.txt"), None);
    }
    let concept = source.bare("a");
    assert!(source.graph.is_declared_here(concept));
    source.graph.begin_file("next.txt", None);
    assert!(!source.graph.is_declared_here(concept));
    assert_eq!(source.import().places("no-name"), "70000:1");
}
