//! Every command as a person types it, with what it writes and how it ends. `TRYCMD=overwrite` accepts what it writes now.

#[test]
fn commands_write_what_the_pages_show() {
    trycmd::TestCases::new()
        .default_bin_name("taxonomy")
        .case("tests/commands/*.md");
}
