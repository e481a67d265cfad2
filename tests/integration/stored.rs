//! Snapshot tests of the stored items that are not part of the projection: head, log, configuration.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use taxonomy_tests::prelude::*;
use taxonomy_tests::world::text;

/// Returns the items of the tenant, an attribute a line.
fn lines(world: &World) -> String {
    let mut items = world.db.items(TABLE);
    items.retain(|item| item["PK"].as_s().unwrap().starts_with("TAXONOMY#"));
    let mut lines = Vec::new();
    for mut item in items {
        item.remove("PK");
        lines.push(item.remove("SK").unwrap().as_s().unwrap().clone());
        let attributes: BTreeMap<_, _> = item.iter().collect();
        let line = |(name, value)| format!("  {name} = {}", text(value));
        lines.extend(attributes.into_iter().map(line));
    }
    lines.join("\n")
}

#[tokio::test]
async fn head_log_and_configuration_are_these() {
    let (world, tenant) = (World::new(), TENANT.parse().unwrap());
    world.push(TENANT, &small(&[(1, "IT"), (2, "Law")])).await;
    world.push(TENANT, b"{").await;
    let service = world.service();
    let provenance = Provenance {
        author: Some("arn:aws:sts::123456789012:assumed-role/operators/ada".to_owned()),
        reason: Some("French readers".to_owned()),
        release: None,
    };
    let change = |wanted: &mut Configuration| {
        wanted.fallback_chain = ["fr-FR", "en"].map(|culture| culture.parse().unwrap()).into();
        wanted.default_culture = "en-GB".parse().ok();
        (wanted.removal_limit.percent, wanted.removal_limit.terms) = (10, 5);
        wanted.provenance = provenance;
    };
    world.configure(TENANT, change).await;
    world.roll_back(TENANT, 1).await;
    world.rebuild(TENANT).await;
    let asked = service
        .ask(&tenant, Request::Rebuild, Provenance::default())
        .await;
    // The ids of requests differ in each run.
    let answered = world.head(TENANT).await.answered.unwrap().id;
    let lines = lines(&world).replace(&asked.unwrap().id, "00000000000000aa");
    assert_snapshot!(lines.replace(&answered, "00000000000000bb"));
}

/// The cursor of a projection that had to stop.
#[tokio::test]
async fn a_cursor_is_this() {
    let world = World::new();
    let event = world.upload(
        TENANT,
        &small(&[(1, "IT"), (2, "Law"), (3, "Mining"), (4, "Teaching")]),
    );
    world.deliver_within(event, 13).await.unwrap();
    // The process id differs in each run.
    let by = world.committed(TENANT).await.cursor.unwrap().by;
    assert_eq!(by.len(), 16, "{by}");
    assert_snapshot!(lines(&world).replace(&by, "0123456789abcdef"));
}
