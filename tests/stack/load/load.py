"""Mixed traffic while versions of a real taxonomy are published; prints its measurements as JSON.

`python3 -m checks load` runs it, over the deployed stack or over a host of the deployed programs, and judges the measurements. Each response is
compared with the file of the version that it names, by the oracle of this suite.
"""

import argparse
import bisect
import itertools
import json
import random
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path

from figures import caches_kib, quantiles, resident
from hosted import Hosted
from local.api import Answer
from oracle import Json, Taxonomy
from stack import Stack, stack
from stamped import releases, stamped
from traffic import Question, drive

BATCH = 20
#: The most versions that a request for the past goes back.
BACK = 5
#: No response may be older than the version that was published so long before its request began.
FRESH_SECONDS = 2.0
COMMIT_SECONDS = 120
#: Versions whose files are kept: more than a response can be of.
KEPT = 2 * BACK
#: In the last tenth of a load over the host each so many requests to table and bucket are refused.
THROTTLED = 20


@dataclass
class Published:
    """A version, and since when it is served, by the monotonic clock."""

    taxonomy: Taxonomy | None
    served: float | None = None
    #: A time at which it was the newest version.
    settled_at: str | None = None


@dataclass
class Load:
    """The versions of a tenant, and the results of all connections."""

    running: Stack
    tenant: str
    files: list[Json]
    versions: list[Published] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    statuses: Counter[int] = field(default_factory=Counter)
    latencies: dict[str, list[int]] = field(default_factory=dict)
    failures: int = 0
    wrong: int = 0
    #: Items of batches that say that they could not be read.
    unread: int = 0
    stale: int = 0
    oldest: float = 0.0
    first: dict[int, float] = field(default_factory=dict)
    examples: list[str] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    sums: list[float] = field(default_factory=list)
    cultures: list[str] = field(default_factory=list)
    #: The first version of each term.
    since: dict[int, int] = field(default_factory=dict)
    #: A term that was answered, for a request under its tag.
    last: Question | None = None

    def rank(self, seed: int) -> None:
        """Ranks the terms of the first version by a seed."""
        self.ids, self.cultures = sorted(self.of(1).terms), self.of(1).cultures
        random.Random(seed).shuffle(self.ids)
        self.sums = list(itertools.accumulate(1 / rank for rank in range(1, len(self.ids) + 1)))

    def publish(self, stop: threading.Event) -> bool:
        """Publishes the next version and waits until it is served. Returns whether it was."""
        number = len(self.versions) + 1
        file = stamped(self.files, number)
        taxonomy = Taxonomy(file)
        published = Published(taxonomy)
        for term in taxonomy.terms:
            self.since.setdefault(term, number)
        self.versions.append(published)
        if number > KEPT:
            self.versions[number - 1 - KEPT].taxonomy = None
        self.running.push(self.tenant, json.dumps(file).encode(), Metadata={"allow-removals": "true"})
        ends = time.monotonic() + COMMIT_SECONDS
        while time.monotonic() < ends:
            if self.running.head_item(self.tenant).get("V") == number:
                published.served = time.monotonic()
                published.settled_at = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
                return True
            if stop.wait(0.1):
                return False
        self.fail(f"version {number} is not served after {COMMIT_SECONDS} s")
        return False

    def of(self, version: int) -> Taxonomy:
        """Returns the file of a version that is kept."""
        found = self.versions[version - 1].taxonomy
        if found is None:
            raise AssertionError(f"a response of version {version}, which is long past")
        return found

    def newest(self) -> int:
        """Returns the newest version that is served."""
        return max((number for number, each in enumerate(self.versions, 1) if each.served is not None), default=1)

    def term(self, dice: random.Random) -> int:
        """Draws a term by Zipf's law."""
        return self.ids[min(bisect.bisect(self.sums, dice.random() * self.sums[-1]), len(self.ids) - 1)]

    def draw(self, dice: random.Random) -> Question:
        """Draws a request: mostly terms and batches, as consumers send; now and then every other read."""
        term, kind = self.term(dice), dice.randrange(100)
        back = self.newest() - dice.randrange(min(BACK, self.newest()))
        if kind < 6 and (last := self.last):
            return replace(last, kind="conditional")
        if kind < 58:
            culture = dice.choice(self.cultures) if dice.randrange(4) == 0 else None
            return Question("term", f"terms/{term}", {"culture": culture} if culture else {}, subject=term)
        if kind < 60:
            return Question("head", "", {}) if kind == 58 else Question("categories", "categories", {"limit": "100"})
        if kind < 72:
            return Question("batch", "terms:batchGet", {}, {"ids": [self.term(dice) for _ in range(BATCH)]})
        if kind < 80:
            taxonomy = self.of(self.newest())
            node = taxonomy.terms.get(term)
            name = taxonomy.named(node, taxonomy.default_culture)[0] if node else "a"
            query = name if len(name.split()) <= 8 else name[:4]
            return Question("suggest", "suggest", {"q": query}, subject=term)
        if kind < 86:
            return Question("children", f"terms/{term}/children", {"limit": "100"}, subject=term)
        if kind < 90:
            return Question("changes", "changes", {"after": str(back), "limit": "50"}, subject=back)
        published = self.versions[back - 1]
        # A process may not have seen a younger version.
        is_known = published.served is not None and time.monotonic() - published.served > FRESH_SECONDS
        if kind < 95 and is_known and (settled_at := published.settled_at):
            return Question("asOf", f"terms/{term}", {"asOf": settled_at}, subject=term, pinned=back)
        return Question("version", f"terms/{term}", {"version": str(back)}, subject=term, pinned=back)

    def take(self, question: Question, answer: Answer, began: float, seconds: float) -> None:
        """Counts and checks a response."""
        reason = None if answer.status >= 500 else self._differs(question, answer)
        # A host says how long the function took; what this program adds is not the function's.
        took = int(answer.headers.get("host-took", seconds * 1e6))
        with self.lock:
            self.statuses[answer.status] += 1
            self.unread += len(_unread(question, answer))
            self.latencies.setdefault(question.kind, []).append(took)
            if answer.status >= 500:
                self.failures += 1
                self._show(f"{question}: {answer}")
            elif reason:
                self.wrong += 1
                self._show(f"{question}, version {answer.headers.get('taxonomy-version')}: {reason}")
            elif question.pinned is None and answer.status == 200:
                version = int(answer.headers["taxonomy-version"])
                self._age(version, began, began + seconds)
                if question.kind == "term" and (tag := answer.headers.get("etag")):
                    self.last = replace(question, tag=tag, known=version)

    def fail(self, reason: str) -> None:
        """Counts a failure that is not a response."""
        with self.lock:
            self.failures += 1
            self._show(reason)

    def _show(self, reason: str) -> None:
        if len(self.examples) < 10:
            self.examples.append(reason[:600])

    def _age(self, version: int, began: float, ended: float) -> None:
        served = self.versions[version - 1].served
        if served is not None and version > 1:
            self.first.setdefault(version, max(0.0, ended - served))
        following = self.versions[version].served if version < len(self.versions) else None
        if following is None or began < following:
            return
        self.oldest = max(self.oldest, began - following)
        if began - following > FRESH_SECONDS:
            self.stale += 1
            self._show(f"version {version} answers {began - following:.3f} s after the next one was served")

    def _differs(self, question: Question, answer: Answer) -> str | None:
        """Returns the difference of a response from the file of its version."""
        header = answer.headers.get("taxonomy-version")
        version = int(header) if header else question.pinned or self.newest()
        if version > len(self.versions):
            return "the version was never published"
        if answer.status == 304:
            return self._unchanged(question, version)
        if answer.status == 404 and isinstance(question.subject, int) and not self._is_known(question.subject, version):
            return None
        if answer.status != 200:
            return f"status {answer.status}: {answer.body}"
        if question.pinned not in (None, version):
            return f"instead of version {question.pinned}"
        taxonomy = self.of(version)
        if question.kind == "head":
            totals, expected = answer.body["totals"], (len(taxonomy.categories), len(taxonomy.terms))
            return None if (totals["categories"], totals["terms"]) == expected else f"totals {totals} instead of {expected}"
        if question.kind == "categories":
            named = {item["id"]: item["name"] for item in answer.body["items"]}
            expected_names = {each.id: taxonomy.named(each, taxonomy.default_culture)[0] for each in taxonomy.categories.values()}
            return None if named == expected_names else f"categories {named} instead of {expected_names}"
        if question.kind == "batch" and question.body:
            items = answer.body["items"]
            if [item["id"] for item in items] != question.body["ids"]:
                return "the items are not those of the ids"
            unread = _unread(question, answer)
            read = [item for item in items if item not in unread]
            return next(filter(None, (self._term(item["id"], item.get("term"), version, None) for item in read)), None)
        if question.kind == "suggest":
            return _suggestions(taxonomy, question, answer.body["items"])
        if question.kind == "children":
            found = {item["id"]: item for item in answer.body["items"]}
            expected = {term.id: taxonomy.child_answer(term, taxonomy.default_culture) for term in taxonomy.children.get(int(question.subject or 0), [])}
            return None if found == expected else f"children {found} instead of {expected}"
        if question.kind == "changes":
            return self._changes(question, answer.body, version)
        return self._term(int(question.subject or 0), answer.body, version, question.query.get("culture"))

    def _unchanged(self, question: Question, version: int) -> str | None:
        """A 304 says that the term is the same in the version that the caller knows and in the one that the response names."""
        if question.known is None or not isinstance(question.subject, int):
            return "a 304 without a tag"
        culture = question.query.get("culture")
        before, now = (each.term_answer(question.subject, culture) if question.subject in each.terms else None for each in map(self.of, (question.known, version)))
        # Neither has it, if it was removed.
        return None if before == now else f"a 304 although version {version} has another content than {question.known}"

    def _is_known(self, term: int, version: int) -> bool:
        return self.since.get(term, version + 1) <= version

    def _term(self, term: int, found: Json | None, version: int, culture: str | None) -> str | None:
        taxonomy = self.of(version)
        if term not in taxonomy.terms:
            is_right = found["removed"] if found else not self._is_known(term, version)
            return None if is_right else f"term {term}, which the version does not have: {found}"
        expected = taxonomy.term_answer(term, culture) | {"version": version}
        differing = {name for name in expected if not found or found.get(name) != expected[name]}
        return f"term {term} differs in {sorted(differing)}: {found}" if differing else None

    def _changes(self, question: Question, body: Json, version: int) -> str | None:
        if (body["from"], body["to"]) != (question.subject, version):
            return f"changes from {body['from']} to {body['to']}"
        sides = {"before": self.of(body["from"]), "after": self.of(version)}
        for item in body["items"]:
            for side, taxonomy in sides.items():
                node = (taxonomy.categories if item["kind"] == "category" else taxonomy.terms).get(item["id"])
                state = item.get(side)
                if (node is None) != (state is None):
                    return f"{side} of {item}"
                if node and state and state["name"] != taxonomy.named(node, taxonomy.default_culture)[0]:
                    return f"the name {side} in {item}"
        return None

    def report(self) -> Json:
        """Returns the measurements in the form of the program `load`."""
        everything = [each for kind in self.latencies.values() for each in kind]
        return {
            "requests": sum(self.statuses.values()),
            "statuses": {str(status): count for status, count in sorted(self.statuses.items())},
            "kinds": {kind: quantiles(times) for kind, times in sorted(self.latencies.items())},
            "all": quantiles(everything),
            "failures": self.failures,
            "wrong": self.wrong,
            "unread": self.unread,
            "stale": self.stale,
            "oldest_ms": round(self.oldest * 1000),
            "first_ms": {str(version): round(seconds * 1000) for version, seconds in sorted(self.first.items())},
            "examples": self.examples,
            "versions": len(self.versions),
        }


