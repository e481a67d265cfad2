"""Tests of the load of the stack that need no stack: its files, its draws, and that each kind of wrong response is counted."""

import copy
import json
import random
import sys
import time
import unittest
from typing import Any

from local.paths import ROOT

sys.path[:0] = [str(ROOT / "tests" / name) for name in ("prove_api", "e2e")]

from api import Answer  # noqa: E402
from load_stack import Load, Published  # noqa: E402
from oracle import Taxonomy  # noqa: E402
from stamped import stamped  # noqa: E402
from traffic import Question  # noqa: E402

FILES = [json.loads((ROOT / "samples" / f"job-board-v{release}.json").read_bytes()) for release in (1, 2)]
#: Rust development, which the category 1 and four terms are above of.
TERM = 113


def loaded() -> Load:
    """Returns a load with two versions, the second of which has been served for ten seconds."""
    load: Load = Load(None, "load", FILES)  # type: ignore[arg-type]
    now = time.monotonic()
    for version in (1, 2):
        load.versions.append(Published(Taxonomy(stamped(FILES, version)), now - 30 / version + 5, "2026-01-01T00:00:00.000Z"))
    load.rank(1)
    return load


def answer(load: Load, version: int, body: Any, status: int = 200) -> Answer:
    """Returns a response that names a version."""
    return Answer(status, "application/json", body, {"taxonomy-version": str(version)})


class Checks(unittest.TestCase):
    def setUp(self) -> None:
        self.load = loaded()
        self.term = self.load.versions[1].taxonomy.term_answer(TERM) | {"version": 2}
        self.question = Question("term", f"terms/{TERM}", {}, subject=TERM)

    def take(self, question: Question, found: Answer, began: float | None = None) -> tuple[int, int, int]:
        """Takes a response. Returns the numbers of failures, of wrong and of stale responses."""
        self.load.take(question, found, time.monotonic() if began is None else began, 0.01)
        return self.load.failures, self.load.wrong, self.load.stale

    def test_the_response_of_the_file_is_right(self) -> None:
        self.assertEqual(self.take(self.question, answer(self.load, 2, self.term)), (0, 0, 0))
        self.assertEqual(self.load.statuses, {200: 1})

    def test_a_name_of_another_version_is_wrong(self) -> None:
        mixed = copy.deepcopy(self.term)
        mixed["ancestors"][0]["name"] += " of version 1"
        self.assertEqual(self.take(self.question, answer(self.load, 2, mixed)), (0, 1, 0))

    def test_another_version_than_that_of_the_request_is_wrong(self) -> None:
        pinned = Question("version", f"terms/{TERM}", {"version": "1"}, subject=TERM, pinned=1)
        self.assertEqual(self.take(pinned, answer(self.load, 2, self.term)), (0, 1, 0))

    def test_an_error_is_a_failure_and_a_missing_term_is_wrong(self) -> None:
        self.assertEqual(self.take(self.question, answer(self.load, 2, {}, 500)), (1, 0, 0))
        self.assertEqual(self.take(self.question, answer(self.load, 2, {}, 404)), (1, 1, 0))

    def test_a_version_is_stale_two_seconds_after_the_next_one(self) -> None:
        old = self.load.versions[0].taxonomy.term_answer(TERM) | {"version": 1}
        served = self.load.versions[1].served or 0.0
        self.assertEqual(self.take(self.question, answer(self.load, 1, old), served + 1.9), (0, 0, 0))
        self.assertEqual(self.take(self.question, answer(self.load, 1, old), served + 2.1), (0, 0, 1))

    def test_an_incomplete_batch_and_a_change_that_is_none_are_wrong(self) -> None:
        batch = Question("batch", "terms:batchGet", {}, {"ids": [TERM, TERM]})
        item = {"id": TERM, "status": 200, "term": self.term}
        self.assertEqual(self.take(batch, answer(self.load, 2, {"items": [item, item]})), (0, 0, 0))
        self.assertEqual(self.take(batch, answer(self.load, 2, {"items": [item]})), (0, 1, 0))
        changes = Question("changes", "changes", {"after": "1"}, subject=1)
        state = {"name": "another name"}
        body = {"from": 1, "to": 2, "items": [{"kind": "term", "id": TERM, "before": state, "after": state}]}
        self.assertEqual(self.take(changes, answer(self.load, 2, body)), (0, 2, 0))


class Draws(unittest.TestCase):
    def test_every_kind_is_drawn_and_few_terms_are_popular(self) -> None:
        load, dice = loaded(), random.Random(1)
        drawn = [load.draw(dice) for _ in range(2_000)]
        self.assertEqual({question.kind for question in drawn}, {"term", "batch", "suggest", "children", "changes", "asOf", "version"})
        terms = [load.term(dice) for _ in range(20_000)]
        ratio = terms.count(load.ids[0]) / terms.count(load.ids[3])
        self.assertAlmostEqual(ratio / 4, 1, delta=0.15)

    def test_neighbouring_versions_differ(self) -> None:
        names = [json.dumps(stamped(FILES, version)) for version in (1, 2, 3)]
        for version, text in enumerate(names, 1):
            self.assertIn(f" of version {version}", text)
            self.assertEqual(text.count(" of version "), text.count(f" of version {version}\""))


if __name__ == "__main__":
    unittest.main()
