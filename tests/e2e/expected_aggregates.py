"""The aggregates that the aggregator must store and the lookup must return, release after release, by docs/decisions/0009."""

from datetime import datetime, timezone

from items import Item, Items
from oracle import Category, Json, Taxonomy, Term
from versions import expected_changes, expected_counts, stored_name

_SUMS = ["added", "changed", "removed", "renamed", "moved", "deprecated", "restored", "finalNames"]


def touched(before: Taxonomy | None, after: Taxonomy) -> list[int]:
    """Returns the categories that differ, themselves or in a term that they have or had."""
    old, new = _contents(before), _contents(after)
    return sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))


def _contents(taxonomy: Taxonomy | None) -> dict[int, list[tuple[object, ...]]]:
    if not taxonomy:
        return {}
    found: dict[int, list[tuple[object, ...]]] = {key: [_own(node)] for key, node in taxonomy.categories.items()}
    for key in sorted(taxonomy.terms):
        term = taxonomy.terms[key]
        parent = term.parent.id if term.parent else None
        found[term.category.id].append((key, parent, *_own(term)))
    return found


def _own(node: Category | Term) -> tuple[object, ...]:
    words = (node.labels, node.alt_names, node.notes, node.notation, node.sort_key)
    return (*words, node.metadata, node.deprecated, node.deprecation, node.replaced_by, node.relations)


class ExpectedAggregates:
    """The expected aggregates of a tenant."""

    def __init__(self, tenant: str) -> None:
        self._tenant = tenant
        self.table: Items = {}

    def commit(self, version: int, before: Taxonomy | None, after: Taxonomy, committed_at: int) -> None:
        """Adds the next version, which was projected before another was committed."""
        totals, groups = expected_counts(after)
        by_id = {group["id"]: group for group in groups}
        changes = expected_changes(before, after)
        for key in touched(before, after):
            self._put("CategoryStats", f"CATEGORY#{key}", version, _category(key, by_id.get(key), committed_at))
        month = f"MONTH#{datetime.fromtimestamp(committed_at / 1000, timezone.utc):%Y-%m}"
        so_far = self.table.get((f"STATS#{self._tenant}", month), {})
        sums = {stored_name(name): so_far.get(stored_name(name), 0) + changes[name] for name in _SUMS}
        self._put("MonthActivity", month, version, {"Versions": so_far.get("Versions", 0) + 1, **sums})
        self._put("Counted", f"DONE#{version:012}", version, {})
        last = {name.capitalize(): changes[name] for name in ("added", "changed", "removed")}
        stats = {"Categories": totals["categories"], **_stored(totals), "ChangedAt": committed_at, **last}
        self._put("TenantStats", "TENANT", version, stats)

    def _put(self, kind: str, sort_key: str, version: int, attributes: Item) -> None:
        partition = f"STATS#{self._tenant}"
        item = {"PK": partition, "SK": sort_key, "EntityType": kind, "V": version}
        self.table[partition, sort_key] = item | attributes

    def tenant_answer(self) -> Json:
        """Returns the response to `GET .../stats`."""
        partition = f"STATS#{self._tenant}"
        stats = self.table[partition, "TENANT"]
        months = [
            {"month": sort_key.removeprefix("MONTH#"), "version": item["V"], "versions": item["Versions"]}
            | {name: item[stored_name(name)] for name in _SUMS}
            for (_, sort_key), item in sorted(self.table.items())
            if sort_key.startswith("MONTH#")
        ]
        served = {name.lower(): stats[name] for name in ("Categories", "Added", "Changed", "Removed")}
        return {"tenant": self._tenant, "version": stats["V"], "counts": _served(stats), "months": months} | served

    def category_answer(self, key: int) -> Json:
        """Returns the response to `GET .../categories/{id}/stats`."""
        stats = self.table[f"STATS#{self._tenant}", f"CATEGORY#{key}"]
        removed = stats.get("Removed", False)
        served = {"tenant": self._tenant, "version": stats["V"], "id": key, "removed": removed}
        return served | {"counts": _served(stats)}

    def categories(self) -> list[int]:
        """Returns every category that ever had an aggregate."""
        keys = (sort_key for _, sort_key in self.table if sort_key.startswith("CATEGORY#"))
        return sorted(int(key.removeprefix("CATEGORY#")) for key in keys)


def _category(key: int, counts: Json | None, committed_at: int) -> Item:
    nothing = {"terms": 0, "leaves": 0, "deprecated": 0, "depths": [], "names": {}}
    item = {"CategoryId": key, **_stored(counts or nothing), "ChangedAt": committed_at}
    return item if counts else item | {"Removed": True}


def _stored(counts: Json) -> Item:
    """Returns the stored counts; empty lists and maps are not stored."""
    names = ("terms", "leaves", "deprecated", "depths", "names")
    return {name.capitalize(): counts[name] for name in names if counts[name] not in ([], {})}


def _served(stats: Item) -> Json:
    numbers = {name.lower(): stats[name] for name in ("Terms", "Leaves", "Deprecated")}
    return numbers | {"depths": stats.get("Depths", []), "names": stats.get("Names", {})}
