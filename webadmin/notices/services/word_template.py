"""Checks uploaded Word templates with fields such as {{name}}, and fills and renders them for notices.

A field of a list, such as {{网址.地址}}, is in a table row, which is repeated for each entry.
"""

import copy
import difflib
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from core.addressees import Paper
from core.errors import BadInput
from core.terms import term
from core.wording import Message
from documents.pdf_writing import pdf_file
from documents.plain import printable
from documents.word_files import MAX_FILE_BYTES, open_word_file, text_parts
from documents.word_reading import read_word_file
from webadmin.notices.services.legal_fields import BY_NAME, FIELDS, PaperField

Row = Mapping[str, str]
Values = Mapping[str, str | Sequence[Row]]

_FIELD = re.compile(r"\{\{([^{}]{1,80})\}\}")
# Limits for a template. Chosen: the standard templates have 900 elements, 1,000 characters, 31 fields, and rows of 30
# elements. The row of a list is repeated for at most 500 pages.
MAX_ELEMENTS, MAX_CHARS, MAX_FIELDS, MAX_ELEMENTS_OF_LISTS = 20_000, 100_000, 500, 1_000
MAX_SECTIONS, MAX_DEPTH = 50, 60  # a table within a table in a text box is 30 levels deep
MAX_LABEL_CHARS = 12  # A label such as "代理人：" is omitted with its field. Longer text stays.
_MAIN_COLUMNS = {"works": "title", "addresses": "url", "attachments": "name"}
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"


@dataclass(frozen=True, slots=True)
class TemplateField:
    """A field in a template. column: the column of a list field, or "" for another field."""

    field: PaperField
    column: str = ""


def template_faults(content: bytes, kind: Paper) -> list[Message]:
    """Return the errors in a template of this kind. Raises BadInput if it is not a DOCX file or too large."""
    faults, found, file = list[Message](), set[str](), open_word_file(content)
    _require_size(file)
    for part in text_parts(file):
        for paragraph in part.iter(qn("w:p")):
            asked = [_parse_field(name) for name in _field_names(paragraph)]
            faults += [each for each in asked if isinstance(each, Message)]
            found |= {each.field.code for each in asked if isinstance(each, TemplateField)}
            if _enclosing_row(paragraph) is None:
                outside = [each.field.name for each in asked if isinstance(each, TemplateField) and each.column]
                faults += [Message("paper.list-outside-table", field=name) for name in outside]
        lists = _lists_by_row(part)
        of_all = [
            own.union(*(lists.get(each, ()) for each in row.iterancestors(qn("w:tr")))) for row, own in lists.items()
        ]
        faults += [Message("paper.two-lists-in-a-row", fields=tuple(sorted(each))) for each in of_all if len(each) > 1]
    faults += [
        Message("paper.lacks-field", field=each.name, law=term(each.needed[kind]))
        for each in BY_NAME.values()
        if kind in each.needed and each.code not in found
    ]
    return list(dict.fromkeys(faults))


