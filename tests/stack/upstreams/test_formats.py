"""Tests of every format that `taxonomy import` reads, over the deployed stack: imported, pushed, served, exported, and imported again.

What an import makes of its sources is decided by `shared/taxonomy-import/tests`, what each download holds by `shared/taxonomy-formats/tests` and
`tests/skos`."""

import json
import tempfile
import unittest
import warnings
from pathlib import Path

from comparing import same
from oracle import Json, Taxonomy
from program import succeed
from rdflib import Graph
from reading import Asking, check_terms
from stack import SAMPLES, stack

FOLDER = SAMPLES / "import"
ENGLISH = ["--default-culture", "en"]
ESCO = ("esco-ISCOGroups_en.csv", "esco-occupations_en.csv", "esco-occupations_de.csv", "esco-broaderRelationsOccPillar_en.csv")
#: A sample in each format: its files and options.
SOURCES: dict[str, tuple[str, list[str], list[str]]] = {
    "turtle": ("turtle", ["crafts.ttl"], ENGLISH),
    "nquads": ("nquads", ["crafts.nq"], ENGLISH),
    "jsonld": ("jsonld", ["crafts.jsonld"], ENGLISH),
    "rdfxml": ("rdfxml", ["crafts.rdf"], ENGLISH),
    "esco": ("esco", [*ESCO], ENGLISH),
    "google": ("google", ["google-1.en-GB.txt", "google-1.de-DE.txt"], []),
    "shopify": ("shopify", ["en-GB=shopify-1.txt"], []),
    "open-food-facts": ("open-food-facts", ["open-food-facts.txt"], ENGLISH),
    "csv": ("csv", ["en-GB=parents.csv"], ["--column", "metadata.supplier=Supplier", "--scheme", "shop"]),
    "csv with levels": ("csv", ["en-GB=levels.csv"], ["--categories", "one", "--category-name", "Stock"]),
}
#: The syntaxes of rdflib, by the format that reads each.
SYNTAXES = {"turtle": "turtle", "nquads": "nt", "jsonld": "json-ld", "rdfxml": "xml"}
#: Every field of the format.
EVERYTHING: Json = {
    "defaultCulture": "en-GB",
    "categories": [
        {"id": 1, "names": [{"culture": "en-GB", "name": "Empty"}], "deprecated": True, "replacedBy": [2]},
        {
            "id": 2,
            "names": [{"culture": "en-GB", "name": "Tools", "path": "tools"}, {"culture": "ja-JP", "name": "道具"}],
            "notation": "T",
            "altNames": [{"culture": "en-GB", "name": "Instruments"}],
            "terms": [
                {
                    "id": 1,
                    "names": [{"culture": "en-GB", "name": "Hammers", "path": "tools/hammers"}, {"culture": "fr-FR", "name": "Marteaux"}],
                    "notation": "T.1",
                    "altNames": [{"culture": "de-DE", "name": "Hämmer"}, {"culture": "en-GB", "name": "Mallets, =1+1"}],
                    "notes": [{"culture": "en-GB", "definition": "Strikes.\n\"Twice\".", "scopeNote": "By hand."}],
                    "sortKey": "b",
                    "metadata": {"weight": 1.5, "tags": ["a", None]},
                    "relations": [{"type": "exact", "scheme": "wikidata", "id": "http://www.wikidata.org/entity/Q25294"}, {"type": "related", "id": 2}],
                    "children": [{"id": 3, "names": [{"culture": "en-GB", "name": " Claw hammers"}]}],
                },
                {
                    "id": 2,
                    "names": [{"culture": "en-GB", "name": "Nails"}],
                    "deprecated": True,
                    "deprecation": {"reason": "Sold by others", "since": "2026-01-31"},
                    "replacedBy": [3, 1],
                },
            ],
        },
    ],
}


class Formats(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def imported(self, form: str, files: list[str | Path], options: list[str]) -> tuple[Path, Json]:
        """Returns the written file and the report."""
        out, ids, report = (self.folder / name for name in ("out.json", "ids.csv", "report.json"))
        ids.unlink(missing_ok=True)
        succeed("import", form, *files, *options, "--out", out, "--ids", ids, "--report", report)
        found: Json = json.loads(report.read_text())
        return out, found

    def source(self, name: str) -> tuple[Path, Json]:
        form, files, options = SOURCES[name]
        return self.imported(form, [file.replace("=", f"={FOLDER}/") if "=" in file else FOLDER / file for file in files], options)

    def check(self, tenant: str, file: Path) -> None:
        """Pushes a file; checks what is served of it, and that it comes back as JSON and, by any syntax of RDF, through SKOS."""
        whole = Taxonomy.read(file)
        push = succeed("push", file, "--tenant", tenant, "--output", "json").json()["pushes"][0]
        self.assertEqual((push["outcome"], push["version"]), ("published", 1))
        for culture in whole.cultures:
            check_terms(Asking(stack(), tenant, version=1), whole, culture)
        same(f"json of {tenant}", whole.fields(), Taxonomy(succeed("export", "json", "--tenant", tenant).json()).fields())
        graph = Graph().parse(data=succeed("export", "skos", "--tenant", tenant).out, format="turtle")
        for form, syntax in SYNTAXES.items():
            written = self.folder / f"again.{form}"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                written.write_text(graph.serialize(format=syntax), encoding="utf-8")
            again, _ = self.imported(form, [written], [])
            same(f"{form} of {tenant}", whole.fields(), Taxonomy.read(again).fields())

    def test_each_sample(self) -> None:
        for name in SOURCES:
            with self.subTest(name):
                file, report = self.source(name)
                copy = self.folder / "sample.json"
                copy.write_bytes(file.read_bytes())
                whole = Taxonomy.read(copy)
                self.assertEqual((report["categories"], report["terms"]), (len(whole.categories), len(whole.terms)))
                self.check(stack().fresh_tenant(f"formats-{name.replace(' ', '-')}"), copy)

    def test_a_file_with_everything(self) -> None:
        file = self.folder / "everything.json"
        file.write_text(json.dumps(EVERYTHING), encoding="utf-8")
        self.check(stack().fresh_tenant("formats-everything"), file)


if __name__ == "__main__":
    unittest.main()
