"""Evaluates the policies of the template: Allow statements with the condition operators that they use. Shares no code with the tests in Rust."""

import re
from collections.abc import Iterable
from typing import Any

from recorder import Right

Statement = dict[str, Any]
VARIABLE = re.compile(r"\$\{aws:PrincipalTag/taxonomy-tenant\}")


def listed(value: Any) -> list[Any]:
    """Returns a list, or the only value as a list."""
    return value if isinstance(value, list) else [value]


def allows(statements: Iterable[Statement], right: Right, tenant: str | None) -> bool:
    """Whether a statement allows the right to a principal with this tag."""
    return any(_allows(statement, right, tenant) for statement in statements)


def _allows(statement: Statement, right: Right, tenant: str | None) -> bool:
    if statement["Effect"] != "Allow":
        raise ValueError("only Allow is expected")
    return (
        any(_like(action, right.action) for action in listed(statement["Action"]))
        and any(_like(each, right.resource) for each in _filled(listed(statement["Resource"]), tenant))
        and all(_holds(operator, keys, dict(right.context), tenant) for operator, keys in statement.get("Condition", {}).items())
    )


def _filled(patterns: list[str], tenant: str | None) -> list[str]:
    """Returns the patterns with the tag's value; without the tag, a pattern that names it matches nothing."""
    if tenant is None:
        return [pattern for pattern in patterns if not VARIABLE.search(pattern)]
    return [VARIABLE.sub(tenant, pattern) for pattern in patterns]


def _holds(operator: str, keys: dict[str, Any], context: dict[str, str], tenant: str | None) -> bool:
    return all(_key_holds(operator, _filled(listed(values), tenant), context.get(key)) for key, values in keys.items())


def _key_holds(operator: str, values: list[str], found: str | None) -> bool:
    if operator == "Null":
        return (found is None) == (values == ["true"])
    if found is None:
        # A condition on all values of an absent key is true, because there is none.
        return operator.endswith("IfExists") or operator.startswith("ForAllValues:")
    plain = operator.removeprefix("ForAllValues:").removesuffix("IfExists")
    if plain == "StringEquals":
        return found in values
    if plain == "StringLike":
        return any(_like(value, found) for value in values)
    raise ValueError(f"the operator {operator} is not expected")


def _like(pattern: str, text: str) -> bool:
    parts = (".*" if each == "*" else "." if each == "?" else re.escape(each) for each in pattern)
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None
