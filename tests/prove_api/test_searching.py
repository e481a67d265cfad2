"""Tests of suggestions for random queries against a comparison of every name."""

import random
import unittest
from collections import Counter

from oracle import Json, Taxonomy
from questions import Asking
from searching import CLASSES, Names
from stack import stack
from test_releases import data

QUERIES = 300
LIMIT = 50
#: The items of all pages at most.
MOST = 1050


class Searching(unittest.TestCase):
    """All pages of an answer have what must be found, in the order of the classes; whole names are those that equal the query."""

    def check(self, name: str, file: str, culture: str) -> None:
        running, path = stack(), data(file)
        tenant, taxonomy = running.fresh_tenant(f"api-search-{name}"), Taxonomy.read(path)
        running.wait_served(running.push(tenant, path.read_bytes()))
        names, asking, met = Names(taxonomy, culture), Asking(running, tenant), Counter[str]()
        dice = random.Random(19)
        for _ in range(QUERIES):
            query = _query(dice, dice.choice(names.names).text)
            items = self.pages(asking, query, culture)
            self.compare(names, query, culture, items)
            met.update(item["matched"]["class"] for item in items)
        print(f"\n{tenant}: {QUERIES} queries, {asking.requests} pages, {dict(met)}")
        for class_ in ("whole", "start", "word", "typo"):
            self.assertGreater(met[class_], 20, class_)

    def pages(self, asking: Asking, query: str, culture: str) -> list[Json]:
        """Returns the items of all pages, which are as many as the total says."""
        items: list[Json] = []
        cursor: dict[str, str] = {}
        while True:
            page = asking.get("/suggest", q=query, culture=culture, limit=str(LIMIT), total="exact", **cursor)
            self.assertFalse(page["truncated"] or page["totalIsMinimum"], query)
            items += page["items"]
            if "nextCursor" not in page:
                break
            cursor = {"cursor": page["nextCursor"]}
        self.assertEqual(len(items), min(page["total"], MOST), query)
        nodes = {(item["kind"], item["id"]) for item in items}
        self.assertEqual(len(nodes), len(items), query)
        self.assertEqual("nothingFound" in page, not items, query)
        return items

    def compare(self, names: Names, query: str, culture: str, items: list[Json]) -> None:
        places = [CLASSES.index(item["matched"]["class"]) for item in items]
        self.assertEqual(places, sorted(places), query)
        found = {(item["kind"], item["id"]): place for item, place in zip(items, places, strict=True)}
        for node, class_ in names.least(query).items():
            # Further ones are on no page.
            if len(items) < MOST or CLASSES.index(class_) < places[-1]:
                self.assertLessEqual(found.get(node, len(CLASSES)), CLASSES.index(class_), (query, node, class_))
        whole = [item for item in items if item["matched"]["class"] == "whole" and item["matched"]["culture"] == culture]
        whole = [item for item in whole if item["matched"]["kind"] in ("name", "altName")]
        self.assertEqual({(item["kind"], item["id"]) for item in whole}, names.whole(query), query)

    def test_esco(self) -> None:
        self.check("esco", "esco/occupations-v1.json", "en-GB")

    def test_google(self) -> None:
        self.check("google", "google/taxonomy-v1.json", "fr-FR")


def _query(dice: random.Random, name: str) -> str:
    """Returns a part of a name as a reader types it: its beginning, some words of it in any order, or with a typo."""
    parts = name.split()
    kind = dice.randrange(5)
    if kind == 0:
        return name
    if kind == 1:
        return name[: dice.randint(1, len(name))].strip() or name
    if kind == 2:
        some = dice.sample(parts, min(len(parts), dice.randint(1, 3)))
        return " ".join(part[: dice.randint(2, max(2, len(part)))] for part in some)
    long = [part for part in parts if len(part) > 5 and part.isalpha()] or parts
    word = dice.choice(long)
    place = dice.randrange(1, max(2, len(word) - 1))
    if kind == 3:
        return word[:place] + word[place + 1 :]
    return word[:place] + word[place : place + 2][::-1] + word[place + 2 :]


if __name__ == "__main__":
    unittest.main()
