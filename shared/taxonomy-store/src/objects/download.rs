//! The names of a download: the key of its object, the name of its file, and the message that requests it (docs/decisions/0020-downloads.md). Pure.

use serde::{Deserialize, Serialize};
use taxonomy_formats::csv::Dialect;
use taxonomy_formats::{Form, Format};
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Hash;

/// A version in a download format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// The tenant.
    pub tenant: TenantId,
    /// The version.
    pub version: Version,
    /// The id of its changeset: a restored table can assign a version number twice.
    pub changeset: Hash,
    /// Format and dialect.
    pub form: Form,
}

/// The message that requests a download. These names are the stored format of messages in the queue.
#[derive(Serialize, Deserialize)]
struct Message {
    download: TenantId,
    version: Version,
    changeset: Hash,
    format: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dialect: Option<String>,
}

impl Download {
    /// Returns the key of the object.
    pub fn key(&self) -> String {
        format!("downloads/{}/{}", self.tenant, self.name())
    }

    /// Returns the key of the record of a failure.
    pub fn failure_key(&self) -> String {
        format!("download-failures/{}/{}", self.tenant, self.name())
    }

    fn name(&self) -> String {
        let (format, dialect) = (self.form.format(), self.form.dialect());
        let dialect = match dialect {
            Dialect::Data => "",
            Dialect::Spreadsheet => ".spreadsheet",
        };
        format!(
            "{:012}-{}.{format}{dialect}.{}",
            self.version.get(),
            self.changeset,
            format.extension()
        )
    }

    /// Returns the name of the file. The characters of a tenant's id are safe in file names and between quotes.
    pub fn file_name(&self) -> String {
        let (format, dialect) = (self.form.format(), self.form.dialect());
        let history = match format {
            Format::History => "-history",
            _ => "",
        };
        let dialect = match dialect {
            Dialect::Data => "",
            Dialect::Spreadsheet => "-spreadsheet",
        };
        let (tenant, version) = (&self.tenant, self.version);
        format!("{tenant}-{version}{history}{dialect}.{}", format.extension())
    }

    /// Returns the body of the message.
    pub fn message(&self) -> String {
        let message = Message {
            download: self.tenant.clone(),
            version: self.version,
            changeset: self.changeset.clone(),
            format: self.form.format().to_string(),
            dialect: match self.form.dialect() {
                Dialect::Data => None,
                dialect => Some(dialect.as_str().to_owned()),
            },
        };
        // Texts and a number: it cannot fail.
        serde_json::to_string(&message).unwrap_or_default()
    }

    /// Parses a message. Ignores other members.
    pub fn parse(message: &serde_json::Value) -> Option<Self> {
        let message = Message::deserialize(message).ok()?;
        let dialect = message.dialect.map_or(Ok(Dialect::Data), |text| text.parse());
        Some(Self {
            tenant: message.download,
            version: message.version,
            changeset: message.changeset,
            form: Form::new(message.format.parse().ok()?, dialect.ok()?)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;

    fn download(format: Format, dialect: Dialect) -> Download {
        Download {
            tenant: "acme".parse().unwrap(),
            version: Version::new(3).unwrap(),
            changeset: Hash::digest(b"3"),
            form: Form::new(format, dialect).unwrap(),
        }
    }

    #[test]
    fn names_are_those_of_the_decision() {
        let hash = Hash::digest(b"3");
        let json = download(Format::Json, Dialect::Data);
        let key = format!("downloads/acme/000000000003-{hash}.json.json");
        assert_eq!((json.key(), &*json.file_name()), (key, "acme-3.json"));
        let history = download(Format::History, Dialect::Spreadsheet);
        let key = format!("download-failures/acme/000000000003-{hash}.history.spreadsheet.csv");
        assert_eq!(history.failure_key(), key);
        assert_eq!(history.file_name(), "acme-3-history-spreadsheet.csv");
        let message: Value = serde_json::from_str(&history.message()).unwrap();
        let expect = json!({"download": "acme", "version": 3, "changeset": hash.as_str(), "format": "history", "dialect": "spreadsheet"});
        assert_eq!(message, expect);
    }

    #[test]
    fn every_form_has_names_of_its_own_and_a_message_that_reads_back() {
        let all = Form::all().map(|form| download(form.format(), form.dialect()));
        let (mut names, mut count) = (BTreeSet::new(), 0);
        for download in all {
            count += 3;
            names.extend([download.key(), download.failure_key(), download.file_name()]);
            assert_eq!(names.len(), count);
            let mut message: Value = serde_json::from_str(&download.message()).unwrap();
            message["tries"] = json!(4);
            assert_eq!(Download::parse(&message), Some(download));
        }
    }

    #[test]
    fn a_message_of_another_form_is_none() {
        let good = download(Format::Csv, Dialect::Spreadsheet).message();
        let good: Value = serde_json::from_str(&good).unwrap();
        assert!(Download::parse(&good).is_some());
        for (member, value) in [
            ("download", json!("a/b")),
            ("version", json!(0)),
            ("version", json!("3")),
            ("changeset", json!("3")),
            ("format", json!("xml")),
            ("format", json!("json")),
            ("dialect", json!("excel")),
        ] {
            let mut message = good.clone();
            message[member] = value;
            assert_eq!(Download::parse(&message), None, "{message}");
        }
    }
}
