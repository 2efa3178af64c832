"""`python -m laboratory.chaos.scenario ORDER`: performs all acts of people in one installation, and dumps its data.

ORDER is a JSON file with the options, the addresses of the sites, the speed, and the file for the stored data. An act
that fails because a service is down is repeated, after a check if it is already done.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import django

T = TypeVar("T")
RETRY_S = 0.5
QUIET_POLLS = 3  # consecutive polls, because a process may be between two steps


def main(arguments: Sequence[str]) -> int:
    """Act, wait until nothing is left to do, and write the stored data. Return 1 if an act was never completed."""
    order = json.loads(Path(arguments[0]).read_text())
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webadmin.worker_settings")
    django.setup()
    from laboratory.chaos import people, stored
    from laboratory.chaos.plan import Options, acts, all_done_within_s

    options = Options.from_json(order["options"])
    pace, began = float(order["pace"]), time.monotonic()
    deadline = began + all_done_within_s(options)
    person = people.Person(options, order["origins"], order["desk"], delay_s=float(order["delay_s"]))
    patiently(person.begin, "the beginning", deadline)
    for act in acts(options):
        time.sleep(max(0.0, began + act.at_s * pace - time.monotonic()))
        patiently(partial(person.do, act), f"{act.kind} {act.subject}", deadline)
        _tell(f"{act.kind} {' '.join(map(str, act.subject))}")
    while order["until"] and not Path(order["until"]).exists():  # faults still occur
        time.sleep(RETRY_S)
    _wait_until_quiet(stored.left, deadline)
    kept = patiently(stored.everything, "reading", deadline)
    Path(order["out"]).write_text(json.dumps(kept, indent=1))
    return 0


def patiently(call: Callable[[], T], what: str, deadline: float) -> T:
    """Return the result of a call, repeated while a service is down or a prerequisite is missing.

    Raises the last error at the deadline of the monotonic clock.
    """
    from core.errors import BadInput, RetryLater
    from laboratory.chaos.people import NotYet
    from webadmin.database import AWAY, is_outage, refresh_connections

    last = ""
    while True:
        refresh_connections()
        try:
            return call()
        except (RetryLater, NotYet, OSError, *AWAY) as error:
            is_bug = isinstance(error, BadInput) or (isinstance(error, AWAY) and not is_outage(error))
            if is_bug or time.monotonic() > deadline:
                raise
            if (said := f"{type(error).__name__}: {error}".splitlines()[0]) != last:
                _tell(f"  {what} waits: {said}")
                last = said
        time.sleep(RETRY_S)


def _wait_until_quiet(left: Callable[[], dict[str, int]], deadline: float) -> None:
    """Return when nothing is left to do. Raises NotYet with what is left at the deadline of the monotonic clock."""
    from laboratory.chaos.people import NotYet

    quiet, last = 0, None
    while quiet < QUIET_POLLS:
        now = patiently(left, "what is left", deadline)
        quiet = 0 if any(now.values()) else quiet + 1
        if now != last:
            _tell(f"left: {', '.join(f'{name} {count}' for name, count in now.items() if count) or 'nothing'}")
            last = now
        if time.monotonic() > deadline:
            raise NotYet(f"left at the end of the time for all of it: {now}")
        time.sleep(2 * RETRY_S)


def _tell(line: str) -> None:
    sys.stderr.write(f"  {line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
