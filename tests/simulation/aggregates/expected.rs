//! The aggregates that must be stored for a tenant, line for line, and the messages that must be published: from the uploaded files, and from
//! the times of the commits.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use crate::content::Content;

use super::counts::{Changes, Counts, touched_categories};

/// A version: its content, and what only the log records.
#[derive(Debug, Clone)]
pub(crate) struct Version {
    pub(crate) content: Content,
    /// In epoch milliseconds.
    pub(crate) committed_at: u64,
    /// Whether every item was written again.
    pub(crate) is_full: bool,
}

/// The expected aggregates of a tenant, by sort key.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expected {
    /// Every correct form of an item, by sort key and the version in it.
    pub(crate) truth: BTreeMap<(String, u64), String>,
    /// The least version of each item once the totals are those of version 1, 2, and so on.
    pub(crate) due: Vec<BTreeMap<String, u64>>,
    /// Categories, totals and changes of each version, as they are published.
    pub(crate) steps: Vec<(usize, Counts, Changes)>,
}

impl Expected {
    pub(crate) fn of(tenant: &str, versions: &[Version]) -> Self {
        let mut expected = Self::default();
        let (mut before, mut known) = (Content::default(), BTreeSet::new());
        let mut months: BTreeMap<String, Vec<Changes>> = BTreeMap::new();
        for (position, version) in versions.iter().enumerate() {
            let (number, now) = (position as u64 + 1, &version.content);
            let changes = Changes::between(&before, now);
            let mut due = expected.due.last().cloned().unwrap_or_default();
            let mut put = |sort: String, attributes: String| {
                let line = format!("STATS#{tenant} | {sort} | {attributes}");
                expected.truth.insert((sort.clone(), number), line);
                due.insert(sort, number);
            };
            let touched = touched_categories(&before, now);
            known.extend(touched.iter().copied());
            for id in if version.is_full { &known } else { &touched } {
                put(
                    format!("CATEGORY#{id}"),
                    category(*id, number, version.committed_at, now),
                );
            }
            let month = month(version.committed_at);
            let activity = months.entry(month.clone()).or_default();
            activity.push(changes);
            put(format!("MONTH#{month}"), sums(number, activity));
            put(format!("DONE#{number:012}"), format!("Counted V={number}"));
            put(
                "TENANT".to_owned(),
                totals(number, version.committed_at, now, &changes),
            );
            expected.due.push(due);
            let counts = Counts::of(now, None);
            expected.steps.push((now.categories.len(), counts, changes));
            before = now.clone();
        }
        expected
    }

    /// Returns the items once the newest version is counted, by sort key.
    pub(crate) fn last(&self) -> BTreeMap<&str, &str> {
        let due = self.due.last().into_iter().flatten();
        due.map(|(sort, version)| (sort.as_str(), self.truth[&(sort.clone(), *version)].as_str()))
            .collect()
    }
}

fn category(id: u64, version: u64, at: u64, content: &Content) -> String {
    let counts = Counts::of(content, Some(id));
    let mut fields = counted(&counts);
    fields.push(field("CategoryId", id));
    fields.push(field("ChangedAt", at));
    if !content.categories.contains_key(&id) {
        fields.push(field("Removed", true));
    }
    line("CategoryStats", version, fields)
}

fn totals(version: u64, at: u64, content: &Content, changes: &Changes) -> String {
    let mut fields = counted(&Counts::of(content, None));
    fields.push(field("Categories", content.categories.len()));
    fields.push(field("ChangedAt", at));
    fields.push(field("Added", changes.added));
    fields.push(field("Changed", changes.changed));
    fields.push(field("Removed", changes.removed));
    line("TenantStats", version, fields)
}

fn sums(version: u64, steps: &[Changes]) -> String {
    let sum = |count: fn(&Changes) -> usize| steps.iter().map(count).sum::<usize>();
    let fields = [
        ("Versions", steps.len()),
        ("Added", sum(|step| step.added)),
        ("Changed", sum(|step| step.changed)),
        ("Removed", sum(|step| step.removed)),
        ("Renamed", sum(|step| step.renamed)),
        ("Moved", sum(|step| step.moved)),
        ("Deprecated", sum(|step| step.deprecated)),
        ("Restored", sum(|step| step.restored)),
        ("FinalNames", sum(|step| step.final_names)),
    ];
    let fields = fields.map(|(name, value)| field(name, value));
    line("MonthActivity", version, fields.to_vec())
}

fn counted(counts: &Counts) -> Vec<String> {
    let mut fields = vec![
        field("Terms", counts.terms),
        field("Leaves", counts.leaves),
        field("Deprecated", counts.deprecated),
    ];
    if counts.terms > 0 {
        fields.push(format!("Depths={:?}", counts.depths));
        let names = counts.names.iter();
        let names: Vec<String> = names.map(|(tag, count)| format!("{tag}: {count}")).collect();
        fields.push(format!("Names={{{}}}", names.join(", ")));
    }
    fields
}

fn field(name: &str, value: impl Display) -> String {
    format!("{name}={value}")
}

/// Renders an item as the embedded table does: the attributes by name.
fn line(kind: &str, version: u64, mut fields: Vec<String>) -> String {
    fields.sort_by(|one, other| one.split('=').next().cmp(&other.split('=').next()));
    format!("{kind} V={version} {}", fields.join(" "))
}

/// Returns the month of a time, counted day by day from the beginning of 2026.
pub(crate) fn month(epoch_ms: u64) -> String {
    const BEGIN_MS: u64 = 1_767_225_600_000;
    let mut days = epoch_ms.checked_sub(BEGIN_MS).unwrap() / 86_400_000;
    for year in 2026.. {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let february = if leap { 29 } else { 28 };
        let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        for (month, length) in (1..).zip(lengths) {
            if days < length {
                return format!("{year}-{month:02}");
            }
            days -= length;
        }
    }
    unreachable!("some year has that day")
}
