"""Adds and withdraws proofs of third parties, which are stored unchanged, checked once and never removed."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime

from django.db import transaction
from django.db.models import Count

from bundles.stamps import StampStatement
from core.errors import BadInput, UnreadableFile
from core.ids import Digest, digest
from core.text import storable
from core.wording import Message
from webadmin import stores
from webadmin.accounts.models import User
from webadmin.accounts.services.access import may_manage
from webadmin.accounts.services.holders import lock_rights
from webadmin.evidence.models import DayTree, ProofCoverage, ThirdPartyProof
from webadmin.evidence.services.proof_files import (
    MAX_TEXT_CHARS,
    ProofContent,
    detect_proof_kind,
    find_digests,
    read_proof,
)
from webadmin.evidence.services.subject import Subject
from webadmin.evidence.services.third_party_tasks import reopen_tasks
from webadmin.works.services.intake.bounded import pdf_text
from webadmin.works.services.proofs import file_name

# As for proofs of licences. A scanned deed of 50 pages has about 10 MB; the admin accepts requests of 33 MB.
MAX_BYTES = 20 * 1024 * 1024
MAX_PROOFS = 50  # proofs of a case or matter, including withdrawn ones; more should be combined in one file
MAX_SHORT_CHARS = 200
MAX_NOTE_CHARS, MAX_REASON_CHARS = 1_000, 300
MAX_SIGNER_CHARS = 500
How, What = ProofCoverage.How, ProofCoverage.What
Kind = ThirdPartyProof.Kind


@dataclass(frozen=True, slots=True)
class ProofDetails:
    """The details that a user enters for a proof. platform: only for a registration on a blockchain."""

    kind: str
    issuer: str
    number: str
    made_on: date
    platform: str = ""
    note: str = ""


class ProofRefused(BadInput):
    """A proof cannot be added or withdrawn."""


def add_proof(
    subject: Subject, details: ProofDetails, file: tuple[str, bytes], *, by: User, now: datetime
) -> ThirdPartyProof:
    """Store a third party's file (name, content), record the bundles that it covers, and return the proof.

    Raises ProofRefused if the user may not add it, or if details, file or number of proofs are not allowed. Raises
    RetryLater if the store is unreachable.
    """
    name, content = file
    if not may_manage(by, subject.record):
        raise ProofRefused("proof.managers-only")
    details = _validate_details(details, now)
    kind = require_file(content, name)
    _require_room(subject, digest(content))
    shown = file_name(name, kind)
    found, unread = _read_content(content, kind, shown)
    stores.evidence_store().put(digest(content), content)
    with transaction.atomic():
        lock_rights(subject.record.rights_holder_id)
        _require_room(subject, digest(content))  # The same form may have been sent twice.
        proof = ThirdPartyProof.objects.create(
            **subject.fields, **asdict(details), name=shown, ending=kind, digest=digest(content),
            size_bytes=len(content), tokens=[_token_json(token) for token in found.tokens], unread=unread,
            entered_by=by, entered_at=now,
        )  # fmt: skip
        ProofCoverage.objects.bulk_create(_find_coverage(proof, subject, found), batch_size=500)
    return proof


def require_file(content: bytes, name: str) -> str:
    """Return the file extension for the content. Raises ProofRefused if it is empty, too large or not a proof."""
    if not content:
        raise ProofRefused("proof.empty")
    if len(content) > MAX_BYTES:
        raise ProofRefused("proof.too-large", most=MAX_BYTES // (1024 * 1024))
    kind = detect_proof_kind(content, name)
    if not kind:
        raise ProofRefused("proof.no-kind")
    return kind


def withdraw_proof(proof: ThirdPartyProof, reason: str, by: User, now: datetime) -> None:
    """Withdraw a proof with a reason, and reopen the tasks that it completed. The file and the row stay.

    Raises ProofRefused if the user may not withdraw it, the reason is empty or too long, or the proof is withdrawn
    already.
    """
    if not may_manage(by, proof):
        raise ProofRefused("proof.managers-only")
    if proof.withdrawn_at is not None:
        raise ProofRefused("proof.withdrawn-already")
    reason = _single_line(reason)
    if not reason:
        raise ProofRefused("proof.no-reason")
    if len(reason) > MAX_REASON_CHARS:
        raise ProofRefused("proof.too-long", most=MAX_REASON_CHARS)
    proof.withdrawn_by, proof.withdrawn_at, proof.withdrawn_because = by, now, reason
    with transaction.atomic():
        proof.save(update_fields=["withdrawn_by", "withdrawn_at", "withdrawn_because"])
        reopen_tasks(proof)


def describe_checks(proof: ThirdPartyProof) -> list[Message]:
    """Return a message for each check of the file that was possible, the strongest first."""
    rows = proof.covered.order_by().values("how").annotate(count=Count("pk")).values_list("how", "count")
    counts = Counter(dict(rows))
    strongest_first = (How.STAMPED, How.UNSIGNED, How.NAMED)
    said = [Message(f"proof.{how}", count=counts[how]) for how in strongest_first if counts[how]]
    for token in proof.tokens:
        given = {"at": f"{datetime.fromisoformat(token['at']):%Y-%m-%d %H:%M:%S} UTC", "hash": token["hash"].upper()}
        if token["hash"] != "sha256":
            said.append(Message("proof.other-hash", **given))
        elif not counts[How.STAMPED] and not counts[How.UNSIGNED]:
            said.append(Message("proof.of-no-bundle", **given))
        if token["is_signed"]:
            said.append(Message("proof.signed-by", signer=token["signer"], **given))
    if proof.unread is not None:
        said.append(Message("proof.unread", why=proof.unread))
    return said or [Message("proof.says-nothing")]


def _require_room(subject: Subject, of: Digest) -> None:
    """Raise ProofRefused if the subject already has this file, or has MAX_PROOFS proofs."""
    own = subject.proofs().filter(case=subject.case, matter=subject.matter)  # not those of a case's matter
    there = own.filter(digest=of, withdrawn_at=None).first()
    if there is not None:
        raise ProofRefused("proof.there-already", proof=there)
    if own.count() >= MAX_PROOFS:
        raise ProofRefused("proof.too-many", most=MAX_PROOFS)


def _validate_details(details: ProofDetails, now: datetime) -> ProofDetails:
    made = replace(
        details,
        issuer=_single_line(details.issuer),
        number=_single_line(details.number),
        platform=_single_line(details.platform) if details.kind == Kind.CHAIN else "",
        note=storable(details.note).strip(),
    )
    if made.kind not in Kind.values:
        raise ProofRefused("proof.choose-kind")
    if not made.issuer or not made.number or (made.kind == Kind.CHAIN and not made.platform):
        raise ProofRefused("proof.fields-missing")
    if max(map(len, (made.issuer, made.number, made.platform))) > MAX_SHORT_CHARS:
        raise ProofRefused("proof.too-long", most=MAX_SHORT_CHARS)
    if len(made.note) > MAX_NOTE_CHARS:
        raise ProofRefused("proof.too-long", most=MAX_NOTE_CHARS)
    # One more day is allowed, because documents are dated in China, and the machine's date may be behind China's.
    if (made.made_on - now.date()).days > 1:
        raise ProofRefused("proof.in-the-future")
    return made


def _single_line(text: str) -> str:
    return " ".join(storable(text).split())


def _read_content(content: bytes, kind: str, name: str) -> tuple[ProofContent, Message | None]:
    """Return the content of a file, and the reason why parts were not read, or None if all were."""
    try:
        found = read_proof(content, kind)
        if kind == "pdf":
            text, is_cut = pdf_text(content, name, MAX_TEXT_CHARS)
            found = ProofContent(text=text, is_cut=is_cut)
    except UnreadableFile as fault:
        return ProofContent(), fault.reason
    return found, Message("proof.cut") if found.is_cut else None


def _find_coverage(proof: ThirdPartyProof, subject: Subject, found: ProofContent) -> Iterator[ProofCoverage]:
    """Yield a coverage for each bundle that the file covers, with the strongest kind of coverage."""
    wanted = _bundles_by_digest(subject)
    by_key: dict[int, ProofCoverage] = {}
    said = [(How.NAMED, each) for each in find_digests(found.text, wanted)]
    stamps = (each for each in found.tokens if each.hash == "sha256")
    said += [(How.STAMPED if each.is_signed else How.UNSIGNED, each.imprint) for each in stamps]
    for how in (How.STAMPED, How.UNSIGNED, How.NAMED):
        for key, what in (pair for each, value in said if each == how for pair in wanted.get(value, ())):
            row = ProofCoverage(proof=proof, bundle_id=key, how=how, what=what)
            by_key.setdefault(key, row)
    yield from by_key.values()


def _bundles_by_digest(subject: Subject) -> dict[str, list[tuple[int, str]]]:
    """Map each digest that a third party may have received to the keys of its bundles and the kind of digest."""
    found: dict[str, list[tuple[int, str]]] = {}
    days: dict[date, list[tuple[int, str]]] = {}
    for row in subject.bundles().only("digest", "sha256", "day"):
        found.setdefault(row.digest, []).append((row.pk, What.BUNDLE))
        found.setdefault(row.sha256, []).append((row.pk, What.FILE))
        days.setdefault(row.day, []).append((row.pk, row.digest))
    for tree in DayTree.objects.filter(day__in=days):
        leaves = frozenset(tree.leaves)
        found.setdefault(tree.root, []).extend((key, What.ROOT) for key, of in days[tree.day] if of in leaves)
    return found


def _token_json(token: StampStatement) -> dict[str, object]:
    """Return a token as JSON values.

    The signer's name is cut to MAX_SIGNER_CHARS, because certificates set no limit.
    """
    return {
        "hash": token.hash,
        "imprint": token.imprint,
        "at": token.at.isoformat(),
        "signer": token.signer[:MAX_SIGNER_CHARS],
        "is_signed": token.is_signed,
    }
