"""Tests of processes that are killed at any moment, and of concurrent processes: the result is that of an undisturbed process."""

import os
import random
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from chain import read_chain
from history import History
from items import Items, expected_items
from oracle import Taxonomy
from processes import kill, projectors
from stack import Stack, stack, until
from test_releases import data, same
from totals import expected_totals
from versions import expected_snapshot

KILLS = 10
# The import takes the emulator some 15 s, so a machine would have to be three times as fast to end before the kill.
LONGEST_LIFE_SECONDS = 5.0
RACES = 3
# A process that defers to another one sends a message that waits for the end of the other's heartbeat.
DEFERRAL_SECONDS = 200


class Seeded(unittest.TestCase):
    """KILL_SEED repeats the moments of a run, as far as a machine can."""

    running: Stack
    chance: random.Random

    @classmethod
    def setUpClass(cls) -> None:
        cls.running = stack()
        seed = int(os.environ.get("KILL_SEED", time.time_ns() % 1_000_000))
        print(f"\n{cls.__name__}: KILL_SEED={seed}", flush=True)
        cls.chance = random.Random(seed)


class Killed(Seeded):
    def test_an_import_that_is_killed_ten_times_ends_as_if_nothing_had_happened(self) -> None:
        running, file = self.running, data("esco/occupations-v1.json")
        tenant, taxonomy = running.fresh_tenant("killed"), Taxonomy.read(file)
        # A warm process would begin before the test observes it.
        kill(projectors(running))
        pushed = running.push(tenant, file.read_bytes())
        with ThreadPoolExecutor() as pool:
            for number in range(KILLS):
                running.end_heartbeat(tenant)
                again = pool.submit(running.look_again, tenant) if number else None
                until("a process of the projector", 30, lambda: projectors(running) or None)
                # Squared, so that some die before they commit anything, which takes them a fraction of a second.
                life = LONGEST_LIFE_SECONDS * self.chance.random() ** 2
                time.sleep(life)
                killed = kill(projectors(running))
                head = running.head_item(tenant)
                stands = f"version {head['V']} committed, {head['Projected']} projected" if head else "nothing committed"
                print(f"killed {killed} after {life:.2f} s: {stands}", flush=True)
                self.assertGreater(killed, 0)
                self.assertNotEqual(head.get("Projected"), 1, "it was done before it was killed ten times")
                if again:
                    self.assertIn("errorType", again.result(), "a process that was killed says nothing")
            running.end_heartbeat(tenant)
            self.assertEqual(running.look_again(tenant), {"batchItemFailures": []})
        head = running.wait_projected(pushed)
        self.assertEqual((head["V"], head.get("Cursor"), head.get("GSI1PK")), (1, None, None))

        history = History()
        history.commit(1, expected_items(taxonomy, tenant), head["CommittedAt"])
        same("the table after ten kills", history.table, running.projection(tenant))
        (link,) = read_chain(running, tenant)
        same("the snapshot after ten kills", expected_snapshot(taxonomy), link.snapshot)
        (told,) = running.told.wait_for(tenant, 1)
        self.assertEqual((told["data"]["from"], told["data"]["to"]), (0, 1))
        self.assertEqual(told["id"], f"published-{link.log['ChangesetId']}")
        totals = expected_totals(None, taxonomy)
        stats = running.item(f"STATS#{tenant}", "TENANT")
        self.assertEqual({name: stats[name] for name in totals}, totals)


class OutOfTime(unittest.TestCase):
    def test_an_import_that_needs_several_invocations_asks_for_them(self) -> None:
        running, file = stack(), data("esco/occupations-v1.json")
        tenant, taxonomy = running.fresh_tenant("out-of-time"), Taxonomy.read(file)
        # Each invocation reserves 40 s for its end, so this leaves it some four.
        with running.projector_timeout(44):
            pushed = running.push(tenant, file.read_bytes())
            head = running.wait_projected(pushed)
        lines = running.projector_lines("to be continued", tenant, pushed.at_ms)
        print(f"\n{tenant}: {len(lines) + 1} invocations", flush=True)
        self.assertGreater(len(lines), 0, "it was never out of time")
        self.assertEqual((head["V"], head.get("Cursor")), (1, None))
        history = History()
        history.commit(1, expected_items(taxonomy, tenant), head["CommittedAt"])
        same("the table after several invocations", history.table, running.projection(tenant))
        written = running.projected_lines(tenant, pushed.at_ms)
        self.assertEqual(sum(line["items_already"] for line in written), 0, "the cursor left out what was done")
        until("empty queues", DEFERRAL_SECONDS, lambda: None if any(running.waiting_messages().values()) else True)


class Raced(Seeded):
    def test_of_two_uploads_at_once_the_last_one_is_served(self) -> None:
        running = self.running
        files = [data(f"iab/taxonomy-v{number}.json") for number in (1, 2)]
        taxonomies = [Taxonomy.read(file) for file in files]
        for number in range(RACES):
            tenant = running.fresh_tenant(f"raced-{number}")
            with self.subTest(tenant=tenant), ThreadPoolExecutor() as pool:
                running.push(tenant, files[0].read_bytes())
                apart = self.chance.uniform(0, 1.5) if number else 0
                time.sleep(apart)
                pushed = running.push(tenant, files[1].read_bytes())
                both = [pool.submit(running.look_again, tenant) for _ in range(2)]
                self.assertEqual([one.result() for one in both], [{"batchItemFailures": []}] * 2)
                head = running.wait_projected(pushed)
                versions = self.check(tenant, taxonomies, head["CommittedAt"])
                print(f"{tenant}: {apart:.2f} s apart, {versions} versions", flush=True)

    def check(self, tenant: str, taxonomies: list[Taxonomy], committed_at: int) -> int:
        """Checks that the table is that of the last upload, whichever versions exist on the way; returns their number."""
        running, history = self.running, History()
        links = read_chain(running, tenant)
        came = taxonomies[-len(links) :]
        self.assertEqual(len(links), len(came), "no more versions than uploads")
        for link, taxonomy in zip(links, came, strict=True):
            same(f"snapshot of {tenant} {link.log['V']}", expected_snapshot(taxonomy), link.snapshot)
            history.commit(link.log["V"], expected_items(taxonomy, tenant), link.log["CommittedAt"])
        self.assertEqual(links[-1].log["CommittedAt"], committed_at)
        same(f"table of {tenant}", _unversioned(history.table), _unversioned(running.projection(tenant)))

        def told() -> list[tuple[int, int]] | None:
            steps = sorted((event["data"]["from"], event["data"]["to"]) for event in running.told.of(tenant))
            return steps if steps and steps[-1][1] == len(links) else None

        steps = until(f"what is told of {tenant}", 60, told)
        # Each begins where the one before ended, and the last one ends at the head.
        self.assertEqual([start for start, _ in steps], [0, *(end for _, end in steps[:-1])])
        return len(links)


def _unversioned(items: Items) -> Items:
    """Removes `V`: an item that two versions share may be written by either, depending on where one superseded the other."""
    return {key: {name: value for name, value in item.items() if name != "V"} for key, item in items.items()}


if __name__ == "__main__":
    unittest.main()
