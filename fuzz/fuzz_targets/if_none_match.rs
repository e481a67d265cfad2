//! `If-None-Match`: a list matches a tag exactly if a second parser finds the tag in it, character by character
//! by the grammar of RFC 9110 (sections 5.6.1, 8.8.3 and 13.1.2).
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookup::fuzzing::matches_etag;

const OURS: &str = "\"7-0123456789abcdef-1\"";
/// Nothing longer is looked at.
const LONGEST: usize = 8 * 1024;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    check(&text);
    for with_ours in [
        format!("{text},{OURS}"),
        format!("{OURS} , {text}"),
        format!("{text}W/{OURS}"),
    ] {
        check(&with_ours);
    }
});

fn check(header: &str) {
    let listed = listed(header).filter(|_| header.len() <= LONGEST);
    let is_ours = listed.iter().flatten().any(|tag| tag == OURS);
    assert_eq!(matches_etag(header, OURS), is_ours, "{header:?}");
    // The ends are enough: among a thousand tags, each would be looked for behind all before it.
    for tag in listed
        .iter()
        .flat_map(|tags| tags.first().into_iter().chain(tags.last()))
    {
        assert!(matches_etag(header, tag), "{tag} in {header:?}");
    }
}

enum Place {
    BeforeTag,
    BehindW,
    BehindSlash,
    InTag,
    BehindTag,
}

/// The tags of a list, with their quotes; none where it is no list.
fn listed(header: &str) -> Option<Vec<String>> {
    let (mut tags, mut place) = (Vec::<String>::new(), Place::BeforeTag);
    for c in header.chars() {
        place = match (place, c) {
            (Place::BeforeTag, ' ' | '\t' | ',') => Place::BeforeTag,
            (Place::BeforeTag, 'W') => Place::BehindW,
            (Place::BehindW, '/') => Place::BehindSlash,
            (Place::BeforeTag | Place::BehindSlash, '"') => {
                tags.push('"'.to_string());
                Place::InTag
            }
            (Place::InTag, c) => {
                tags.last_mut()?.push(c);
                match c {
                    '"' => Place::BehindTag,
                    '\0'..=' ' | '\x7f' => return None,
                    _ => Place::InTag,
                }
            }
            (Place::BehindTag, ' ' | '\t') => Place::BehindTag,
            (Place::BehindTag, ',') => Place::BeforeTag,
            _ => return None,
        };
    }
    matches!(place, Place::BeforeTag | Place::BehindTag).then_some(tags)
}
