"""Looking for copies by search: a real endpoint that answers as SearXNG does, real sites, the real stores and index."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import settings as django_settings

from core.clock import SystemClock
from core.errors import BadConfiguration, BadInput, UnsafeUrl
from core.ids import WorkTextId
from core.settings import CrawlSettings, DiscoverySettings, Settings
from core.settings_loading import load
from core.wording import Message
from core.works import ChapterText, WorkFile
from crawler.sources.search import read_answer, search
from fingerprint.algorithms import DEFAULT
from fingerprint.fingerprinting import fingerprint_text
from matcher.corpus import CorpusCache
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher
from pagestore.mongo import MongoFingerprintStore, MongoPageStore, MongoWorkStore, connect
from pipeline.corpus import StoredCorpus
from pipeline.steps import Ports
from tests.support.memory_cases import MemoryOutbox
from tests.support.refusals import refused
from tests.support.web_server import Answer, WebServer, page
from webadmin.accounts.models import RightsHolder
from webadmin.cases.models import Case
from webadmin.cases.services.case_repository import DjangoCaseRepository
from webadmin.sites.models import DiscoveredPage, DiscoveryQuery, Site
from webadmin.sites.services import discovery, watchlist
from webadmin.sites.services import discovery_round as round_of
from webadmin.sites.services.query_sentences import MAX_CHARS, MIN_CHARS, distinctive_sentences
from webadmin.works.models import OwnDomain, Work
from webadmin.works.services import catalogue

pytestmark = pytest.mark.django_db
WORKS = Path(__file__).parents[3] / "deploy" / "demo" / "works"
FORMULA = "他抬起头来望着远处的山影一时间竟不知道该从哪里讲起才好"
CHAPTERS, OTHERS, UNRELATED = ("一杆秤", "换绳人"), ("搬琴", "云溪石桥"), "村小的天文台"


def story(name: str) -> str:
    return f"{FORMULA}。\n" + (WORKS / f"{name}.txt").read_text("utf-8")


@dataclass
class World:
    ports: Ports
    work: Work
    settings: Settings
    engine: WebServer
    pirate: WebServer
    other: WebServer
    results: list[dict[str, str]]
    text: str

    def round(self, **changes: object) -> round_of.Discovered:
        return round_of.discover(self.ports, replace(self.settings, **changes))  # type: ignore[arg-type]

    @property
    def asked(self) -> list[str]:
        return [parse_qs(urlsplit(path).query)["q"][0] for path in self.engine.requested]


@pytest.fixture
def world(mongo_url: str, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks) -> Iterator[World]:  # type: ignore[no-untyped-def]
    database = connect(mongo_url)
    works, fingerprints = MongoWorkStore(database), MongoFingerprintStore(database)
    index = MemoryIndex(DEFAULT.id)
    index.clear()
    outbox = MemoryOutbox()
    ports = Ports(
        MongoPageStore(database), works, fingerprints, index,
        Matcher(index, CorpusCache(StoredCorpus(works, fingerprints, DEFAULT))),
        DjangoCaseRepository(works), outbox, SystemClock(), DEFAULT,
    )  # fmt: skip
    holder = RightsHolder.objects.create(name="甲")
    texts = [story(name) for name in CHAPTERS]
    with django_capture_on_commit_callbacks(execute=True):
        added = catalogue.add_work(
            holder,
            WorkFile("江城旧事", "", tuple(ChapterText(n, "", t) for n, t in enumerate(texts, 1))),
            "",
            works,
            outbox,
        )
    others = [story(name) for name in OTHERS]
    for text in [*texts, *others]:
        index.add(works.put_text(text), fingerprint_text(text))
    outbox.drain()
    copied = "".join(f"<p>{line}</p>" for line in texts[0].splitlines())
    unrelated = "".join(f"<p>{line}</p>" for line in (WORKS / f"{UNRELATED}.txt").read_text("utf-8").splitlines())
    results: list[dict[str, str]] = []

    def answered(_: str) -> Answer:
        return Answer(
            json.dumps({"query": "q", "results": results, "unresponsive_engines": []}).encode(), "application/json"
        )

    with WebServer({}) as engine, WebServer({}) as pirate, WebServer({}) as other:
        pirate.routes.update(
            {"/": page("盗版", copied), "/1.html": page("江城旧事 第一章", copied), "/2.html": page("无关", unrelated)}
        )
        other.routes["/x"] = page("评论", unrelated)

        engine.fallback = answered
        results += [{"url": pirate.url("/1.html"), "title": "江城"}, {"url": other.url("/x"), "title": "评论"}]
        loaded = load({})
        settings = replace(
            loaded,
            crawl=CrawlSettings(allow_private_hosts=(engine.netloc, pirate.netloc, other.netloc), timeout_s=10.0),
            discovery=DiscoverySettings(engine.url("/search"), 0.0, 100),
        )
        monkeypatch.setattr(django_settings, "ZHUIWEN", settings)
        discovery.get_or_create_plan(added.work)
        yield World(ports, added.work, settings, engine, pirate, other, results, texts[0])


def limited(world: World, queries: int) -> None:
    plan = discovery.get_or_create_plan(world.work)
    plan.queries_a_day = queries
    plan.save()


def test_a_page_that_copies_the_work_is_proposed_and_no_case_is_opened(world: World) -> None:
    limited(world, 1)
    done = world.round()
    assert (done.queries, done.results, done.fetched, done.proposed) == (1, 2, 2, 1)
    proposed = DiscoveredPage.objects.get(state="proposed")
    assert (proposed.url, proposed.title) == (world.pirate.url("/1.html"), "江城旧事 第一章")
    assert proposed.similarity > 0.9
    assert proposed.matched_chars > 500
    assert proposed.excerpt in "".join(world.text.split("\n")) or proposed.excerpt[:20] in world.text
    assert DiscoveredPage.objects.get(url=world.other.url("/x")).state == "no_copy"
    assert not Case.objects.exists()
    assert not Site.objects.exists()
    assert world.ports.outbox.drain() == []  # type: ignore[attr-defined]


def test_what_is_sent_is_a_sentence_of_the_work_in_quotation_marks_and_is_logged(world: World) -> None:
    limited(world, 3)
    world.round()
    sentences = [asked.strip('"') for asked in world.asked]
    assert all(asked.startswith('"') and asked.endswith('"') for asked in world.asked)
    assert len(set(sentences)) == 3
    whole = story(CHAPTERS[0]) + story(CHAPTERS[1])
    assert all(sentence in whole and MIN_CHARS <= len(sentence) <= MAX_CHARS for sentence in sentences)
    assert set(DiscoveryQuery.objects.values_list("sentence", flat=True)) == set(sentences)
    assert set(DiscoveryQuery.objects.values_list("chapter_number", flat=True)) == {1, 2}


def test_the_budget_of_a_work_and_of_a_day_holds_until_the_next_day(world: World) -> None:
    limited(world, 2)
    assert world.round().queries == 2
    assert world.round().queries == 0
    DiscoveryQuery.objects.update(asked_at=datetime.now(UTC) - timedelta(days=1, hours=1))
    assert world.round().queries == 2
    assert len(world.engine.requested) == 4
    limited(world, 50)
    django_settings.ZHUIWEN = replace(world.settings, discovery=replace(world.settings.discovery, queries_a_day=3))
    assert world.round().queries == 1


def test_the_pace_of_the_operator_is_kept_across_rounds(world: World) -> None:
    limited(world, 2)
    world.round(discovery=replace(world.settings.discovery, delay_s=0.4))
    first, second = DiscoveryQuery.objects.order_by("asked_at").values_list("asked_at", flat=True)
    # When it was asked and not when it arrived: a machine that is busy holds a request up.
    assert second - first >= timedelta(seconds=0.39)
    assert len(world.engine.requested) == 2


def test_a_result_is_fetched_once_however_often_it_is_found(world: World) -> None:
    limited(world, 3)
    world.results.append({"url": world.pirate.url("/1.html?utm_source=x#top"), "title": "江城"})
    world.round()
    assert [path for path in world.pirate.requested if path != "/robots.txt"] == ["/1.html"]
    assert sum(query.left_out.get("known", 0) for query in DiscoveryQuery.objects.all()) == 7


def test_own_licensed_and_watched_sites_and_what_is_no_page_are_left_out(world: World) -> None:
    limited(world, 1)
    OwnDomain.objects.create(rights_holder=world.work.rights_holder, domain=world.other.netloc)
    watchlist.add_site(world.work.rights_holder, world.pirate.url("/"))
    world.results += [{"url": "http://a.example/x.pdf"}, {"url": "javascript:alert(1)"}, {"title": "no address"}]
    world.round()
    assert world.pirate.requested == world.other.requested == []
    assert DiscoveryQuery.objects.get().left_out == {"own_site": 1, "watched": 1, "unusable": 1}


def test_private_addresses_among_the_results_are_never_fetched(world: World) -> None:
    limited(world, 1)
    with WebServer({"/": page("内网", "<p>机密</p>")}) as inside:
        world.results[:] = [{"url": inside.url("/")}, {"url": "http://169.254.169.254/latest/"}]
        world.round()
        assert inside.requested == []
    assert set(DiscoveredPage.objects.values_list("state", flat=True)) == {"unreadable"}


def test_robots_txt_of_a_result_is_obeyed(world: World) -> None:
    limited(world, 1)
    world.pirate.routes["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /\n", "text/plain")
    world.round()
    assert world.pirate.requested == ["/robots.txt"]
    assert DiscoveredPage.objects.get(url=world.pirate.url("/1.html")).fault == Message("search.robots")


def test_an_accepted_proposal_is_watched_and_its_page_is_where_the_crawl_begins(world: World) -> None:
    limited(world, 1)
    world.round()
    proposed = DiscoveredPage.objects.get(state="proposed")
    site = discovery.accept_proposal(proposed, "某人", datetime.now(UTC))
    assert site.start_urls.splitlines() == [world.pirate.url("/"), world.pirate.url("/1.html")]
    assert (proposed.state, proposed.decided_by, proposed.site) == ("accepted", "某人", site)
    refused("not a proposal", discovery.dismiss_proposal, proposed, "某人", datetime.now(UTC))


def test_an_endpoint_that_has_had_enough_ends_the_round_and_the_query_is_noted(world: World) -> None:
    limited(world, 5)
    world.engine.fallback = lambda _: Answer(b"slow down", "text/plain", 429)
    done = world.round()
    assert (done.queries, len(world.engine.requested)) == (1, 1)
    assert "429" in str(done.stopped)
    assert DiscoveryQuery.objects.get().state == "failed"


def test_no_engine_answering_is_not_taken_for_nothing_found(world: World) -> None:
    limited(world, 1)
    body = json.dumps({"results": [], "unresponsive_engines": [["bing", "CAPTCHA"]]}).encode()
    world.engine.fallback = lambda _: Answer(body, "application/json")
    assert "bing: CAPTCHA" in str(world.round().stopped)


@pytest.mark.usefixtures("loopback")
def test_an_endpoint_without_json_is_named_with_what_to_do() -> None:
    with WebServer({}) as engine:
        allowed = CrawlSettings(allow_private_hosts=(engine.netloc,))
        for answer, said in (
            (Answer(b"Forbidden", "text/html", 403), r"search\.formats"),
            (Answer(b"<html>results</html>", "text/html"), "JSON"),
        ):
            engine.fallback = lambda _, answer=answer: answer
            with pytest.raises(BadConfiguration, match=said):
                search(engine.url("/search"), "雨停了", allowed)
        with pytest.raises(UnsafeUrl):
            search(engine.url("/search"), "雨停了", CrawlSettings())


def test_sentences_that_other_works_have_speech_and_figures_are_not_chosen(world: World) -> None:
    chapter = world.work.chapters.get(number=1)
    text = world.ports.works.text(WorkTextId(chapter.text_id))
    assert text is not None
    found = distinctive_sentences(text, world.ports.index, DEFAULT, 40)
    assert len(found) >= 5
    assert found[0].commonest == 1
    assert [sentence.commonest for sentence in found] == sorted(sentence.commonest for sentence in found)
    rarity = {sentence.text: sentence.commonest for sentence in found}
    assert rarity[FORMULA] == 4
    assert not any(set("“”：0123456789") & set(sentence.text) for sentence in found)
    assert distinctive_sentences("“短。”他说道。第12章。", world.ports.index, DEFAULT, 5) == []


def test_what_is_no_answer_is_refused() -> None:
    for body in (b"", b"[]", b'{"results": 3}', b"\xff"):
        with pytest.raises((BadInput, ValueError)):
            read_answer(body)
    assert (
        read_answer(b'{"results": [3, {"url": 5}, {"url": "http://a.example/"}]}').results[0].url == "http://a.example/"
    )
