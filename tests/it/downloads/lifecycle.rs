//! The objects of the changesets bucket that expire, by the template.

use std::collections::BTreeMap;

use crate::template::{properties, template};

/// SQS buries a message at `maxReceiveCount` without a record of the failure, so the function gives up before it.
#[test]
fn the_function_gives_up_a_download_before_its_queue_does() {
    let queue = properties(&template(), "DownloadQueue");
    let most = queue["RedrivePolicy"]["maxReceiveCount"].as_u64().unwrap();
    assert!(projector::DOWNLOAD_RECEIVES + 1 < most, "{most}");
}

/// A rule that expires anything names a prefix, and no such prefix holds what the chain is made of.
#[test]
fn nothing_but_downloads_expires() {
    let bucket = properties(&template(), "ChangesetsBucket");
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
