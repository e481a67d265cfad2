"""Tests of the parts of a release: reproducible archives, and the templates."""

import os
import tempfile
import unittest
import zipfile
from pathlib import Path

from release import templates
from release.glibc import check_static
from release.archive import checksums, tar_of, zip_of
from local.paths import FUNCTIONS, ROOT
from local.problem import Problem

TEMPLATE = (ROOT / "template.yaml").read_text()
CODE = {name: f"functions/{name}-0123456789ab.zip" for name in FUNCTIONS}


class Archives(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name) / "release"
        (self.folder / "bin").mkdir(parents=True)
        (self.folder / "bin" / "program").write_bytes(b"program")
        (self.folder / "bin" / "program").chmod(0o755)
        (self.folder / "README.md").write_text("read")

    def test_follow_from_their_content(self) -> None:
        program = self.folder / "bin" / "program"
        first = (zip_of(program, "bootstrap"), tar_of(self.folder))
        for path in (program, self.folder / "README.md"):
            os.utime(path, (0, 0))
        self.assertEqual(first, (zip_of(program, "bootstrap"), tar_of(self.folder)))
        program.write_bytes(b"another")
        self.assertNotEqual(first[0], zip_of(program, "bootstrap"))
        self.assertNotEqual(first[1], tar_of(self.folder))

    def test_keep_what_may_be_executed(self) -> None:
        packed = self.folder.parent / "code.zip"
        packed.write_bytes(zip_of(self.folder / "bin" / "program", "bootstrap"))
        with zipfile.ZipFile(packed) as archive:
            self.assertEqual(archive.infolist()[0].external_attr >> 16, 0o100755)

    def test_checksums_name_every_file(self) -> None:
        self.assertEqual([line.split("  ")[1] for line in checksums(self.folder).splitlines()], ["README.md", "bin/program"])

    def test_a_program_with_a_loader_is_not_static(self) -> None:
        with self.assertRaisesRegex(Problem, "linked dynamically"):
            check_static(Path("/bin/sh").resolve())
        with self.assertRaisesRegex(Problem, "no 64-bit program"):
            check_static(self.folder / "README.md")


class Templates(unittest.TestCase):
    def test_for_sam_each_function_has_the_zip_of_its_program(self) -> None:
        written = templates.for_sam(TEMPLATE, CODE, "x86_64")
        self.assertEqual(written.count("CodeUri: "), TEMPLATE.count("Type: AWS::Serverless::Function"))
        for path in CODE.values():
            self.assertIn(f"      CodeUri: {path}\n", written)
        self.assertNotIn("BuildMethod", written)
        self.assertIn("    Default: x86_64\n    AllowedValues: [x86_64]\n", written)

    def test_for_sam_nothing_else_differs(self) -> None:
        before, after = TEMPLATE.splitlines(), templates.for_sam(TEMPLATE, CODE, "arm64").splitlines()
        added = [line for line in after if line not in before]
        self.assertEqual(set(added), {f"      CodeUri: {path}" for path in CODE.values()} | {"    AllowedValues: [arm64]"})
        # Two lines for all functions, three lines for each.
        functions = TEMPLATE.count("BuildMethod")
        self.assertEqual(len(before) - len(after), 2 + 3 * functions - functions)

    def test_for_cloudformation_parameters_say_where_the_code_is(self) -> None:
        written = templates.for_cloudformation(TEMPLATE, CODE, "arm64")
        for name in FUNCTIONS:
            self.assertIn(f"CodeUri: {{ Bucket: !Ref CodeBucket, Key: !Ref {name.capitalize()}Key }}\n", written)
            self.assertIn(f"  {name.capitalize()}Key:\n    Type: String\n    Default: taxonomy/{name}-0123456789ab.zip\n", written)
        self.assertEqual(written.count("  CodeBucket:\n"), 1)

    def test_a_template_of_another_form_is_refused(self) -> None:
        for old, new in (("    CodeUri: .\n", ""), ("AllowedValues: [arm64, x86_64]", "AllowedPattern: a")):
            with self.subTest(old), self.assertRaises(Problem):
                templates.for_sam(TEMPLATE.replace(old, new), CODE, "arm64")


if __name__ == "__main__":
    unittest.main()
