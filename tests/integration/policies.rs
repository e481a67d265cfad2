//! Tests of the policies of `template.yaml` (docs/decisions/0016-policies.md): each allows every request that it is meant for, needs each of
//! its statements, and allows nothing of another tenant.

mod existing_source;
mod others;

use std::collections::BTreeSet;
use std::time::Duration;

use lookup::routes::ROUTES;
use taxonomy_keys::Attention;
use taxonomy_store::{Freeze, redrive};
use taxonomy_testkit::iam::{Access, OWN_KEY, Policy, Principal, Template};
use taxonomy_tests::prelude::*;

use crate::purge::support;
use crate::template::{POLICIES, read};

fn template() -> Template {
    POLICIES.clone()
}

/// Returns a world with a tenant that has a history and a refused upload.
async fn world() -> World {
    let world = World::in_tokios_time();
    for tenant in [TENANT, "acme2"] {
        support::everything_happened(&world, tenant).await;
    }
    world.push(TENANT, b"{").await;
    world.exchanges().clear();
    world
}

/// Performs the requests of an uploader: find the object, upload, follow the head, and read content and report. Returns their accesses.
async fn upload(world: &World, tenant: &str) -> Vec<Access> {
    let id: TenantId = tenant.parse().unwrap();
    let before = world.head(tenant).await;
    world.exchanges().clear();
    let service = world.service();
    service.sources.find(&id).await.unwrap();
    let key = format!("taxonomies/{tenant}.json");
    let put = world.s3.client().put_object().bucket(SOURCE_BUCKET).key(key);
    put.body(small(&[(1, "IT")]).into()).send().await.unwrap();
    world.heads().read(&id).await.unwrap();
    let snapshot = before.committed.map(|head| head.snapshot_key);
    let report = before.refused.map(|refused| refused.report_key);
    for key in [snapshot, report].into_iter().flatten() {
        let get = world.s3.client().get_object().bucket(CHANGESETS_BUCKET).key(key);
        get.send().await.unwrap();
    }
    with_the_stack(world)
}

fn with_the_stack(world: &World) -> Vec<Access> {
    let mut accesses = world.exchanges().accesses();
    accesses.push(Access::describe_stack());
    accesses
}

/// Returns the permission that S3 checks for the missing file of a tenant, by both readings: without a prefix, and with the key as prefix.
fn tell_missing(tenant: &str) -> Vec<Access> {
    let key = format!("taxonomies/{tenant}.json");
    [None, Some(key.as_str())]
        .map(|prefix| Access::listing("s3:ListBucket", SOURCE_BUCKET, prefix))
        .into()
}

/// Returns an access to every route of a tenant.
fn calls(tenant: &str) -> Vec<Access> {
    let routes = ROUTES.iter().filter(|route| route.path.contains("{tenant}"));
    let path = |path: &str| path.replace("{tenant}", tenant).replace("{id}", "1");
    let calls = routes.flat_map(|route| {
        let methods = route.methods().iter();
        methods.map(move |method| Access::invoke(method, &path(route.path)))
    });
    calls.chain([Access::describe_stack()]).collect()
}

/// Returns the access that lists all tenants.
fn list_tenants() -> Vec<Access> {
    ["GET", "HEAD"]
        .map(|method| Access::invoke(method, "/v1/tenants"))
        .into()
}

/// Performs every operation of an operator on a tenant, with its messages and parked records. Returns their accesses.
async fn operate(world: &World, tenant: &str) -> Vec<Access> {
    let (id, service) = (tenant.parse::<TenantId>().unwrap(), world.service());
    world.exchanges().clear();
    let newest = service.history(&id, None, 5).await.unwrap()[0].version;
    service.state(&id, Version::FIRST).await.unwrap();
    service.state_at(&id, u64::MAX).await.unwrap().unwrap();
    service.state(&id, newest).await.unwrap();
    let mut wanted = service.configuration(&id).await.unwrap();
    wanted.default_culture = Some("en-GB".parse().unwrap());
    wanted.fallback_chain.clear();
    wanted.frozen = Some(Freeze::default());
    service.configure(&id, &wanted).await.unwrap();
    let asked = service.ask(&id, Request::Rebuild, Provenance::default()).await;
    service.answer(&id, &asked.unwrap()).await.unwrap();
    let operators = world.exchanges().accesses();
    // The projector makes these requests as another principal.
    service.reconcile(&id, Deadline::NONE).await.unwrap();
    world.exchanges().clear();
    service.verify(&id, BTreeSet::new()).await.unwrap();
    // A lost file of the index is a difference, as long as S3 says that it is missing.
    world.lose_all(|key| key.starts_with(&format!("indexes/{tenant}/")));
    assert!(service.verify(&id, BTreeSet::new()).await.unwrap().findings.count > 0);
    let list = world.s3.client().list_objects_v2().bucket(FAILURES_BUCKET);
    let listed = list.prefix(format!("parked/{tenant}/")).send().await.unwrap();
    let get = world.s3.client().get_object().bucket(FAILURES_BUCKET);
    let parked = listed.contents()[0].key().unwrap();
    get.key(parked).send().await.unwrap();
    // Another record expires between the listing and the request.
    let get = world.s3.client().get_object().bucket(FAILURES_BUCKET);
    get.key(format!("parked/{tenant}/gone")).send().await.unwrap_err();
    let mut accesses = with_the_stack(world);
    accesses.extend(operators);
    accesses.extend(["retry", "audits"].map(|queue| Access::queue("sqs:SendMessage", queue)));
    accesses
}

