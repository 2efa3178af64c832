"""A report as PDF (PDF/A-2u, for archives and courts), set by Typst with the Noto CJK fonts of `mplfonts`.

The text reaches the template as JSON in an input and is never part of its markup. The fonts of the machine are not
used, so that a report looks alike everywhere; a character that the fonts lack is written by its number.
"""

import json
import re
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import mplfonts
import typst
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

from analytics.plain_text import by_number
from analytics.reading import Reading, read
from analytics.report import Report
from core.errors import BadInput

# 700 pages of A4, which is what 5,000 cases make, are set in seconds; beyond ten times that nobody is served by paper.
MAX_CASES = 20_000

_TEMPLATE = Path(__file__).parents[1] / "templates" / "report.typ"
_FONTS = Path(mplfonts.__file__).parent / "fonts"
_FONT_FILES = ("NotoSansCJKsc-Regular.otf", "NotoSerifCJKsc-Regular.otf")

# A run without a place to break a line, longer than the narrowest column of text is wide; Chinese breaks anywhere.
_LONG_RUN = re.compile("[^\\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]{15,}")
_PIECE = re.compile(r"[^/?&=._-]{1,10}[/?&=._-]{0,4}|[/?&=._-]{1,4}")


def render(report: Report) -> bytes:
    """Write the report as an A4 document. Raises BadInput where it has more cases than anyone prints."""
    if len(report.cases) > MAX_CASES:
        raise BadInput(
            f"a PDF holds {MAX_CASES:,} cases and this report has {len(report.cases):,};"
            " choose a shorter period, or XLSX or CSV"
        )
    compiler = typst.Compiler(
        str(_TEMPLATE), root=str(_TEMPLATE.parent), font_paths=[str(_FONTS)], ignore_system_fonts=True
    )
    pdf = compiler.compile(
        format="pdf",
        sys_inputs={"report": json.dumps(_content(read(report)), ensure_ascii=False)},
        pdf_standards="a-2u",
        timestamp=report.scope.generated_at,
    )
    assert isinstance(pdf, bytes)
    return pdf


def breakable(text: str) -> list[str]:
    """Cut `text` where a line may break in runs that offer no other place; one piece where none does.

    >>> breakable("https://example.com/a")
    ['https://', 'example.', 'com/', 'a']
    """
    pieces: list[str] = []
    end = 0
    for run in _LONG_RUN.finditer(text):
        head, *rest = _PIECE.findall(run[0])
        pieces += [text[end : run.start()] + head, *rest]
        end = run.end()
    return [*pieces, text[end:]] if text[end:] or not pieces else pieces


def _content(reading: Reading) -> dict[str, Any]:
    phrases = reading.phrases
    keys = ("html_lang", "title", "product", "page_of", "top_sites", "days_chart", "no_rows", "table.summary")
    headings = ("case_id", "page_title", "work", "similarity", "page_url", "excerpt")
    words = {key: phrases[key] for key in keys} | {key: phrases[f"column.{key}"] for key in headings}
    fields = asdict(reading)
    del fields["phrases"]
    fitted: dict[str, Any] = _fitted(fields, _covered_characters())
    return fitted | {"words": words}


def _fitted(value: Any, covered: frozenset[int]) -> Any:
    """Prepare every text in `value` for the fonts and for narrow columns."""
    match value:
        case str():
            safe = value if value.isascii() else "".join(c if ord(c) in covered else by_number(c) for c in value)
            pieces = breakable(safe)
            return pieces if len(pieces) > 1 else safe
        case dict():
            return {key: _fitted(item, covered) for key, item in value.items()}
        case list() | tuple():
            return [_fitted(item, covered) for item in value]
        case _:
            return value


@cache
def _covered_characters() -> frozenset[int]:
    """Find the code points that both fonts can show; read from their tables once, 0.4 s."""
    tables = [TTFont(_FONTS / name, lazy=True).getBestCmap() for name in _FONT_FILES]
    return frozenset(set(tables[0]).intersection(*tables[1:]))
