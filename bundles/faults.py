"""The errors of evidence that is not valid.

DoesNotHold   a part of an export, a bundle or a timestamp is invalid; `part` names it
"""

from enum import Enum

from core.errors import BadInput
from core.wording import Message

MAX_VALUE_CHARS = 300  # for values from a hostile file


class Fault(Enum):
    """The kinds of errors. A value is the code of a message, which has the parameters of `DoesNotHold`."""

    NOT_A_CONTAINER = "does-not-hold.not-a-container"
    CONTAINER_CHANGED = "does-not-hold.container-changed"
    CHECKSUM = "does-not-hold.checksum"
    TOO_LARGE = "does-not-hold.too-large"
    BAD_NAME = "does-not-hold.bad-name"
    MISSING = "does-not-hold.missing"
    UNLISTED = "does-not-hold.unlisted"
    DIGEST = "does-not-hold.digest"
    UNREADABLE = "does-not-hold.unreadable"
    CONTRADICTS = "does-not-hold.contradicts"
    WARC_DIGEST = "does-not-hold.warc-digest"
    AUDIT_PATH = "does-not-hold.audit-path"
    STAMP_REFUSED = "does-not-hold.stamp-refused"
    STAMP_OTHER_DIGEST = "does-not-hold.stamp-other-digest"
    STAMP_NONCE = "does-not-hold.stamp-nonce"
    STAMP_POLICY = "does-not-hold.stamp-policy"
    STAMP_SIGNATURE = "does-not-hold.stamp-signature"
    STAMP_CHAIN = "does-not-hold.stamp-chain"
    STAMP_REVOKED = "does-not-hold.stamp-revoked"
    STAMP_TIME = "does-not-hold.stamp-time"


class DoesNotHold(BadInput):
    """Raised if a part of the evidence is invalid. values: the other parameters of the message."""

    def __init__(self, fault: Fault, part: str | Message, **values: object) -> None:
        self.fault, self.part, self.values = fault, str(part), values
        super().__init__(
            fault.value, part=_shorten_value(part), **{name: _shorten_value(value) for name, value in values.items()}
        )

    def nest(self, outer: str) -> "DoesNotHold":
        """Return the same error with the name of the file that contains the part in front of the part's name."""
        return DoesNotHold(self.fault, f"{outer} > {self.part}" if self.part else outer, **self.values)


def _shorten_value(value: object) -> object:
    if isinstance(value, Message):
        return Message(value.code, **{name: _shorten_value(each) for name, each in value.params.items()})
    return value if isinstance(value, int) else str(value)[:MAX_VALUE_CHARS]


def require(is_so: bool, part: str, code: str, /, **params: object) -> None:
    """Raise DoesNotHold with the message `code` if `is_so` is false, because one part contradicts another."""
    if not is_so:
        raise DoesNotHold(Fault.CONTRADICTS, part, why=Message(code, **params))
