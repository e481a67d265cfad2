//! Uploads of downloads, and their URLs.

use std::time::Duration;

use aws_sdk_s3::Client;
use taxonomy_formats::csv::Dialect;
use taxonomy_formats::{Form, Format};
use taxonomy_keys::Version;
use taxonomy_model::Hash;
use taxonomy_testkit::fixtures::CHANGESETS_BUCKET;
use taxonomy_testkit::{Fault, S3Fake, When};

use super::*;
use crate::fakes::buckets;

const MIB: usize = 1 << 20;

fn download() -> Download {
    Download {
        tenant: "acme".parse().unwrap(),
        version: Version::FIRST,
        changeset: Hash::digest(b"1"),
        form: Form::new(Format::Skos, Dialect::Data).unwrap(),
    }
}

fn archive(s3: &S3Fake) -> Archive {
    Archive::new(s3.client(), CHANGESETS_BUCKET)
}

/// The number of versions of the object of a download.
fn versions(s3: &S3Fake, download: &Download) -> usize {
    s3.versions(CHANGESETS_BUCKET, &download.key()).len()
}

async fn upload(archive: &Archive, download: &Download) -> Result<PutOutcome, StoreError> {
    let mut upload = archive.upload_download(download);
    let sent = async {
        upload.part(Bytes::from(vec![1; 5 * MIB])).await?;
        upload.complete(Bytes::from_static(b"end")).await
    };
    let sent = sent.await;
    match &sent {
        Ok(PutOutcome::Now) => {}
        _ => drop(upload.abort().await),
    }
    sent
}

/// The answers to all attempts of the completion are lost, though the first one was applied.
#[tokio::test(start_paused = true)]
async fn a_completion_whose_every_answer_is_lost_is_seen_by_the_object() {
    let s3 = buckets();
    let (archive, download) = (archive(&s3), download());
    let completions = When::always().operation("CompleteMultipartUpload");
    s3.transport().inject(completions, Fault::AnswerLost);
    assert_eq!(upload(&archive, &download).await.unwrap(), PutOutcome::Before);
    assert_eq!(versions(&s3, &download), 1);
    assert!(s3.unfinished_uploads(CHANGESETS_BUCKET).is_empty());
}

#[tokio::test]
async fn of_two_uploads_the_first_one_stays_and_nothing_is_left() {
    let s3 = buckets();
    let (archive, download) = (archive(&s3), download());
    let mut late = archive.upload_download(&download);
    late.part(Bytes::from(vec![9; 5 * MIB])).await.unwrap();
    assert_eq!(upload(&archive, &download).await.unwrap(), PutOutcome::Now);
    let stored = late.complete(Bytes::from_static(b"late")).await.unwrap();
    assert_eq!(stored, PutOutcome::Before);
    late.abort().await.unwrap();
    assert!(s3.unfinished_uploads(CHANGESETS_BUCKET).is_empty());
    let mut small = archive.upload_download(&download);
    let stored = small.complete(Bytes::from_static(b"x")).await.unwrap();
    assert_eq!(stored, PutOutcome::Before);
    assert_eq!(versions(&s3, &download), 1);
}

#[tokio::test]
async fn an_object_says_what_it_is_and_under_which_name_it_is_kept() {
    for parts in [0, 1] {
        let s3 = buckets();
        let (archive, download) = (archive(&s3), download());
        let mut upload = archive.upload_download(&download);
        for _ in 0..parts {
            upload.part(Bytes::from(vec![0; 5 * MIB])).await.unwrap();
        }
        upload.complete(Bytes::from_static(b"end")).await.unwrap();
        let object = s3.object(CHANGESETS_BUCKET, &download.key()).unwrap();
        assert_eq!(object.bytes.len() as u64, upload.bytes());
        assert_eq!(object.content_type.as_deref(), Some("text/turtle; charset=utf-8"));
        let name = "attachment; filename=\"acme-1.ttl\"";
        assert_eq!(object.disposition.as_deref(), Some(name));
    }
}

/// S3 takes a checksum only of the algorithm that the upload names, and the SDK may add one to each part by itself.
#[tokio::test]
async fn an_upload_names_the_checksum_of_its_parts_whatever_the_client_adds() {
    for calculation in [
        RequestChecksumCalculation::WhenSupported,
        RequestChecksumCalculation::WhenRequired,
    ] {
        let s3 = buckets();
        let config = s3.config().request_checksum_calculation(calculation);
        let archive = Archive::new(Client::from_conf(config.build()), CHANGESETS_BUCKET);
        let download = download();
        let mut upload = archive.upload_download(&download);
        upload.part(Bytes::from(vec![1; 5 * MIB])).await.unwrap();
        let last = Bytes::from_static(b"end");
        assert_eq!(upload.complete(last).await.unwrap(), PutOutcome::Now);
        let mut parts = upload.parts.iter();
        assert!(parts.all(|part| part.checksum_crc32().is_some()));
    }
}

/// The URL alone is enough: a signed header would have to be sent along.
#[tokio::test]
async fn a_url_reads_one_object_until_it_expires_and_nothing_is_sent_for_it() {
    let s3 = buckets();
    let (archive, download) = (archive(&s3), download());
    let lifetime = Duration::from_secs(900);
    let url = archive.download_url(&download, 1_767_225_600_000, lifetime);
    let url = url.await.unwrap();
    let (address, query) = url.split_once('?').unwrap();
    let expect = format!("http://s3.test/{CHANGESETS_BUCKET}/{}", download.key());
    assert_eq!(address, expect);
    let parts: Vec<&str> = query.split('&').collect();
    for part in [
        "X-Amz-Expires=900",
        "X-Amz-Date=20260101T000000Z",
        "X-Amz-SignedHeaders=host",
    ] {
        assert!(parts.contains(&part), "{part}: {url}");
    }
    assert!(query.contains("X-Amz-Signature="), "{url}");
    assert_eq!(s3.exchanges().len(), 0);
}

#[tokio::test]
async fn a_failure_is_noted_with_its_time_and_a_later_one_replaces_it() {
    let s3 = buckets();
    let (archive, download) = (archive(&s3), download());
    assert_eq!(archive.download_failed_at(&download).await.unwrap(), None);
    for at in [5, 7] {
        archive.note_failed_download(&download, at).await.unwrap();
        assert_eq!(archive.download_failed_at(&download).await.unwrap(), Some(at));
    }
    assert_eq!(archive.download_size(&download).await.unwrap(), None);
    s3.deny(CHANGESETS_BUCKET, "download-failures/");
    let denied = archive.download_failed_at(&download).await;
    assert!(denied.is_err(), "no right is no absence");
}
