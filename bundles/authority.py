"""Requests timestamps from an authority over HTTP, and the revocation lists that its certificates name.

Source: RFC 3161, section 3.4. The operator configures the URL; the client still checks its IP address, so that a
mistyped or hijacked name cannot reach the operator's own network.
"""

import base64
import secrets
import time
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import unquote, urlsplit, urlunsplit

from pyasn1.codec.der.encoder import encode  # type: ignore[import-untyped]

from bundles import asn1
from bundles.certificates import MAX_PEM_BYTES, parse_certificates
from bundles.ports import Client
from bundles.records import TimeStamp
from bundles.revocation import MAX_LIST_BYTES, list_as_pem, revocation_list_urls
from bundles.stamps import MAX_DER_BYTES, SHA256_OID, certificate_chain, verify_stamp
from core.errors import BadConfiguration, RetryLater, ServiceUnavailable
from core.ids import Digest
from core.service_urls import without_secrets
from core.wording import Message

NONCE_BITS = 64
TIMEOUT_S = 20.0  # public authorities respond in 0.1 to 2 s
LISTS_TIMEOUT_S = 10.0  # for all lists of one timestamp together
MAX_LISTS = 4  # one for each certificate below the root; authorities have one to three
_SERVICE = Message("service.authority")
_REPLY = "application/timestamp-reply"


class Authority:
    """A timestamp authority: its URL, and the root certificates in PEM against which its responses are verified."""

    def __init__(
        self,
        url: str,
        ca_pem: bytes,
        client: Client,
        *,
        policy: str = "",
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        """Check the URL and the root certificates.

        policy: the OID of the required policy, or "" for any. Raises BadConfiguration if the URL is invalid or `ca_pem`
        contains no root certificate.
        """
        self._url, self._parts = url, urlsplit(url)
        self.name = without_secrets(url)
        faults = _authority_faults(url, ca_pem, self.name)
        if faults:
            raise BadConfiguration(faults)
        self._ca_pem, self._policy = ca_pem, policy
        self._client, self._timeout_s = client, timeout_s

    def __repr__(self) -> str:
        return f"Authority({self.name!r})"

    def stamp(self, digest: Digest) -> TimeStamp:
        """Request a timestamp on `digest`, and return it with the available revocation lists, verified as in an export.

        Raises ServiceUnavailable if the authority does not respond, RetryLater if its response is unusable, and
        DoesNotHold if the response is not the requested timestamp.
        """
        return self.with_lists(self.answer(digest), digest)

    def answer(self, digest: Digest) -> TimeStamp:
        """Request a timestamp on `digest`, and return it unverified.

        Raises ServiceUnavailable if the authority does not respond, and RetryLater if its response is unusable.
        """
        query = make_query(digest, secrets.randbits(NONCE_BITS), self._policy)
        return TimeStamp(query, self._request_stamp(query), self._ca_pem, self.name)

    def with_lists(self, stamp: TimeStamp, digest: Digest) -> TimeStamp:
        """Verify a timestamp on `digest`, and return it with the revocation lists that its certificates name.

        Raises DoesNotHold if the timestamp is invalid.
        """
        verify_stamp(stamp, digest, self.name)
        lists = self._revocation_lists(stamp, digest)
        if not lists:
            return stamp
        enclosing = replace(stamp, ca_pem=stamp.ca_pem.rstrip() + b"\n" + lists)
        verify_stamp(enclosing, digest, self.name)
        return enclosing

    def _revocation_lists(self, stamp: TimeStamp, digest: Digest) -> bytes:
        """Return the revocation lists for the certificates of a timestamp as PEM.

        Unavailable lists are left out, which verification reports.
        """
        way = certificate_chain(stamp, digest, self.name)[:-1]
        places = dict.fromkeys(place for certificate in way for place in revocation_list_urls(certificate)[:1])
        found, end = b"", time.monotonic() + min(LISTS_TIMEOUT_S, self._timeout_s)
        for place in list(places)[:MAX_LISTS]:
            left_s = end - time.monotonic()
            try:
                pem = self._fetch_list(place, left_s) if left_s > 0 else b""
            except (OSError, ValueError, RetryLater):
                continue
            if len(stamp.ca_pem) + len(found) + len(pem) < MAX_PEM_BYTES:
                found += pem
        return found

    def _fetch_list(self, place: str, timeout_s: float) -> bytes:
        shown, limit = without_secrets(place), MAX_LIST_BYTES
        answer = self._client.ask(place, shown, self._bare_url, timeout_s=timeout_s, max_bytes=limit)
        return list_as_pem(answer.body) if answer.status == HTTPStatus.OK else b""

    def _request_stamp(self, query: bytes) -> bytes:
        url, headers, limit_s = self._bare_url, self._request_headers(), self._timeout_s
        try:
            answer = self._client.ask(
                url, self.name, url, body=query, headers=headers, timeout_s=limit_s, max_bytes=MAX_DER_BYTES
            )
        except OSError as error:
            raise ServiceUnavailable(_SERVICE, self.name, Message("service.its-url")) from error
        if answer.status != HTTPStatus.OK or answer.content_type != _REPLY:
            kind = answer.content_type
            raise RetryLater("evidence.no-stamp", authority=self.name, status=answer.status, kind=kind)
        return answer.body

    @property
    def _bare_url(self) -> str:
        """Return the URL without user name and password, which are sent in a header."""
        return urlunsplit(self._parts._replace(netloc=self._parts.netloc.rpartition("@")[2]))

    def _request_headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/timestamp-query", "Accept": _REPLY}
        if self._parts.username is not None:
            login = f"{unquote(self._parts.username)}:{unquote(self._parts.password or '')}"
            headers["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
        return headers


def make_query(digest: Digest, nonce: int, policy: str = "") -> bytes:
    """Return a TimeStampReq for `digest` in DER, which also requests the authority's certificates."""
    request = asn1.rfc3161.TimeStampReq()
    request["version"] = "v1"
    request["messageImprint"]["hashAlgorithm"]["algorithm"] = SHA256_OID
    request["messageImprint"]["hashedMessage"] = bytes.fromhex(digest)
    if policy:
        request["reqPolicy"] = policy
    request["nonce"], request["certReq"] = nonce, True
    return bytes(encode(request))


def _authority_faults(url: str, ca_pem: bytes, shown: str) -> list[Message]:
    faults = list[Message]()
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        faults.append(Message("evidence.no-authority", shown=shown))
    try:
        is_rooted = any(each.subject == each.issuer for each in parse_certificates(ca_pem))
    except ValueError:
        is_rooted = False
    if not is_rooted:
        faults.append(Message("evidence.no-root", shown=shown))
    return faults
