"""Test what the published engines say of the page behind a case: asked of the evidence, kept, private."""

import subprocess
import sys
from collections.abc import Mapping
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client

from core.errors import ServiceUnavailable
from core.ids import VersionId
from core.pages import PageVersion
from core.ports import PageStore
from core.wording import Message
from fingerprint.engines.catalogue import ENGINES
from fingerprint.engines.engine import EngineEntry, EngineMatch
from tests.support import admin_data, case_texts
from tests.support.admin_data import World
from tests.support.case_texts import Texts
from tests.support.corpus_texts import story, with_homophones
from tests.support.desk import shown
from webadmin.cases.models import Case, CaseMatch, EnginePanel, SecondOpinion
from webadmin.cases.services.opinions import asking as second_opinions
from webadmin.cases.services.opinions.asking import ask_engines, record_failure
from webadmin.cases.services.opinions.engine_answers import (
    BACKGROUND_PIECES,
    CORPUS_ENGINES,
    MIN_CORPUS_PIECES,
    EngineVerdict,
    Question,
    ask_all_engines,
)
from webadmin.cases.services.opinions.requests import OpinionSubject
from webadmin.works.models import Chapter, Work

CASES = 2

pytestmark = pytest.mark.django_db

WORK = story(1, 80)
OTHERS = MIN_CORPUS_PIECES + 7
NOW = admin_data.NOW


def add_texts(texts: Texts, work: Work, number: int, first_seed: int = 100) -> list[str]:
    """Further chapters of a work, each a text of its own; their ids."""
    keys = []
    for place in range(number):
        text = story(first_seed + place, 40)
        keys.append(texts.works.put_text(text))
        Chapter.objects.create(work=work, number=1000 + place, text_id=keys[-1], chars=len(text))
    return keys


def judged(texts: Texts, case: Case, page: str, work: str = WORK) -> SecondOpinion:
    """Return what is kept of a case whose page and work have these texts."""
    texts.keep_case(case, page, work)
    ask_engines(subject_of(case), texts.pages, texts.works, NOW)
    return case.second_opinions.get(version_id=case.version_id)


def subject_of(case: Case) -> OpinionSubject:
    return OpinionSubject(case.pk, case.version_id)


def verdicts(opinion: SecondOpinion) -> dict[str, str]:
    return {answer["engine"]: answer["verdict"] for answer in opinion.answers}


def copies(opinion: SecondOpinion) -> set[str]:
    return {name for name, verdict in verdicts(opinion).items() if verdict == EngineVerdict.COPY}


def test_every_engine_calls_an_identical_page_a_copy(world: World, texts: Texts) -> None:
    add_texts(texts, world.ours.works[1], OTHERS)
    opinion = judged(texts, world.ours.cases[0], WORK)
    assert set(verdicts(opinion)) == set(ENGINES)
    # Sif's two anchor characters may stand in no window of an invented text.
    assert set(ENGINES) - copies(opinion) <= {"sif"}
    marking = [answer for answer in opinion.answers if ENGINES[answer["engine"]].gives_spans]
    assert marking
    assert all(answer["passages"] >= 1 and answer["page_share"] > 0.8 for answer in marking)
    assert all(0 < answer["similarity"] <= 1 for answer in opinion.answers if answer["verdict"] == EngineVerdict.COPY)


def test_few_engines_see_homophones_and_the_case_lists_all(world: World, texts: Texts, reviewer: Client) -> None:
    add_texts(texts, world.ours.works[1], OTHERS)
    case = world.ours.cases[0]
    opinion = judged(texts, case, with_homophones(WORK, 0.3))
    agreeing = copies(opinion)
    assert {"frequency-0-3", "frequency-0-9"} <= agreeing
    assert not {"exact-md5", "k-shingle", "simhash-64", "cops", "nshash"} & agreeing
    assert len(agreeing) < len(ENGINES) / 2
    none = next(answer for answer in opinion.answers if answer["engine"] == "exact-md5")
    assert (none["similarity"], none["passages"], none["page_share"]) == (None, 0, 0.0)
    page = shown(reviewer, case)
    assert f"{len(agreeing)} of {len(ENGINES)} engines agree" in page
    assert f"{len(ENGINES) - len(agreeing)} engines do not agree" in page
    assert f"were also given {len(opinion.background_ids)} other texts" in page
    for name, entry in ENGINES.items():
        assert f">{name}</span>" in page
        assert entry.summary.in_language("zh") not in page
    assert "the product's own matcher" in unescape(page)


