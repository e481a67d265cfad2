//! The files that are published: the releases of a real taxonomy in turn, each stamped with its version in places that move from version to
//! version, so that a response with parts of two versions differs from both.

use std::path::Path;

use serde_json::{Value, json};

/// Real releases that are in a folder of data.
const REAL: [&str; 3] = [
    "google/taxonomy-v1.json",
    "google/taxonomy-v2.json",
    "google/taxonomy-v3.json",
];
/// One in so many terms is renamed by each version.
const STAMPED: u64 = 50;

/// Releases in turn.
pub(crate) struct Releases {
    pub(crate) name: &'static str,
    files: Vec<Value>,
}

impl Releases {
    /// Reads the real releases, or generates one if a file is absent.
    pub(crate) fn read(folder: &Path) -> Result<Self, serde_json::Error> {
        let texts: Result<Vec<_>, _> = REAL.iter().map(|name| std::fs::read(folder.join(name))).collect();
        match texts {
            Ok(texts) => Ok(Self {
                name: "google's product taxonomy, releases 1, 2 and 3 in turn",
                files: texts
                    .iter()
                    .map(|text| serde_json::from_slice(text))
                    .collect::<Result<_, _>>()?,
            }),
            Err(_) => Ok(Self {
                name: "generated: 20 categories of 1,220 terms in two cultures",
                files: vec![generated()],
            }),
        }
    }

    /// Returns the file of a version.
    pub(crate) fn file(&self, version: u64) -> Value {
        let turn = usize::try_from(version - 1).unwrap_or_default();
        let mut file = self.files[turn % self.files.len()].clone();
        let categories = file["categories"]
            .as_array_mut()
            .map(Vec::as_mut_slice)
            .unwrap_or_default();
        let renamed = turn % categories.len().max(1);
        for (place, category) in categories.iter_mut().enumerate() {
            if place == renamed {
                stamp(category, version);
            }
            let mut waiting: Vec<&mut Value> = members(category, "terms").collect();
            while let Some(term) = waiting.pop() {
                if term["id"]
                    .as_u64()
                    .is_some_and(|id| id % STAMPED == version % STAMPED)
                {
                    stamp(term, version);
                }
                waiting.extend(members(term, "children"));
            }
        }
        file
    }
}

fn members<'a>(node: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> {
    node.get_mut(name)
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
}

/// Adds the version to each name of a node.
fn stamp(node: &mut Value, version: u64) {
    let add = |named: &mut Value| {
        if let Some(name) = named["name"].as_str() {
            named["name"] = json!(format!("{name} of version {version}"));
        }
    };
    add(node);
    members(node, "names").for_each(add);
}

/// Generates a taxonomy with two cultures; every third term has no French name.
fn generated() -> Value {
    let names = |id: u64, what: &str| {
        let mut names =
            vec![json!({"culture": "en-GB", "name": format!("{what} {id}"), "path": format!("node-{id}")})];
        if !id.is_multiple_of(3) {
            names.push(json!({"culture": "fr-FR", "name": format!("{what} numéro {id}")}));
        }
        names
    };
    let categories = (1..=20_u64).map(|category| {
        let tops = (1..=20_u64).map(|top| {
            let top = category * 100_000 + top * 1_000;
            let children = (1..=10_u64).map(|child| {
                let child = top + child * 10;
                let leaves =
                    (1..=5).map(|leaf| json!({"id": child + leaf, "names": names(child + leaf, "Leaf")}));
                json!({"id": child, "names": names(child, "Child"), "children": leaves.collect::<Vec<_>>()})
            });
            json!({"id": top, "names": names(top, "Top"), "children": children.collect::<Vec<_>>()})
        });
        json!({"id": category, "names": names(category, "Category"), "terms": tops.collect::<Vec<_>>()})
    });
    json!({"defaultCulture": "en-GB", "categories": categories.collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{Kind, Taxonomy};

    #[test]
    fn neighbouring_versions_differ_in_two_categories_and_their_terms() {
        let releases = Releases::read(Path::new("absent")).unwrap();
        let [one, two] = [1, 2].map(|version| Taxonomy::read(&releases.file(version)).unwrap());
        assert_eq!(one.totals(), (20, 20 * 1_220));
        let renamed = (1..=20).filter(|id| one.differs_in(&two, Kind::Category, *id));
        assert_eq!(renamed.collect::<Vec<_>>(), [1, 2]);
        let changed = one
            .terms()
            .filter(|id| one.differs_in(&two, Kind::Term, *id))
            .count();
        assert!(changed > 2 * 1_220, "{changed}");
        assert_eq!(
            Taxonomy::read(&releases.file(1)).unwrap().term(101_011, None),
            one.term(101_011, None)
        );
    }
}
