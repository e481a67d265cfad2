//! Ids over the releases of a source.

use taxonomy_import::{Code, IdMap, ImportReport, NodeKind, Statement};
use taxonomy_model::{Fact, diff};

use crate::support::{Imported, Source};

fn source(concepts: &[(&str, &[&str])]) -> Source {
    let mut source = Source::new();
    for (key, parents) in concepts {
        source.concept(key, parents);
    }
    source
}

const FIRST: [(&str, &[&str]); 5] = [
    ("food", &[]),
    ("fruit", &["food"]),
    ("apple", &["fruit"]),
    ("pear", &["fruit"]),
    ("nuts", &["food"]),
];

fn first() -> Imported {
    source(&FIRST).import()
}

fn next(concepts: &[(&str, &[&str])], replaced: &[(&str, &str)]) -> Imported {
    source(concepts).import_with(first().id_map(), replaced)
}

/// The terms that were added, moved or removed between two imports.
fn changes(old: &Imported, new: &Imported) -> Vec<String> {
    let facts = diff(Some(&old.taxonomy), &new.taxonomy);
    let kind = |fact: &Fact| match fact {
        Fact::TermAdded(_) => Some("added".to_owned()),
        Fact::TermRemoved { .. } => Some("removed".to_owned()),
        Fact::TermMoved { .. } => Some("moved".to_owned()),
        _ => None,
    };
    facts.iter().filter_map(kind).collect()
}

#[test]
fn the_same_source_gets_the_same_ids_in_any_order() {
    let one = first();
    let mut reversed = FIRST;
    reversed.reverse();
    assert_eq!(
        source(&reversed).import().paths(),
        one.paths(),
        "new ids follow the keys"
    );
    let again = next(&reversed, &[]);
    assert_eq!((again.paths(), again.ids()), (one.paths(), one.ids()));
    assert_eq!(again.written.counts.ids.kept, 5);
}

#[test]
fn ids_are_never_given_to_another_concept() {
    let old = first();
    let pear = old.id("PEAR");
    let without = next(&[("food", &[]), ("fruit", &["food"]), ("zebra", &["food"])], &[]);
    assert_eq!(without.written.report.count_of(Code::Gone), 3);
    assert_ne!(without.id("ZEBRA"), pear);
    assert!(
        without.ids().contains(&format!("term,pear,{pear},fruit,PEAR,\n")),
        "{}",
        without.ids()
    );
    // It comes back.
    let back = source(&FIRST).import_with(without.id_map(), &[]);
    assert_eq!(back.paths(), old.paths());
}

#[test]
fn renames_and_moves_are_no_removals() {
    let (old, mut second) = (
        first(),
        source(&[
            ("food", &[]),
            ("fruit", &["food"]),
            ("pear", &["food"]),
            ("nuts", &["food"]),
        ]),
    );
    second.bare("apple");
    let fruit = second.key("fruit");
    second.state("apple", Statement::Broader(fruit));
    second.state("apple", Statement::Name(Some("en-GB"), "Red apple"));
    let new = second.import_with(old.id_map(), &[]);
    assert_eq!(changes(&old, &new), ["moved"]);
    assert_eq!(new.id("Red apple"), old.id("APPLE"));
}

#[test]
fn a_kept_parent_stays_the_parent() {
    let old = source(&[
        ("food", &[]),
        ("fruit", &["food"]),
        ("snack", &["food"]),
        ("apple", &["fruit", "snack"]),
    ])
    .import();
    assert!(old.tree().contains("FOOD/FRUIT/APPLE"));
    let new = source(&[
        ("food", &[]),
        ("fruit", &["food"]),
        ("snack", &["food"]),
        ("apple", &["snack", "fruit"]),
    ]);
    assert_eq!(new.import_with(old.id_map(), &[]).paths(), old.paths());
    // Renumbered, with a renumbered parent.
    let new = source(&[
        ("food", &[]),
        ("f2", &["food"]),
        ("snack", &["food"]),
        ("a2", &["snack", "f2"]),
    ]);
    let new = new.import_with(old.id_map(), &[("apple", "a2"), ("fruit", "f2")]);
    assert_eq!(new.id("A2"), old.id("APPLE"));
    assert!(new.tree().contains("FOOD/F2/A2"), "{}", new.tree());
}

