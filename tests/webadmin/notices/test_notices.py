"""Notices: which pages they may name, what they are filled with, who confirms them, and the files that come of them."""

import io
from datetime import date, timedelta

import docx
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml.ns import qn

from core.addressees import Paper
from core.errors import BadInput
from core.ids import Digest, digest
from core.states import Verdict
from tests.support import admin_data
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.refusals import refused
from webadmin.accounts.models import RightsHolder
from webadmin.cases.models import Case
from webadmin.notices.models import HolderPaper, Notice
from webadmin.notices.services import kept_files
from webadmin.notices.services.drafting import (
    confirm_notice,
    draft_notice,
    draft_status,
    preview_notice,
    withdraw_notice,
    write_fields,
)
from webadmin.notices.services.kept_files import add_template, check_template
from webadmin.notices.services.outcomes import sightings_since_sending
from webadmin.notices.services.sending import answer_due_day
from webadmin.notices.services.standard_templates import standard_template
from webadmin.notices.services.values import all_values
from webadmin.sites.models import PageRecord, Site

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_store", "processes")]
PDF = b"%PDF-1.7\n"
TODAY = date(2026, 11, 27)


def fill() -> admin_data.Estate:
    """Confirm the first, third and fifth of six cases: those of one site and one work."""
    estate = admin_data.fill_world(cases=6).ours
    for case in estate.cases:
        admin_data.decided(case, estate.reviewer)
    return estate


def cases_of(estate: admin_data.Estate, site: Site | None = None) -> list[Case]:
    site = site or estate.sites[0]
    found = Case.objects.filter(rights_holder=estate.holder, site=site).order_by("pk")
    return list(found.select_related("work", "page__site", "decision", "rights_holder"))


def drafted(estate: admin_data.Estate, kind: Paper = Paper.ARTICLE_14) -> Notice:
    notice = draft_notice(cases_of(estate), kind, estate.reviewer).notice
    owned = {} if kind is Paper.DMCA else {"ownership": "权利人依出版合同享有信息网络传播权。"}
    write_fields(notice, {"addressee_name": "墨香云存储有限公司", "signature": "/s/ Lin", **owned}, estate.reviewer)
    return notice


def text_of(word: bytes) -> str:
    return "\n".join(str(node.text) for node in docx.Document(io.BytesIO(word)).element.body.iter(qn("w:t")))


def test_a_draft_is_filled_with_what_is_known_of_holder_site_and_pages(ours: admin_data.Estate) -> None:
    made = draft_notice(cases_of(ours), Paper.ARTICLE_14, ours.reviewer)
    values = made.notice.values
    assert values["holder_name"] == ours.identity.legal_name
    assert values["site_domains"] == ours.sites[0].domains.get().host
    cases = cases_of(ours)
    assert f"{len(cases)} 个网页未经许可刊载《{cases[0].work.title}》" in values["facts"]
    assert "真实性承担法律责任" in values["declaration"]
    assert list(made.left_out) == []
    assert [page.case for page in made.notice.pages.all()] == cases
    assert [(event.state, event.by) for event in made.notice.events.all()] == [("drafted", ours.reviewer)]


def test_pages_that_may_not_be_named_are_left_out_each_with_its_reason(ours: admin_data.Estate) -> None:
    gone, changed, *_ = cases_of(ours)
    PageRecord.objects.filter(pk=gone.page_id).update(gone_since=timezone.now())
    PageRecord.objects.filter(pk=changed.page_id).update(version_id="another")
    made = draft_notice(cases_of(ours), Paper.ARTICLE_14, ours.reviewer)
    assert [(case.pk, reason.code) for case, reason in made.left_out] == [
        (gone.pk, "notice.page-gone"),
        (changed.pk, "notice.page-changed"),
    ]
    assert {page.case_id for page in made.notice.pages.all()} == {case.pk for case in cases_of(ours)[2:]}


