"""Tests of every format that `taxonomy import` reads, over the deployed stack: imported, pushed, served, exported, and imported again."""

import csv
import json
import re
import tempfile
import unittest
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import exported
import foreign
import rules
from program import ROOT, Done, stack, succeed

from oracle import Json, Taxonomy  # isort: skip - found by program
from stack import SAMPLES  # isort: skip - found by program
from test_releases import same  # isort: skip - found by program

FOLDER = SAMPLES / "import"
#: Formats of `export` that hold one version.
VERSION_FORMATS = ("json", "ndjson", "csv", "skos")


@dataclass
class Case:
    """A sample in a format, and the oracle that reads it."""

    form: str
    files: list[str]
    read: foreign.Reader
    culture: str
    options: list[str] = field(default_factory=list)
    #: The name of the one category.
    one: str | None = None

    def words(self, folder: Path = FOLDER) -> list[str]:
        """Returns the arguments of the import except its outputs."""
        return [self.form, *(f"{self.culture}={folder / name}" if self.form in ("csv", "shopify") else str(folder / name) for name in self.files), *self.options]

    def expected(self, folder: Path = FOLDER) -> rules.Import:
        """Returns the expected result of the import."""
        return rules.apply(self.read([folder / name for name in self.files], self.culture), one=self.one)


ENGLISH = ["--default-culture", "en"]
CASES = {
    "turtle": Case("turtle", ["crafts.ttl"], partial(foreign.rdf, form="turtle"), "en", ENGLISH),
    "nquads": Case("nquads", ["crafts.nq"], partial(foreign.rdf, form="nquads"), "en", ENGLISH),
    "jsonld": Case("jsonld", ["crafts.jsonld"], partial(foreign.rdf, form="json-ld"), "en", ENGLISH),
    "rdfxml": Case("rdfxml", ["crafts.rdf"], partial(foreign.rdf, form="xml"), "en", ENGLISH),
    "esco": Case(
        "esco",
        ["esco-ISCOGroups_en.csv", "esco-occupations_en.csv", "esco-occupations_de.csv", "esco-broaderRelationsOccPillar_en.csv"],
        foreign.esco,
        "en",
        ENGLISH,
    ),
    "google": Case("google", ["google-1.en-GB.txt", "google-1.de-DE.txt"], foreign.google, "en-GB"),
    "shopify": Case("shopify", ["shopify-1.txt"], foreign.shopify, "en-GB"),
    "open-food-facts": Case("open-food-facts", ["open-food-facts.txt"], foreign.open_food_facts, "en", ENGLISH),
    "csv-parents": Case("csv", ["parents.csv"], foreign.table_with_parents, "en-GB", ["--column", "metadata.supplier=Supplier", "--scheme", "shop"]),
    "csv-levels": Case(
        "csv", ["levels.csv"], foreign.table_with_levels, "en-GB", ["--categories", "one", "--category-name", "Stock"], "Stock"
    ),
}


