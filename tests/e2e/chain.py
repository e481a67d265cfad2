"""The stored chain of a tenant, read from version 1 on and checked link by link."""

import hashlib
import json
from dataclasses import dataclass

from items import Item
from oracle import Json
from replay import replay
from stack import Stack
from versions import canonical


@dataclass(frozen=True)
class Link:
    """A stored version: its log entry, its changeset, and its snapshot."""

    log: Item
    changeset: Json
    snapshot: Json


def read_chain(running: Stack, tenant: str) -> list[Link]:
    """Returns every version, each body checked against its hash, its parent and the facts that lead to it."""
    links: list[Link] = []
    for number, log in enumerate(running.versions(tenant), start=1):
        assert log["V"] == number, f"version {number} of {tenant} is missing"
        links.append(_read(running, tenant, links[-1] if links else None, log))
    return links


def _read(running: Stack, tenant: str, before: Link | None, log: Item) -> Link:
    what = f"{tenant} {log['V']}"
    key = f"changesets/{tenant}/{log['V']:012}-{log['ChangesetId']}.json.zst"
    assert log["ChangesetKey"] == key, what
    body, metadata = running.body(key)
    assert hashlib.sha256(body).hexdigest() == log["ChangesetId"], f"{what}: the changeset does not hash to its id"
    changeset: Json = json.loads(body)
    assert canonical(changeset) == body, f"{what}: white space, or something else than the canonical form"
    parent = before.log["ChangesetId"] if before else None
    named = {"aggregate-id": tenant, "aggregate-version": str(log["V"]), "changeset-id": log["ChangesetId"]}
    assert metadata == named | ({"parent-changeset-id": parent} if parent else {}), f"{what}: {metadata}"
    said = tuple(changeset.get(name) for name in ("formatVersion", "tenant", "version", "parent", "before", "after"))
    state = before.log["StateHash"] if before else None
    assert said == (1, tenant, log["V"], parent, state, log["StateHash"]), f"{what}: {said}"

    stored, _ = running.body(log["SnapshotKey"])
    assert hashlib.sha256(stored).hexdigest() == log["StateHash"], f"{what}: the snapshot does not hash to its state"
    snapshot: Json = json.loads(stored)
    replayed = replay(before.snapshot if before else None, changeset)
    assert replayed == snapshot, f"{what}: the facts do not lead to the snapshot"
    assert canonical(replayed) == stored, f"{what}: nor to its bytes"
    return Link(log, changeset, snapshot)
