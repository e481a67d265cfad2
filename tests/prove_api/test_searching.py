"""Tests of suggestions for random queries against a search of every name."""

import random
import unittest
from collections import Counter

from oracle import Taxonomy
from questions import Asking
from searching import CLASSES, Names
from stack import stack
from test_releases import data

QUERIES = 400
LIMIT = 50


class Searching(unittest.TestCase):
    """Each response has the terms of the best classes, in the order of the classes; a limit cuts off only terms of the last class."""

    def check(self, name: str, file: str, culture: str) -> None:
        running, path = stack(), data(file)
        tenant, taxonomy = running.fresh_tenant(f"api-search-{name}"), Taxonomy.read(path)
        running.wait_served(running.push(tenant, path.read_bytes()))
        names, asking, met = Names(taxonomy, culture), Asking(running, tenant), Counter[str]()
        dice = random.Random(19)
        for number in range(QUERIES):
            query = _query(dice, dice.choice(names.names).text)
            expected = names.found(query)
            answer = asking.get("/suggest", q=query, culture=culture, limit=str(LIMIT))
            # Notations match as well, and another culture is searched if nothing matches.
            found = [
                (item["id"], item["matched"]["class"])
                for item in answer["items"]
                if item["matched"]["kind"] != "notation" and item["matched"]["culture"] == culture
            ]
            self.assertFalse(answer["truncated"], query)
            self.compare(query, expected, found, cut=len(answer["items"]) == LIMIT)
            met.update(class_ for _, class_ in found)
            self.assertLess(number, QUERIES)
        print(f"\n{tenant}: {QUERIES} queries, {dict(met)}")
        for class_ in CLASSES:
            self.assertGreater(met[class_], 20, class_)

    def compare(self, query: str, expected: dict[int, str], found: list[tuple[int, str]], cut: bool) -> None:
        """Typos are tried only where the other classes have fewer hits than the limit."""
        without_typos = {term: class_ for term, class_ in expected.items() if class_ != "typo"}
        if len(without_typos) >= LIMIT:
            expected = without_typos
        places = [CLASSES.index(class_) for _, class_ in found]
        self.assertEqual(places, sorted(places), query)
        wrong = {term: (class_, expected.get(term)) for term, class_ in found if expected.get(term) != class_}
        self.assertEqual(wrong, {}, query)
        missing = {term: class_ for term, class_ in expected.items() if term not in dict(found)}
        if cut:
            last = max(places)
            missing = {term: class_ for term, class_ in missing.items() if CLASSES.index(class_) < last}
        self.assertEqual(missing, {}, query)

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
