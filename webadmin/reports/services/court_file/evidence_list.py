"""The list of evidence (证据目录) of a matter: the number, name, source, purpose and digest of each piece.

It is in Chinese, for a court, as PDF, DOCX and CSV, and as JSON for programs.
"""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from core.plain_text import clean_line, defuse_formula
from core.terms import BUNDLE_DIGEST, FILE_DIGEST
from documents.blocks import Align, Block, BlockTable, Cell, Document, Paragraph, TextRun

TITLE = "证据目录"
_HEADS = ("序号", "名称", "来源", "证明内容", "哈希值（SHA-256）")
_CSV_HEADS = (*_HEADS, BUNDLE_DIGEST.in_language("zh"), "组别", "文件")
_WIDTHS = (0.06, 0.27, 0.2, 0.23, 0.24)
_DIGEST_LINE_CHARS = 16  # characters of a digest in one line of the narrow column


class EvidenceGroup(StrEnum):
    """The groups of evidence in the order of the list."""

    OWNERSHIP = "权利主体与权属"
    PAGES = "网页取证"
    COMPARISON = "侵权比对"
    OTHERS = "第三方取证"
    NOTICES = "通知与往来"
    SHEETS = "损失计算"
    INTERNAL = "内部材料"


@dataclass(frozen=True, slots=True)
class EvidencePiece:
    """A piece of evidence. file: its path in the export. name, source, shows: may contain text of crawled pages.

    bundle: the digest of an evidence bundle, or "" for another piece.
    """

    group: EvidenceGroup
    name: str
    source: str
    shows: str
    sha256: str
    file: str
    bundle: str = ""


NumberedPiece = tuple[int, EvidencePiece]


def number_pieces(pieces: Sequence[EvidencePiece]) -> list[NumberedPiece]:
    """Number the pieces from 1, sorted by group, and within a group in the given order."""
    order = list(EvidenceGroup)
    return list(enumerate(sorted(pieces, key=lambda each: order.index(each.group)), 1))


def as_csv(rows: Sequence[NumberedPiece]) -> bytes:
    """Return the list as CSV (RFC 4180) in UTF-8 with BOM, without formulas and hidden characters."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(_CSV_HEADS)
    for number, piece in rows:
        cells = (piece.name, piece.source, piece.shows, piece.sha256, piece.bundle, str(piece.group), piece.file)
        writer.writerow([number, *(defuse_formula(clean_line(cell)) for cell in cells)])
    return out.getvalue().encode("utf-8-sig")


def as_json(rows: Sequence[NumberedPiece]) -> bytes:
    """Return the list as JSON in ASCII."""
    return json.dumps([{"number": number, **asdict(piece)} for number, piece in rows], indent=1).encode() + b"\n"


def document(rows: Sequence[NumberedPiece], about: str) -> Document:
    """Return the list as a document. about: the line below the title, which names the matter."""
    blocks: list[Block] = [Paragraph.heading(TITLE, 1, Align.CENTER), Paragraph.from_text(clean_line(about))]
    for group in EvidenceGroup:
        of_group = [row for row in rows if row[1].group is group]
        if of_group:
            blocks += [Paragraph.heading(group.value, 2), _pieces_table(of_group)]
    return Document(TITLE, tuple(blocks))


def _pieces_table(rows: Sequence[NumberedPiece]) -> BlockTable:
    heads = tuple(Cell.from_text(words, is_bold=True) for words in _HEADS)
    return BlockTable((heads, *map(_piece_row, rows)), _WIDTHS, has_head=True)


def _piece_row(row: NumberedPiece) -> tuple[Cell, ...]:
    number, piece = row
    named = Paragraph((TextRun(clean_line(piece.name)), TextRun(f"\n{piece.file}")))
    digests = _break_digest(piece.sha256)
    if piece.bundle:
        of_file, bundle_piece = (each.in_language("zh") for each in (FILE_DIGEST, BUNDLE_DIGEST))
        digests = f"{of_file}：\n{digests}\n{bundle_piece}：\n{_break_digest(piece.bundle)}"
    texts = (clean_line(piece.source), clean_line(piece.shows), digests)
    return (Cell.from_text(str(number)), Cell((named,)), *map(Cell.from_text, texts))


def _break_digest(digest: str) -> str:
    return "\n".join(digest[at : at + _DIGEST_LINE_CHARS] for at in range(0, len(digest), _DIGEST_LINE_CHARS))
