"""Encrypts the secrets of sites for the admin database with the installation's key."""

import base64

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from core.errors import BadInput


class KeyLost(BadInput):
    """The error if a secret was encrypted with another key."""

    def __init__(self) -> None:
        super().__init__("watch.key-lost")


def seal(secret: str) -> str:
    """Return `secret` encrypted for the database, or "" if it is ""."""
    return _box().encrypt(secret.encode()).decode("ascii") if secret else ""


def unseal(kept: str) -> str:
    """Return the decrypted secret, or "" if `kept` is "". Raises KeyLost if ZHUIWEN_SECRET_KEY has changed."""
    if not kept:
        return ""
    try:
        return _box().decrypt(kept.encode("ascii")).decode()
    except (InvalidToken, UnicodeError) as fault:
        raise KeyLost from fault


def _box() -> Fernet:
    """Return a cipher with a key that is derived from the installation's key for this purpose (RFC 5869)."""
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"zhuiwen: secrets of sites")
    return Fernet(base64.urlsafe_b64encode(derived.derive(settings.SECRET_KEY.encode())))
