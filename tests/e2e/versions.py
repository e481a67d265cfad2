"""The stored and published data of a version: snapshot, counts, log entry, head and notification, by docs/decisions/0001, 0002 and 0008."""

import json
from datetime import datetime, timezone
from typing import Any

from items import Item
from oracle import Json, Node, Taxonomy, Term
from replay import FIELDS
from totals import expected_totals


def canonical(value: Any) -> bytes:
    """Returns JSON in the form of stored bodies."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def expected_snapshot(taxonomy: Taxonomy) -> Json:
    """Returns the canonical snapshot of a file whose tenant has no configuration, in the order of its bytes."""
    categories = [_record(taxonomy.categories[key]) for key in sorted(taxonomy.categories)]
    return {
        "formatVersion": 1,
        "projectionFormat": 1,
        "defaultCulture": taxonomy.default_culture,
        "fallbackChain": [],
        "categories": categories,
        "terms": [_record(taxonomy.terms[key]) for key in sorted(taxonomy.terms)],
    }


def _record(node: Node) -> Json:
    labels = sorted(node.labels.items())
    metadata = json.loads(json.dumps(node.metadata, sort_keys=True))
    fields: Json = {
        "id": node.id,
        "names": [[tag, label.name, *([label.path] if label.path else [])] for tag, label in labels],
        "notation": node.notation,
        "altNames": [[tag, name] for tag in sorted(node.alt_names) for name in node.alt_names[tag]],
        "notes": {tag: node.notes[tag] for tag in sorted(node.notes)},
        "sortKey": node.sort_key,
        "metadata": metadata,
        "deprecated": node.deprecated,
        "deprecation": node.deprecation,
        "replacedBy": node.replaced_by,
        "relations": node.relations,
    }
    if isinstance(node, Term):
        fields |= {"category": node.category.id, "parent": node.parent.id if node.parent else None}
    # An absent field means empty, false or unknown; 0 is an id.
    empty = (None, "", [], {})
    return {name: fields[name] for name in FIELDS if fields.get(name) not in empty and fields[name] is not False}


def expected_counts(taxonomy: Taxonomy) -> tuple[Json, list[Json]]:
    """Returns `totals` and `categories` of a changeset, counted from the file."""
    terms = list(taxonomy.terms.values())
    groups = [
        {"id": key, **_counts(taxonomy, [term for term in terms if term.category.id == key])}
        for key in sorted(taxonomy.categories)
    ]
    return {"categories": len(taxonomy.categories), **_counts(taxonomy, terms)}, groups


def _counts(taxonomy: Taxonomy, terms: list[Term]) -> Json:
    parents = {term.parent.id for term in taxonomy.terms.values() if term.parent}
    depths = [term.depth for term in terms]
    cultures = sorted({tag for term in terms for tag in term.labels})
    return {
        "terms": len(terms),
        "leaves": sum(term.id not in parents for term in terms),
        "deprecated": sum(term.deprecated for term in terms),
        "depths": [depths.count(depth) for depth in range(1, max(depths, default=0) + 1)],
        "names": {tag: sum(tag in term.labels for term in terms) for tag in cultures},
    }


def expected_changes(before: Taxonomy | None, after: Taxonomy) -> Json:
    """Returns `changes` of a changeset: terms, each counted once a kind."""
    totals = expected_totals(before, after)
    old = before.terms if before else {}
    kept = [(old[key], after.terms[key]) for key in old.keys() & after.terms.keys()]

    def names(term: Term) -> Json:
        return {tag: label.name for tag, label in term.labels.items()}

    return {
        "added": totals["Added"],
        "changed": totals["Changed"],
        "removed": totals["Removed"],
        "renamed": sum(names(was) != names(now) for was, now in kept),
        "moved": sum(_place(was) != _place(now) for was, now in kept),
        "deprecated": sum(now.deprecated and not was.deprecated for was, now in kept),
        "restored": sum(was.deprecated and not now.deprecated for was, now in kept),
        "finalNames": sum(_final_name(before, was) != _final_name(after, now) for was, now in kept),
    }


def _final_name(taxonomy: Taxonomy | None, term: Term) -> str:
    """Returns the FinalName in the default culture of the term's own version."""
    assert taxonomy, "a term that was kept was there before"
    return taxonomy.final_name(term, taxonomy.default_culture)


