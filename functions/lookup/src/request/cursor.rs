//! The cursor of a list: opaque to callers, bound to its tenant and its list, and invalid once it was changed.
//!
//! A cursor is neither a secret nor a proof. A reader stays inside its own partition because the keys are built from the authorised tenant and
//! the list in the path; the check sum only distinguishes a damaged cursor from one of another list.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cursor {
    tenant: String,
    list: String,
    version: u64,
    after: String,
    check: String,
}

/// Encodes the cursor of the page of `list` that begins at a position, in the notation of the list, in a version. The owner is the tenant of the
/// list.
pub(crate) fn write(owner: &str, list: &str, version: u64, at: &impl ToString) -> Option<String> {
    let after = at.to_string();
    let check = check([owner, list, &version.to_string(), &after])?;
    let cursor = Cursor {
        tenant: owner.to_owned(),
        list: list.to_owned(),
        version,
        after,
        check,
    };
    Some(URL_SAFE_NO_PAD.encode(serde_json::to_vec(&cursor).ok()?))
}

/// Decodes the cursor of a page of `list` as the version and the position of the page; none if it is not of this tenant and list, or was changed.
pub(crate) fn read<P>(
    owner: &str,
    list: &str,
    cursor: &str,
    parse: impl FnOnce(&str) -> Option<P>,
) -> Option<(u64, P)> {
    let cursor: Cursor = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    let own = cursor.tenant == owner && cursor.list == list;
    let version = cursor.version.to_string();
    let intact = check([&cursor.tenant, &cursor.list, &version, &cursor.after])? == cursor.check;
    let at = parse(&cursor.after).filter(|_| own && intact)?;
    Some((cursor.version, at))
}

fn check(parts: [&str; 4]) -> Option<String> {
    let digest = Sha256::digest(serde_json::to_vec(&parts).ok()?);
    Some(digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTS: [&str; 4] = ["categories", "tree:7", "children:7", "children:77"];

    fn read(owner: &str, list: &str, cursor: &str) -> Option<(u64, u32)> {
        super::read(owner, list, cursor, |text| text.parse().ok())
    }

    #[test]
    fn a_cursor_comes_back_as_it_went_for_its_tenant_and_list_alone() {
        for list in LISTS {
            for ordinal in [0, 1, u32::MAX] {
                let cursor = write("acme", list, 7, &ordinal).unwrap();
                let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
                assert!(cursor.bytes().all(is_plain), "{cursor}");
                assert_eq!(read("globex", list, &cursor), None);
                for other in LISTS {
                    let expect = (other == list).then_some((7, ordinal));
                    assert_eq!(read("acme", other, &cursor), expect, "{list} {other}");
                }
            }
        }
    }

    #[test]
    fn a_changed_cursor_is_none() {
        let cursor = write("acme", "categories", 7, &3).unwrap();
        let shorter = [&cursor[1..], &cursor[..cursor.len() - 1]];
        let mut others = ["", "nonsense", "e30"].map(str::to_owned).to_vec();
        others.extend(shorter.map(str::to_owned));
        others.push(format!("{cursor}="));
        others.extend((0..cursor.len()).map(|at| {
            let other = if &cursor[at..=at] == "A" { "B" } else { "A" };
            format!("{}{other}{}", &cursor[..at], &cursor[at + 1..])
        }));
        for other in others {
            assert_eq!(read("acme", "categories", &other), None, "{other}");
        }
    }

    /// The check sum is not a secret, so a forger can compute it; a cursor without a valid position is refused all the same.
    #[test]
    fn a_forged_cursor_names_a_place_or_nothing() {
        for after in ["", "sector", "-1", "1.0", "4294967296"] {
            let cursor = Cursor {
                tenant: "acme".to_owned(),
                list: "categories".to_owned(),
                version: 7,
                after: after.to_owned(),
                check: check(["acme", "categories", "7", after]).unwrap(),
            };
            let cursor = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&cursor).unwrap());
            assert_eq!(read("acme", "categories", &cursor), None, "{after}");
        }
    }
}
