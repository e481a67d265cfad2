"""Tests of processes of the projector that are killed at any moment or out of time: the result is that of an undisturbed process."""

import os
import random
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from checks.data import file
from faults import short_of_time
from oracle import Taxonomy
from processes import kill, processes
from program import is_whole
from reading import Asking, check_terms
from stack import Pushed, stack, until

KILLS = 10
# The import takes the emulator some 15 s, so a machine would have to be three times as fast to end before the kill.
LONGEST_LIFE_SECONDS = 5.0
FILE = "esco/occupations-v1.json"


class Crashes(unittest.TestCase):
    """KILL_SEED repeats the moments of a run, as far as a machine can."""

    def test_an_import_that_is_killed_ten_times_ends_as_if_nothing_had_happened(self) -> None:
        running, tenant = stack(), stack().fresh_tenant("killed")
        seed = int(os.environ.get("KILL_SEED", time.time_ns() % 1_000_000))
        print(f"\nKILL_SEED={seed}", flush=True)
        chance = random.Random(seed)
        # A warm process would begin before the test observes it.
        kill(processes(running, "projector"))
        pushed = running.push(tenant, file(FILE).read_bytes())
        with ThreadPoolExecutor() as pool:
            for number in range(KILLS):
                running.end_heartbeat(tenant)
                again = pool.submit(running.look_again, tenant) if number else None
                until("a process of the projector", 30, lambda: processes(running, "projector") or None)
                # Squared, so that some die before they commit anything, which takes them a fraction of a second.
                time.sleep(LONGEST_LIFE_SECONDS * chance.random() ** 2)
                self.assertGreater(kill(processes(running, "projector")), 0)
                self.assertNotEqual(running.head_item(tenant).get("Projected"), 1, "it was done before it was killed ten times")
                if again:
                    self.assertIn("errorType", again.result(), "a process that was killed says nothing")
            running.end_heartbeat(tenant)
            self.assertEqual(running.look_again(tenant), {"batchItemFailures": []})
        self.assert_undisturbed(pushed)

    def test_an_import_that_needs_several_invocations_asks_for_them(self) -> None:
        running, tenant = stack(), stack().fresh_tenant("out-of-time")
        # Each invocation reserves 40 s for its end, so this leaves it some four.
        with short_of_time(running, 44):
            pushed = running.push(tenant, file(FILE).read_bytes())
            running.wait_projected(pushed)
        self.assertTrue(running.log_lines("projector", "to be continued", tenant, pushed.at_ms), "it was never out of time")
        written = running.log_lines("projector", "projected", tenant, pushed.at_ms)
        self.assertEqual(sum(line["items_already"] for line in written), 0, "the cursor left out what was done")
        self.assert_undisturbed(pushed)
        running.wait_idle()

    def assert_undisturbed(self, pushed: Pushed) -> None:
        """Checks answers, everything that is stored, and that one version was counted and told."""
        running, tenant, taxonomy = stack(), pushed.tenant, Taxonomy.read(file(FILE))
        head = running.wait_projected(pushed)
        self.assertEqual((head["V"], head.get("Cursor")), (1, None))
        check_terms(Asking(running, tenant), taxonomy, taxonomy.default_culture)
        (told,) = running.told.wait_for(tenant, 1)
        self.assertEqual(told["id"], f"published-{head['ChangesetId']}")
        self.assertEqual(running.wait_counted(tenant, 1)["Terms"], len(taxonomy.terms))
        is_whole(tenant)


if __name__ == "__main__":
    unittest.main()
