"""Errors of the processes of an installation."""

from collections.abc import Sequence
from pathlib import Path

from core.errors import BadConfiguration, RetryLater
from core.wording import Message


class ServiceKeepsDying(RetryLater):
    """A process repeatedly dies soon after its start."""

    def __init__(self, service: str, last_words: str, log: Path) -> None:
        self.service, self.last_words, self.log = service, last_words, log
        if last_words:
            super().__init__("start.keeps-dying-with", service=service, words=last_words, log=log)
        else:
            super().__init__("start.keeps-dying", service=service, log=log)


class ServiceSlow(RetryLater):
    """A process is alive but does not respond in time."""

    def __init__(self, service: str, waited_s: float, log: Path) -> None:
        self.service, self.waited_s, self.log = service, waited_s, log
        super().__init__("start.slow", service=service, seconds=waited_s, log=log)


class ServicesFailed(RetryLater):
    """Several processes failed; the message describes the first."""

    def __init__(self, failures: Sequence[ServiceKeepsDying | ServiceSlow]) -> None:
        self.failures = tuple(failures)
        others = [failure.service for failure in failures[1:]]
        super().__init__("start.several-failed", first=failures[0], others=others)


class PreparationFailed(BadConfiguration):
    """A preparation step before the start of the workers failed."""

    def __init__(self, step: Message, last_words: Message | str, log: Path) -> None:
        self.step, self.log = step, log
        super().__init__("start.step-failed", step=step, words=last_words, log=log)