/// Performs the operations on all tenants: their lists, dead letters and deferred records. Returns their accesses.
async fn operate_the_stack(world: &World) -> Vec<Access> {
    world.exchanges().clear();
    world.heads().tenants(None, 10).await.unwrap();
    world
        .heads()
        .attention(Attention::Behind, None, 10)
        .await
        .unwrap();
    world.sqs.send(DEAD_LETTERS, r#"{"tenant":"acme"}"#);
    let (dead, queue) = (queue_url(DEAD_LETTERS), queue_url(RETRIES));
    redrive(&world.sqs.client(), &dead, &queue, 1).await.unwrap();
    let mut accesses = world.exchanges().accesses();
    accesses.extend(["deferred", "downloads"].map(|queue| Access::queue("sqs:SendMessage", queue)));
    accesses.push(Access::listing("s3:ListBucket", FAILURES_BUCKET, Some("parked/")));
    for letters in [
        "audits-dead-letters",
        "deferred-dead-letters",
        "downloads-dead-letters",
    ] {
        for action in ["sqs:ReceiveMessage", "sqs:DeleteMessage"] {
            accesses.push(Access::queue(action, letters));
        }
    }
    accesses
}

async fn purge(world: &World) -> Vec<Access> {
    world.exchanges().clear();
    support::purge(world, Duration::from_secs(1)).await.unwrap();
    with_the_stack(world)
}

/// The index file is missing, which S3 reveals only to a principal that may list the bucket; a scan finds the items all the same.
async fn purge_without_files() -> Vec<Access> {
    let world = world().await;
    world.lose_all(|key| key.starts_with(&format!("indexes/{TENANT}/")));
    world.exchanges().clear();
    let refused = support::purge(&world, Duration::from_secs(1)).await;
    assert!(matches!(refused, Err(VersioningError::Unnamed(_))), "{refused:?}");
    support::purge_scanning(&world).await.unwrap();
    with_the_stack(&world)
}

/// Checks that the policy allows all accesses, that without any one of its statements one is refused, and that no bucket denies one.
fn is_exact(name: &str, policy: &Policy, principal: Principal<'_>, accesses: &[Access]) {
    assert_eq!(policy.refused(principal, accesses), None, "{name}");
    for sid in policy.sids() {
        assert!(
            policy.without(sid).refused(principal, accesses).is_some(),
            "{name} does not need {sid}"
        );
    }
    let template = template();
    for bucket in [
        "SourceBucketPolicy",
        "ChangesetsBucketPolicy",
        "FailuresBucketPolicy",
    ] {
        let bucket_policy = template.policy(bucket);
        let encrypted = |access: &Access| access.clone().with("aws:SecureTransport", ["true".to_owned()]);
        let denied = accesses
            .iter()
            .find(|access| bucket_policy.denies(principal, &encrypted(access)));
        assert_eq!(denied, None, "{name}: {bucket}");
    }
}

const ANY: Principal<'static> = Principal {
    arn: "arn:aws:iam::123456789012:role/person",
    tenant: None,
};

fn tagged(tenant: &str) -> Principal<'_> {
    Principal::tagged(Some(tenant))
}

