"""The seal of a backup: AES-256-GCM with a key that scrypt (RFC 7914) derives from a passphrase.

It contains secrets and authenticates the manifest and, by the digests in it, the whole backup. It is one line of JSON:
the name of the method and, in Base64, salt, nonce, the encrypted bytes (`box`), and a value that distinguishes a wrong
passphrase from another manifest (`check`).
"""

import base64
import json
import os
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from core.errors import BadInput

# From OWASP's cheat sheet on password storage for scrypt (2025): 128 MB and some tenths of a second for each guess.
N, R, P = 2**17, 8, 1
WAY = "scrypt-131072-8-1+aes-256-gcm"
KEY_BYTES = 32
MIN_CHARS = 12  # characters of a passphrase; shorter ones that people choose can be guessed


class WrongPassphrase(BadInput):
    """The passphrase does not open the seal."""

    def __init__(self) -> None:
        super().__init__("backup.wrong-passphrase")


def require_passphrase(passphrase: str) -> str:
    """Return the passphrase if it is long enough. Raises BadInput otherwise."""
    if len(passphrase) < MIN_CHARS:
        raise BadInput("backup.short-passphrase", least=MIN_CHARS)
    return passphrase


def seal(secrets: bytes, passphrase: str, about: bytes) -> bytes:
    """Return a seal that contains `secrets` and authenticates `about`."""
    salt, nonce = os.urandom(16), os.urandom(12)
    key, check = _key_and_check(passphrase, salt)
    box = AESGCM(key).encrypt(nonce, secrets, about)
    parts = {"salt": salt, "nonce": nonce, "check": check, "box": box}
    values = {name: base64.b64encode(data).decode("ascii") for name, data in parts.items()}
    return json.dumps({"way": WAY, **values}).encode()


def open_seal(written: bytes, passphrase: str, about: bytes) -> bytes:
    """Return the secrets in a seal.

    Raises WrongPassphrase, or ValueError if the seal is malformed or does not authenticate `about`.
    """
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
    """Return the key and the check value, two independent blocks of scrypt's output. The second may be published."""
    made = Scrypt(salt=salt, length=2 * KEY_BYTES, n=N, r=R, p=P).derive(passphrase.encode())
    return made[:KEY_BYTES], made[KEY_BYTES:]
