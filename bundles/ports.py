"""What evidence needs from outside. Bundles themselves are kept by `core.ports.EvidenceStore`.

Stamper   an authority that stamps a digest (`bundles.authority.Authority`)
Client    HTTP to an authority (`crawler.fetching.authority_client.AuthorityClient`)

Values (`bundles.records`): Capture + Finding -> Bundle -> DayProof -> CaseMaterial.
"""

from collections.abc import Mapping
from typing import Protocol

from bundles.records import TimeStamp
from core.ids import Digest


class Stamper(Protocol):
    """A time stamp authority."""

    def stamp(self, digest: Digest) -> TimeStamp:
        """Return its stamp on `digest`, verified.

        Raises RetryLater, or DoesNotHold for an answer that is no such stamp.
        """


class AuthorityAnswer(Protocol):
    """What came back: the body whole, its media type in lower case."""

    @property
    def status(self) -> int: ...

    @property
    def content_type(self) -> str: ...

    @property
    def body(self) -> bytes: ...


class Client(Protocol):
    """The way to an address on the web, in whose hands the judgement of that address is."""

    def ask(
        self,
        url: str,
        shown: str,
        named: str,
        *,
        timeout_s: float,
        max_bytes: int,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> AuthorityAnswer:
        """GET `url`, or POST `body` to it; redirects are not followed.

        shown: the address without secrets. named: the one that the operator named; where `url` comes from a
        certificate, it is another.

        Raises OSError where nothing whole of at most `max_bytes` comes within `timeout_s`, all in all; RetryLater for
        an address that may not be asked.
        """
        ...
