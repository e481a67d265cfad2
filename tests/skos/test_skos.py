"""Tests that pySHACL finds each download conform to the shapes, that skosify finds nothing to correct, and that both detect violations."""

import logging
import tempfile
import unittest
import warnings
from pathlib import Path

import skosify
from checks.data import file
from downloads import ROOT, SEEDS, graph, nasty, write, write_content
from pyshacl import validate
from rdflib import RDF, SKOS, Graph, Literal, Namespace, URIRef

SHAPES = ROOT / "docs" / "skos-shapes.ttl"
TAX = Namespace("urn:x-taxonomy:vocabulary#")
ACME = "urn:x-taxonomy:tenants/acme"
SAMPLE = ROOT / "samples" / "job-board-v1.json"
#: A warning about a concept whose further parent lies below its parent: valid SKOS, and written by the author. Leaving the parent out would lose it.
ALLOWED = "Redundant hierarchical relationship"


class Skos(unittest.TestCase):
    shapes: Graph

    @classmethod
    def setUpClass(cls) -> None:
        cls.shapes = Graph().parse(SHAPES)

    def report(self, data: Graph) -> str:
        """Returns the violations, or an empty text."""
        conforms, _, text = validate(data, shacl_graph=self.shapes)
        return "" if conforms else str(text)

    def said_of(self, turtle: str) -> list[str]:
        """Returns the warnings of skosify, the tool that Skosmos recommends, with its default settings."""
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            # skosify does not close its input.
            warnings.simplefilter("ignore", ResourceWarning)
            written = Path(folder) / "taxonomy.ttl"
            written.write_text(turtle)
            with self.assertLogs(level=logging.INFO) as logs:
                # assertLogs needs at least one message, so a first one is logged.
                logging.info("begun")
                result = skosify.skosify(str(written), from_format="turtle")
        self.assertIn((None, RDF.type, SKOS.ConceptScheme), result)
        return [record.getMessage() for record in logs.records if record.levelno >= logging.WARNING]

    def check(self, turtle: str, allowed: str = "\n") -> None:
        """Checks a download by both tools."""
        self.assertEqual(self.report(graph(turtle)), "")
        self.assertEqual([warning for warning in self.said_of(turtle) if not warning.startswith(allowed)], [])

    def test_real_taxonomies_have_no_defect(self) -> None:
        for name in ("google/taxonomy-v1.json", "esco/occupations-v1.json"):
            with self.subTest(name):
                self.check(write(file(name)))

    def test_nasty_taxonomies_have_no_defect(self) -> None:
        for seed in SEEDS:
            with self.subTest(seed):
                self.check(write_content(nasty(seed)), ALLOWED)

    def test_a_taxonomy_without_content_keeps_the_shapes(self) -> None:
        self.assertEqual(self.report(graph(write_content({"defaultCulture": "fr-FR", "categories": []}))), "")

    def test_skosify_finds_defects(self) -> None:
        good = graph(write(SAMPLE))
        self.assertEqual(self.said_of(good.serialize(format="turtle")), [])
        child, parent = next(iter(good.subject_objects(SKOS.broader)))
        good.add((child, SKOS.related, parent))
        good.add((child, SKOS.prefLabel, Literal(" other", lang="en-GB")))
        said = "\n".join(self.said_of(good.serialize(format="turtle")))
        for defect in ("skos:related", "more than one prefLabel", "whitespace"):
            self.assertIn(defect, said)

    def test_each_mistake_is_found(self) -> None:
        good = graph(write(SAMPLE))
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
        default = [label for label in good.objects(child, SKOS.prefLabel) if str(label.language).lower() == "en-gb"]
        removed = {
            "no label in the default culture": [(child, SKOS.prefLabel, label) for label in default],
            "no scheme": [(child, SKOS.inScheme, URIRef(ACME))],
            "no parent": [(child, SKOS.broader, parent), (parent, SKOS.narrower, child)],
            "no label of the scheme": [(URIRef(ACME), SKOS.prefLabel, next(good.objects(URIRef(ACME), SKOS.prefLabel)))],
        }
        for name, triples in (added | removed).items():
            with self.subTest(name):
                data = Graph()
                data += good
                for triple in triples:
                    self.assertEqual(triple in data, name in removed, triple)
                    (data.remove if name in removed else data.add)(triple)
                self.assertNotEqual(self.report(data), "")


if __name__ == "__main__":
    unittest.main()
