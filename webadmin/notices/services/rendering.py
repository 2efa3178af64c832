"""Render a notice from a template and values; refused while a needed field is empty."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from core.addressees import Paper
from core.errors import BadInput
from core.terms import term
from documents.pdf_writing import pdf_file
from documents.word_reading import read_word
from webadmin.notices.services.legal_fields import FIELDS, PaperField
from webadmin.notices.services.word_template import Values, fill_template, require_template, unfilled_fields

_MAIN_COLUMNS = {"works": "title", "addresses": "url", "attachments": "name"}


@dataclass(frozen=True, slots=True)
class RenderedPaper:
    """A rendered notice in both formats."""

    word: bytes
    pdf: bytes


def empty_required_fields(kind: Paper, values: Values) -> list[PaperField]:
    """Return the empty fields that the law asks for, in order."""
    return [each for each in FIELDS if kind in each.needed and _is_empty(each, values)]


def missing_fields(kind: Paper, template: bytes, values: Values) -> list[PaperField]:
    """Return the empty fields that the law asks for or that the template needs, in order.

    Raises BadInput for a broken template.
    """
    missing = {each.code for each in (*empty_required_fields(kind, values), *unfilled_fields(template, values))}
    return [each for each in FIELDS if each.code in missing]


def empty_recommended_fields(kind: Paper, values: Values) -> list[PaperField]:
    """Return the empty fields that the recommended form asks for, in order."""
    return [each for each in FIELDS if kind in each.asked and _is_empty(each, values)]


def render_paper(kind: Paper, template: bytes, values: Values, made_at: datetime) -> RenderedPaper:
    """Render a notice as Word and PDF. Raises BadInput if a needed field is empty or the template is broken."""
    missing = missing_fields(kind, template, values)
    if missing:
        raise BadInput("paper.lacks-values", fields=tuple(each.words for each in missing))
    language = "en" if kind is Paper.DMCA else "zh"
    word = fill_template(template, values)
    return RenderedPaper(word, pdf_file(read_word(word, term(Paper(kind)).in_language(language), language), made_at))


def check_rendering(template: bytes, kind: Paper) -> None:
    """Run every operation that templates undergo. Raises BadInput with the first fault.

    Run it in a process with limits: a template that exceeds them is refused.
    """
    require_template(template, kind)
    try:
        unfilled_fields(template, {})
        read_word(fill_template(template, {}), "")
    except (ValueError, AttributeError) as error:  # invalid numbers, missing parts
        raise BadInput("paper.no-word-file") from error


def _is_empty(field: PaperField, values: Values) -> bool:
    value = values.get(field.code, "")
    if isinstance(value, str):
        return not value.strip()
    return not _has_filled_rows(field, value)


def _has_filled_rows(field: PaperField, rows: Sequence[object]) -> bool:
    main = _MAIN_COLUMNS[field.code]
    return bool(rows) and all(str(row.get(main, "")).strip() for row in rows if isinstance(row, dict))
