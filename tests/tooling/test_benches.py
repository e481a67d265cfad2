"""Tests of the benchmark's tables, goals and curves."""

import copy
import unittest
from xml.etree import ElementTree

from benches import curves, goals, record, tables


class Recorded(unittest.TestCase):
    def test_the_documentation_is_rendered_from_the_recorded_figures(self) -> None:
        for path, text in record.documents(record.figures()).items():
            self.assertEqual(path.read_text(), text, f"{path.name} differs: `python3 -m benches --render` writes it")

    def test_every_question_is_measured_of_the_service_and_of_a_peer(self) -> None:
        for size, measured in record.figures()["stores"].items():
            for question in tables.QUESTIONS:
                stores = {store["store"] for store in measured["stores"] for way in store["ways"] if way["question"] == question}
                self.assertIn(tables.SERVICE, stores, size)
                self.assertGreaterEqual(len(stores), 2, (size, question))
            self.assertEqual(measured["missing"], [])


class Goals(unittest.TestCase):
    def test_each_goal_can_be_missed(self) -> None:
        taken = copy.deepcopy(record.figures())
        for figure in taken["ingest"]["parse"]:
            figure["instructions_per_byte"] = 1e3
        for whole in taken["ingest"]["ingest"]:
            whole["peak_by_file"] = 9.0
        for file in taken["layouts"]["files"]:
            ours = file["layouts"][0]
            ours["units"] = 10**9
            for edit in ours["edits"]:
                edit["items"] = 10**6
        for measured in taken["stores"].values():
            for store in measured["stores"]:
                for way in store["ways"]:
                    way["p99"] = 1e9
        report = taken["report"]
        for kind in ("instructions", "allocations"):
            report["answers"][kind] = dict.fromkeys(report["answers"][kind], 10**9)
        for name in ("miss", "hit", "to_first_request", "first_answer", "to_first_event"):
            report["deployed"]["lookup"][name] = 10**10 if name == "to_first_event" else 10**9
        self.assertEqual({row[2] for row in goals.rows(taken)}, {"not reached"})


class Words(unittest.TestCase):
    def test_numbers_are_those_that_people_read(self) -> None:
        numbers = [(589654, "589,654"), (12.44, "12.4"), (0.5, "0.5"), (0.0, "0"), (None, "-"), (1.256, "1.26"), (100.4, "100")]
        self.assertEqual([tables.count(number) for number, _ in numbers], [text for _, text in numbers])


class Curves(unittest.TestCase):
    def test_a_decade_more_is_as_far_on_each_scale(self) -> None:
        drawing = ElementTree.fromstring(curves.svg("Any", [("one", [(1000, 1.0), (10_000, 10.0), (100_000, 100.0)])]))
        (line,) = drawing.iter("{http://www.w3.org/2000/svg}polyline")
        xs, ys = zip(*(map(float, point.split(",")) for point in line.attrib["points"].split()), strict=True)
        self.assertAlmostEqual(xs[1] - xs[0], xs[2] - xs[1], places=0)
        self.assertAlmostEqual(ys[0] - ys[1], ys[1] - ys[2], places=0)
        self.assertLess(ys[2], ys[0])

    def test_a_point_that_was_not_measured_is_left_out(self) -> None:
        self.assertEqual(curves.svg("Any", [("one", [])]), "")


if __name__ == "__main__":
    unittest.main()
