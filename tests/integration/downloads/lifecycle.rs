//! Tests of the lifecycle rules of the changesets bucket, by the template.

use std::collections::BTreeMap;

use crate::template::properties;

/// At `maxReceiveCount` SQS moves a message to the dead letters without a record of the failure, so the function gives up earlier.
#[test]
fn the_function_gives_up_a_download_before_its_queue_does() {
    let queue = properties("DownloadQueue");
    let most = queue["RedrivePolicy"]["maxReceiveCount"].as_u64().unwrap();
    assert!(projector::DOWNLOAD_RECEIVES + 1 < most, "{most}");
}

/// Each expiration rule names a prefix, and no such prefix contains objects of the chain.
#[test]
fn nothing_but_downloads_expires() {
    let bucket = properties("ChangesetsBucket");
    let rules = bucket["LifecycleConfiguration"]["Rules"].as_sequence().unwrap();
    let expiring = rules
        .iter()
        .filter(|rule| !rule["ExpirationInDays"].is_null() || !rule["NoncurrentVersionExpiration"].is_null());
    let expiring: BTreeMap<&str, u64> = expiring
        .map(|rule| {
            assert_eq!(
                rule["NoncurrentVersionExpiration"]["NoncurrentDays"].as_u64(),
                Some(1)
            );
            let days = rule["ExpirationInDays"].as_u64().unwrap();
            (rule["Prefix"].as_str().unwrap(), days)
        })
        .collect();
    assert_eq!(expiring, [("downloads/", 30), ("download-failures/", 1)].into());
    let aborted = rules
        .iter()
        .find(|rule| rule["Prefix"].as_str() == Some("downloads/"));
    let aborted = &aborted.unwrap()["AbortIncompleteMultipartUpload"];
    assert_eq!(aborted["DaysAfterInitiation"].as_u64(), Some(1));
}
