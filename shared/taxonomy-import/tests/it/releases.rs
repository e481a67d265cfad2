//! Ids over the releases of a source.

use taxonomy_import::{Code, IdMap, ImportReport, NodeKind, Statement};
use taxonomy_model::{Fact, diff};

use crate::support::{Imported, Source, codes};

const FIRST: &str = "food fruit<food apple<fruit pear<fruit nuts<food";

fn first() -> Imported {
    Source::of(FIRST).import()
}

fn next(concepts: &str, replaced: &[(&str, &str)]) -> Imported {
    Source::of(concepts).after(&first(), replaced)
}

/// The terms that were added, moved or removed between two imports.
fn changes(old: &Imported, new: &Imported) -> Vec<&'static str> {
    let facts = diff(Some(&old.taxonomy), &new.taxonomy);
    let kind = |fact: &Fact| match fact {
        Fact::TermAdded(_) => Some("added"),
        Fact::TermRemoved { .. } => Some("removed"),
        Fact::TermMoved { .. } => Some("moved"),
        _ => None,
    };
    let mut kinds: Vec<&str> = facts.iter().filter_map(kind).collect();
    kinds.sort_unstable();
    kinds
}

#[test]
fn the_same_source_gets_the_same_ids_in_any_order() {
    let (one, reversed) = (first(), "nuts<food pear<fruit apple<fruit fruit<food food");
    // New ids follow the keys.
    assert_eq!(Source::of(reversed).import().paths(), one.paths());
    let again = next(reversed, &[]);
    assert_eq!((again.paths(), again.ids()), (one.paths(), one.ids()));
    assert_eq!(again.written.counts.ids.kept, 5);
}

#[test]
fn ids_are_never_given_to_another_concept() {
    let old = first();
    let pear = old.id("PEAR");
    let without = next("food fruit<food zebra<food", &[]);
    assert_eq!(without.written.report.count_of(Code::Gone), 3);
    assert_ne!(without.id("ZEBRA"), pear);
    let row = format!("term,pear,{pear},fruit,PEAR,\n");
    assert!(without.ids().contains(&row), "{}", without.ids());
    // It comes back.
    assert_eq!(Source::of(FIRST).after(&without, &[]).paths(), old.paths());
}

#[test]
fn renames_and_moves_are_no_removals() {
    let old = first();
    let mut second = Source::of("food fruit<food pear<food nuts<food");
    second.bare("apple");
    second.link("apple", Statement::Broader, "fruit");
    second.state("apple", Statement::Name(Some("en-GB"), "Red apple"));
    let new = second.after(&old, &[]);
    assert_eq!(changes(&old, &new), ["moved"]);
    assert_eq!(new.id("Red apple"), old.id("APPLE"));
}

#[test]
fn a_kept_parent_stays_the_parent() {
    let old = Source::of("food fruit<food snack<food apple<fruit,snack").import();
    assert_eq!(old.tree(), "FOOD/FRUIT FOOD/FRUIT/APPLE FOOD/SNACK");
    let new = Source::of("food fruit<food snack<food apple<snack,fruit");
    assert_eq!(new.after(&old, &[]).paths(), old.paths());
    // Renumbered, with a renumbered parent.
    let new = Source::of("food f2<food snack<food a2<snack,f2");
    let new = new.after(&old, &[("apple", "a2"), ("fruit", "f2")]);
    assert_eq!(new.id("A2"), old.id("APPLE"));
    assert_eq!(new.tree(), "FOOD/F2 FOOD/F2/A2 FOOD/SNACK");
}

