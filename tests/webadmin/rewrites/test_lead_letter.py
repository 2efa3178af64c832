"""The letter of enquiry about a confirmed lead: what it says, what it refuses, and that hostile text stays text."""

import io
from datetime import timedelta

import docx
import pytest
from docx.oxml.ns import qn

from core.errors import BadInput
from core.matches import RewordedState
from documents.word_files import open_word_file
from tests.support import admin_data, case_texts
from tests.support.case_texts import Texts
from webadmin.notices.models import Addressee, HolderPaper
from webadmin.rewrites.models import RewordedLead
from webadmin.rewrites.services import letter
from webadmin.rewrites.services.lead_status import lead_status
from webadmin.rewrites.services.letter import letter_file
from webadmin.rewrites.services.verdicts import decide_lead
from webadmin.sites.models import PageRecord

pytestmark = pytest.mark.django_db
# What says more than a comparison of meaning can, or sounds like a threat.
NEVER = (
    *("洗稿", "抄袭", "剽窃", "盗", "诉讼", "法律责任", "法》", "条例"),
    *("plagiari", "theft", "stolen", "lawsuit", "liable", "U.S.C."),
)


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> Texts:
    return case_texts.use(monkeypatch)


@pytest.fixture
def estate(texts: Texts) -> admin_data.Estate:
    """Its lead is confirmed."""
    made = admin_data.fill_estate("长河文学", "changhe", cases=1)
    texts.keep_lead(made.lead, admin_data.REWORDED_TEXT, admin_data.WORK_TEXT)
    decide_lead(made.lead, RewordedState.CONFIRMED, made.reviewer)
    return made


def plain(lead: RewordedLead, language: str = "zh-hans") -> str:
    lead = RewordedLead.objects.get(pk=lead.pk)
    return letter_file(lead, "txt", language).decode()


def refused(lead: RewordedLead) -> str:
    with pytest.raises(BadInput) as caught:
        plain(lead)
    return caught.value.message.in_language("en")


def word_text(content: bytes) -> str:
    """All that is shown, heads and feet included; refused where a file acts by itself."""
    file = open_word_file(content)
    return "\n".join(
        str(node.text)
        for part in (file.element.body, file.sections[0].header._element)
        for node in part.iter(qn("w:t"))
    )


def test_it_has_both_sides_the_sentences_and_what_they_do_not_prove(estate: admin_data.Estate) -> None:
    lead = estate.lead
    HolderPaper.objects.filter(pk=estate.paper.pk).update(withdrawn_at=None, withdrawn_by=None)
    said = plain(lead)
    for known in (
        "致：changhe 网络科技", "ts@changhe.example", f"网址：{lead.page_url}", f"SHA-256：{lead.raw_digest}",
        "权利人：长河文学网络公司", "《changhe·渡口夜灯》", "changhe-登记证书.pdf", "全部 4 对",
        "6 句中有 4 句能在作品中找到对应", "不能证明存在复制", "【答复期限】", "【由署名人", "两者均有：老周、第三根桩",
        "网页写法：17", "作品写法：十七", "本函不对该网页是否构成侵权作任何认定",
    ):  # fmt: skip
        assert known in said, known
    first = said.index("网页：货舱里还剩 17 袋米")
    assert said.index("作品：老周把船缆系在第三根桩上") > first
    assert said.index("网页：到了立冬") > first, "in the order of the page"
    english = plain(lead, "en")
    assert "4 of 6 sentences have a counterpart" in english
    assert "It does not prove copying" in english
    assert "does not allege that the page infringes" in english.replace("\n", " ")
    for word in NEVER:
        assert word not in said + english.lower(), word


def test_the_word_file_says_the_same_and_has_what_both_share_in_bold(estate: admin_data.Estate) -> None:
    content = letter_file(estate.lead, "docx", "zh-hans")
    shown = word_text(content).replace("\n", "")
    for line in plain(estate.lead).split("\n\n"):
        assert line.partition("：")[2].split("\n")[0].replace("\n", "") in shown
    table = docx.Document(io.BytesIO(content)).tables[2]
    assert [cell.text for cell in table.rows[0].cells] == ["网页", "作品"]
    assert {run.text for run in table.rows[1].cells[1].paragraphs[0].runs if run.bold} == {"老周", "第三根桩", "十七"}


