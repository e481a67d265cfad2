"""A tenant's part of the table over the versions: what each version writes, and what is left of what it removes."""

from dataclasses import dataclass, field

from items import Item, Items

# Satellites of removed terms outlive every request that may still be on its way.
TOMBSTONE_SECONDS = 30 * 24 * 60 * 60


@dataclass
class Written:
    """How many items a version writes."""

    put: int
    removed: int


@dataclass
class History:
    """The table after the versions committed so far, tombstones and `V` included."""

    table: Items = field(default_factory=dict)
    _state: Items = field(default_factory=dict, repr=False)

    def compare(self, state: Items) -> Written:
        """What moving on to `state` has to write, and not one item more."""
        put = sum(1 for key, item in state.items() if self._state.get(key) != item)
        return Written(put=put, removed=len(self._state.keys() - state.keys()))

    def commit(self, version: int, state: Items, committed_at_ms: int) -> None:
        """Makes `state` the current version."""
        expires_at = committed_at_ms // 1000 + TOMBSTONE_SECONDS
        for key, item in state.items():
            if self._state.get(key) != item:
                self.table[key] = item | {"V": version}
        for key in self._state.keys() - state.keys():
            self.table[key] = _removed(self.table[key], version, expires_at)
        self._state = state


def _removed(item: Item, version: int, expires_at: int) -> Item:
    """A term or category keeps what it had for ever, outside every listing; a satellite's tombstone expires."""
    if item["EntityType"] in ("Term", "Category"):
        kept = {name: value for name, value in item.items() if name not in ("GSI1PK", "GSI1SK")}
        return kept | {"Deprecated": True, "Removed": True, "V": version}
    keys = {name: item[name] for name in ("PK", "SK", "EntityType")}
    return keys | {"Removed": True, "ExpiresAt": expires_at, "V": version}
