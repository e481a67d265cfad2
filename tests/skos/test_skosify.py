"""Tests that skosify, the tool that Skosmos recommends, finds nothing to correct."""

import logging
import tempfile
import unittest
import warnings
from pathlib import Path

import skosify
from downloads import ROOT, SEEDS, graph, nasty, real, write, write_content
from rdflib import RDF, SKOS, Literal

#: A warning about a concept whose further parent lies below its parent: valid SKOS, and written by the author. Leaving the parent out would lose it.
ALLOWED = "Redundant hierarchical relationship"


class Skosify(unittest.TestCase):
    def setUp(self) -> None:
        # skosify does not close its input.
        warnings.simplefilter("ignore", ResourceWarning)

    def said_of(self, turtle: str) -> list[str]:
        """Returns the messages of skosify with its default settings."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "taxonomy.ttl"
            file.write_text(turtle)
            with self.assertLogs(level=logging.INFO) as logs:
                # assertLogs needs at least one message, so a first one is logged.
                logging.info("begun")
                result = skosify.skosify(str(file), from_format="turtle")
        self.assertIn((None, RDF.type, SKOS.ConceptScheme), result)
        return [record.getMessage() for record in logs.records if record.levelno >= logging.WARNING]

    def test_google_has_no_defect(self) -> None:
        self.assertEqual(self.said_of(write(real("google/taxonomy-v1.json"), "skos")), [])

    def test_esco_has_no_defect(self) -> None:
        self.assertEqual(self.said_of(write(real("esco/occupations-v1.json"), "skos")), [])

    def test_nasty_taxonomies_have_no_defect(self) -> None:
        for seed in SEEDS:
            with self.subTest(seed):
                said = self.said_of(write_content(nasty(seed), "skos"))
                self.assertEqual([warning for warning in said if not warning.startswith(ALLOWED)], [])

    def test_a_defect_is_found(self) -> None:
        good = graph(write(ROOT / "samples" / "job-board-v1.json", "skos"))
        self.assertEqual(self.said_of(good.serialize(format="turtle")), [])
        child, parent = next(iter(good.subject_objects(SKOS.broader)))
        good.add((child, SKOS.related, parent))
        good.add((child, SKOS.prefLabel, Literal(" other", lang="en-GB")))
        said = "\n".join(self.said_of(good.serialize(format="turtle")))
        for defect in ("skos:related", "more than one prefLabel", "whitespace"):
            self.assertIn(defect, said)


if __name__ == "__main__":
    unittest.main()
