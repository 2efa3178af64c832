"""A site that offers a copied chapter in files of each format: crawled, stored, compared, bundled."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import redis

from bundles import bundle
from bundles.opened import open_bundle
from core.ids import SiteId, digest
from core.messages import pages_stored
from core.works import ChapterText, WorkFile
from fingerprint.algorithms import DEFAULT
from pagestore.connection import MongoDatabase
from pagestore.mongo import connect
from pipeline.steps import Ports
from tests.crawler.crawl_process import crawl, plan_of, settings_of
from tests.support.books import docx_of, epub_of, pdf_of, txt_of, zip_of
from tests.support.evidence_samples import finding
from tests.support.memory_cases import MemoryOutbox
from tests.support.memory_chain import carry
from tests.support.web_server import Answer, Routes, WebServer, page
from tests.webadmin.cases.test_live_search import live_ports
from webadmin.accounts.models import RightsHolder
from webadmin.cases.models import Case, CaseMatch
from webadmin.evidence.services.material import page_capture
from webadmin.sites.models import Site
from webadmin.works.services import catalogue

NOW = datetime(2026, 11, 25, tzinfo=UTC)
WORKS = Path(__file__).parents[3] / "deploy" / "demo" / "works"


def work_text(name: str) -> list[str]:
    """The paragraphs of a chapter of the demo, without its heading."""
    text = (WORKS / f"{name}.txt").read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines() if line.strip()][1:]


pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("processes")]

COPIED = work_text("river-town/001-水位簿")
OWN = {
    f"第{number}章": work_text(f"borrowed-rain/{name}")
    for number, name in (("一", "001-走失的七号云"), ("三", "002-损耗栏"))
}
BOOK = {"第一章": OWN["第一章"], "第二章": COPIED, "第三章": OWN["第三章"]}  # of its own but for one chapter


def offering_site() -> Routes:
    files = {
        "/down/1.txt": Answer(txt_of(BOOK).encode("gb18030"), "text/plain"),
        "/down/1.zip": Answer(zip_of({"夜航.txt": txt_of(BOOK).encode()}), "application/zip"),
        "/down/1.epub": Answer(epub_of("夜航", BOOK), "application/epub+zip"),
        "/down/1.docx": Answer(docx_of("夜航", BOOK), "application/octet-stream"),
        "/down/1.pdf": Answer(pdf_of("夜航", BOOK), "application/pdf"),
        "/api/1": Answer(json.dumps({"list": [*BOOK.values()]}).encode(), "application/json"),
        "/get/1": Answer(
            txt_of(BOOK).encode(), "application/x-unheard-of", headers={"Content-Disposition": "attachment"}
        ),
        "/down/own.epub": Answer(epub_of("别的书", OWN)),
    }
    return {"/": page("下载", "".join(f'<p><a href="{path}">下载</a></p>' for path in files)), **files}


@pytest.fixture
def database(mongo_url: str) -> MongoDatabase:
    return connect(mongo_url)


@pytest.fixture
def ports(database: MongoDatabase, redis_url: str) -> Iterator[Ports]:
    client = redis.Redis.from_url(redis_url)
    client.flushdb()
    ports = live_ports(client, database, MemoryOutbox(), DEFAULT)
    ports.index.clear()
    yield ports
    client.close()


def run(ports: Ports) -> None:
    assert isinstance(ports.outbox, MemoryOutbox)
    while messages := ports.outbox.drain():
        for message in messages:
            carry(message, ports)


def test_a_copied_chapter_is_found_in_files_of_each_format(
    ports: Ports, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    holder = RightsHolder.objects.create(name="甲")
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        file = WorkFile("夜航", "", (ChapterText(1, "", "\n".join(COPIED)),))
        catalogue.add_work(holder, file, "", ports.works, ports.outbox)
    with WebServer(offering_site()) as server:
        site = Site.objects.create(rights_holder=holder, name="某站", start_urls=server.url())
        plan = replace(plan_of(server.url()), site_id=SiteId(str(site.pk)))
        crawled = crawl(plan, settings_of(server.netloc))
        routes = server.routes
    kept = {
        fetched.final_url.partition(server.netloc)[2]: ports.pages.put(fetched, reading).version_id
        for fetched, reading in crawled.store.versions.values()
    }
    for message in pages_stored(list(kept.values())):
        ports.outbox.send(message)
    run(ports)
    found = {match.final_url.partition(server.netloc)[2]: match for match in CaseMatch.objects.all()}
    assert found.keys() == routes.keys() - {"/", "/down/own.epub"}
    assert Case.objects.count() == len({match.page_text_digest for match in found.values()})
    for path, match in found.items():
        answer, version = routes[path], ports.pages.version(kept[path])
        assert isinstance(answer, Answer)
        at = match.spans[0]["page"][0]
        chapter = [each.title for each in version.reading.chapters if each.start <= at]
        assert (chapter or ["第二章"])[-1] == "第二章", path  # JSON has no chapters
        made = bundle.make(page_capture(version, ports.pages), finding(passages=()), made_at=NOW)
        bundled = open_bundle(made.content, "bundle")
        assert bundled.page["body_digest"] == digest(answer.body)
