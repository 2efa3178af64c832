"""Asks a time stamp authority over HTTP: the one place in this package that uses a network.

Source: RFC 3161, section 3.4. The URL is the operator's; its address is checked all the same, so that a mistyped or
taken over name does not reach into the operator's own network.
"""

import base64
import contextlib
import http.client
import secrets
import socket
import ssl
import threading
from urllib.parse import unquote, urlsplit

import rfc3161ng

from core.addresses import refusal
from core.errors import BadConfiguration, RetryLater, ServiceUnavailable
from core.ids import Digest
from core.service_urls import without_secrets
from evidence.certificates import certificates_in
from evidence.records import Stamp
from evidence.stamps import MAX_DER_BYTES, verified

NONCE_BITS = 64
TIMEOUT_S = 20.0  # public authorities answer in 0.1 to 2 s
_SERVICE = "the time stamp authority"
_REPLY = "application/timestamp-reply"


class Authority:
    """One authority: where it answers, and the PEM file of its root, which its every answer is checked against."""

    def __init__(
        self,
        url: str,
        ca_pem: bytes,
        *,
        policy: str = "",
        allow_private: bool = False,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        """`policy`: an OID to insist on. Raises BadConfiguration for what is no URL, or certificates without a root."""
        self._parts = urlsplit(url)
        self.name = without_secrets(url)
        faults = _faults(url, ca_pem, self.name)
        if faults:
            raise BadConfiguration(faults)
        self._ca_pem, self._policy = ca_pem, policy
        self._allow_private, self._timeout_s = allow_private, timeout_s

    def __repr__(self) -> str:
        return f"Authority({self.name!r})"

    def stamp(self, digest: Digest) -> Stamp:
        """Its stamp on `digest`, verified as an export's reader would.

        Raises ServiceUnavailable when it does not answer, DoesNotHold when its answer is not what was asked for.
        """
        query = make_query(digest, secrets.randbits(NONCE_BITS), self._policy)
        stamp = Stamp(query, self._asked(query), self._ca_pem, self.name)
        verified(stamp, digest, self.name)
        return stamp

    def _asked(self, query: bytes) -> bytes:
        try:
            return self._answer(query)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ServiceUnavailable(_SERVICE, self.name, "its URL in a browser") from error

    def _answer(self, query: bytes) -> bytes:
        connection = self._connection()
        end = threading.Timer(self._timeout_s, _shut, (connection.sock,))  # however slowly it drips
        end.start()
        try:
            connection.request("POST", self._path(), body=query, headers=self._headers())
            response = connection.getresponse()
            kind = response.headers.get_content_type()
            if response.status != http.HTTPStatus.OK or kind != _REPLY:
                raise RetryLater(f"{_SERVICE} at {self.name} answered {response.status} with {kind}, not with a stamp")
            return _bounded(response)
        finally:
            end.cancel()
            connection.close()

    def _path(self) -> str:
        path = self._parts.path or "/"
        return f"{path}?{self._parts.query}" if self._parts.query else path

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/timestamp-query", "Accept": _REPLY}
        if self._parts.username is not None:
            login = f"{unquote(self._parts.username)}:{unquote(self._parts.password or '')}"
            headers["Authorization"] = f"Basic {base64.b64encode(login.encode()).decode()}"
        return headers

    def _connection(self) -> http.client.HTTPConnection:
        """A connection to the very address that was checked: a name may resolve otherwise the second time."""
        host = self._parts.hostname or ""
        is_tls = self._parts.scheme == "https"
        port = self._parts.port or (443 if is_tls else 80)
        reached = socket.create_connection((self._address(host, port), port), self._timeout_s)
        connection = http.client.HTTPConnection(host, port, timeout=self._timeout_s)
        connection.sock = ssl.create_default_context().wrap_socket(reached, server_hostname=host) if is_tls else reached
        return connection

    def _address(self, host: str, port: int) -> str:
        found = [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
        allowed = [address for address in found if self._allow_private or not refusal(address)]
        if not allowed:
            raise RetryLater(
                f"{self.name} is not asked: {found[0]} is no public address, and private ones are not allowed"
            )
        return allowed[0]


def make_query(digest: Digest, nonce: int, policy: str = "") -> bytes:
    """A TimeStampReq in DER, asking for the authority's certificates too."""
    request = rfc3161ng.make_timestamp_request(
        digest=bytes.fromhex(digest),
        hashname="sha256",
        include_tsa_certificate=True,
        nonce=nonce,
        tsa_policy_id=policy or None,
    )
    return bytes(rfc3161ng.encode_timestamp_request(request))


def _faults(url: str, ca_pem: bytes, shown: str) -> list[str]:
    faults = []
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        faults.append(f"{shown} is no URL of a time stamp authority; write http:// or https:// and a host")
    try:
        is_rooted = any(each.subject == each.issuer for each in certificates_in(ca_pem))
    except ValueError:
        is_rooted = False
    if not is_rooted:
        faults.append(f"the certificates for {shown} hold no root; give the authority's root certificate as PEM")
    return faults


def _bounded(response: http.client.HTTPResponse) -> bytes:
    """The body, of at most MAX_DER_BYTES."""
    content = response.read(MAX_DER_BYTES + 1)
    if len(content) > MAX_DER_BYTES:
        raise ValueError("too long for a stamp")
    return content


def _shut(reached: socket.socket) -> None:
    """End a connection that another thread waits on."""
    with contextlib.suppress(OSError):
        reached.shutdown(socket.SHUT_RDWR)
