"""A proxy before the emulator that records every request in IAM's terms: action, resource and condition keys."""

import json
import re
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from xml.etree import ElementTree

Context = dict[str, str]
ACCOUNT, REGION = "000000000000", "us-east-1"


@dataclass(frozen=True)
class Right:
    """A permission that a request needs."""

    action: str
    resource: str
    context: tuple[tuple[str, str], ...] = ()


@dataclass
class Recorder:
    """The recorded requests."""

    #: The emulator, `host:port`.
    emulator: str
    rights: list[Right] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


@contextmanager
def recording(emulator: str) -> Iterator[tuple[str, Recorder]]:
    """Runs the proxy; returns its address and its record."""
    recorder = Recorder(emulator)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline(65537)
            if not self.raw_requestline or not self.parse_request():
                self.close_connection = True
                return
            _forward(self, recorder)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Suppresses the log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", recorder
    finally:
        server.shutdown()
        server.server_close()


def _forward(handler: BaseHTTPRequestHandler, recorder: Recorder) -> None:
    body = _body(handler)
    headers = {name.lower(): value for name, value in handler.headers.items()}
    try:
        recorder.rights += rights(handler.command, handler.path, headers, body)
    except (KeyError, ValueError, TypeError) as error:
        recorder.unknown.append(f"{handler.command} {handler.path} {headers.get('x-amz-target', '')}: {error!r}")
    connection = HTTPConnection(recorder.emulator, timeout=60)
    kept = {name: value for name, value in headers.items() if name not in ("transfer-encoding", "connection", "expect")}
    kept["content-length"] = str(len(body))
    connection.request(handler.command, handler.path, body, kept)
    answer = connection.getresponse()
    content = answer.read()
    status = answer.status
    # Without the permission to list, a missing object is forbidden.
    if status == 404 and _service(headers) == "s3":
        status, content = 403, b"<Error><Code>AccessDenied</Code></Error>" if handler.command == "GET" else b""
    handler.send_response_only(status)
    for name, value in answer.getheaders():
        if name.lower() not in ("transfer-encoding", "connection", "content-length"):
            handler.send_header(name, value)
    length = answer.getheader("content-length") if handler.command == "HEAD" else str(len(content))
    handler.send_header("content-length", length or "0")
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(content)
    connection.close()


def _body(handler: BaseHTTPRequestHandler) -> bytes:
    if "chunked" in handler.headers.get("transfer-encoding", ""):
        body = b""
        while size := int(handler.rfile.readline().split(b";")[0], 16):
            body += handler.rfile.read(size)
            handler.rfile.readline()
        handler.rfile.readline()
        return body
    return handler.rfile.read(int(handler.headers.get("content-length", "0")))


def _service(headers: dict[str, str]) -> str:
    scope = re.search(r"Credential=[^/]+/\d+/[^/]+/([^/]+)/aws4_request", headers.get("authorization", ""))
    if scope is None:
        raise ValueError("the request is not signed")
    return scope[1]


def rights(method: str, path: str, headers: dict[str, str], body: bytes) -> list[Right]:
    """Returns the permissions that a request needs, by the service that its signature names."""
    service = _service(headers)
    target = headers.get("x-amz-target", "").rsplit(".", 1)[-1]
    url = urllib.parse.urlsplit(path)
    if service == "dynamodb":
        return _dynamodb(target, json.loads(body))
    if service == "s3":
        return _s3(method, url.path, dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True)), headers, body)
    if service == "sqs":
        queue = json.loads(body)["QueueUrl"].rsplit("/", 1)[-1]
        return [Right(f"sqs:{target}", f"arn:aws:sqs:{REGION}:{ACCOUNT}:{queue}")]
    if service == "execute-api":
        api = headers["host"].split(".", 1)[0]
        return [Right("execute-api:Invoke", f"arn:aws:execute-api:{REGION}:{ACCOUNT}:{api}/$default/{method}{url.path}")]
    form = dict(urllib.parse.parse_qsl(body.decode()))
    if service == "cloudformation":
        return [Right(f"cloudformation:{form['Action']}", f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/{form['StackName']}/0")]
    if service == "sts" and form["Action"] == "GetCallerIdentity":
        return []  # always allowed
    if service == "sts":
        return [Right(f"sts:{form['Action']}", form["RoleArn"])]
    raise ValueError(f"the service {service} is not expected")


def _dynamodb(operation: str, request: dict[str, Any]) -> list[Right]:
    if operation == "TransactWriteItems":
        names = {"Put": "PutItem", "Update": "UpdateItem", "ConditionCheck": "ConditionCheckItem", "Delete": "DeleteItem"}
        return [right for item in request["TransactItems"] for kind, part in item.items() for right in _dynamodb(names[kind], part)]
    table = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{request['TableName']}"
    if operation == "Scan":
        return [Right("dynamodb:Scan", table)]
    if "KeyConditionExpression" in request:
        # The first key of a query is the key of the partition.
        name = re.search(r"=\s*(:\w+)", request["KeyConditionExpression"])
        if name is None:
            raise ValueError(request["KeyConditionExpression"])
        leading = request["ExpressionAttributeValues"][name[1]]["S"]
        table += f"/index/{request['IndexName']}" if "IndexName" in request else ""
    else:
        leading = (request.get("Key") or request["Item"])["PK"]["S"]
    return [Right(f"dynamodb:{operation}", table, (("dynamodb:LeadingKeys", leading),))]


def _s3(method: str, path: str, query: dict[str, str], headers: dict[str, str], body: bytes) -> list[Right]:
    bucket, _, key = urllib.parse.unquote(path.lstrip("/")).partition("/")
    arn = f"arn:aws:s3:::{bucket}"
    prefix = (("s3:prefix", query["prefix"]),) if "prefix" in query else ()
    if not key and "versions" in query:
        return [Right("s3:ListBucketVersions", arn, prefix)]
    if not key and "delete" in query:
        objects = [each for each in ElementTree.fromstring(body).iter() if each.tag.endswith("Object")]
        found = [{part.tag.rsplit("}", 1)[-1]: part.text or "" for part in each} for each in objects]
        # The API reference requires s3:DeleteObject for every object, and s3:DeleteObjectVersion for a version.
        versions = [Right("s3:DeleteObjectVersion", f"{arn}/{each['Key']}") for each in found if "VersionId" in each]
        return [*(Right("s3:DeleteObject", f"{arn}/{each['Key']}") for each in found), *versions]
    if not key:
        return [Right("s3:ListBucket", arn, prefix)]
    actions = {"GET": "s3:GetObject", "HEAD": "s3:GetObject", "PUT": "s3:PutObject", "DELETE": "s3:DeleteObject"}
    stated = tuple((f"s3:{name}", headers[name]) for name in ("if-none-match", "if-match") if name in headers)
    return [Right(actions[method], f"{arn}/{key}", stated)]
