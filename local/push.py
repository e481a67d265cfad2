"""Uploads a taxonomy and follows it until it is published or refused."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import aws, http_api
from .problem import Problem
from .say import Ticker, say
from .stack import Stack

#: Ample: the emulator takes some 1,800 writes a second, and 60,000 items are a large taxonomy here.
SECONDS_TO_PUBLISH = 300
#: A running lookup looks at a head every 2 seconds at most; the rest is slack.
SECONDS_A_HEAD_IS_KEPT = 10


@dataclass(frozen=True)
class Head:
    """What the tenant's head says about an upload; its attributes are described in docs/decisions/0001-table.md."""

    version: int
    projected: int
    source: str
    refused: str
    report: str

    @staticmethod
    def of(item: dict[str, Any] | None) -> "Head":
        """From the item; a tenant without one is at version 0."""
        item = item or {}
        source, refused = (item.get(name, {}).get("M", {}) for name in ("Source", "Refused"))
        return Head(
            version=int(item.get("V", {}).get("N", 0)),
            projected=int(item.get("Projected", {}).get("N", 0)),
            source=source.get("VersionId", {}).get("S", ""),
            refused=refused.get("VersionId", {}).get("S", ""),
            report=refused.get("Report", {}).get("S", ""),
        )


def push(stack: Stack, file: Path, tenant: str) -> None:
    """Ends when the version that holds the file answers over HTTP; a refused file is a `Problem` after its report."""
    try:
        body = file.read_bytes()
    except OSError as error:
        raise Problem(f"{file} cannot be read: {error.strerror}") from error
    before = _head(stack, tenant).version
    say(f"Uploading {file.name} ({len(body):,} bytes) to taxonomies/{tenant}.json")
    started = time.monotonic()
    _, upload = aws.put_object(stack.sourceBucket, f"taxonomies/{tenant}.json", body)
    head = _follow(stack, tenant, upload)
    if head.refused == upload:
        _show_report(stack, head)
        raise Problem(f"{file.name} was refused; tenant {tenant} stays at version {head.projected}")
    _confirm(stack, tenant, head)
    what = f"version {head.version} is published" if head.version > before else f"nothing changed, version {head.version} stays"
    say(f"    {what} after {time.monotonic() - started:.1f} s")


def _follow(stack: Stack, tenant: str, upload: str) -> Head:
    ticker = Ticker()
    deadline = time.monotonic() + SECONDS_TO_PUBLISH
    while time.monotonic() < deadline:
        head = _head(stack, tenant)
        if upload not in (head.source, head.refused):
            ticker.show("waiting for the projector to look at it")
        elif head.refused == upload or head.projected == head.version:
            ticker.end()
            return head
        else:
            ticker.show(f"version {head.version} is committed, version {head.projected} is projected")
        time.sleep(0.2)
    ticker.end()
    raise Problem(f"the upload was not published within {SECONDS_TO_PUBLISH} s: `make logs` shows what the projector said")


def _head(stack: Stack, tenant: str) -> Head:
    return Head.of(aws.get_item(stack.table, f"TAXONOMY#{tenant}", "HEAD"))


def _confirm(stack: Stack, tenant: str, head: Head) -> None:
    deadline = time.monotonic() + SECONDS_A_HEAD_IS_KEPT
    while True:
        answer = http_api.get(stack, f"/v1/tenants/{tenant}")
        if answer.status == 200 and answer.body["projectedVersion"] >= head.version:
            return
        if time.monotonic() > deadline:
            raise Problem(f"the head is at version {head.version}, but the HTTP API says {answer.status} {answer.body}")
        time.sleep(0.2)


def _show_report(stack: Stack, head: Head) -> None:
    body = aws.get_object(stack.changesetsBucket, head.report) if head.report else None
    if body is None:
        return
    for issue in json.loads(body).get("issues", [])[:20]:
        say(f"    {issue.get('severity')} {issue.get('code')} at {issue.get('pointer')}: {issue.get('message')}")
