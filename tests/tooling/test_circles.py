"""Tests of finding circles between source files, on packages of a few lines and on this project."""

import tempfile
import unittest
from pathlib import Path

from checks import circles


class Circles(unittest.TestCase):
    def found(self, **files: str) -> list[list[str]]:
        """Returns the circles of a package with these files; `a__b` is `a/b.rs`."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder)
            for name, text in files.items():
                file = source / (name.replace("__", "/") + ".rs")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            return [[str(file.relative_to(source)) for file in circle] for circle in circles.circles(source)]

    def test_are_none_in_this_project(self) -> None:
        circles.check()

    def test_are_found_between_two_files_that_use_each_other(self) -> None:
        found = self.found(lib="mod a;\nmod b;", a="use crate::b::B;\npub struct A;", b="use crate::a::A;\npub struct B;")
        self.assertEqual(found, [["a.rs", "b.rs"]])

    def test_are_found_by_paths_and_between_a_parent_and_its_child(self) -> None:
        found = self.found(lib="mod a;", a="mod b;\npub const A: u8 = 1;\nfn f() { b::g(); }", a__b="pub(super) fn g() -> u8 { super::A }")
        self.assertEqual(found, [["a.rs", "a/b.rs"]])

    def test_are_found_through_three_files(self) -> None:
        found = self.found(lib="mod a;\nmod b;\nmod c;", a="use super::b::{self, B};\npub struct A;", b="use crate::c::C;\npub struct B;", c="fn f(_: crate::a::A) {}\npub struct C;")
        self.assertEqual(found, [["a.rs", "b.rs", "c.rs"]])

    def test_are_found_through_a_name_that_another_file_shows(self) -> None:
        found = self.found(lib="mod a;\nmod b;\npub use b::B;", a="use crate::B;\npub struct A;", b="use crate::a::A;\npub struct B;")
        self.assertEqual(found, [["a.rs", "b.rs"]])

    def test_are_none_where_a_parent_shows_the_items_of_its_child(self) -> None:
        found = self.found(lib="mod a;", a="mod b;\npub use b::B;\npub struct A;", a__b="use super::A;\npub struct B;")
        self.assertEqual(found, [])

    def test_are_none_by_tests_comments_and_texts(self) -> None:
        tests = "#[cfg(test)]\nmod tests {\n    use crate::b::B;\n    fn f() { if true {} }\n}\n"
        texts = "// use crate::b::B;\nconst T: &str = \"use crate::b::B; crate::b::f()\";\nconst Q: char = '\"';\n"
        found = self.found(lib="mod a;\nmod b;", a=f"{tests}{texts}pub struct A;", b="use crate::a::A;\npub struct B;")
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
