"""Quotations that name their source, from the page to the case or the exclusion, with the real matcher."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from core.ids import work_text_id
from core.matches import MatchClass
from tests.support.memory_chain import carry, chain
from webadmin.accounts.models import RightsHolder
from webadmin.cases.models import Case, Exclusion
from webadmin.cases.services.case_repository import DjangoCaseRepository
from webadmin.sites.models import Site
from webadmin.works.models import AuthorAlias, Chapter, Work

pytestmark = pytest.mark.django_db

HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 3_000)]


def words(seed: int, count: int) -> str:
    """Sentences of 20 characters that nothing else has."""
    drawn = random.Random(seed).choices(HAN, k=count)
    return "".join("".join(drawn[at : at + 20]) + "。" for at in range(0, count, 20))


WORK = words(1, 4_000)
PIECE = WORK[1_050:1_134]  # four sentences: more than is quoted without any mark


@pytest.fixture
def work() -> Work:
    holder = RightsHolder.objects.create(name="甲")
    Site.objects.create(pk=1, rights_holder=holder, name="某站", start_urls="http://a.example/")
    work = Work.objects.create(rights_holder=holder, title="渡口无灯", author="江南")
    AuthorAlias.objects.create(rights_holder=holder, author="江南", alias="杨治")
    Chapter.objects.create(work=work, number=1, text_id=work_text_id(WORK), chars=len(WORK))
    return work


@pytest.fixture
def read(work: Work) -> Callable[[str], None]:
    """Let a page with this text be compared with the work."""
    made = chain()
    ports = replace(made.ports, cases=DjangoCaseRepository(made.ports.works))
    made.add_work("渡口无灯", WORK)

    def reading(text: str) -> None:
        made.store_page("http://a.example/1.html", text)
        while messages := made.outbox.drain():
            for message in messages:
                made.clock.advance(1)
                carry(message, ports)

    return reading


def page_with(piece: str, before: str = "", after: str = "", rest: int = 1_000) -> str:
    return f"{words(2, rest // 2)}\n{before}{piece}{after}\n{words(3, rest // 2)}"


@pytest.mark.parametrize(
    ("before", "after", "source"),
    [
        ("", "——摘自《渡口无灯》", "《渡口无灯》"),
        ("最近重读《渡口无灯》，有一段一直忘不掉。", "", "《渡口无灯》"),
        ("作家江南在书里说过一段话，我抄在这里。", "", "江南"),
        ("杨治写过这样一段话。", "", "杨治"),
        ("", "（作者：杨治）", "杨治"),
    ],
)
def test_a_short_piece_with_its_source_is_quoted(
    read: Callable[[str], None], before: str, after: str, source: str
) -> None:
    read(page_with(PIECE, before, after))
    finding = Exclusion.objects.get()
    assert (finding.reason, finding.match_class, finding.detail) == ("quotation", MatchClass.QUOTATION, source)
    assert not Case.objects.exists()


@pytest.mark.parametrize(
    "text",
    [
        page_with(PIECE),
        page_with(WORK[1_050:1_260], after="——摘自《渡口无灯》"),  # longer than anybody quotes
        page_with(PIECE, after="——摘自《渡口无灯》", rest=240),  # a page of little else
        page_with(PIECE, after="——摘自《渡口有灯》"),  # another book
        page_with(PIECE, before="我昨天去了江南，回来翻书。"),  # a word, and no author
        page_with(PIECE, before="《渡口无灯》" + words(9, 60)),  # named, and not beside it
        "\n".join(
            page_with(WORK[at : at + 84], after="——《渡口无灯》") for at in range(0, 2_100, 420)
        ),  # piece by piece
    ],
    ids=["no source", "long", "most of the page", "another title", "a word", "far", "many pieces"],
)
def test_a_copy_does_not_escape_by_naming_its_source(read: Callable[[str], None], text: str) -> None:
    read(text)
    assert Case.objects.get().match_class == MatchClass.EXCERPT
    assert not Exclusion.objects.exists()


def test_a_sentence_that_needs_no_source_says_so_where_it_is_named(read: Callable[[str], None]) -> None:
    read(page_with(WORK[1_050:1_080]))
    assert Exclusion.objects.get().detail == ""
    Exclusion.objects.all().delete()
    read(page_with(WORK[2_100:2_130], before="书评：《渡口无灯》。"))
    assert Exclusion.objects.get().detail == "《渡口无灯》"
