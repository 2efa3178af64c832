"""Writes an explanation as PDF. Its text is passed to the template as JSON."""

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from core.typesetting import typeset
from documents.explanation_blocks import Block, block_values
from documents.pdf_writing import fitted_lines
from documents.plain import printable

TEMPLATES = Path(__file__).parent / "templates"


def as_pdf(title: str, blocks: Sequence[Block], made_at: datetime) -> bytes:
    """Return an explanation with these blocks as PDF in A4, dated `made_at`; equal input gives equal bytes."""
    content = {"title": printable(title), "blocks": [block_values(block, fitted_lines) for block in blocks]}
    return typeset(TEMPLATES, "explanation.typ", {"document": json.dumps(content, ensure_ascii=False)}, made_at)
