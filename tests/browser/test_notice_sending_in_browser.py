"""A notice goes out to a mail server, is answered and countered, and the last day is shown, in a real browser."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.utils import timezone
from playwright.sync_api import expect

from core.clock import SystemClock
from core.messages import MailRequested
from core.settings import MailSettings
from records import stores
from records.models import Notice
from records.notices import mails
from tests.support import admin_data, browser, case_texts, sent_notices
from tests.support.admin_data import World
from tests.support.mail_servers import real_server

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> World:
    made = admin_data.fill_world(cases=5)
    sent_notices.kept(monkeypatch)
    case_texts.keep_estate(case_texts.use(monkeypatch), made.ours)
    for case in made.ours.cases:
        admin_data.decided(case, made.ours.reviewer)
    return made


def test_from_the_confirmed_notice_to_the_last_day_to_sue(  # one way, step by step
    opened: browser.Opened,
    world: World,
    settings: LazySettings,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    notice, paper = sent_notices.confirmed(world.ours), tmp_path / "不侵权声明.pdf"
    paper.write_bytes(b"%PDF-1.7\n")
    person = opened(world.ours.manager)
    page, address = person.page, f"/admin/records/notice/{notice.pk}/change/"
    person.go(address)
    expect(page.locator("#notice-sending + p")).to_contain_text("mail is not set up")

    class Worker:
        """An outbox whose messages are carried out at once."""

        def send(self, message: MailRequested) -> None:
            mails.carry_out(message.mail_id, settings.ZHUIWEN, SystemClock())

    with real_server() as (mailbox, url):
        mail = MailSettings(smtp_url=url, sender=sent_notices.SENDER)
        settings.ZHUIWEN = replace(settings.ZHUIWEN, mail=mail)
        monkeypatch.setattr(stores, "outbox", Worker)
        person.go(address)
        person.leave_by("a[href='?mail=preview']")
        expect(page.locator(".notice-text")).to_contain_text("现发送《要求删除或断开链接的通知》")
        person.leave_by("button[value=send]")
        assert mailbox.messages[0]["To"] == world.ours.addressee.email
    due = timezone.localdate() + timedelta(days=7)
    expect(page.locator(".notice-due")).to_contain_text(f"an answer is due on {due}")
    expect(page.locator("button[value=send]")).to_have_count(0)
    page.select_option("select[name=to] >> nth=0", "answered")
    page.locator("form:has(button[value=outcome]) [name=note] >> nth=0").fill("要求盖章")
    person.leave_by("button[value=outcome] >> nth=0")
    expect(page.locator("#notice-events + ol")).to_contain_text("要求盖章")
    page.click("text=A counter-statement was received")
    page.locator("form:has(button[value=counter]) [name=file]").set_input_files(paper)
    person.leave_by("button[value=counter]")
    shown = page.locator(".notice-counter")
    expect(shown).to_contain_text("Complain or sue until")
    expect(shown).to_contain_text("no further notice about them to this provider")
    person.go("/admin/records/notice/due/")
    expect(page.locator("table")).to_contain_text("complain or sue")
    person.leave_by(f"table a:has-text('#{notice.pk} ')")
    page.click("text=Complained or sued")
    page.locator("form:has(button[value=action]) [name=place]").fill("杭州互联网法院")
    person.leave_by("button[value=action]")
    expect(page.locator(".notice-counter")).to_contain_text("time kept")
    assert Notice.objects.get(pk=notice.pk).counters.get().action.place == "杭州互联网法院"
    assert person.complaints == []
