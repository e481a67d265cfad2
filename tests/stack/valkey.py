"""A client of the second cache tier: a few commands over a socket."""

import socket
from typing import Any
from urllib.parse import urlsplit

from stack import Stack, until


class Valkey:
    """A server that answers in RESP 2; each command uses a connection of its own."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname or "", parts.port or 6379)

    def tell(self, *words: str) -> Any:
        """Sends a command and returns its reply: a text, a number, nothing, or a list of those."""
        command = f"*{len(words)}\r\n" + "".join(f"${len(word.encode())}\r\n{word}\r\n" for word in words)
        with socket.create_connection(self._address, timeout=10) as connection:
            connection.sendall(command.encode())
            with connection.makefile("rb") as answer:
                return _read(answer)


def wait_pushed(running: Stack, tenant: str, version: int) -> None:
    """Waits until the second tier has a version of a tenant, or a later one."""
    tier, key = Valkey(running.cache_url), f"tx3:{{{tenant}}}:version"
    until(f"version {version} of {tenant} in the second tier", 60, lambda: int(tier.tell("GET", key) or 0) >= version or None)


def _read(answer: Any) -> Any:
    kind, rest = (line := answer.readline())[:1], line[1:-2]
    if kind == b"+":
        return rest.decode()
    if kind == b":":
        return int(rest)
    if kind == b"$":
        return None if rest == b"-1" else answer.read(int(rest) + 2)[:-2].decode()
    if kind == b"*":
        return [_read(answer) for _ in range(int(rest))]
    raise ValueError(f"not an answer: {line!r}")