#[tokio::test(start_paused = true)]
async fn uploaders_may_upload_and_follow_and_no_more() {
    let template = template();
    let world = world().await;
    let mut accesses = upload(&world, TENANT).await;
    let own = template.policy("TenantUploaderPolicy");
    assert_eq!(own.refused(tagged(TENANT), &accesses), None);
    // The first upload of a tenant: the object does not exist yet.
    world.s3.hide_missing(SOURCE_BUCKET);
    let first = upload(&world, "first").await;
    assert_eq!(own.refused(tagged("first"), &first), None);
    let listing = Access::listing("s3:ListBucket", SOURCE_BUCKET, Some("taxonomies/first.json"));
    assert!(first.contains(&listing), "{first:?}");
    let all = [upload(&world, TENANT).await, {
        let listing = Access::listing("s3:ListBucket", SOURCE_BUCKET, Some("taxonomies/acme.json"));
        vec![listing]
    }]
    .concat();
    is_exact("TenantUploaderPolicy", &own, tagged(TENANT), &all);
    accesses.extend(first);
    accesses.extend(tell_missing("first"));
    is_exact(
        "UploaderPolicy",
        &template.policy("UploaderPolicy"),
        ANY,
        &accesses,
    );
}

#[test]
fn consumers_may_call_every_route_and_no_more() {
    let template = template();
    let own = template.policy("TenantConsumerPolicy");
    is_exact("TenantConsumerPolicy", &own, tagged(TENANT), &calls(TENANT));
    let all = [list_tenants(), calls(TENANT), calls("globex")].concat();
    is_exact("ConsumerPolicy", &template.policy("ConsumerPolicy"), ANY, &all);
}

/// The policy by tag equals the one that operations.md gives to callers.
#[test]
fn the_policy_of_the_tag_has_the_resources_of_the_documented_one() {
    let page = read("docs/operations.md");
    let (_, section) = page.split_once("**Who may call**").unwrap();
    let (_, block) = section.split_once("```json").unwrap();
    let documented: Value = serde_json::from_str(block.split("```").next().unwrap()).unwrap();
    let filled = documented["Statement"][0]["Resource"].to_string();
    let filled = filled
        .replace("REGION", "eu-west-1")
        .replace("ACCOUNT", "123456789012")
        .replace("API", taxonomy_testkit::iam::API_ID)
        .replace("/acme", "/${aws:PrincipalTag/taxonomy-tenant}");
    let deployed = template().document("TenantConsumerPolicy");
    assert_eq!(deployed["Statement"][0]["Resource"].to_string(), filled);
}

#[tokio::test(start_paused = true)]
async fn operators_may_do_what_the_library_does_and_no_more() {
    let template = template();
    let world = world().await;
    let of_one = operate(&world, TENANT).await;
    let looks = Access::listing("s3:ListBucket", SOURCE_BUCKET, Some("taxonomies/acme.json"));
    let mut own = [of_one.clone(), vec![looks]].concat();
    // A listing without a prefix names all tenants. Where S3 checks that for a missing object, the object is forbidden.
    own.retain(|access| access.action != "s3:ListBucket" || access.context.contains_key("s3:prefix"));
    is_exact(
        "TenantOperatorPolicy",
        &template.policy("TenantOperatorPolicy"),
        tagged(TENANT),
        &own,
    );
    let all = [
        of_one,
        operate(&world, "acme2").await,
        operate_the_stack(&world).await,
        tell_missing("gone"),
    ];
    is_exact(
        "OperatorPolicy",
        &template.policy("OperatorPolicy"),
        ANY,
        &all.concat(),
    );
}

#[tokio::test(start_paused = true)]
async fn the_role_of_a_purge_may_purge_and_no_more() {
    let template = template();
    let world = world().await;
    let mut accesses = purge(&world).await;
    accesses.extend(purge_without_files().await);
    let role = Principal {
        arn: "arn:aws:iam::123456789012:role/taxonomy-PurgeRole",
        tenant: None,
    };
    is_exact(
        "PurgeRole",
        &template.policy_of_role("PurgeRole"),
        role,
        &accesses,
    );
    let trust = template.trust("PurgeRole");
    assert_eq!(trust["Statement"].as_array().unwrap().len(), 1);
    assert_eq!(
        trust["Statement"][0]["Principal"]["AWS"],
        "arn:aws:iam::123456789012:root"
    );
    assert_eq!(trust["Statement"][0]["Action"], "sts:AssumeRole");
}

