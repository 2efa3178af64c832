"""Test that text beside the main text is compared: comments open cases, teasers and frames only if wished."""

from dataclasses import replace

import pytest
from django.utils import translation

from bundles.opened import open_bundle
from core.ids import Digest, VersionId, digest
from core.matches import Match, MatchClass
from core.messages import SearchRequested
from core.pages import Reading, Stored
from core.zones import SurroundingLine, Zone
from deploy.demo.library import load_works
from pipeline import steps
from tests.support.demo_sites import innocent_text
from tests.support.memory_chain import Chain, chain
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.records import response
from webadmin import stores
from webadmin.accounts.models import RightsHolder
from webadmin.cases.models import Case, CaseMatch, Exclusion
from webadmin.cases.services.case_repository import DjangoCaseRepository
from webadmin.evidence.models import EvidenceBundle
from webadmin.evidence.services.making import EvidencePorts, create_bundles
from webadmin.review.pages.case_page.case_texts import fetch_texts
from webadmin.sites.models import Site
from webadmin.works.models import Chapter, Work

WORKS = load_works()
NOVEL = WORKS["river-town"]
OTHER = next(work for key, work in WORKS.items() if key != "river-town").chapter(1).text
CHAPTER, NEXT = NOVEL.chapter(1).text, NOVEL.chapter(2).text
INNOCENT = innocent_text()
URL = "http://pirate.example/1"
MENU = SurroundingLine(Zone.FRAME, "首页 书库 排行", 0)


@pytest.fixture
def running() -> Chain:
    started = chain()
    started.add_work("novel", *(chapter.text for chapter in NOVEL.chapters))
    started.run()
    return started


def lines(zone: Zone, text: str, after: int = 9) -> list[SurroundingLine]:
    return [SurroundingLine(zone, line, after) for line in text.split("\n") if line]


def matches(running: Chain, stored: Stored) -> tuple[Match, ...]:
    running.run()
    return running.book.outcomes[stored.version_id].matches


def whole_text(running: Chain, version: VersionId) -> str:
    found = running.ports.pages.version(version)
    return found.reading.whole_text


def test_a_chapter_in_the_comments_of_an_innocent_page_is_a_case(running: Chain) -> None:
    stored = running.store_page(URL, INNOCENT, surroundings=[MENU, *lines(Zone.COMMENT, CHAPTER)])
    [found] = matches(running, stored)
    assert found.match_class is MatchClass.IDENTICAL
    assert {span.zone for span in found.spans} == {Zone.COMMENT}
    assert list(running.book.cases) == [(stored.page_id, "novel")]
    text = whole_text(running, stored.version_id)
    taken = "".join(text[span.page.start : span.page.end] for span in found.spans)
    assert "".join(taken.split()) in "".join(CHAPTER.split())
    assert len(taken) > 0.98 * len(CHAPTER)


def test_a_chapter_that_a_longer_text_pushes_out_of_the_main_text_is_a_copy(running: Chain) -> None:
    stored = running.store_page(URL, "天地玄黄，宇宙洪荒。" * 2_000, surroundings=lines(Zone.FRAME, CHAPTER))
    [found] = matches(running, stored)
    assert found.match_class.is_copy
    assert list(running.book.cases) == [(stored.page_id, "novel")]


def test_a_chapter_and_the_announcement_of_the_next_are_told_apart(running: Chain) -> None:
    stored = running.store_page(URL, CHAPTER, surroundings=lines(Zone.TEASER, NEXT[:600]))
    assert [each.match_class for each in matches(running, stored)] == [MatchClass.IDENTICAL, MatchClass.TEASER]
    assert list(running.book.cases) == [(stored.page_id, "novel")]


def test_a_text_added_later_is_found_beside_pages_that_are_stored(running: Chain) -> None:
    stored = running.store_page(URL, INNOCENT, surroundings=lines(Zone.COMMENT, OTHER))
    assert matches(running, stored) == ()
    running.add_work("sequel", OTHER)
    running.run()
    running.outbox.send(SearchRequested())
    assert [each.match_class for each in matches(running, stored)] == [MatchClass.IDENTICAL]


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> tuple[Chain, Site]:
    """A chain whose cases are those of the desk."""
    running = chain()
    holder = RightsHolder.objects.create(name="青梧文学")
    site = Site.objects.create(rights_holder=holder, name="盗版站", start_urls="http://pirate.example/")
    work = Work.objects.create(rights_holder=holder, title=NOVEL.title)
    for number, chapter in enumerate(NOVEL.chapters, 1):
        [text_id] = running.add_work(f"{number}", chapter.text)
        Chapter.objects.create(work=work, number=number, text_id=text_id, chars=len(chapter.text))
    running.ports = replace(running.ports, cases=DjangoCaseRepository(running.ports.works))
    running.run()
    monkeypatch.setattr(stores, "page_store", lambda: running.ports.pages)
    monkeypatch.setattr(stores, "work_store", lambda: running.ports.works)
    return running, site


def compared(running: Chain, site: Site, text: str, surroundings: list[SurroundingLine]) -> VersionId:
    url = f"http://pirate.example/{len(text)}"
    stored = running.ports.pages.put(
        response(site.pk, url, text.encode()), Reading("某页", text, surroundings=tuple(surroundings))
    )
    steps.compare_pages([stored.version_id], running.ports)
    return stored.version_id


@pytest.mark.django_db
def test_a_case_of_a_comment_has_evidence_that_quotes_it(desk: tuple[Chain, Site]) -> None:
    running, site = desk
    version = compared(running, site, INNOCENT, [MENU, *lines(Zone.COMMENT, CHAPTER)])
    kept = CaseMatch.objects.get()
    [span] = kept.spans
    assert (span["zone"], kept.page_text_digest) == ("comment", digest(whole_text(running, version).encode("utf-8")))
    assert span["page_excerpt"] in CHAPTER
    evidence = EvidencePorts(running.ports.pages, running.ports.works, MemoryEvidenceStore(), running.clock)
    assert create_bundles(version, evidence) == 1
    content = evidence.store.get(Digest(EvidenceBundle.objects.get().digest))
    assert content is not None
    assert span["page_excerpt"] in open_bundle(content, "bundle").renderings["text"].decode("utf-8")


@pytest.mark.django_db
def test_the_page_of_a_case_says_that_its_passages_stand_in_comments(desk: tuple[Chain, Site]) -> None:
    running, site = desk
    compared(running, site, INNOCENT, lines(Zone.COMMENT, CHAPTER))
    with translation.override("en"):
        texts = fetch_texts(CaseMatch.objects.get())
    assert texts.page is not None
    assert CHAPTER.split("\n")[0] in texts.page
    assert [note for note in texts.notes if "comments" in note]


@pytest.mark.django_db
@pytest.mark.parametrize("zone", [Zone.TEASER, Zone.FRAME])
def test_an_announcement_is_a_case_only_where_its_holder_wishes_it(desk: tuple[Chain, Site], zone: Zone) -> None:
    running, site = desk
    compared(running, site, INNOCENT, lines(zone, CHAPTER[:600]))
    assert list(Exclusion.objects.values_list("reason", "match_class")) == [("teaser", "teaser")]
    assert not Case.objects.exists()
    RightsHolder.objects.update(opens_teasers=True)
    compared(running, site, INNOCENT + "今天更新。", lines(zone, CHAPTER[:600]))
    assert Case.objects.get().match_class == MatchClass.TEASER
