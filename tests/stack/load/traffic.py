"""Requests at a steady rate over several connections, for `load.py`."""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from local.api import Answer, Api
from oracle import Json
from stack import Stack

CONNECTIONS = 8


@dataclass(frozen=True)
class Question:
    """A request below a tenant. `kind` is the name under which it is counted."""

    kind: str
    path: str
    query: dict[str, str]
    body: Json | None = None
    #: The term, the query or the version that the check of the response needs.
    subject: int | str | None = None
    #: The version that must answer, of a request for the past.
    pinned: int | None = None
    #: The tag of a response that the caller has, and its version.
    tag: str | None = None
    known: int | None = None

    def __str__(self) -> str:
        query = "&".join(f"{name}={value}" for name, value in self.query.items())
        return f"{self.path}?{query}"


#: Takes a response with the time at which its request began and the seconds until the response had arrived. It is called by several threads.
Take = Callable[[Question, Answer, float, float], None]


def drive(running: Stack, tenant: str, rate: int, draw: Callable[[random.Random], Question], take: Take, stop: threading.Event, seed: int = 0) -> list[threading.Thread]:
    """Starts the connections, which send `rate` requests a second together until `stop` is set. A connection that fails raises in its thread."""
    arguments = (running, tenant, CONNECTIONS / rate, draw, take, stop)
    threads = [threading.Thread(target=_send, args=(*arguments, seed + number), daemon=True) for number in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    return threads


def _send(running: Stack, tenant: str, pause: float, draw: Callable[[random.Random], Question], take: Take, stop: threading.Event, seed: int) -> None:
    api, dice, due = Api(running.api_url, running.api_host), random.Random(seed), time.monotonic()
    while not stop.is_set():
        # A delay of more than a second is not caught up.
        due = max(due + pause, time.monotonic() - 1)
        if stop.wait(max(0.0, due - time.monotonic())):
            return
        question = draw(dice)
        path = f"/v1/tenants/{tenant}/{question.path}".rstrip("/")
        began = time.monotonic()
        tag = {"If-None-Match": question.tag} if question.tag else {}
        answer = api.post(path, question.body, **question.query) if question.body else api.ask("GET", path, tag, **question.query)
        take(question, answer, began, time.monotonic() - began)
