"""Evaluates a policy by the rules of the IAM User Guide, for the operators that the policies of this project use."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from local.problem import Problem

VARIABLE = re.compile(r"\$\{([^}]+)\}")


def allows(document: Mapping[str, Any], action: str, resource: str, context: Mapping[str, str]) -> bool:
    """Whether a statement allows the action on the resource, and none denies it."""
    effects = {statement["Effect"] for statement in document["Statement"] if _applies(statement, action, resource, context)}
    return effects == {"Allow"}


def listed(value: Any) -> list[Any]:
    """A list, or the only value as a list."""
    return value if isinstance(value, list) else [value]


def _applies(statement: Mapping[str, Any], action: str, resource: str, context: Mapping[str, str]) -> bool:
    return (
        any(like(pattern.lower(), action.lower()) for pattern in listed(statement["Action"]))
        and any(like(_filled(pattern, context), resource) for pattern in listed(statement["Resource"]))
        and all(_holds(operator, key, values, context) for operator, keys in statement.get("Condition", {}).items() for key, values in keys.items())
    )


def _filled(pattern: str, context: Mapping[str, str]) -> str:
    # A variable without a value matches nothing: no ARN has a line break.
    return VARIABLE.sub(lambda found: context.get(found[1], "\n"), pattern)


def _holds(operator: str, key: str, values: Any, context: Mapping[str, str]) -> bool:
    found = context.get(key)
    if operator == "Null":
        return (found is None) == ("true" in listed(values))
    if found is None:
        return operator.endswith("IfExists") or operator == "StringNotEquals"
    wanted = [_filled(value, context) for value in listed(values)]
    if operator == "StringNotEquals":
        return found not in wanted
    if operator.removesuffix("IfExists") == "StringEquals":
        return found in wanted
    if operator.removesuffix("IfExists") == "StringLike":
        return any(like(value, found) for value in wanted)
    raise Problem(f"no policy used {operator} before")


def like(pattern: str, text: str) -> bool:
    """Whether a text matches a pattern with `*` and `?`."""
    return _compiled(pattern).fullmatch(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(".*" if each == "*" else "." if each == "?" else re.escape(each) for each in pattern), re.DOTALL)
