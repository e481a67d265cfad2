//! The files of the scripts.

use taxonomy_tests::prelude::*;

use crate::draft::Draft;

/// The file of the other tenant.
pub(crate) fn other_file() -> Value {
    Draft::of(&[(1, &[(1, 0)])]).file()
}

/// The first file of the scripts: seven terms, three levels deep, in two categories, most of them also in French.
pub(crate) fn first() -> Value {
    let draft = Draft::of(&[
        (1, &[(1, 0), (2, 1), (3, 2), (4, 0)]),
        (2, &[(5, 0), (7, 5), (8, 5)]),
    ]);
    draft.with_french(&[1], &[2, 3, 7, 8]).file()
}

/// The second file: ancestors renamed, a term moved with its descendants, one removed, one added, cultures removed.
pub(crate) fn second() -> Value {
    let draft = Draft::of(&[
        (1, &[(1, 0), (6, 0)]),
        (2, &[(5, 0), (2, 5), (3, 2), (7, 5), (8, 5)]),
    ]);
    let draft = draft.with_term(1, "Computing").with_term(5, "The North");
    draft.with_term(7, "Leeds").with_french(&[1], &[2, 7]).file()
}

/// The third file: the names and places of the first again, the added term removed, the removed one added elsewhere.
pub(crate) fn third() -> Value {
    let draft = Draft::of(&[(1, &[(1, 0), (2, 1), (3, 2)]), (2, &[(4, 0), (7, 4), (8, 0)])]);
    let draft = draft.with_category(2, "Area").with_term(3, "Ferris");
    draft.with_french(&[1], &[4, 7, 8]).file()
}

/// A file with every name in both cultures, so that either can be the default.
pub(crate) fn bilingual() -> Value {
    let draft = Draft::of(&[(1, &[(1, 0), (2, 1), (4, 0)])]);
    draft.with_french(&[1], &[1, 2, 4]).file()
}
