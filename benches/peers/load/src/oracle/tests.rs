use super::*;

fn file() -> Value {
    json!({"defaultCulture": "en-GB", "categories": [{"id": 1,
        "names": [{"culture": "en-GB", "name": "Sector", "path": "sector"}, {"culture": "fr-FR", "name": "Secteur"}],
        "terms": [{"id": 100, "names": [{"culture": "en-GB", "name": "IT"}, {"culture": "fr-FR", "name": "Informatique"}],
            "children": [{"id": 101, "name": "Rust"}]}]}]})
}

#[test]
fn a_term_has_its_ancestors_and_its_category() {
    let taxonomy = Taxonomy::read(&file()).unwrap();
    let term = taxonomy.term(101, None).unwrap();
    assert_eq!(term["finalName"], "Sector:Rust");
    assert_eq!(term["depth"], 2);
    assert_eq!(
        term["ancestors"],
        json!([{"id": 100, "name": "IT", "finalName": "Sector:IT", "culture": "en-GB", "path": null}])
    );
    assert_eq!(taxonomy.term(102, None), None);
}

#[test]
fn a_culture_is_the_only_variant_of_its_language_or_the_default() {
    let taxonomy = Taxonomy::read(&file()).unwrap();
    let final_name = |id, culture| taxonomy.term(id, Some(culture)).unwrap()["finalName"].clone();
    assert_eq!(final_name(100, "fr-FR"), "Secteur:Informatique");
    assert_eq!(final_name(100, "fr-CA"), "Secteur:Informatique");
    assert_eq!(final_name(101, "fr-FR"), "Secteur:Rust");
    assert_eq!(final_name(100, "de-DE"), "Sector:IT");
}

#[test]
fn any_other_name_is_a_difference() {
    let expected = Taxonomy::read(&file()).unwrap().term(101, None).unwrap();
    let mut found = expected.clone();
    found.as_object_mut().unwrap().remove("path");
    found["tenant"] = json!("load");
    assert_eq!(
        difference(&expected, &found),
        None,
        "null is absent, further members are allowed"
    );
    for pointer in ["/name", "/finalName", "/category/name", "/ancestors/0/name"] {
        let mut other = found.clone();
        *other.pointer_mut(pointer).unwrap() = json!("IT of version 2");
        assert!(difference(&expected, &other).is_some(), "{pointer}");
    }
    found["ancestors"] = json!([]);
    assert!(difference(&expected, &found).is_some());
}

#[test]
fn a_renamed_category_changes_the_final_names_below() {
    let (one, mut renamed) = (Taxonomy::read(&file()).unwrap(), file());
    assert!(!one.differs_in(&Taxonomy::read(&file()).unwrap(), Kind::Term, 101));
    renamed["categories"][0]["names"][0]["name"] = json!("Sectors");
    let other = Taxonomy::read(&renamed).unwrap();
    assert!(one.differs_in(&other, Kind::Term, 101) && one.differs_in(&other, Kind::Category, 1));
    assert_ne!(one.term(101, None), other.term(101, None));
}