#[test]
fn a_renumbered_concept_keeps_its_id() {
    let old = first();
    let second: [(&str, &[&str]); 5] = [
        ("food", &[]),
        ("fruit", &["food"]),
        ("a-2", &["fruit"]),
        ("pear", &["fruit"]),
        ("nuts", &["food"]),
    ];
    let new = next(&second, &[("apple", "a-2")]);
    assert_eq!(new.id("A-2"), old.id("APPLE"));
    assert_eq!(changes(&old, &new), [""; 0]);
    assert_eq!(new.codes(), ["renumbered"]);
    let apple = old.id("APPLE");
    assert!(
        new.ids()
            .contains(&format!("term,apple,{apple},fruit,APPLE,\"[\"\"a-2\"\"]\"\n")),
        "{}",
        new.ids()
    );

    // The map remembers it without the file of replacements, and through a third key.
    let again = source(&second).import_with(new.id_map(), &[]);
    assert_eq!((again.paths(), again.ids()), (new.paths(), new.ids()));
    let third: [(&str, &[&str]); 2] = [("food", &[]), ("a-3", &["food"])];
    let third = source(&third).import_with(new.id_map(), &[("a-2", "a-3")]);
    assert_eq!(third.id("A-3"), apple);

    // The old key is back beside the new one: it is another concept now.
    let mut both = source(&second);
    both.concept("apple", &["fruit"]);
    let both = both.import_with(new.id_map(), &[]);
    assert_eq!(both.id("A-2"), apple);
    assert!(both.id("APPLE") > old.id("PEAR"));
}

#[test]
fn the_source_itself_can_say_what_replaced_what() {
    let old = first();
    let mut second = source(&[("food", &[]), ("a-2", &["food"])]);
    let new_key = second.key("a-2");
    second.state("apple", Statement::ReplacedBy(new_key));
    let new = second.import_with(old.id_map(), &[]);
    assert_eq!(new.id("A-2"), old.id("APPLE"));
    let mut found = changes(&old, &new);
    found.sort();
    assert_eq!(found, ["moved", "removed", "removed", "removed"]);
}

#[test]
fn a_merged_concept_stays_with_its_replacement() {
    let old = first();
    let second: [(&str, &[&str]); 4] = [
        ("food", &[]),
        ("fruit", &["food"]),
        ("apple", &["fruit"]),
        ("nuts", &["food"]),
    ];
    let new = next(&second, &[("pear", "apple")]);
    let pear = new.node("PEAR");
    assert_eq!(pear["id"], old.id("PEAR"));
    assert_eq!(pear["deprecated"], true);
    assert_eq!(pear["replacedBy"], serde_json::json!([old.id("APPLE")]));
    assert!(new.tree().contains("FOOD/FRUIT/PEAR"));
    assert_eq!((new.codes(), new.written.counts.ids.merged), (vec!["merged"], 1));
    // Its last parent counts before the place of its replacement.
    let elsewhere = next(&second, &[("pear", "nuts")]);
    assert!(
        elsewhere.tree().contains("FOOD/FRUIT/PEAR"),
        "{}",
        elsewhere.tree()
    );
    // It stays without the file of replacements, and where its parent goes, beside its replacement.
    let again = source(&second).import_with(new.id_map(), &[]);
    assert_eq!((again.json.clone(), again.ids()), (new.json.clone(), new.ids()));
    let third = source(&[("food", &[]), ("apple", &["food"])]).import_with(new.id_map(), &[]);
    assert!(third.tree().contains("FOOD/PEAR"), "{}", third.tree());
    // Until it is back.
    let back = source(&FIRST).import_with(new.id_map(), &[]);
    assert_eq!(back.paths(), old.paths());
    assert!(back.node("PEAR").get("deprecated").is_none());
}