def _unread(question: Question, answer: Answer) -> list[Json]:
    """The items of a batch that say by their status that they could not be read for now."""
    if question.kind != "batch" or answer.status != 200:
        return []
    return [item for item in answer.body["items"] if item["status"] == 503 and "term" not in item]


def _suggestions(taxonomy: Taxonomy, question: Question, items: list[Json]) -> str | None:
    for item in items:
        if item["kind"] == "category":
            category = taxonomy.categories.get(item["id"])
            if category is None or item["name"] != taxonomy.named(category, item["culture"])[0]:
                return f"the suggestion {item}"
            continue
        term = taxonomy.terms.get(item["id"])
        if term is None or (item["name"], item["finalName"]) != (taxonomy.named(term, item["culture"])[0], taxonomy.final_name(term, item["culture"])):
            return f"the suggestion {item}"
    return None


@dataclass
class Large:
    """A release of a large taxonomy by another tenant in the middle of the load."""

    file: Path
    tenant: str = "large"
    began: float | None = None
    figures: Json = field(default_factory=dict)

    def look(self, running: Stack, is_due: bool) -> None:
        """Uploads the file once it is due, then notes when the version is served and when its items are written."""
        if is_due and self.began is None:
            self.began = time.monotonic()
            running.push(self.tenant, self.file.read_bytes())
        if self.began is None or "loaded_ms" in self.figures:
            return
        head, passed = running.head_item(self.tenant), round((time.monotonic() - self.began) * 1000)
        if head.get("V"):
            self.figures.setdefault("served_ms", passed)
        if head.get("Projected"):
            self.figures["loaded_ms"] = passed


