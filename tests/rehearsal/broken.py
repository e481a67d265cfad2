"""The project's deployment, and copies of it with one fault."""

import copy
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from rehearsal.plan import Plan, read  # noqa: E402 - the project's root is known only now


@cache
def _plan() -> Plan:
    return read(ROOT / "template.yaml", "taxonomy", "eu-west-1", {})


def plan(**given: str) -> Plan:
    """The deployment of the project with these parameters."""
    made = copy.deepcopy(_plan())
    made.given = given
    return made


def broken(change: Callable[[dict[str, Any]], object], **given: str) -> Plan:
    """The same with the template changed in place."""
    made = plan(**given)
    change(made.template)
    return made