#[test]
fn of_several_old_ids_the_lowest_goes_over_and_a_split_goes_nowhere() {
    let old = first();
    let new = next(
        &[
            ("food", &[]),
            ("fruit", &["food"]),
            ("pome", &["fruit"]),
            ("nuts", &["food"]),
        ],
        &[("pear", "pome"), ("apple", "pome")],
    );
    let (low, high) = (
        old.id("APPLE").min(old.id("PEAR")),
        old.id("APPLE").max(old.id("PEAR")),
    );
    assert_eq!(new.id("POME"), low);
    let merged = new.paths();
    assert!(merged.contains_key(&high), "{merged:?}");
    assert_eq!(
        (new.written.counts.ids.renumbered, new.written.counts.ids.merged),
        (1, 1)
    );

    let split = next(
        &[
            ("food", &[]),
            ("fruit", &["food"]),
            ("red", &["fruit"]),
            ("green", &["fruit"]),
            ("pear", &["fruit"]),
            ("nuts", &["food"]),
        ],
        &[("apple", "red"), ("apple", "green")],
    );
    assert_eq!(split.written.counts.ids.renumbered, 0);
    // Also where the source has just one of the two.
    let rest: [(&str, &[&str]); 3] = [("food", &[]), ("red", &["food"]), ("pear", &["food"])];
    let half = next(&rest, &[("apple", "red"), ("apple", "green"), ("pear", "pear")]);
    assert_ne!(half.id("RED"), old.id("APPLE"));
    let apple = split.node("APPLE");
    assert_eq!(apple["id"], old.id("APPLE"));
    let mut ids = vec![split.id("RED"), split.id("GREEN")];
    ids.sort_unstable();
    assert_eq!(apple["replacedBy"], serde_json::json!(ids));
}

#[test]
fn replacements_that_lead_nowhere_are_reported() {
    let rest: [(&str, &[&str]); 4] = [
        ("food", &[]),
        ("fruit", &["food"]),
        ("pear", &["fruit"]),
        ("nuts", &["food"]),
    ];
    for (pairs, expect) in [
        (vec![("apple", "nowhere")], vec!["unknown-replacement", "gone"]),
        (vec![("apple", "food")], vec!["unusable-replacement", "gone"]),
        (
            vec![("apple", "x"), ("x", "apple")],
            vec!["unusable-replacement", "gone"],
        ),
        (vec![("apple", "apple")], vec!["unusable-replacement", "gone"]),
        (vec![("pear", "nowhere")], vec!["unknown-replacement", "gone"]),
        (vec![("apple", "x"), ("x", "y"), ("y", "nuts")], vec!["merged"]),
    ] {
        let new = next(&rest, &pairs);
        assert_eq!(new.codes(), expect, "{pairs:?}");
    }
}

#[test]
fn a_category_stays_one_below_a_parent() {
    let old = first();
    let new = next(
        &[
            ("all", &[]),
            ("food", &["all"]),
            ("fruit", &["food"]),
            ("apple", &["fruit"]),
            ("pear", &["fruit"]),
            ("nuts", &["food"]),
        ],
        &[],
    );
    assert_eq!(new.codes(), ["category-below"]);
    assert_eq!(new.paths(), old.paths());
    let relations = new.node("FOOD")["relations"].as_array().unwrap();
    assert_eq!(
        relations[1],
        serde_json::json!({"type": "broad", "scheme": "things", "id": "all"})
    );
}