def _require_size(file: Any) -> None:
    """Raise BadInput if a template is so large that filling or checking it would take minutes."""
    parts = list(text_parts(file))
    elements = [each for part in parts for each in part.iter()]
    texts = "".join(str(each.text or "") for each in elements if each.tag == qn("w:t"))
    depths = (sum(1 for _ in each.iterancestors()) for each in elements if each.tag in (qn("w:p"), qn("w:tr")))
    is_large = len(elements) > MAX_ELEMENTS or len(texts) > MAX_CHARS or len(_FIELD.findall(texts)) > MAX_FIELDS
    is_large = is_large or len(file.sections) > MAX_SECTIONS or any(depth > MAX_DEPTH for depth in depths)
    if not is_large:
        of_lists = [sum(1 for _ in row.iter()) for part in parts for row in _lists_by_row(part)]
        is_large = sum(of_lists) > MAX_ELEMENTS_OF_LISTS
    if is_large:
        raise BadInput("paper.too-large", most=MAX_FILE_BYTES // 1024 // 1024)


def fill_template(content: bytes, values: Values) -> bytes:
    """Return the template with its fields filled. A field without a value becomes empty.

    Raises BadInput if the template is not a DOCX file.
    """
    file = open_word_file(content)
    for part in text_parts(file):
        # Find all fields before filling any, because a value that looks like a field must not be filled.
        lists = _lists_by_row(part)
        rows = [(row, min(lists[row])) for row in part.iter(qn("w:tr")) if row in lists]
        in_rows = {paragraph for row, _ in rows for paragraph in row.iter(qn("w:p"))}
        paragraphs = [each for each in part.iter(qn("w:p")) if each not in in_rows]
        for place in _omitted_parts(part, values):
            _remove_part(place)
        for paragraph in paragraphs:
            if paragraph.getparent() is not None:
                _fill_fields(paragraph, partial(_field_value, values))
        for row, code in rows:
            _write_rows(row, values.get(code, ()), values)
    kept = io.BytesIO()
    file.save(kept)
    return kept.getvalue()


def template_codes(content: bytes) -> set[str]:
    """Return the codes of the fields in a template. Raises BadInput if it is not a DOCX file."""
    paragraphs = (each for part in text_parts(open_word_file(content)) for each in part.iter(qn("w:p")))
    return {field.code for paragraph in paragraphs for field in _paragraph_fields(paragraph)}


def unfilled_fields(content: bytes, values: Values) -> list[PaperField]:
    """Return the fields that these values would leave as a gap in the notice, in the order of the template.

    Raises BadInput if the template is not a DOCX file.
    """
    found = dict[str, PaperField]()
    for part in text_parts(open_word_file(content)):
        left_out = set(_omitted_parts(part, values))
        for paragraph in part.iter(qn("w:p")):
            if paragraph not in left_out and left_out.isdisjoint(paragraph.iterancestors(qn("w:tr"))):
                is_label = _is_label(paragraph)
                empty = (
                    each for each in _paragraph_fields(paragraph) if not each.columns and _is_empty_field(each, values)
                )
                found |= {each.code: each for each in empty if not (each.is_optional and is_label)}
    return list(found.values())


def _omitted_parts(part: Any, values: Values) -> list[Any]:
    """Return the rows and lines that contain only empty optional fields."""
    rows = [row for row in part.iter(qn("w:tr")) if _is_omittable(_row_paragraphs(row), values)]
    lines = [each for each in part.iter(qn("w:p")) if _is_label(each) and _is_omittable([each], values)]
    return [*rows, *(line for line in lines if _enclosing_row(line) not in rows and line.getparent().tag != qn("w:tc"))]


def _is_omittable(paragraphs: Iterable[Any], values: Values) -> bool:
    fields = [each for paragraph in paragraphs for each in _paragraph_fields(paragraph)]
    return bool(fields) and all(each.is_optional and _is_empty_field(each, values) for each in fields)


def _row_paragraphs(row: Any) -> list[Any]:
    return [paragraph for paragraph in row.iter(qn("w:p")) if _enclosing_row(paragraph) is row]


def _paragraph_fields(paragraph: Any) -> list[PaperField]:
    asked = [_parse_field(name) for name in _field_names(paragraph)]
    return [each.field for each in asked if isinstance(each, TemplateField)]


def _is_label(paragraph: Any) -> bool:
    """Return True if a line contains only fields, or fields after a short label with a colon."""
    rest = _FIELD.sub("", "".join(str(node.text or "") for node in _text_nodes(paragraph))).strip()
    return not rest or (len(rest) <= MAX_LABEL_CHARS and rest.endswith(("：", ":")))


def _is_empty_field(field: PaperField, values: Values) -> bool:
    value = values.get(field.code, "")
    return not (value.strip() if isinstance(value, str) else value)


def _lacks_value(field: PaperField, values: Values) -> bool:
    """Return True if the field is empty or, for a list, if the main column of any row is."""
    rows = values.get(field.code, "")
    if isinstance(rows, str) or not rows:
        return _is_empty_field(field, values)
    main = _MAIN_COLUMNS[field.code]
    return any(isinstance(row, dict) and not str(row.get(main, "")).strip() for row in rows)


def _remove_part(place: Any) -> None:
    """Remove a row or line. If the table has no other row, remove the table too."""
    parent = place.getparent()
    parent.remove(place)
    if parent.tag == qn("w:tbl") and parent.find(qn("w:tr")) is None:
        parent.getparent().remove(parent)


def _write_rows(row: Any, entries: str | Sequence[Row], values: Values) -> None:
    """Replace a table row that contains a list's fields with one row for each entry."""
    for entry in entries if not isinstance(entries, str) else ():
        made = copy.deepcopy(row)
        for paragraph in list(made.iter(qn("w:p"))):
            _fill_fields(paragraph, partial(_field_value_in_row, entry, values))
        row.addprevious(made)
    row.getparent().remove(row)


def _field_value_in_row(entry: Row, values: Values, asked: TemplateField) -> str | None:
    return entry.get(asked.column, "") if asked.column else _field_value(values, asked)


def _lists_by_row(part: Any) -> dict[Any, set[str]]:
    """Return the codes of the lists in each row. Fields in a nested table belong to the nested row."""
    found: dict[Any, set[str]] = {}
    for paragraph in part.iter(qn("w:p")):
        row = _enclosing_row(paragraph)
        asked = [_parse_field(name) for name in _field_names(paragraph)] if row is not None else []
        codes = {each.field.code for each in asked if isinstance(each, TemplateField) and each.column}
        if codes:
            found.setdefault(row, set()).update(codes)
    return found


def _enclosing_row(paragraph: Any) -> Any:
    return next(paragraph.iterancestors(qn("w:tr")), None)


def _parse_field(name: str) -> TemplateField | Message:
    field_name, _, column = name.partition(".")
    field = BY_NAME.get(field_name.strip())
    if field is None:
        near = difflib.get_close_matches(name, [*BY_NAME], n=1, cutoff=0.5)
        if near:
            return Message("paper.unknown-field-near", field=name, near=near[0])
        return Message("paper.unknown-field", field=name)
    columns = {**{code: code for code in field.columns}, **{title: code for code, title in field.columns.items()}}
    if bool(columns) != bool(column) or (column and column.strip() not in columns):
        return Message("paper.unknown-column", field=field.name, columns=tuple(field.columns.values()))
    return TemplateField(field, columns.get(column.strip(), ""))


def _field_value(values: Values, asked: TemplateField) -> str | None:
    if asked.column:
        return None  # filled by row; column fields in other paragraphs were rejected
    value = values.get(asked.field.code, "")
    return value if isinstance(value, str) else ""


def _field_names(paragraph: Any) -> Iterator[str]:
    for found in _FIELD.finditer("".join(str(node.text or "") for node in _text_nodes(paragraph))):
        yield found[1].strip()


def _text_nodes(paragraph: Any) -> list[Any]:
    """Return a paragraph's own text nodes, in order. Word splits words between nodes."""
    return [node for node in paragraph.iter(qn("w:t")) if next(node.iterancestors(qn("w:p")), None) is paragraph]


def _fill_fields(paragraph: Any, value_of: Callable[[TemplateField], str | None]) -> None:
    """Replace fields by values in the format at each field's start, from last to first, so that offsets stay valid.

    value_of: returns the value of a field, or None to leave it. A field that is the whole paragraph becomes one
    paragraph for each line of its value.
    """
    nodes = _text_nodes(paragraph)
    whole = "".join(str(node.text or "") for node in nodes)
    alone = _FIELD.fullmatch(whole.strip())
    if alone is not None and isinstance(asked := _parse_field(alone[1].strip()), TemplateField):
        lines = printable(value_of(asked) or "").split("\n")
        if lines == [""] and len(paragraph.getparent().findall(qn("w:p"))) > 1:
            paragraph.getparent().remove(paragraph)
            return
        for line in lines[:-1]:
            paragraph.addprevious(_copy_with_text(copy.deepcopy(paragraph), line))
        _copy_with_text(paragraph, lines[-1])
        return
    for found in reversed(list(_FIELD.finditer(whole))):
        asked = _parse_field(found[1].strip())
        value = value_of(asked) if isinstance(asked, TemplateField) else None
        if value is not None:
            _replace_range(nodes, found.start(), found.end(), printable(value))


def _copy_with_text(paragraph: Any, line: str) -> Any:
    nodes = _text_nodes(paragraph)
    _replace_range(nodes, 0, sum(len(str(node.text or "")) for node in nodes), line)
    return paragraph


def _replace_range(nodes: Sequence[Any], start: int, end: int, value: str) -> None:
    at, first = 0, None
    for node in nodes:
        text = str(node.text or "")
        begins, at = at, at + len(text)
        if at <= start or begins >= end:
            continue
        before, after = text[: max(0, start - begins)], text[max(0, end - begins) :]
        if first is None:
            first = node
            _set_text(node, before, value, after)
        else:
            _set_text(node, "", "", after)


def _set_text(node: Any, before: str, value: str, after: str) -> None:
    """Write `before`, the lines of the value, and `after` into a text node and new nodes after it."""
    first, *others = value.split("\n")
    node.text = before + first + ("" if others else after)
    node.set(_XML_SPACE, "preserve")
    last = node
    for number, line in enumerate(others, 1):
        line_break, text = OxmlElement("w:br"), OxmlElement("w:t")
        text.text = line + (after if number == len(others) else "")
        text.set(_XML_SPACE, "preserve")
        last.addnext(line_break)
        line_break.addnext(text)
        last = text


@dataclass(frozen=True, slots=True)
class RenderedPaper:
    """A rendered notice as Word and PDF files."""

    word: bytes
    pdf: bytes


def empty_required_fields(kind: Paper, values: Values) -> list[PaperField]:
    """Return the empty fields that the law requires for a kind of notice, in order."""
    return [each for each in FIELDS if kind in each.needed and _lacks_value(each, values)]


def missing_fields(kind: Paper, template: bytes, values: Values) -> list[PaperField]:
    """Return the empty fields that the law or the template requires, in order.

    Raises BadInput if the template is not a DOCX file.
    """
    missing = {each.code for each in (*empty_required_fields(kind, values), *unfilled_fields(template, values))}
    return [each for each in FIELDS if each.code in missing]


def empty_recommended_fields(kind: Paper, values: Values) -> list[PaperField]:
    """Return the empty fields that the recommended form contains, in order."""
    return [each for each in FIELDS if kind in each.asked and _lacks_value(each, values)]


def render_paper(kind: Paper, template: bytes, values: Values, made_at: datetime) -> RenderedPaper:
    """Render a notice as Word and PDF. Raises BadInput if a required field is empty or the template is broken.

    made_at: the time in the PDF.
    """
    missing = missing_fields(kind, template, values)
    if missing:
        raise BadInput("paper.lacks-values", fields=tuple(each.words for each in missing))
    language = "en" if kind is Paper.DMCA else "zh"
    word = fill_template(template, values)
    return RenderedPaper(
        word, pdf_file(read_word_file(word, term(Paper(kind)).in_language(language), language), made_at)
    )


def check_rendering(template: bytes, kind: Paper) -> None:
    """Apply every operation for templates to a template. Raises BadInput with the first error.

    Call it in a process with limits, so that a template that exceeds them is rejected.
    """
    faults = template_faults(template, kind)
    if faults:
        raise BadInput(faults[0])
    try:
        unfilled_fields(template, {})
        read_word_file(fill_template(template, {}), "")
    except (ValueError, AttributeError) as error:  # invalid numbers or missing parts
        raise BadInput("paper.no-word-file") from error
