"""What only a passphrase opens: AES-256-GCM under a key that scrypt makes of it (RFC 7914).

A sealed file is one line of JSON: the name of the way, its parameters, salt, nonce, and the encrypted bytes in Base64.
"""

import base64
import json
import os
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from core.errors import BadInput

WAY = "scrypt+aes-256-gcm"
# As OWASP's cheat sheet on storing passwords has it for scrypt (2025): 128 MB and some tenths of a second for a guess.
N, R, P = 2**17, 8, 1
MAX_N = 2**20  # a file that asks for more asks for more memory than 1 GB
MIN_CHARS = 12  # of a passphrase: below, all that people choose can be tried


class WrongPassphrase(BadInput):
    """What a passphrase does not open."""

    def __init__(self) -> None:
        super().__init__("backup.wrong-passphrase")


def require_passphrase(passphrase: str) -> str:
    """Raises BadInput for one that is too short."""
    if len(passphrase) < MIN_CHARS:
        raise BadInput("backup.short-passphrase", least=MIN_CHARS)
    return passphrase


def sealed(content: bytes, passphrase: str) -> bytes:
    """`content` as only who knows the passphrase reads it."""
    salt, nonce = os.urandom(16), os.urandom(12)
    box = AESGCM(_key(passphrase, salt, N, R, P)).encrypt(nonce, content, WAY.encode())
    values = {"way": WAY, "n": N, "r": R, "p": P, "salt": _text(salt), "nonce": _text(nonce), "box": _text(box)}
    return json.dumps(values).encode() + b"\n"


def opened(kept: bytes, passphrase: str) -> bytes:
    """What `sealed` was given. Raises WrongPassphrase, BadInput for what was not sealed here."""
    try:
        values: dict[str, Any] = json.loads(kept)
        salt, nonce, box = (base64.b64decode(values[name]) for name in ("salt", "nonce", "box"))
        way, n, r, p = values["way"], int(values["n"]), int(values["r"]), int(values["p"])
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput("backup.not-sealed") from error
    if way != WAY or not 2 <= n <= MAX_N or (r, p) != (R, P):
        raise BadInput("backup.not-sealed")
    try:
        return AESGCM(_key(passphrase, salt, n, r, p)).decrypt(nonce, box, WAY.encode())
    except InvalidTag as error:
        raise WrongPassphrase from error


def _key(passphrase: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return Scrypt(salt=salt, length=32, n=n, r=r, p=p).derive(passphrase.encode())


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
