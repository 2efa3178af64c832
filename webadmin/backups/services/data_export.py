"""Exports all data of a rights holder to one file that can be read without the product.

The ZIP file contains works/ (texts by chapter), tables/ (the tables that belong to rights holders, as CSV and JSON),
evidence/ (bundles) and files/ (documents, notices and proofs). index.html explains the contents in Chinese and English.
SHA256SUMS contains the digests.
"""

import base64
import csv
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from html import escape
from pathlib import Path
from typing import Any, BinaryIO

from django.db import models
from django.utils import timezone, translation

from bundles import layout, statements
from core.errors import BrokenInvariant
from core.ids import Digest, WorkTextId
from core.plain_text import clean_line, defuse_formula
from webadmin import stores
from webadmin.accounts.models import RightsHolder, User
from webadmin.accounts.services.access import HOLDER_PATHS
from webadmin.backups.services.tables import snapshot_transaction
from webadmin.evidence.models import EvidenceBundle
from webadmin.evidence.services.case_export import day_proof
from webadmin.evidence.services.kept_files import KEPT
from webadmin.works.models import Chapter

BOM = "\ufeff"  # Spreadsheets recognize UTF-8 by it.
CHUNK_ROWS = 1_000
MAX_NAME_CHARS = 60
SEALED = "sealed_"  # the prefix of columns with secrets, which only the installation's key decrypts
_UNFIT = re.compile(r'[\\/:*?"<>|\x00-\x1f]+')

Progress = Callable[[str, int, int], None]  # part, items done, items in total


@dataclass
class TakenOut:
    """The contents of an export file. rows: the row counts by table.

    missing: the file names of items that are lost or damaged in a store.
    """

    files: int = 0
    bytes: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def take_out(holder: RightsHolder, to: Path, on_progress: Progress = lambda *_: None) -> TakenOut:
    """Write all data of a rights holder to the file `to`, and return its contents. No file is left if an error occurs.

    Raises ServiceUnavailable if a store is unreachable, OSError if the file cannot be written.
    """
    partial = to.with_name(f".{to.name}.partial")
    try:
        partial.touch(mode=0o600)
        with partial.open("wb") as file:
            taken = _Writing(holder, file, on_progress).write()
        partial.replace(to)
    finally:
        partial.unlink(missing_ok=True)
    return taken


