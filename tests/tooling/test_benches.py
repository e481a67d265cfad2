"""Tests of the benchmark's tables, goals, curves and documentation, over made-up figures that reach every goal."""

import copy
import unittest
from typing import Any
from xml.etree import ElementTree

from benches import curves, goals, record, tables

Json = dict[str, Any]


def _way(question: str, name: str, p50: float) -> Json:
    return {"question": question, "way": name, "requests": 1.0, "units": 0.5, "p50": p50, "p99": 2 * p50}


def _stores(terms: int) -> Json:
    service = [
        _way("term", "from its entry", 10),
        _way("batch", "from their entries", 400),
        _way("search", "suggest, in memory", 200),
        _way("as-of", "version=, in memory", 12),
    ]
    postgres = [
        _way("term", "recursive CTE", 70),
        _way("batch", "denormalised row", 200),
        _way("search", "trigrams, by word similarity", 900),
        _way("as-of", "history table", 25),
    ]
    stores = [
        {"store": "PostgreSQL over a socket", "ways": postgres},
        {"store": tables.SERVICE, "ways": service},
        {"store": "Valkey over a socket", "ways": [_way("term", "GET of a document", 20)]},
    ]
    return {"terms": terms, "bytes": 200 * terms, "stores": stores, "missing": []}


def _layout(name: str, units: int) -> Json:
    edits = [("leaf renamed", 1, 3), ("category renamed", 100, 110), ("subtree moved", 10, 12), ("nothing changed", 0, 0)]
    return {
        "layout": name,
        "items": 400,
        "units": units,
        "edits": [{"edit": kind, "what": kind, "items": items, "units": cost * units // 400} for kind, items, cost in edits],
    }


def _figures() -> Json:
    names = ("hit", "miss")
    start = {"to_first_event": 400_000, "answer": 70_000, "cold": {"init_ms": 2.0, "first_ms": 1.0}}
    parsed = [("service", 24.8), ("structs", 12.3), ("Value", 48.1)]
    files = ("google/taxonomy-v1.json", "esco/occupations-v1.json", "icd10cm/taxonomy.json")
    return {
        "report": {
            "answers": {"instructions": dict.fromkeys(names, 50_000), "allocations": dict.fromkeys(names, 30)},
            "scenarios": [{"name": name, "what": f"a {name}"} for name in names],
            "deployed": {
                "hello": start,
                "lookup": {**start, "to_first_request": 1_000_000, "to_first_event": 3_000_000, "first_answer": 500_000, "miss": 600_000, "hit": 100_000},
                "defaults": {**start, "first_answer": 400_000_000, "cold": None},
            },
        },
        "layouts": {"files": [{"file": name, "terms": 100, "layouts": [_layout("this layout", 400), _layout("the article's", 800)]} for name in files]},
        "ingest": {
            "parse": [
                {"file": "icd10cm", "terms": 97_880, "bytes": 100, "reader": reader, "instructions_per_byte": cost, "allocations_per_term": 4.4, "peak_bytes": 155}
                for reader, cost in parsed
            ],
            "ingest": [{"file": "icd10cm", "version": 1, "terms": 97_880, "peak_bytes": 140, "processor_seconds": 1.0, "peak_by_file": 1.4}],
        },
        "stores": {"1000": _stores(1_000), "100000": _stores(100_000), "1000000": _stores(1_000_000)},
    }


class Documentation(unittest.TestCase):
    def test_the_page_has_each_part_with_the_peers_by_the_service(self) -> None:
        page = tables.page(_figures())
        for words in ("## Goals", "| PostgreSQL over a socket: recursive CTE | 1 | 0.5 | 70 | 140 | 7 x |", "## 1,000,000 terms", "400,000,000", "24.8"):
            self.assertIn(words, page)
        self.assertNotIn("## 1,000 terms", page)

    def test_the_readme_gets_its_table_once_and_again(self) -> None:
        readme = f"# Service\n\n{record.FOLDERS}\nFolders.\n"
        once = record.with_table(readme, "| first |")
        self.assertEqual(once, f"# Service\n\n{record.SECTION}{record.BEGIN}| first |\n{record.END}\n{record.FOLDERS}\nFolders.\n")
        self.assertEqual(record.with_table(once, "| second |"), once.replace("first", "second"))

    def test_the_table_of_the_readme_has_a_peer_in_each_row(self) -> None:
        rows = tables.short(_figures()).splitlines()[2:]
        self.assertEqual(len(rows), 8)
        self.assertIn("| 7 x |", rows[1])

    def test_every_file_of_the_documentation_is_rendered(self) -> None:
        names = {path.name for path in record.documents(_figures())}
        self.assertEqual(names, {"benchmarks.md", "README.md", "reading.svg", "ingest.svg", *(f"{question}.svg" for question in tables.QUESTIONS)})

    def test_the_documents_are_those_of_the_recorded_figures(self) -> None:
        for path, text in record.documents(record.figures()).items():
            with self.subTest(path.name):
                self.assertEqual(path.read_text(), text, f"{path} is not of the recorded figures; `python3 -m benches --render` writes it")


class Goals(unittest.TestCase):
    def test_each_goal_can_be_reached(self) -> None:
        self.assertEqual({row[2] for row in goals.rows(_figures())}, {"reached"})

    def test_each_goal_can_be_missed(self) -> None:
        taken = copy.deepcopy(_figures())
        taken["ingest"]["parse"][0]["instructions_per_byte"] = 25.1
        taken["ingest"]["ingest"][0]["peak_by_file"] = 1.51
        for file in taken["layouts"]["files"]:
            file["layouts"][0]["units"] = 265_001
            for edit in file["layouts"][0]["edits"]:
                edit["items"] += 1
        for measured in taken["stores"].values():
            for store in measured["stores"]:
                for way in store["ways"]:
                    way["p99"] = 5_001.0
        report = taken["report"]
        report["answers"] = {"instructions": dict.fromkeys(("hit", "miss"), 600_001), "allocations": dict.fromkeys(("hit", "miss"), 401)}
        report["deployed"]["lookup"] |= {"to_first_request": 1_200_001, "to_first_event": 4_200_001, "first_answer": 500_001, "miss": 700_001, "hit": 120_001}
        self.assertEqual({row[2] for row in goals.rows(taken)}, {"not reached"})


class Words(unittest.TestCase):
    def test_numbers_are_those_that_people_read(self) -> None:
        numbers = [(589654, "589,654"), (12.44, "12.4"), (0.5, "0.5"), (0.0, "0"), (None, "-"), (1.256, "1.26"), (100.4, "100")]
        self.assertEqual([tables.count(number) for number, _ in numbers], [text for _, text in numbers])


class Curves(unittest.TestCase):
    def test_a_decade_more_is_as_far_on_each_scale(self) -> None:
        drawing = ElementTree.fromstring(curves.svg("Any", "us", [("one", [(1000, 1.0), (10_000, 10.0), (100_000, 100.0)])]))
        (line,) = drawing.iter("{http://www.w3.org/2000/svg}polyline")
        xs, ys = zip(*(map(float, point.split(",")) for point in line.attrib["points"].split()), strict=True)
        self.assertAlmostEqual(xs[1] - xs[0], xs[2] - xs[1], places=0)
        self.assertAlmostEqual(ys[0] - ys[1], ys[1] - ys[2], places=0)
        self.assertLess(ys[2], ys[0])

    def test_a_point_that_was_not_measured_is_left_out(self) -> None:
        self.assertEqual(curves.svg("Any", "us", [("one", [])]), "")


if __name__ == "__main__":
    unittest.main()