def test_licensed_pages_and_those_that_nobody_confirmed_are_named_in_no_notice(ours: admin_data.Estate) -> None:
    admin_data.licence(
        ours.holder, domain=ours.sites[0].domains.get().host, valid_from=date(2020, 1, 1), valid_until=date(2030, 1, 1)
    )
    refused("a licence, an own domain or another right", draft_notice, cases_of(ours), Paper.ARTICLE_14, ours.reviewer)
    other = cases_of(ours, ours.sites[1])
    for case in other:
        admin_data.decided(case, ours.reviewer, Verdict.FALSE_ALARM)
    refused("has not been confirmed", draft_notice, cases_of(ours, ours.sites[1]), Paper.LETTER, ours.reviewer)
    assert [notice.pk for notice in Notice.objects.filter(rights_holder=ours.holder)] == [ours.notice.pk]


def test_one_notice_has_pages_of_one_site_and_is_drafted_by_who_has_a_role(ours: admin_data.Estate) -> None:
    with pytest.raises(BadInput, match="cases of one site"):
        draft_notice([*cases_of(ours), *cases_of(ours, ours.sites[1])], Paper.ARTICLE_14, ours.reviewer)
    refused("no case is confirmed", draft_notice, [], Paper.ARTICLE_14, ours.reviewer)
    stranger = admin_data.user("stranger", RightsHolder.objects.exclude(pk=ours.holder.pk)[0])
    with pytest.raises(BadInput):
        draft_notice(cases_of(ours), Paper.ARTICLE_14, stranger)
    theirs = admin_data.addressee(RightsHolder.objects.exclude(pk=ours.holder.pk)[0])
    refused("another rights holder", draft_notice, cases_of(ours), Paper.ARTICLE_14, ours.reviewer, theirs)
    notice = drafted(ours)
    with pytest.raises(BadInput):
        write_fields(notice, {"facts": "换掉"}, stranger)
    for deed in (confirm_notice, withdraw_notice):
        for person in (stranger, ours.reviewer):
            refused("only a manager", deed, notice, person)


@pytest.mark.parametrize("kind", [Paper.LETTER, Paper.ARTICLE_14, Paper.DMCA])
def test_a_confirmed_notice_keeps_its_files_and_changes_no_more(
    ours: admin_data.Estate, evidence_store: MemoryEvidenceStore, kind: Paper
) -> None:
    notice = drafted(ours, kind)
    confirm_notice(notice, ours.manager)
    files = {file.name: evidence_store.get(Digest(file.digest)) for file in notice.files.all()}
    paper, pdf, table, table_pdf = files.values()
    assert paper is not None and table is not None and pdf is not None and table_pdf is not None  # noqa: PT018
    assert ("发出之日起 7 日内" in text_of(paper)) is (kind in {Paper.LETTER, Paper.ARTICLE_14})
    for case in cases_of(ours):
        assert case.page_url in text_of(paper)
        assert case.page_url in text_of(table)
    assert pdf.startswith(b"%PDF")
    assert table_pdf.startswith(b"%PDF")
    if kind is Paper.DMCA:
        values = all_values(notice, [], timezone.get_default_timezone())  # type: ignore[arg-type]
        assert (values["ownership"], {row["proof"] for row in values["works"]}) == ("", {""})  # type: ignore[index]
    for file in notice.files.all():
        content = files[file.name]
        assert content is not None
        assert (file.digest, file.size) == (digest(content), len(content))
    refused("no longer in that state", write_fields, notice, {"facts": "换掉"}, ours.reviewer)
    refused("no longer in that state", confirm_notice, notice, ours.manager)
    withdraw_notice(notice, ours.manager, "对方已删除")
    assert [event.state for event in notice.events.all()] == ["drafted", "confirmed", "withdrawn"]
    assert notice.events.last().note == "对方已删除"  # type: ignore[union-attr]
    assert notice.files.count() == 4


