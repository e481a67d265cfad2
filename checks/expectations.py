"""The expected response to each sample of `events/`, once `samples/job-board-v1.json` is projected."""

import base64
import json
from collections.abc import Callable
from typing import Any

#: Says what is wrong with a payload, or nothing.
Expectation = Callable[[Any], "str | None"]


def _error(payload: Any) -> str | None:
    if isinstance(payload, dict) and "errorType" in payload:
        return f"the function failed with {payload['errorType']}: {payload.get('errorMessage')}"
    return None


def handled(payload: Any) -> str | None:
    """The function did not fail; SNS and schedules ignore its response."""
    return _error(payload)


def all_done(payload: Any) -> str | None:
    """No message of the batch has to come back."""
    if complaint := _error(payload):
        return complaint
    return None if payload == {"batchItemFailures": []} else f"expected no batch item failure, got {json.dumps(payload)}"


def answers(status: int, *members: str) -> Expectation:
    """An HTTP answer with this status, whose JSON body has these members."""

    def check(payload: Any) -> str | None:
        if complaint := _error(payload):
            return complaint
        if not isinstance(payload, dict) or payload.get("statusCode") != status:
            return f"expected status {status}, got {json.dumps(payload)[:300]}"
        missing = set(members) - set(json.loads(payload["body"]))
        return f"the body lacks {', '.join(sorted(missing))}" if missing else None

    return check


def has(status: int, octets: int) -> Expectation:
    """An HTTP answer with this status and a body of at least so many bytes as the client gets it; with 0, of none."""

    def check(payload: Any) -> str | None:
        if complaint := _error(payload):
            return complaint
        if not isinstance(payload, dict) or payload.get("statusCode") != status:
            return f"expected status {status}, got {json.dumps(payload)[:300]}"
        body = payload["body"]
        found = len(base64.b64decode(body) if payload["isBase64Encoded"] else body.encode())
        return None if (found >= octets if octets else not found) else f"a body of {found} bytes"

    return check


def is_problem(status: int, code: str) -> Expectation:
    """A problem document (RFC 9457) of this code."""

    def check(payload: Any) -> str | None:
        if complaint := answers(status, "type", "title", "status")(payload):
            return complaint
        kind = json.loads(payload["body"])["type"]
        return None if kind == f"/problems/{code}" else f"expected the problem {code}, got {kind}"

    return check


EXPECTED: dict[str, Expectation] = {
    "aggregator/deferred.json": all_done,
    "aggregator/head-committed.json": all_done,
    "aggregator/head-refused.json": all_done,
    "aggregator/mixed-batch.json": all_done,
    "aggregator/own-write.json": all_done,
    "lookup/batch-post.json": answers(200, "items"),
    "lookup/invalid-id.json": is_problem(400, "invalid-id"),
    "lookup/openapi.json": answers(200, "openapi", "paths"),
    "lookup/children.json": answers(200, "items"),
    "lookup/term-culture.json": answers(200, "id", "finalName", "ancestors", "requestedCulture"),
    "lookup/term-unknown.json": is_problem(404, "term-not-found"),
    "lookup/term.json": answers(200, "id", "finalName", "ancestors"),
    "pages/config.json": answers(200, "formatVersion", "source", "auth"),
    "pages/docs-head.json": has(200, 0),
    "pages/explore.json": has(200, 300),
    "pages/unknown.json": has(404, 10),
    "projector/audit.json": all_done,
    "projector/audit-full.json": all_done,
    "projector/audit-of-a-run.json": all_done,
    "projector/download.json": all_done,
    "projector/retry-destination.json": all_done,
    "projector/retry-sweep.json": all_done,
    "projector/retry-tenant.json": all_done,
    "projector/retry-tried.json": all_done,
    "projector/s3-test-event.json": handled,
    "projector/scheduled-audit.json": handled,
    "projector/scheduled-sources.json": handled,
    "projector/scheduled.json": handled,
    "projector/upload-several.json": handled,
    "projector/upload.json": handled,
}