def test_an_engine_says_that_it_needs_a_corpus(world: World, texts: Texts, reviewer: Client) -> None:
    case = world.ours.cases[0]
    opinion = judged(texts, case, WORK)
    lacking = {name for name, verdict in verdicts(opinion).items() if verdict == EngineVerdict.NEEDS_CORPUS}
    assert lacking == CORPUS_ENGINES
    page = shown(reviewer, world.ours.cases[0])
    assert f"{len(copies(opinion))} of {len(ENGINES) - len(lacking)} engines agree" in page
    assert f"{len(lacking)} engines could not judge" in page
    assert "other text of the rights holder was not enough" in page
    assert "were also given" not in page
    reviewer.cookies["django_language"] = "zh-hans"
    page = shown(reviewer, world.ours.cases[0])
    assert f"{len(ENGINES) - len(lacking)} 种引擎中有 {len(copies(opinion))} 种判为雷同" in page
    assert "需要更多文本作语料" in page
    assert ENGINES["exact-md5"].summary.in_language("zh") in page
    assert ENGINES["exact-md5"].summary.in_language("en") not in page
    reviewer.cookies["django_language"] = "en"
    _what_was_kept_is_shown_whatever_the_catalogue_says(case, opinion, reviewer)


def _what_was_kept_is_shown_whatever_the_catalogue_says(case: Case, opinion: SecondOpinion, reviewer: Client) -> None:
    hostile = "<script>alert('engine')</script>"
    engines = [each | {"summary_en": hostile, "source": f'"{hostile}'} for each in opinion.panel.engines]
    EnginePanel.objects.filter(pk=opinion.panel_id).update(engines=engines)
    answered = [each | {"engine": hostile} if place == 0 else each for place, each in enumerate(opinion.answers)]
    SecondOpinion.objects.filter(pk=opinion.pk).update(answers=answered)
    page = shown(reviewer, case)
    assert hostile not in page
    assert page.count("&lt;script&gt;alert(&#x27;engine&#x27;)&lt;/script&gt;") > len(ENGINES)


def test_a_page_that_is_longer_than_the_usual_piece_is_met_by_one_of_its_length() -> None:
    page = WORK * 2
    said = {answer.engine: answer.verdict for answer in ask_all_engines(Question(page, [page], ()))}
    assert said["simhash-64"] == said["word-jaccard"] == said["exact-md5"] == EngineVerdict.COPY


@pytest.mark.parametrize("name", sorted(ENGINES))
def test_every_engine_takes_pieces_of_another_length_or_marks_passages(name: str) -> None:
    """An engine that refused the length of a piece would stand as failed on every case."""
    (answer,) = ask_all_engines(
        Question("", ["江面起了雾。"], ["", *["雾"] * MIN_CORPUS_PIECES]), {name: ENGINES[name]}
    )
    assert answer.verdict == EngineVerdict.NO_COPY


