//! Tests of a tenant's configuration: default culture, fallback chain, removal limit, freeze. A change that affects the served content is
//! a version of its own.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_keys::Attention;
use taxonomy_model::Code;
use taxonomy_model::changeset::Cause;
use taxonomy_store::{Freeze, RemovalLimit};
use taxonomy_tests::prelude::*;

/// Returns a file with a category in two cultures; without `all`, the second term has a name in English only.
fn bilingual(all: bool) -> Vec<u8> {
    let mut second = in_two_cultures("Law", "Droit");
    if !all {
        second.as_array_mut().unwrap().pop();
    }
    of_categories(
        &json!([{"id": 1, "names": in_two_cultures("Sector", "Secteur"), "terms": [
        {"id": 10, "names": in_two_cultures("IT", "Informatique")}, {"id": 11, "names": second}]}]),
    )
}

fn freeze(wanted: &mut Configuration) {
    wanted.frozen = Some(Freeze::default());
}

fn final_names(world: &World) -> Vec<String> {
    let live = world.live(TENANT).into_iter();
    let mut names: Vec<String> = live
        .filter(|((pk, sk), _)| pk.starts_with("TERM#") && pk == sk)
        .map(|(_, attributes)| attributes["FinalName"].trim_matches('"').to_owned())
        .collect();
    names.sort();
    names
}

async fn last_cause(world: &World) -> (u64, Cause) {
    let tenant = TENANT.parse().unwrap();
    let entry = world.service().history(&tenant, None, 1).await.unwrap().remove(0);
    (entry.version.get(), entry.cause)
}

