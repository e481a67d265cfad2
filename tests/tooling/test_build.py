"""Tests of reading the programs of a build from cargo's messages."""

import json
import unittest
from pathlib import Path

from local.build import executables
from local.problem import Problem


def artifact(name: str, executable: str | None) -> str:
    """Returns a message of cargo about an artifact that it built or found built."""
    return json.dumps({"reason": "compiler-artifact", "target": {"name": name, "kind": ["bin"]}, "executable": executable})


class TheProgramsOfABuild(unittest.TestCase):
    def test_are_where_cargo_says(self) -> None:
        library = artifact("lookup", None)
        messages = [library, *(artifact(name, f"/t/debug/{name}") for name in ("lookup", "projector", "pages", "aggregator", "taxonomy")), "not JSON"]
        expected = {name: Path(f"/t/debug/{name}") for name in ("projector", "aggregator", "lookup", "pages", "taxonomy")}
        self.assertEqual(executables("\n".join(messages)), expected)

    def test_are_all_there_or_the_missing_one_is_named(self) -> None:
        messages = [artifact("lookup", "/t/lookup"), artifact("pages", "/t/pages"), artifact("projector", "/t/projector"), artifact("aggregator", None), artifact("taxonomy", "/t/taxonomy")]
        with self.assertRaisesRegex(Problem, "no program of aggregator"):
            executables("\n".join(messages))


if __name__ == "__main__":
    unittest.main()
