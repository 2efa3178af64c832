"""Errors that come of a disk on which nothing more can be stored."""

import errno
from collections.abc import Iterator

_FULL = (errno.ENOSPC, errno.EDQUOT)


def want_of_space(error: BaseException) -> OSError | None:
    """The refusal of the system that led to an error, where that was for want of space.

    >>> [want_of_space(OSError(number, "")) is not None for number in (errno.ENOSPC, errno.EIO)]
    [True, False]
    """
    return next((each for each in _causes(error) if isinstance(each, OSError) and each.errno in _FULL), None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what led to it."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
