//! Tests of chains of replacements over HTTP: a response names their ends, across versions, from the table and from index files alike.

use lookup::Lookup;
use taxonomy_tests::prelude::*;

/// Returns a file of some terms, each deprecated if others replace it.
fn file(terms: &[(u64, &[u64])]) -> Vec<u8> {
    let terms: Vec<Value> = terms
        .iter()
        .map(|(id, replaced_by)| match replaced_by {
            [] => json!({"id": id, "name": format!("Term {id}")}),
            ids => json!({"id": id, "name": format!("Term {id}"), "deprecated": true, "replacedBy": ids}),
        })
        .collect();
    let category = json!({"id": 1, "name": "Sector", "terms": terms});
    of_categories(&json!([category]))
}

/// Returns the replacements of each of these terms, requested in a batch and one by one.
async fn replaced(lookup: &Lookup, ids: &[u64], query: &str) -> Vec<Vec<u64>> {
    let texts: Vec<String> = ids.iter().map(u64::to_string).collect();
    let (_, batch) = get(lookup, &format!("terms?ids={}&{query}", texts.join(","))).await;
    let of = |term: &Value| -> Vec<u64> {
        let ids = term["replacedBy"].as_array().unwrap().iter();
        ids.map(|id| id.as_u64().unwrap()).collect()
    };
    let mut found = Vec::new();
    for item in batch["items"].as_array().unwrap() {
        assert_eq!(item["status"], 200, "{item}");
        let (_, single) = get(lookup, &format!("terms/{}?{query}", item["id"])).await;
        assert_eq!(single["replacedBy"], item["term"]["replacedBy"]);
        found.push(of(&item["term"]));
    }
    found
}

/// Terms are deprecated and removed one after the other; each version's responses name the ends as of that version.
#[tokio::test]
async fn a_chain_across_versions_is_answered_by_its_ends() {
    let (world, ids) = (World::new(), [1, 2, 3, 4, 5]);
    let versions: [(Vec<u8>, [&[u64]; 5]); 5] = [
        (
            file(&[(1, &[2]), (2, &[]), (3, &[]), (4, &[]), (5, &[])]),
            [&[2], &[], &[], &[], &[]],
        ),
        // 1 is removed, and 2 is replaced by two.
        (
            file(&[(2, &[4, 3]), (3, &[]), (4, &[]), (5, &[])]),
            [&[4, 3], &[4, 3], &[], &[], &[]],
        ),
        // 2 is removed as well; one of its replacements is replaced.
        (
            file(&[(3, &[5]), (4, &[]), (5, &[])]),
            [&[4, 5], &[4, 5], &[5], &[], &[]],
        ),
        // A cycle with an exit: 4 leads back to the removed term.
        (
            file(&[(3, &[5]), (4, &[1]), (5, &[])]),
            [&[5], &[5], &[5], &[5], &[]],
        ),
        // A cycle without an exit: each leads as far as the file states.
        (
            file(&[(3, &[4]), (4, &[3]), (5, &[])]),
            [&[2], &[4, 3], &[4], &[3], &[]],
        ),
    ];
    for (position, (file, expected)) in versions.iter().enumerate() {
        world.replace(TENANT, file).await;
        for lookup in [
            process(&world),
            process_with(&world, lookup::Context::reading_files),
        ] {
            assert_eq!(
                replaced(&lookup, &ids, "").await,
                expected,
                "version {}",
                position + 1
            );
            assert_eq!(replaced(&lookup, &ids, "culture=fr-FR").await, expected);
        }
    }
    let lookup = process(&world);
    for (position, (_, expected)) in versions.iter().enumerate() {
        let version = format!("version={}", position + 1);
        assert_eq!(replaced(&lookup, &ids, &version).await, expected, "{version}");
    }
}

#[tokio::test]
async fn an_id_that_never_was_stays_as_it_is_filed() {
    let world = World::new();
    world
        .replace(TENANT, &file(&[(1, &[99, 2]), (2, &[98]), (3, &[])]))
        .await;
    let lookup = process(&world);
    assert_eq!(replaced(&lookup, &[1, 2], "").await, [vec![99, 98], vec![98]]);
}

/// A chain of 20 is followed over eight terms beyond those of the response, one request each, whatever is kept: an answer depends on its version
/// alone. Terms without replacements cost no further request.
#[tokio::test]
async fn a_long_chain_costs_a_bounded_number_of_requests() {
    let world = World::new();
    let below: Vec<[u64; 1]> = (2..=20).map(|id| [id]).collect();
    let mut terms: Vec<(u64, &[u64])> = (1..20).zip(below.iter().map(|next| &next[..])).collect();
    terms.push((20, &[]));
    world.replace(TENANT, &file(&terms)).await;
    let lookup = process(&world);
    get(&lookup, "terms/20").await;
    let reads = async |target: &str| {
        let seen = world.exchanges().len();
        let (_, body) = get(&lookup, target).await;
        (world.exchanges().since(seen).len(), body["replacedBy"].clone())
    };
    assert_eq!(reads("terms/19").await, (2, json!([20])));
    assert_eq!(reads("terms/10").await, (9, json!([19])));
    assert_eq!(reads("terms/2").await, (9, json!([11])));
    assert_eq!(reads("terms/19").await, (0, json!([20])), "its answer is kept");
    // A batch follows the chain further, and leaves no answer behind that another request would not give.
    get(&lookup, "terms?ids=2,10,18").await;
    assert_eq!(reads("terms/2").await, (9, json!([11])));
}