#[test]
fn a_renumbered_concept_keeps_its_id() {
    let old = first();
    let apple = old.id("APPLE");
    let second = "food fruit<food a-2<fruit pear<fruit nuts<food";
    let new = next(second, &[("apple", "a-2")]);
    assert_eq!((new.id("A-2"), new.codes()), (apple, vec!["renumbered"]));
    assert_eq!(changes(&old, &new), [""; 0]);
    let row = format!("term,apple,{apple},fruit,APPLE,\"[\"\"a-2\"\"]\"\n");
    assert!(new.ids().contains(&row), "{}", new.ids());

    // The map remembers it without the file of replacements, and through a third key.
    let again = Source::of(second).after(&new, &[]);
    assert_eq!((again.paths(), again.ids()), (new.paths(), new.ids()));
    let third = Source::of("food a-3<food").after(&new, &[("a-2", "a-3")]);
    assert_eq!(third.id("A-3"), apple);

    // The old key is back beside the new one: it is another concept now.
    let both = Source::of(&format!("{second} apple<fruit")).after(&new, &[]);
    assert_eq!(both.id("A-2"), apple);
    assert!(both.id("APPLE") > old.id("PEAR"));
}

#[test]
fn the_source_itself_can_say_what_replaced_what() {
    let (old, mut second) = (first(), Source::of("food a-2<food"));
    second.link("apple", Statement::ReplacedBy, "a-2");
    let new = second.after(&old, &[]);
    assert_eq!(new.id("A-2"), old.id("APPLE"));
    assert_eq!(changes(&old, &new), ["moved", "removed", "removed", "removed"]);
}

#[test]
fn a_merged_concept_stays_with_its_replacement() {
    let (old, second) = (first(), "food fruit<food apple<fruit nuts<food");
    let new = next(second, &[("pear", "apple")]);
    assert_eq!((new.paths(), new.codes()), (old.paths(), vec!["merged"]));
    assert_eq!(new.written.counts.ids.merged, 1);
    new.has("PEAR replacedBy: #APPLE");
    assert_eq!(new.node("PEAR")["deprecated"], true);
    // Its last parent counts before the place of its replacement.
    assert_eq!(next(second, &[("pear", "nuts")]).paths(), old.paths());
    // It stays without the file of replacements, and where its parent goes, beside its replacement.
    let again = Source::of(second).after(&new, &[]);
    assert_eq!((&again.json, again.ids()), (&new.json, new.ids()));
    let third = Source::of("food apple<food").after(&new, &[]);
    assert_eq!(third.tree(), "FOOD/APPLE FOOD/PEAR");
    // Until it is back.
    let back = Source::of(FIRST).after(&new, &[]);
    assert_eq!(back.paths(), old.paths());
    assert!(back.node("PEAR").get("deprecated").is_none());
}

#[test]
fn of_several_old_ids_the_lowest_goes_over_and_a_split_goes_nowhere() {
    let old = first();
    let (apple, pear) = (old.id("APPLE"), old.id("PEAR"));
    let pairs = [("pear", "pome"), ("apple", "pome")];
    let new = next("food fruit<food pome<fruit nuts<food", &pairs);
    assert_eq!(new.id("POME"), apple.min(pear));
    assert!(new.paths().contains_key(&apple.max(pear)), "{:?}", new.paths());
    let ids = &new.written.counts.ids;
    assert_eq!((ids.renumbered, ids.merged), (1, 1));

    let pairs = [("apple", "red"), ("apple", "green"), ("pear", "pear")];
    let concepts = "food fruit<food red<fruit green<fruit pear<fruit nuts<food";
    let split = next(concepts, &pairs);
    assert_eq!(split.written.counts.ids.renumbered, 0);
    assert_eq!(split.id("APPLE"), apple);
    split.has("APPLE replacedBy: #GREEN, #RED");
    // Also where the source has just one of the two.
    assert_ne!(next("food red<food pear<food", &pairs).id("RED"), apple);
}

