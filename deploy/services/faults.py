"""What can go wrong with the processes of an installation, one sentence each."""

from collections.abc import Sequence
from pathlib import Path

from core.errors import BadConfiguration, RetryLater


class ServiceKeepsDying(RetryLater):
    """A process ends again and again soon after it was started."""

    def __init__(self, service: str, last_words: str, log: Path) -> None:
        self.service, self.last_words, self.log = service, last_words, log
        said = f' with "{last_words}"' if last_words else ""
        super().__init__(f"{service} keeps dying{said}; read {log}, mend what it names, then: zhuiwen up")


class ServiceSlow(RetryLater):
    """A process lives, but does not answer in time."""

    def __init__(self, service: str, waited_s: float, log: Path) -> None:
        self.service, self.waited_s, self.log = service, waited_s, log
        super().__init__(f"{service} does not answer after {waited_s:.0f} s; read {log}, then: zhuiwen up")


class ServicesFailed(RetryLater):
    """Several of them at once; the first is told in full."""

    def __init__(self, failures: Sequence[ServiceKeepsDying | ServiceSlow]) -> None:
        self.failures = tuple(failures)
        others = ", ".join(failure.service for failure in failures[1:])
        super().__init__(f"{failures[0]} (the same goes for {others}: see zhuiwen status)")


class PreparationFailed(BadConfiguration):
    """A step that must come before the workers start did not succeed."""

    def __init__(self, step: str, last_words: str, log: Path) -> None:
        self.step, self.log = step, log
        super().__init__([f"{step} failed: {last_words}; read {log}, then: zhuiwen up"])
