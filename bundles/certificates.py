"""Validates the certificate chain from an authority's certificate to a trusted root, at the time of a timestamp.

Source: RFC 5280, section 6.1, without policies and name constraints; RFC 3161, section 2.3. `bundles.revocation` checks
revocation.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.x509.oid import ExtendedKeyUsageOID

from bundles.faults import DoesNotHold, Fault
from core.wording import Message

MAX_CERTIFICATES = 32
MAX_DEPTH = 8  # public authorities have 2 to 4
MAX_PEM_BYTES = 256 * 1024
# Raised by cryptography for repeated extensions, unknown kinds of names, and truncated content.
UNREADABLE_EXTENSIONS = (x509.DuplicateExtension, x509.UnsupportedGeneralNameType, ValueError)
_BEGIN = b"-----BEGIN CERTIFICATE-----"


def parse_certificates(pem: bytes) -> list[x509.Certificate]:
    """Return the certificates in `pem`, which may be empty.

    Raises ValueError if a certificate is invalid or if there are too many.
    """
    if len(pem) > MAX_PEM_BYTES or pem.count(_BEGIN) > MAX_CERTIFICATES:
        raise ValueError("too many certificates")
    with _convert_version_errors():
        return x509.load_pem_x509_certificates(pem) if _BEGIN in pem else []


def parse_certificate(der: bytes) -> x509.Certificate:
    """Parse a certificate in DER. Raises ValueError if it is invalid."""
    with _convert_version_errors():
        return x509.load_der_x509_certificate(der)


@contextmanager
def _convert_version_errors() -> Iterator[None]:
    """Convert cryptography's InvalidVersion to a ValueError, like all its other errors."""
    try:
        yield
    except x509.InvalidVersion as error:
        raise ValueError("a certificate of an unknown version") from error


def find_chain(
    signer: x509.Certificate,
    offered: Sequence[x509.Certificate],
    trusted: Sequence[x509.Certificate],
    at: datetime,
    part: str,
) -> list[x509.Certificate]:
    """Return the certificates from `signer` to a trusted root, both included.

    offered: possible intermediate certificates. at: the time at which each certificate must be valid. Raises
    DoesNotHold, naming `part`, if there is no valid chain or if `signer` may not sign timestamps.
    """
    roots = [each for each in trusted if each.subject == each.issuer]
    if not roots:
        raise _chain_fault(part, "flaw.no-root")
    if len(offered) > 2 * MAX_CERTIFICATES:
        raise _chain_fault(part, "flaw.too-many-certificates")
    _check_purpose(signer, part)
    way, between = [signer], [*offered, *trusted]
    for depth in range(MAX_DEPTH):
        current = way[-1]
        if not current.not_valid_before_utc <= at <= current.not_valid_after_utc:
            name = current.subject.rfc4514_string()
            raise _chain_fault(part, "flaw.not-valid-then", name=name)
        if current in roots:
            return way
        issuer = next((each for each in [*roots, *between] if _has_issued(each, current, depth)), None)
        if issuer is None:
            name = current.issuer.rfc4514_string()
            raise _chain_fault(part, "flaw.not-signed-by", name=name)
        way.append(issuer)
    raise _chain_fault(part, "flaw.long-chain")


def _check_purpose(signer: x509.Certificate, part: str) -> None:
    """Raise DoesNotHold unless timestamping is the only purpose of the certificate, in a critical extension."""
    try:
        purpose = signer.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
    except (x509.ExtensionNotFound, *UNREADABLE_EXTENSIONS) as error:
        raise _chain_fault(part, "flaw.purpose") from error
    if not purpose.critical or list(purpose.value) != [ExtendedKeyUsageOID.TIME_STAMPING]:
        raise _chain_fault(part, "flaw.other-purposes")


def _has_issued(issuer: x509.Certificate, subject: x509.Certificate, below: int) -> bool:
    """Return whether `issuer` signed `subject` and was allowed to.

    below: the number of authorities between the issuer and the signer.
    """
    if issuer.subject != subject.issuer or not _may_issue(issuer, below):
        return False
    try:
        subject.verify_directly_issued_by(issuer)
    except (InvalidSignature, UnsupportedAlgorithm, TypeError, ValueError):
        return False
    return True


def _may_issue(issuer: x509.Certificate, below: int) -> bool:
    try:
        basic = issuer.extensions.get_extension_for_class(x509.BasicConstraints).value
    except (x509.ExtensionNotFound, *UNREADABLE_EXTENSIONS):
        return False
    try:
        may_sign = issuer.extensions.get_extension_for_class(x509.KeyUsage).value.key_cert_sign
    except x509.ExtensionNotFound:
        may_sign = True
    return basic.ca and may_sign and (basic.path_length is None or below <= basic.path_length)


def _chain_fault(part: str, code: str, /, **params: object) -> DoesNotHold:
    return DoesNotHold(Fault.STAMP_CHAIN, part, why=Message(code, **params))
