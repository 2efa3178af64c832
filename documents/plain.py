"""Writes documents as plain text, and cleans text for documents."""

from collections.abc import Iterator

from core.hidden_characters import spell_hidden
from core.text import storable
from documents.blocks import Block, BlockTable, Cell, Document, Paragraph


def printable(text: str) -> str:
    """Return the text with hidden characters spelled out, and without characters that XML forbids.

    Line breaks remain; a tab becomes a space. A character that would hide or reorder text is written as a label.
    """
    return "\n".join(spell_hidden(line) for line in storable(text).replace("\r\n", "\n").replace("\t", " ").split("\n"))


def render_plain_text(document: Document) -> bytes:
    """Return the document as UTF-8 text to paste into a mail or form, without formats, images, header and footer.

    Blocks are separated by an empty line. A table row becomes a line `name: value`. In a table with a header, each row
    becomes a group of such lines, with the names from the header.
    """
    between = "：" if document.language == "zh" else ": "
    parts = [part for block in document.blocks for part in _block_parts(block, between)]
    return ("\n\n".join(parts) + "\n").encode()


def _block_parts(block: Block, between: str) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield printable(block.text)
    elif isinstance(block, BlockTable) and block.has_head:
        head, *rows = ([_cell_text(cell) for cell in row] for row in block.rows)
        for row in rows:
            yield "\n".join(f"{name}{between}{value}" for name, value in zip(head, row, strict=True))
    elif isinstance(block, BlockTable):
        yield "\n".join(between.join(_cell_text(cell) for cell in row) for row in block.rows)


def _cell_text(cell: Cell) -> str:
    return printable("\n".join(each.text for each in cell.content if isinstance(each, Paragraph)))
