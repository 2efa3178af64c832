"""Pages and works that are really compared, into the admin database, with the desk reading the same stores."""

from datetime import datetime
from typing import Any

import pytest

from core.ids import VersionId, WorkTextId
from core.messages import PagesStored
from core.pages import Reading
from pipeline import steps
from tests.support import admin_data
from tests.support.desk import CollectingOutbox
from tests.support.memory_chain import chain
from tests.support.records import MOMENT, response
from webadmin import stores
from webadmin.accounts.models import RightsHolder, User
from webadmin.cases.models import Case, Exclusion
from webadmin.cases.services.case_repository import DjangoCaseRepository
from webadmin.sites.models import Site
from webadmin.works.models import Chapter, Work
from webadmin.works.services.work_length import recount


class DeskChain:
    """One rights holder with a reviewer, a manager, a work and a site."""

    def __init__(self, patch: pytest.MonkeyPatch, *texts: str) -> None:
        running = chain()
        self.ports = steps.Ports(
            **{name: getattr(running.ports, name) for name in steps.Ports.__slots__ if name != "cases"},
            cases=DjangoCaseRepository(running.ports.works),
        )
        self.outbox = CollectingOutbox()
        for name, store in (("page_store", self.ports.pages), ("work_store", self.ports.works)):
            patch.setattr(stores, name, lambda store=store: store)
        patch.setattr(stores, "outbox", lambda: self.outbox)
        self.holder: RightsHolder = admin_data.holder()
        self.reviewer: User = admin_data.user("li", self.holder)
        self.manager: User = admin_data.user("wang", self.holder, "manager")
        self.work = Work.objects.create(rights_holder=self.holder, title="渡口无灯", kind=Work.Kind.NOVEL)
        self.site: Site = admin_data.site(self.holder)
        self.text_ids = [self.add_chapter(number, text) for number, text in enumerate(texts, 1)]

    def add_chapter(self, number: int, text: str) -> WorkTextId:
        text_id = self.ports.works.put_text(text)
        Chapter.objects.create(
            work=self.work, number=number, title=f"第{number}章", text_id=text_id, chars=len(text), indexed_at=MOMENT
        )
        steps.register_work(text_id, self.ports)
        recount([self.work.pk])
        return text_id

    def compare(self, text: str, url: str = "https://luoxia.example.net/1.html", at: datetime | None = None) -> str:
        """Let the site's page have this text, and compare it."""
        fetched = response(self.site.pk, url, text.encode(), at or self.ports.clock.now())
        version = self.ports.pages.put(fetched, Reading(title="某页", text=text)).version_id
        self.again(version)
        return version

    def again(self, *versions: str) -> None:
        """Compare these versions as far as they are owed it; without any, those that messages ask for."""
        asked: list[Any] = [PagesStored(versions)] if versions else [*self.outbox.sent]
        self.outbox.sent.clear()
        for message in asked:
            self.ports.clock.advance(1)  # type: ignore[attr-defined]
            steps.compare_pages([VersionId(each) for each in message.version_ids], self.ports)

    @property
    def case(self) -> Case:
        return Case.objects.get()

    @property
    def exclusion(self) -> Exclusion:
        return Exclusion.objects.get()
