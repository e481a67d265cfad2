"""The rules that a schema cannot express: the valid requests that are refused nevertheless, and the reasons."""

from urllib.parse import parse_qs, urlsplit

import schemathesis
from schemathesis.specs.openapi.checks import negative_data_rejection, response_schema_conformance

#: A cursor is opaque, so only one from a response is accepted.
CURSOR = "/query/cursor"
#: Parameters that exclude each other.
CHOICES = {
    # Gaps are those of a culture.
    "/query/culture": ({"culture"}, 0),
    "/query/asOf": ({"version", "asOf"}, 2),
    "/query/path": ({"path", "notation", "scheme", "id"}, None),
    "/query/id": ({"scheme"}, 1),
    "/query/below": ({"category", "below"}, 2),
    "/query/dialect": ({"dialect"}, 1),
    "/query/depth": ({"depth", "parents"}, 2),
    "/query/parents": ({"below"}, 0),
}


@schemathesis.check
def refused_for_a_reason(ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """A request that fits the description is refused only for a reason that the description cannot express."""
    if response.status_code != 400 or case.meta is None or not case.meta.generation.mode.is_positive:
        return
    query = parse_qs(urlsplit(response.request.url).query, keep_blank_values=True)
    if case.method.upper() == "HEAD":
        reasons = [{"cursor"}, {"version", "asOf"}, {"category", "below"}, {"dialect"}, {"parents"}]
        known = "/resolve" in case.path or "/gaps" in case.path or any(reason <= set(query) for reason in reasons)
        assert known, f"HEAD was refused: {response.request.url}"
        return
    pointer = response.json().get("pointer")
    if pointer == CURSOR:
        assert "cursor" in query, response.text
        return
    names, count = CHOICES.get(pointer, (set(), None))
    chosen = len(names & set(query))
    assert names and (chosen != 1 if count is None else chosen == count), f"{pointer}: {response.text}"


@schemathesis.check
def refused_or_answered_in_its_place(ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """A request that does not fit the description is refused, but for an id of a batch that cannot be one: the answer says so in its place."""
    if response.status_code == 200 and _asks_for_no_id(response, case):
        return
    negative_data_rejection(ctx, response, case)


def _asks_for_no_id(response: schemathesis.Response, case: schemathesis.Case) -> bool:
    """Whether a batch holds what cannot be an id."""
    if case.path.endswith("/terms"):
        ids = ",".join(parse_qs(urlsplit(response.request.url).query).get("ids", [])).split(",")
        return any(not (each.isascii() and each.isdecimal() and int(each) < 2**53) for each in ids)
    return case.path.endswith("/terms:batchGet") and any(item.get("status") == 400 for item in response.json()["items"])


@schemathesis.check
def answers_fit(ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """Every response fits its schema, except one with selected `fields`, which lacks members that are required otherwise."""
    query = parse_qs(urlsplit(response.request.url).query, keep_blank_values=True)
    if not (response.status_code in (200, 202) and "fields" in query):
        response_schema_conformance(ctx, response, case)
