"""The few AWS requests that are needed here, without an SDK: the emulator checks no signature."""

import json
import urllib.parse
from typing import Any
from xml.etree import ElementTree

from .api import Answer, Api
from .paths import REGION, endpoint
from .problem import Problem


def stack_outputs(stack: str) -> dict[str, str]:
    """The Outputs of the template."""
    form = urllib.parse.urlencode({"Action": "DescribeStacks", "Version": "2010-05-15", "StackName": stack}).encode()
    answer = _ask("cloudformation", "POST", "/", form, {"Content-Type": "application/x-www-form-urlencoded"})
    space = "{http://cloudformation.amazonaws.com/doc/2010-05-15/}"
    members = [member for outputs in ElementTree.fromstring(answer.content).iter(f"{space}Outputs") for member in outputs]
    return {m.findtext(f"{space}OutputKey", ""): m.findtext(f"{space}OutputValue", "") for m in members}


def log_messages(function: str) -> list[str]:
    """All lines of a function's log, oldest first."""
    messages: list[str] = []
    ask: dict[str, Any] = {"logGroupName": f"/aws/lambda/{function}"}
    headers = {"Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": "Logs_20140328.FilterLogEvents"}
    while True:
        page = _ask("logs", "POST", "/", json.dumps(ask).encode(), headers).body
        messages += [event["message"].rstrip("\n") for event in page.get("events", [])]
        if not page.get("nextToken"):
            return messages
        ask["nextToken"] = page["nextToken"]


def function_variables(function: str) -> dict[str, str]:
    """The environment that a deployed function is given."""
    found: dict[str, str] = _ask("lambda", "GET", f"/2015-03-31/functions/{function}/configuration").body["Environment"]["Variables"]
    return found


def _ask(service: str, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Answer:
    # The emulator reads account, region and service from here.
    scope = f"test/20260101/{REGION}/{service}/aws4_request"
    signed = {"Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0", **(headers or {})}
    try:
        answer = Api(endpoint()).ask(method, path, signed, body)
    except OSError as error:
        raise Problem(f"the emulator does not answer at {endpoint()}: {error}") from error
    if answer.status != 200:
        raise Problem(f"the emulator answers {answer.status} to a request to {service}: {answer.content[:300].decode(errors='replace')}")
    return answer
