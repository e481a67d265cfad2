"""Evaluates a policy by the rules of the IAM User Guide, for the operators that the policies of this project use."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from local.problem import Problem

VARIABLE = re.compile(r"\$\{([^}]+)\}")
#: The value of a variable without one: no ARN has a line break, so it matches nothing.
NOTHING = "\n"
WILDCARDS = {"*": ".*", "?": "."}


def allows(document: Mapping[str, Any], action: str, resource: str, context: Mapping[str, str]) -> bool:
    """Whether a statement allows the action on the resource, and none denies it."""
    effects = {statement["Effect"] for statement in document["Statement"] if _applies(statement, action, resource, context)}
    return effects == {"Allow"}


def listed(value: Any) -> list[Any]:
    """A list, or the only value as a list."""
    return value if isinstance(value, list) else [value]


def _applies(statement: Mapping[str, Any], action: str, resource: str, context: Mapping[str, str]) -> bool:
    return (
        any(_like(pattern.lower(), action.lower(), {}) for pattern in listed(statement["Action"]))
        and any(_like(pattern, resource, context) for pattern in listed(statement["Resource"]))
        and all(_holds(operator, key, values, context) for operator, keys in statement.get("Condition", {}).items() for key, values in keys.items())
    )


def _holds(operator: str, key: str, values: Any, context: Mapping[str, str]) -> bool:
    found = context.get(key)
    if operator == "Null":
        return (found is None) == ("true" in listed(values))
    if found is None:
        # A condition on all values of an absent key is true, because there is none.
        return operator.endswith("IfExists") or operator == "StringNotEquals" or operator.startswith("ForAllValues:")
    operator = operator.removeprefix("ForAllValues:").removesuffix("IfExists")
    equals = any(VARIABLE.sub(lambda name: context.get(name[1], NOTHING), value) == found for value in listed(values))
    if operator == "StringNotEquals":
        return not equals
    if operator == "StringEquals":
        return equals
    if operator == "StringLike":
        return any(_like(value, found, context) for value in listed(values))
    raise Problem(f"no policy used {operator} before")


def _like(pattern: str, text: str, context: Mapping[str, str]) -> bool:
    """Whether a text matches a pattern with `*` and `?`. The value of a variable is a text, whatever it holds."""
    values = [context.get(name, NOTHING) for name in VARIABLE.findall(pattern)] if "${" in pattern else []
    return _compiled(pattern, *values).fullmatch(text) is not None


@cache
def _compiled(pattern: str, *values: str) -> re.Pattern[str]:
    parts = VARIABLE.split(pattern)
    parts[0::2] = ["".join(WILDCARDS.get(each, re.escape(each)) for each in part) for part in parts[0::2]]
    parts[1::2] = [re.escape(value) for value in values]
    return re.compile("".join(parts), re.DOTALL)