/// The newest file does not determine the default culture of a rolled back content.
#[tokio::test]
async fn content_that_an_operator_went_back_to_keeps_its_default_culture() {
    let world = World::new();
    speak(&world, Some("fr-FR")).await;
    world.push(TENANT, &bilingual(true)).await;
    world.replace(TENANT, br#"{"categories": []}"#).await;
    world.roll_back(TENANT, 1).await;
    speak(&world, None).await;
    assert_eq!(final_names(&world), ["Secteur:Droit", "Secteur:Informatique"]);
    assert!(world.committed(TENANT).await.detached);
    speak(&world, Some("en-GB")).await;
    assert_eq!(final_names(&world), ["Sector:IT", "Sector:Law"]);
}

#[tokio::test]
async fn a_culture_that_lacks_names_is_not_configured_and_each_gap_is_told() {
    let world = World::of(&[&bilingual(false)]).await;
    let refused = world.try_configure(TENANT, |wanted| {
        wanted.default_culture = Some("fr-FR".parse().unwrap());
    });
    let Err(VersioningError::Refused(report)) = refused.await else {
        panic!("it lacks a name");
    };
    assert_eq!((report.errors, report.issues[0].id), (1, Some(11)));
    let (head, configuration) = world.heads().read(&TENANT.parse().unwrap()).await.unwrap();
    assert_eq!(configuration, Configuration::default());
    assert_eq!(head.committed.unwrap().version.get(), 1);
}

/// The file has a `name` without a culture, which now belongs to another culture.
#[tokio::test]
async fn a_plain_name_follows_the_configured_culture() {
    let world = World::of(&[&small(&[(1, "IT")])]).await;
    speak(&world, Some("de-DE")).await;
    let head = world.committed(TENANT).await;
    assert_eq!(head.version.get(), 2);
    assert_eq!(head.cultures, ["de-DE".parse().unwrap()]);
}

/// Configures another default culture.
async fn speak(world: &World, culture: Option<&str>) {
    let culture = culture.map(|culture| culture.parse().unwrap());
    world
        .configure(TENANT, |wanted| wanted.default_culture = culture)
        .await;
}

fn many(terms: u64) -> Vec<u8> {
    named(1..=terms, |id| format!("Term {id}"))
}

fn by(author: &str) -> Provenance {
    Provenance {
        author: Some(author.to_owned()),
        ..Provenance::default()
    }
}

fn stored_provenance(world: &World) -> Option<AttributeValue> {
    world.item("TAXONOMY#acme", "TENANT").remove("Provenance")
}

/// The file is parsed again under the new settings.
#[tokio::test]
async fn a_version_that_follows_from_settings_says_who_configured_them() {
    let world = World::of(&[&bilingual(true)]).await;
    assert_eq!(stored_provenance(&world), None);
    world
        .configure(TENANT, |wanted| {
            wanted.default_culture = Some("fr-FR".parse().unwrap());
            wanted.provenance = by("ada");
        })
        .await;
    assert_eq!(last_cause(&world).await, (2, Cause::Configuration));
    assert_eq!(world.committed(TENANT).await.provenance, by("ada"));
    let configured = world.service().configuration(&TENANT.parse().unwrap()).await;
    assert_eq!(configured.unwrap().provenance, by("ada"));
    // The last change has no provenance, so neither the configuration nor the version keeps that of the change before.
    world
        .configure(TENANT, |wanted| {
            wanted.default_culture = None;
            wanted.provenance = Provenance::default();
        })
        .await;
    assert_eq!(last_cause(&world).await, (3, Cause::Configuration));
    assert!(world.committed(TENANT).await.provenance.is_empty());
    assert_eq!(stored_provenance(&world), None);
}

/// The new version has the settings of the configuration, although its content comes from a snapshot.
#[tokio::test]
async fn a_version_without_a_file_says_who_configured_its_settings() {
    let world = World::of(&[&bilingual(true)]).await;
    world.delete_upload(TENANT);
    world
        .configure(TENANT, |wanted| {
            wanted.fallback_chain = vec!["fr-FR".parse().unwrap()];
            wanted.provenance = by("ada");
        })
        .await;
    assert_eq!(last_cause(&world).await, (2, Cause::Configuration));
    assert_eq!(world.committed(TENANT).await.provenance, by("ada"));
}

/// A lookup reads one item per term for each culture that it tries.
#[tokio::test]
async fn a_fallback_chain_ends_at_ten_cultures() {
    let world = World::of(&[&bilingual(true)]).await;
    let culture = |n: usize| format!("qaa-x-{n}").parse().unwrap();
    let chain =
        |length| move |wanted: &mut Configuration| wanted.fallback_chain = (0..length).map(culture).collect();
    let refused = world.try_configure(TENANT, chain(11)).await;
    let Err(VersioningError::Refused(report)) = refused else {
        panic!("taken: {refused:?}");
    };
    assert_eq!(report.first_error().unwrap().code, Code::TooManyValues);
    assert_eq!(world.committed(TENANT).await.version.get(), 1);
    world.configure(TENANT, chain(10)).await;
    assert_eq!(world.committed(TENANT).await.settings.fallback_chain.len(), 10);
}

#[tokio::test]
async fn of_two_who_configure_at_once_one_has_to_look_again() {
    let world = World::new();
    let (service, tenant) = (world.service(), TENANT.parse().unwrap());
    let read = service.configuration(&tenant).await.unwrap();
    let mut frozen = read.clone();
    freeze(&mut frozen);
    service.configure(&tenant, &frozen).await.unwrap();
    let second = service.configure(&tenant, &read).await;
    assert!(matches!(second, Err(VersioningError::Overtaken)), "{second:?}");
    // The same holds if both had read before either wrote.
    let first = Configuration { revision: 1, ..read };
    assert!(!world.heads().configure(&tenant, &first, false).await.unwrap());
    assert!(service.configuration(&tenant).await.unwrap().frozen.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_configuration_whose_answer_was_lost_is_known_as_ones_own() {
    let world = World::new();
    world.inject(When::nth(1).operation("UpdateItem"), Fault::AnswerLost);
    assert_eq!(world.configure(TENANT, freeze).await, 1);
}

/// A file that was refused because of the configuration is ingested again when the configuration changes.
#[tokio::test]
async fn a_refused_file_is_looked_at_again_under_other_settings() {
    let world = World::new();
    let names = [json!({"culture": "fr-FR", "name": "Secteur"})];
    let french = of_categories(&json!([{"id": 1, "names": names, "terms": []}]));
    world.push(TENANT, &french).await;
    let refused = world.head(TENANT).await.refused.unwrap();
    assert_eq!(refused.code, "missing-default-name");
    speak(&world, Some("fr-FR")).await;
    let head = world.head(TENANT).await;
    assert_eq!(head.committed.unwrap().version.get(), 1);
    assert_eq!(head.refused, None);
}

#[tokio::test]
async fn an_upload_that_removes_most_of_a_taxonomy_is_refused_unless_it_says_so() {
    let world = World::of(&[&many(60), &many(29)]).await;
    let head = world.head(TENANT).await;
    let refused = head.refused.unwrap();
    assert_eq!(refused.code, "mass-removal");
    let report: Value = serde_json::from_slice(&world.body(&refused.report_key)).unwrap();
    assert_eq!(report["issues"][0]["message"], "31 of 60 terms would be removed");
    assert_eq!(world.live(TENANT), expected(TENANT, &many(60)));

    world.replace(TENANT, &many(29)).await;
    assert_eq!(world.live(TENANT), expected(TENANT, &many(29)));
}

/// Fewer terms than the limit counts, all of them: an export of nothing, or of another shape.
#[tokio::test]
async fn an_upload_without_a_term_is_refused_unless_it_says_so() {
    let world = World::of(&[&many(3)]).await;
    for nothing in [br#"{"categories":[]}"#.to_vec(), many(0)] {
        world.push(TENANT, &nothing).await;
        let head = world.head(TENANT).await;
        assert_eq!(head.refused.unwrap().code, "mass-removal");
        assert_eq!(world.live(TENANT), expected(TENANT, &many(3)));
    }
    world.replace(TENANT, &many(0)).await;
    assert_eq!(world.live(TENANT), expected(TENANT, &many(0)));
    // A tenant without a term has none to lose.
    world.push(TENANT, br#"{"categories":[]}"#).await;
    assert_eq!(world.head(TENANT).await.refused, None);
    assert!(world.live(TENANT).is_empty());
}

#[tokio::test]
async fn the_fuse_is_the_tenants_own() {
    let world = World::of(&[&many(60), &many(10)]).await;
    assert_eq!(world.head(TENANT).await.refused.unwrap().code, "mass-removal");
    let (percent, terms) = (90, 20);
    let limit = |wanted: &mut Configuration| wanted.removal_limit = RemovalLimit { percent, terms };
    world.configure(TENANT, limit).await;
    // Ingested again, because the removal limit has changed.
    assert_eq!(world.live(TENANT), expected(TENANT, &many(10)));
}

#[tokio::test]
async fn a_freeze_is_stored_with_its_time_and_reason() {
    let world = World::of(&[&many(3)]).await;
    let stored = || world.item("TAXONOMY#acme", "TENANT").remove("Frozen");
    let provenance = Provenance {
        reason: Some("legal".to_owned()),
        ..Provenance::default()
    };
    let freeze = Freeze { at: 7, provenance };
    let frozen = world.configure(TENANT, |wanted| wanted.frozen = Some(freeze));
    frozen.await;
    let frozen = stored().unwrap();
    let frozen = frozen.as_m().unwrap();
    assert_eq!(frozen["At"], AttributeValue::N("7".to_owned()));
    let provenance = frozen["Provenance"].as_m().unwrap();
    assert_eq!(provenance["reason"], AttributeValue::S("legal".to_owned()));
    world.configure(TENANT, |wanted| wanted.frozen = None).await;
    assert_eq!(stored(), None);
}

#[tokio::test]
async fn a_frozen_tenant_keeps_what_it_has_until_it_thaws() {
    let world = World::of(&[&many(3)]).await;
    world.configure(TENANT, freeze).await;
    world.push(TENANT, &many(4)).await;
    world.push(TENANT, b"{").await;
    world.push(TENANT, &many(5)).await;
    let head = world.head(TENANT).await;
    assert_eq!(head.committed.unwrap().version.get(), 1);
    assert_eq!(head.refused, None);
    assert_eq!(world.live(TENANT), expected(TENANT, &many(3)));
    world.configure(TENANT, |wanted| wanted.frozen = None).await;
    assert_eq!(world.live(TENANT), expected(TENANT, &many(5)));
}

/// A process that found no work is stopped while it takes the tenant out of the list. Its request arrives after an upload has begun to wait.
#[tokio::test(start_paused = true)]
async fn an_upload_that_waits_stays_listed_whatever_arrives_late() {
    let world = World::in_tokios_time();
    world.push(TENANT, &bilingual(true)).await;
    let (service, tenant) = (world.service(), TENANT.parse().unwrap());
    let wanted = Configuration {
        default_culture: Some("en-GB".parse().unwrap()),
        frozen: Some(Freeze::default()),
        ..Configuration::default()
    };
    service.configure(&tenant, &wanted).await.unwrap();
    assert_eq!(world.head(TENANT).await.attention, Some(Attention::Behind));
    let late = Fault::SlowBeforeApply(Duration::from_secs(60));
    world.inject(When::nth(1).operation("TransactWriteItems"), late);
    let stopped = tokio::time::timeout(Duration::from_secs(1), service.reconcile(&tenant, Deadline::NONE));
    assert!(stopped.await.is_err(), "it waits for the answer");
    world.push(TENANT, &bilingual(false)).await;
    assert_eq!(world.head(TENANT).await.attention, Some(Attention::Waiting));
    world.transport.settle().await;
    assert_eq!(world.head(TENANT).await.attention, Some(Attention::Waiting));
}

/// The stack's culture became one in which the tenant has no names; freezing must work nevertheless.
#[tokio::test]
async fn a_tenant_that_cannot_follow_its_settings_can_be_frozen() {
    let world = World::of(&[&bilingual(false)]).await;
    let tenant = TENANT.parse().unwrap();
    let french = Configuration {
        default_culture: Some("fr-FR".parse().unwrap()),
        revision: 1,
        ..Configuration::default()
    };
    assert!(world.heads().configure(&tenant, &french, false).await.unwrap());
    assert_eq!(world.configure(TENANT, freeze).await, 2);
    assert_eq!(world.committed(TENANT).await.version.get(), 1);
}

/// A committed version is still projected; otherwise reading it would be dearer as long as the freeze lasts.
#[tokio::test(start_paused = true)]
async fn a_frozen_tenant_is_still_projected() {
    let world = World::new();
    let event = world.upload(TENANT, &many(3));
    world.dies_at(event.clone(), 2, "PutItem").await;
    // The heartbeat of the dead process is stale.
    world.pass(91);
    world.configure(TENANT, freeze).await;
    assert_eq!(world.live(TENANT), expected(TENANT, &many(3)));
}