#[test]
fn replacements_that_lead_nowhere_are_reported() {
    for (pairs, expect) in [
        (&[("apple", "nowhere")][..], "unknown-replacement gone"),
        (&[("apple", "food")], "unusable-replacement gone"),
        (&[("apple", "x"), ("x", "apple")], "unusable-replacement gone"),
        (&[("apple", "apple")], "unusable-replacement gone"),
        (&[("pear", "nowhere")], "unknown-replacement gone"),
        (&[("apple", "x"), ("x", "y"), ("y", "nuts")], "merged"),
    ] {
        let new = next("food fruit<food pear<fruit nuts<food", pairs);
        assert_eq!(new.codes().join(" "), expect, "{pairs:?}");
    }
}

#[test]
fn numbers_of_the_source_are_ids() {
    let numbered = |concepts: &str, numbers: &[(&str, u64)]| {
        let mut source = Source::of(concepts);
        for (key, number) in numbers {
            source.state(key, Statement::Number(*number));
        }
        source
    };
    let imported = numbered("a b<a c<a d<a", &[("b", 500), ("c", 500)]).import();
    assert_eq!(imported.codes(), ["number-taken"]);
    assert_eq!(["B", "C", "D"].map(|name| imported.id(name)), [500, 501, 502]);

    let last = numbered("a b<a c<a", &[("b", (1 << 53) - 1)]).import();
    assert_eq!(last.id("C"), 1, "behind the last id come the free ones");

    let mut own = numbered("a b<a", &[("b", 3)]);
    own.state("b", Statement::Own(NodeKind::Term));
    let report = own.refused(Source::of("a b<a").import().id_map());
    assert_eq!(codes(&report), ["id-differs"]);
}

#[test]
fn a_merged_concept_finds_room_where_its_parent_lies_too_deep_by_now() {
    // A chain in which each concept lies below the one before.
    let below = (2..32).map(|number| format!(" n{number}<n{}", number - 1));
    let chain = below.fold("n0".to_owned(), |chain, concept| chain + &concept);
    let old = Source::of(&format!("{chain} n1<n0 x<n31 y<n0")).import();
    let new = Source::of(&format!("{chain} m<n0 n1<m y<n0")).after(&old, &[("x", "y")]);
    assert_eq!(new.paths()[&old.id("X")], "N0/X");
    new.has("X replacedBy: #Y");
}

#[test]
fn a_concept_that_was_split_into_very_many_takes_no_longer_than_they_are() {
    let keys: Vec<String> = (0..200_000).map(|number| format!("n{number}")).collect();
    let pairs: Vec<(&str, &str)> = keys.iter().map(|key| ("old", key.as_str())).collect();
    let imported = next(FIRST, &[pairs.as_slice(), &pairs].concat());
    assert_eq!(imported.tree(), first().tree());
}

#[test]
fn a_former_key_that_is_back_has_its_id_alone() {
    let (old, new, both) = ("food old<food", "food new<food", "food old<food new<food");
    let one = Source::of(old).import();
    let id = one.id("OLD");
    let two = Source::of(new).after(&one, &[("old", "new")]);
    let three = Source::of(old).after(&two, &[]);
    assert_eq!((two.id("NEW"), three.id("OLD")), (id, id));
    let four = Source::of(both).after(&three, &[]);
    assert_eq!(four.id("OLD"), id);
    assert_ne!(four.id("NEW"), id);
    assert_eq!(Source::of(both).after(&four, &[]).paths(), four.paths());
    // It goes again.
    assert_eq!(Source::of(new).after(&three, &[]).id("NEW"), id);
}

#[test]
fn a_map_with_one_id_for_two_concepts_is_refused() {
    let map = "kind,key,id,parent,name,replaced_by\ncategory,food,1,,FOOD,\nterm,apple,7,food,APPLE,\nterm,pear,7,food,PEAR,\n";
    let ids = IdMap::read(map.as_bytes(), "ids.csv", &mut ImportReport::default()).unwrap();
    let report = Source::of(FIRST).refused(Some(ids));
    let issue = report.issues()[0];
    assert_eq!((issue.code, issue.line), (Code::InvalidIdMap, Some(4)));
    assert_eq!(issue.key.as_deref(), Some("pear"));
}
