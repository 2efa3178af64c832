"""Writes a document as PDF, typeset by Typst with the Noto CJK fonts of `mplfonts`. Its text is passed as JSON."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from documents.explanation_blocks import Block, block_values

TEMPLATE = Path(__file__).parent / "templates" / "explanation.typ"
# Only the location is needed: importing the package takes a third of a second.
_PACKAGE = find_spec("mplfonts")
FONTS = [str(Path(place) / "fonts") for place in (_PACKAGE.submodule_search_locations or [])] if _PACKAGE else []
# A run without a line break opportunity: digests, URLs, commands.
_LONG_RUN = re.compile("[!-~]{13,}")
_PIECE_CHARS = 8


def as_pdf(title: str, blocks: Sequence[Block], made_at: datetime) -> bytes:
    """Return the document on A4; the same input gives the same bytes."""
    import typst  # here, because most processes never write a PDF

    content = {"title": title, "blocks": [block_values(block, _printable_text) for block in blocks]}
    compiler = typst.Compiler(
        str(TEMPLATE),
        root=str(TEMPLATE.parent),
        font_paths=FONTS,
        ignore_system_fonts=True,
    )
    pdf = compiler.compile(
        format="pdf",
        sys_inputs={"document": json.dumps(content, ensure_ascii=False)},
        timestamp=made_at.astimezone(UTC).replace(microsecond=0),  # typst only accepts whole seconds
    )
    assert isinstance(pdf, bytes)
    return pdf


def split_long_runs(text: str) -> list[str]:
    """Return the text in pieces between which a line may break.

    >>> split_long_runs("see 0123456789abcdef")
    ['see 01234567', '89abcdef']
    """
    pieces, end = [""], 0
    for run in _LONG_RUN.finditer(text):
        cut = [run[0][start : start + _PIECE_CHARS] for start in range(0, len(run[0]), _PIECE_CHARS)]
        pieces[-1] += text[end : run.start()] + cut[0]
        pieces += cut[1:]
        end = run.end()
    pieces[-1] += text[end:]
    return pieces


def _printable_text(text: str) -> list[str]:
    return split_long_runs("".join(char if char.isprintable() or char in "\n\u3000" else "·" for char in text))
