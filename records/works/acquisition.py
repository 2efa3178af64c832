"""Works that come in through the browser: read, added, and told about one by one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from django.core.files.uploadedfile import UploadedFile

from core import messages
from core.errors import BadInput, RetryLater, ZhuiwenError
from core.ports import Outbox, WorkStore
from core.wording import Message
from intake import FoundWork
from records.models import RightsHolder
from records.works.catalogue import AddedWork, add_work
from records.works.uploads import read_uploads


class TitleForSeveral(BadInput):
    """One title was given, and several works were read."""

    def __init__(self, count: int) -> None:
        super().__init__("work.title-for-several", count=count)


@dataclass(frozen=True, slots=True)
class AddedFrom:
    """A work that was added, and from which file."""

    file_name: str
    added: AddedWork
    chars: int
    is_whole: bool


@dataclass(slots=True)
class Acquisition:
    """All that came of one sending. `faults`: one for each file, line or work that was left out."""

    works: list[AddedFrom] = field(default_factory=list)
    faults: list[Message] = field(default_factory=list)
    queue_fault: Message | None = None  # why the texts wait for the sweeper


class PatientOutbox:
    """An outbox whose messages may wait: what cannot be sent now is found and sent by the sweeper."""

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


def acquire(
    rights_holder: RightsHolder,
    files: Sequence[UploadedFile],
    store: WorkStore,
    outbox: Outbox,
    *,
    title: str = "",
    author: str = "",
    kind: str = "",
) -> Acquisition:
    """Add the works in `files`; "" takes title, author and kind from the file. Safe to repeat.

    The rights holder is the one given, whatever a manifest says. Raises TitleForSeveral before anything is added.
    """
    uploads = read_uploads(files)
    found = [(upload.name, work) for upload in uploads for work in upload.intake.works]
    if title and len(found) > 1:
        raise TitleForSeveral(len(found))
    acquisition = Acquisition(faults=[fault for upload in uploads for fault in upload.faults])
    patient = PatientOutbox(outbox)
    described = [(name, _described(work, title, author, kind)) for name, work in found]
    _add_all(acquisition, rights_holder, described, store, patient)
    acquisition.queue_fault = patient.fault
    return acquisition


def _described(work: FoundWork, title: str, author: str, kind: str) -> FoundWork:
    file = replace(work.file, title=title or work.file.title, author=author or work.file.author)
    return replace(work, file=file, kind=kind or work.kind)


def _add_all(
    acquisition: Acquisition,
    rights_holder: RightsHolder,
    found: Iterable[tuple[str, FoundWork]],
    store: WorkStore,
    outbox: Outbox,
) -> None:
    store_fault: RetryLater | None = None
    for name, work in found:
        if store_fault:  # it would keep everybody waiting for each of the others as well
            acquisition.faults.append(_of_file(name, store_fault))
            continue
        try:
            added = add_work(rights_holder, work.file, work.kind, store, outbox, keep_missing=not work.is_whole)
        except RetryLater as error:
            store_fault = error
            acquisition.faults.append(_of_file(name, error))
        except BadInput as error:
            acquisition.faults.append(_of_file(name, error))
        else:
            chars = sum(len(chapter.text) for chapter in work.file.chapters)
            acquisition.works.append(AddedFrom(name, added, chars, work.is_whole))


def _of_file(name: str, error: ZhuiwenError) -> Message:
    return Message("core.unreadable", path=name, reason=error)
