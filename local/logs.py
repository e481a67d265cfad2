"""What the functions logged, read where CloudWatch would keep it."""

import json
from typing import Any

from . import aws
from .say import say
from .stack import Stack


def show(stack: Stack, function: str | None) -> None:
    """Prints one function's log, or all three."""
    for name in [function] if function else stack.functions:
        say(f"==> {name}")
        for line in aws.log_messages(log_group(stack, name)):
            say(line)


def projected(stack: Stack, since_ms: int) -> list[dict[str, Any]]:
    """What the projector says about each version it projected: tenant, version, items_put and so on."""
    lines = aws.log_messages(log_group(stack, "projector"), since_ms)
    records = [fields for line in lines if (fields := _fields(line)) is not None]
    return [fields for fields in records if fields.get("message") == "projected"]


def log_group(stack: Stack, function: str) -> str:
    """As template.yaml names it."""
    return f"/aws/lambda/{stack.functions[function]}"


def _fields(line: str) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None  # the platform's own lines: START, END, REPORT
    if not isinstance(record, dict):
        return None
    fields: dict[str, Any] = record.get("fields", record)
    return fields