def test_an_engine_that_fails_is_named_and_the_others_answer_nevertheless(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        gives_spans = True

        def add_work(self, work_id: str, text: str) -> None:
            """Takes anything."""

        def find(self, text: str) -> list[EngineMatch]:
            raise ZeroDivisionError

    engines: Mapping[str, EngineEntry] = {
        "broken": EngineEntry("broken", Broken, Message("engine.unknown"), "", (), {}, gives_spans=True),
        "exact-md5": ENGINES["exact-md5"],
    }
    said = ask_all_engines(Question(WORK, [WORK], ()), engines)
    assert [answer.verdict for answer in said] == [EngineVerdict.FAILED, EngineVerdict.COPY]
    assert "the engine broken failed" in caplog.text


def test_answers_never_change_and_a_new_version_has_its_own(world: World, texts: Texts) -> None:
    case = world.ours.cases[0]
    first = judged(texts, case, WORK)
    kept = SecondOpinion.objects.filter(pk=first.pk).values().get()
    ask_engines(subject_of(case), texts.pages, texts.works, NOW + timedelta(days=9))
    record_failure(subject_of(case), NOW + timedelta(days=9))
    assert SecondOpinion.objects.filter(pk=first.pk).values().get() == kept

    newer = CaseMatch.objects.get(case=case)
    newer.pk = None
    newer.version_id = texts.keep(case.page, with_homophones(WORK, 0.3), b"<html>2</html>")
    newer.page_text_digest = case_texts.digest(with_homophones(WORK, 0.3).encode())
    newer.save()
    ask_engines(OpinionSubject(case.pk, newer.version_id), texts.pages, texts.works, NOW)
    assert SecondOpinion.objects.filter(pk=first.pk).values().get() == kept
    second = case.second_opinions.get(version_id=newer.version_id)
    assert len(copies(second)) < len(copies(first))
    assert second.panel == first.panel
    assert EnginePanel.objects.count() == 1


def test_what_was_asked_and_how_is_kept(world: World, texts: Texts) -> None:
    Chapter.objects.filter(work__rights_holder=world.ours.holder).delete()
    keys = add_texts(texts, world.ours.works[1], BACKGROUND_PIECES + 9)
    case = world.ours.cases[0]
    opinion, match = judged(texts, case, WORK), case.matches.get()
    assert (opinion.page_text_digest, opinion.text_ids) == (match.page_text_digest, [match.text_id])
    assert (opinion.piece_chars, opinion.asked_at) == (len(WORK), NOW)
    assert opinion.code_version
    assert opinion.background_ids == sorted(keys)[:BACKGROUND_PIECES]
    assert opinion.own_answer["passages"] == len(match.spans)


def test_texts_of_another_rights_holder_are_no_background(world: World, texts: Texts) -> None:
    theirs = set(add_texts(texts, world.theirs.works[0], OTHERS))
    opinion = judged(texts, world.ours.cases[0], WORK)
    assert not theirs & set(opinion.background_ids)
    assert {verdicts(opinion)[name] for name in CORPUS_ENGINES} == {EngineVerdict.NEEDS_CORPUS}


def test_all_texts_of_the_work_that_the_page_took_from_are_asked_about(world: World, texts: Texts) -> None:
    case = world.ours.cases[0]
    texts.keep_case(case, WORK, story(7))
    second = case.matches.get()
    second.pk, second.text_id = None, texts.works.put_text(WORK)
    second.work_text_digest = case_texts.digest(WORK.encode())
    second.save()
    ask_engines(subject_of(case), texts.pages, texts.works, NOW)
    opinion = case.second_opinions.get()
    assert "exact-md5" in copies(opinion)
    assert len(opinion.text_ids) == 2


@pytest.mark.parametrize("side", ["page_text_digest", "work_text_digest", "version_id", "text_id"])
def test_only_the_texts_of_the_evidence_are_judged(world: World, texts: Texts, reviewer: Client, side: str) -> None:
    case = world.ours.cases[0]
    texts.keep_case(case, WORK, WORK)
    changed = "0" * (64 if side.endswith("digest") else 40)
    CaseMatch.objects.filter(case=case).update(**{side: changed})
    if side == "version_id":
        Case.objects.filter(pk=case.pk).update(version_id=changed)
        case.refresh_from_db()
    ask_engines(subject_of(case), texts.pages, texts.works, NOW)
    opinion = case.second_opinions.get()
    assert (opinion.left_out, opinion.answers) == (SecondOpinion.LeftOut.TEXT_GONE, [])
    assert "a text of this match was no longer in the page store" in shown(reviewer, case)


def test_a_store_that_is_down_leaves_the_question_open(world: World, texts: Texts) -> None:
    class Down(case_texts.MemoryPageStore):
        def version(self, version_id: VersionId) -> PageVersion | None:
            raise ServiceUnavailable("the page store", "127.0.0.1:27117")

    down: PageStore = Down()
    subject = subject_of(world.ours.cases[0])
    with pytest.raises(ServiceUnavailable):
        ask_engines(subject, down, texts.works, NOW)
    assert not SecondOpinion.objects.exists()


@pytest.mark.parametrize(
    ("page_chars", "work_chars"),
    [(second_opinions.MAX_PAGE_CHARS + 1, 3_000), (3_000, second_opinions.MAX_WORK_CHARS + 1)],
)
def test_a_very_long_text_is_answered_with_a_sentence(
    world: World, texts: Texts, reviewer: Client, monkeypatch: pytest.MonkeyPatch, page_chars: int, work_chars: int
) -> None:
    def never(*_: object) -> Any:
        raise AssertionError("no engine is asked")

    monkeypatch.setattr(second_opinions, "ask_all_engines", never)
    long = WORK * (max(page_chars, work_chars) // len(WORK) + 1)
    opinion = judged(texts, world.ours.cases[0], long[:page_chars], long[:work_chars])
    assert opinion.left_out == SecondOpinion.LeftOut.TOO_LONG
    for language, words in (("en", "the work is too long"), ("zh-hans", "网页或作品过长")):
        reviewer.cookies["django_language"] = language
        assert words in shown(reviewer, world.ours.cases[0])


@pytest.mark.usefixtures("processes")
def test_a_case_is_shown_without_loading_any_engine() -> None:
    code = (
        "import django, os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'webadmin.settings'; django.setup();"
        "import webadmin.review.pages.case_page.case_view;"
        "print([name for name in sys.modules if name.startswith(('fingerprint', 'numba'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