def stored_name(name: str) -> str:
    """Returns the attribute's name of a count of `changes`."""
    return name[0].upper() + name[1:]


def _place(term: Term) -> tuple[int, int | None]:
    return term.category.id, term.parent.id if term.parent else None


def expected_log_item(tenant: str, changeset: Json, ids: Json, source: Item) -> Item:
    """Returns the log entry of an uploaded version. `ids` holds the values that only the bodies and the clock determine."""
    version, changes = changeset["version"], changeset["changes"]
    activity = ("renamed", "moved", "deprecated", "restored", "finalNames")
    totals = {name.capitalize(): changeset["totals"][name] for name in ("categories", "terms", "leaves", "deprecated")}
    item = {
        "PK": f"TAXONOMY#{tenant}",
        "SK": f"CHANGESET#{version:012}",
        "EntityType": "Changeset",
        "V": version,
        "ChangesetId": ids["changeset"],
        "ParentChangesetId": changeset.get("parent"),
        "StateHash": ids["state"],
        "SnapshotKey": ids["snapshotKey"],
        "IndexKey": ids["indexKey"],
        "ChangesetKey": f"changesets/{tenant}/{version:012}-{ids['changeset']}.json.zst",
        "Cause": "upload",
        "Facts": len(changeset["facts"]),
        "CommittedAt": ids["committedAt"],
        "Totals": totals | {name.capitalize(): changes[name] for name in ("added", "changed", "removed")},
        "Activity": {stored_name(name): changes[name] for name in activity},
        "Source": source,
    }
    return {name: value for name, value in item.items() if value is not None}


def expected_head(tenant: str, taxonomy: Taxonomy, log: Item, source: Item, projected_at: int) -> Item:
    """Returns the head whose projected version is the newest one of the log."""
    taken = ("V", "ChangesetId", "StateHash", "SnapshotKey", "IndexKey", "CommittedAt")
    return {name: log[name] for name in taken} | {
        "PK": f"TAXONOMY#{tenant}",
        "SK": "HEAD",
        "EntityType": "Head",
        "Projected": log["V"],
        "ProjectedAt": projected_at,
        "Format": 1,
        "DefaultCulture": taxonomy.default_culture,
        "FallbackChain": [],
        "Cultures": taxonomy.cultures,
        "Categories": len(taxonomy.categories),
        "Terms": len(taxonomy.terms),
        "Source": source,
    }


SCHEMA = "urn:uuid:0b2a4d57-5d0c-4c3e-9a57-2f6b1a3f9c44"


def expected_event(source: str, kind: str, identity: str, at: int, data: Json) -> Json:
    """Returns a notification: the attributes of CloudEvents 1.0 around its data."""
    return {
        "specversion": "1.0",
        "id": f"{kind}-{identity}",
        "source": source,
        "type": f"taxonomy.{kind}.v1",
        "subject": data["tenant"],
        "time": rfc3339(at),
        "datacontenttype": "application/json",
        "dataschema": f"{SCHEMA}#{kind}",
        "data": data,
    }


def rfc3339(epoch_ms: int) -> str:
    """Converts epoch milliseconds to UTC, without zeros at the end of the fraction."""
    seconds, ms = divmod(epoch_ms, 1000)
    text = datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    return text + (f".{ms:03}".rstrip("0") if ms else "") + "Z"


def expected_published(source: str, bucket: str, log: Item, changeset: Json) -> Json:
    """Returns the notification of a version from an upload without provenance."""
    counted = ("categories", "terms", "leaves", "deprecated")
    data = {
        "tenant": changeset["tenant"],
        "from": log["V"] - 1,
        "to": log["V"],
        "cause": changeset["cause"],
        "totals": {name: changeset["totals"][name] for name in counted},
        "changes": changeset["changes"],
        "changeset": {"bucket": bucket, "key": log["ChangesetKey"], "id": log["ChangesetId"]},
        "committedAt": log["CommittedAt"],
    }
    return expected_event(source, "published", log["ChangesetId"], log["CommittedAt"], data)
