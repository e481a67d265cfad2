//! Requests of operators: the head's attributes `Asked` and `Answered` (docs/decisions/0008-changeset-chain.md).

use serde::{Deserialize, Serialize};
use taxonomy_keys::{Attention, TenantId, Version};
use taxonomy_model::attribute;
use taxonomy_model::{Hash, Provenance};

use crate::error::StoreError;
use crate::table::configure::list_as;
use crate::table::heads::{Heads, require_head};
use crate::table::update_expression::UpdateExpression;

/// A request of an operator, which the projector carries out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Asked {
    /// Identifies the request.
    pub id: String,
    /// What to do.
    pub request: Request,
    /// The head at the request. A later version overtakes the request.
    pub onto: Version,
    /// The changeset of that head.
    #[serde(rename = "OntoChangesetId")]
    pub changeset: Hash,
    /// Release, author and reason.
    #[serde(default)]
    pub provenance: Provenance,
    /// The time of the request, in epoch milliseconds.
    pub at: u64,
}

impl Asked {
    /// Whether it asks for a repair.
    pub fn is_repair(&self) -> bool {
        matches!(self.request, Request::Repair { .. })
    }
}

/// What an operator asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "What", rename_all = "kebab-case", rename_all_fields = "PascalCase")]
pub enum Request {
    /// A version with the content of an older one.
    Rollback {
        /// The older version.
        to: Version,
    },
    /// A full version with the content of the head.
    Rebuild,
    /// Everything that is stored as it follows from what is left of it.
    Repair {
        /// Further partitions, which a scan found and no version names.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        partitions: Vec<String>,
    },
}

/// The progress of a repair: the head's attribute `Repair`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct RepairNote {
    /// The id of the request.
    pub id: String,
    /// The step.
    pub step: RepairStep,
    /// The units of the step that are done.
    pub done: u64,
    /// All units of the step, as far as they are known.
    pub of: u64,
    /// The time of this note, in epoch milliseconds.
    pub at: u64,
    /// The process that wrote it.
    pub by: String,
}

/// A step of a repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepairStep {
    /// Log, bodies and files; counts versions.
    Files,
    /// Head, items and aggregates; counts partitions.
    Items,
}

impl std::fmt::Display for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rollback { to } => write!(f, "a rollback to version {to}"),
            Self::Rebuild => f.write_str("a rebuild"),
            Self::Repair { .. } => f.write_str("a repair"),
        }
    }
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Answered {
    /// The id of the request.
    pub id: String,
    /// The outcome.
    pub answer: Answer,
    /// The time of the answer, in epoch milliseconds.
    pub at: u64,
}

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "What", rename_all = "kebab-case", rename_all_fields = "PascalCase")]
pub enum Answer {
    /// The version has what was asked for.
    Committed {
        /// The version, which the request may have found.
        version: Version,
    },
    /// Everything was examined.
    Repaired {
        /// The differences that were mended.
        mended: u64,
        /// The differences that were not.
        left: u64,
        /// The key of the report in the changesets bucket.
        report: String,
    },
    /// Another version was committed first.
    Overtaken,
    /// The content is invalid under the present settings.
    Refused {
        /// The key of the report in the changesets bucket.
        report: String,
    },
    /// The request cannot be carried out, for this reason.
    Failed {
        /// The reason.
        reason: String,
    },
}

impl Heads {
    /// Asks for something, and lists the tenant as behind. Returns false if the head moved, if another request waits, or if the tenant is being purged.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn ask(&self, tenant: &TenantId, asked: &Asked) -> Result<bool, StoreError> {
        let mut change = UpdateExpression::default();
        change.set("Asked", attribute::write(asked));
        list_as(&mut change, tenant, Some(Attention::Behind));
        require_head(&mut change, asked.onto, &asked.changeset);
        change.require("attribute_not_exists(#Asked) AND attribute_not_exists(#Purge)");
        self.update(tenant, change).await
    }

    /// Stores the progress of a repair. Returns false if its request is answered, or the tenant is being purged.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn show_repair(&self, tenant: &TenantId, note: &RepairNote) -> Result<bool, StoreError> {
        let mut change = UpdateExpression::default();
        change.set("Repair", attribute::write(note));
        change.value(":asked", note.id.as_str());
        change.require("#Asked.#Id = :asked AND attribute_not_exists(#Purge)");
        self.update(tenant, change).await
    }

    /// Answers a request without a commit. Returns false if it was answered before.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn answer(&self, tenant: &TenantId, answered: &Answered) -> Result<bool, StoreError> {
        let mut change = UpdateExpression::default();
        answer_in(&mut change, answered);
        self.update(tenant, change).await
    }
}

/// Answers a request, on condition that it waits for its answer.
pub(crate) fn answer_in(change: &mut UpdateExpression, answered: &Answered) {
    change.set("Answered", attribute::write(answered));
    change.remove("Asked");
    change.remove("Repair");
    change.value(":asked", answered.id.as_str());
    change.require("#Asked.#Id = :asked");
}