def test_nothing_is_confirmed_while_a_field_a_page_or_the_authority_is_missing(ours: admin_data.Estate) -> None:
    notice = drafted(ours)
    write_fields(notice, {"declaration": "  "}, ours.reviewer)
    assert [field.code for field in draft_status(notice).fields] == ["declaration"]
    refused("declaration", confirm_notice, notice, ours.manager)
    write_fields(notice, {"declaration": "保证真实", "agent_name": "某律师事务所"}, ours.reviewer)
    assert not draft_status(notice).is_ready
    refused("power of attorney", confirm_notice, notice, ours.manager)
    today = timezone.localdate()

    def authority(name: str, until: date) -> HolderPaper:
        kind = HolderPaper.Kind.AUTHORITY
        return admin_data.keep_paper(ours.holder, kind, name, PDF + name.encode(), ours.manager, valid_until=until)

    expired = authority("授权委托书.pdf", today - timedelta(days=1))
    refused("power of attorney", confirm_notice, notice, ours.manager)
    valid = authority("委托书二.pdf", today)
    page = cases_of(ours)[0].page
    PageRecord.objects.filter(pk=page.pk).update(gone_since=timezone.now())
    assert [case.page_id for case, _ in draft_status(notice).pages] == [page.pk]
    refused("1 of the pages can no longer be named: the page is gone", confirm_notice, notice, ours.manager)
    PageRecord.objects.filter(pk=page.pk).update(gone_since=None)
    confirm_notice(notice, ours.manager)
    names = list(notice.files.values_list("name", flat=True))
    assert f"1-{valid.name}" in names
    assert not any(expired.name in name for name in names)


def test_a_letter_has_its_basis_its_answer_date_its_hashes_and_its_chapters_in_order(ours: admin_data.Estate) -> None:
    cases = cases_of(ours)
    work = cases[0].work
    for case, number in zip(cases, (3, 1, 2), strict=True):
        Case.objects.filter(pk=case.pk).update(work=work)
        match = case.matches.filter(version_id=case.version_id).get()
        match.chapter = work.chapters.get_or_create(number=number, defaults={"title": f"第{number}章"})[0]
        match.save()
    bundle = admin_data.evidence_bundle(cases[1])
    ours.addressee.answer_days = 5
    ours.addressee.save()
    notice = draft_notice(cases_of(ours), Paper.LETTER, ours.reviewer, ours.addressee).notice
    lacking = draft_status(notice).fields
    assert [field.code for field in lacking] == ["ownership"], "the author's name proves nothing for another"
    admin_data.author_alias(ours.holder, work.author, ours.identity.legal_name)
    text = text_of(preview_notice(notice).word)
    chapters = [row["chapters"] for row in all_values(notice, [], timezone.get_default_timezone())["addresses"]]  # type: ignore[index,arg-type]
    assert chapters == ["第1章", "第2章", "第3章"]
    for said in (
        "第五十二条",
        "发出之日起 5 日内",
        "权属以作品上的署名为初步证据",
        "证据包 SHA-256：",
        "证据包文件 SHA-256：",
    ):
        assert said in text
    assert bundle.digest in text
    assert bundle.sha256 in text
    codes = [each.code for each in draft_status(notice).advice]
    assert codes == ["notice.unowned", "notice.undated", "notice.unbundled"]
    admin_data.keep_paper(ours.holder, HolderPaper.Kind.OWNERSHIP, "登记证书.pdf", PDF, ours.manager)
    assert "权属证明见附件" in text_of(preview_notice(notice).word)
    write_fields(notice, {"answer_days": "9", "ownership": "授权合同 HT-1"}, ours.reviewer)
    assert "起 9 日内" in text_of(preview_notice(notice).word)
    assert answer_due_day(Notice(values=notice.values, sent_on=TODAY)) == TODAY + timedelta(days=9)
    refused("from 1 to 365", write_fields, notice, {"answer_days": "一周"}, ours.reviewer)


