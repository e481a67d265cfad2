"""The table items of a taxonomy: keys and attributes of docs/decisions/0001-table.md, implemented a second time."""

import json
from typing import Any

from oracle import Category, Node, Taxonomy, Term

Key = tuple[str, str]
Item = dict[str, Any]
Items = dict[Key, Item]


def expected_items(taxonomy: Taxonomy, tenant: str) -> Items:
    """Returns every item of one version by its key, without `V`: the version that wrote an item last is a matter of its history."""
    items: Items = {}
    for category in taxonomy.categories.values():
        _put(items, _category(taxonomy, tenant, category))
    for term in taxonomy.terms.values():
        _put(items, _term(taxonomy, tenant, term))
        for culture in term.labels.keys() - {taxonomy.default_culture}:
            _put(items, _term_culture(taxonomy, tenant, term, culture))
    return items


def term_key(tenant: str, term_id: int) -> str:
    """Returns the partition of a term in all its cultures."""
    return f"TERM#{tenant}#{term_id}"


def category_key(tenant: str, category_id: int) -> str:
    """Returns the partition of a category."""
    return f"CATEGORY#{tenant}#{category_id}"


def _put(items: Items, item: Item) -> None:
    key = item["PK"], item["SK"]
    assert key not in items, f"the oracle built {key} twice"
    # An absent attribute means empty, false or unknown; 0 is a valid id and is stored.
    items[key] = {name: value for name, value in item.items() if value not in (None, "", [], {}) and value is not False}


def _category(taxonomy: Taxonomy, tenant: str, category: Category) -> Item:
    default = taxonomy.default_culture
    key = category_key(tenant, category.id)
    others = {
        tag: {"Name": label.name} | ({"Path": label.path} if label.path else {})
        for tag, label in category.labels.items()
        if tag != default
    }
    return {
        "PK": key,
        "SK": key,
        "EntityType": "Category",
        "Name": category.labels[default].name,
        "Culture": default,
        "Path": category.labels[default].path,
        "Names": others,
        "AltNames": category.alt_names,
        "Notes": category.notes,
        **_extras(category),
    }


def _term(taxonomy: Taxonomy, tenant: str, term: Term) -> Item:
    key = term_key(tenant, term.id)
    return _in_culture(taxonomy, term, taxonomy.default_culture) | {"PK": key, "SK": key, "EntityType": "Term"}


def _term_culture(taxonomy: Taxonomy, tenant: str, term: Term, culture: str) -> Item:
    return _in_culture(taxonomy, term, culture) | {
        "PK": term_key(tenant, term.id),
        "SK": f"CULTURE#{culture}",
        "EntityType": "TermCulture",
    }


def _in_culture(taxonomy: Taxonomy, term: Term, culture: str) -> Item:
    """Returns the attributes that a term's own item and its culture items share: a complete response in one culture."""
    category, category_culture = taxonomy.label(term.category, culture)
    lineage = []
    above = category.path
    for ancestor in reversed(term.ancestors):
        label, served = taxonomy.label(ancestor, culture)
        fields = [str(ancestor.id), label.name, _marked(_below(label.path, above)), _if_other(served, culture) or ""]
        lineage.insert(0, "\t".join(fields).rstrip("\t"))
        above = label.path
    return {
        "CategoryId": term.category.id,
        "CategoryPath": category.path,
        "CategoryCulture": _if_other(category_culture, culture),
        "Name": term.labels[culture].name,
        "Culture": culture,
        "FinalName": taxonomy.final_name(term, culture),
        "Path": _below(term.labels[culture].path, above),
        "Lineage": "\n".join(lineage),
        "AltNames": term.alt_names.get(culture),
        "Notes": term.notes.get(culture),
        **_extras(term),
    }


def _below(path: str | None, above: str | None) -> str | list[str] | None:
    """Returns a path as it is stored: in a list, only the part that it adds to the path above it, if it begins with that path and is longer."""
    if path and above and path != above and path.startswith(above):
        return [path[len(above) :]]
    return path


def _marked(path: str | list[str] | None) -> str:
    return f"+{path[0]}" if isinstance(path, list) else f"={path}" if path else ""


def _if_other(served: str, culture: str) -> str | None:
    return served if served != culture else None


def _extras(node: Node) -> Item:
    return {
        "Notation": node.notation,
        "SortKey": node.sort_key,
        "Metadata": _canonical_json(node.metadata) if node.metadata else None,
        "Deprecated": node.deprecated,
        "Deprecation": node.deprecation,
        "ReplacedBy": node.replaced_by,
        "Relations": node.relations,
    }


def _canonical_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
