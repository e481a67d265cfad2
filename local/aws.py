"""The few AWS requests that are needed here, made by the standard library alone: the emulator checks no signature."""

import json
import urllib.error
import urllib.parse
import urllib.request
from xml.etree import ElementTree
from typing import Any

from .paths import REGION, endpoint
from .problem import Problem

SECONDS = 60


def stack_outputs(stack: str) -> dict[str, str]:
    """The Outputs of the template."""
    form = urllib.parse.urlencode({"Action": "DescribeStacks", "Version": "2010-05-15", "StackName": stack}).encode()
    _, body = _request("POST", "/", "cloudformation", form, {"Content-Type": "application/x-www-form-urlencoded"})
    space = "{http://cloudformation.amazonaws.com/doc/2010-05-15/}"
    outputs = ElementTree.fromstring(body).iter(f"{space}Outputs")
    members = [member for output in outputs for member in output]
    return {m.findtext(f"{space}OutputKey", ""): m.findtext(f"{space}OutputValue", "") for m in members}


def log_messages(group: str, since_ms: int = 0) -> list[str]:
    """All lines of a log group since a moment, oldest first."""
    messages: list[str] = []
    ask: dict[str, Any] = {"logGroupName": group, "startTime": since_ms}
    while True:
        page = _json("logs", "Logs_20140328.FilterLogEvents", ask)
        messages += [event["message"].rstrip("\n") for event in page.get("events", [])]
        if not page.get("nextToken"):
            return messages
        ask["nextToken"] = page["nextToken"]


def _json(service: str, target: str, body: dict[str, Any]) -> dict[str, Any]:
    headers = {"Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": target}
    answer: dict[str, Any] = json.loads(_request("POST", "/", service, json.dumps(body).encode(), headers)[1])
    return answer


def _request(method: str, path: str, service: str, body: bytes | None, headers: dict[str, str]) -> tuple[dict[str, str], bytes]:
    # The emulator reads account, region and service from here.
    scope = f"test/20260101/{REGION}/{service}/aws4_request"
    signed = {"Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0", **headers}
    request = urllib.request.Request(f"{endpoint()}{path}", data=body, headers=signed, method=method)
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return {name.lower(): value for name, value in answer.headers.items()}, answer.read()
    except urllib.error.HTTPError:
        raise
    except OSError as error:
        raise Problem(f"the emulator does not answer at {endpoint()}: {error}") from error