def test_a_notice_of_more_pages_asks_the_database_no_more_often(ours: admin_data.Estate) -> None:
    asked = []
    for cases in (cases_of(ours)[:1], cases_of(ours)):
        notice = draft_notice(cases, Paper.LETTER, ours.reviewer).notice
        Notice.objects.filter(pk=notice.pk).update(sent_on=TODAY)
        notice = Notice.objects.select_related("rights_holder").get(pk=notice.pk)
        with CaptureQueriesContext(connection) as queries:
            draft_status(notice)
            all_values(notice, [], timezone.get_default_timezone())  # type: ignore[arg-type]
            sightings_since_sending(notice)
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_papers_go_with_the_works_they_are_of_while_they_are_valid(ours: admin_data.Estate) -> None:
    notice, (mine, elsewhere), kinds = drafted(ours), ours.works[:2], HolderPaper.Kind
    assert {case.work for case in cases_of(ours)} == {mine}
    admin_data.keep_paper(ours.holder, kinds.OWNERSHIP, "登记证书.pdf", PDF, ours.manager, work=mine, valid_from=TODAY)
    admin_data.keep_paper(ours.holder, kinds.OWNERSHIP, "别的作品.pdf", PDF + b"1", ours.manager, work=elsewhere)
    admin_data.keep_paper(ours.holder, kinds.IDENTITY, "执照.pdf", PDF + b"2", ours.manager)
    gone = admin_data.keep_paper(ours.holder, kinds.IDENTITY, "旧执照.pdf", PDF + b"3", ours.manager)
    kept_files.withdraw_file(gone, ours.manager)
    refused("already withdrawn", kept_files.withdraw_file, gone, ours.manager)

    def names(on: date) -> list[str]:
        return [paper.name for paper in kept_files.applicable_papers(notice, on)]

    assert sorted(names(TODAY)) == ["执照.pdf", "登记证书.pdf"]
    assert names(TODAY - timedelta(days=1)) == ["执照.pdf"]
    values = all_values(notice, kept_files.applicable_papers(notice, TODAY), timezone.get_default_timezone())  # type: ignore[arg-type]
    assert [row["proof"] for row in values["works"]] == ["登记证书.pdf"]  # type: ignore[index]
    assert [row["name"] for row in values["attachments"]][1:] == names(TODAY)  # type: ignore[index]


def test_a_paper_names_no_work_of_another_holder_and_comes_from_a_manager(ours: admin_data.Estate) -> None:
    theirs = RightsHolder.objects.exclude(pk=ours.holder.pk)[0].works.all()[0]
    with pytest.raises(BadInput, match="another rights holder"):
        admin_data.keep_paper(ours.holder, HolderPaper.Kind.OWNERSHIP, "x.pdf", PDF, ours.manager, work=theirs)
    with pytest.raises(BadInput, match="only a manager"):
        admin_data.keep_paper(ours.holder, HolderPaper.Kind.OWNERSHIP, "x.pdf", PDF, ours.reviewer)
    dates = {"valid_from": TODAY, "valid_until": TODAY - timedelta(days=1)}
    refused(
        "before", admin_data.keep_paper, ours.holder, HolderPaper.Kind.IDENTITY, "x.pdf", PDF, ours.manager, **dates
    )
    with pytest.raises(BadInput, match="only a manager"):
        add_template(ours.holder, Paper.ARTICLE_14, "x.docx", standard_template(Paper.ARTICLE_14), ours.reviewer)


@pytest.mark.usefixtures("processes")
def test_the_newest_own_template_that_stands_is_used(ours: admin_data.Estate) -> None:
    def template(words: str) -> bytes:
        file, saved = docx.Document(io.BytesIO(standard_template(Paper.ARTICLE_14))), io.BytesIO()
        file.add_paragraph(words)
        file.save(saved)
        return saved.getvalue()

    notice = drafted(ours)
    assert "自拟条款" not in text_of(preview_notice(notice).word)
    add_template(ours.holder, Paper.ARTICLE_14, "一.docx", template("自拟条款甲"), ours.manager)
    newer = add_template(ours.holder, Paper.ARTICLE_14, "二.docx", template("自拟条款乙"), ours.manager)
    assert "自拟条款乙" in text_of(preview_notice(notice).word)
    kept_files.withdraw_file(newer, ours.manager)
    assert "自拟条款甲" in text_of(preview_notice(notice).word)
    refused("there is no field", check_template, template("{{无此项}}"), Paper.ARTICLE_14, "三.docx")
    check_template(template("自拟条款丙"), Paper.ARTICLE_14, "四.docx")


@pytest.mark.usefixtures("processes")
def test_a_template_that_would_never_be_read_to_its_end_is_refused() -> None:
    file, saved = docx.Document(io.BytesIO(standard_template(Paper.ARTICLE_14))), io.BytesIO()
    one, other = (file.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH) for name in ("甲", "乙"))
    one.base_style, other.base_style = other, one
    file.add_paragraph("全文", one)
    file.save(saved)
    refused(r"循环\.docx could not be read", check_template, saved.getvalue(), Paper.ARTICLE_14, "循环.docx")
