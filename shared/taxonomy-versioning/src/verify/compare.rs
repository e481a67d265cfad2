//! Comparing an object or an item with what it should be, and putting it right: the same for every kind (docs/decisions/0035-losses.md).

use std::collections::BTreeSet;

use taxonomy_keys::ItemKey;
use taxonomy_model::attribute::Attributes;
use taxonomy_runtime::causes;
use taxonomy_store::{Committed, Object, Replacement, StoredItem, UnlessLost as _};

use crate::error::VersioningError;
use crate::verify::Examination;
use crate::verify::difference::{Difference, Findings, Found, Mending};

/// The most items of one transaction, which takes a hundred and four megabytes; a largest item has 400 kilobytes.
const BATCH: usize = 9;

/// The time to live of a void item, in seconds: as that of the tombstone of a culture.
pub(crate) const VOID_SECONDS: u64 = 30 * 24 * 60 * 60;

/// An item as it should be.
#[derive(Debug)]
pub(crate) struct ExpectedItem {
    pub(crate) key: ItemKey,
    /// The version that it states.
    pub(crate) version: u64,
    pub(crate) attributes: Attributes,
    /// The attributes that may have another value, since nothing says it; `V` among them means any version up to the head's.
    pub(crate) open: &'static [&'static str],
    /// Whether a version has it. One that no version has may be there in this state alone, as nothing is deleted.
    pub(crate) exists: bool,
}

/// The comparison of what is stored with what should be. It notes the differences, and puts right what it may.
pub(crate) struct Comparison<'a> {
    examination: Examination<'a>,
    pub(crate) mends: bool,
    pub(crate) findings: Findings,
    /// The differences of items that are not put right yet.
    pending: Vec<(Difference, Replacement)>,
}

impl<'a> Comparison<'a> {
    pub(crate) fn new(examination: Examination<'a>, mends: bool) -> Self {
        Self {
            examination,
            mends,
            findings: Findings::default(),
            pending: Vec::new(),
        }
    }

    /// Notes a difference that cannot be mended, for a reason that matters if that was to be tried.
    pub(crate) fn leave(&mut self, difference: Difference, why: &str) {
        self.findings.note(match self.mends {
            true => difference.with(Mending::Left(why.to_owned())),
            false => difference,
        });
    }

    /// Compares an object, and stores it where it differs.
    pub(crate) async fn object(&mut self, expected: &Object) -> Result<(), VersioningError> {
        let archive = &self.examination.service.archive;
        let Err(lost) = archive.compare(expected).await.unless_lost()? else {
            self.findings.objects += 1;
            return Ok(());
        };
        let difference = Difference::lost(archive.object(&expected.key), &lost);
        self.findings.note(match self.mends {
            true => {
                archive.put(expected).await?;
                difference.with(Mending::Mended)
            }
            false => difference,
        });
        Ok(())
    }

    /// Compares an item: what is stored under a key, if anything is, with what should be, if anything should.
    pub(crate) async fn item(
        &mut self,
        seen: Option<&StoredItem>,
        expected: Option<&ExpectedItem>,
    ) -> Result<(), VersioningError> {
        let version = self.examination.head.version.get();
        let Some(difference) = difference(seen, expected, version) else {
            self.findings.items += u64::from(expected.is_some());
            return Ok(());
        };
        if !self.mends {
            self.findings.note(difference);
            return Ok(());
        }
        let replacement = match (expected, seen) {
            (Some(expected), _) => {
                let attributes = expected.attributes.clone();
                Replacement::item(&expected.key, expected.version, attributes, seen)
            }
            (None, Some(seen)) => {
                let now = self.examination.service.clock.now_ms() / 1000;
                Replacement::void(seen, version, now + VOID_SECONDS)
            }
            (None, None) => return Ok(()),
        };
        self.pending.push((difference, replacement));
        match self.pending.len() < BATCH {
            true => Ok(()),
            false => self.flush().await,
        }
    }

    /// Puts the pending items right: each as it was seen, on condition that the head is still the one that was read.
    ///
    /// # Errors
    /// [`VersioningError::Overtaken`] if the head is another one by now.
    pub(crate) async fn flush(&mut self) -> Result<(), VersioningError> {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return Ok(());
        }
        let all: Vec<Replacement> = pending.iter().map(|(_, item)| item.clone()).collect();
        if self.replace(&all).await? == Mending::Mended {
            for (difference, _) in pending {
                self.findings.note(difference.with(Mending::Mended));
            }
            return Ok(());
        }
        let Examination {
            service,
            tenant,
            head,
            ..
        } = self.examination;
        let now = service.committed(tenant).await?;
        let id = |head: &Committed| (head.version, head.changeset.clone(), head.projected);
        if id(&now) != id(head) {
            return Err(VersioningError::Overtaken);
        }
        for (difference, item) in pending {
            let mending = self.replace(&[item]).await?;
            self.findings.note(difference.with(mending));
        }
        Ok(())
    }

    async fn replace(&self, items: &[Replacement]) -> Result<Mending, VersioningError> {
        let Examination {
            service,
            tenant,
            head,
            ..
        } = self.examination;
        match service.heads.replace(tenant, head, items).await {
            Ok(true) => Ok(Mending::Mended),
            Ok(false) => Ok(Mending::Left("it changed at the same time".to_owned())),
            Err(error) if error.is_permanent() => Ok(Mending::Left(causes(&error))),
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns the difference of an item from what should be; `newest` is the head's version. A void item is none.
pub(crate) fn difference(
    seen: Option<&StoredItem>,
    expected: Option<&ExpectedItem>,
    newest: u64,
) -> Option<Difference> {
    let Some(item) = seen.filter(|item| !item.is_void()) else {
        return expected
            .filter(|expected| expected.exists)
            .map(|expected| Difference::item(expected.key.key(), Found::Missing));
    };
    let key = item.key.clone();
    let content = match &item.content {
        Ok(content) => content,
        Err(malformed) => return Some(Difference::malformed(key, malformed)),
    };
    if content.version > newest {
        let cause = format!("it is of version {}", content.version);
        return Some(Difference::item(key, Found::Future).because(cause));
    }
    let Some(expected) = expected else {
        return Some(Difference::item(key, Found::Foreign));
    };
    let open = |name: &str| expected.open.contains(&name);
    let mut names = differing(&content.attributes, &expected.attributes);
    names.retain(|name| !(open(name) && content.attributes.contains_key(name)));
    if content.version != expected.version && !open("V") {
        names.push("V".to_owned());
    }
    let found = match expected.exists {
        true => Found::Altered,
        false => Found::Foreign,
    };
    (!names.is_empty()).then(|| Difference::item(key, found).of(names))
}

/// Returns the names of the attributes that differ, ascending.
fn differing(found: &Attributes, wanted: &Attributes) -> Vec<String> {
    let names: BTreeSet<&String> = found.keys().chain(wanted.keys()).collect();
    let differs = |name: &&String| found.get(*name) != wanted.get(*name);
    names.into_iter().filter(differs).cloned().collect()
}
