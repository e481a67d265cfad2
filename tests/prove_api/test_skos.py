"""Tests of downloads of the deployed stack: SKOS by pySHACL with the project's shapes and by skosify; JSON against the file."""

import logging
import sys
import tempfile
import unittest
import urllib.request
import warnings
from pathlib import Path
from typing import Any

from oracle import Json, Taxonomy
from stack import ROOT, Stack, stack, until
from test_releases import data

sys.path.insert(0, str(ROOT / "tests" / "skos"))
SECONDS = 300


def download(running: Stack, tenant: str, version: int, form: str) -> bytes:
    """Returns the bytes behind the URL, once there is one."""

    def look() -> Json | None:
        answer = running.api.get(f"/v1/tenants/{tenant}/versions/{version}/download", format=form)
        assert answer.status in (200, 202), answer
        return answer.body if answer.status == 200 else None

    ready = until(f"the {form} of {tenant}", SECONDS, look)
    with urllib.request.urlopen(ready["url"], timeout=60) as file:
        body = bytes(file.read())
    assert len(body) == ready["bytes"], (len(body), ready)
    return body


class Skos(unittest.TestCase):
    def check(self, name: str, file: str) -> None:
        import skosify
        from pyshacl import validate
        from rdflib import RDF, SKOS, Graph

        running, path = stack(), data(file)
        tenant = running.fresh_tenant(f"api-skos-{name}")
        running.wait_served(running.push(tenant, path.read_bytes()))
        turtle = download(running, tenant, 1, "skos").decode()
        graph = Graph().parse(data=turtle, format="turtle")
        shapes = Graph().parse(ROOT / "docs" / "skos-shapes.ttl")
        conforms, _, text = validate(graph, shacl_graph=shapes)
        self.assertTrue(conforms, text)
        self.assertEqual(self.said_of(skosify, turtle), [])
        taxonomy = Taxonomy.read(path)
        concepts = len(set(graph.subjects(RDF.type, SKOS.Concept)))
        self.assertEqual(concepts, len(taxonomy.terms) + len(taxonomy.categories))
        again = Taxonomy.read(self.written(download(running, tenant, 1, "json")))
        for culture in taxonomy.cultures:
            self.assertEqual(
                {id_: again.term_answer(id_, culture) for id_ in again.terms},
                {id_: taxonomy.term_answer(id_, culture) for id_ in taxonomy.terms},
            )
        print(f"\n{tenant}: {concepts} concepts, {len(graph)} statements")

    def said_of(self, skosify: Any, turtle: str) -> list[str]:
        """Returns the warnings of skosify."""
        warnings.simplefilter("ignore", ResourceWarning)
        with self.assertLogs(level=logging.INFO) as logs:
            logging.info("begun")
            skosify.skosify(str(self.written(turtle.encode())), from_format="turtle")
        return [record.getMessage() for record in logs.records if record.levelno >= logging.WARNING]

    def written(self, body: bytes) -> Path:
        """Returns a file with the bytes."""
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(body)
        self.addCleanup(Path(file.name).unlink)
        return Path(file.name)

    def test_google(self) -> None:
        self.check("google", "google/taxonomy-v1.json")

    def test_esco(self) -> None:
        self.check("esco", "esco/occupations-v1.json")


if __name__ == "__main__":
    unittest.main()