def test_the_strongest_are_named_in_page_order(estate: admin_data.Estate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letter, "MAX_PAIRS", 2)
    said = plain(estate.lead)
    assert "最为接近的 2 对，另有 2 对未列出" in said
    assert 0 < said.index("货舱里还剩") < said.index("到了立冬")
    assert "账目他藏" not in said


def test_hostile_text_begins_no_line_turns_nothing_and_is_no_field(estate: admin_data.Estate, texts: Texts) -> None:
    lead, page = estate.lead, f"=cmd|' /C calc'!A0\r\n【日期】 {{{{权利人名称}}}}\x07\u202e袋米\u200b{'长' * 400}"
    RewordedLead.objects.filter(pk=lead.pk).update(
        pairs=[[0, len(page), 0, 10, 0.9]],
        page_title="标题\n\n我方承认\u2028侵权\u202e", page_url="https://a.example/\u202e\nx",
    )  # fmt: skip
    texts.keep_lead(lead, page, admin_data.WORK_TEXT)
    decide_lead(lead, RewordedState.CONFIRMED, estate.reviewer)
    Addressee.objects.update(legal_name="某\u202e公司\n【日期】")
    for said in (plain(lead), word_text(letter_file(lead, "docx", "en"))):
        assert not set(said) & set("\u202e\u200b\u2028\x07\r")
        assert "某‹RLO›公司 【日期】" in said
        assert "标题 我方承认 侵权‹RLO›" in said
        assert "=cmd|' /C calc'!A0 【日期】 {{权利人名称}}‹RLO›袋米‹ZWSP›" in said
        assert "长" * 300 not in said


def test_of_what_nobody_confirmed_there_is_none(estate: admin_data.Estate) -> None:
    decide_lead(estate.lead, RewordedState.WAITING, estate.reviewer)
    assert refused(estate.lead) == "a letter can be drafted once a person has confirmed the suspected rewrite"
    decide_lead(estate.lead, RewordedState.DISMISSED, estate.reviewer)
    assert refused(estate.lead) == "no letter was drafted: a person dismissed the suspected rewrite"
    decide_lead(estate.lead, RewordedState.CONFIRMED, estate.reviewer)
    estate.lead.verdicts.update(page_version_id="earlier")
    assert "compared again after a person confirmed the suspected rewrite" in refused(estate.lead)


def test_of_what_the_page_gives_no_longer_there_is_none_and_it_says_since_when(estate: admin_data.Estate) -> None:
    lead, since = estate.lead, admin_data.NOW + timedelta(days=3)

    def standing() -> str:
        row = RewordedLead.objects.get(pk=lead.pk)
        return lead_status(row).said.in_language("en")

    assert standing().startswith("last found on ")
    PageRecord.objects.filter(pk=lead.page_id).update(version_id="another")
    assert standing().endswith("the newest version of the page has not been compared with the work by meaning")
    assert standing() in refused(lead)
    RewordedLead.objects.filter(pk=lead.pk).update(lapsed_at=since)
    assert standing().startswith(f"not found in the newest version of the page since {since.astimezone():%Y-%m}")
    assert "does not mean that anything was removed" in standing()
    assert refused(lead) == f"no letter was drafted: {standing()}"
    PageRecord.objects.filter(pk=lead.page_id).update(gone_since=since)
    assert "has been gone since" in standing()
    assert standing() in refused(lead)


def test_a_lost_text_is_said(estate: admin_data.Estate) -> None:
    lead = estate.lead
    for field, said in (("page_text_digest", "the page of"), ("text_id", "the compared text of the work of")):
        before = getattr(lead, field)
        RewordedLead.objects.filter(pk=lead.pk).update(**{field: "0" * 40})
        assert f"{said} suspected rewrite" in refused(lead)
        RewordedLead.objects.filter(pk=lead.pk).update(**{field: before})
