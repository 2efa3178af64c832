"""Writes documents as Word files: paragraphs, tables and images, without links, fields or macros."""

import io
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import docx
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_BREAK
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Emu, Pt, RGBColor

from documents.blocks import Align, Block, BlockPicture, BlockTable, Document, InlineMark, PageBreak, Paragraph, TextRun
from documents.plain import printable

PAGE_WIDTH, PAGE_HEIGHT, MARGIN = Cm(21), Cm(29.7), Cm(2.4)
TEXT_WIDTH = Emu(PAGE_WIDTH - 2 * MARGIN)
_FONTS = {"zh": ("Times New Roman", "宋体"), "en": ("Times New Roman", "宋体")}
_SIZES = {0: Pt(11), 1: Pt(16), 2: Pt(13), 3: Pt(11)}
_ALIGN = {
    Align.LEFT: WD_ALIGN_PARAGRAPH.LEFT,
    Align.CENTER: WD_ALIGN_PARAGRAPH.CENTER,
    Align.RIGHT: WD_ALIGN_PARAGRAPH.RIGHT,
}
# The marks are also distinguishable without colours: bold, underlined and struck through.
_COLORS = {
    InlineMark.CHANGED: RGBColor(0xB4, 0x23, 0x18),
    InlineMark.ADDED: RGBColor(0x06, 0x6B, 0x3A),
    InlineMark.LOST: RGBColor(0x5A, 0x66, 0x75),
}


def word_file(document: Document, made_at: datetime) -> bytes:
    """Return the document as DOCX, dated `made_at`. Raises ValueError if an image is neither PNG nor JPEG."""
    file = docx.Document()
    for stray in list(file.element.body.iterchildren(qn("w:p"))):
        file.element.body.remove(stray)
    _format_file(file, document, made_at)
    for block in document.blocks:
        _write_block(file, block, TEXT_WIDTH)
    for place, content in ((file.sections[0].header, document.head), (file.sections[0].footer, document.foot)):
        if content:
            _write_cell(place, content, TEXT_WIDTH)
    kept = io.BytesIO()
    file.save(kept)
    return kept.getvalue()


def _format_file(file: Any, document: Document, made_at: datetime) -> None:
    section = file.sections[0]
    section.page_width, section.page_height = PAGE_WIDTH, PAGE_HEIGHT
    section.left_margin = section.right_margin = MARGIN
    section.top_margin = section.bottom_margin = Cm(2.2)
    latin, han = _FONTS[document.language]
    style = file.styles["Normal"]
    style.font.name, style.font.size = latin, _SIZES[0]
    style.element.rPr.rFonts.set(qn("w:eastAsia"), han)
    style.paragraph_format.space_after = Pt(4)
    style.paragraph_format.line_spacing = 1.25
    about = file.core_properties
    about.title, about.author, about.comments = printable(document.title), "", ""
    about.created = about.modified = made_at.astimezone(UTC).replace(tzinfo=None, microsecond=0)


def _write_block(place: Any, block: Block, width: Emu) -> None:
    match block:
        case Paragraph():
            _write_paragraph(place.add_paragraph(), block)
        case BlockTable():
            _write_table(place, block, width)
        case BlockPicture():
            place.add_paragraph().add_run().add_picture(io.BytesIO(block.content), width=width)
        case PageBreak():
            place.add_paragraph().add_run().add_break(WD_BREAK.PAGE)


def _write_paragraph(made: Any, block: Paragraph) -> None:
    made.alignment = _ALIGN[block.align]
    if block.level:
        made.paragraph_format.space_before, made.paragraph_format.keep_with_next = Pt(8), True
        _set_outline_level(made, block.level)
    if block.is_indented:
        made.paragraph_format.first_line_indent = Pt(22)
    for run in block.runs:
        _write_run(made, run, block.level)


def _set_outline_level(paragraph: Any, level: int) -> None:
    """Set the outline level: Word's navigation then lists the paragraph, and `word_reading` reads it as a heading."""
    outline = OxmlElement("w:outlineLvl")
    outline.set(qn("w:val"), str(level - 1))
    paragraph._p.get_or_add_pPr().append(outline)


def _write_run(paragraph: Any, run: TextRun, level: int) -> None:
    made = paragraph.add_run()
    first, *others = printable(run.text).split("\n")
    made.add_text(first)
    for line in others:
        made.add_break()
        made.add_text(line)
    made.bold = run.is_bold or level > 0 or run.mark is InlineMark.CHANGED or None
    if level:
        made.font.size = _SIZES[level]
    if run.mark is not InlineMark.NONE:
        made.font.color.rgb = _COLORS[run.mark]
        made.underline = run.mark is InlineMark.ADDED or None
        made.font.strike = run.mark is InlineMark.LOST or None


def _write_table(file: Any, block: BlockTable, width: Emu) -> None:
    made = file.add_table(rows=len(block.rows), cols=len(block.widths))
    made.style, made.alignment, made.autofit = "Table Grid", WD_TABLE_ALIGNMENT.CENTER, False
    shares = [Emu(int(width * share)) for share in block.widths]
    for column, share in zip(made.columns, shares, strict=True):
        column.width = share
    if block.rows and block.has_head:
        _repeat_row(made.rows[0])
    for row, written in zip(block.rows, made.rows, strict=True):
        at, cells = 0, written.cells
        for cell in row:
            place = cells[at] if cell.span == 1 else cells[at].merge(cells[at + cell.span - 1])
            place.width = Emu(sum(shares[at : at + cell.span]))
            _write_cell(place, cell.content, Emu(place.width - Cm(0.4)))
            at += cell.span


def _write_cell(place: Any, content: Iterable[Paragraph | BlockPicture], width: Emu) -> None:
    empty = list(place.paragraphs)
    for block in content:
        _write_block(place, block, width)
    for paragraph in empty if content else empty[1:]:  # Word requires a paragraph in each cell
        paragraph._element.getparent().remove(paragraph._element)
    for paragraph in place.paragraphs:
        paragraph.paragraph_format.space_after = Pt(2)


def _repeat_row(row: Any) -> None:
    head = OxmlElement("w:tblHeader")
    head.set(qn("w:val"), "true")
    row._tr.get_or_add_trPr().append(head)
