"""Checks the certificates of a chain for revocation, with enclosed lists and lists of the verifier.

Source: RFC 5280, sections 5 (CRLs) and 6.3. RFC 3161, section 4: timestamps of a revoked certificate are invalid,
except timestamps issued before the revocation if the list states that the key was not compromised. OCSP is not
supported.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding

from bundles.certificates import UNREADABLE_EXTENSIONS
from bundles.faults import DoesNotHold, Fault
from bundles.shapes import moment
from core.wording import Message

MAX_LISTS = 32
MAX_LIST_BYTES = 128 * 1024  # timestamp authorities have lists of 0.5 to 40 kB; a longer one is not enclosed
_BEGIN, _END = b"-----BEGIN X509 CRL-----", b"-----END X509 CRL-----"
_WITHOUT_COMPROMISE = frozenset(
    {
        x509.ReasonFlags.unspecified,
        x509.ReasonFlags.affiliation_changed,
        x509.ReasonFlags.superseded,
        x509.ReasonFlags.cessation_of_operation,
    }
)


def parse_lists(pem: bytes) -> list[x509.CertificateRevocationList]:
    """Return the revocation lists in `pem`, which may also contain certificates.

    Raises ValueError if a list is invalid or if there are too many.
    """
    pieces = pem.split(_BEGIN)[1:]
    if len(pieces) > MAX_LISTS:
        raise ValueError("too many lists")
    return [x509.load_pem_x509_crl(_BEGIN + piece.partition(_END)[0] + _END + b"\n") for piece in pieces]


def list_as_pem(content: bytes) -> bytes:
    """Convert a revocation list from DER or PEM to PEM. Raises ValueError if it is invalid."""
    read = x509.load_pem_x509_crl(content) if _BEGIN in content else x509.load_der_x509_crl(content)
    return read.public_bytes(Encoding.PEM)


def revocation_list_urls(certificate: x509.Certificate) -> list[str]:
    """Return the HTTP URLs that a certificate names for its issuer's revocation list."""
    try:
        points = certificate.extensions.get_extension_for_class(x509.CRLDistributionPoints).value
    except (x509.ExtensionNotFound, *UNREADABLE_EXTENSIONS):
        return []
    names = [name.value for point in points for name in point.full_name or () if isinstance(name.value, str)]
    return [name for name in names if name.startswith(("http://", "https://"))]


def last_checked(
    path: Sequence[x509.Certificate], lists: Iterable[x509.CertificateRevocationList], at: datetime, part: str
) -> datetime | None:
    """Return the latest time for which the lists show that no certificate of `path` was revoked.

    path: signer first, root last. at: the time of the timestamp. Returns None if a certificate has no current list.
    Raises DoesNotHold if a certificate was revoked.
    """
    known, moments = list(lists), list[datetime | None]()
    for certificate, issuer in pairwise(path):
        of_issuer = [each for each in known if _is_issuer_list(each, issuer)]
        for each in of_issuer:
            _check_certificate(certificate, each, at, part)
        current = [each.last_update_utc for each in of_issuer if _is_current(each, at)]
        moments.append(max(current, default=None))
    looked_up = [each for each in moments if each is not None]
    return min(looked_up) if looked_up and len(looked_up) == len(moments) else None


def _is_current(given: x509.CertificateRevocationList, at: datetime) -> bool:
    """Return whether a list had not expired at the time of the timestamp."""
    return given.next_update_utc is None or at <= given.next_update_utc


def _is_issuer_list(given: x509.CertificateRevocationList, issuer: x509.Certificate) -> bool:
    if given.issuer != issuer.subject:
        return False
    try:
        return given.is_signature_valid(issuer.public_key())  # type: ignore[arg-type] # other kinds raise TypeError
    except (InvalidSignature, UnsupportedAlgorithm, TypeError, ValueError):
        return False


def _check_certificate(
    certificate: x509.Certificate, given: x509.CertificateRevocationList, at: datetime, part: str
) -> None:
    entry = given.get_revoked_certificate_by_serial_number(certificate.serial_number)
    if entry is None:
        return
    try:
        reason = entry.extensions.get_extension_for_class(x509.CRLReason).value.reason
    except (x509.ExtensionNotFound, *UNREADABLE_EXTENSIONS):
        reason = None
    if reason is x509.ReasonFlags.remove_from_crl:
        return
    if reason in _WITHOUT_COMPROMISE and at < entry.revocation_date_utc:
        return
    name, since = certificate.subject.rfc4514_string(), moment(entry.revocation_date_utc)
    why = Message("flaw.revoked-since", name=name, since=since)
    raise DoesNotHold(Fault.STAMP_REVOKED, part, why=why)
