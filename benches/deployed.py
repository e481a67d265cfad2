"""The instructions of a deployed program: the binary that Lambda starts, under callgrind, between a runtime API and a table that knows a few items.

Runtime, sockets, TLS and logging are counted; the sandbox, the network and DynamoDB are not there. Each response leaves in one piece, so that
the program's reads are the same in each run.
"""

import json
import signal
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from local.paths import ROOT
from local.problem import Problem
from local.shell import require

from .valgrind import CALLGRIND, number_after

Json = dict[str, Any]
#: Answers a request: method and path, headers in lower case, body. None keeps the client waiting.
Respond = Callable[[str, dict[str, str], bytes], bytes | None]

#: Invocations of the shorter and of the longer run, whose difference is a hundred.
FEW, MANY = 11, 111
#: A cold start takes seconds under callgrind.
LONGEST_SECONDS = 180
CERTIFICATES = ROOT / "target" / "programs" / "certificates"
#: The environment of the lookup (template.yaml), and that of every function; the token is as long as Lambda's.
ENVIRONMENT = {
    "AWS_LAMBDA_FUNCTION_NAME": "taxonomy-lookup",
    "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
    "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "256",
    "AWS_LAMBDA_LOG_GROUP_NAME": "/aws/lambda/taxonomy-lookup",
    "AWS_LAMBDA_LOG_STREAM_NAME": "stream",
    "AWS_REGION": "eu-west-1",
    "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_SESSION_TOKEN": "IQoJb3JpZ2luX2VjEXAMPLE" + "t" * 640,
    "TABLE_NAME": "taxonomy",
    "AUTH_MODE": "iam",
    "STAGE": "prod",
    "CHANGESETS_BUCKET": "taxonomy-changesets",
    "DOWNLOAD_QUEUE_URL": "https://sqs.eu-west-1.amazonaws.com/123456789012/taxonomy-downloads",
    "ALL_TENANTS_SCOPE": "taxonomy/all-tenants",
    "CACHE_CONTROL": "private, no-cache",
    "LOG_LEVEL": "info",
}


def count(program: Path, canned: Json, reads: bool = True) -> dict[str, int]:
    """The instructions of a program from its start to its first request for an event, of its first answer over TLS, and of later answers.

    `canned` has the table's responses and the event of a request. A program that reads nothing has no answer that differs from another.
    """
    first, again = _events(canned, 1), _events(canned, MANY, is_same=True)
    with _table(canned, tls=True) as secure, _table(canned, tls=False) as plain:
        to_first_event = _run(program, secure, [])
        found = {"to_first_event": to_first_event, "first_answer": _run(program, secure, first) - to_first_event}
        runs = {"hit": again, "miss": _events(canned, MANY)} if reads else {"answer": again}
        for name, events in runs.items():
            found[name] = (_run(program, plain, events) - _run(program, plain, events[:FEW])) // (MANY - FEW)
    return found


def _events(canned: Json, number: int, is_same: bool = False) -> list[bytes]:
    """Requests for one term, or each for another one, whose id has as many digits."""

    def event(place: int) -> bytes:
        event = json.loads(json.dumps(canned["event"]))
        term = str(canned["term"] if is_same else canned["others"] + place)
        path = event["rawPath"].rsplit("/", 1)[0] + "/" + term
        event["rawPath"] = event["requestContext"]["http"]["path"] = path
        event["pathParameters"]["id"] = term
        return json.dumps(event).encode()

    return [event(place) for place in range(number)]


def _run(program: Path, table: str, events: list[bytes]) -> int:
    """The instructions of a program until it has answered all events and requests another one."""
    ended, failures = threading.Event(), list[str]()
    waiting = iter(events)

    def respond(path: str, _: dict[str, str], body: bytes) -> bytes | None:
        if path.endswith("/invocation/next"):
            if (event := next(waiting, None)) is not None:
                return _response(event, **INVOCATION)
            ended.set()
            return None
        if not path.endswith("/response") or json.loads(body).get("statusCode", 200) != 200:
            failures.append(f"{path}: {body.decode(errors='replace')}")
            ended.set()
        return _response(b"", status="202 Accepted")

    with _server(respond) as api:
        trusted = {name: str(CERTIFICATES / "root.pem") for name in ("AWS_CA_BUNDLE", "SSL_CERT_FILE")}
        environment = ENVIRONMENT | trusted | {"AWS_LAMBDA_RUNTIME_API": api, "AWS_ENDPOINT_URL": table}
        command = [require("valgrind", "nothing can be counted without it"), *CALLGRIND, program]
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        has_ended = ended.wait(LONGEST_SECONDS)
        process.send_signal(signal.SIGTERM)
        _, report = process.communicate(timeout=LONGEST_SECONDS)
    if failures or not has_ended:
        raise Problem(f"{program.name} did not answer under valgrind: {failures or report}")
    return number_after("Collected :", report)


