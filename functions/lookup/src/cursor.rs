//! Where a listing goes on, as callers carry it: opaque, bound to its tenant, and worthless once changed.
//!
//! A cursor is no secret and no proof. What keeps a reader inside its own partition is that the keys are built anew from the
//! tenant that was authorised; the check sum tells a damaged cursor from one that merely points elsewhere.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use taxonomy_keys::{IndexKey, ItemKey, Order, TenantId};

/// Where a page of a listing begins: the sort key of the index and the primary key of the last item before it.
pub(crate) type Start = [String; 3];

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cursor {
    tenant: String,
    start: Start,
    check: String,
}

/// The cursor of a page of the categories of `tenant`.
pub(crate) fn of_categories(tenant: &TenantId, start: Start) -> Option<String> {
    let check = check(tenant.as_str(), &start)?;
    let cursor = Cursor {
        tenant: tenant.to_string(),
        start,
        check,
    };
    Some(URL_SAFE_NO_PAD.encode(serde_json::to_vec(&cursor).ok()?))
}

/// Where a page of the categories of `tenant` begins; nothing for a cursor that is not of this tenant, or not as it was given.
pub(crate) fn categories_from(tenant: &TenantId, cursor: &str) -> Option<Start> {
    let cursor: Cursor = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    if cursor.tenant != tenant.as_str() || check(&cursor.tenant, &cursor.start)? != cursor.check {
        return None;
    }
    let [place, pk, sk] = cursor.start;
    let ItemKey::Category {
        tenant: owner,
        category,
    } = ItemKey::parse(&pk, &sk).ok()?
    else {
        return None;
    };
    // The place is the order, a separator and the padded id: take the order off and see whether the key crate builds it so.
    let tail = IndexKey::Categories {
        tenant: tenant.clone(),
        order: Order::by_sort_key(""),
        category,
    }
    .key()
    .sk;
    let order = Order::by_sort_key(place.strip_suffix(&tail)?);
    let built = IndexKey::Categories {
        tenant: tenant.clone(),
        order,
        category,
    }
    .key()
    .sk;
    (owner == *tenant && built == place).then_some([place, pk, sk])
}

fn check(tenant: &str, start: &Start) -> Option<String> {
    let digest = Sha256::digest(serde_json::to_vec(&(tenant, start)).ok()?);
    Some(digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant(id: &str) -> TenantId {
        id.parse().unwrap()
    }

    fn start(place: &str, key: &str) -> Start {
        [place, key, key].map(str::to_owned)
    }

    #[test]
    fn a_cursor_comes_back_as_it_went() {
        for order in ["sector", "010", "a#b", "é\"\\", ""] {
            let start = start(&format!("{order}\t0000000000000001"), "CATEGORY#acme#1");
            let cursor = of_categories(&tenant("acme"), start.clone()).unwrap();
            assert!(
                cursor
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
                "{cursor}"
            );
            assert_eq!(categories_from(&tenant("acme"), &cursor), Some(start));
        }
    }

    #[test]
    fn a_changed_cursor_is_none() {
        let cursor = of_categories(
            &tenant("acme"),
            start("sector\t0000000000000001", "CATEGORY#acme#1"),
        )
        .unwrap();
        for position in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[position] = if changed[position] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(categories_from(&tenant("acme"), &changed), None, "{changed}");
        }
        for other in [
            "",
            "nonsense",
            "e30",
            &cursor[1..],
            &cursor[..cursor.len() - 1],
            &format!("{cursor}="),
        ] {
            assert_eq!(categories_from(&tenant("acme"), other), None, "{other}");
        }
    }

    #[test]
    fn a_cursor_of_another_tenant_is_none() {
        let cursor = of_categories(
            &tenant("acme"),
            start("sector\t0000000000000001", "CATEGORY#acme#1"),
        )
        .unwrap();
        assert_eq!(categories_from(&tenant("globex"), &cursor), None);
    }

    #[test]
    fn a_forged_cursor_reaches_no_other_partition() {
        // The check sum is no secret, so a forger can make it fit.
        for (place, pk, sk) in [
            (
                "sector\t0000000000000001",
                "CATEGORY#globex#1",
                "CATEGORY#globex#1",
            ),
            ("sector\t0000000000000002", "CATEGORY#acme#1", "CATEGORY#acme#1"),
            ("sector\t1", "CATEGORY#acme#1", "CATEGORY#acme#1"),
            ("sector\t0000000000000001", "TERM#acme#1", "TERM#acme#1"),
            ("sector\t0000000000000001", "TAXONOMY#acme", "HEAD"),
            ("sector\t0000000000000001", "CATEGORY#acme#1", "CATEGORY#acme#2"),
            ("sector\t0000000000000001", "CATEGORY#acme#01", "CATEGORY#acme#01"),
            ("", "", ""),
        ] {
            let forged = of_categories(&tenant("acme"), [place, pk, sk].map(str::to_owned)).unwrap();
            assert_eq!(
                categories_from(&tenant("acme"), &forged),
                None,
                "{place} {pk} {sk}"
            );
        }
        let long = format!("{}#0000000000000001", "x".repeat(901));
        let forged = of_categories(&tenant("acme"), start(&long, "CATEGORY#acme#1")).unwrap();
        assert_eq!(categories_from(&tenant("acme"), &forged), None);
    }
}
