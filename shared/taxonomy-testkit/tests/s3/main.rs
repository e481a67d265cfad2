//! Tests of the S3 fake through the real client.
#![allow(clippy::disallowed_methods, reason = "a test is no function that is frozen")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use aws_sdk_s3::error::ProvideErrorMetadata;
use aws_sdk_s3::primitives::ByteStream;
use taxonomy_testkit::S3Fake;

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

/// A principal that may list only with a prefix gets 403 for a missing object, but finds it missing in a listing.
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
    s3.hide_missing(SOURCE);
    assert_eq!(refusal!(get()), refused(403, "AccessDenied"));
    let list = || s3.client().list_objects_v2().bucket(SOURCE);
    assert_eq!(refusal!(list().send()), refused(403, "AccessDenied"));
    let listed = async || list().prefix(KEY).send().await.unwrap().contents().len();
    assert_eq!(listed().await, 0);
    s3.put(SOURCE, KEY, "1");
    assert_eq!(listed().await, 1);
}

/// S3 may return empty pages where many objects were deleted; only the token shows whether there are more.
#[tokio::test]
async fn an_empty_page_continues_where_the_page_before_ended() {
    let s3 = S3Fake::new();
    for key in ["a", "b", "c"] {
        s3.put("bucket", key, "1");
    }
    let client = s3.client();
    let list = || client.list_objects_v2().bucket("bucket");
    s3.limit_pages("bucket", 1);
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
