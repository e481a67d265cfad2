"""Tests of real taxonomies, release by release: every term as it is served, every item as it is stored, every write counted."""

import hashlib
import json
import os
import random
import unittest
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chain import read_chain
from expected_aggregates import ExpectedAggregates, touched
from history import History
from items import Item, Items, expected_items, term_key
from oracle import Json, Taxonomy
from stack import ROOT, SAMPLES, Pushed, Stack, stack, unavailable, until
from versions import (
    expected_changes,
    expected_counts,
    expected_head,
    expected_log_item,
    expected_published,
    expected_snapshot,
)

BATCH = 100
SINGLE_GETS = 200
FAMILIES = 100


def data(name: str) -> Path:
    """Returns the path of a real taxonomy; these files belong to third parties and are not in the repository."""
    folder = Path(os.environ.get("TAXONOMY_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / name).exists():
        raise unavailable(f"{name} is not in the data folder; set TAXONOMY_DATA to the folder that holds it")
    return folder / name


def reordered(value: Any, key: str = "") -> Any:
    """Returns the same content with the keys of every object, and every list whose order has no meaning, reversed."""
    if isinstance(value, dict):
        return {name: reordered(value[name], name) for name in reversed(value)}
    if key in ("categories", "terms", "children", "names"):
        return [reordered(entry) for entry in reversed(value)]
    return value


class Walk:
    """One tenant's releases. A mixin, so that it is not a test case itself."""

    tenant_name: str
    releases: list[str]
    further_culture: str

    def files(self) -> list[Path]:
        return [data(name) for name in self.releases]

    def test_every_release(self) -> None:
        running, history, files = stack(), History(), self.files()
        tenant = running.fresh_tenant(self.tenant_name)
        aggregates, before = ExpectedAggregates(tenant), None
        for file in files:
            taxonomy = Taxonomy.read(file)
            _walk_release(running, history, aggregates, tenant, file.read_bytes(), before, taxonomy, self.further_culture)
            before = taxonomy


class Google(Walk, unittest.TestCase):
    """8 cultures; later releases are translated only partly."""

    tenant_name = "google"
    releases = ["google/taxonomy-v1.json", "google/taxonomy-v2.json", "google/taxonomy-v3.json"]
    further_culture = "fr-FR"


class Esco(Walk, unittest.TestCase):
    """Eight levels, moves and removals."""

    tenant_name = "esco"
    releases = ["esco/occupations-v1.json", "esco/occupations-v2.json"]
    further_culture = "es-ES"


class Iab(Walk, unittest.TestCase):
    """Nearly half of the terms are removed, and the requested culture is in no file."""

    tenant_name = "iab"
    releases = ["iab/taxonomy-v1.json", "iab/taxonomy-v2.json", "iab/taxonomy-v3.json"]
    further_culture = "fr-FR"


class JobBoard(Walk, unittest.TestCase):
    """The project's own samples use every field of the format, which the real files do not."""

    tenant_name = "job-board"
    releases = ["job-board-v1.json", "job-board-v2.json"]
    further_culture = "de-DE"

    def files(self) -> list[Path]:
        return [SAMPLES / name for name in self.releases]


def _walk_release(
    running: Stack,
    history: History,
    aggregates: ExpectedAggregates,
    tenant: str,
    body: bytes,
    previous: Taxonomy | None,
    taxonomy: Taxonomy,
    further_culture: str,
) -> None:
    before = running.head_item(tenant).get("V", 0)
    state = expected_items(taxonomy, tenant)
    pushed = running.push(tenant, body)
    head = running.wait_projected(pushed)
    version = head["V"]
    same("the version after one upload", {"V": before + 1}, {"V": version})

    _check_writes(running, history, pushed, version, state)
    changeset = running.item(f"TAXONOMY#{tenant}", f"CHANGESET#{version:012}")
    history.commit(version, state, changeset["CommittedAt"])
    same(f"table of {tenant} {version}", history.table, running.projection(tenant))

    _check_chain(running, pushed, head, body, previous, taxonomy)

    aggregates.commit(version, previous, taxonomy, changeset["CommittedAt"])
    _check_counted(running, pushed, version, aggregates)
    _check_answers(running, history, tenant, taxonomy, version)
    _check_culture(running, tenant, taxonomy, version, further_culture)
    _check_children(running, tenant, taxonomy, version, further_culture)
    _check_unchanged_uploads(running, pushed, version, body)
    told = [(event["type"], event["data"].get("to")) for event in running.told.of(tenant)]
    assert told == [("taxonomy.published.v1", number) for number in range(1, version + 1)], told


def _index_key(running: Stack, tenant: str, version: int, changeset: str) -> str:
    """Returns the key of the only index file of a version. Its last part is a digest of the file, which nothing here computes."""
    prefix = f"indexes/{tenant}/1/{version:012}-{changeset}-"
    listed = running.client("s3").list_objects_v2(Bucket=running.changesets_bucket, Prefix=prefix)
    [key] = [entry["Key"] for entry in listed["Contents"] if entry["Key"].endswith(".index")]
    return str(key)


def _check_writes(running: Stack, history: History, pushed: Pushed, version: int, state: Items) -> None:
    """Checks that the projector wrote only the differing items, in one run or in several that shared the work."""

    def look() -> list[Json] | None:
        lines = running.projected_lines(pushed.tenant, pushed.at_ms)
        return [line for line in lines if line["version"] == version] or None

    lines = until(f"the log line of {pushed.tenant} {version}", 30, look)
    expected = history.compare(state)
    logged = {name: sum(line[name] for line in lines) for name in ("items_put", "items_removed")}
    print(f"\n{pushed.tenant} {version}: {logged['items_put']} items put, {logged['items_removed']} removed")
    same(
        f"writes of {pushed.tenant} {version}",
        {"items_put": expected.put, "items_removed": expected.removed},
        logged,
    )


def _check_chain(
    running: Stack, pushed: Pushed, head: Item, body: bytes, previous: Taxonomy | None, taxonomy: Taxonomy
) -> None:
    """Checks the chain back to version 1; then the newest version in it, in the log, in the head, and in its notification."""
    tenant, version = pushed.tenant, head["V"]
    links = read_chain(running, tenant)
    same(f"versions of {tenant}", {"V": version}, {"V": len(links)})
    log, changeset = links[-1].log, links[-1].changeset
    same(f"snapshot of {tenant} {version}", expected_snapshot(taxonomy), links[-1].snapshot)

    sha256 = hashlib.sha256(body).hexdigest()
    totals, categories = expected_counts(taxonomy)
    expected = {
        "cause": {"kind": "upload", "sha256": sha256},
        "projectionFormat": 1,
        "totals": totals,
        "categories": categories,
        "changes": expected_changes(previous, taxonomy),
        "touched": touched(previous, taxonomy),
    }
    same(f"changeset of {tenant} {version}", expected, {name: changeset.get(name) for name in expected})

    source = {"ETag": pushed.etag, "VersionId": pushed.version_id, "Sha256": sha256, "Size": len(body)}
    source["Culture"] = taxonomy.default_culture
    ids = {
        "changeset": log["ChangesetId"],
        "state": log["StateHash"],
        "snapshotKey": f"snapshots/{tenant}/{version:012}-{log['StateHash']}.json.zst",
        "indexKey": _index_key(running, tenant, version, log["ChangesetId"]),
        "committedAt": log["CommittedAt"],
    }
    same(f"log of {tenant} {version}", expected_log_item(tenant, changeset, ids, source), log)
    times = [link.log["CommittedAt"] for link in links] + [head["ProjectedAt"]]
    assert times == sorted(set(times)) and log["CommittedAt"] >= pushed.at_ms, times
    same(f"head of {tenant}", expected_head(tenant, taxonomy, log, source, head["ProjectedAt"]), head)

    source, bucket = running.events_source, running.changesets_bucket
    published = running.told.wait_for(tenant, version)[-1]
    told = expected_published(source, bucket, log, changeset)
    same(f"what is told of {tenant} {version}", told, published)


def _check_counted(running: Stack, pushed: Pushed, version: int, aggregates: ExpectedAggregates) -> None:
    """Checks every aggregate, as stored and as served, after a wait, because the aggregator follows the stream."""
    tenant = pushed.tenant

    def look() -> bool | None:
        return running.item(f"STATS#{tenant}", "TENANT").get("V") == version or None

    until(f"the totals of {tenant} {version}", 60, look)
    same(f"what is counted of {tenant} {version}", aggregates.table, running.stats(tenant))

    answer = running.api.get(f"/v1/tenants/{tenant}/stats").body
    same(f"stats of {tenant} {version}", aggregates.tenant_answer(), without_time(answer))
    for key in aggregates.categories():
        answer = running.api.get(f"/v1/tenants/{tenant}/categories/{key}/stats").body
        same(f"stats of {tenant} {version} {key}", aggregates.category_answer(key), without_time(answer))

    lines = running.aggregator_lines(pushed.at_ms)
    mine = [line for line in lines if line["message"] == "aggregated" and line["tenant"] == tenant]
    batches = [line["records"] for line in lines if line["message"] == "followed"]
    units = sum(line["written"] + line["already"] for line in mine) + 3 * len(mine)
    print(f"{tenant} {version}: {sum(batches)} records in {len(batches)} invocations, {units} write units")


def without_time(answer: Json) -> Json:
    """Returns a response without its time of change, which must be present, but depends on the clock."""
    return {name: answer[name] for name in answer if name != "changedAt" or not answer[name]}


def _check_answers(running: Stack, history: History, tenant: str, taxonomy: Taxonomy, version: int) -> None:
    def expected(term_id: int) -> Json:
        served = {"tenant": tenant, "version": version}
        return taxonomy.term_answer(term_id) | served

    everything = {term_id: expected(term_id) for term_id in taxonomy.terms}
    same(f"terms of {tenant} {version}", everything, dict(_batches(running, tenant, taxonomy)))
    some = random.Random(version).sample(sorted(everything), min(SINGLE_GETS, len(everything)))
    singles = ((term_id, running.api.get(f"/v1/tenants/{tenant}/terms/{term_id}").body) for term_id in some)
    wanted = {term_id: everything[term_id] for term_id in some}
    same(f"single terms of {tenant} {version}", wanted, dict(singles))


def _check_culture(running: Stack, tenant: str, taxonomy: Taxonomy, version: int, culture: str) -> None:
    served = {"tenant": tenant, "version": version, "requestedCulture": culture}
    expected = {term_id: taxonomy.term_answer(term_id, culture) | served for term_id in taxonomy.terms}
    answers = dict(_batches(running, tenant, taxonomy, culture=culture))
    same(f"terms of {tenant} {version} in {culture}", expected, answers)


def _check_children(running: Stack, tenant: str, taxonomy: Taxonomy, version: int, culture: str) -> None:
    """Checks the children of some terms, the largest families among them, page after page in the order of siblings."""
    sizes = Counter(term.parent.id for term in taxonomy.terms.values() if term.parent)
    largest = [term_id for term_id, _ in sizes.most_common(3)]
    some = random.Random(version).sample(sorted(taxonomy.terms), min(FAMILIES, len(taxonomy.terms)))
    for asked in (taxonomy.default_culture, culture):
        listed = {term_id: _pages(running, tenant, term_id, asked) for term_id in largest + some}
        expected = {
            term_id: [taxonomy.child_answer(child, asked) for child in taxonomy.children(term_id, asked)] for term_id in listed
        }
        same(f"children of {tenant} {version} in {asked}", expected, listed)


def _pages(running: Stack, tenant: str, term_id: int, culture: str) -> list[Json]:
    """Returns every child of a term, read in pages of 7."""
    children: list[Json] = []
    query = {"culture": culture, "limit": "7"}
    for _ in range(1000):
        answer = running.api.get(f"/v1/tenants/{tenant}/terms/{term_id}/children", **query)
        assert answer.status == 200, answer
        children += answer.body["items"]
        if "nextCursor" not in answer.body:
            return children
        query["cursor"] = answer.body["nextCursor"]
    raise AssertionError(f"the children of {term_id} do not end")


def _check_unchanged_uploads(running: Stack, pushed: Pushed, version: int, body: bytes) -> None:
    """Checks that the same bytes, and the same content written differently, make no new version."""
    running.wait_projected(running.push(pushed.tenant, body))
    other_bytes = json.dumps(reordered(json.loads(body)), indent=1).encode()
    head = running.wait_projected(running.push(pushed.tenant, other_bytes))
    same("the version after uploads without a change", {"V": version}, {"V": head["V"]})
    versions = {line["version"] for line in running.projected_lines(pushed.tenant, pushed.at_ms)}
    same("the versions projected since", dict.fromkeys([version]), dict.fromkeys(versions))


def _batches(running: Stack, tenant: str, taxonomy: Taxonomy, **query: str) -> Iterator[tuple[int, Json]]:
    """Returns every term, 100 a request, in the order of the request."""
    ids = sorted(taxonomy.terms)
    for start in range(0, len(ids), BATCH):
        asked = ids[start : start + BATCH]
        answer = running.api.post(f"/v1/tenants/{tenant}/terms:batchGet", {"ids": asked}, **query)
        assert answer.status == 200, answer
        assert [item["id"] for item in answer.body["items"]] == asked, "a batch answers in the order asked"
        for item in answer.body["items"]:
            yield item["id"], item.get("term") or item


def same(what: str, expected: dict[Any, Any], found: dict[Any, Any], show: int = 3) -> None:
    """Compares tens of thousands of entries and shows the first few that differ, because a full difference would be unreadable."""
    keys = sorted((key for key in expected.keys() | found.keys() if expected.get(key) != found.get(key)), key=str)
    if keys:
        shown = "\n".join(f"{key}\n{_difference(expected.get(key), found.get(key))}" for key in keys[:show])
        raise AssertionError(f"{what}: {len(keys)} of {len(expected)} differ\n{shown}")


def _difference(expected: Any, found: Any) -> str:
    """Returns the fields in which two objects differ."""
    if isinstance(expected, dict) and isinstance(found, dict):
        fields = [name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)]
        return "\n".join(f"  {name}: expected {expected.get(name)}, found {found.get(name)}" for name in sorted(fields))
    return f"  expected {expected}\n  found    {found}"


if __name__ == "__main__":
    unittest.main()
