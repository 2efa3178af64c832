"""Every error of the product, sorted by what the caller should do.

ZhuiwenError
|-- RetryLater            network, lock, fail-over: the same call may succeed later
|   |-- ServiceUnavailable    a store, index or broker does not answer
|   `-- IndexStale            the index is empty or older than the store: rebuild it, do not trust its silence
|-- BadInput              this page, work or argument is at fault: record it and go on
|   |-- UnreadableFile        a file that is missing, empty, no text, or in no known encoding
|   |-- UnsafeUrl             a URL that must not be fetched
|   |-- MalformedLine         one line of a JSON lines file
|   `-- NotFound              an id or name that nothing stored has
|-- BadConfiguration      stop at start-up, with every fault named at once
|   `-- PortTaken             a port that an embedded service needs is in use
`-- BrokenInvariant       a bug: stop
    `-- AlgorithmMismatch     fingerprints of different algorithm ids were compared
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any


class ZhuiwenError(Exception):
    """The root. `str()` of any of these is one sentence fit for a user. All of them can be pickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, self.__dict__)


class RetryLater(ZhuiwenError):
    """The same call may succeed later."""


class ServiceUnavailable(RetryLater):
    """A service does not answer."""

    def __init__(self, service: str, where: str, remedy: str = "zhuiwen doctor") -> None:
        self.service, self.where, self.remedy = service, where, remedy
        super().__init__(f"{service} does not answer at {where}; try: {remedy}")


class IndexStale(RetryLater):
    """The index is empty or behind the store, so that "no copies" would be a guess."""

    def __init__(self, state: str) -> None:
        self.state = state
        super().__init__(f"the index is {state}; try: zhuiwen index rebuild")


class BadInput(ZhuiwenError):
    """What was given is at fault; the rest goes on."""


class UnreadableFile(BadInput):
    """A file that cannot be read as text."""

    def __init__(self, path: Path | str, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(f"{path}: {reason}")


class UnsafeUrl(BadInput):
    """A URL that is not fetched."""

    def __init__(self, url: str, reason: str) -> None:
        self.url, self.reason = url, reason
        super().__init__(f"{url} is not fetched: {reason}")


class MalformedLine(BadInput):
    """One line of a JSON lines file that is not what it should be."""

    def __init__(self, path: Path | str, line_number: int, reason: str) -> None:
        self.path, self.line_number, self.reason = path, line_number, reason
        super().__init__(f"{path}, line {line_number}: {reason}")


class NotFound(BadInput):
    """Nothing stored has this id or name."""

    def __init__(self, kind: str, key: object) -> None:
        self.kind, self.key = kind, key
        super().__init__(f"there is no {kind} {key!s}")


class BadConfiguration(ZhuiwenError):
    """Settings that cannot work; every fault is named."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(self.faults))


class PortTaken(BadConfiguration):
    """A port that an embedded service needs is in use by another program."""

    def __init__(self, service: str, port: int, variable: str) -> None:
        self.service, self.port, self.variable = service, port, variable
        super().__init__(
            [f"port {port}, which {service} needs, is in use by another program; set {variable} to a free one"]
        )


class BrokenInvariant(ZhuiwenError):
    """A bug."""


class AlgorithmMismatch(BrokenInvariant):
    """Fingerprints of different algorithm ids say nothing about each other."""

    def __init__(self, page_algorithm: int, work_algorithm: int) -> None:
        self.page_algorithm, self.work_algorithm = page_algorithm, work_algorithm
        super().__init__(
            f"a page of algorithm {page_algorithm} cannot be compared with a work of algorithm {work_algorithm}"
        )


def _restored(kind: type[ZhuiwenError], args: tuple[Any, ...], attributes: dict[str, Any]) -> ZhuiwenError:
    """An error as it was; its own arguments are not those that its class is called with."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error
