"""When a short piece whose source stands beside it is a quotation: each bound at its edge, and what is no source."""

from dataclasses import replace
from typing import Any

import pytest

from core.ids import work_text_id
from core.matches import Match, MatchClass, Span
from core.pages import Reading
from core.text import TextRange
from core.zones import SurroundingLine, Zone
from matcher.calibration import DEFAULT as BOUNDS
from tests.support.records import match
from webadmin.accounts.models import RightsHolder
from webadmin.cases.services.findings import REACH_CHARS, Findings, SourceNames, name_sources
from webadmin.works.models import Chapter, Work

pytestmark = pytest.mark.django_db

TITLE = "《渡口无灯》"
PIECE = "甲" * 80
FAR = "乙" * (REACH_CHARS + 1)
TEXT = f"{FAR}{TITLE}{PIECE}{FAR}"


@pytest.fixture
def work() -> Work:
    holder = RightsHolder.objects.create(name="甲")
    made = Work.objects.create(rights_holder=holder, title="渡口无灯", author="江南")
    Chapter.objects.create(work=made, number=1, text_id=work_text_id("文"), chars=4_000)
    return made


def span_of(piece: str = PIECE, text: str = TEXT, **given: Any) -> Span:
    at = text.index(piece)
    return replace(Span(TextRange(at, at + len(piece)), TextRange(0, len(piece)), 1.0), **given)


def found(*spans: Span, match_class: MatchClass = MatchClass.EXCERPT, **given: Any) -> Match:
    plain = replace(
        match(work_text_id("文"), match_class, len(PIECE)),
        spans=spans or (span_of(),),
        page_containment=0.08,
        work_containment=0.02,
        obfuscations=(),
    )
    return replace(plain, **given)


def judged(work: Work, *matches: Match, text: str = TEXT, **reading: Any) -> Findings:
    chapter = work.chapters.get()
    findings = Findings(work, tuple((chapter, each) for each in matches))
    return name_sources(findings, Reading(title="", text=text, **reading), SourceNames())


def classes(findings: Findings) -> list[MatchClass]:
    return [each.match_class for each in findings.matches]


@pytest.mark.parametrize(
    ("at_the_bound", "beyond"),
    [
        ({"matched_chars": BOUNDS.max_quoted_tokens}, {"matched_chars": BOUNDS.max_quoted_tokens + 1}),
        ({"page_containment": BOUNDS.max_marked_quotation_containment}, {"page_containment": 0.201}),
        ({"work_containment": BOUNDS.max_quoted_work_containment}, {"work_containment": 0.251}),
    ],
)
def test_a_match_is_no_longer_than_a_quotation(
    work: Work, at_the_bound: dict[str, Any], beyond: dict[str, Any]
) -> None:
    assert judged(work, found(**at_the_bound)).source == TITLE
    assert classes(judged(work, found(**at_the_bound))) == [MatchClass.QUOTATION]
    assert judged(work, found(**beyond)).source == ""
    assert classes(judged(work, found(**beyond))) == [MatchClass.EXCERPT]


def test_each_piece_is_no_longer_and_as_faithful_as_a_quotation(work: Work) -> None:
    most = BOUNDS.max_marked_quotation_tokens
    long, longer = (f"{TITLE}{'丙' * count}" for count in (most, most + 1))
    assert judged(work, found(span_of("丙" * most, long)), text=long).source == TITLE
    assert judged(work, found(span_of("丙" * (most + 1), longer)), text=longer).source == ""
    short = span_of("丙", longer)
    assert judged(work, found(short, span_of("丙" * (most + 1), longer)), text=longer).source == ""
    faithful = span_of(similarity=BOUNDS.min_quotation_similarity)
    assert judged(work, found(faithful)).source == TITLE
    assert judged(work, found(faithful, span_of(similarity=0.84))).source == ""


def test_what_is_marked_as_a_quotation_may_name_its_source_anywhere_on_the_page(work: Work) -> None:
    text = f"{PIECE}{FAR}{TITLE}"
    quoted = found(span_of(text=text), match_class=MatchClass.QUOTATION)
    assert judged(work, quoted, text=text).source == TITLE
    assert judged(work, replace(quoted, match_class=MatchClass.EXCERPT), text=text).source == ""


def test_what_stands_beside_the_main_text_is_no_word_about_what_is_in_it(work: Work) -> None:
    """A list of other books below a copied passage does not make a quotation of it."""
    below = (SurroundingLine(Zone.FRAME, f"{TITLE}{PIECE}", 1),)
    in_text = span_of(text=PIECE)
    assert judged(work, found(in_text), text=PIECE, surroundings=below).source == ""  # of what follows
    at = len(PIECE) + 1 + len(TITLE)
    in_frame = replace(in_text, page=TextRange(at, at + len(PIECE)), zone=Zone.FRAME)
    assert judged(work, found(in_frame), text=PIECE, surroundings=below).source == TITLE
    assert judged(work, found(in_text, in_frame), text=PIECE, surroundings=below).source == TITLE


def test_a_name_of_two_characters_names_the_work_before_the_piece_and_behind_it(work: Work) -> None:
    work.title, work.author = "渡口", "江南"
    for text in (f"《渡口》{PIECE}", f"{PIECE}《渡口》"):
        assert judged(work, found(span_of(text=text)), text=text).source == "《渡口》"
    by_author = f"{PIECE}——江南"
    assert judged(work, found(span_of(text=by_author)), text=by_author).source == "江南"
