"""The page store in memory, filled with the texts behind the cases of `tests.support.admin_data`."""

from dataclasses import dataclass, field

import pytest

from core.ids import digest
from core.marks import Mark
from core.obfuscations import ObfuscationFound
from core.pages import ChapterStart, Reading
from tests.support import admin_data
from tests.support.memory_pages import MemoryPageStore, MemoryWorkStore
from tests.support.records import response
from webadmin import stores
from webadmin.cases.models import Case, CaseMatch
from webadmin.rewrites.models import RewordedLead
from webadmin.sites.models import PageRecord


@dataclass
class Texts:
    """Both stores as the admin reaches them."""

    pages: MemoryPageStore = field(default_factory=MemoryPageStore)
    works: MemoryWorkStore = field(default_factory=MemoryWorkStore)

    def keep(
        self,
        page: PageRecord,
        text: str,
        body: bytes,
        chapters: tuple[ChapterStart, ...] = (),
        raw_text: str = "",
        marks: tuple[Mark, ...] = (),
        obfuscations: tuple[ObfuscationFound, ...] = (),
    ) -> str:
        """Store one response for a page; returns its version id."""
        headers = (("Content-Type", "text/html"),)
        fetched = response(page.site_id, page.url, body, page.last_seen, headers=headers)
        reading = Reading(
            title=page.title, text=text, chapters=chapters, raw_text=raw_text, marks=marks, obfuscations=obfuscations
        )
        return self.pages.put(fetched, reading).version_id

    def keep_case(
        self,
        case: Case,
        page_text: str,
        work_text: str,
        chapters: tuple[ChapterStart, ...] = (),
        raw_text: str = "",
        marks: tuple[Mark, ...] = (),
        obfuscations: tuple[ObfuscationFound, ...] = (),
    ) -> None:
        """Store the texts of a case and let its evidence quote their digests."""
        body = f"<html><script>alert(1)</script>{page_text}</html>".encode("utf-8", "surrogatepass")
        version = self.keep(case.page, page_text, body, chapters, raw_text, marks, obfuscations)
        text_id = self.works.put_text(work_text)
        PageRecord.objects.filter(pk=case.page_id).update(version_id=version)
        Case.objects.filter(pk=case.pk).update(version_id=version)
        CaseMatch.objects.filter(case=case).update(
            version_id=version,
            text_id=text_id,
            raw_digest=digest(body),
            page_text_digest=digest(page_text.encode("utf-8", "surrogatepass")),
            work_text_digest=digest(work_text.encode("utf-8", "surrogatepass")),
        )
        case.refresh_from_db()

    def keep_lead(self, lead: RewordedLead, page_text: str, work_text: str) -> None:
        """Store the texts of a lead and let it quote their digests."""
        body = f"<html>{page_text}</html>".encode("utf-8", "surrogatepass")
        version = self.keep(lead.page, page_text, body)
        PageRecord.objects.filter(pk=lead.page_id).update(version_id=version)
        RewordedLead.objects.filter(pk=lead.pk).update(
            version_id=version,
            text_id=self.works.put_text(work_text),
            raw_digest=digest(body),
            page_text_digest=digest(page_text.encode("utf-8", "surrogatepass")),
            work_text_digest=digest(work_text.encode("utf-8", "surrogatepass")),
        )
        lead.refresh_from_db()


def use(monkeypatch: pytest.MonkeyPatch) -> Texts:
    """Let the admin read from stores in memory."""
    texts = Texts()
    monkeypatch.setattr(stores, "page_store", lambda: texts.pages)
    monkeypatch.setattr(stores, "work_store", lambda: texts.works)
    return texts


def of_estates(monkeypatch: pytest.MonkeyPatch, *estates: admin_data.Estate) -> Texts:
    """Let the admin read from stores in memory that have the texts of these."""
    texts = use(monkeypatch)
    for estate in estates:
        keep_estate(texts, estate)
    return texts


def keep_estate(texts: Texts, estate: admin_data.Estate) -> None:
    """Store the texts behind every case and lead of an estate."""
    for number, case in enumerate(estate.cases):
        texts.keep_case(case, admin_data.page_text(number), admin_data.WORK_TEXT)
    for lead in RewordedLead.objects.filter(rights_holder=estate.holder):
        texts.keep_lead(lead, admin_data.REWORDED_TEXT, admin_data.WORK_TEXT)


HOSTILE = (
    "<script>alert('script')</script>渡口的灯是在立冬那天熄的。<img src=x onerror=alert('img')>\n"
    "老周把船缆\u202e系在第三\u202c根桩上，数了数舱里的米\u200b\u200b袋，一共十七袋。{{ 7|add:7 }}\n"
    "\" onmouseover=\"alert('attribute')\" x-init=\"alert('alpine')\" '>\ue123\x07\ufff9\n"
)


def keep_hostile(texts: Texts, case: Case) -> None:
    """Make the page behind a case one that attacks whoever looks at it."""
    work = admin_data.WORK_TEXT
    page_start, page_end = HOSTILE.index("渡口"), HOSTILE.index("一共十七袋。") + len("一共十七袋。")
    noise = HOSTILE.index("\u200b\u200b")
    work_end = work.index("一共十七袋") + len("一共十七袋")
    turned = HOSTILE.index("\u202e")
    span = {
        "page": [page_start, page_end],
        "work": [0, work_end],
        "similarity": 0.9,
        "page_excerpt": HOSTILE[page_start:page_end],
        "work_excerpt": work[:work_end],
        "changes": [
            ["inserted", HOSTILE.index("<img"), HOSTILE.index("\n"), 13, 13],
            ["noise", turned, turned + 1, 19, 19],
            ["noise", noise, noise + 2, 35, 35],
        ],
    }
    title = "<b>第一章\u202e</b><script>alert('title')</script>"
    PageRecord.objects.filter(pk=case.page_id).update(title=title)
    Case.objects.filter(pk=case.pk).update(
        page_title=title, obfuscations=[{"kind": "zero_width", "count": 2, "example": "米\u200b\u200b袋<i>"}]
    )
    CaseMatch.objects.filter(case=case).update(spans=[span])
    case.page.refresh_from_db()
    texts.keep_case(case, HOSTILE, work)
