//! The product taxonomy of Shopify: `gid://shopify/TaxonomyCategory/ap-2-1 : Animals & Pet Supplies > Pet Supplies`; a text a culture, joined
//! by the GIDs. A GID encodes the position of its category, which the names of a path do not: siblings may have one name in a translation.
//! A category that moves gets another GID, so a mapping of two releases must relate them.

use super::paths::{PathDialect, PathRow};

pub(super) const DIALECT: PathDialect = PathDialect {
    scheme: "shopify-product-taxonomy",
    form: "gid://shopify/TaxonomyCategory/ID : NAME > NAME",
    key_above: Some(key_above),
    split,
    release,
};

fn split(line: &str) -> Option<PathRow<'_>> {
    let (gid, path) = line.split_once(" : ")?;
    let gid = gid.trim();
    let is_gid = gid.starts_with("gid://") && !gid.contains(char::is_whitespace);
    is_gid.then_some((Some(gid), path))
}

/// The GID of `ap-2-1` names `ap-2`, and that of `ap` none.
fn key_above(gid: &str) -> Option<&str> {
    let (above, number) = gid.rsplit_once('-')?;
    (!number.contains('/')).then_some(above)
}

fn release(comment: &str) -> Option<&str> {
    let (name, release) = comment.rsplit_once(':')?;
    (name.trim() == "Shopify Product Taxonomy - Categories").then(|| release.trim())
}
