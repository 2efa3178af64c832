"""Blocks written as plain text, for who pastes a paper into a mail or a form."""

from collections.abc import Iterator

from documents.blocks import Block, Cell, Document, Paragraph, Table
from documents.plain import printable


def text_file(document: Document) -> bytes:
    """The document in UTF-8, with an empty line between blocks; without looks, pictures, head and foot.

    The rows of a table are lines `name: value`: of one with a head a group for each row, named by the head.
    """
    between = "：" if document.language == "zh" else ": "
    parts = [part for block in document.blocks for part in _parts(block, between)]
    return ("\n\n".join(parts) + "\n").encode()


def _parts(block: Block, between: str) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield printable(block.text)
    elif isinstance(block, Table) and block.has_head:
        head, *rows = ([_text(cell) for cell in row] for row in block.rows)
        for row in rows:
            yield "\n".join(f"{name}{between}{value}" for name, value in zip(head, row, strict=True))
    elif isinstance(block, Table):
        yield "\n".join(between.join(_text(cell) for cell in row) for row in block.rows)


def _text(cell: Cell) -> str:
    return printable("\n".join(each.text for each in cell.content if isinstance(each, Paragraph)))