def main() -> int:
    """Runs the load until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("seconds", 60), ("rate", 40), ("every", 20), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--taxonomy", default="iab", help="whose releases take turns")
    parser.add_argument("--host", help="the address of a host of functions, in place of the stack")
    parser.add_argument("--large", type=Path, help="a file that another tenant publishes in the middle")
    options = parser.parse_args()
    stop = threading.Event()
    running = Hosted(options.host) if options.host else stack()
    # Before the load: a failure afterwards would lose its measurements.
    caches = caches_kib(running)
    taxonomy, files = releases(options.taxonomy)
    load = Load(running, running.fresh_tenant("load"), files)
    if not load.publish(stop):
        print(f"the first version was not served: {load.examples}", file=sys.stderr)
        return 1
    load.rank(options.seed)
    large = Large(options.large, running.fresh_tenant("large")) if options.large else None
    samples: dict[int, list[tuple[int, int]]] = {}
    refused = None
    began = time.monotonic()
    threads = drive(running, load.tenant, options.rate, load.draw, load.take, stop, options.seed)
    timer = threading.Timer(options.seconds, stop.set)
    timer.daemon = True
    timer.start()
    due = float(options.every)
    while not stop.wait(1):
        passed = time.monotonic() - began
        resident(running, samples, int(passed))
        if large:
            large.look(running, passed >= options.seconds / 2)
        if refused is None and isinstance(running, Hosted) and passed >= 0.9 * options.seconds:
            refused = running.own(f"throttle/{THROTTLED}")
        if passed >= due:
            load.publish(stop)
            due = time.monotonic() - began + options.every
        for thread in [thread for thread in threads if not thread.is_alive()]:
            threads.remove(thread)
            load.fail(f"the connection {thread.name} was ended by an exception")
    for thread in threads:
        thread.join(timeout=60)
    seconds = time.monotonic() - began
    if isinstance(running, Hosted):
        refused = running.own("throttle/0")
    settings = {"seconds": seconds, "rate": options.rate, "every_seconds": options.every, "taxonomy": taxonomy}
    more = {"caches_kib": caches, "memory": list(samples.values()), "large": large.figures if large else None, "throttled": refused}
    print(json.dumps(load.report() | settings | more))
    return 0


if __name__ == "__main__":
    sys.exit(main())
