"""Tests of taxonomies, release by release: every answer of the API against the file, while its items are written and afterwards."""

import time
import unittest
from pathlib import Path
from typing import ClassVar

from checks.data import file
from oracle import Json, Taxonomy, Term
from program import is_whole
from reading import Asking, check_changes, check_everything, check_terms
from stack import HEAD_AGE_SECONDS, PROJECTION_SECONDS, SAMPLES, Pushed, Stack, stack, until


class Walk:
    """One tenant's releases. A mixin, so that it is not a test case itself."""

    name: str
    releases: ClassVar[list[str]]
    cultures: ClassVar[list[str]]

    def files(self) -> list[Path]:
        return [file(name) for name in self.releases]

    def test_every_release(self) -> None:
        running, files = stack(), self.files()
        tenant = running.fresh_tenant(self.name)
        taxonomies = [Taxonomy.read(path) for path in files]
        for version, (path, taxonomy) in enumerate(zip(files, taxonomies, strict=True), start=1):
            before = taxonomies[version - 2] if version > 1 else None
            self.check(running, running.push(tenant, path.read_bytes()), version, before, taxonomy)
        for event, (version, taxonomy) in zip(running.told.wait_for(tenant, len(files)), enumerate(taxonomies, start=1), strict=True):
            told = event["type"], event["data"]["from"], event["data"]["to"]
            assert told == ("taxonomy.published.v1", version - 1, version), told
            assert event["data"]["totals"].items() <= (_counts(taxonomy, list(taxonomy.terms.values())) | {"categories": len(taxonomy.categories)}).items(), event
        if len(files) > 1:
            check_everything(Asking(running, tenant, version=1), taxonomies[0], [taxonomies[0].default_culture])

    def check(self, running: Stack, pushed: Pushed, version: int, before: Taxonomy | None, taxonomy: Taxonomy) -> None:
        """Compares the answers from the files of a version, then those from its items, and what is counted of it."""
        asking = Asking(running, pushed.tenant)
        path = f"/v1/tenants/{pushed.tenant}/terms/{next(iter(taxonomy.terms))}"
        until(f"{pushed.tenant} {version}", PROJECTION_SECONDS, lambda: running.api.get(path).headers.get("taxonomy-version") == str(version) or None)
        seconds = time.time() - pushed.at_ms / 1000
        # Another process of the lookup may still serve the version before.
        time.sleep(HEAD_AGE_SECONDS)
        compared = check_everything(asking, taxonomy, self.cultures)
        running.wait_projected(pushed)
        for culture in self.cultures:
            check_terms(asking, taxonomy, culture)
        check_changes(asking, (version - 1, version), before, taxonomy)
        for gone in list(before.terms.keys() - taxonomy.terms.keys())[:100] if before else []:
            assert asking.get(f"/terms/{gone}")["removed"], gone
        running.wait_counted(pushed.tenant, version)
        _check_counts(asking, taxonomy)
        is_whole(pushed.tenant)
        print(f"\n{pushed.tenant} {version}: served after {seconds:.1f} s; {compared} answers compared, {asking.requests} requests", flush=True)


class JobBoard(Walk, unittest.TestCase):
    """The project's own samples use every field of the format, which the real files do not."""

    name, releases, cultures = "job-board", ["job-board-v1.json", "job-board-v2.json"], ["en-GB", "de-DE"]

    def files(self) -> list[Path]:
        return [SAMPLES / name for name in self.releases]


class Iab(Walk, unittest.TestCase):
    """Nearly half of the terms are removed, and a requested culture is in no file."""

    name, releases, cultures = "iab", ["iab/taxonomy-v1.json", "iab/taxonomy-v2.json", "iab/taxonomy-v3.json"], ["fr-FR"]


class Esco(Walk, unittest.TestCase):
    """Eight levels, alternative names, relations; moves and removals."""

    name, releases, cultures = "esco", ["esco/occupations-v1.json", "esco/occupations-v2.json"], ["en-GB", "es-ES", "zu"]


class Google(Walk, unittest.TestCase):
    """8 cultures; later releases are translated only partly."""

    name, cultures = "google", ["en-US", "fr-FR", "zh-CN", "pt"]
    releases: ClassVar = ["google/taxonomy-v1.json", "google/taxonomy-v2.json", "google/taxonomy-v3.json"]


class Icd10cm(Walk, unittest.TestCase):
    """98,000 terms."""

    name, releases, cultures = "icd10cm", ["icd10cm/taxonomy.json"], ["en-US"]


def _counts(taxonomy: Taxonomy, terms: list[Term]) -> Json:
    """Returns what is counted of terms."""
    depths = [term.depth for term in terms]
    return {
        "terms": len(terms),
        "leaves": sum(not term.child_count for term in terms),
        "deprecated": sum(term.deprecated for term in terms),
        "depths": [depths.count(depth) for depth in range(1, max(depths, default=0) + 1)],
        "names": {tag: count for tag in taxonomy.cultures if (count := sum(tag in term.labels for term in terms))},
    }


def _check_counts(asking: Asking, taxonomy: Taxonomy) -> None:
    terms = list(taxonomy.terms.values())
    counted = asking.get("/stats")
    assert (counted["counts"], counted["categories"]) == (_counts(taxonomy, terms), len(taxonomy.categories)), counted
    for category in taxonomy.categories:
        counts = asking.get(f"/categories/{category}/stats")["counts"]
        assert counts == _counts(taxonomy, [term for term in terms if term.category.id == category]), counts


if __name__ == "__main__":
    unittest.main()
