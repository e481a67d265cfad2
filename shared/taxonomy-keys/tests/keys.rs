//! The keys as stored, and the laws they keep.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use taxonomy_keys::{
    Attention, CategoryId, Culture, IndexKey, ItemKey, Key, Month, TenantId, TermId, Version, pattern,
};

fn acme() -> TenantId {
    "acme".parse().unwrap()
}

fn term(number: u64) -> TermId {
    TermId::new(number).unwrap()
}

fn category(number: u64) -> CategoryId {
    CategoryId::new(number).unwrap()
}

fn key(pk: &str, sk: &str) -> Key {
    let (pk, sk) = (pk.to_owned(), sk.to_owned());
    Key { pk, sk }
}

/// These strings are the storage format: a change here is a migration.
#[test]
fn every_key_is_pinned() {
    for (kind, pk, sk) in [
        ("Category", "CATEGORY#acme#1", "CATEGORY#acme#1"),
        ("Term", "TERM#acme#100", "TERM#acme#100"),
        ("TermCulture", "TERM#acme#100", "CULTURE#fr-FR"),
        ("Tenant", "TAXONOMY#acme", "TENANT"),
        ("Head", "TAXONOMY#acme", "HEAD"),
        ("Changeset", "TAXONOMY#acme", "CHANGESET#000000000007"),
        ("Audit", "TAXONOMY#acme", "AUDIT"),
        ("TenantStats", "STATS#acme", "TENANT"),
        ("CategoryStats", "STATS#acme", "CATEGORY#1"),
        ("MonthActivity", "STATS#acme", "MONTH#2026-11"),
        ("Counted", "STATS#acme", "DONE#000000000007"),
    ] {
        let item = ItemKey::parse(pk, sk).unwrap();
        assert_eq!((item.entity_type(), item.key()), (kind, key(pk, sk)));
    }
}

#[test]
fn every_index_key_is_pinned() {
    let tenants = IndexKey::Tenants { tenant: acme() };
    assert_eq!(tenants.key(), key("TENANTS", "acme"));
    for (why, sk) in [
        (Attention::Behind, "behind#acme"),
        (Attention::Waiting, "waiting#acme"),
        (Attention::Refused, "refused#acme"),
    ] {
        let tenant = acme();
        assert_eq!(IndexKey::Attention { why, tenant }.key(), key("ATTENTION", sk));
    }
}

