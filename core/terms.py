"""Names of enumeration members. They are the same in the admin, in reports and on the command line."""

import re
from enum import StrEnum

from core.wording import Message

_HUMP = re.compile(r"(?<!^)(?=[A-Z])")


def term(member: StrEnum) -> Message:
    """Return the message with the name of an enumeration member.

    >>> from core.states import Verdict
    >>> term(Verdict.FAIR_USE)
    Message(code='verdict.fair-use', params={})
    """
    return Message(f"{_HUMP.sub('-', type(member).__name__).lower()}.{member.value.replace('_', '-')}")


# Names of the two digests of an evidence bundle in letters and on case pages: the digest of the list of its contents,
# which is stamped, and the digest of its file, as `sha256sum` prints it.
BUNDLE_DIGEST, FILE_DIGEST = Message("digest.bundle"), Message("digest.file")