class Formats(unittest.TestCase):
    """A base of tests that import, push and export."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.commands = self.requests = 0

    def run_command(self, *words: str | Path) -> Done:
        """Runs a command that must succeed, and counts it."""
        self.commands += 1
        return succeed(*words)

    def imported(self, name: str, words: list[str], expected: rules.Import) -> Path:
        """Imports with an id map, and compares map, counts and report with the oracle. Returns the file."""
        out, ids, report = (self.folder / f"{name}.{end}" for end in ("json", "ids.csv", "report.json"))
        self.run_command("import", *words, "--out", out, "--ids", ids, "--report", report)
        found: Json = json.loads(report.read_text())
        self.assertEqual({key: found[key] for key in expected.counts}, expected.counts, name)
        self.assertEqual(Counter({each["code"]: each["count"] for each in found["totals"]}), expected.codes, name)
        present = {key: id_ for key, id_ in rules.IdMap.read(ids).ids.items() if key in expected.ids}
        same(f"ids of {name}", expected.ids, present)
        same(f"file of {name}", exported.flat(Taxonomy(expected.content)), exported.flat(Taxonomy.read(out)))
        return out

    def pushed(self, tenant: str, file: Path) -> tuple[str, int]:
        """Returns outcome and version of a push."""
        push = self.run_command("push", file, "--tenant", tenant, "--output", "json").json()["pushes"][0]
        return push["outcome"], push["version"]

    def state_hash(self, tenant: str) -> str:
        """Returns the state hash of the newest version."""
        return str(self.run_command("history", tenant, "--output", "json").json()["versions"][0]["stateHash"])

    def check_served(self, tenant: str, version: int, expected: Taxonomy) -> None:
        """Checks every node in every culture over HTTP, one request each, and by `taxonomy get`."""
        running = stack()
        for culture in expected.cultures:
            served = {"tenant": tenant, "version": version}
            wanted = {("term", id_): served | expected.term_answer(id_, culture) for id_ in expected.terms}
            wanted |= {("category", id_): served | exported.category_answer(expected, node, culture) for id_, node in expected.categories.items()}
            found: dict[tuple[str, int], Json] = {}
            for kind, id_ in wanted:
                answer = running.api.get(f"/v1/tenants/{tenant}/{'terms' if kind == 'term' else 'categories'}/{id_}", culture=culture)
                self.requests += 1
                found[kind, id_] = {name: value for name, value in answer.body.items() if name != "requestedCulture"}
            same(f"{tenant} {version} in {culture} over HTTP", wanted, found)
            ids = [str(id_) for id_ in expected.terms]
            got = self.run_command("get", *ids, "--tenant", tenant, "--culture", culture, "--output", "json").json()["items"]
            above = {item["id"]: [item["term"]["finalName"], *(each["finalName"] for each in item["term"]["ancestors"])] for item in got}
            answers = {id_: expected.term_answer(id_, culture) for id_ in expected.terms}
            terms = {id_: [answer["finalName"], *(each["finalName"] for each in answer["ancestors"])] for id_, answer in answers.items()}
            same(f"{tenant} {version} in {culture} by get", terms, above)
        newest = self.run_command("history", tenant, "--output", "json").json()["versions"][0]
        self.assertEqual((newest["categories"], newest["terms"]), (len(expected.categories), len(expected.terms)), "nothing else is there")

    def check_exports(self, tenant: str, expected: Taxonomy) -> tuple[int, int]:
        """Checks the newest version in every format, each read by other code. Returns the numbers of concepts and statements of SKOS."""
        done = {form: self.run_command("export", form, "--tenant", tenant, *(["--name", "acme"] if form == "skos" else [])) for form in VERSION_FORMATS}
        told = f"exported {_counted(len(expected.categories), 'category', 'categories')} and {_counted(len(expected.terms), 'term', 'terms')}"
        for form, each in done.items():
            self.assertTrue(each.err.startswith(f"{told} as {form}\n"), each.err)
            self.assertEqual(exported.read_losses(each), exported.losses(expected, form) if form == "csv" else {}, form)
        same(f"json of {tenant}", exported.flat(expected), exported.flat(Taxonomy(done["json"].json())))
        same(f"ndjson of {tenant}", exported.lines(expected), exported.read_lines(done["ndjson"].out))
        same(f"csv of {tenant}", exported.rows(expected), exported.read_rows(done["csv"].out))
        past = self.run_command("export", "history", "--tenant", tenant)
        same(f"history of {tenant}", exported.history(expected), exported.read_history(past.out))
        self.assertEqual(exported.read_losses(past), exported.losses(expected, "history"))
        return self.check_skos(tenant, done["skos"].out, expected)

    def check_skos(self, tenant: str, turtle: str, expected: Taxonomy) -> tuple[int, int]:
        """Checks the shapes, skosify, a file built from the statements that rdflib reads, and an import of it, which has the same state hash."""
        concepts, statements, wrong = exported.shapes(turtle)
        self.assertEqual((concepts, wrong), (len(expected.categories) + len(expected.terms), ""))
        self.assertEqual(exported.skosify(turtle), [])
        same(f"skos of {tenant}", exported.flat(expected), exported.flat(exported.rebuilt(turtle)))
        file, again = self.folder / f"{tenant}.ttl", self.folder / f"{tenant}.again.json"
        file.write_text(turtle, encoding="utf-8")
        self.run_command("import", "turtle", file, "--out", again, "--ids", self.folder / f"{tenant}.again.csv")
        copy = stack().fresh_tenant(f"{tenant}-copy")
        self.assertEqual(self.pushed(copy, again), ("published", 1))
        self.assertEqual(self.state_hash(copy), self.state_hash(tenant), "the state hash after export and import")
        return concepts, statements


def _counted(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"


class Samples(Formats):
    def check(self, name: str) -> None:
        """Checks a sample from its file to its export and back."""
        case, tenant = CASES[name], stack().fresh_tenant(f"formats-{name}")
        expected = case.expected()
        file = self.imported(name, case.words(), expected)
        whole = Taxonomy(expected.content)
        self.assertEqual(self.pushed(tenant, file), ("published", 1))
        self.check_served(tenant, 1, whole)
        concepts, statements = self.check_exports(tenant, whole)
        counts = ", ".join(f"{count} {what}" for what, count in expected.counts.items())
        print(
            f"\n{name}: {counts}, {sum(expected.codes.values())} findings reported; {self.requests} requests, {self.commands} commands; "
            f"{concepts} concepts in {statements} statements of SKOS",
            flush=True,
        )

    def test_turtle(self) -> None:
        self.check("turtle")

    def test_nquads(self) -> None:
        self.check("nquads")

    def test_jsonld(self) -> None:
        self.check("jsonld")

    def test_rdfxml(self) -> None:
        self.check("rdfxml")

    def test_esco(self) -> None:
        self.check("esco")

    def test_google(self) -> None:
        self.check("google")

    def test_shopify(self) -> None:
        self.check("shopify")

    def test_open_food_facts(self) -> None:
        self.check("open-food-facts")

    def test_csv_with_parents(self) -> None:
        self.check("csv-parents")

    def test_csv_with_levels(self) -> None:
        self.check("csv-levels")


#: Every field of the format, and all content that CSV cannot represent.
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
PAGE = ROOT / "docs" / "formats.md"


class Page(Formats):
    """Checks that docs/formats.md describes the command."""

    def rows(self, heading: str) -> dict[str, list[str]]:
        """Returns the rows of the table below a heading, by their first cell."""
        table = PAGE.read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("|")]
        return {row[0].strip("`"): row[1:] for row in cells[2:]}

    def test_a_file_with_everything_and_what_the_page_says_is_lost(self) -> None:
        tenant, whole = stack().fresh_tenant("formats-everything"), Taxonomy(EVERYTHING)
        file = self.folder / "everything.json"
        file.write_text(json.dumps(EVERYTHING), encoding="utf-8")
        self.assertEqual(self.pushed(tenant, file), ("published", 1))
        self.check_served(tenant, 1, whole)
        concepts, statements = self.check_exports(tenant, whole)
        rows = self.rows("Written by `taxonomy export`")
        self.assertEqual(set(rows), {*VERSION_FORMATS, "history"})
        for form, (_, lost, *_) in rows.items():
            done = self.run_command("export", form, "--tenant", tenant)
            named = {exported.LOSSES[name] for name in exported.read_losses(done)}
            self.assertEqual(set(lost.split(", ")), named or {"nothing"}, form)
        print(f"\neverything: {concepts} concepts in {statements} statements, {sum(exported.losses(whole, 'csv').values())} fields lost by csv", flush=True)

    def test_every_format_has_a_row_with_what_its_sample_reports(self) -> None:
        rows = self.rows("Read by `taxonomy import`")
        self.assertEqual(set(rows), {"all"} | {case.form for case in CASES.values()})
        said = self.run_command("import", "--help").out.partition("Possible values:")[2].partition("<FILE>")[0]
        self.assertEqual(set(rows) - {"all"}, set(re.findall(r"- ([a-z-]+):", said)))
        for name, case in CASES.items():
            report = self.run_command("import", *case.words(), "--out", self.folder / "page.json", "--ids", self.folder / f"{name}.csv", "--output", "json")
            for each in report.json()["totals"]:
                self.assertIn(f"`{each['code']}`", rows["all"][1] + rows[case.form][1], name)


class Releases(Formats):
    """Two releases of a source with one id map: a renamed or moved concept keeps its id."""

    def two(self, case: Case, second: Case, folders: tuple[Path, Path], replaced: Path | None = None) -> str:
        """Imports and pushes both, and returns the tenant. The second must match the oracle, with the ids of the first."""
        self.tenant, name = stack().fresh_tenant(f"releases-{case.form}"), "release"
        first = self.imported(name, case.words(folders[0]), case.expected(folders[0]))
        self.before = self.folder / "first.json"
        self.before.write_bytes(first.read_bytes())
        self.assertEqual(self.pushed(self.tenant, first), ("published", 1))
        last = rules.IdMap.read(self.folder / f"{name}.ids.csv")
        source = second.read([folders[1] / file for file in second.files], second.culture)
        pairs = [(row["old"], row["new"]) for row in csv.DictReader(replaced.read_text().splitlines())] if replaced else []
        self.expected = rules.apply(source, last, pairs, second.one)
        words = second.words(folders[1]) + (["--replaced", str(replaced)] if replaced else [])
        self.after = self.imported(name, words, self.expected)
        return self.tenant

    def check_both(self, actions: list[tuple[str, str, int]]) -> None:
        """Checks the plan before the push, the difference between the versions after it, and every node of the second one."""
        planned = self.run_command("plan", self.after, "--tenant", self.tenant, "--output", "json").json()
        self.assertEqual(self.pushed(self.tenant, self.after), ("published", 2))
        between = self.run_command("diff", "1", "2", "--tenant", self.tenant, "--output", "json").json()
        whole = Taxonomy(self.expected.content)
        for differs in (planned, between):
            found = [(each["action"], *next(iter(each["node"].items()))) for each in differs["operations"] if each["action"] != "change"]
            self.assertEqual(sorted(set(found)), sorted(actions))
            self.assertEqual((differs["terms"]["added"], differs["terms"]["removed"]), _added_and_removed(Taxonomy.read(self.before), whole))
        self.check_served(self.tenant, 2, whole)
        self.check_exports(self.tenant, whole)
        print(f"\n{self.tenant}: {between['terms']}; {self.requests} requests, {self.commands} commands", flush=True)

    def replaced_by(self, term: int) -> list[int]:
        """Returns the replacements of a term in the service."""
        answer = stack().api.get(f"/v1/tenants/{self.tenant}/terms/{term}").body
        self.assertTrue(answer["deprecated"] and not answer["removed"], answer)
        return list(answer["replacedBy"])

    def test_google(self) -> None:
        second = Case("google", ["google-2.en-GB.txt", "google-2.de-DE.txt"], foreign.google, "en-GB")
        self.two(CASES["google"], second, (FOLDER, FOLDER), FOLDER / "google-2.replaced.csv")
        self.check_both([("rename", "category", 2), ("rename", "term", 214), ("move", "term", 22)])

    def test_shopify(self) -> None:
        second = Case("shopify", ["shopify-2.txt"], foreign.shopify, "en-GB")
        self.two(CASES["shopify"], second, (FOLDER, FOLDER), FOLDER / "shopify-2.replaced.csv")
        ids = rules.IdMap.read(self.folder / "release.ids.csv").ids
        moved = ids["term", "gid://shopify/TaxonomyCategory/ho-1-4"]
        merged = ids["term", "gid://shopify/TaxonomyCategory/ga-2"]
        self.assertEqual(moved, ids["term", "gid://shopify/TaxonomyCategory/ga-1-1"], "the new key has the id of the old one")
        self.check_both([("rename", "term", moved), ("move", "term", moved), ("deprecate", "term", merged)])
        self.assertEqual(self.replaced_by(merged), [ids["term", "gid://shopify/TaxonomyCategory/ga-1"]])

    def test_turtle(self) -> None:
        """Carpentry is renamed, repair changes its parent, upholstery gives way to a new concept, marquetry is new."""
        text = (FOLDER / "crafts.ttl").read_text(encoding="utf-8")
        for old, new in (
            ('"2026-01"', '"2027-01"'),
            ('"Carpentry"@en', '"Woodwork"@en'),
            ("skos:broader craft:carpentry , craft:upholstery", "skos:broader craft:upholstery"),
            ("skos:related craft:carpentry ;", "skos:related craft:carpentry ; owl:deprecated true ; dct:isReplacedBy craft:padding ;"),
        ):
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        text += '\ncraft:padding a skos:Concept ; skos:prefLabel "Padding"@en ; skos:broader craft:making .\n'
        later = self.folder / "later"
        later.mkdir()
        (later / "crafts.ttl").write_text(text, encoding="utf-8")
        self.two(CASES["turtle"], CASES["turtle"], (FOLDER, later))
        ids = {key.rpartition("/")[2]: id_ for (kind, key), id_ in self.expected.ids.items() if kind == "term"}
        self.assertEqual(ids["padding"], max(ids.values()), "a new key gets an id behind all others")
        self.check_both(
            [("rename", "term", ids["carpentry"]), ("move", "term", ids["repair"]), ("deprecate", "term", ids["upholstery"]), ("add", "term", ids["padding"])]
        )
        self.assertEqual(self.replaced_by(ids["upholstery"]), [ids["padding"]])

    def test_csv(self) -> None:
        """A row has another name and another parent."""
        text = (FOLDER / "parents.csv").read_text(encoding="utf-8")
        header, *rows = text.replace("A2;A1;Hammers;Marteaux", "A2;A3;Sledges;Masses").splitlines()
        later = self.folder / "later"
        later.mkdir()
        (later / "parents.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
        self.two(CASES["csv-parents"], CASES["csv-parents"], (FOLDER, later))
        hammers = self.expected.ids["term", "A2"]
        self.check_both([("rename", "term", hammers), ("move", "term", hammers)])


def _added_and_removed(before: Taxonomy, after: Taxonomy) -> tuple[int, int]:
    return len(after.terms.keys() - before.terms.keys()), len(before.terms.keys() - after.terms.keys())


if __name__ == "__main__":
    unittest.main()
