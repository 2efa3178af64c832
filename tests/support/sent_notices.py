"""Notices on their way: confirmed ones, settings that name a mail server, a clock that stands where it is put."""

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from core.addressees import Paper
from core.ids import digest
from core.settings import MailSettings, Settings
from core.settings_loading import load
from tests.support import admin_data
from tests.support.memory_evidence import MemoryEvidenceStore
from webadmin import stores
from webadmin.cases.models import Case
from webadmin.cases.services.matters.figures import refresh_matters
from webadmin.notices.models import Notice, NoticeEvent, NoticeFile
from webadmin.notices.services.drafting import draft_notice
from webadmin.notices.services.events import change_state
from webadmin.notices.services.sending import note_sent

SENDER = "notices@changhe.example"
CONFIRMED_BEFORE = timedelta(days=90)  # so that a test may say that it was sent on an earlier day


@dataclass
class StandingClock:
    at: datetime

    def now(self) -> datetime:
        return self.at


def mailing(url: str, **others: object) -> Settings:
    """The settings of an installation that sends through this server."""
    return replace(load({}), mail=MailSettings(smtp_url=url, sender=SENDER, **others))  # type: ignore[arg-type]


def kept(monkeypatch: pytest.MonkeyPatch) -> MemoryEvidenceStore:
    store = MemoryEvidenceStore()
    monkeypatch.setattr(stores, "evidence_store", lambda: store)
    return store


def estate() -> admin_data.Estate:
    """Confirm four cases, two of them of the first site."""
    made = admin_data.fill_estate("changhe 长河文学", "changhe", cases=4)
    for case in made.cases:
        admin_data.decided(case, made.reviewer, counted=False)
    refresh_matters({case.matter_id for case in made.cases})
    return made


FILES = (("通知.pdf", b"%PDF-1.7 notice"), ("比对表.docx", b"PK table"))


def confirmed(of: admin_data.Estate, addressee: object = None, kind: Paper = Paper.ARTICLE_14) -> Notice:
    """A confirmed notice about the first site's pages, with small files; addressee: the estate's own by default."""
    found = Case.objects.filter(rights_holder=of.holder, site=of.sites[0]).order_by("pk")
    cases = list(found.select_related("work", "page__site", "decision", "rights_holder"))
    made = draft_notice(cases, kind, of.reviewer, addressee or of.addressee).notice  # type: ignore[arg-type]
    for name, content in FILES:
        stores.evidence_store().put(digest(content), content)
        NoticeFile.objects.create(notice=made, name=name, digest=digest(content), size=len(content))
    change_state(made, Notice.State.CONFIRMED, of.manager, made.drafted_at - CONFIRMED_BEFORE)
    return made


def sent(of: admin_data.Estate, on: date, addressee: object = None) -> Notice:
    """A notice that a person sent by post on a day."""
    made = confirmed(of, addressee)
    with transaction.atomic():
        note_sent(made, of.manager, timezone.now(), NoticeEvent.Way.POST, on)
    return made
