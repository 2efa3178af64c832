"""Checks the patterns and selectors that a person enters, before they are saved."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Any

from core.errors import BadConfiguration, BadInput, RetryLater
from core.wording import Message
from crawler.patterns import require_quick
from crawler.readers.messages import Call
from crawler.readers.reading_process import GivenUp, ReadingProcess
from crawler.selectors import require_quick_selector, slow_selector

MAX_RULES = 200  # per form; chosen: four times as many as any site in the corpora needs
MAX_TOGETHER_S = 8.0  # chosen: nobody waits longer for a form


def rule_faults(patterns: Iterable[str] = (), selectors: Iterable[str] = ()) -> dict[str, Message]:
    """Return the errors in patterns and selectors, by rule. A reading process tests them one by one.

    Raises RetryLater if too many checks are running.
    """
    checks = [Call(rule, require_quick, (rule,)) for rule in dict.fromkeys(patterns)]
    checks += [Call(rule, require_quick_selector, (rule,)) for rule in dict.fromkeys(selectors)]
    return _check_faults(checks) if checks else {}


def _check_faults(checks: Sequence[Call]) -> dict[str, Message]:
    faults = {check.url: Message("site.too-many-rules", most=MAX_RULES) for check in checks[MAX_RULES:]}
    with checking_process() as process:
        end = time.monotonic() + MAX_TOGETHER_S
        for check in checks[:MAX_RULES] if not faults else ():
            if time.monotonic() > end:
                return faults | {check.url: Message("site.rules-take-too-long")}
            try:
                process.run_task(check)
            except GivenUp:
                is_pattern = check.function is require_quick
                slow = Message("pattern.slow") if is_pattern else slow_selector(check.url)
                return faults | {check.url: slow}
            except (BadInput, BadConfiguration) as fault:
                faults[check.url] = fault.message
    return faults


# Checks user input in a reading process, so that a check without end blocks nothing else.

MAX_CHECK_CPU_S = 2.0  # chosen: ordinary rules take milliseconds, and a Word template tenths of a second
MAX_CHECK_S = 30.0  # for one check, on a machine with any load
AT_ONCE = 2  # of the 8 threads of a web server process, so that the others remain available
MAX_WAIT_S = 2.0  # to begin a check; a waiting request occupies a thread, too
_PLACES = BoundedSemaphore(AT_ONCE)


@contextmanager
def checking_process() -> Iterator[ReadingProcess]:
    """Provide a reading process with the limits of a check. Raises RetryLater if too many checks are running."""
    if not _PLACES.acquire(timeout=MAX_WAIT_S):
        raise RetryLater("core.checks-busy")
    try:
        with ReadingProcess(max_seconds=MAX_CHECK_S, max_cpu_s=MAX_CHECK_CPU_S) as process:
            yield process
    finally:
        _PLACES.release()


def run_check(name: str, function: Callable[..., object], *given: object) -> Any:
    """Call a function in a reading process. Return its result or raise its error.

    name: the name of the checked object for messages. Raises GivenUp if the call takes too much time or memory, or
    RetryLater if too many checks are running.
    """
    with checking_process() as process:
        return process.run_task(Call(name, function, given))
