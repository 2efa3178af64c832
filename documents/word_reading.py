"""Reads a Word file into the document model, to write it as PDF. Only the features that letters use are supported."""

from collections.abc import Iterator
from typing import Any

from docx.oxml.ns import qn

from documents.blocks import Align, Block, BlockPicture, BlockTable, Cell, Document, PageBreak, Paragraph, TextRun
from documents.word_files import open_word_file

_ALIGN = {"center": Align.CENTER, "right": Align.RIGHT, "end": Align.RIGHT}
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")


def read_word_file(content: bytes, title: str, language: str = "zh") -> Document:
    """Return a document with the file's paragraphs, tables and images, and the first section's header and footer.

    title, language: as in `Document`. Raises BadInput if `open_word_file` rejects the file.
    """
    file = open_word_file(content)
    section = file.sections[0]
    return Document(
        title,
        tuple(_read_blocks(file.element.body, file.part)),
        language,
        tuple(_read_lines(section.header._element, section.header.part)),
        tuple(_read_lines(section.footer._element, section.footer.part)),
    )


def _read_blocks(body: Any, part: Any) -> Iterator[Block]:
    for element in body.iterchildren():
        if element.tag == qn("w:p"):
            yield from _read_paragraph(element, part)
        elif element.tag == qn("w:tbl"):
            yield _read_table(element, part)
        elif element.tag == qn("w:sdt"):
            content = element.find(qn("w:sdtContent"))
            yield from _read_blocks(content, part) if content is not None else ()


def _read_lines(element: Any, part: Any) -> Iterator[Paragraph | BlockPicture]:
    """Yield the paragraphs and images inside an element at any depth, without empty paragraphs."""
    for paragraph in element.iter(qn("w:p")):
        for block in _read_paragraph(paragraph, part):
            if isinstance(block, BlockPicture) or (isinstance(block, Paragraph) and block.text.strip()):
                yield block


def _read_paragraph(element: Any, part: Any) -> Iterator[Paragraph | BlockPicture | PageBreak]:
    style = part.document.styles.get_by_id(element.style, 1) if hasattr(part, "document") else None
    runs: list[TextRun] = []
    for run in element.iter(qn("w:r")):
        if next(run.iterancestors(qn("w:p")), None) is not element:
            continue
        is_bold = _is_bold(run)
        for child in run.iterchildren():
            if child.tag == qn("w:t"):
                runs.append(TextRun(str(child.text or ""), is_bold=is_bold))
            elif child.tag == qn("w:tab"):
                runs.append(TextRun("　", is_bold=is_bold))
            elif child.tag == qn("w:br") and child.get(qn("w:type")) == "page":
                yield _make_paragraph(element, runs, style)
                yield PageBreak()
                runs = []
            elif child.tag in {qn("w:br"), qn("w:cr")}:
                runs.append(TextRun("\n"))
            elif child.tag in {qn("w:drawing"), qn("w:pict")}:
                yield from _read_pictures(child, part)
    yield _make_paragraph(element, runs, style)


def _make_paragraph(element: Any, runs: list[TextRun], style: Any) -> Paragraph:
    properties = element.pPr
    jc = properties.find(qn("w:jc")) if properties is not None else None
    indent = properties.find(qn("w:ind")) if properties is not None else None
    is_indented = indent is not None and bool(indent.get(qn("w:firstLine")) or indent.get(qn("w:firstLineChars")))
    align = _ALIGN.get(str(jc.get(qn("w:val"))) if jc is not None else _styled_align(style), Align.LEFT)
    return Paragraph(tuple(runs), align, _heading_level(style, properties), is_indented)


def _styled_align(style: Any) -> str:
    while style is not None:
        jc = style.element.find(f"{qn('w:pPr')}/{qn('w:jc')}")
        if jc is not None:
            return str(jc.get(qn("w:val")))
        style = style.base_style
    return ""


def _heading_level(style: Any, properties: Any) -> int:
    outline = properties.find(qn("w:outlineLvl")) if properties is not None else None
    if outline is not None:
        return min(3, int(outline.get(qn("w:val"), "9")) + 1) if outline.get(qn("w:val"), "9") < "3" else 0
    name = str(style.name or "").lower() if style is not None else ""
    if name == "title":
        return 1
    return min(3, int(name[8:])) if name.startswith("heading ") and name[8:].isdecimal() else 0


def _is_bold(run: Any) -> bool:
    bold = run.rPr.find(qn("w:b")) if run.rPr is not None else None
    return bold is not None and bold.get(qn("w:val"), "1") not in {"0", "false"}


def _read_pictures(drawing: Any, part: Any) -> Iterator[BlockPicture]:
    for blip in drawing.iter(qn("a:blip")):
        related = part.related_parts.get(str(blip.get(qn("r:embed"))))
        if related is not None and related.blob.startswith(_PICTURES):
            yield BlockPicture(related.blob)


def _read_table(element: Any, part: Any) -> BlockTable:
    widths = [int(column.get(qn("w:w"), "0")) or 1 for column in element.iter(qn("w:gridCol"))] or [1]
    rows = []
    for row in element.iterchildren(qn("w:tr")):
        cells, room = [], len(widths)
        for cell in row.iterchildren(qn("w:tc")):
            spanned = cell.find(f"{qn('w:tcPr')}/{qn('w:gridSpan')}")
            span = max(1, min(room, int(spanned.get(qn("w:val"), "1")) if spanned is not None else 1))
            if room > 0:
                cells.append(Cell(tuple(_read_lines(cell, part)), span))
                room -= span
        cells += [Cell()] * room
        rows.append(tuple(cells))
    head = element.find(f"{qn('w:tr')}/{qn('w:trPr')}/{qn('w:tblHeader')}")
    return BlockTable(tuple(rows), tuple(each / sum(widths) for each in widths), has_head=head is not None)
