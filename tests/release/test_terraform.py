"""Tests of the module for Terraform, which an evaluator of its language reads with values of its variables.

Terraform itself does not run, and no provider looks at the resources."""

import tempfile
import unittest
from pathlib import Path
from typing import Any

from rehearsal import offline
from rehearsal.plan import read
from release import templates
from released import ROOT, evaluated, template

#: The zips of two releases, of which the second one changed two functions.
BEFORE = {"projector": "projector-1.zip", "aggregator": "aggregator-1.zip", "lookup": "lookup-1.zip", "pages": "pages-1.zip"}
AFTER = BEFORE | {"projector": "projector-2.zip", "pages": "pages-2.zip"}


class TheModule(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)
        self.before, self.after = self.release("before", BEFORE), self.release("after", AFTER)

    def release(self, name: str, code: dict[str, str]) -> Path:
        """An unpacked release as far as the module reads it."""
        folder = self.folder / name
        (folder / "functions").mkdir(parents=True)
        for path in code.values():
            (folder / "functions" / path).write_text(path)
        (folder / "cloudformation.yaml").write_text(templates.for_cloudformation((ROOT / "template.yaml").read_text(), code, "arm64"))
        return folder

    def evaluated(self, **values: Any) -> dict[str, Any]:
        return evaluated(**{"release": str(self.after), "bucket": "artifacts"} | values)

    def variable(self, variable: str, **values: Any) -> dict[str, Any]:
        found: dict[str, Any] = next(each for each in self.evaluated(**values)["variable"] if each["__tfmeta"]["path"] == f"variable.{variable}")
        return found

    def stack(self, **values: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.evaluated(**values)["aws_cloudformation_stack"][0]
        return found

    def uploaded(self, **values: Any) -> dict[str, Path]:
        """The files that become objects below the keys of code, by their keys."""
        objects = self.evaluated(**values)["aws_s3_object"]
        code = [each for each in objects if each["__tfmeta"]["path"].startswith("aws_s3_object.code[")]
        self.assertEqual({each["bucket"] for each in code}, {"artifacts"})
        return {each["key"]: Path(each["source"]) for each in code}

    def keys(self, release: Path) -> set[str]:
        """The keys of the code that the template of a release names."""
        parameters = template(release / "cloudformation.yaml")["Parameters"]
        return {each["Default"] for name, each in parameters.items() if name in {f"{program.capitalize()}Key" for program in BEFORE}}

    def test_takes_the_names_that_buckets_take(self) -> None:
        plan = read(ROOT / "template.yaml", "taxonomy", "eu-west-1", {})
        taken = ["taxonomy", "tx", "a1", "a-b", "a--9", "a" * 20]
        refused = ["", "a", "a" * 21, "Taxonomy", "1a", "-a", "a-", "a_b", "a.b", "a b", "ä1", "taxonomy\n"]
        for name in taken + refused:
            with self.subTest(name):
                check = self.variable("name", name=name)["validation"]
                self.assertIs(check["condition"], name in taken)
                self.assertIn("2 to 20 lower case letters", check["error_message"])
                plan.name = name
                self.assertEqual(offline.name(plan).faults == [], name in taken, "the rehearsal says otherwise")

    def test_gives_the_stack_its_name_role_and_tags(self) -> None:
        role, tags = "arn:aws:iam::123456789012:role/deployer", {"team": "search", "cost-centre": "7"}
        stack = self.stack(name="acme", iam_role_arn=role, tags=tags)
        self.assertEqual((stack["name"], stack["iam_role_arn"], stack["tags"]), ("acme", role, tags))
        usual = self.stack()
        self.assertEqual((usual["name"], usual["tags"]), ("taxonomy", {}))
        # The evaluator leaves a reference to null as it is.
        self.assertIsNone(self.variable("iam_role_arn")["default"])

    def test_gives_the_template_what_it_has_no_default_for(self) -> None:
        needed = {name for name, each in template(self.after / "cloudformation.yaml")["Parameters"].items() if "Default" not in each}
        self.assertEqual(set(self.stack()["parameters"]), needed)
        given = self.stack(parameters={"AuthMode": "iam"})["parameters"]
        self.assertEqual(given, {"CodeBucket": "artifacts", "AuthMode": "iam"})

    def test_uploads_the_code_before_the_stack(self) -> None:
        uploaded = self.uploaded()
        self.assertEqual(set(uploaded), self.keys(self.after))
        for key, source in uploaded.items():
            self.assertEqual(source.read_text(), key.removeprefix("taxonomy/"))
        (waited_for,) = self.stack()["depends_on"]
        self.assertEqual({each["key"] for each in waited_for.values()}, set(uploaded))

    def test_keeps_the_code_that_a_failed_update_goes_back_to(self) -> None:
        kept = self.uploaded(former_releases=[str(self.before)])
        self.assertEqual(set(kept), self.keys(self.before) | self.keys(self.after))
        self.assertEqual(len(kept), 6, "what both have is one object")
        for key, source in kept.items():
            self.assertEqual(source.read_text(), key.removeprefix("taxonomy/"))


if __name__ == "__main__":
    unittest.main()
