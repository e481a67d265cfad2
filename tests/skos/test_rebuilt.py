"""Tests that a file built from the statements that rdflib reads gives the same JSON download as the original, byte for byte."""

import unittest

import rebuilt
from downloads import SEEDS, graph, nasty, real, write, write_content


class Rebuilt(unittest.TestCase):
    def check(self, name: str) -> None:
        file = real(name)
        content = rebuilt.content(graph(write(file, "skos")))
        self.assertTrue(write_content(content, "json") == write(file, "json"), name)

    def test_google_comes_back(self) -> None:
        self.check("google/taxonomy-v1.json")

    def test_esco_comes_back(self) -> None:
        self.check("esco/occupations-v1.json")

    def test_nasty_taxonomies_come_back(self) -> None:
        for seed in SEEDS:
            with self.subTest(seed):
                content = nasty(seed)
                again = rebuilt.content(graph(write_content(content, "skos")))
                self.assertEqual(write_content(again, "json"), write_content(content, "json"))


if __name__ == "__main__":
    unittest.main()
