"""Writes a report as PDF (PDF/A-2u, for archives and courts), typeset by Typst in the Noto CJK fonts of `mplfonts`.

The text is passed to the template as JSON and is never part of its markup. The machine's own fonts are not used, so
that a report looks the same everywhere. Characters that the fonts lack are written as code points.
"""

import json
from dataclasses import asdict
from typing import Any

from analytics.formats import TEMPLATES
from analytics.report import Report
from analytics.view import CaseView, ReportView, lay_out
from core.errors import BadInput, RetryLater
from core.fit_text import fit_text
from core.plain_text import text_width
from core.typesetting import TypesettingError, typeset, typeset_apart

# Measured 2026-11-21 on two cores with 500 to 5,000 cases: 0.2 MB and 2 ms a case; 5,000 take 1.1 GB and 10 s and make
# more than 600 pages. More pages are of no use, and a small machine has no more memory.
MAX_CASES = 5_000
MAX_CASES_IN_THIS_PROCESS = 200  # they take 40 MB, which the process does not return to the system

MAX_LINES_OF_A_PAGE = 50  # 23 cm of 13 pt

_WORDS_OF_TEMPLATE = (
    "html_lang", "title", "product", "page_of", "no_rows", "table.summary", "top_sites", "days_chart", "column.case_id",
    "page", "column.work", "comparison",
)  # fmt: skip


def render(report: Report) -> bytes:
    """Return the report as PDF in A4.

    Raises BadInput if there are more than MAX_CASES cases and leads, and RetryLater if typesetting a long report fails.
    """
    rows = len(report.cases) + len(report.leads)
    if rows > MAX_CASES:
        raise BadInput("report.too-many-to-print", most=MAX_CASES, cases=rows)
    content = json.dumps(_report_content(lay_out(report)), ensure_ascii=False)
    made_at = report.scope.generated_at
    if rows <= MAX_CASES_IN_THIS_PROCESS:
        return typeset(TEMPLATES, "report.typ", {"report": content}, made_at)
    try:
        return typeset_apart(TEMPLATES, "report.typ", {"report": content}, made_at)
    except TypesettingError as error:
        raise RetryLater("report.unfinished-pdf", cases=len(report.cases), error=error) from error


def _report_content(view: ReportView) -> dict[str, Any]:
    fields = asdict(view)
    del fields["phrases"]
    for group, drawn in zip(view.groups, fields["groups"], strict=True):
        for case, drawn_case in zip(group.cases, drawn["cases"], strict=True):
            drawn_case["is_tall"] = _is_tall(case)
    return {**fit_text(fields), "words": {key: view.phrases[key] for key in _WORDS_OF_TEMPLATE}}


def _is_tall(case: CaseView) -> bool:
    """Return whether a case may need more than a page, estimated from its lines in the narrowest column."""
    lines = [text for part in (case.history, case.page, case.work) for _, text in part]
    texts = (*lines, case.page_title, case.page_url, case.work_title)
    in_columns = sum(1 + text_width(text) // 10 for text in texts)
    return in_columns + text_width(case.excerpt) // 40 > MAX_LINES_OF_A_PAGE
