"""Tests of real taxonomies as files: exported as SKOS and imported again they are the same version; the losses of CSV are counted."""

import json
import os
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

import exported
from measured import Measured, measure
from program import environment, program, stack, succeed

from oracle import Taxonomy  # isort: skip - found by program
from test_releases import data, same  # isort: skip - found by program

#: The taxonomies: all in `make prove NAMES=cli`.
NAMES = os.environ.get("PROVE_CLI_TAXONOMIES", "iab,esco,google").split(",")
FILES = {"iab": "iab/taxonomy-v1.json", "esco": "esco/occupations-v1.json", "google": "google/taxonomy-v1.json", "icd10cm": "icd10cm/taxonomy.json"}
SECONDS = 1_800
#: The next releases.
SECOND = {"iab": "iab/taxonomy-v2.json", "esco": "esco/occupations-v2.json", "google": "google/taxonomy-v2.json"}
#: The memory of a command in addition to the program: a multiple of the file, and a fixed number of bytes, of which the smallest file needs only a part.
MOST_TIMES, FIXED = 4, 16 << 20
#: Warnings about two siblings of the same name, which are independent of the format.
KNOWN = {"duplicate-name"}


class Real(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.most = 0

    def measured(self, *words: str | Path, codes: tuple[int, ...] = (0,)) -> Measured:
        """Runs a command, and stores the largest memory."""
        done = measure([program(), *map(str, words)], environment(), SECONDS)
        self.assertIn(done.code, codes, done)
        self.most = max(self.most, done.bytes)
        return done

    def check(self, name: str) -> None:
        path = data(FILES[name])
        whole = Taxonomy.read(path)
        counts = {"categories": len(whole.categories), "terms": len(whole.terms), "names": sum(len(node.labels) for node in whole.nodes)}
        turtle, again, report = (self.folder / f"{name}.{end}" for end in ("ttl", "json", "report.json"))
        exporting = self.measured("export", "skos", path, "--name", "acme", "--out", turtle)
        importing = self.measured("import", "turtle", turtle, "--out", again, "--ids", self.folder / "ids.csv", "--report", report)
        said = json.loads(report.read_text())
        self.assertEqual({key: said[key] for key in counts}, counts)
        self.assertLessEqual({each["code"] for each in said["totals"]}, KNOWN)
        self.assertEqual(json.loads(self.measured("plan", again, "--against", path, "--output", "json").out)["operations"], [])
        texts = []
        for number, file in enumerate((path, again)):
            out = self.folder / f"{number}.json"
            self.measured("export", "json", file, "--out", out)
            texts.append(out.read_bytes())
        self.assertTrue(texts[0] == texts[1], f"{name} as JSON before and after")
        same(f"{name} as JSON", exported.flat(whole), exported.flat(Taxonomy(json.loads(texts[1]))))
        rows = self.check_csv(name, path, whole)
        size = path.stat().st_size
        print(
            f"\n{name}: {counts}, {size / 1e6:.1f} MB; skos {turtle.stat().st_size / 1e6:.1f} MB in {exporting}, imported in {importing}; {rows}; "
            f"at most {self.most >> 20} MiB",
            flush=True,
        )
        baseline = measure([program(), "import", "csv", "/dev/null", "--out", str(self.folder / "none.json")], environment(), SECONDS).bytes
        self.assertLessEqual(self.most - baseline, MOST_TIMES * size + FIXED, "the memory of a command")
        # icd10cm is not pushed: its 98,000 items would slow down every later test that scans the table.
        if name in SECOND:
            self.check_state(name, path, again)
            self.check_second(name, path, again)

    def check_second(self, name: str, path: Path, again: Path) -> None:
        """Checks the next release through SKOS and the id map: the plan from import to import equals that from file to file."""
        later, turtle, imported = data(SECOND[name]), self.folder / "second.ttl", self.folder / "second.json"
        self.measured("export", "skos", later, "--name", "acme", "--out", turtle)
        self.measured("import", "turtle", turtle, "--out", imported, "--ids", self.folder / "ids.csv")
        # 5: a release of iab exceeds the removal limit of a push.
        both = ((later, path), (imported, again))
        plans = [json.loads(self.measured("plan", new, "--against", old, "--output", "json", codes=(0, 5)).out) for new, old in both]
        for plan in plans:
            # The warnings have the places of the file.
            plan.pop("warned", None)
        self.assertEqual(plans[0], plans[1])
        self.assertTrue(plans[0]["operations"], "the releases differ")
        print(f"{name}, the next release: {plans[0]['terms']}, {len(plans[0]['operations'])} operations", flush=True)

    def check_csv(self, name: str, path: Path, whole: Taxonomy) -> str:
        """Checks every row, and the content without a column. Returns the losses."""
        out = self.folder / f"{name}.csv"
        self.measured("export", "csv", path, "--out", out)
        rows = exported.rows(whole)
        same(f"{name} as CSV", rows, exported.read_rows(out.read_text(encoding="utf-8")))
        lost = exported.losses(whole, "csv")
        said = exported.read_losses(succeed("export", "csv", path, "--out", out))
        self.assertEqual(said, lost)
        # The CSV is no input of `import`: categories have no rows, and a term has a row for each culture.
        cultures = len(whole.cultures)
        again = self.folder / f"{name}.csv.json"
        words = ["import", "csv", out, "--out", again, "--default-culture", whole.default_culture]
        if cultures > 1:
            refused = self.measured(*words, codes=(5,))
            self.assertIn("error[duplicate-key]", refused.out)
        else:
            self.measured(*words)
            imported = Taxonomy.read(again)
            self.assertEqual(len(imported.categories), 1, "categories have no rows, and the top terms are many")
            self.assertEqual(set(imported.terms), set(whole.terms))
        return f"{len(rows)} rows of CSV, lost {lost}"

    def check_state(self, name: str, path: Path, again: Path) -> None:
        """Checks that the service computes the same state hash for both files."""
        tenant = stack().fresh_tenant(f"real-{name}")
        outcomes = []
        for file in (path, again):
            done = succeed("push", file, "--tenant", tenant, "--output", "json")
            push = done.json()["pushes"][0]
            outcomes.append((push["outcome"], push["version"]))
        self.assertEqual(outcomes, [("published", 1), ("sameContent", 1)])


def _test(name: str) -> Callable[[Real], None]:
    return lambda test: test.check(name)


for each in NAMES:
    setattr(Real, f"test_{each}", _test(each))


if __name__ == "__main__":
    unittest.main()
