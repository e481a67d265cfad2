//! Tests of the S3 fake through the real client.
#![allow(clippy::disallowed_methods, reason = "a test is no function that is frozen")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use aws_sdk_s3::error::ProvideErrorMetadata;
use aws_sdk_s3::primitives::ByteStream;
use aws_sdk_s3::types::ChecksumAlgorithm;
use serde_json::json;
use taxonomy_testkit::S3Fake;
use taxonomy_testkit::s3::sns_event;

const SOURCE: &str = taxonomy_testkit::fixtures::SOURCE_BUCKET;
const KEY: &str = "taxonomies/acme.json";

/// Returns the status and code of a failed request.
macro_rules! refusal {
    ($result:expr) => {{
        let error = $result.await.unwrap_err();
        let status = error.raw_response().unwrap().status().as_u16();
        (status, error.code().unwrap_or("-").to_owned())
    }};
}

mod deleting;
mod multipart;

fn refused(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[tokio::test]
async fn a_key_is_created_once() {
    let s3 = S3Fake::new();
    let create = |body: &'static [u8]| {
        let put = s3
            .client()
            .put_object()
            .bucket(SOURCE)
            .key(KEY)
            .if_none_match("*");
        put.body(ByteStream::from_static(body)).send()
    };
    create(b"first").await.unwrap();
    assert_eq!(refusal!(create(b"second")), refused(412, "PreconditionFailed"));
    assert_eq!(s3.object(SOURCE, KEY).unwrap().bytes, b"first");
    s3.delete(SOURCE, KEY);
    create(b"third").await.unwrap();
    assert_eq!(s3.versions(SOURCE, KEY).len(), 2);
}

#[tokio::test]
async fn versions_stay_readable_and_if_match_tells_them_apart() {
    let s3 = S3Fake::new();
    let (old, new) = (s3.put(SOURCE, KEY, "old"), s3.put(SOURCE, KEY, "new"));
    let get = s3.client().get_object().bucket(SOURCE).key(KEY);
    let body = get.clone().version_id(&old.version_id).send().await.unwrap().body;
    assert_eq!(body.collect().await.unwrap().to_vec(), b"old");
    assert_eq!(
        refusal!(get.clone().if_match(&old.etag).send()),
        refused(412, "PreconditionFailed")
    );
    assert_eq!(
        get.clone().if_match(&new.etag).send().await.unwrap().version_id(),
        Some(new.version_id.as_str())
    );
    assert_eq!(
        refusal!(get.version_id("other").send()),
        refused(404, "NoSuchVersion")
    );
    assert!(old.sequence < new.sequence);
}

#[tokio::test]
async fn what_is_not_there_is_404_or_without_the_right_to_list_403() {
    let s3 = S3Fake::new();
    let get = || s3.client().get_object().bucket(SOURCE).key(KEY).send();
    assert!(get().await.unwrap_err().into_service_error().is_no_such_key());
    let head = s3.client().head_object().bucket(SOURCE).key(KEY).send().await;
    assert!(head.unwrap_err().into_service_error().is_not_found());
    s3.put(SOURCE, KEY, "{}");
    s3.delete(SOURCE, KEY);
    assert_eq!(refusal!(get()), refused(404, "NoSuchKey"));
    s3.deny_listing(SOURCE);
    assert_eq!(refusal!(get()), refused(403, "AccessDenied"));
    assert_eq!(
        refusal!(s3.client().list_objects_v2().bucket(SOURCE).send()),
        refused(403, "AccessDenied")
    );
}

#[tokio::test]
async fn a_listing_goes_by_prefix_and_pages() {
    let s3 = S3Fake::new();
    for key in [
        "taxonomies/a b&c.json",
        "taxonomies/acme.json",
        "taxonomies/é.json",
        "other.json",
    ] {
        s3.put(SOURCE, key, "{}");
    }
    let list = s3
        .client()
        .list_objects_v2()
        .bucket(SOURCE)
        .prefix("taxonomies/")
        .max_keys(2);
    let mut pages = list.into_paginator().send();
    let mut seen = Vec::new();
    while let Some(page) = pages.next().await {
        let page = page.unwrap();
        seen.push(
            page.contents()
                .iter()
                .map(|object| object.key().unwrap().to_owned())
                .collect::<Vec<_>>(),
        );
        assert_eq!(
            page.contents()[0].e_tag(),
            Some("\"99914b932bd37a50b983c5e7c90ae93b\"")
        );
    }
    assert_eq!(
        seen,
        [
            vec!["taxonomies/a b&c.json", "taxonomies/acme.json"],
            vec!["taxonomies/é.json"]
        ]
    );
    assert_eq!(s3.keys(SOURCE)[0], "other.json");
}

