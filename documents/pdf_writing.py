"""Writes documents as PDF (PDF/A-2u, for archives and courts). Typst reads their text as data, not as markup."""

import json
import shutil
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.fit_text import fit_text
from core.typesetting import typeset_apart
from documents.blocks import Block, BlockPicture, BlockTable, Cell, Document, PageBreak, Paragraph
from documents.plain import printable

TEMPLATE = Path(__file__).parent / "templates" / "paper.typ"


def pdf_file(document: Document, made_at: datetime) -> bytes:
    """Return the document as PDF, dated `made_at`."""
    with TemporaryDirectory(prefix="zhuiwen-paper-") as name:
        folder = _Folder(Path(name))
        content = {
            "title": printable(document.title),
            "language": document.language,
            "head": [folder.block(each) for each in document.head],
            "foot": [folder.block(each) for each in document.foot],
            "blocks": [folder.block(each) for each in document.blocks],
        }
        shutil.copy(TEMPLATE, folder.path)
        # In another process: this one would never regain the memory for pictures and long tables.
        return typeset_apart(folder.path, TEMPLATE.name, {"content": json.dumps(content, ensure_ascii=False)}, made_at)


class _Folder:
    """A temporary folder with the images of a document, which Typst reads."""

    def __init__(self, path: Path) -> None:
        self.path, self._pictures = path, 0

    def block(self, block: Block) -> dict[str, Any]:
        match block:
            case Paragraph():
                runs = [
                    {"lines": fitted_lines(run.text), "bold": run.is_bold, "mark": str(run.mark)}
                    for run in block.runs
                    if run.text
                ]
                return {
                    "kind": "paragraph",
                    "runs": runs,
                    "align": str(block.align),
                    "level": block.level,
                    "indented": block.is_indented,
                }
            case BlockTable():
                rows = [[self._cell_values(cell) for cell in row] for row in block.rows]
                return {"kind": "table", "rows": rows, "widths": list(block.widths), "head": block.has_head}
            case BlockPicture():
                return {"kind": "picture", "path": self._keep_picture(block.content)}
            case PageBreak():
                return {"kind": "break"}

    def _cell_values(self, cell: Cell) -> dict[str, Any]:
        return {"span": cell.span, "content": [self.block(each) for each in cell.content]}

    def _keep_picture(self, content: bytes) -> str:
        self._pictures += 1
        ending = "png" if content.startswith(b"\x89PNG") else "jpg"
        name = f"{self._pictures}.{ending}"
        (self.path / name).write_bytes(content)
        return name


def fitted_lines(text: str) -> list[Any]:
    """Split text into lines, and prepare each for the fonts and for narrow columns."""
    return [fit_text(line) for line in printable(text).split("\n")]
