//! The product taxonomy of Google: `1 - Animals & Pet Supplies`, or without ids; a text a culture, joined by the ids.

use super::paths::{PathDialect, PathRow, whole_number};

pub(super) const DIALECT: PathDialect = PathDialect {
    scheme: "google-product-taxonomy",
    form: "ID - NAME > NAME, or NAME > NAME in each row",
    key_above: None,
    split,
    release,
};

/// The id ends at the first hyphen between spaces: names have hyphens too.
fn split(line: &str) -> Option<PathRow<'_>> {
    Some(match line.split_once(" - ") {
        Some((id, path)) if whole_number(id.trim()).is_some() => (Some(id.trim()), path),
        _ => (None, line),
    })
}

fn release(comment: &str) -> Option<&str> {
    let (name, release) = comment.split_once(':')?;
    (name.trim() == "Google_Product_Taxonomy_Version").then(|| release.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_number_before_the_first_hyphen_is_an_id() {
        for (line, expect) in [
            ("1 - A > B", (Some("1"), "A > B")),
            ("12 - Film - a > 35 - mm", (Some("12"), "Film - a > 35 - mm")),
            ("T - Shirts > Long", (None, "T - Shirts > Long")),
            ("01 - A", (None, "01 - A")),
            ("1-A", (None, "1-A")),
        ] {
            assert_eq!(split(line), Some(expect), "{line}");
        }
    }
}
