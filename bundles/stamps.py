"""Verifies RFC 3161 timestamps offline: the digest, the time, the signer and the root certificate.

Source: RFC 3161 (sections 2.4, 2.3), RFC 5652 (5.4), RFC 5816 (ESSCertIDv2). Revocation is checked with the lists
enclosed with the timestamp and the lists of the verifier; without lists, it is reported as unchecked.
"""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from pyasn1.codec.der.decoder import decode  # type: ignore[import-untyped]
from pyasn1.error import PyAsn1Error  # type: ignore[import-untyped]

from bundles import asn1, der
from bundles.certificates import MAX_CERTIFICATES, find_chain, parse_certificate, parse_certificates
from bundles.faults import DoesNotHold, Fault
from bundles.records import TimeStamp
from bundles.revocation import last_checked, parse_lists
from bundles.signatures import HASH_NAMES, check_signature
from core.ids import Digest
from core.wording import Message

SHA256_OID = "2.16.840.1.101.3.4.2.1"
# Digests of the stamped data. SM3: GM/T 0004, under the arc of GM/T 0006.
IMPRINT_NAMES = {**HASH_NAMES, "1.3.14.3.2.26": "sha1", "1.2.156.10197.1.401": "sm3"}
MAX_DER_BYTES = 64 * 1024  # responses with a chain of four have 6 to 9 kB
_CERTIFICATES = 0xA0  # [0] of SignedData
_GRANTED = (0, 1)  # granted, granted with modifications


@dataclass(frozen=True, slots=True)
class StampFacts:
    """The facts that a valid timestamp proves."""

    at: datetime
    policy: str
    serial: int
    signer: str  # subject of the certificate that signed
    root: str
    root_sha256: str  # of the root certificate; a reader compares it with the value published by the authority
    not_revoked_at: datetime | None = None  # by the authority's revocation lists; None if not checked


@dataclass(frozen=True, slots=True)
class StampStatement:
    """The claims of a timestamp, whose root certificate was not checked.

    hash: the name of the digest algorithm, or its OID if it is not in IMPRINT_NAMES. imprint: the digest in hex.
    is_signed: whether an enclosed certificate signed it.
    """

    hash: str
    imprint: str
    at: datetime
    policy: str
    serial: int
    signer: str
    is_signed: bool


@dataclass(frozen=True, slots=True)
class _StampQuery:
    imprint: bytes
    nonce: int | None
    policy: str


@dataclass(frozen=True, slots=True)
class _Token:
    certificates: list[x509.Certificate]
    info: Any  # TSTInfo
    content: bytes  # the signed DER
    signer: Any  # SignerInfo


def verify_stamp(stamp: TimeStamp, digest: Digest, part: str, trusted_pem: bytes = b"") -> StampFacts:
    """Verify a timestamp on `digest`, and return its facts.

    trusted_pem: root certificates and revocation lists of the verifier. If it contains no root, the roots enclosed with
    the timestamp are trusted. The enclosed lists are always used. Raises DoesNotHold, naming `part`, if the authority
    refused the request, the digest differs, the signature is invalid, or the root is not trusted.
    """
    try:
        return _verify_stamp(stamp, bytes.fromhex(digest), part, trusted_pem)[0]
    except (PyAsn1Error, ValueError, KeyError, IndexError, TypeError, OverflowError, RecursionError) as error:
        raise DoesNotHold(Fault.UNREADABLE, part, why=Message("flaw.no-stamp")) from error


def certificate_chain(stamp: TimeStamp, digest: Digest, part: str) -> list[x509.Certificate]:
    """Verify a timestamp on `digest`, and return its certificates from the signer to the root."""
    return _verify_stamp(stamp, bytes.fromhex(digest), part, b"")[1]


def read_stamp(response: bytes, part: str) -> StampStatement:
    """Return the claims of an authority's response, without verifying its root certificate.

    Raises DoesNotHold, naming `part`, if the authority refused the request or the content is not a timestamp.
    """
    try:
        return _read_token(_parse_token(response, part), part)
    except (PyAsn1Error, ValueError, KeyError, IndexError, TypeError, OverflowError, RecursionError) as error:
        raise DoesNotHold(Fault.UNREADABLE, part, why=Message("flaw.no-stamp")) from error


def _read_token(token: _Token, part: str) -> StampStatement:
    imprint = token.info["messageImprint"]
    named = str(imprint["hashAlgorithm"]["algorithm"])
    name = IMPRINT_NAMES.get(named, named)
    try:
        signer = _find_signer(token, token.certificates, part)
        check_signature(token.signer, token.content, signer, part)
        said, is_signed = signer.subject.rfc4514_string(), True
    except (DoesNotHold, PyAsn1Error, ValueError, KeyError, IndexError, TypeError):
        said, is_signed = "", False  # no enclosed certificate, an unsupported algorithm, or a signature by another key
    at = token.info["genTime"].asDateTime.astimezone(UTC)
    policy, serial = str(token.info["policy"]), int(token.info["serialNumber"])
    return StampStatement(name, bytes(imprint["hashedMessage"]).hex(), at, policy, serial, said, is_signed)


