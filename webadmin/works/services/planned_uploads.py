"""Keeps the works of an upload between plan and confirmation, so that users confirm what they saw."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
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
from webadmin.works.services.intake import BoundedReader, Division, FoundWork, divisions

KEPT = timedelta(hours=24)
LEVEL = 1  # compression level, at which 16 million characters take a second


class UploadGone(BadInput):
    """The upload is no longer stored."""

    def __init__(self) -> None:
        super().__init__("work.upload-gone", hours=int(KEPT.total_seconds() // 3600))


def keep_upload(rights_holder: RightsHolder | None, user: User, sending: Sending) -> PlannedUpload:
    """Store an upload, replacing the user's earlier one; expired uploads of other users are removed.

    rights_holder: None if the user chooses it later.
    """
    now = timezone.now()
    data = _pack_upload(_dump_sending(sending))
    with transaction.atomic():
        PlannedUpload.objects.filter(sent_by=user).delete()
        PlannedUpload.objects.filter(sent_at__lt=now - KEPT).delete()
        return PlannedUpload.objects.create(rights_holder=rights_holder, sent_by=user, sent_at=now, works=data)


def planned_upload(key: int, user: User) -> PlannedUpload:
    """Return the user's own upload with this number. Raises UploadGone."""
    known = PlannedUpload.objects.select_related("rights_holder").filter(pk=key, sent_by=user)
    found = known.filter(sent_at__gte=timezone.now() - KEPT).first()
    if found is None:
        raise UploadGone
    return found


def stored_sending(upload: PlannedUpload) -> Sending:
    return _load_sending(_unpack_upload(upload))


def divide_upload(upload: PlannedUpload, place: int, style: str) -> None:
    """Divide a work of an upload by another heading style. Raises UnreadableFile if the work lacks the style."""
    stored = _unpack_upload(upload)
    work = stored["works"][place]
    read = _loaded_work(work).read
    work["style"], work["divided"] = "", []
    if style not in ("", read.file.style):
        with BoundedReader() as reader:
            found = reader.divide_work(read, style)
        work["style"], work["divided"] = style, _dumped_chapters(found.file.chapters)
    upload.works = _pack_upload(stored)
    upload.save(update_fields=["works"])


def _pack_upload(stored: dict[str, Any]) -> bytes:
    return zlib.compress(json.dumps(stored, ensure_ascii=False).encode("utf-8", "surrogatepass"), LEVEL)


def _unpack_upload(upload: PlannedUpload) -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(zlib.decompress(bytes(upload.works)).decode("utf-8", "surrogatepass"))
    return stored


def _dump_sending(sending: Sending) -> dict[str, Any]:
    return {
        "works": [_dumped_work(each) for each in sending.works],
        "faults": [fault.to_json() for fault in sending.faults],
    }


def _dumped_work(sent: SentWork) -> dict[str, Any]:
    found = sent.read
    return {
        "name": sent.file_name,
        "title": found.file.title,
        "author": found.file.author,
        "kind": found.kind,
        "is_whole": found.is_whole,
        "style": "",  # set, with `divided`, once a user chooses a heading style
        "divided": [],
        "ways": [[each.style, each.chapters] for each in divisions(found)],
        "own_style": found.file.style,
        "flaws": [flaw.to_json() for flaw in found.file.flaws],
        "chapters": _dumped_chapters(found.file.chapters),
    }


def _dumped_chapters(chapters: Sequence[ChapterText]) -> list[list[Any]]:
    return [
        [each.number, each.title, each.text, each.published_at.isoformat() if each.published_at else None]
        for each in chapters
    ]


def _load_sending(stored: dict[str, Any]) -> Sending:
    return Sending(
        [_loaded_work(each) for each in stored["works"]],
        [Message.from_json(fault) for fault in stored["faults"]],
    )


def _loaded_work(stored: dict[str, Any]) -> SentWork:
    flaws = tuple(Message.from_json(flaw) for flaw in stored["flaws"])
    chapters = tuple(_loaded_chapters(stored["chapters"]))
    file = WorkFile(stored["title"], stored["author"], chapters, stored["own_style"], flaws)
    ways = tuple(Division(*each) for each in stored["ways"])
    read = FoundWork(file, Path(stored["name"]), kind=stored["kind"], is_whole=stored["is_whole"], ways=ways)
    if not stored["style"]:
        return SentWork(stored["name"], read, read)
    chosen = replace(file, chapters=tuple(_loaded_chapters(stored["divided"])), style=stored["style"])
    return SentWork(stored["name"], replace(read, file=chosen), read)


def _loaded_chapters(stored: Sequence[Sequence[Any]]) -> list[ChapterText]:
    return [
        ChapterText(number, title, text, datetime.fromisoformat(at) if at else None)
        for number, title, text, at in stored
    ]