INVOCATION = {
    "lambda-runtime-aws-request-id": "8476a536-e9f4-11e8-9739-2dfe598c3fcd",
    "lambda-runtime-deadline-ms": "99999999999999",
    "lambda-runtime-invoked-function-arn": "arn:aws:lambda:eu-west-1:123456789012:function:taxonomy-lookup",
    "lambda-runtime-trace-id": "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=0",
}


@contextmanager
def _table(canned: Json, tls: bool) -> Iterator[str]:
    """The URL of a table with the canned responses."""

    def respond(_: str, headers: dict[str, str], body: bytes) -> bytes:
        operation = headers.get("x-amz-target", "").rpartition(".")[2]
        keys = json.loads(body).get("Key", {})
        ids = [part for key in ("SK", "PK") for part in keys.get(key, {}).get("S", "").split("#") if part.isdigit()]
        of_term = canned["item"].replace(f'"{canned["term"]}"', f'"{ids[-1] if ids else 0}"')
        answer = {"Query": canned["head"], "GetItem": of_term}.get(operation, "{}")
        return _response(answer.encode(), **{"content-type": "application/x-amz-json-1.0", "x-amzn-requestid": "VHDE6S" + "0" * 46})

    with _server(respond, _certificates() if tls else None) as address:
        yield f"{'https' if tls else 'http'}://{address}"


def _response(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers.items()), f"content-length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


@contextmanager
def _server(respond: Respond, context: ssl.SSLContext | None = None) -> Iterator[str]:
    """The address of an HTTP server."""

    class Handler(socketserver.StreamRequestHandler):
        disable_nagle_algorithm = True

        def setup(self) -> None:
            if context:
                self.request = context.wrap_socket(self.request, server_side=True)
            super().setup()

        def handle(self) -> None:
            while line := self.rfile.readline():
                pairs = (header.split(":", 1) for header in iter(lambda: self.rfile.readline().decode().strip(), ""))
                headers = {name.lower(): value.strip() for name, value in pairs}
                response = respond(line.decode().split(" ")[1], headers, self._body(headers))
                if response is None:
                    ended.wait(LONGEST_SECONDS)
                    return
                self.wfile.write(response)

        def _body(self, headers: dict[str, str]) -> bytes:
            if headers.get("transfer-encoding") != "chunked":
                return self.rfile.read(int(headers.get("content-length", 0)))
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

    ended = threading.Event()
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        # A program under valgrind is ended while it is connected.
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield "{}:{}".format(*server.server_address)
        finally:
            ended.set()
            server.shutdown()


def _certificates() -> ssl.SSLContext:
    """A chain of three RSA certificates for 127.0.0.1, as AWS endpoints have: verifying another kind would take other instructions."""
    if not (CERTIFICATES / "chain.pem").exists():
        CERTIFICATES.mkdir(parents=True, exist_ok=True)
        (CERTIFICATES / "ca.txt").write_text("basicConstraints=critical,CA:true\nkeyUsage=keyCertSign\n")
        (CERTIFICATES / "leaf.txt").write_text("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n")
        _openssl("req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -days 3650 -subj /CN=root -addext basicConstraints=critical,CA:true")
        for name, issuer, extensions in (("middle", "root", "ca.txt"), ("leaf", "middle", "leaf.txt")):
            _openssl(f"req -newkey rsa:2048 -nodes -keyout {name}.key -out {name}.csr -subj /CN={name}")
            _openssl(f"x509 -req -in {name}.csr -CA {issuer}.pem -CAkey {issuer}.key -CAcreateserial -days 3650 -extfile {extensions} -out {name}.pem")
        (CERTIFICATES / "chain.pem").write_text((CERTIFICATES / "leaf.pem").read_text() + (CERTIFICATES / "middle.pem").read_text())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / "chain.pem", CERTIFICATES / "leaf.key")
    return context


def _openssl(arguments: str) -> None:
    program = require("openssl", "the certificates of the table are made by it")
    done = subprocess.run([program, *arguments.split(" ")], cwd=CERTIFICATES, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Problem(f"openssl failed: {done.stderr}")
