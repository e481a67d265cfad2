//! Tests of multipart uploads.

use aws_sdk_s3::Client;
use aws_sdk_s3::config::RequestChecksumCalculation;
use aws_sdk_s3::error::ProvideErrorMetadata;
use aws_sdk_s3::operation::complete_multipart_upload::builders::CompleteMultipartUploadFluentBuilder;
use aws_sdk_s3::primitives::ByteStream;
use aws_sdk_s3::types::{ChecksumAlgorithm, CompletedMultipartUpload, CompletedPart};
use taxonomy_testkit::S3Fake;

use super::{SOURCE, refused};

const KEY: &str = "large.json";
const LEAST: usize = 5 << 20;

async fn begin(client: &Client) -> String {
    let begun = client.create_multipart_upload().bucket(SOURCE).key(KEY);
    let begun = begun.content_type("text/turtle").send().await.unwrap();
    begun.upload_id().unwrap().to_owned()
}

async fn part(client: &Client, id: &str, number: i32, bytes: Vec<u8>) -> CompletedPart {
    checked_part(client, id, number, bytes, None).await
}

/// Uploads a part with the checksum of an algorithm.
async fn checked_part(
    client: &Client,
    id: &str,
    number: i32,
    bytes: Vec<u8>,
    algorithm: Option<ChecksumAlgorithm>,
) -> CompletedPart {
    let part = client.upload_part().bucket(SOURCE).key(KEY).upload_id(id);
    let part = part.part_number(number).set_checksum_algorithm(algorithm);
    let part = part.body(ByteStream::from(bytes)).send().await.unwrap();
    CompletedPart::builder()
        .part_number(number)
        .set_e_tag(part.e_tag)
        .set_checksum_crc32(part.checksum_crc32)
        .build()
}

fn complete(client: &Client, id: &str, parts: &[&CompletedPart]) -> CompleteMultipartUploadFluentBuilder {
    let parts = parts.iter().map(|part| (*part).clone()).collect();
    let parts = CompletedMultipartUpload::builder().set_parts(Some(parts)).build();
    let request = client.complete_multipart_upload().bucket(SOURCE).key(KEY);
    request.upload_id(id).multipart_upload(parts)
}

#[tokio::test]
async fn parts_become_an_object_at_once() {
    let s3 = S3Fake::new();
    let client = s3.client();
    let id = begin(&client).await;
    let second = part(&client, &id, 2, b"end".to_vec()).await;
    part(&client, &id, 1, vec![1; LEAST]).await;
    let first = part(&client, &id, 1, vec![2; LEAST]).await;
    assert_eq!(s3.object(SOURCE, KEY), None);
    assert_eq!(s3.unfinished_uploads(SOURCE), [KEY]);
    complete(&client, &id, &[&first, &second]).send().await.unwrap();
    let object = s3.object(SOURCE, KEY).unwrap();
    assert_eq!(object.bytes, [vec![2; LEAST], b"end".to_vec()].concat());
    assert_eq!(object.content_type.as_deref(), Some("text/turtle"));
    assert!(object.etag.ends_with("-2\""), "{}", object.etag);
    assert!(s3.unfinished_uploads(SOURCE).is_empty());
    let again = complete(&client, &id, &[&first, &second]).send();
    assert_eq!(refusal!(again), refused(404, "NoSuchUpload"));
}

#[tokio::test]
async fn a_completion_that_is_wrong_is_refused_and_changes_nothing() {
    let s3 = S3Fake::new();
    let client = s3.client();
    let id = begin(&client).await;
    let first = part(&client, &id, 1, vec![1; LEAST - 1]).await;
    let second = part(&client, &id, 2, vec![2; LEAST]).await;
    let third = part(&client, &id, 3, vec![3]).await;
    let stranger = CompletedPart::builder().part_number(4).e_tag("\"x\"").build();
    for (parts, code) in [
        (vec![], "MalformedXML"),
        (vec![&first, &second], "EntityTooSmall"),
        (vec![&third, &second], "InvalidPartOrder"),
        (vec![&second, &second], "InvalidPartOrder"),
        (vec![&second, &stranger], "InvalidPart"),
    ] {
        let completion = complete(&client, &id, &parts).send();
        assert_eq!(refusal!(completion), refused(400, code));
    }
    assert_eq!(s3.object(SOURCE, KEY), None);
    s3.put(SOURCE, KEY, "there");
    let conditional = complete(&client, &id, &[&second, &third])
        .if_none_match("*")
        .send();
    assert_eq!(refusal!(conditional), refused(412, "PreconditionFailed"));
    assert_eq!(s3.object(SOURCE, KEY).unwrap().bytes, b"there");
}

#[tokio::test]
async fn an_upload_takes_the_checksums_that_it_names_and_no_other() {
    let s3 = S3Fake::new();
    let with_checksums = s3
        .config()
        .request_checksum_calculation(RequestChecksumCalculation::WhenSupported);
    let (without, client) = (s3.client(), Client::from_conf(with_checksums.build()));
    let begun = client.create_multipart_upload().bucket(SOURCE).key(KEY);
    let begun = begun.checksum_algorithm(ChecksumAlgorithm::Crc32).send().await;
    let (checked, unchecked) = (begun.unwrap().upload_id.unwrap(), begin(&without).await);
    for (client, id, algorithm) in [
        (&without, &checked, None),
        (&client, &checked, Some(ChecksumAlgorithm::Sha256)),
        (&client, &unchecked, Some(ChecksumAlgorithm::Crc32)),
    ] {
        let part = client.upload_part().bucket(SOURCE).key(KEY).upload_id(id);
        let part = part.part_number(1).set_checksum_algorithm(algorithm);
        let part = part.body(ByteStream::from_static(b"x")).send();
        assert_eq!(refusal!(part), refused(400, "InvalidRequest"));
    }
    let crc32 = Some(ChecksumAlgorithm::Crc32);
    let good = checked_part(&client, &checked, 1, b"x".to_vec(), crc32.clone()).await;
    let other = checked_part(&client, &checked, 2, b"other".to_vec(), crc32).await;
    assert!(good.checksum_crc32().is_some() && other.checksum_crc32().is_some());
    let bare = CompletedPart::builder()
        .part_number(1)
        .set_e_tag(good.e_tag.clone());
    let false_one = bare.clone().set_checksum_crc32(other.checksum_crc32);
    for (part, code) in [
        (bare.clone().build(), "InvalidRequest"),
        (bare.clone().checksum_sha256("eA==").build(), "InvalidPart"),
        (false_one.build(), "InvalidPart"),
    ] {
        let completion = complete(&client, &checked, &[&part]).send();
        assert_eq!(refusal!(completion), refused(400, code));
    }
    let plain = part(&without, &unchecked, 1, b"x".to_vec()).await;
    let stated = CompletedPart::builder().part_number(1).set_e_tag(plain.e_tag);
    let stated = stated.set_checksum_crc32(good.checksum_crc32.clone()).build();
    let completion = complete(&client, &unchecked, &[&stated]).send();
    assert_eq!(refusal!(completion), refused(400, "InvalidPart"));
    complete(&client, &checked, &[&good]).send().await.unwrap();
    assert_eq!(s3.object(SOURCE, KEY).unwrap().bytes, b"x");
}
