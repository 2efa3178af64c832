"""Reads works uploaded in the browser, plans their changes, and adds them after confirmation."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from django.core.files.uploadedfile import UploadedFile

from core import messages
from core.counting import count_characters
from core.errors import BadInput, RetryLater, ZhuiwenError
from core.ids import digest
from core.ports import Outbox, WorkStore
from core.wording import Message
from core.works import ChapterText
from webadmin.accounts.models import RightsHolder
from webadmin.works.services.alike import NOWHERE, AlikeWorks, find_alike_works
from webadmin.works.services.catalogue import AddedWork, PlannedChange, add_work, planned_change, work_key
from webadmin.works.services.intake.division import FoundWork
from webadmin.works.services.uploads import read_uploads

if TYPE_CHECKING:
    from matcher.index.ports import MatchIndex


@dataclass(frozen=True, slots=True)
class SentWork:
    """A work to be added, as read from its file. style, divided: the chosen heading style and the chapters, if any."""

    file_name: str
    read: FoundWork
    style: str = ""
    divided: tuple[ChapterText, ...] = ()

    @property
    def work(self) -> FoundWork:
        """The work in the chosen division."""
        if not self.style:
            return self.read
        return replace(self.read, file=replace(self.read.file, chapters=self.divided, style=self.style))

    @property
    def chars(self) -> int:
        return sum(count_characters(chapter.text) for chapter in self.work.file.chapters)


@dataclass(frozen=True, slots=True)
class Sending:
    """The works read from one upload. faults: a message for each file, line or work that was left out.

    warning: a message about a choice of the user that was ignored.
    """

    works: list[SentWork]
    faults: list[Message]
    warning: Message | None = None


@dataclass(frozen=True, slots=True)
class PlannedWork:
    """The planned changes to one work, and the works that already have some of its new texts."""

    sent: SentWork
    planned: PlannedChange
    stands: AlikeWorks


@dataclass(frozen=True, slots=True)
class SendingPlan:
    """The planned changes of an upload. basis: a digest of the works' current chapters and of the divisions."""

    works: list[PlannedWork]

    @property
    def basis(self) -> str:
        parts = [f"{each.planned.basis} {each.sent.work.file.style}" for each in self.works]
        return digest("\n".join(parts).encode("utf-8", "surrogatepass"))[:40]

    @property
    def is_nothing(self) -> bool:
        return all(each.planned.is_nothing for each in self.works)


@dataclass(frozen=True, slots=True)
class AddedFrom:
    """A work that was added, and the uploaded work that it comes from."""

    sent: SentWork
    added: AddedWork


@dataclass(slots=True)
class Acquisition:
    """The results of one upload. faults: a message for each file, line or work that was left out."""

    works: list[AddedFrom] = field(default_factory=list)
    faults: list[Message] = field(default_factory=list)
    queue_fault: Message | None = None  # why the texts wait for the sweeper


class PatientOutbox:
    """An outbox that stops sending at the first failure instead of raising it. The sweeper sends the other messages."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self.fault: Message | None = None

    def send(self, message: messages.StepMessage) -> None:
        if self.fault:
            return
        try:
            self._outbox.send(message)
        except RetryLater as error:
            self.fault = error.message


def read_sending(files: Sequence[UploadedFile], *, title: str = "", author: str = "", kind: str = "") -> Sending:
    """Return the works in `files`; nothing is stored. title, author, kind: replace the values in the files unless "".

    A work without a title or Chinese text, or uploaded twice, is left out with a fault. The title is only used for a
    single work.
    """
    uploads = read_uploads(files)
    found = [(upload.name, work) for upload in uploads for work in upload.intake.works]
    warning = Message("work.title-for-several", count=len(found)) if title and len(found) > 1 else None
    sending = Sending([], [fault for upload in uploads for fault in upload.faults], warning)
    seen: dict[tuple[str, str], str] = {}
    for name, work in found:
        described = _override_description(work, "" if warning else title, author, kind)
        try:
            key = work_key(described.file)
        except BadInput as fault:
            sending.faults.append(_prefix_file_name(name, fault))
            continue
        if key in seen:
            sending.faults.append(_prefix_file_name(name, BadInput("work.twice", title=key[0], first=seen[key])))
        else:
            seen[key] = name
            sending.works.append(SentWork(name, replace(described, source=Path(name))))
    return sending


def plan_changes(
    rights_holder: RightsHolder | None, sending: Sending, index: "MatchIndex | None" = None
) -> SendingPlan:
    """Return the changes that adding the works of an upload would make, without writing anything.

    rights_holder: None if the user has not chosen one yet; then all works are new. index: where similar texts in other
    works are looked up; None skips the look-up.
    """
    changes = [
        planned_change(rights_holder, sent.work.file, keep_missing=not sent.work.is_whole) for sent in sending.works
    ]
    stands = [NOWHERE] * len(changes)
    if index is not None and rights_holder is not None:
        stands = find_alike_works(rights_holder, changes, index)
    return SendingPlan([PlannedWork(*each) for each in zip(sending.works, changes, stands, strict=True)])


def add_planned_works(
    rights_holder: RightsHolder, sending: Sending, planned: SendingPlan, store: WorkStore, outbox: Outbox
) -> Acquisition:
    """Add the works of an upload. A work that changed since it was planned is left out with a fault.

    After a failure of the store, the remaining works are left out with a fault.
    """
    acquisition = Acquisition(faults=list(sending.faults))
    patient = PatientOutbox(outbox)
    store_fault: RetryLater | None = None
    for each in planned.works:
        sent = each.sent
        if store_fault:  # Waiting for the store again for each work would take too long.
            acquisition.faults.append(_prefix_file_name(sent.file_name, store_fault))
            continue
        try:
            keeps, basis = not sent.work.is_whole, each.planned.basis
            file, kind = sent.work.file, sent.work.kind
            added = add_work(rights_holder, file, kind, store, patient, keep_missing=keeps, basis=basis)
            acquisition.works.append(AddedFrom(sent, added))
        except (RetryLater, BadInput) as error:
            store_fault = error if isinstance(error, RetryLater) else None
            acquisition.faults.append(_prefix_file_name(sent.file_name, error))
    acquisition.queue_fault = patient.fault
    return acquisition


def _override_description(work: FoundWork, title: str, author: str, kind: str) -> FoundWork:
    file = replace(work.file, title=title or work.file.title, author=author or work.file.author)
    return replace(work, file=file, kind=kind)


def _prefix_file_name(name: str, error: ZhuiwenError) -> Message:
    return Message("core.unreadable", path=name, reason=error)
