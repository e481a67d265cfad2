//! Tests of the accesses that the policies refuse.

use taxonomy_testkit::iam::{Access, Policy, Principal};
use taxonomy_tests::prelude::*;

use super::{ANY, calls, operate, tagged, template, upload, world};

const OF_A_TENANT: [&str; 3] = [
    "TenantUploaderPolicy",
    "TenantConsumerPolicy",
    "TenantOperatorPolicy",
];

const OF_ALL: [&str; 3] = ["UploaderPolicy", "ConsumerPolicy", "OperatorPolicy"];

fn policies(names: [&'static str; 3]) -> Vec<(&'static str, Policy)> {
    names.map(|name| (name, template().policy(name))).to_vec()
}

/// Whether an access concerns the tenant; accesses to a queue or the stack do not, because those belong to no tenant.
fn is_of_a_tenant(access: &Access) -> bool {
    !access.action.starts_with("sqs:") && !access.action.starts_with("cloudformation:")
}

/// The tenant's uploader, consumer and operator send their requests for a tenant whose id begins like another's.
#[tokio::test(start_paused = true)]
async fn a_tag_allows_nothing_of_another_tenant() {
    let world = world().await;
    let requests = [
        upload(&world, "acme2").await,
        calls("acme2"),
        operate(&world, "acme2").await,
    ];
    let requests: Vec<Access> = requests.concat().into_iter().filter(is_of_a_tenant).collect();
    assert!(requests.len() > 40, "{}", requests.len());
    for (name, policy) in policies(OF_A_TENANT) {
        for principal in [
            tagged(TENANT),
            tagged("acm"),
            tagged("acme2x"),
            tagged(""),
            tagged("*"),
            tagged("acme?"),
        ] {
            for access in &requests {
                assert!(
                    !policy.allows(principal, access),
                    "{name} {principal:?}: {access:?}"
                );
            }
        }
        assert!(
            requests
                .iter()
                .any(|access| policy.allows(tagged("acme2"), access)),
            "{name}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn without_the_tag_the_stack_may_be_described_and_nothing_else() {
    let world = world().await;
    let requests = [
        upload(&world, TENANT).await,
        calls(TENANT),
        operate(&world, TENANT).await,
    ];
    for (name, policy) in policies(OF_A_TENANT) {
        for access in requests.concat() {
            let expect = !is_of_a_tenant(&access)
                && (name == "TenantOperatorPolicy" || !access.action.starts_with("sqs:"));
            assert_eq!(
                policy.allows(Principal::tagged(None), &access),
                expect,
                "{name}: {access:?}"
            );
        }
    }
}

#[test]
fn a_tenants_policies_list_no_other_tenants() {
    let listings = [
        Access::listing("s3:ListBucket", SOURCE_BUCKET, None),
        Access::listing("s3:ListBucket", SOURCE_BUCKET, Some("")),
        Access::listing("s3:ListBucket", SOURCE_BUCKET, Some("taxonomies/")),
        Access::listing("s3:ListBucket", SOURCE_BUCKET, Some("taxonomies/acme")),
        Access::listing("s3:ListBucket", FAILURES_BUCKET, Some("parked/acme")),
        Access::listing("s3:ListBucket", CHANGESETS_BUCKET, None),
        Access::item("dynamodb:Query", TABLE, Some("GSI1"), "TENANTS"),
        Access::item("dynamodb:Query", TABLE, Some("GSI1"), "ATTENTION"),
        Access::item("dynamodb:Scan", TABLE, None, "TAXONOMY#acme"),
        Access::queue("sqs:ReceiveMessage", "dead-letters"),
        Access::queue("sqs:SendMessage", "deferred"),
    ];
    for (name, policy) in policies(OF_A_TENANT) {
        for access in &listings {
            assert!(!policy.allows(tagged(TENANT), access), "{name}: {access:?}");
        }
    }
}

/// A request without a partition passes a condition on all values, unless the policy requires the key.
#[test]
fn a_request_without_leading_keys_is_refused_where_they_decide() {
    let whole = |action: &str| {
        let mut access = Access::item(action, TABLE, None, "");
        access.context.clear();
        access
    };
    let check = |name: &str, action: &str, principal: Principal<'_>| {
        let policy = template().policy(name);
        assert!(!policy.allows(principal, &whole(action)), "{name} {action}");
    };
    for name in ["UploaderPolicy", "TenantUploaderPolicy", "TenantOperatorPolicy"] {
        check(name, "dynamodb:Query", tagged(TENANT));
        check(name, "dynamodb:GetItem", tagged(TENANT));
    }
    for name in ["OperatorPolicy", "TenantOperatorPolicy"] {
        check(name, "dynamodb:PutItem", tagged(TENANT));
        check(name, "dynamodb:UpdateItem", tagged(TENANT));
    }
}

/// Only the projector writes items and bodies, and only the aggregator writes aggregates.
#[test]
fn operators_write_no_items_and_no_aggregates() {
    for name in ["OperatorPolicy", "TenantOperatorPolicy"] {
        let policy = template().policy(name);
        for action in [
            "dynamodb:PutItem",
            "dynamodb:UpdateItem",
            "dynamodb:BatchWriteItem",
        ] {
            let write = |partition: &str| Access::item(action, TABLE, None, partition);
            for partition in ["TERM#acme#1", "CATEGORY#acme#1", "STATS#acme", "TAXONOMY"] {
                assert!(
                    !policy.allows(tagged(TENANT), &write(partition)),
                    "{name} {action} {partition}"
                );
            }
            let expect = action == "dynamodb:UpdateItem";
            assert_eq!(policy.allows(tagged(TENANT), &write("TAXONOMY#acme")), expect);
        }
        let body = |kind: &str| Access::object("s3:PutObject", CHANGESETS_BUCKET, &format!("{kind}/acme/x"));
        let once = |kind: &str| body(kind).with("s3:if-none-match", ["*".to_owned()]);
        for refused in [
            body("snapshots"),
            once("snapshots"),
            once("changesets"),
            once("indexes"),
            once("reports"),
            once("audits"),
        ] {
            assert!(!policy.allows(tagged(TENANT), &refused), "{name} {refused:?}");
        }
        let source = Access::object("s3:PutObject", SOURCE_BUCKET, "taxonomies/acme.json");
        assert!(!policy.allows(tagged(TENANT), &source), "{name}");
    }
}

#[test]
fn the_role_of_a_purge_alone_deletes() {
    let deletions = [
        Access::item("dynamodb:DeleteItem", TABLE, None, "TAXONOMY#acme"),
        Access::item("dynamodb:BatchWriteItem", TABLE, None, "TAXONOMY#acme"),
        Access::object("s3:DeleteObject", SOURCE_BUCKET, "taxonomies/acme.json"),
        Access::object("s3:DeleteObjectVersion", SOURCE_BUCKET, "taxonomies/acme.json"),
        Access::object("s3:DeleteObject", CHANGESETS_BUCKET, "snapshots/acme/x"),
        Access::object("s3:DeleteObjectVersion", CHANGESETS_BUCKET, "snapshots/acme/x"),
        Access::object("s3:DeleteObject", FAILURES_BUCKET, "parked/acme/x"),
    ];
    let template = template();
    for (name, policy) in policies(OF_A_TENANT).into_iter().chain(policies(OF_ALL)) {
        for access in &deletions {
            for principal in [tagged(TENANT), ANY] {
                assert!(!policy.allows(principal, access), "{name}: {access:?}");
            }
        }
    }
    let roles = template.of_type("AWS::IAM::Role").into_iter();
    let deletes = |action: &String| {
        let words = [
            "dynamodb:Delete",
            "dynamodb:BatchWrite",
            "s3:Delete",
            "dynamodb:*",
            "s3:*",
        ];
        words.iter().any(|word| action.starts_with(word))
    };
    let deleting: Vec<String> = roles
        .filter(|role| template.actions_of_role(role).iter().any(deletes))
        .collect();
    assert_eq!(deleting, ["PurgeRole"]);
    let purge = template.policy_of_role("PurgeRole");
    for beyond in [
        Access::item("dynamodb:PutItem", TABLE, None, "TAXONOMY#acme"),
        Access::item("dynamodb:BatchWriteItem", TABLE, None, "TAXONOMY#acme"),
        Access::item("dynamodb:UpdateItem", TABLE, None, "TERM#acme#1"),
        Access::object("s3:DeleteObject", FAILURES_BUCKET, "aws/lambda/x"),
        Access::object("s3:GetObject", SOURCE_BUCKET, "taxonomies/acme.json"),
        Access::listing("s3:ListBucketVersions", SOURCE_BUCKET, None),
        Access::queue("sqs:SendMessage", "retry"),
    ] {
        assert!(!purge.allows(ANY, &beyond), "{beyond:?}");
    }
}

/// A function's role may not delete in the changesets bucket, whatever its own policy allows.
#[test]
fn the_bucket_denies_functions_what_the_purge_may() {
    let bucket = template().policy("ChangesetsBucketPolicy");
    let delete = Access::object("s3:DeleteObjectVersion", CHANGESETS_BUCKET, "snapshots/acme/x");
    let role = |name: &str| format!("arn:aws:iam::123456789012:role/taxonomy-{name}");
    for (name, expect) in [
        ("ProjectorRole", true),
        ("AggregatorRole", true),
        ("LookupRole", true),
        ("PurgeRole", false),
    ] {
        let arn = role(name);
        let principal = Principal {
            arn: &arn,
            tenant: None,
        };
        assert_eq!(bucket.denies(principal, &delete), expect, "{name}");
    }
}

/// A managed policy has at most 6,144 characters without white space (IAM quotas), checked with the longest names of stack and buckets.
#[test]
fn each_policy_fits() {
    for name in template().of_type("AWS::IAM::ManagedPolicy") {
        if name == "CacheNetworkPolicy" {
            continue;
        }
        let document = template().document(&name).to_string();
        let longer = document
            .replace("taxonomy-source", &"x".repeat(20 + 8 + 12 + 16))
            .replace("taxonomy-changesets", &"x".repeat(20 + 12 + 12 + 16))
            .replace(":::failures", &"x".repeat(3 + 20 + 10 + 12 + 16))
            .replace("table/taxonomy", &"x".repeat(6 + 20 + 20))
            .replace("stack/taxonomy", &"x".repeat(6 + 20));
        let length = longer
            .chars()
            .filter(|character| !character.is_whitespace())
            .count();
        assert!(length <= 6144, "{name}: {length}");
    }
}
