"""Uploaded files and the files of notices, which the evidence store contains next to the bundles.

Every model that refers to such files is registered, so that the nightly check reads them. Higher-level apps also
register files to enclose with an export. Damaged or missing files are left out, with a message.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from django.db.models import Model

from bundles.records import Enclosure
from core.errors import BrokenInvariant
from core.ids import Digest, digest
from core.ports import EvidenceStore
from core.wording import Message
from webadmin.cases.models import Case
from webadmin.evidence.models import ThirdPartyProof
from webadmin.evidence.services.subject import Subject
from webadmin.works.models import LicenceProof

# The field with the file's name, by model. Withdrawn rows are included, because exported documents refer to their
# files.
KEPT: dict[type[Model], str] = {ThirdPartyProof: "name", LicenceProof: "name"}
CHUNK_ROWS = 1_000


def register_kept_file(model: type[Model], field: str = "name") -> None:
    """Include the files of a model in the nightly check and in backups.

    field: the field with the file's name.
    """
    KEPT[model] = field


@dataclass(frozen=True, slots=True)
class KeptFileEntry:
    """A stored file that a row refers to. model: Django's `model_name`, in lower case."""

    model: str
    name: str
    digest: Digest


def kept_files() -> Iterator[KeptFileEntry]:
    """Yield the stored files of all registered models, one entry for each row."""
    for model, named in KEPT.items():
        rows = model._default_manager.order_by("pk").values_list(named, "digest")
        for name, file_digest in rows.iterator(chunk_size=CHUNK_ROWS):
            yield KeptFileEntry(str(model._meta.model_name), name, Digest(file_digest))


def kept_file_label(model: str) -> str:
    """Return the verbose name of a registered model in the active language, or `model` if it is not registered."""
    names = {str(each._meta.model_name): str(each._meta.verbose_name) for each in KEPT}
    return names.get(model, model)  # The model is from another release.


MAX_ENDING_CHARS = 8


class FileRow(Protocol):
    """A row that refers to a file in the evidence store."""

    @property
    def name(self) -> str: ...

    @property
    def digest(self) -> str: ...


Row = tuple[FileRow, dict[str, Any]]  # A file row, and facts about it as JSON values.
_SOURCES: list[Callable[[Case], Iterable[Row]]] = []


def register_enclosed_files(source: Callable[[Case], Iterable[Row]]) -> None:
    """Enclose the files that `source` returns for a case with the export of that case."""
    _SOURCES.append(source)


def case_enclosures(case: Case, store: EvidenceStore) -> tuple[list[Enclosure], list[Message]]:
    """Return the files to enclose with the export of a case, and a message for each damaged or missing file."""
    registered = [row for source in _SOURCES for row in source(case)]
    return read_enclosures([*registered, *map(proof_row, valid_proofs(Subject(case=case)))], store)


def valid_proofs(subject: Subject) -> Iterator[ThirdPartyProof]:
    """Yield the proofs that were not withdrawn, the first entered first."""
    return subject.proofs().filter(withdrawn_at=None).order_by("entered_at", "pk").iterator()


def proof_row(proof: ThirdPartyProof) -> Row:
    facts = {"kind": proof.kind, "issuer": proof.issuer, "platform": proof.platform, "number": proof.number}
    return proof, facts | {"made_on": proof.made_on.isoformat()}


def read_enclosures(rows: Iterable[Row], store: EvidenceStore) -> tuple[list[Enclosure], list[Message]]:
    """Return the intact files, and a message for each damaged or missing one.

    Raises RetryLater if the store is unreachable.
    """
    papers, left_out = list[Enclosure](), list[Message]()
    for row, facts in rows:
        paper = read_enclosure(row, facts, store)
        if paper is None:
            left_out.append(Message("bundle.paper-left-out", name=row.name))
        else:
            papers.append(paper)
    return papers, left_out


def read_enclosure(row: FileRow, facts: dict[str, Any], store: EvidenceStore) -> Enclosure | None:
    """Return the file of a row as an enclosure with these facts, or None if it is missing or changed."""
    try:
        content = store.get(Digest(row.digest))
    except BrokenInvariant:
        return None
    if content is None or digest(content) != row.digest:
        return None
    return Enclosure(row.name, file_extension(row.name), Digest(row.digest), content, facts)


def file_extension(name: str) -> str:
    """Return the extension of a file name if every file system accepts it, else "bin".

    >>> file_extension("公证书.PDF"), file_extension("a.p7s"), file_extension("通知"), file_extension("a.文档")
    ('pdf', 'p7s', 'bin', 'bin')
    """
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    is_plain = ending.isascii() and ending.isalnum() and len(ending) <= MAX_ENDING_CHARS
    return ending if is_plain else "bin"
