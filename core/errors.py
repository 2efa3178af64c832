"""The errors of the product, grouped by what the caller should do.

ZhuiwenError
|-- RetryLater            network, lock, fail-over: the same call may succeed later
|   |-- ServiceUnavailable    a store, index or broker does not respond
|   `-- IndexStale            the index is empty or older than the store: rebuild it, do not trust an empty result
|-- BadInput              this page, work or argument is at fault: record it and go on
|   |-- UnreadableFile        a file is missing, empty, not text, or in an unknown encoding
|   |-- UnsafeUrl             a URL must not be fetched
|   |-- MalformedLine         one line of a JSON lines file is malformed
|   `-- NotFound              nothing stored has this id or name
|-- BadConfiguration      stop at start-up and name all invalid settings at once
|   `-- PortTaken             a port that an embedded service needs is in use
`-- BrokenInvariant       a bug, or damage: stop
    |-- AlgorithmMismatch     fingerprints of different algorithm ids were compared
    `-- DamagedStore          a store cannot read its own files

Each error is raised with a code of core.wording and the parameters of its text: `BadInput("report.language",
language="fr")`. `error.message` is stored and is shown in the reader's language; `str(error)` is the same in English.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.wording import Message


class ZhuiwenError(Exception):
    """The base class. The message of each error is one sentence for the user. All errors can be pickled."""

    message: Message

    def __init__(self, code: str | Message, /, **params: object) -> None:
        self.message = Message.from_code(code, **params)
        super().__init__(self.message)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_error, (type(self), self.args, self.__dict__)


class RetryLater(ZhuiwenError):
    """A temporary failure: the same call may succeed later."""


class ServiceUnavailable(RetryLater):
    """A service does not respond."""

    def __init__(self, service: str | Message, where: str | Message, remedy: str | Message = "zhuiwen doctor") -> None:
        self.service, self.where, self.remedy = service, where, remedy
        super().__init__("core.no-answer", service=service, where=where, remedy=remedy)


class IndexStale(RetryLater):
    """The index is empty or older than the store, so an empty result would not prove that there are no copies."""

    def __init__(self, code: str, /, **params: object) -> None:
        self.state = Message.from_code(code, **params)
        super().__init__("core.index-stale", state=self.state)


class BadInput(ZhuiwenError):
    """One input is at fault. Processing can continue with the others."""


class UnreadableFile(BadInput):
    """A file cannot be read; the code states the reason."""

    def __init__(self, path: Path | str, code: str | Message, /, **params: object) -> None:
        self.path, self.reason = path, Message.from_code(code, **params)
        super().__init__("core.unreadable", path=path, reason=self.reason)


class UnsafeUrl(BadInput):
    """A URL must not be fetched; the code states the reason."""

    def __init__(self, url: str, code: str | Message, /, **params: object) -> None:
        self.url, self.reason = url, Message.from_code(code, **params)
        super().__init__("core.not-fetched", url=url, reason=self.reason)


class MalformedLine(BadInput):
    """One line of a JSON lines file is malformed; the code states the reason."""

    def __init__(self, path: Path | str, line_number: int, code: str | Message, /, **params: object) -> None:
        self.path, self.line_number, self.reason = path, line_number, Message.from_code(code, **params)
        super().__init__("core.malformed-line", path=path, line_number=line_number, reason=self.reason)


class NotFound(BadInput):
    """Nothing stored has this id or name. kind: the last part of the code, such as "site" in "missing.site"."""

    def __init__(self, kind: str, key: object, **params: object) -> None:
        self.kind, self.key = kind, key
        super().__init__(f"missing.{kind}", key=key, **params)


class BadConfiguration(ZhuiwenError):
    """The settings are invalid. fault: the code or message of one fault, or several of them."""

    def __init__(self, fault: str | Message | Sequence[Message | str], /, **params: object) -> None:
        several = [fault] if isinstance(fault, str | Message) else fault
        self.faults = tuple(Message.from_code(each, **params) for each in several)
        super().__init__(self.faults[0] if len(self.faults) == 1 else Message("core.faults", faults=self.faults))


class PortTaken(BadConfiguration):
    """A port that an embedded service needs is in use by another program."""

    def __init__(self, service: str | Message, port: int, variable: str) -> None:
        self.service, self.port, self.variable = service, port, variable
        super().__init__("core.port-taken", service=service, port=port, variable=variable)


class BrokenInvariant(ZhuiwenError):
    """A bug, or stored data that differs from what was written."""


class AlgorithmMismatch(BrokenInvariant):
    """Fingerprints of different algorithm ids cannot be compared."""

    def __init__(self, page_algorithm: int, work_algorithm: int) -> None:
        self.page_algorithm, self.work_algorithm = page_algorithm, work_algorithm
        super().__init__("core.algorithm-mismatch", page=page_algorithm, work=work_algorithm)


class DamagedStore(BrokenInvariant):
    """A store cannot read its own files, because something else changed them."""

    def __init__(self, service: str | Message, where: str | Message) -> None:
        self.service, self.where = service, where
        super().__init__("core.damaged-store", service=service, where=where)


def _restore_error(kind: type[ZhuiwenError], args: tuple[Any, ...], attributes: dict[str, Any]) -> ZhuiwenError:
    """Rebuild a pickled error without calling `__init__`, whose parameters differ from `args`."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error
