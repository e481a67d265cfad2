//! Tests of the policies of a stack over the bucket of another team (docs/deploying/README.md).

use taxonomy_testkit::iam::{Access, Policy};
use taxonomy_tests::prelude::*;

use super::{ANY, purge, template, world};
use crate::template::read;

/// The roles whose policies name the source bucket.
const ROLES: [&str; 2] = ["ProjectorRole", "PurgeRole"];
const MANAGED: [&str; 4] = [
    "UploaderPolicy",
    "TenantUploaderPolicy",
    "OperatorPolicy",
    "TenantOperatorPolicy",
];

/// Splits the statements of a document into those without and those with the key.
fn split(document: &Value) -> (Vec<Value>, Vec<Value>) {
    let statements = document["Statement"].as_array().unwrap().iter().cloned();
    statements.partition(|statement| !statement["Action"].to_string().contains("kms:"))
}

#[test]
fn policies_say_of_an_existing_bucket_what_they_say_of_an_own_one() {
    let (own, existing) = (template(), template().with_existing_source());
    for name in MANAGED {
        let (others, key) = split(&existing.document(name));
        assert_eq!(json!(others), own.document(name)["Statement"], "{name}");
        let actions = match name {
            "UploaderPolicy" | "TenantUploaderPolicy" => json!(["kms:Decrypt", "kms:GenerateDataKey"]),
            _ => json!("kms:Decrypt"),
        };
        let [statement] = &key[..] else {
            panic!("{name}: {key:?}");
        };
        assert_eq!(statement["Action"], actions, "{name}");
        assert_eq!(
            statement["Resource"], "arn:aws:kms:eu-west-1:123456789012:key/uploads",
            "{name}"
        );
        // The key may be used only for requests that come through S3.
        let through = json!({"StringEquals": {"kms:ViaService": "s3.eu-west-1.amazonaws.com"}});
        assert_eq!(statement["Condition"], through, "{name}");
    }
}

#[test]
fn roles_decrypt_uploads_where_a_key_is_named() {
    let (own, existing) = (template(), template().with_existing_source());
    let actions = |policy: &Policy| policy.actions().join(" ");
    for role in ROLES {
        assert!(!actions(&own.policy_of_role(role)).contains("kms:"), "{role}");
    }
    let projector = existing.policy_of_role("ProjectorRole");
    assert!(actions(&projector).contains("kms:Decrypt"));
    assert!(!actions(&projector).contains("kms:GenerateDataKey"));
    assert!(!actions(&existing.policy_of_role("PurgeRole")).contains("kms:"));
}

/// Performs the projector's requests to the source bucket: for a tenant, for one whose file is missing, and for a sweep.
async fn reads(world: &World) -> Vec<Access> {
    world.exchanges().clear();
    world.push(TENANT, &small(&[(1, "IT")])).await;
    world.delete_upload("gone");
    let service = world.service();
    service.sources.find(&"gone".parse().unwrap()).await.unwrap();
    let list = world.s3.client().list_objects_v2().bucket(SOURCE_BUCKET);
    list.prefix("taxonomies/").send().await.unwrap();
    of_the_bucket(world.exchanges().accesses())
}

fn of_the_bucket(accesses: Vec<Access>) -> Vec<Access> {
    let arn = format!("arn:aws:s3:::{SOURCE_BUCKET}");
    let uploaders = |access: &Access| access.action == "s3:PutObject";
    accesses
        .into_iter()
        .filter(|access| access.resource.starts_with(&arn) && !uploaders(access))
        .collect()
}

/// Returns the policy that the page shows under a title, with the ARN in place of its name there.
fn documented(title: &str, name: &str, arn: &str) -> Value {
    let page = read("docs/deploying/README.md");
    let (_, section) = page.split_once(title).unwrap();
    let (_, block) = section.split_once("```json").unwrap();
    let text = block.split("```").next().unwrap();
    serde_json::from_str(&text.replace(name, arn)).unwrap()
}

/// CloudFormation reads the topic before it subscribes, in a request without the condition key of the subscription.
#[test]
fn the_documented_policy_of_the_topic_is_enough() {
    let topic = "arn:aws:sns:eu-west-1:999999999999:uploads";
    let policy = Policy::new(&documented("The topic's policy:", "TOPIC", topic));
    let subscribe = Access::new("sns:Subscribe", topic);
    let needed = [
        Access::new("sns:GetTopicAttributes", topic),
        subscribe.clone().with("sns:Protocol", ["lambda".to_owned()]),
    ];
    assert_eq!(policy.refused(ANY, &needed), None);
    assert!(!policy.allows(ANY, &subscribe.with("sns:Protocol", ["https".to_owned()])));
}

/// The policy that the page gives to the owner of a bucket allows the requests of the two roles, and each of its statements is needed.
#[tokio::test(start_paused = true)]
async fn the_documented_policy_of_the_bucket_is_enough() {
    let bucket = format!("arn:aws:s3:::{SOURCE_BUCKET}");
    let document = documented("The bucket's policy:", "BUCKET", &bucket);
    let policy = Policy::new(&document);
    let world = world().await;
    let (reads, purges) = (reads(&world).await, of_the_bucket(purge(&world).await));
    assert!(!reads.is_empty() && !purges.is_empty());
    for (role, accesses) in [("ProjectorRoleArn", &reads), ("PurgeRoleArn", &purges)] {
        let mut own = document.clone();
        own["Statement"]
            .as_array_mut()
            .unwrap()
            .retain(|statement| statement["Principal"]["AWS"] == role);
        assert_eq!(Policy::new(&own).refused(ANY, accesses), None, "{role}");
    }
    let all = [reads, purges].concat();
    for sid in policy.sids() {
        assert!(policy.without(sid).refused(ANY, &all).is_some(), "{sid} is idle");
    }
}
