"""Tests that each download conforms to the shapes, and that the shapes detect violations."""

import unittest
from pathlib import Path

from downloads import ROOT, SEEDS, graph, nasty, real, write, write_content
from pyshacl import validate
from rdflib import RDF, SKOS, Graph, Literal, Namespace, URIRef

SHAPES = ROOT / "docs" / "skos-shapes.ttl"
TAX = Namespace("urn:x-taxonomy:vocabulary#")
ACME = "urn:x-taxonomy:tenants/acme"
SAMPLE = ROOT / "samples" / "job-board-v1.json"


class Shapes(unittest.TestCase):
    shapes: Graph

    @classmethod
    def setUpClass(cls) -> None:
        cls.shapes = Graph().parse(SHAPES)

    def report(self, data: Graph) -> str:
        """Returns the violations, or an empty text."""
        conforms, _, text = validate(data, shacl_graph=self.shapes)
        return "" if conforms else str(text)

    def check(self, file: Path) -> None:
        self.assertEqual(self.report(graph(write(file, "skos"))), "", file)

    def test_google_keeps_them(self) -> None:
        self.check(real("google/taxonomy-v1.json"))

    def test_esco_keeps_them(self) -> None:
        self.check(real("esco/occupations-v1.json"))

    def test_nasty_taxonomies_keep_them(self) -> None:
        for seed in SEEDS:
            with self.subTest(seed):
                self.assertEqual(self.report(graph(write_content(nasty(seed), "skos"))), "")

    def test_a_taxonomy_without_content_keeps_them(self) -> None:
        self.assertEqual(self.report(graph(write_content({"defaultCulture": "fr-FR", "categories": []}, "skos"))), "")

    def test_each_mistake_is_found(self) -> None:
        good = graph(write(SAMPLE, "skos"))
        self.assertEqual(self.report(good), "")
        child, parent = next((low, high) for low, high in good.subject_objects(SKOS.broader) if (high, SKOS.broader, None) in good)
        category = next(good.objects(parent, SKOS.broader))
        elsewhere = next(other for other in good.subjects(RDF.type, TAX.Category) if other != category)
        other = URIRef("http://example.com/1")
        added = {
            "second label": [(child, SKOS.prefLabel, Literal("other", lang="en-GB"))],
            "plain label": [(child, SKOS.prefLabel, Literal("other"))],
            "space around a label": [(child, SKOS.prefLabel, Literal(" other ", lang="ja"))],
            "label twice": [(child, SKOS.altLabel, next(good.objects(child, SKOS.prefLabel)))],
            "cycle": [(parent, SKOS.broader, child), (child, SKOS.narrower, parent)],
            "above itself": [(child, SKOS.broader, child), (child, SKOS.narrower, child)],
            "related to broader": [(child, SKOS.related, parent), (parent, SKOS.related, child)],
            "related to what is above": [(child, SKOS.related, category), (category, SKOS.related, child)],
            "related match above": [(parent, SKOS.broadMatch, other), (child, SKOS.relatedMatch, other)],
            "one direction of related": [(category, SKOS.related, elsewhere)],
            "one direction of broader": [(child, SKOS.broader, elsewhere)],
            "exact and broad": [(child, SKOS.exactMatch, other), (child, SKOS.broadMatch, other)],
            "broader without a concept": [(child, SKOS.broader, other), (other, SKOS.narrower, child)],
            "broader of a category": [(category, SKOS.broader, other)],
        }
        for name, triples in added.items():
            with self.subTest(name):
                data = Graph()
                data += good
                for triple in triples:
                    data.add(triple)
                self.assertNotEqual(self.report(data), "")
        default = [label for label in good.objects(child, SKOS.prefLabel) if str(label.language).lower() == "en-gb"]
        for name, triples in {
            "no label in the default culture": [(child, SKOS.prefLabel, label) for label in default],
            "no scheme": [(child, SKOS.inScheme, URIRef(ACME))],
            "no parent": [(child, SKOS.broader, parent), (parent, SKOS.narrower, child)],
            "no label of the scheme": [(URIRef(ACME), SKOS.prefLabel, next(good.objects(URIRef(ACME), SKOS.prefLabel)))],
        }.items():
            with self.subTest(name):
                data = Graph()
                data += good
                for triple in triples:
                    self.assertIn(triple, data)
                    data.remove(triple)
                self.assertNotEqual(self.report(data), "")


if __name__ == "__main__":
    unittest.main()
