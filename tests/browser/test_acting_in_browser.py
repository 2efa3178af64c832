"""The whole way in a real browser: what a crawl found, the verdict, a notice by mail, its effect, and back again."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.utils import timezone
from playwright.sync_api import expect

from core.clock import SystemClock
from core.messages import MailRequested
from core.settings import MailSettings
from tests.crawler.texts import SIMPLIFIED, paragraphs
from tests.crawler.visited_site import START
from tests.support import admin_data, browser, sent_notices
from tests.support.followed_site import FollowedSite
from tests.support.mail_servers import real_server
from tests.support.web_server import WebServer, page
from webadmin import stores
from webadmin.notices.models import HolderIdentity, Notice
from webadmin.notices.services import mails

pytestmark = pytest.mark.django_db(transaction=True)
COPY, DAY = "/copy.html", timedelta(days=1)
FRONT = page("目录", f'<ul><li><a href="{COPY}">江边</a></li><li><a href="/weather.html">天气</a></li></ul>')
WEATHER = page(
    "天气", "".join(f"<p>今天江上有雾，第{n}班渡船停航，请改走北岸石桥，沿途注意防滑。</p>" for n in range(9))
)


@pytest.fixture
def site(
    transactional_db: None, loopback: None, processes: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FollowedSite]:
    """A site with a copy, crawled yesterday; who the rights holder is and whom to write to is entered."""
    routes = {"/": FRONT, "/weather.html": WEATHER, COPY: page("江边", paragraphs())}
    with WebServer(routes) as server:
        followed = FollowedSite(server, monkeypatch, "\n".join(SIMPLIFIED))
        type(followed.desk.work).objects.update(author="长河网络公司")  # who signed is presumed to own
        holder = followed.desk.holder
        HolderIdentity.objects.create(rights_holder=holder, legal_name="长河网络公司", **IDENTITY)
        admin_data.addressee(holder, "落霞网络科技有限公司", followed.desk.site)
        followed.crawl(today() - DAY)
        yield followed


IDENTITY = {
    "identity": "营业执照 91310000MA1FL0LE0X",
    "address": "上海市江边路 1 号",
    "contact_person": "王小明",
    "phone": "021-5555 0100",
    "email": "wang@changhe.example",
}


def today() -> timedelta:
    """From the moment at which crawled sites begin to now: notices go out by the clock of the machine."""
    return timezone.now() - START


def test_from_find_to_verdict_notice_effect_and_back(  # one way, step by step
    opened: browser.Opened, site: FollowedSite, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    person, case = opened(site.desk.manager), site.case(COPY)
    shown = person.page

    person.go(f"/admin/cases/case/{case.pk}/change/")
    person.leave_by('button[name=verdict][value="confirmed"]')
    person.go(f"/admin/matters/{case.matter_id}/")
    person.leave_by("form[action*='notice/draft'] button")
    expect(shown.locator("#notice-standing")).to_have_text("Ready to be confirmed")
    person.leave_by("button[value=confirm]")
    notice = Notice.objects.get()
    address = f"/admin/notices/notice/{notice.pk}/change/"

    class Worker:
        """An outbox whose messages are carried out at once."""

        def send(self, message: MailRequested) -> None:
            mails.deliver_mail(message.mail_id, settings.ZHUIWEN, SystemClock())

    with real_server() as (mailbox, url):
        settings.ZHUIWEN = replace(settings.ZHUIWEN, mail=MailSettings(smtp_url=url, sender=sent_notices.SENDER))
        with monkeypatch.context() as patch:
            patch.setattr(stores, "outbox", Worker)
            person.go(address)
            person.leave_by("a[href='?mail=preview']")
            person.leave_by("button[value=send]")
        expect(shown.locator(".notice-state, .desk-chip").first).to_contain_text("sent")

        copied = site.server.routes.pop(COPY)
        for after in (DAY, DAY + timedelta(hours=13)):
            site.crawl(today() + after, COPY, "/weather.html", "/")
        person.go(address)
        expect(shown.locator("#notice-events + ol")).to_contain_text("removed")
        person.go(f"/admin/cases/case/{case.pk}/change/")
        with shown.expect_download() as proof:
            shown.click("text=Download the proof of removal")
        assert proof.value.path().stat().st_size > 0

        site.server.routes[COPY] = copied
        site.crawl(today() + 3 * DAY, COPY, "/weather.html", "/")
        person.go("/admin/?queue=returned")
        expect(shown.locator(".inbox-matters")).to_contain_text("渡口无灯")
        person.go(address)
        notice.refresh_from_db()
        assert notice.state == Notice.State.SENT
        assert len(mailbox.messages) == 1, "what is back again sends nothing"
        assert COPY in site.case(COPY).page_url
    assert person.complaints == []
