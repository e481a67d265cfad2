//! Tests of versions, delete markers and batch deletions.

use super::*;

/// The response is 200 and reports each version that was not deleted.
#[tokio::test]
async fn deletions_of_many_fail_one_by_one() {
    use aws_sdk_s3::types::{Delete, ObjectIdentifier};
    let s3 = S3Fake::new();
    for key in [KEY, "taxonomies/acme2.json", "taxonomies/acme3.json"] {
        s3.put(SOURCE, key, "1");
    }
    s3.deny(SOURCE, "taxonomies/acme2");
    let object = |key: &str, version: Option<&str>| {
        let object = ObjectIdentifier::builder().key(key);
        object.set_version_id(version.map(str::to_owned)).build().unwrap()
    };
    let delete = |objects: Vec<ObjectIdentifier>, quiet| {
        let delete = Delete::builder()
            .quiet(quiet)
            .set_objects(Some(objects))
            .build()
            .unwrap();
        s3.client().delete_objects().bucket(SOURCE).delete(delete).send()
    };
    let objects = vec![
        object(KEY, Some("version-000001")),
        object("taxonomies/acme2.json", Some("version-000002")),
        object("taxonomies/acme3.json", None),
        object("taxonomies/never.json", Some("version-000009")),
    ];
    let answer = delete(objects, true).await.unwrap();
    assert_eq!(answer.deleted(), [], "quiet");
    let errors: Vec<_> = answer
        .errors()
        .iter()
        .map(|error| (error.key(), error.code()))
        .collect();
    assert_eq!(errors, [(Some("taxonomies/acme2.json"), Some("AccessDenied"))]);
    assert_eq!(
        s3.everything(SOURCE),
        [
            "taxonomies/acme2.json version-000002",
            "taxonomies/acme3.json version-000003",
            "taxonomies/acme3.json marker-000001",
        ]
    );
    s3.fail_deletions(SOURCE, 1);
    let both = || {
        vec![
            object("taxonomies/acme3.json", Some("version-000003")),
            object("taxonomies/acme3.json", Some("marker-000001")),
        ]
    };
    let answer = delete(both(), false).await.unwrap();
    assert_eq!(
        (answer.deleted().len(), answer.errors()[0].code()),
        (1, Some("InternalError"))
    );
    assert_eq!(delete(both(), false).await.unwrap().errors(), []);
    assert_eq!(s3.everything(SOURCE), ["taxonomies/acme2.json version-000002"]);
    let too_many = (0..1001).map(|n| object(&format!("k{n}"), None)).collect();
    assert_eq!(refusal!(delete(too_many, true)), refused(400, "MalformedXML"));
}
