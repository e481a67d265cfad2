//! Tests of the counts of any version from its index file, against the aggregates that were served at the time.

use taxonomy_tests::prelude::*;

/// Returns the response to every request for counts: of the tenant, and of existing, removed and unknown categories.
async fn answers(world: &World, query: &str) -> Vec<(u16, Value)> {
    let lookup = process(world);
    let mut answers = vec![get(&lookup, &format!("stats{query}")).await];
    for category in (1_u64..=8).chain([9_007_199_254_740_991]) {
        answers.push(get(&lookup, &format!("categories/{category}/stats{query}")).await);
    }
    for (status, answer) in &mut answers {
        match *status {
            200 => drop(answer.as_object_mut().unwrap().remove("months")),
            _ => assert_eq!(answer["type"], "/problems/stats-not-found"),
        }
    }
    answers
}

/// Returns a file of categories by id, each with its name and the ids of its terms.
fn file(categories: &[(u64, &str, &[u64])]) -> Vec<u8> {
    let categories = categories.iter().map(|(id, name, terms)| {
        let terms: Vec<Value> = terms
            .iter()
            .map(|id| json!({"id": id, "name": format!("term {id}")}))
            .collect();
        json!({"id": id, "name": name, "terms": terms})
    });
    of_categories(&categories.collect())
}

#[tokio::test]
async fn counts_of_a_version_are_those_that_it_was_served_with() {
    let world = World::new();
    let mut served = Vec::new();
    let uploads = [
        sample("job-board-v1.json"),
        sample("job-board-v2.json"),
        file(&[(1, "Sector", &[1, 2, 3]), (2, "Area", &[4]), (7, "Level", &[])]),
        // A term moves, another category is renamed, a third is removed.
        file(&[(1, "Sector", &[1, 2]), (2, "Place", &[3, 4])]),
        file(&[(1, "Sector", &[1, 2]), (2, "Place", &[3, 4, 5])]),
        file(&[
            (1, "Sector", &[1, 2]),
            (2, "Place", &[3, 4, 5]),
            (7, "Level", &[6]),
        ]),
    ];
    for upload in uploads {
        world.replace(TENANT, &upload).await;
        world.aggregate().await;
        served.push(answers(&world, "").await);
    }
    // Every item is written again, so every existing or removed category counts as touched.
    world.rebuild(TENANT).await;
    world.aggregate().await;
    served.push(answers(&world, "").await);
    for (number, expected) in (1..).zip(&served) {
        let found = answers(&world, &format!("?version={number}")).await;
        assert_eq!(found, *expected, "version {number}");
    }
    let removed = &served[3][7].1;
    assert_eq!(
        (&removed["removed"], &removed["version"]),
        (&json!(true), &json!(4)),
        "{removed}"
    );
}
