"""Tests of the template that `sam deploy` receives instead of the output of `sam build`."""

import re
import unittest

from local.package import with_folders
from local.paths import FUNCTIONS, ROOT
from local.problem import Problem

TEMPLATE = (ROOT / "template.yaml").read_text()


class ThePackagedTemplate(unittest.TestCase):
    def test_has_a_folder_for_each_function(self) -> None:
        packaged, functions = with_folders(TEMPLATE)
        self.assertEqual(TEMPLATE.count("Type: AWS::Serverless::Function"), len(functions))
        self.assertEqual(set(functions.values()), set(FUNCTIONS))
        for logical_id in functions:
            # The line belongs to the properties of this function.
            self.assertRegex(packaged, rf"(?m)^  {logical_id}:\n(?:    .*\n)*?    Properties:\n      CodeUri: {logical_id}\n")

    def test_is_else_the_template_of_the_project(self) -> None:
        packaged, functions = with_folders(TEMPLATE)
        added = [f"      CodeUri: {logical_id}\n" for logical_id in functions]
        self.assertEqual(re.sub("|".join(added), "", packaged), TEMPLATE)

    def test_is_refused_where_a_function_is_written_in_another_way(self) -> None:
        other = TEMPLATE.replace("BuildProperties: { Binary: lookup }", "BuildProperties:\n        Binary: lookup")
        self.assertNotEqual(other, TEMPLATE)
        with self.assertRaisesRegex(Problem, "can read 4"):
            with_folders(other)

    def test_is_refused_without_functions(self) -> None:
        with self.assertRaises(Problem):
            with_folders("Resources: {}\n")


if __name__ == "__main__":
    unittest.main()
