"""Checks patterns and selectors that people type before they are kept."""

import time
from collections.abc import Iterable, Sequence

from core.errors import BadConfiguration, BadInput
from core.wording import Message
from crawler.patterns import require_quick
from crawler.readers.checks import checking_process
from crawler.readers.messages import Call
from crawler.readers.reading_process import GivenUp
from crawler.selectors import require_quick_selector, slow_selector

MAX_RULES = 200  # of one form; chosen: four times as many as any site of the corpora needs
MAX_TOGETHER_S = 8.0  # chosen: who waits longer for a form has gone


def rule_faults(patterns: Iterable[str] = (), selectors: Iterable[str] = ()) -> dict[str, Message]:
    """Return the faults of rules, by the rule; they are tried one by one in a reading process. Raises RetryLater."""
    checks = [Call(rule, require_quick, (rule,)) for rule in dict.fromkeys(patterns)]
    checks += [Call(rule, require_quick_selector, (rule,)) for rule in dict.fromkeys(selectors)]
    return _faults(checks) if checks else {}


def _faults(checks: Sequence[Call]) -> dict[str, Message]:
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