/// Whoever may assume every role of the account may neither purge nor scan for that.
#[test]
fn roles_of_people_trust_principals_with_their_tag_alone() {
    for (role, tag) in [("PurgeRole", "taxonomy-purge"), ("ScanRole", "taxonomy-scan")] {
        let trust = template().trust(role);
        // A policy without principals and resources, which the evaluator reads.
        let mut statement = trust["Statement"][0].clone();
        statement["Resource"] = "*".into();
        statement.as_object_mut().unwrap().remove("Principal");
        let policy = Policy::new(&json!({"Version": "2012-10-17", "Statement": [statement]}));
        let assume = |key: &str, value: &str| {
            let access = Access::new("sts:AssumeRole", "arn:aws:iam::123456789012:role/it");
            policy.allows(ANY, &access.with(key, [value.to_owned()]))
        };
        assert!(assume(&format!("aws:PrincipalTag/{tag}"), "allowed"), "{role}");
        assert!(!assume(&format!("aws:PrincipalTag/{tag}"), "no"), "{role}");
        assert!(!assume("aws:PrincipalTag/other", "allowed"), "{role}");
    }
}

/// An upload that the projector could not read, or that is not under the key of the stack, is refused at once, and not on each of its tries.
#[test]
fn an_upload_under_a_foreign_key_is_refused() {
    const ENCRYPTION: &str = "s3:x-amz-server-side-encryption";
    const KEY: &str = "s3:x-amz-server-side-encryption-aws-kms-key-id";
    let own_id = OWN_KEY.rsplit('/').next().unwrap();
    let foreign = "arn:aws:kms:eu-west-1:210987654321:key/other";
    for (template, has_key) in [(template(), false), (template().with_own_key(), true)] {
        let policy = template.policy("SourceBucketPolicy");
        let denies = |headers: &[(&str, &str)]| {
            let put = Access::object("s3:PutObject", SOURCE_BUCKET, "taxonomies/acme.json")
                .with("aws:SecureTransport", ["true".to_owned()]);
            let put = headers
                .iter()
                .fold(put, |put, (key, value)| put.with(key, [(*value).to_owned()]));
            policy.denies(ANY, &put)
        };
        // S3 encrypts by the bucket's default, whether or not it shows that to the policy.
        assert!(!denies(&[]));
        let default: &[_] = match has_key {
            true => &[(ENCRYPTION, "aws:kms"), (KEY, OWN_KEY)],
            false => &[(ENCRYPTION, "AES256")],
        };
        assert!(!denies(default));
        assert!(denies(&[(ENCRYPTION, "aws:kms"), (KEY, foreign)]));
        for own in [OWN_KEY, own_id] {
            assert_eq!(denies(&[(ENCRYPTION, "aws:kms"), (KEY, own)]), !has_key, "{own}");
        }
        for without_key in ["AES256", "aws:kms", "aws:kms:dsse"] {
            assert_eq!(denies(&[(ENCRYPTION, without_key)]), has_key, "{without_key}");
        }
        assert!(denies(&[(
            "s3:x-amz-server-side-encryption-customer-algorithm",
            "AES256"
        )]));
    }
}

/// With a key of the account, each request of a role to something that stores may use the key, and other services may not.
#[tokio::test(start_paused = true)]
async fn the_key_of_a_stack_is_used_through_the_services_that_store_alone() {
    let world = world().await;
    let requests = [
        upload(&world, TENANT).await,
        operate(&world, TENANT).await,
        operate_the_stack(&world).await,
        purge_without_files().await,
    ];
    let key = template().with_own_key().policy("KeyPolicy");
    let through = |action: &str, service: &str| {
        let service = format!("{service}.eu-west-1.amazonaws.com");
        let access = Access::new(action, OWN_KEY).with("kms:ViaService", [service]);
        key.allows(ANY, &access)
    };
    let requests = requests.concat();
    let arns = requests.iter().map(|access| access.resource.as_str());
    let services: BTreeSet<&str> = arns.map(|arn| arn.split(':').nth(2).unwrap()).collect();
    assert!(
        services.is_superset(&BTreeSet::from(["dynamodb", "s3", "sqs"])),
        "{services:?}"
    );
    for action in ["kms:Decrypt", "kms:GenerateDataKey"] {
        for service in services.iter().filter(|service| **service != "cloudformation") {
            assert!(through(action, service), "{action} {service}");
        }
        // Of notifications, and of the variables of the functions.
        assert!(through(action, "sns") && through(action, "lambda"), "{action}");
        assert!(!through(action, "ec2") && !key.allows(ANY, &Access::new(action, OWN_KEY)));
    }
    assert!(!through("kms:CreateGrant", "s3"));
}
