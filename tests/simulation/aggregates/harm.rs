//! The ways in which a stored aggregate can be wrong.

use std::fmt;

use super::checker::WrongItem;

/// The harm that a wrong aggregate shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Harm {
    /// The terms of the tenant are miscounted.
    TenantTerms,
    /// An older version overwrote a newer one.
    OlderVersion,
    /// A month counts a version twice.
    CountedTwice,
    /// The counts of a category are wrong, not only its version.
    CategoryCounts,
    /// The totals of the tenant, which are written last, are right, and another aggregate of that tenant is wrong.
    ClosedTooEarly,
}

impl fmt::Display for Harm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TenantTerms => "the terms of the tenant are miscounted",
            Self::OlderVersion => "an older version overwrote a newer one",
            Self::CountedTwice => "a month counts a version twice",
            Self::CategoryCounts => "a category is miscounted",
            Self::ClosedTooEarly => "the totals closed a version too early",
        })
    }
}

/// Returns every harm that the wrong aggregates of a run show.
pub(crate) fn harms(all: &[WrongItem]) -> Vec<Harm> {
    let mut harms = Vec::new();
    for wrong in all {
        let tenant_is_right = !all.iter().any(|other| is_tenant_of(other, wrong));
        let found = [
            (
                Harm::TenantTerms,
                wrong.sort == "TENANT" && field(wrong, "Terms") != expected(wrong, "Terms"),
            ),
            (
                Harm::OlderVersion,
                number(&field(wrong, "V")).is_some_and(|found| Some(found) < number(&expected(wrong, "V"))),
            ),
            (
                Harm::CountedTwice,
                wrong.sort.starts_with("MONTH#")
                    && number(&field(wrong, "Versions")) > number(&expected(wrong, "Versions")),
            ),
            (
                Harm::CategoryCounts,
                wrong.sort.starts_with("CATEGORY#") && wrong.found.is_some() && miscounts(wrong),
            ),
            (Harm::ClosedTooEarly, wrong.sort != "TENANT" && tenant_is_right),
        ];
        for (harm, is_shown) in found {
            if is_shown && !harms.contains(&harm) {
                harms.push(harm);
            }
        }
    }
    harms
}

fn is_tenant_of(tenant: &WrongItem, wrong: &WrongItem) -> bool {
    let partition = |wrong: &WrongItem| {
        let line = wrong.expected.as_deref().or(wrong.found.as_deref());
        line.and_then(|line| line.split(" | ").next().map(str::to_owned))
    };
    tenant.sort == "TENANT" && partition(tenant) == partition(wrong)
}

fn miscounts(wrong: &WrongItem) -> bool {
    let counted = ["Terms", "Leaves", "Deprecated", "Depths", "Names", "Removed"];
    counted
        .iter()
        .any(|name| field(wrong, name) != expected(wrong, name))
}

fn field(wrong: &WrongItem, name: &str) -> Option<String> {
    read(wrong.found.as_deref()?, name)
}

fn expected(wrong: &WrongItem, name: &str) -> Option<String> {
    read(wrong.expected.as_deref()?, name)
}

/// Returns a field of a line, up to the next one.
fn read(line: &str, name: &str) -> Option<String> {
    let (_, rest) = line.split_once(&format!(" {name}="))?;
    let end = rest
        .find('=')
        .map_or(rest.len(), |next| rest[..next].rfind(' ').unwrap_or(next));
    Some(rest[..end].to_owned())
}

fn number(text: &Option<String>) -> Option<u64> {
    text.as_deref()?.parse().ok()
}
