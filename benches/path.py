"""The path from an upload to its answer, over a table and buckets that answer at once, with its parts, memory and writes; and over the local stack.

The parts are seen from outside: by the requests of the deployed projector to table and bucket.
"""

import json
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from local import stack
from local.api import Api
from local.console import step
from local.problem import Problem

from . import generate
from .files import Json, named, terms
from .host import Host, service

TENANT = "acme"
STACK_SECONDS = 300
#: Terms whose items are loaded to the end; of more, the time until the file serves is measured alone.
LOADED = 100_000


def take(programs: dict[str, Path], sizes: Sequence[int], real: Sequence[Path]) -> list[Json]:
    """Of each file and of its second version: seconds to its answers, parts, memory, requests, units."""
    figures = []
    with tempfile.TemporaryDirectory(prefix="uploads-") as made:
        for size in sizes:
            # A second version has to wait for the items of the first.
            versions = (1, 2) if size <= LOADED else (1,)
            files = [generate.write(Path(made) / f"{size}-{version}.json", size, version=version) for version in versions]
            figures += _measure(programs, f"generated, {size:,} terms in five cultures", files, size <= LOADED)
        for path in real:
            figures += _measure(programs, f"{path.parent.name}/{path.name}", [path, _edited(path, Path(made) / "edited.json")], True)
    return figures


def _measure(programs: dict[str, Path], name: str, files: list[Path], is_loaded: bool) -> list[Json]:
    # A cold lookup is a new process, a warm one has answered about the version before.
    with Host(programs["taxonomy-host"], service(programs) | {"warm": service(programs)["lookup"]}) as host, step(f"Uploading {name}"):
        figures = []
        for version, file in enumerate(files, 1):
            found = _upload(host, version, file, is_loaded)
            figures.append({"file": name, "version": version, "bytes": file.stat().st_size} | found)
        return figures


def _upload(host: Host, version: int, file: Path, is_loaded: bool) -> Json:
    content = file.read_bytes()
    terms, first = _terms(content)
    host.own("requests")
    before = _projector(host).get("processorMicros", 0)
    began = time.monotonic()
    host.upload(TENANT, content)
    host.wait(TENANT, version, "V")
    committed = time.monotonic() - began
    host.own("stop/lookup")
    found: Json = {"terms": terms, "committed": committed}
    for lookup in ("lookup", "warm"):
        host.until(lambda lookup=lookup: _answers(host, lookup, first) >= version, f"an answer of version {version}")  # type: ignore[misc]
        found[{"lookup": "cold", "warm": "warm"}[lookup]] = time.monotonic() - began
    if is_loaded:
        host.wait(TENANT, version, "Projected")
        found["loaded"] = time.monotonic() - began
    projector, requests = _projector(host), host.own("requests")
    found["peak_bytes"], found["processor_seconds"] = projector["peakKib"] * 1024, (projector["processorMicros"] - before) / 1e6
    return found | {"parts": _parts(requests["kinds"]), "requests": requests["kinds"]}


def _answers(host: Host, lookup: str, term: int) -> int:
    """The version that answers about a term; 0 where none does yet."""
    answer = host.ask("GET", f"/v1/tenants/{TENANT}/terms/{term}", {"host-function": lookup})
    return int(answer.headers.get("taxonomy-version", 0)) if answer.status == 200 else 0


def _projector(host: Host) -> Json:
    return next((each for each in host.own("processes") if each["function"] == "projector"), {})


#: The parts of an ingest by the request that ends each, in their usual order. Building an object belongs to the part that stores it.
PARTS = {
    "read": "GET source",
    "parse, compare, snapshot": "PUT snapshots",
    "changeset": "PUT changesets",
    "search": "PUT search",
    "index": "PUT indexes",
    "commit": "TransactWriteItems",
}


def _parts(kinds: Json) -> Json:
    """Seconds of each part: from the end of the one before, the upload first. The load of the items follows the commit."""
    # The first transaction is the commit, the last one the end of the load.
    ends = sorted((kinds[kind]["first" if part == "commit" else "last"], part) for part, kind in PARTS.items() if kind in kinds)
    found, before = {}, kinds["PUT source"]["last"]
    for end, part in ends:
        found[part], before = (end - before) / 1e6, end
    items = [kinds[kind]["last"] for kind in kinds if kind.startswith("PutItem ")]
    return found | ({"items": (max(items) - before) / 1e6} if items else {})


def _terms(content: bytes) -> tuple[int, int]:
    """How many terms a file has, and one of them."""
    ids = [term["id"] for _, term, _ in terms(json.loads(content))]
    return len(ids), ids[0]


def over_stack(sizes: Sequence[int]) -> list[Json]:
    """Seconds from an upload to its answer over the stack on this machine, whose emulator is written in Python: an upper bound."""
    with stack.running() as here, tempfile.TemporaryDirectory(prefix="uploads-") as made:
        return [_over(here, size, version, generate.write(Path(made) / f"{size}-{version}.json", size, version=version)) for size in sizes for version in (1, 2)]


def _over(here: stack.Stack, size: int, version: int, file: Path) -> Json:
    # Another one in each run, so that the versions begin with 1.
    tenant = f"bench-{size}-{os.getpid()}"
    _, term = _terms(file.read_bytes())
    began = time.monotonic()
    Api(here.apiUrl).ask("PUT", f"/{here.outputs['SourceBucketName']}/taxonomies/{tenant}.json", body=file.read_bytes())
    api = Api(here.apiUrl, here.apiHost)
    while time.monotonic() < began + STACK_SECONDS:
        answer = api.get(f"/v1/tenants/{tenant}/terms/{term}")
        if answer.status == 200 and int(answer.headers.get("taxonomy-version", 0)) >= version:
            return {"terms": size, "version": version, "seconds": time.monotonic() - began}
        time.sleep(0.05)
    raise Problem(f"the local stack has not answered about {size:,} terms for {STACK_SECONDS} s")


def _edited(file: Path, other: Path) -> Path:
    """A file with another default name for every hundredth term."""
    content = json.loads(file.read_bytes())
    for number, (_, term, _) in enumerate(terms(content), 1):
        if number % generate.RENAMED == 0:
            named(term)["name"] += " (revised)"
    other.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return other
