"""Recognizes errors that a full disk caused."""

import errno
import os
from collections.abc import Iterator

_FULL = (errno.ENOSPC, errno.EDQUOT)
_SQLITE_SAYS = "database or disk is full"


def find_disk_full_error(error: BaseException) -> OSError | None:
    """Return the OSError for a full disk that caused an error, or None if there is none.

    >>> [find_disk_full_error(OSError(number, "")) is not None for number in (errno.ENOSPC, errno.EIO)]
    [True, False]

    Redis reports the message of the operating system, SQLite a message of its own.

    >>> find_disk_full_error(Exception("MISCONF Errors writing to the AOF file: No space left on device"))
    OSError(28, 'No space left on device')
    """
    return next(
        (disk_error for cause in _error_chain(error) if (disk_error := _disk_full_error(cause)) is not None), None
    )


def _disk_full_error(error: BaseException) -> OSError | None:
    if isinstance(error, OSError) and error.errno is not None:
        return error if error.errno in _FULL else None
    message = str(error)
    if _SQLITE_SAYS in message:
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return next((OSError(number, os.strerror(number)) for number in _FULL if os.strerror(number) in message), None)


def _error_chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and the chain of errors that caused it."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
