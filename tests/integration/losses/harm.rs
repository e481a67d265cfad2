//! The kinds of objects and items, and the ways to harm one by hand.

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_tests::prelude::*;

/// A way to harm an object or item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Harm {
    /// It is deleted.
    Missing,
    /// It is changed: of an object a byte.
    Altered,
    /// Another one of its kind is put beside it, which no version has.
    Foreign,
    /// The same, of a version that the tenant does not have.
    Future,
    /// It is changed into something that the service never writes: of an object no byte is left.
    Malformed,
}

/// A kind of object or item, and the one that is harmed.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) place: Place,
}

pub(super) enum Place {
    /// An object of a bucket whose key contains these parts.
    Object(&'static str, [&'static str; 2]),
    Item {
        key: (&'static str, &'static str),
        /// An attribute, and the number or text that it is changed to.
        altered: (&'static str, &'static str),
        /// The key of one that no version has.
        foreign: Option<(&'static str, &'static str)>,
    },
}

const fn object(name: &'static str, bucket: &'static str, parts: [&'static str; 2]) -> Kind {
    Kind {
        name,
        place: Place::Object(bucket, parts),
    }
}

const fn item(
    name: &'static str,
    key: (&'static str, &'static str),
    altered: (&'static str, &'static str),
    foreign: Option<(&'static str, &'static str)>,
) -> Kind {
    Kind {
        name,
        place: Place::Item {
            key,
            altered,
            foreign,
        },
    }
}

/// Those of the newest version, 3.
const NEWEST: &str = "/000000000003-";
const TENANT: &str = "TAXONOMY#acme";
const TERM: &str = "TERM#acme#100";
const CATEGORY: &str = "CATEGORY#acme#1";
/// A term that the version before had.
const REMOVED: &str = "TERM#acme#136";
const STATS: &str = "STATS#acme";

#[rustfmt::skip]
pub(super) const KINDS: &[Kind] = &[
    object("source object", SOURCE_BUCKET, ["taxonomies/", "acme.json"]),
    object("snapshot", CHANGESETS_BUCKET, ["snapshots/", NEWEST]),
    object("changeset", CHANGESETS_BUCKET, ["changesets/", NEWEST]),
    object("index file", CHANGESETS_BUCKET, [".index", NEWEST]),
    object("search object", CHANGESETS_BUCKET, [".search-en-GB", NEWEST]),
    object("report", CHANGESETS_BUCKET, ["reports/", ""]),
    object("download", CHANGESETS_BUCKET, ["downloads/", ""]),
    item("head", (TENANT, "HEAD"), ("Terms", "77"), None),
    item("log entry", (TENANT, "CHANGESET#000000000003"), ("CommittedAt", "77"), Some((TENANT, "CHANGESET#000000000004"))),
    item("`TENANT` item", (TENANT, "TENANT"), ("FuseTerms", "77"), None),
    item("term", (TERM, TERM), ("Name", "damaged"), Some(("TERM#acme#77777", "TERM#acme#77777"))),
    item("culture of a term", (TERM, "CULTURE#fr-FR"), ("Name", "damaged"), Some((TERM, "CULTURE#it-IT"))),
    item("category", (CATEGORY, CATEGORY), ("Name", "damaged"), Some(("CATEGORY#acme#77777", "CATEGORY#acme#77777"))),
    item("tombstone", (REMOVED, REMOVED), ("Name", "damaged"), Some(("TERM#acme#77778", "TERM#acme#77778"))),
    item("counts of a category", (STATS, "CATEGORY#1"), ("Terms", "77"), Some((STATS, "CATEGORY#77777"))),
    item("counts of the tenant", (STATS, "TENANT"), ("Terms", "77"), None),
    item("month", (STATS, "MONTH#2026-01"), ("Added", "77"), Some((STATS, "MONTH#2031-01"))),
    item("done marker", (STATS, "DONE#000000000003"), ("Odd", "77"), Some((STATS, "DONE#000000000009"))),
];

impl Harm {
    pub(super) const ALL: [Self; 5] = [
        Self::Missing,
        Self::Altered,
        Self::Foreign,
        Self::Future,
        Self::Malformed,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Altered => "altered",
            Self::Foreign => "foreign",
            Self::Future => "from the future",
            Self::Malformed => "malformed",
        }
    }
}

/// What was harmed.
pub(super) enum Harmed {
    Object(String),
    Item(String, String),
}

/// Harms something of a kind; `None` where there is no such thing.
pub(super) async fn harm(world: &World, kind: &Kind, harm: Harm) -> Option<Harmed> {
    match kind.place {
        Place::Object(bucket, parts) => harm_object(world, bucket, parts, harm).map(Harmed::Object),
        Place::Item {
            key,
            altered,
            foreign,
        } => {
            let mut item = world.item(key.0, key.1);
            if harm == Harm::Missing {
                world.delete_by_hand(&item).await;
                return Some(Harmed::Item(key.0.to_owned(), key.1.to_owned()));
            }
            let (pk, sk) = if harm == Harm::Foreign { foreign? } else { key };
            let (name, value) = match harm {
                Harm::Altered => (altered.0, of_its_type(&item, altered)),
                Harm::Foreign => ("PK", AttributeValue::S(pk.to_owned())),
                Harm::Future => ("V", AttributeValue::N("99".to_owned())),
                _ => ("V", AttributeValue::S("3".to_owned())),
            };
            item.insert(name.to_owned(), value);
            item.insert("SK".to_owned(), AttributeValue::S(sk.to_owned()));
            world.put_by_hand(item).await;
            Some(Harmed::Item(pk.to_owned(), sk.to_owned()))
        }
    }
}

/// Returns a value of the type that the attribute has.
fn of_its_type(item: &Item, (name, value): (&str, &str)) -> AttributeValue {
    match item.get(name) {
        Some(AttributeValue::S(_)) => AttributeValue::S(value.to_owned()),
        _ => AttributeValue::N(value.to_owned()),
    }
}

fn harm_object(world: &World, bucket: &str, parts: [&str; 2], harm: Harm) -> Option<String> {
    let mut keys = world.s3.keys(bucket).into_iter();
    let key = keys
        .rfind(|key| parts.iter().all(|part| key.contains(part)))
        .unwrap();
    let mut bytes = world.s3.object(bucket, &key).unwrap().bytes.to_vec();
    let middle = bytes.len() / 2;
    match harm {
        Harm::Missing => {
            world.s3.delete(bucket, &key);
            return Some(key);
        }
        Harm::Altered => bytes[middle] ^= 1,
        Harm::Malformed => bytes.clear(),
        // Only names that a version has are ever read, so one stands for all.
        Harm::Foreign if parts[1] == NEWEST => {
            let key = key.replace("000000000003-", "000000000003-0");
            world.s3.put(bucket, &key, bytes);
            return Some(key);
        }
        Harm::Future if parts[1] == NEWEST => {
            let key = key.replace("000000000003-", "000000000099-");
            world.s3.put(bucket, &key, bytes);
            return Some(key);
        }
        Harm::Foreign | Harm::Future => return None,
    }
    world.s3.put(bucket, &key, bytes);
    Some(key)
}
