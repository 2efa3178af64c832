"""Stores files that prove licences in the evidence store, where they are never changed or replaced."""

import io
import zipfile
from pathlib import PurePosixPath, PureWindowsPath

from core.errors import BadInput
from core.ids import digest
from core.text import storable
from webadmin import stores
from webadmin.accounts.models import User
from webadmin.works.models import Licence, LicenceProof

# Chosen: a scanned contract of 50 pages has some 10 MB; the web server accepts requests of 33 MB
# (webadmin.works.services.uploads).
MAX_PROOF_BYTES = 20 * 1024 * 1024
MAX_FILES_OF_WORD = 5_000  # files in a Word document; listing more would take gigabytes of memory
MAX_PROOFS = 20  # files for one licence, such as a contract and its supplements
MAX_NAME_CHARS = 200
# Other accepted extensions of each kind, for files that do not run anything when they are opened.
_CALLED = {
    "jpg": ("jpeg", "jpe"),
    "txt": ("eml", "csv", "tsv", "md", "log"),
    "zip": ("wacz", "xlsx", "pptx"),
    "tsr": ("tsa",),
    "p7s": ("p7m", "p7b"),
}
_SIGNATURES = {b"%PDF-": "pdf", b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpg"}


def add_proof(licence: Licence, name: str, content: bytes, by: User | None) -> LicenceProof:
    """Store a file as a proof of the licence, and return its row; the existing row if the same file is stored.

    Raises BadInput if the file is not accepted or the licence has MAX_PROOFS proofs, and RetryLater if the store fails.
    """
    kind = require_proof(content)
    known = licence.proofs.filter(digest=digest(content)).first()
    if known is not None:
        return known
    if licence.proofs.count() >= MAX_PROOFS:
        raise BadInput("work.proof-too-many", most=MAX_PROOFS)
    stores.evidence_store().put(digest(content), content)
    return LicenceProof.objects.create(
        licence=licence, name=file_name(name, kind), digest=digest(content), size=len(content), kind=kind, added_by=by
    )


def require_proof(content: bytes) -> str:
    """Return the extension for `content`: "pdf", "png", "jpg" or "docx". Raises BadInput for other content."""
    if len(content) > MAX_PROOF_BYTES:
        raise BadInput("work.proof-too-large", most=MAX_PROOF_BYTES // (1024 * 1024))
    kind = next((kind for start, kind in _SIGNATURES.items() if content.startswith(start)), "")
    if not kind and not _is_word(content):
        raise BadInput("work.proof-no-kind")
    return kind or "docx"


def _is_word(content: bytes) -> bool:
    if content.count(b"PK\x01\x02") > MAX_FILES_OF_WORD:
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return "word/document.xml" in archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


def file_name(given: str, kind: str) -> str:
    """Return a file name for the uploader's name `given`: without folders, and with an extension for `kind`.

    >>> file_name("邮件/答复.EML", "txt"), file_name("a.jpeg", "jpg"), file_name("x.bat", "txt"), file_name("", "pdf")
    ('答复.EML', 'a.jpeg', 'x.bat.txt', 'proof.pdf')
    """
    bare = storable(PurePosixPath(PureWindowsPath(given).name).name).strip() or "proof"
    stem, dot, ending = bare.rpartition(".")
    if not (dot and stem and ending.lower() in (kind, *_CALLED.get(kind, ()))):
        stem, ending = bare, kind
    return f"{stem[: MAX_NAME_CHARS - len(ending) - 1]}.{ending}"
