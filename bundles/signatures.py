"""Verifies the signature of a timestamp. Source: RFC 5652, section 5.4; RFC 4055 for PSS."""

import hashlib
from typing import Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from pyasn1.codec.der.decoder import decode  # type: ignore[import-untyped]
from pyasn1.codec.der.encoder import encode  # type: ignore[import-untyped]
from pyasn1.type import univ  # type: ignore[import-untyped]

from bundles import asn1
from bundles.faults import DoesNotHold, Fault
from core.wording import Message

# The digest algorithms that signatures may use; SHA-1 is not allowed, as it has known collisions (SHAttered, 2017).
HASH_NAMES = {
    "2.16.840.1.101.3.4.2.1": "sha256",
    "2.16.840.1.101.3.4.2.2": "sha384",
    "2.16.840.1.101.3.4.2.3": "sha512",
}
_HASHES: dict[str, hashes.HashAlgorithm] = {
    "sha256": hashes.SHA256(),
    "sha384": hashes.SHA384(),
    "sha512": hashes.SHA512(),
}
# Signature algorithms that include their digest: RSA, ECDSA. Others use the digest algorithm of the signer.
_NAMED_HASH = {
    "1.2.840.113549.1.1.11": "sha256",
    "1.2.840.113549.1.1.12": "sha384",
    "1.2.840.113549.1.1.13": "sha512",
    "1.2.840.10045.4.3.2": "sha256",
    "1.2.840.10045.4.3.3": "sha384",
    "1.2.840.10045.4.3.4": "sha512",
}
_PSS = "1.2.840.113549.1.1.10"
_MIN_RSA_BITS = 2048


def check_signature(signer_info: Any, content: bytes, signer: x509.Certificate, part: str) -> None:
    """Verify that `signer` signed attributes that contain the digest of `content`.

    Raises DoesNotHold, naming `part`, if the digest or the signature is wrong or its algorithm is too weak or unknown.
    """
    hash_name = HASH_NAMES.get(str(signer_info["digestAlgorithm"]["algorithm"]))
    if hash_name is None:
        raise _signature_fault(part, "flaw.weak-digest")
    attributes = {str(each["attrType"]): each["attrValues"] for each in signer_info["signedAttrs"]}
    signed_digest = _single_value(attributes[str(asn1.rfc5652.id_messageDigest)], univ.OctetString())
    signed_type = _single_value(attributes[str(asn1.rfc5652.id_contentType)], univ.ObjectIdentifier())
    if bytes(signed_digest) != hashlib.new(hash_name, content).digest():
        raise _signature_fault(part, "flaw.signed-content")
    if str(signed_type) != str(asn1.rfc3161.id_ct_TSTInfo):
        raise _signature_fault(part, "flaw.signed-kind")
    try:
        _verify_signature(signer, signer_info, _attributes_der(signer_info), hash_name, part)
    except (InvalidSignature, UnsupportedAlgorithm) as error:
        raise _signature_fault(part, "flaw.other-key") from error


def _verify_signature(signer: x509.Certificate, signer_info: Any, message: bytes, hash_name: str, part: str) -> None:
    key, signature = signer.public_key(), bytes(signer_info["signature"])
    algorithm = signer_info["signatureAlgorithm"]
    name = str(algorithm["algorithm"])
    chosen = _HASHES[_NAMED_HASH.get(name, hash_name)]
    if isinstance(key, rsa.RSAPublicKey):
        if key.key_size < _MIN_RSA_BITS:
            raise _signature_fault(part, "flaw.short-key")
        scheme = _pss_padding(algorithm, chosen) if name == _PSS else padding.PKCS1v15()
        key.verify(signature, message, scheme, chosen)
    elif isinstance(key, ec.EllipticCurvePublicKey):
        key.verify(signature, message, ec.ECDSA(chosen))
    elif isinstance(key, ed25519.Ed25519PublicKey):
        key.verify(signature, message)
    else:
        raise _signature_fault(part, "flaw.unknown-key")


def _pss_padding(algorithm: Any, chosen: hashes.HashAlgorithm) -> padding.PSS:
    parameters, _ = decode(bytes(algorithm["parameters"]), asn1Spec=asn1.rfc4055.RSASSA_PSS_params())
    return padding.PSS(padding.MGF1(chosen), int(parameters["saltLength"]))


def _attributes_der(signer_info: Any) -> bytes:
    """Return the DER of the attributes as it was signed: as a SET, while the token contains them with another tag."""
    attributes = asn1.rfc5652.SignedAttributes()
    for position, each in enumerate(signer_info["signedAttrs"]):
        attributes[position] = each
    return bytes(encode(attributes))


def _single_value(values: Any, shape: Any) -> Any:
    if len(values) != 1:
        raise ValueError("an attribute of several values")
    value, rest = decode(bytes(values[0]), asn1Spec=shape)
    if rest:
        raise ValueError("bytes after the end")
    return value


def _signature_fault(part: str, code: str, /, **params: object) -> DoesNotHold:
    return DoesNotHold(Fault.STAMP_SIGNATURE, part, why=Message(code, **params))
