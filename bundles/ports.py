"""The ports of evidence. `core.ports.EvidenceStore` stores the bundles themselves.

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
        """Return a verified stamp on `digest`.

        Raises RetryLater, or DoesNotHold if the response is invalid.
        """


class AuthorityAnswer(Protocol):
    """The response of an authority: the whole body, and its media type in lower case."""

    @property
    def status(self) -> int: ...

    @property
    def content_type(self) -> str: ...

    @property
    def body(self) -> bytes: ...


class Client(Protocol):
    """An HTTP client that decides whether a URL may be requested."""

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
        """GET `url`, or POST `body` to it, without following redirects.

        shown: the URL without secrets. named: the URL that the operator configured; it differs if `url` comes from a
        certificate.

        Raises OSError if there is no complete response of at most `max_bytes` within `timeout_s` in total; RetryLater
        if the IP address is forbidden.
        """
        ...
