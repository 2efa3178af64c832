"""Files of people that go with an export: what others made, and what the applications above enclose.

Each is read from the evidence store when its turn comes. One that is damaged or gone is not enclosed, and that is said.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from bundles.records import Paper
from core.errors import BrokenInvariant
from core.ids import Digest, digest
from core.ports import EvidenceStore
from core.wording import Message
from webadmin.cases.models import Case
from webadmin.evidence.models import ThirdPartyProof
from webadmin.evidence.services.subject import Subject

MAX_ENDING_CHARS = 8


class Kept(Protocol):
    """A row that names a file of the evidence store."""

    @property
    def name(self) -> str: ...

    @property
    def digest(self) -> str: ...


Row = tuple[Kept, dict[str, Any]]  # a file, and what is said of it for programs
_SOURCES: list[Callable[[Case], Iterable[Row]]] = []


def register_enclosed_files(source: Callable[[Case], Iterable[Row]]) -> None:
    """Enclose the files that `source` gives for a case with its export."""
    _SOURCES.append(source)


def papers_of_case(case: Case, store: EvidenceStore) -> tuple[list[Paper], list[Message]]:
    """Return the files that go with a case, and what others made of it; and what of them is not whole."""
    registered = [row for source in _SOURCES for row in source(case)]
    return enclosed([*registered, *map(of_others, standing_proofs(Subject(case=case)))], store)


def standing_proofs(subject: Subject) -> Iterator[ThirdPartyProof]:
    """Those that nobody withdrew, in the order in which they came."""
    return subject.proofs().filter(withdrawn_at=None).order_by("entered_at", "pk").iterator()


def of_others(proof: ThirdPartyProof) -> Row:
    facts = {"kind": proof.kind, "issuer": proof.issuer, "platform": proof.platform, "number": proof.number}
    return proof, facts | {"made_on": proof.made_on.isoformat()}


def enclosed(rows: Iterable[Row], store: EvidenceStore) -> tuple[list[Paper], list[Message]]:
    """Return the files that are whole, and a sentence for each of the others. Raises RetryLater."""
    papers, left_out = list[Paper](), list[Message]()
    for row, facts in rows:
        paper = enclosed_one(row, facts, store)
        if paper is None:
            left_out.append(Message("bundle.paper-left-out", name=row.name))
        else:
            papers.append(paper)
    return papers, left_out


def enclosed_one(row: Kept, facts: dict[str, Any], store: EvidenceStore) -> Paper | None:
    """Return a file as it came; None where the store has it no more, or not as it was."""
    try:
        content = store.get(Digest(row.digest))
    except BrokenInvariant:
        return None
    if content is None or digest(content) != row.digest:
        return None
    return Paper(row.name, ending_of(row.name), Digest(row.digest), content, facts)


def ending_of(name: str) -> str:
    """Return the ending of a name, as far as every file system takes it; "bin" where it has none.

    >>> ending_of("公证书.PDF"), ending_of("a.p7s"), ending_of("通知"), ending_of("a.文档")
    ('pdf', 'p7s', 'bin', 'bin')
    """
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    is_plain = ending.isascii() and ending.isalnum() and len(ending) <= MAX_ENDING_CHARS
    return ending if is_plain else "bin"