#[test]
fn numbers_of_the_source_are_ids() {
    let mut numbered = source(&[("a", &[]), ("b", &["a"]), ("c", &["a"]), ("d", &["a"])]);
    numbered.state("b", Statement::Number(500));
    numbered.state("c", Statement::Number(500));
    let imported = numbered.import();
    assert_eq!(imported.codes(), ["number-taken"]);
    assert_eq!(
        [imported.id("B"), imported.id("C"), imported.id("D")],
        [500, 501, 502]
    );

    let mut last = source(&[("a", &[]), ("b", &["a"]), ("c", &["a"])]);
    last.state("b", Statement::Number((1 << 53) - 1));
    assert_eq!(last.import().id("C"), 1, "behind the last id come the free ones");

    let mut own = source(&[("a", &[]), ("b", &["a"])]);
    own.state("b", Statement::Own(NodeKind::Term));
    own.state("b", Statement::Number(3));
    let map = source(&[("a", &[]), ("b", &["a"])]).import().id_map();
    let report = own.try_import(map, &[]).unwrap_err();
    assert_eq!(report.count_of(Code::IdDiffers), 1);
}

/// A chain of concepts, each below the one before.
fn chain(keys: &[String]) -> Source {
    let mut source = Source::new();
    let mut above: Vec<&str> = Vec::new();
    for key in keys {
        source.concept(key, &above);
        above = vec![key];
    }
    source
}

#[test]
fn a_merged_concept_finds_room_where_its_parent_lies_too_deep_by_now() {
    let keys: Vec<String> = (0..32).map(|number| format!("n{number}")).collect();
    let mut old = chain(&keys);
    old.concept("x", &["n31"]);
    old.concept("y", &["n0"]);
    let old = old.import();

    let mut deeper = keys;
    deeper.insert(1, "m".to_owned());
    let mut new = chain(&deeper);
    new.concept("y", &["n0"]);
    let new = new.import_with(old.id_map(), &[("x", "y")]);
    assert_eq!(new.paths()[&old.id("X")], "N0/X");
    assert_eq!(new.node("X")["replacedBy"], serde_json::json!([old.id("Y")]));
}

#[test]
fn a_concept_that_was_split_into_very_many_takes_no_longer_than_they_are() {
    let keys: Vec<String> = (0..200_000).map(|number| format!("n{number}")).collect();
    let pairs: Vec<(&str, &str)> = keys.iter().map(|key| ("old", key.as_str())).collect();
    let imported = source(&FIRST).import_with(None, &[pairs.as_slice(), &pairs].concat());
    assert_eq!(imported.tree(), first().tree());
}

#[test]
fn a_former_key_that_is_back_has_its_id_alone() {
    let one = source(&[("food", &[]), ("old", &["food"])]).import();
    let id = one.id("OLD");
    let renamed: [(&str, &[&str]); 2] = [("food", &[]), ("new", &["food"])];
    let two = source(&renamed).import_with(one.id_map(), &[("old", "new")]);
    assert_eq!(two.id("NEW"), id);
    let three = source(&[("food", &[]), ("old", &["food"])]).import_with(two.id_map(), &[]);
    assert_eq!(three.id("OLD"), id);
    let both: [(&str, &[&str]); 3] = [("food", &[]), ("old", &["food"]), ("new", &["food"])];
    let four = source(&both).import_with(three.id_map(), &[]);
    assert_eq!(four.id("OLD"), id);
    assert_ne!(four.id("NEW"), id);
    let five = source(&both).import_with(four.id_map(), &[]);
    assert_eq!(five.paths(), four.paths());
    // It goes again.
    let four = source(&renamed).import_with(three.id_map(), &[]);
    assert_eq!(four.id("NEW"), id);
}

#[test]
fn a_map_with_one_id_for_two_concepts_is_refused() {
    let map = "kind,key,id,parent,name,replaced_by\ncategory,food,1,,FOOD,\nterm,apple,7,food,APPLE,\nterm,pear,7,food,PEAR,\n";
    let ids = IdMap::read(map.as_bytes(), "ids.csv", &mut ImportReport::default()).unwrap();
    let report = source(&FIRST).try_import(Some(ids), &[]).unwrap_err();
    let issue = report.issues()[0];
    assert_eq!(
        (issue.code, issue.key.as_deref(), issue.line),
        (Code::InvalidIdMap, Some("pear"), Some(4))
    );
}
