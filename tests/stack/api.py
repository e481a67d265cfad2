"""A client of the lookup API over one kept-alive connection."""

import gzip
import http.client
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from oracle import Json


@dataclass(frozen=True)
class Answer:
    """A response with its parsed body."""

    status: int
    content_type: str
    body: Any
    headers: dict[str, str]


class Api:
    """The API. Paths are below its root: `/v1/...`."""

    def __init__(self, url: str, host: str) -> None:
        parts = urlsplit(url)
        self._address = parts.netloc
        self._secure = parts.scheme == "https"
        self._root = parts.path.rstrip("/")
        self._host = host
        self._connection: http.client.HTTPConnection | None = None

    def get(self, path: str, if_none_match: str | None = None, **query: str) -> Answer:
        """Sends a GET; a path that is not plain ASCII is percent-encoded."""
        return self._request("GET", path, query, None, if_none_match)

    def post(self, path: str, body: Json | bytes, **query: str) -> Answer:
        """Sends a POST of JSON, or of exactly the given bytes."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self._request("POST", path, query, sent)

    def ask(self, method: str, path: str, headers: dict[str, str], body: bytes | None = None, **query: str) -> Answer:
        """Sends a request of any method with these headers."""
        return self._request(method, path, query, body, headers=headers)

    def _request(
        self,
        method: str,
        path: str,
        query: dict[str, str],
        body: bytes | None,
        if_none_match: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        target = self._root + quote(path, safe="/:%~") + (f"?{urlencode(query)}" if query else "")
        content_type = {"Content-Type": "application/json"} if body is not None else {}
        headers = {"Host": self._host} | content_type | (headers or {})
        if if_none_match is not None:
            headers["If-None-Match"] = if_none_match
        try:
            return self._exchange(method, target, body, headers)
        except (http.client.RemoteDisconnected, ConnectionError):
            # The server may close an idle connection; every request here can be sent twice.
            if self._connection:
                self._connection.close()
            self._connection = None
            return self._exchange(method, target, body, headers)

    def _exchange(self, method: str, target: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        if not self._connection:
            kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
            self._connection = kind(self._address, timeout=60)
        self._connection.request(method, target, body, headers)
        response = self._connection.getresponse()
        content, content_type = response.read(), response.headers.get_content_type()
        lower = {name.lower(): value for name, value in response.headers.items()}
        if content and lower.get("content-encoding") == "gzip":
            content = gzip.decompress(content)
        return Answer(response.status, content_type, json.loads(content) if content else None, lower)
