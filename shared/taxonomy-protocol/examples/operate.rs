//! What operators do with versions, over a running stack: the library's commands and nothing else.
//!
//! ```text
//! TABLE_NAME=.. SOURCE_BUCKET=.. CHANGESETS_BUCKET=.. DEFAULT_CULTURE=en-GB \
//!   cargo run -p taxonomy-protocol --example operate -- history|verify|rebuild TENANT
//!                                                       state|roll-back TENANT VERSION
//! ```
//! `RELEASE`, `AUTHOR` and `REASON` are kept with the version that `rebuild` and `roll-back` make.
//! Credentials, region and endpoint come from the usual variables. `state` writes the canonical snapshot, the rest a line each.
#![expect(clippy::print_stdout, reason = "what it prints is what it is for")]

use std::error::Error;
use std::io;

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::{Provenance, snapshot};
use taxonomy_protocol::{Bounds, Deadline, Taxonomies};
use taxonomy_runtime::{AwsEnv, Patience, SystemClock, env, sdk_config};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (aws, bounds) = (AwsEnv::from_env()?, bounds()?);
    let sdk = sdk_config(&aws, Patience::EVENTS);
    let s3 = aws_sdk_s3::config::Builder::from(&sdk)
        .force_path_style(aws.path_style())
        .build();
    let taxonomies = Taxonomies::new(
        "operate",
        bounds,
        aws_sdk_dynamodb::Client::new(&sdk),
        aws_sdk_s3::Client::from_conf(s3),
        SystemClock,
    );
    match arguments[..] {
        ["history", tenant] => {
            for entry in taxonomies.history(&tenant.parse()?, None, 100).await? {
                println!(
                    "{} {} {} {} {:?}",
                    entry.version,
                    entry.cause.kind(),
                    entry.facts,
                    entry.changeset,
                    entry.provenance
                );
            }
        }
        ["state", tenant, version] => {
            let state = taxonomies.state(&tenant.parse()?, number(version)?).await?;
            snapshot::write(&state.taxonomy, io::stdout())?;
        }
        ["verify", tenant] => {
            let verdict = taxonomies.verify(&tenant.parse()?).await?;
            println!("{verdict:?}");
            if !verdict.is_clean() {
                return Err("not as it should be".into());
            }
        }
        ["roll-back", tenant, version] => {
            let tenant: TenantId = tenant.parse()?;
            let made = taxonomies
                .roll_back(&tenant, number(version)?, provenance()?)
                .await?;
            println!(
                "{made} {:?}",
                taxonomies.reconcile(&tenant, Deadline::NONE).await?
            );
        }
        ["rebuild", tenant] => {
            let tenant: TenantId = tenant.parse()?;
            let made = taxonomies.rebuild(&tenant, provenance()?).await?;
            println!(
                "{made} {:?}",
                taxonomies.reconcile(&tenant, Deadline::NONE).await?
            );
        }
        _ => return Err("history|verify|rebuild TENANT, or state|roll-back TENANT VERSION".into()),
    }
    Ok(())
}

fn bounds() -> Result<Bounds, Box<dyn Error>> {
    Ok(Bounds {
        table: env::required("TABLE_NAME")?,
        source_bucket: env::required("SOURCE_BUCKET")?,
        changesets_bucket: env::required("CHANGESETS_BUCKET")?,
        default_culture: env::required_as("DEFAULT_CULTURE")?,
        max_file_bytes: 128 << 20,
        projection_format: Bounds::PROJECTION_FORMAT,
    })
}

fn provenance() -> Result<Provenance, Box<dyn Error>> {
    let (release, author, reason) = (
        env::optional("RELEASE")?,
        env::optional("AUTHOR")?,
        env::optional("REASON")?,
    );
    Ok(Provenance::of(|name| match name {
        "release" => release.clone(),
        "author" => author.clone(),
        _ => reason.clone(),
    }))
}

fn number(version: &str) -> Result<Version, Box<dyn Error>> {
    Ok(Version::new(version.parse()?).ok_or("versions are counted from 1")?)
}
