"""The replay of a changeset on the snapshot before it: the facts of docs/decisions/0008-changeset-chain.md, implemented a second time."""

import copy
from typing import Any

from oracle import Json

# The fields of a record in the order of a snapshot; comparing JSON objects ignores their order, hashing their bytes does not.
FIELDS = (
    "id",
    "category",
    "parent",
    "names",
    "notation",
    "altNames",
    "notes",
    "sortKey",
    "metadata",
    "deprecated",
    "deprecation",
    "replacedBy",
    "relations",
)


def replay(before: Json | None, changeset: Json) -> Json:
    """Returns the snapshot after `changeset`, applied to `before`, its parent's snapshot."""
    state: Json = copy.deepcopy(before) if before else {"formatVersion": 1, "categories": [], "terms": []}
    nodes: dict[tuple[str, int], Json] = {
        (kind, record["id"]): record
        for kind, records in (("category", state["categories"]), ("term", state["terms"]))
        for record in records
    }
    for fact in changeset["facts"]:
        ((kind, said),) = fact.items()
        if kind == "configured":
            state["defaultCulture"] = said["default_culture"]
            state["fallbackChain"] = said["fallback_chain"]
        else:
            _apply(nodes, kind, said)
    state["projectionFormat"] = changeset["projectionFormat"]
    for group, of in (("categories", "category"), ("terms", "term")):
        state[group] = [_ordered(record) for (kind, _), record in sorted(nodes.items()) if kind == of]
    order = ("formatVersion", "projectionFormat", "defaultCulture", "fallbackChain", "categories", "terms")
    return {name: state[name] for name in order}


def _apply(nodes: dict[tuple[str, int], Json], kind: str, said: Json) -> None:
    if kind in ("categoryAdded", "termAdded"):
        key = kind.removesuffix("Added"), said["id"]
        assert key not in nodes, f"{key} is added and was there"
        nodes[key] = copy.deepcopy(said)
        return
    if kind in ("categoryRemoved", "termRemoved"):
        del nodes[kind.removesuffix("Removed"), said["id"]]
        return
    if kind == "termMoved":
        record = nodes["term", said["id"]]
        assert _place(record) == said["from"], f"{said} does not fit {record}"
        record["category"] = said["to"]["category"]
        _set(record, "parent", said["to"].get("parent"))
        return
    ((what, node_id),) = said["node"].items()
    record = nodes[what, node_id]
    if kind in ("renamed", "pathChanged"):
        _name(record, kind, said)
    elif kind in ("deprecated", "reinstated"):
        _set(record, "deprecated", kind == "deprecated" or None)
    else:
        assert kind == "changed", said
        field = said["field"]
        assert record.get(field) == said.get("from"), f"{said} does not fit {record}"
        _set(record, field, said.get("to"))


def _name(record: Json, kind: str, said: Json) -> None:
    """Changes a name, `[culture, name]` or `[culture, name, path]`; a path is removed with its name."""
    names = {name[0]: name for name in record["names"]}
    culture = said["culture"]
    name = names.get(culture)
    if kind == "renamed":
        assert (name[1] if name else None) == said["from"], f"{said} does not fit {record}"
        if said["to"] is None:
            del names[culture]
        else:
            names[culture] = [culture, said["to"], *(name or [])[2:]]
    elif name:
        names[culture] = [*name[:2], *([said["to"]] if said["to"] is not None else [])]
    record["names"] = [names[tag] for tag in sorted(names)]


def _place(record: Json) -> Json:
    return {name: record[name] for name in ("category", "parent") if name in record}


def _set(record: Json, field: str, value: Any) -> None:
    if value is None:
        record.pop(field, None)
    else:
        record[field] = value


def _ordered(record: Json) -> Json:
    return {name: record[name] for name in FIELDS if name in record}
