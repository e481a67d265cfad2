"""A tenant's part of the table over the versions: the writes of each version, and the tombstones of the removed items."""

from dataclasses import dataclass, field

from items import Item, Items

# Tombstones of the culture items of removed terms outlive every request that may still be under way.
TOMBSTONE_SECONDS = 30 * 24 * 60 * 60


@dataclass
class Written:
    """The number of items that a version writes."""

    put: int
    removed: int


@dataclass
class History:
    """The table after the versions committed so far, tombstones and `V` included."""

    table: Items = field(default_factory=dict)
    _state: Items = field(default_factory=dict, repr=False)

    def compare(self, state: Items) -> Written:
        """Returns the writes that lead to `state`, without a single unnecessary item."""
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
    """Returns a tombstone: that of a term or category keeps its attributes forever; that of a culture item expires."""
    if item["EntityType"] in ("Term", "Category"):
        return item | {"Deprecated": True, "Removed": True, "V": version}
    keys = {name: item[name] for name in ("PK", "SK", "EntityType")}
    return keys | {"Removed": True, "ExpiresAt": expires_at, "V": version}
