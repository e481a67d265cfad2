"""The totals of a version that its changeset must contain."""

from oracle import Json, Taxonomy, Term


def expected_totals(before: Taxonomy | None, after: Taxonomy) -> Json:
    """Returns the totals of `after`, and the number of terms that the step from `before` added, changed and removed."""
    old, new = before.terms if before else {}, after.terms
    parents = {term.parent.id for term in new.values() if term.parent}
    kept = old.keys() & new.keys()
    return {
        "Categories": len(after.categories),
        "Terms": len(new),
        "Leaves": len(new.keys() - parents),
        "Deprecated": sum(term.deprecated for term in new.values()),
        "Added": len(new.keys() - old.keys()),
        "Removed": len(old.keys() - new.keys()),
        "Changed": sum(_own(old[term_id]) != _own(new[term_id]) for term_id in kept),
    }


def _own(term: Term) -> tuple[object, ...]:
    """Returns the term's own properties. The rename of an ancestor is no change of the term."""
    place = (term.category.id, term.parent.id if term.parent else None)
    words = (term.labels, term.alt_names, term.notes, term.notation, term.sort_key)
    return (place, words, term.metadata, term.deprecated, term.deprecation, term.replaced_by, term.relations)
