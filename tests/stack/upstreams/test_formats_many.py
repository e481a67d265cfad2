"""Tests of imports of very many concepts: the memory of the whole process in addition to the program itself."""

import os
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

from program import Measured, measured
from stack import SAMPLES

#: The number of concepts: 1,200,000 in `make prove NAMES=cli`.
CONCEPTS = int(os.environ.get("PROVE_CLI_CONCEPTS", "50000"))
#: The largest number of nodes in a file of the service (docs/decisions/0003-input-file.md), categories included.
MOST_NODES = 1_100_000
#: Bytes per concept in addition to the program: graph, written file and the parser's taxonomy, which are not all in memory at once.
MOST_BYTES = {"turtle": 1_250, "google": 1_000}
#: Bytes per concept of a source that has too many: no file is written.
MOST_REFUSED = {"turtle": 700, "google": 450}
BELOW = 10
HEADER = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix c: <http://example.com/concepts/id/> .
c:scheme a skos:ConceptScheme ; skos:prefLabel "Concepts"@en .
"""


def turtle(concepts: int) -> Iterator[str]:
    """Returns a tree in which each concept has ten children: two labels, a notation, a parent."""
    yield HEADER
    for number in range(concepts):
        above = f" ; skos:broader c:{(number - 1) // BELOW:07}" if number else ""
        labels = f'"Concept no {number:09}"@en , "Begriff Nr {number:09}"@de'
        yield f'c:{number:07} a skos:Concept ; skos:inScheme c:scheme ; skos:prefLabel {labels} ; skos:notation "{number:07}"{above} .\n'


def google(concepts: int) -> Iterator[str]:
    """Returns the same tree as paths, with names of 12 characters; a row follows those of its path."""
    yield "# Google_Product_Taxonomy_Version: 2031-05-01\n"
    paths = [""] * (concepts // BELOW + 1)
    for number in range(concepts):
        path = f"{paths[(number - 1) // BELOW]} > No {number:09}" if number else f"No {number:09}"
        if number < len(paths):
            paths[number] = path
        yield f"{number + 1} - {path}\n"


class Many(unittest.TestCase):
    def test_memory_is_bounded_and_too_many_are_refused(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            least = measured(folder, "import", "turtle", SAMPLES / "import" / "crafts.ttl", "--new-ids", "--out", folder / "least.json")
            for form, write in (("turtle", turtle), ("google", google)):
                concepts = min(CONCEPTS, MOST_NODES)
                done = self.run_import(folder, form, write(concepts))
                self.assertEqual(done.code, 0, done.out)
                said = done.json()
                self.assertEqual((said["concepts"], said["categories"], said["terms"]), (concepts, 1, concepts - 1))
                self.assert_bounded(done, least, concepts, MOST_BYTES[form])
                if CONCEPTS > MOST_NODES:
                    done = self.run_import(folder, form, write(CONCEPTS))
                    [error] = [issue for issue in done.json()["issues"] if issue["severity"] == "error"]
                    # The first line of Turtle and of the text are no concepts, and Turtle has two more.
                    self.assertEqual((done.code, error["code"], error["line"]), (5, "too-many-nodes", MOST_NODES + (2 if form == "google" else 4)))
                    self.assertFalse((folder / "out.json").exists(), "nothing is written")
                    self.assert_bounded(done, least, CONCEPTS, MOST_REFUSED[form])

    def run_import(self, folder: Path, form: str, lines: Iterator[str]) -> Measured:
        source = folder / f"concepts.en.{form}"
        with source.open("w", encoding="utf-8") as file:
            file.writelines(lines)
        for output in ("out.json", "ids.csv"):
            (folder / output).unlink(missing_ok=True)
        outputs = ["--out", folder / "out.json", "--ids", folder / "ids.csv", "--output", "json"]
        done = measured(folder, "import", form, source, "--default-culture", "en", *outputs)
        source.unlink()
        return done

    def assert_bounded(self, done: Measured, least: Measured, concepts: int, most: int) -> None:
        each = (done.most - least.most) * (1 << 20) / concepts
        print(f"\nimport of {concepts} concepts: {done}, {each:.0f} bytes a concept beside {least.most:.0f} MiB", flush=True)
        self.assertLessEqual(each, most)


if __name__ == "__main__":
    unittest.main()
