"""The seal of a backup: AES-256-GCM under a key that scrypt (RFC 7914) makes of a passphrase.

It holds secrets, and says that who knew the passphrase wrote what it is about: the manifest, and by the digests in it
all of the backup. It is one line of JSON: the name of the way, and in Base64 salt, nonce, the encrypted bytes (`box`),
and what tells a wrong passphrase from another manifest (`check`).
"""

import base64
import json
import os
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from core.errors import BadInput

# As OWASP's cheat sheet on storing passwords has it for scrypt (2025): 128 MB and some tenths of a second for a guess.
N, R, P = 2**17, 8, 1
WAY = "scrypt-131072-8-1+aes-256-gcm"
KEY_BYTES = 32
MIN_CHARS = 12  # of a passphrase: below, all that people choose can be tried


class WrongPassphrase(BadInput):
    """A seal that the passphrase does not open."""

    def __init__(self) -> None:
        super().__init__("backup.wrong-passphrase")


def require_passphrase(passphrase: str) -> str:
    """Raises BadInput for one that is too short."""
    if len(passphrase) < MIN_CHARS:
        raise BadInput("backup.short-passphrase", least=MIN_CHARS)
    return passphrase


def seal(secrets: bytes, passphrase: str, about: bytes) -> bytes:
    """Return a seal for `about` that holds `secrets`, as only who knows the passphrase makes it."""
    salt, nonce = os.urandom(16), os.urandom(12)
    key, check = _key_and_check(passphrase, salt)
    box = AESGCM(key).encrypt(nonce, secrets, about)
    values = {"way": WAY, "salt": _text(salt), "nonce": _text(nonce), "check": _text(check), "box": _text(box)}
    return json.dumps(values).encode()


def open_seal(written: bytes, passphrase: str, about: bytes) -> bytes:
    """Return the secrets that `seal` was given. Raises WrongPassphrase, ValueError where it is no seal of `about`."""
    try:
        values: dict[str, Any] = json.loads(written)
        salt, nonce, said, box = (base64.b64decode(values[name]) for name in ("salt", "nonce", "check", "box"))
        way = values["way"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError("no seal") from error
    if way != WAY:
        raise ValueError("another way")
    key, check = _key_and_check(passphrase, salt)
    if check != said:
        raise WrongPassphrase
    try:
        return AESGCM(key).decrypt(nonce, box, about)
    except InvalidTag as error:
        raise ValueError("of something else") from error


def _key_and_check(passphrase: str, salt: bytes) -> tuple[bytes, bytes]:
    """The key, and what may be written beside the box: each block of scrypt's result says nothing of the others."""
    made = Scrypt(salt=salt, length=2 * KEY_BYTES, n=N, r=R, p=P).derive(passphrase.encode())
    return made[:KEY_BYTES], made[KEY_BYTES:]


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
