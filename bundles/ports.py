"""The interfaces to timestamp authorities. The interface to stored bundles is `core.ports.EvidenceStore`.

Stamper   an authority that issues timestamps (`bundles.authority.Authority`)
Client    HTTP to an authority (`crawler.fetching.authority_client.AuthorityClient`)

Values (`bundles.records`): Capture + Finding -> Bundle -> DayProof -> CaseMaterial.
"""

from collections.abc import Mapping
from typing import Protocol

from bundles.records import TimeStamp
from core.ids import Digest


class Stamper(Protocol):
    """A timestamp authority."""

    def stamp(self, digest: Digest) -> TimeStamp:
        """Request and return a verified timestamp on `digest`.

        Raises RetryLater if the authority does not respond as expected, and DoesNotHold if the timestamp is invalid.
        """


class AuthorityAnswer(Protocol):
    """The HTTP response of an authority. content_type: the media type in lower case. body: complete."""

    @property
    def status(self) -> int: ...

    @property
    def content_type(self) -> str: ...

    @property
    def body(self) -> bytes: ...


class Client(Protocol):
    """An HTTP client that rejects forbidden IP addresses."""

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
