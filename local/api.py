"""Requests over HTTP by the standard library alone, in each thread over a connection of its own that is kept."""

import gzip
import http.client
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlencode

SECONDS = 60


@dataclass(frozen=True)
class Answer:
    """A response. The names of its headers are in lower case."""

    status: int
    headers: dict[str, str]
    content: bytes

    @cached_property
    def body(self) -> Any:
        """The JSON of the content; None where there is none."""
        return json.loads(self.content) if self.content else None

    @property
    def content_type(self) -> str:
        """Without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0]


class Api:
    """A server by its address, `host:port` with or without a scheme; `host` is the name of an API behind it."""

    def __init__(self, address: str, host: str = "", seconds: float = SECONDS) -> None:
        self._address, self._seconds = address.removeprefix("http://"), seconds
        self._host = {"Host": host} if host else {}
        self._of_thread = threading.local()

    def get(self, path: str, **query: str) -> Answer:
        """Sends a GET."""
        return self.ask("GET", path, **query)

    def post(self, path: str, body: Any, **query: str) -> Answer:
        """Sends a POST of JSON."""
        return self.ask("POST", path, {"Content-Type": "application/json"}, json.dumps(body).encode(), **query)

    def ask(self, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes | None = None, **query: str) -> Answer:
        """Sends a request; what is not plain ASCII in its path is percent-encoded. An `OSError` says that nothing answers."""
        target = quote(path, safe="/:%~") + (f"?{urlencode(query)}" if query else "")
        sent = self._host | dict(headers or {})
        is_kept = hasattr(self._of_thread, "connection")
        try:
            return self._exchange(method, target, sent, body)
        except ConnectionError:
            del self._of_thread.connection
            # The server may have closed an idle connection; every request here can be sent twice.
            if not is_kept:
                raise
            return self._exchange(method, target, sent, body)

    def _exchange(self, method: str, target: str, headers: dict[str, str], body: bytes | None) -> Answer:
        if not hasattr(self._of_thread, "connection"):
            self._of_thread.connection = http.client.HTTPConnection(self._address, timeout=self._seconds)
        connection: http.client.HTTPConnection = self._of_thread.connection
        connection.request(method, target, body, headers)
        response = connection.getresponse()
        content, found = response.read(), {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status, found, gzip.decompress(content) if content and found.get("content-encoding") == "gzip" else content)