def _verify_stamp(
    stamp: TimeStamp, digest: bytes, part: str, trusted_pem: bytes
) -> tuple[StampFacts, list[x509.Certificate]]:
    query, token = _parse_query(stamp.query), _parse_token(stamp.response, part)
    info = token.info
    imprint = info["messageImprint"]
    is_sha256 = str(imprint["hashAlgorithm"]["algorithm"]) == SHA256_OID
    if not is_sha256 or bytes(imprint["hashedMessage"]) != digest or query.imprint != digest:
        raise DoesNotHold(Fault.STAMP_OTHER_DIGEST, part)
    nonce = int(info["nonce"]) if info["nonce"].hasValue() else None
    if query.nonce is None or nonce != query.nonce:
        raise DoesNotHold(Fault.STAMP_NONCE, part)
    policy = str(info["policy"])
    if query.policy and policy != query.policy:
        raise DoesNotHold(Fault.STAMP_POLICY, part, policy=policy, wanted=query.policy)
    at = info["genTime"].asDateTime.astimezone(UTC)
    offered = [*token.certificates, *parse_certificates(stamp.ca_pem)]
    signer = _find_signer(token, offered, part)
    check_signature(token.signer, token.content, signer, part)
    way = find_chain(signer, offered, parse_certificates(trusted_pem) or parse_certificates(stamp.ca_pem), at, part)
    lists = [*parse_lists(stamp.ca_pem), *(parse_lists(trusted_pem) if trusted_pem else ())]
    names = (signer.subject.rfc4514_string(), way[-1].subject.rfc4514_string())
    root_sha256, checked = way[-1].fingerprint(SHA256()).hex(), last_checked(way, lists, at, part)
    return StampFacts(at, policy, int(info["serialNumber"]), *names, root_sha256, checked), way


def _parse_query(content: bytes) -> _StampQuery:
    asked = _decode_all(content, asn1.rfc3161.TimeStampReq())
    nonce = int(asked["nonce"]) if asked["nonce"].hasValue() else None
    policy = str(asked["reqPolicy"]) if asked["reqPolicy"].hasValue() else ""
    return _StampQuery(bytes(asked["messageImprint"]["hashedMessage"]), nonce, policy)


def _parse_token(response: bytes, part: str) -> _Token:
    answer = _decode_all(response, asn1.rfc3161.TimeStampResp())
    status = int(answer["status"]["status"])
    if status not in _GRANTED:
        said = " ".join(str(line) for line in answer["status"]["statusString"]) or f"status {status}"
        raise DoesNotHold(Fault.STAMP_REFUSED, part, why=said)
    if str(answer["timeStampToken"]["contentType"]) != str(asn1.rfc5652.id_signedData):
        raise ValueError("no signed data")
    signed = _decode_all(bytes(answer["timeStampToken"]["content"]), asn1.rfc5652.SignedData())
    enclosed = signed["encapContentInfo"]
    if str(enclosed["eContentType"]) != str(asn1.rfc3161.id_ct_TSTInfo) or len(signed["signerInfos"]) != 1:
        raise ValueError("no time stamp of one signer")
    content = bytes(enclosed["eContent"])
    info = _decode_all(content, asn1.rfc3161.TSTInfo())
    return _Token(_enclosed_certificates(response), info, content, signed["signerInfos"][0])


def _enclosed_certificates(response: bytes) -> list[x509.Certificate]:
    """Return the certificates of a token with their original bytes, which re-encoding might change."""
    _, token = der.children(response)
    _, explicit = der.children(token)
    (signed,) = der.children(explicit)
    tagged = [each for each in der.children(signed) if each[0] == _CERTIFICATES]
    found = [each for group in tagged for each in der.children(group) if each[0] == der.SEQUENCE]
    return [parse_certificate(each) for each in found[:MAX_CERTIFICATES]]


def _find_signer(token: _Token, offered: list[x509.Certificate], part: str) -> x509.Certificate:
    """Return the offered certificate whose digest is in the token's signed attributes (ESS).

    Raises DoesNotHold if it is not among `offered`.
    """
    attributes = {str(each["attrType"]): each["attrValues"] for each in token.signer["signedAttrs"]}
    if str(asn1.rfc5035.id_aa_signingCertificateV2) in attributes:
        value = attributes[str(asn1.rfc5035.id_aa_signingCertificateV2)][0]
        first = _decode_all(bytes(value), asn1.rfc5035.SigningCertificateV2())["certs"][0]
        hash_name = HASH_NAMES[str(first["hashAlgorithm"]["algorithm"])]
    else:
        value = attributes[str(asn1.rfc2634.id_aa_signingCertificate)][0]
        first = _decode_all(bytes(value), asn1.rfc5035.SigningCertificate())["certs"][0]
        hash_name = "sha1"  # RFC 2634 allows no other; it only names the certificate, which is checked by its signature
    wanted = bytes(first["certHash"])
    for certificate in offered:
        if hashlib.new(hash_name, certificate.public_bytes(Encoding.DER), usedforsecurity=False).digest() == wanted:
            return certificate
    raise DoesNotHold(Fault.STAMP_CHAIN, part, why=Message("flaw.no-certificate"))


def _decode_all(content: bytes, shape: Any) -> Any:
    """Decode DER as the ASN.1 type `shape`. Raises ValueError if it is too long or bytes remain."""
    if len(content) > MAX_DER_BYTES:
        raise ValueError("too long")
    value, rest = decode(content, asn1Spec=shape)
    if rest:
        raise ValueError("bytes after the end")
    return value