class _Writing:
    def __init__(self, holder: RightsHolder, file: BinaryIO, on_progress: Progress) -> None:
        self._holder, self._on_progress = holder, on_progress
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self._sums: list[tuple[str, str]] = []
        self._taken = TakenOut()
        self._stamped: set[str] = set()  # the roots whose timestamps are already in the file
        self._users = dict(User.objects.values_list("pk", "username"))

    def write(self) -> TakenOut:
        at = timezone.now()
        with self._zip:
            with snapshot_transaction():
                for model in sorted(HOLDER_PATHS, key=lambda each: str(each._meta.model_name)):
                    self._write_table(model, self._holder_rows(model))
                for _, pairs in _relation_tables():
                    self._write_table(pairs.remote_field.through, self._relation_rows(pairs))
                chapters = list(self._holder_rows(Chapter).select_related("work").order_by("work", "number"))
                bundles = list(self._holder_rows(EvidenceBundle).exclude(state=EvidenceBundle.State.REMOVED))
                files = [(model, row.pk, getattr(row, name), row.digest) for model, name in KEPT.items()
                         for row in self._holder_rows(model).order_by("pk")]  # fmt: skip
            for number, chapter in enumerate(chapters, 1):
                self._write_chapter(chapter)
                self._on_progress("works", number, len(chapters))
            for number, bundle in enumerate(bundles, 1):
                self._add_file(f"evidence/{bundle.digest}.wacz", bundle.digest)
                self._write_proof(bundle)
                self._on_progress("evidence", number, len(bundles))
            for number, (model, key, name, digest) in enumerate(files, 1):
                self._add_file(f"files/{model._meta.model_name}/{key}-{_fit_name(name)}", digest)
                self._on_progress("files", number, len(files))
            self._write_member("index.html", self._index_page(at).encode())
            self._zip.writestr("SHA256SUMS", "".join(f"{digest}  {name}\n" for name, digest in self._sums))
        self._taken.files = len(self._sums) + 1
        self._taken.bytes = sum(info.compress_size for info in self._zip.infolist())
        return self._taken

    def _holder_rows(self, model: type[models.Model]) -> Any:
        """Return the rows of a model that belong to the rights holder."""
        return model._default_manager.filter(**{HOLDER_PATHS[model]: self._holder.pk})

    def _relation_rows(self, between: Any) -> Any:
        """Return the rows of a many-to-many table that belong to the rights holder."""
        path = f"{between.m2m_field_name()}__{HOLDER_PATHS[between.model]}"
        return between.remote_field.through._default_manager.filter(**{path: self._holder.pk})

    def _write_table(self, model: type[models.Model], of_holder: Any) -> None:
        name = str(model._meta.model_name)
        columns = [each for each in model._meta.concrete_fields if not each.attname.startswith(SEALED)]
        rows = of_holder.order_by("pk").values_list(*(each.attname for each in columns))
        heads = [each.name if each.related_model is User else each.attname for each in columns]
        with self._open_member(f"tables/{name}.csv") as write:
            write(BOM + _csv_line(heads))
            count = 0
            for row in rows.iterator(chunk_size=CHUNK_ROWS):
                write(_csv_line(map(_safe_cell, self._row_values(columns, row))))
                count += 1
        with self._open_member(f"tables/{name}.json") as write:
            write("[")
            for number, row in enumerate(rows.iterator(chunk_size=CHUNK_ROWS)):
                values = dict(zip(heads, self._row_values(columns, row), strict=True))
                write((",\n" if number else "\n") + _as_json(values))
            write("\n]\n")
        self._taken.rows[name] = count
        self._on_progress(name, count, count)

    def _row_values(self, columns: Iterable[Any], row: Iterable[Any]) -> Iterator[Any]:
        """Yield the values of a row, with user names instead of the keys of users."""
        for column, value in zip(columns, row, strict=True):
            yield self._users.get(value, value) if column.related_model is User else value

    def _write_chapter(self, chapter: Any) -> None:
        folder = f"works/{chapter.work_id}-{_fit_name(chapter.work.title)}"
        name = f"{folder}/{chapter.number:04d}-{_fit_name(chapter.title)}-{chapter.pk}.txt"
        try:
            text = stores.work_store().text(WorkTextId(chapter.text_id))
        except BrokenInvariant:
            text = None
        if text is None:
            self._taken.missing.append(name)
        else:
            self._write_member(name, text.encode("utf-8", "surrogatepass"))

    def _add_file(self, name: str, digest: str) -> None:
        try:
            content = stores.evidence_store().get(Digest(digest))
        except BrokenInvariant:
            content = None
        if content is None:
            self._taken.missing.append(name)
        else:
            self._write_member(name, content)

    def _write_proof(self, bundle: EvidenceBundle) -> None:
        """Write the audit path from a bundle to the root of its day tree, and the timestamps on this root."""
        proof = day_proof(bundle)
        if proof is None:
            return
        self._write_member(f"proofs/{bundle.digest}.json", statements.proof(Digest(bundle.digest), proof))
        if proof.root in self._stamped:
            return
        self._stamped.add(proof.root)
        for number, stamp in enumerate(proof.stamps, 1):
            for name, content in statements.stamp_files(layout.stamp_folder(proof.root, number), stamp).items():
                self._write_member(name, content)

    def _write_member(self, name: str, content: bytes) -> None:
        # Bundles are compressed already.
        how = zipfile.ZIP_STORED if name.startswith("evidence/") else zipfile.ZIP_DEFLATED
        self._zip.writestr(name, content, how)
        self._sums.append((name, hashlib.sha256(content).hexdigest()))

    @contextmanager
    def _open_member(self, name: str) -> Iterator[Callable[[str], None]]:
        """Yield a function that writes text to a member of the ZIP file."""
        hasher = hashlib.sha256()
        with self._zip.open(name, "w", force_zip64=True) as member:

            def write(text: str) -> None:
                data = text.encode("utf-8", "surrogatepass")
                hasher.update(data)
                member.write(data)

            yield write
        self._sums.append((name, hasher.hexdigest()))

    def _index_page(self, at: datetime) -> str:
        rows = "".join(
            f"<tr><td>{escape(name)}<td>{escape(chinese)}<td>{escape(english)}"
            for name, chinese, english in self._contents_lines()
        )
        head = "".join(f"<p>{escape(line)}" for line in [*_HEAD, f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"])
        lacking = "".join(f"<li>缺失或损坏 / missing or damaged: {escape(each)}" for each in self._taken.missing)
        title = escape(self._holder.name)
        return (
            f'<!DOCTYPE html><html lang="zh"><meta charset="utf-8"><title>{title}</title><h1>{title}</h1>{head}'
            f"<table>{rows}</table><ul>{lacking}</ul></html>\n"
        )

    def _contents_lines(self) -> Iterator[tuple[str, str, str]]:
        yield from _FOLDERS
        models_of_holders = sorted(HOLDER_PATHS, key=lambda each: str(each._meta.model_name))
        tables: list[tuple[Any, Any, Any]] = [(model, model, None) for model in models_of_holders]
        tables += [(pairs.remote_field.through, model, pairs) for model, pairs in _relation_tables()]
        for table, model, pairs in tables:
            name = str(table._meta.model_name)
            words = []
            for language in ("zh-hans", "en"):
                with translation.override(language):
                    told = f"{model._meta.verbose_name_plural}" + (f": {pairs.verbose_name}" if pairs else "")
                    words.append(f"{told} ({self._taken.rows[name]})")
            yield f"tables/{name}.csv, .json", words[0], words[1]


_HEAD = (
    "本文件包含该权利人在系统中的全部数据，无需本系统即可阅读。",
    "This file has all that the rights holder has in the system, and is read without it.",
)
_FOLDERS = (
    ("works/", "作品正文，每章一个 UTF-8 文本文件", "texts of the works, a UTF-8 file for each chapter"),
    ("evidence/", "证据包（WACZ），可用 ReplayWeb.page 打开", "bundles of evidence (WACZ), which ReplayWeb.page opens"),
    ("proofs/", "每个证据包到当日默克尔树根的路径", "of each bundle, the way to the root of its day's Merkle tree"),
    (
        "stamps/",
        "各树根的时间戳：请求、答复、根证书",
        "time stamps on these roots: query, response, root certificates",
    ),
    (
        "files/",
        "上传的文件、通知、授权证明文件和第三方材料",
        "papers, notices, proofs of licences and of third parties",
    ),
    ("SHA256SUMS", "各文件的 SHA-256：sha256sum -c SHA256SUMS", "SHA-256 of each file: sha256sum -c SHA256SUMS"),
    (
        "tables/",
        "数据表；时间为 UTC，各 id 列互相引用",
        "tables; times are UTC, id columns name rows of others",
    ),
)


def _relation_tables() -> Iterator[tuple[type[models.Model], Any]]:
    """Yield the models that belong to rights holders with each of their many-to-many fields."""
    for model in sorted(HOLDER_PATHS, key=lambda each: str(each._meta.model_name)):
        yield from ((model, each) for each in model._meta.many_to_many)


def _fit_name(name: str) -> str:
    """Convert a name to a valid file name."""
    return _UNFIT.sub("_", clean_line(name, MAX_NAME_CHARS)).strip(" .") or "_"


def _csv_line(cells: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(list(cells))
    return line.getvalue()


def _safe_cell(value: Any) -> str:
    """Convert a value to a CSV cell that is not a formula."""
    if value is None or isinstance(value, bool | int | float):
        return "" if value is None else str(value)
    if isinstance(value, list | tuple | dict):
        return defuse_formula(_as_json(value))
    return defuse_formula(value if isinstance(value, str) else _plain_text(value))


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=_plain_text)


def _plain_text(value: Any) -> str:
    """Convert a value that JSON does not support to text.

    Messages are in English, times in ISO 8601, bytes in Base64.
    """
    match value:
        case datetime() | date() | time():
            return value.isoformat()
        case bytes() | memoryview():
            return base64.b64encode(bytes(value)).decode("ascii")
    return str(value)
