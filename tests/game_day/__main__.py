"""Plays the scenarios of the named alarms, or all, and writes the record."""

import sys

from . import record
from .day import SCENARIOS, Day
from .groups import CANNOT, load


def main(names: list[str]) -> int:
    """Prints a line for each alarm. Returns 1 where one did not fire or was not mended."""
    load()
    unknown = set(names) - {each.alarm for each in SCENARIOS}
    if unknown:
        print(f"error: no scenario of {', '.join(sorted(unknown))}", file=sys.stderr)
        return 1
    day, played, failed = Day(), [], 0
    for scenario in SCENARIOS:
        if names and scenario.alarm not in names:
            continue
        try:
            seen = day.play(scenario)
        except Exception as error:  # noqa: BLE001 - a scenario that breaks is a scenario that failed, and the others go on
            failed += 1
            print(f"{scenario.alarm}: FAILED: {type(error).__name__}: {error}", flush=True)
            continue
        played.append(seen)
        print(f"{scenario.alarm}: ALARM after {seen.seconds_to_alarm:.0f} s, OK {seen.seconds_to_ok:.0f} s later: {'; '.join(seen.mend)}", flush=True)
    for alarm, reason in CANNOT.items():
        print(f"{alarm}: cannot fire here, because {reason}")
    if not names and not failed:
        record.write(played)
    print(f"game-day: {len(played)} fired and mended, {failed} failed, {len(CANNOT)} cannot fire here")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