#[tokio::test]
async fn checksums_are_checked_and_chunked_bodies_unwrapped() {
    let s3 = S3Fake::new();
    let put = |s3: &S3Fake| {
        s3.client()
            .put_object()
            .bucket(SOURCE)
            .key(KEY)
            .content_encoding("gzip")
    };
    let body = || ByteStream::from_static(b"zipped");
    put(&s3)
        .body(body())
        .checksum_algorithm(ChecksumAlgorithm::Sha256)
        .send()
        .await
        .unwrap();
    let wrong = put(&s3)
        .body(body())
        .checksum_sha256("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        .send();
    assert_eq!(refusal!(wrong), refused(400, "BadDigest"));

    let file = std::env::temp_dir().join(format!("taxonomy-testkit-{}", std::process::id()));
    std::fs::write(&file, "zipped from a file").unwrap();
    let streamed = ByteStream::read_from().path(&file).build().await.unwrap();
    put(&s3)
        .body(streamed)
        .checksum_algorithm(ChecksumAlgorithm::Crc32)
        .send()
        .await
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    let object = s3.object(SOURCE, KEY).unwrap();
    assert_eq!(object.bytes, b"zipped from a file");
    assert_eq!(object.encoding.as_deref(), Some("gzip"));
}

#[tokio::test]
async fn a_notification_reads_like_one_of_aws() {
    let s3 = S3Fake::new();
    s3.put(SOURCE, "taxonomies/red flower+é.json", "{}");
    s3.put(SOURCE, KEY, "{}");
    let events = [
        s3.event(SOURCE, "taxonomies/red flower+é.json"),
        s3.event(SOURCE, KEY),
    ];
    let event: aws_lambda_events::sns::SnsEvent = serde_json::from_value(sns_event(&events)).unwrap();
    let mut objects = Vec::new();
    for record in &event.records {
        let notice: aws_lambda_events::s3::S3Event = serde_json::from_str(&record.sns.message).unwrap();
        let object = &notice.records[0].s3.object;
        objects.push(json!([
            object.key,
            object.sequencer,
            object.version_id,
            object.size
        ]));
    }
    assert_eq!(
        objects[0],
        json!([
            "taxonomies/red+flower%2B%C3%A9.json",
            "000000000000000001",
            "version-000001",
            2
        ])
    );
    assert_eq!(
        objects[1],
        json!([KEY, "000000000000000002", "version-000002", 2])
    );
}

#[tokio::test]
async fn a_listing_starts_after_a_key_and_says_sizes() {
    let s3 = S3Fake::new();
    for number in 0..2500 {
        s3.put(SOURCE, &format!("c/{number:04}"), "x".repeat(number % 7));
    }
    let list = || s3.client().list_objects_v2().bucket(SOURCE);
    let page = list().start_after("c/0999").max_keys(5000).send().await.unwrap();
    assert_eq!((page.key_count(), page.is_truncated()), (Some(1000), Some(true)));
    let first = &page.contents()[0];
    assert_eq!((first.key(), first.size()), (Some("c/1000"), Some(1000 % 7)));
    let next = list().continuation_token(page.next_continuation_token().unwrap());
    let next = next.start_after("c/0999").send().await.unwrap();
    assert_eq!((next.key_count(), next.is_truncated()), (Some(500), Some(false)));
    assert_eq!(next.contents()[0].key(), Some("c/2000"));
    assert_eq!(next.next_continuation_token(), None);
}

/// S3 may return empty pages where many objects were deleted; only the token shows whether there are more.
#[tokio::test]
async fn an_empty_page_continues_where_the_page_before_ended() {
    let s3 = S3Fake::new();
    for key in ["a", "b", "c"] {
        s3.put("bucket", key, "1");
    }
    let client = s3.client();
    let list = || client.list_objects_v2().bucket("bucket").max_keys(1);
    let first = list().send().await.unwrap();
    s3.list_empty_pages("bucket", 2);
    let mut token = first.next_continuation_token.unwrap();
    for _ in 0..2 {
        let empty = list().continuation_token(token).send().await.unwrap();
        assert_eq!((empty.contents().len(), empty.is_truncated()), (0, Some(true)));
        token = empty.next_continuation_token.unwrap();
    }
    let next = list().continuation_token(token).send().await.unwrap();
    assert_eq!(next.contents()[0].key(), Some("b"));
}

#[tokio::test]
async fn a_deleted_object_is_gone_but_its_versions_are_not() {
    let s3 = S3Fake::new();
    let (old, new) = (s3.put(SOURCE, KEY, "old"), s3.put(SOURCE, KEY, "new"));
    let delete = || s3.client().delete_object().bucket(SOURCE).key(KEY);
    let deleted = delete().send().await.unwrap();
    assert_eq!(deleted.delete_marker(), Some(true));
    assert_eq!(s3.object(SOURCE, KEY), None);
    assert_eq!(s3.versions(SOURCE, KEY).len(), 2);
    delete().send().await.unwrap();

    let s3 = S3Fake::new();
    s3.client()
        .delete_object()
        .bucket(SOURCE)
        .key(KEY)
        .send()
        .await
        .unwrap();
    let (_, again) = (s3.put(SOURCE, KEY, "old"), s3.put(SOURCE, KEY, "new"));
    let delete = s3.client().delete_object().bucket(SOURCE).key(KEY);
    delete.version_id(&again.version_id).send().await.unwrap();
    assert_eq!(
        s3.object(SOURCE, KEY).unwrap().bytes,
        b"old",
        "the version before it"
    );
    assert_eq!((old.etag == new.etag, s3.versions(SOURCE, KEY).len()), (false, 1));
    assert_eq!(
        s3.exchanges().lines()[1],
        "S3.DeleteObject taxonomy-source/taxonomies/acme.json -> 204, 1 item"
    );
}
