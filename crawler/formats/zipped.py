"""Reads ZIP archives of texts, as sites offer them: the chapters of all texts in the order of their file names.

Archives inside an archive are skipped and reported.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from core.errors import UnreadableFile
from core.states import Rejection
from core.wording import Message
from core.works import ChapterText
from crawler.characters.decoding import Decoded, decode
from crawler.characters.repertoire import count_han
from crawler.formats.archive import PDF, Archive, detect_kind
from crawler.formats.headings import split_chapters
from crawler.formats.numerals import natural_key
from crawler.formats.plain import TRIED, kind_of_binary, normalize_text
from crawler.markup import element_text, parse

_TEXTS = frozenset({".txt", ".text", ".md", ""})
_PAGES = frozenset({".html", ".htm", ".xhtml"})
_ARCHIVES = frozenset({".zip", ".rar", ".7z", ".gz", ".tar", ".epub", ".docx"})
_ARCHIVE_KINDS = frozenset({"intake.kind-zip", "intake.kind-rar", "intake.kind-7z", "intake.kind-gzip"})
_FATAL = frozenset({"intake.unpacks-too-large"})  # for the whole archive; any other error only skips its member
MAX_FAULTS = 10  # number reported for an archive


@dataclass(slots=True)
class Unzipped:
    """The texts in an archive.

    title: the title of the text if there is only one
    chapters: (title, text)
    faults: a message for each skipped member
    """

    title: str = ""
    chapters: list[tuple[str, str]] = field(default_factory=list)
    faults: list[Message] = field(default_factory=list)
    encoding: str = "utf-8"  # encoding of the longest text
    is_doubtful: bool = False  # True if the encoding of any text is doubtful


def read_zip(file: BinaryIO, name: Path | str, most_chars: int) -> Unzipped:
    """Read the texts in a ZIP archive until their total length exceeds `most_chars`.

    Raises UnreadableFile if the file is protected, damaged, a decompression bomb, or not an archive.
    """
    found, longest, chars = Unzipped(), 0, 0
    texts: list[tuple[str, Sequence[ChapterText]]] = []  # the name of each member with text, and its chapters
    with Archive(file, name) as archive:
        archive.require_modest()
        for member, shown in _archive_members(archive):
            try:
                read = _read_member(archive, member, shown)
            except UnreadableFile as fault:
                if fault.reason.code in _FATAL:
                    raise
                found.faults.append(Message("page.member", url=str(name), part=shown, reason=fault.reason))
                continue
            if read is None:
                continue
            chapters, decoded = read
            texts.append((PurePosixPath(shown).stem, chapters))
            size = sum(len(chapter.text) for chapter in chapters)
            if decoded is not None:
                found.is_doubtful |= decoded.is_doubtful
                longest, found.encoding = max((longest, found.encoding), (size, decoded.encoding))
            chars += size
            if chars > most_chars:
                break
    del found.faults[MAX_FAULTS:]
    found.title = texts[0][0] if len(texts) == 1 else ""
    found.chapters = [
        (_chapter_title(stem, chapter.title, is_one_of_many=len(texts) > 1), chapter.text)
        for stem, chapters in texts
        for chapter in chapters
    ]
    return found


def _archive_members(archive: Archive) -> Iterator[tuple[str, str]]:
    """Yield (stored name, decoded name) of each member in natural order, without folders and hidden files."""
    shown = {name: decode_name(name) for name in archive.names if not name.endswith("/")}
    for name in sorted(shown, key=lambda each: (natural_key(shown[each]), each)):
        parts = PurePosixPath(shown[name]).parts
        if not any(part.startswith(".") or part == "__MACOSX" for part in parts):
            yield name, shown[name]


def _read_member(archive: Archive, member: str, shown: str) -> tuple[Sequence[ChapterText], Decoded | None] | None:
    """Return the chapters of a member and how it was decoded, or None if it is not a text.

    shown: its decoded name. Raises UnreadableFile if it is an archive or damaged.
    """
    suffix = PurePosixPath(shown).suffix.lower()
    if suffix in _ARCHIVES:
        raise UnreadableFile(shown, "page.archive-in-archive")
    if suffix not in _TEXTS | _PAGES | {".pdf"}:
        return None
    data = archive.read_member(member)
    if detect_kind(data) == PDF:
        from crawler.formats.pdf import read_pdf  # loads pypdf, which most processes do not need

        return read_pdf(io.BytesIO(data), shown).chapters, None
    binary = kind_of_binary(data)
    if binary is not None and binary.code in _ARCHIVE_KINDS:
        raise UnreadableFile(shown, "page.archive-in-archive")
    if binary is not None or not data:
        return None
    decoded = decode(data)
    if isinstance(decoded, Rejection):
        raise UnreadableFile(shown, "intake.no-encoding", tried=TRIED)
    text = normalize_text(decoded.text)
    if suffix in _PAGES:
        tree = parse(text)
        text = normalize_text(element_text(tree)) if tree is not None else ""
    return (split_chapters(text), decoded) if count_han(text) else None


def _chapter_title(stem: str, title: str, *, is_one_of_many: bool) -> str:
    return f"{stem} {title}".strip() if is_one_of_many or not title else title


def decode_name(name: str) -> str:
    """Decode the name of a member. Windows writes names in GBK, but the format declares code page 437."""
    try:
        data = name.encode("cp437")
    except UnicodeEncodeError:
        return name  # the name was marked as UTF-8
    for encoding in ("utf-8", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return name
