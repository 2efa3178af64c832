"""Facts of a connection: the address of its peer, and its TLS session."""

from contextlib import suppress
from typing import Any

from cryptography.hazmat.primitives.serialization import Encoding
from OpenSSL import SSL

from core.captures import TlsSession

MAX_CERTIFICATES = 12  # chains have two to four; what a server sends beyond is not kept


def peer_address(transport: Any) -> tuple[str, int]:
    """Return address and port of the other end; ("", 0) where the connection has none."""
    with suppress(AttributeError):
        peer = transport.getPeer()
        return str(peer.host), int(peer.port)
    return "", 0


def local_address(transport: Any) -> str:
    """Return this machine's address of the connection; "" if it has none."""
    with suppress(AttributeError):
        return str(transport.getHost().host)
    return ""


def tls_session(transport: Any) -> TlsSession | None:
    """Return the connection's TLS session; None for plain HTTP."""
    handle = transport.getHandle() if hasattr(transport, "getHandle") else None
    if not isinstance(handle, SSL.Connection):
        return None
    chain = handle.get_peer_cert_chain(as_cryptography=True) or []
    return TlsSession(
        protocol=handle.get_protocol_version_name(),
        cipher=handle.get_cipher_name() or "",
        cipher_bits=handle.get_cipher_bits() or 0,
        server_name=(handle.get_servername() or b"").decode("ascii", "replace"),
        certificates=tuple(each.public_bytes(Encoding.DER) for each in chain[:MAX_CERTIFICATES]),
    )
