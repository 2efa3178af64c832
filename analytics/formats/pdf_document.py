"""A report as PDF (PDF/A-2u, for archives and courts), set by Typst with the Noto CJK fonts of `mplfonts`.

The text reaches the template as JSON in an input and is never part of its markup. The fonts of the machine are not
used, so that a report looks alike everywhere; a character that the fonts lack is written by its number.
"""

import json
import re
from dataclasses import asdict
from functools import cache
from typing import Any

from fontTools.ttLib import TTFont

from analytics.formats.typesetting import FONTS, TypesettingError, typeset, typeset_apart
from analytics.plain_text import by_number, text_width
from analytics.reading import ReadCase, Reading, read
from analytics.report import Report
from core.errors import BadInput, RetryLater

# Measured 2026-11-21 on two cores with 500 to 5,000 cases: 0.2 MB and 2 ms a case; 5,000 take 1.1 GB and 10 s and make
# more than 600 pages. Nobody is served by more paper, and a small machine has no more memory.
MAX_CASES = 5_000
MAX_CASES_IN_THIS_PROCESS = 200  # 40 MB that stay with the process

MAX_LINES_OF_A_PAGE = 50  # 23 cm of 13 pt

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
    content = json.dumps(_content(read(report)), ensure_ascii=False)
    made_at = report.scope.generated_at
    if len(report.cases) <= MAX_CASES_IN_THIS_PROCESS:
        return typeset(content, made_at)
    try:
        return typeset_apart(content, made_at)
    except TypesettingError as error:
        raise RetryLater(
            f"the PDF of {len(report.cases):,} cases was not finished ({error});"
            " free some memory or choose a shorter period"
        ) from error


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
    keys = (
        "html_lang",
        "title",
        "product",
        "page_of",
        "top_sites",
        "days_chart",
        "no_rows",
        "table.summary",
        "page",
        "comparison",
    )
    headings = ("case_id", "work")
    words = {key: phrases[key] for key in keys} | {key: phrases[f"column.{key}"] for key in headings}
    fields = asdict(reading)
    del fields["phrases"]
    for group, drawn in zip(reading.groups, fields["groups"], strict=True):
        for case, drawn_case in zip(group.cases, drawn["cases"], strict=True):
            drawn_case["is_tall"] = _is_tall(case)
    fitted: dict[str, Any] = _fitted(fields, _covered_characters())
    return fitted | {"words": words}


def _is_tall(case: ReadCase) -> bool:
    """Tell whether a case may need more than a page: by lines, were each of its texts in the narrowest column."""
    lines = [text for part in (case.history, case.page, case.work) for _, text in part]
    texts = (*lines, case.page_title, case.page_url, case.work_title)
    in_columns = sum(1 + text_width(text) // 10 for text in texts)
    return in_columns + text_width(case.excerpt) // 40 > MAX_LINES_OF_A_PAGE


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
    tables = [TTFont(FONTS / name, lazy=True).getBestCmap() for name in _FONT_FILES]
    return frozenset(set(tables[0]).intersection(*tables[1:]))