/// Ids and cultures are stored and served as plain JSON, and nothing else is read as one.
#[test]
fn ids_and_cultures_have_one_json_form() {
    assert_eq!(serde_json::to_string(&term(100)).unwrap(), "100");
    assert_eq!(serde_json::from_str::<TermId>("100").unwrap(), term(100));
    let culture: Culture = "zh-hant-tw".parse().unwrap();
    assert_eq!(serde_json::to_string(&culture).unwrap(), r#""zh-Hant-TW""#);
    let read: Culture = serde_json::from_str(r#""zh-hant-tw""#).unwrap();
    assert_eq!(read, culture);
    for invalid in ["9007199254740992", "-1", "1.0", r#""100""#, "null"] {
        assert!(serde_json::from_str::<TermId>(invalid).is_err(), "{invalid}");
    }
    assert!(serde_json::from_str::<Culture>(r#""en_GB""#).is_err());
}

/// The texts between which a query reads.
fn range(query: pattern::KeyQuery) -> (String, String) {
    match query.sort {
        pattern::SortCondition::Between(from, to) => (from, to),
        other => unreachable!("{other:?} is no range"),
    }
}

#[test]
fn the_head_is_read_with_the_configuration_or_with_the_log() {
    let log = [Version::FIRST, Version::MAX].map(|version| pattern::changeset(&acme(), version).sk);
    let audit = pattern::audit(&acme()).sk;
    let (from, to) = range(pattern::head_and_configuration(&acme()));
    assert_eq!((from.as_str(), to.as_str()), ("HEAD", "TENANT"));
    assert!(log[1] < from && audit < from);
    let (from, to) = range(pattern::head_or_log(&acme()));
    assert_eq!((&from, to.as_str()), (&log[0], "HEAD"));
    assert!(from < log[1] && log[1] < to && audit < from);
}

#[test]
fn a_second_spelling_is_no_key() {
    for (pk, sk) in [
        ("TERM#acme#0100", "TERM#acme#0100"),
        ("TERM#acme#1", "TERM#acme#2"),
        ("TERM#acme#1", "CATEGORY#other#1"),
        ("TERM#acme#1", "CATEGORY#acme#1"),
        ("TERM#acme#1", "PARENT#01"),
        ("TERM#acme#1", "CULTURE#FR-fr"),
        ("TERM#acme#1#2", "TERM#acme#1#2"),
        ("TAXONOMY#acme", "CHANGESET#7"),
        ("TAXONOMY#acme", "HEAD#"),
        ("TAXONOMY#acme", "AUDIT#7"),
        ("STATS#acme", "MONTH#2026-13"),
        ("TERM##1", "TERM##1"),
        ("", ""),
    ] {
        assert!(ItemKey::parse(pk, sk).is_err(), "{pk} {sk}");
    }
}

fn tenants() -> impl Strategy<Value = TenantId> {
    "[A-Za-z0-9._~-]{0,63}[A-Za-z0-9_~-]".prop_map(|id| id.parse().unwrap())
}

fn cultures() -> impl Strategy<Value = Culture> {
    "[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?(-x-[a-z0-9]{1,8})?".prop_map(|tag| tag.parse().unwrap())
}

/// Any key, and the tenant of its item.
fn owned_keys() -> impl Strategy<Value = (TenantId, ItemKey)> {
    let ids = || prop_oneof![0..20_u64, 0..=TermId::MAX.get()];
    let months = (1970..=9999_u16, 1..=12_u8);
    let versions = 1..=Version::MAX.get();
    let parts = (0..11, tenants(), ids(), cultures(), versions, months);
    parts.prop_map(|(kind, tenant, id, culture, version, (year, month))| {
        let (owner, term, category) = (tenant.clone(), term(id), category(id));
        let version = Version::new(version).unwrap();
        let month = Month::new(year, month).unwrap();
        let item = match kind {
            0 => ItemKey::Category { tenant, category },
            1 => ItemKey::Term { tenant, term },
            2 => ItemKey::TermCulture {
                tenant,
                term,
                culture,
            },
            3 => ItemKey::Tenant { tenant },
            4 => ItemKey::Head { tenant },
            5 => ItemKey::Changeset { tenant, version },
            6 => ItemKey::TenantStats { tenant },
            7 => ItemKey::CategoryStats { tenant, category },
            8 => ItemKey::MonthActivity { tenant, month },
            9 => ItemKey::Audit { tenant },
            _ => ItemKey::Counted { tenant, version },
        };
        (owner, item)
    })
}

/// Every item in a partition belongs to the tenant of the partition, so that a purge finds damaged items as well; other texts have no owner.
#[test]
fn a_partition_has_an_owner_by_its_own_key() {
    for (pk, owner) in [
        ("TAXONOMY#acme", Some("acme")),
        ("STATS#acme2", Some("acme2")),
        ("TERM#acme.json#1", Some("acme.json")),
        ("CATEGORY#acme#no-id", Some("acme")),
        ("TERM#acme", None),
        ("TERM#acme#", None),
        ("TERM#acme#1#2", None),
        ("TAXONOMY#acme#1", None),
        ("TAXONOMY#", None),
        ("OTHER#acme#1", None),
        ("acme", None),
        ("", None),
    ] {
        let found = ItemKey::owner(pk);
        assert_eq!(found.as_ref().map(TenantId::as_str), owner, "{pk}");
    }
}

proptest! {
    /// So no two items share a key.
    #[test]
    fn what_was_built_parses_back((tenant, item) in owned_keys()) {
        let key = item.key();
        prop_assert_eq!(ItemKey::parse(&key.pk, &key.sk), Ok(item));
        prop_assert_eq!(ItemKey::owner(&key.pk), Some(tenant));
        // DynamoDB: partition keys up to 2,048 bytes, sort keys up to 1,024.
        prop_assert!(key.pk.len() <= 2048 && key.sk.len() <= 1024);
    }

    #[test]
    fn any_text_is_a_key_or_an_error(pk in "\\PC{0,40}", sk in "\\PC{0,40}") {
        if let Ok(item) = ItemKey::parse(&pk, &sk) {
            prop_assert_eq!(item.key(), Key { pk, sk });
        }
    }

    #[test]
    fn tenant_ids_are_what_their_rule_says(text in "[a-zA-Z0-9._~#/ é-]{0,70}") {
        let rule = (1..=64).contains(&text.len())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "._~-".contains(c))
            && text.chars().any(|c| c != '.');
        prop_assert_eq!(text.parse::<TenantId>().is_ok(), rule);
    }
}
