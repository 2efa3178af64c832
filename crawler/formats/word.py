"""Reads Word files (.docx) as one work, divided into chapters by headings."""

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import docx
from docx.opc.exceptions import PackageNotFoundError
from docx.table import Table
from docx.text.paragraph import Paragraph
from lxml import etree

from core.errors import UnreadableFile
from core.works import OWN, WorkFile
from crawler.formats.archive import Archive
from crawler.formats.headings import cut_at_titles, number_chapters, split_chapters
from crawler.formats.plain import normalize_text, require_chinese

# The exceptions of python-docx for a damaged or hostile file, and those that it does not catch.
_DAMAGES = (
    *(PackageNotFoundError, zipfile.BadZipFile, zlib.error, etree.LxmlError),
    *(LookupError, ValueError, TypeError, AttributeError, OSError, EOFError, RuntimeError),
)
_OLD_WORD = b"\xd0\xcf\x11\xe0"
_HEADING_STYLE = re.compile(r"(?:heading|标题)\s*([1-9])", re.IGNORECASE)


def read_docx(file: BinaryIO, name: Path | str) -> WorkFile:
    """Return the work in a .docx file. Raises UnreadableFile if the file is damaged, too large or not Chinese."""
    paragraphs = list(_read_paragraphs(file, name))
    text = require_chinese("\n".join(text for text, _ in paragraphs), name)
    levels = [level for _, level in paragraphs if level]
    level = next((each for each in sorted(set(levels)) if levels.count(each) >= 2), 0)
    titled = ((text, text.strip() if each == level else "") for text, each in paragraphs)
    chapters = number_chapters(cut_at_titles(titled)) if level else split_chapters(text)
    titles = [text.strip() for text, each in paragraphs if each == -1 and text.strip()]
    return WorkFile(titles[0] if titles else "", "", chapters, OWN if level else "")


def _read_paragraphs(file: BinaryIO, name: Path | str) -> Iterator[tuple[str, int]]:
    """Yield (text, level) for every paragraph and every row of a table.

    Level 0 is running text, -1 the document's title.
    """
    if file.read(4) == _OLD_WORD:
        raise UnreadableFile(name, "intake.old-word")
    with Archive(file, name, ".docx") as archive:
        archive.require_modest()
    try:
        document = docx.Document(file)
        for block in document.iter_inner_content():
            yield from _block_paragraphs(block)
    except _DAMAGES as error:
        raise UnreadableFile(name, "intake.not-word") from error


def _block_paragraphs(block: Paragraph | Table) -> Iterator[tuple[str, int]]:
    if isinstance(block, Paragraph):
        yield normalize_text(block.text), _paragraph_level(block)
        return
    for row in block.rows:
        yield normalize_text("\t".join(cell.text for cell in row.cells)), 0


def _paragraph_level(paragraph: Paragraph) -> int:
    style = paragraph.style
    name = (style.name or "") if style is not None else ""
    if name in ("Title", "标题"):
        return -1
    found = _HEADING_STYLE.fullmatch(name)
    return int(found[1]) if found else 0
