"""Tests of imports of very many concepts: the memory of the whole process in addition to the program itself."""

import json
import os
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

from measured import Measured, measure
from program import ROOT, environment, program

#: The number of concepts: 1,200,000 in `make prove NAMES=cli`.
CONCEPTS = int(os.environ.get("PROVE_CLI_CONCEPTS", "50000"))
#: The largest number of nodes in a file of the service (docs/decisions/0003-input-file.md), categories included.
MOST_NODES = 1_100_000
#: Bytes per concept in addition to the program: graph, written file and the parser's taxonomy, which are not all in memory at once.
MOST_BYTES = {"turtle": 1_250, "google": 1_000, "jsonld": 5_000}
#: JSON-LD is in memory until its object ends, which takes far more than the statements.
MOST_JSON = 100_000
#: Bytes per concept of a source that has too many: no file is written.
MOST_REFUSED = {"turtle": 700, "google": 450}
SECONDS = 1_800
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


def json_ld(concepts: int) -> Iterator[str]:
    """Returns the same tree in one object, with its context at the beginning."""
    context = {"skos": "http://www.w3.org/2004/02/skos/core#", "c": "http://example.com/concepts/id/", "notation": "skos:notation"}
    labels = {"prefLabel": {"@id": "skos:prefLabel", "@container": "@language"}}
    links = {name: {"@id": f"skos:{name}", "@type": "@id"} for name in ("broader", "inScheme")}
    scheme = {"@id": "c:scheme", "@type": "skos:ConceptScheme", "prefLabel": {"en": "Concepts"}}
    yield f'{{"@context": {json.dumps(context | labels | links)}, "@graph": [{json.dumps(scheme)}'
    for number in range(concepts):
        concept: dict[str, object] = {"@id": f"c:{number:07}", "@type": "skos:Concept", "inScheme": "c:scheme"}
        concept |= {"prefLabel": {"en": f"Concept no {number:09}", "de": f"Begriff Nr {number:09}"}, "notation": f"{number:07}"}
        concept |= {"broader": f"c:{(number - 1) // BELOW:07}"} if number else {}
        yield f",\n{json.dumps(concept)}"
    yield "]}\n"


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
    #: The memory of an import of five concepts.
    program_bytes: int

    @classmethod
    def setUpClass(cls) -> None:
        sample = str(ROOT / "samples" / "import" / "crafts.ttl")
        with tempfile.TemporaryDirectory() as folder:
            done = measure([program(), "import", "turtle", sample, "--new-ids", "--out", f"{folder}/out.json"], environment(), SECONDS)
        cls.program_bytes = done.bytes

    def run_import(self, form: str, concepts: int, folder: Path) -> tuple[Measured, int]:
        """Imports generated concepts; returns the process, and its bytes per concept in addition to the program."""
        source = folder / f"concepts.en.{form}"
        with source.open("w", encoding="utf-8") as file:
            file.writelines({"turtle": turtle, "google": google, "jsonld": json_ld}[form](concepts))
        size = source.stat().st_size
        outputs = ["--out", str(folder / "out.json"), "--ids", str(folder / "ids.csv"), "--output", "json"]
        done = measure([program(), "import", form, str(source), "--default-culture", "en", *outputs], environment(), SECONDS)
        each = (done.bytes - self.program_bytes) // concepts
        print(
            f"\nimport of {concepts} concepts, {form}, {size / concepts:.0f} bytes each: {done}, {each} bytes a concept beside {self.program_bytes >> 20} MiB",
            flush=True,
        )
        source.unlink()
        return done, each

    def check(self, form: str, most: int = MOST_NODES) -> None:
        concepts = min(CONCEPTS, most)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            done, each = self.run_import(form, concepts, folder)
            self.assertEqual(done.code, 0, done.out)
            said = json.loads(done.out)
            self.assertEqual((said["concepts"], said["categories"], said["terms"]), (concepts, 1, concepts - 1))
            self.assertLessEqual(each, MOST_BYTES[form], done)
            with (folder / "ids.csv").open() as ids:
                rows = [line for line in ids if not line.startswith("choice,")]
            self.assertEqual(len(rows), concepts + 1, "a row for each concept behind the header")
        if CONCEPTS > most == MOST_NODES:
            self.check_refused(form)

    def check_refused(self, form: str) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            done, each = self.run_import(form, CONCEPTS, folder)
            self.assertEqual(done.code, 5, done.out)
            errors = [issue for issue in json.loads(done.out)["issues"] if issue["severity"] == "error"]
            self.assertEqual([issue["code"] for issue in errors], ["too-many-nodes"])
            # The first line of Turtle and of the text are no concepts, and Turtle has two more.
            line = MOST_NODES + (2 if form == "google" else 4)
            self.assertEqual((errors[0]["file"].rpartition("/")[2], errors[0]["line"]), (f"concepts.en.{form}", line))
            self.assertEqual(sorted(path.name for path in folder.iterdir()), [], "nothing is written")
            self.assertLessEqual(each, MOST_REFUSED[form], done)

    def test_turtle(self) -> None:
        self.check("turtle")

    def test_json_ld(self) -> None:
        self.check("jsonld", MOST_JSON)

    def test_text(self) -> None:
        self.check("google")


if __name__ == "__main__":
    unittest.main()
