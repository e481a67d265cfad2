"""Asks the deployed HTTP API."""

import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

from .problem import Problem
from .stack import Stack

SECONDS = 15


@dataclass(frozen=True)
class Answer:
    """Status and decoded body."""

    status: int
    body: Any


def get(stack: Stack, path: str) -> Answer:
    """An answer of any status; only silence is a problem."""
    request = urllib.request.Request(f"{stack.apiUrl}{path}", headers={"Host": stack.apiHost})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return Answer(answer.status, json.loads(answer.read()))
    except urllib.error.HTTPError as error:
        return Answer(error.code, _json_or_none(error.read()))
    except (OSError, ValueError) as error:
        raise Problem(f"the HTTP API does not answer {path}: {error}") from error


def term(stack: Stack, tenant: str, term_id: int, culture: str | None = None) -> dict[str, Any]:
    """A term that must be there."""
    path = f"/v1/tenants/{tenant}/terms/{term_id}" + (f"?culture={culture}" if culture else "")
    answer = get(stack, path)
    if answer.status != 200:
        raise Problem(f"GET {path} was answered with {answer.status}: {answer.body}")
    found: dict[str, Any] = answer.body
    return found


def _json_or_none(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None
