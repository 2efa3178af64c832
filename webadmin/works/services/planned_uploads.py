"""Stores the works of an upload until the user confirms the planned changes, so that exactly these are added."""

import json
import zlib
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.errors import BadInput
from core.wording import Message
from core.works import ChapterText, WorkFile
from webadmin.accounts.models import RightsHolder, User
from webadmin.works.models import PlannedUpload
from webadmin.works.services.acquisition import Sending, SentWork
from webadmin.works.services.intake.bounded import BoundedReader
from webadmin.works.services.intake.division import Division, FoundWork

KEPT = timedelta(hours=24)
LEVEL = 1  # the compression level, at which 16 million characters take a second


class UploadGone(BadInput):
    """The error if an upload is no longer stored."""

    def __init__(self) -> None:
        super().__init__("work.upload-gone", hours=int(KEPT.total_seconds() // 3600))


def keep_upload(rights_holder: RightsHolder | None, user: User, sending: Sending) -> PlannedUpload:
    """Store an upload in place of the user's earlier one, and delete all expired uploads.

    rights_holder: None if the user chooses it later.
    """
    now = timezone.now()
    data = _pack_upload(sending)
    with transaction.atomic():
        PlannedUpload.objects.filter(sent_by=user).delete()
        PlannedUpload.objects.filter(sent_at__lt=now - KEPT).delete()
        return PlannedUpload.objects.create(rights_holder=rights_holder, sent_by=user, sent_at=now, works=data)


def planned_upload(key: int, user: User) -> PlannedUpload:
    """Return the user's upload with this key. Raises UploadGone if it was replaced, discarded or has expired."""
    known = PlannedUpload.objects.select_related("rights_holder").filter(pk=key, sent_by=user)
    found = known.filter(sent_at__gte=timezone.now() - KEPT).first()
    if found is None:
        raise UploadGone
    return found


def stored_sending(upload: PlannedUpload) -> Sending:
    stored = json.loads(zlib.decompress(bytes(upload.works)).decode("utf-8", "surrogatepass"))
    return Sending(
        [_load_work(**each) for each in stored["works"]],
        [Message.from_json(fault) for fault in stored["faults"]],
    )


def divide_upload(upload: PlannedUpload, place: int, style: str) -> None:
    """Divide the work at the index `place` of an upload by another heading style; "" restores the first division.

    Raises UnreadableFile if the work has no such division.
    """
    sending = stored_sending(upload)
    work = replace(sending.works[place], style="", divided=())
    if style not in ("", work.read.file.style):
        with BoundedReader() as reader:
            found = reader.divide_work(work.read, style)
        work = replace(work, style=style, divided=found.file.chapters)
    sending.works[place] = work
    upload.works = _pack_upload(sending)
    upload.save(update_fields=["works"])


def _pack_upload(sending: Sending) -> bytes:
    text = json.dumps(asdict(sending), ensure_ascii=False, default=str)  # `str` converts times and paths
    return zlib.compress(text.encode("utf-8", "surrogatepass"), LEVEL)


def _load_work(file_name: str, read: dict[str, Any], style: str, divided: list[dict[str, Any]]) -> SentWork:
    file = read["file"]
    chapters, flaws = _load_chapters(file["chapters"]), tuple(map(Message.from_json, file["flaws"]))
    parts = {
        "file": WorkFile(**{**file, "chapters": chapters, "flaws": flaws}),
        "source": Path(read["source"]),
        "ways": tuple(Division(**each) for each in read["ways"]),
    }
    return SentWork(file_name, FoundWork(**{**read, **parts}), style, _load_chapters(divided))


def _load_chapters(stored: list[dict[str, Any]]) -> tuple[ChapterText, ...]:
    times = (each["published_at"] for each in stored)
    return tuple(
        ChapterText(**{**each, "published_at": datetime.fromisoformat(at) if at else None})
        for each, at in zip(stored, times, strict=True)
    )
