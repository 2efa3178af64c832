"""Where the desk says whether pages were removed: the case, its matter, the site, the addressee; who gets the proof."""

from datetime import timedelta

import pytest

from core.wording import Message
from tests.support import admin_data, case_texts
from tests.support.admin_data import World
from tests.support.desk import record_url, signed_in
from tests.support.memory_evidence import MemoryEvidenceStore
from webadmin import stores
from webadmin.cases.models import Case
from webadmin.notices.models import Notice, NoticeEvent, Removal, RemovalLook

NOW = admin_data.NOW
DAY = timedelta(days=1)
Seen = RemovalLook.Seen


@pytest.fixture
def case(world: World, monkeypatch: pytest.MonkeyPatch) -> Case:
    """Confirmed, named in a notice that went out, removed two days later."""
    case_texts.use(monkeypatch)
    monkeypatch.setattr(stores, "evidence_store", MemoryEvidenceStore)
    found = admin_data.decided(world.ours.cases[0], world.ours.reviewer)
    host = admin_data.addressee(world.ours.holder, "某某云", found.page.site, asks_for_seal=True)
    notice = admin_data.notice(found, world.ours.manager, state=Notice.State.REMOVED, addressee=host)
    NoticeEvent.objects.create(notice=notice, state="sent", by=world.ours.manager, at=NOW)
    removed(found)
    return found


def removed(case: Case) -> Removal:
    made = Removal.objects.create(case=case, since=NOW + 2 * DAY, said_at=NOW + 3 * DAY)
    for days in (2, 3):
        look = {"seen": Seen.GONE, "status": 404, "final_url": case.page_url, "removal": made}
        RemovalLook.objects.create(case=case, at=NOW + days * DAY, **look)
    return made


def page_of(case: Case, user: object, language: str = "en") -> str:
    client = signed_in(user, language)  # type: ignore[arg-type]
    return client.get(record_url(case)).content.decode()


@pytest.mark.parametrize(("language", "words"), [("en", "Whether it was removed"), ("zh-hans", "是否已下架")])
def test_the_case_says_since_when_and_by_which_looks(world: World, case: Case, language: str, words: str) -> None:
    shown = page_of(case, world.ours.manager, language)
    assert words in shown
    assert shown.count("HTTP 404") == 2


def test_a_look_that_saw_nothing_has_its_reason_and_hostile_text(world: World, case: Case) -> None:
    evil = "https://evil.example/\u202e<script>alert(1)</script>"
    fault = Message("removal.led-elsewhere", url=evil)
    RemovalLook.objects.create(case=case, at=NOW + 4 * DAY, seen=Seen.NOT_SEEN, final_url=evil, fault=fault)
    shown = page_of(case, world.ours.reviewer)
    assert "not visible" in shown
    assert "the URL redirects to another page" in shown
    assert "<script>alert(1)" not in shown
    assert "\u202e" not in shown


def test_the_proof_is_a_managers_and_of_this_case_alone(world: World, case: Case) -> None:
    ours, other = case.removals.get(), removed(admin_data.decided(world.ours.cases[2], world.ours.reviewer))
    foreign = removed(admin_data.decided(world.theirs.cases[0], world.theirs.reviewer))
    manager, reviewer = signed_in(world.ours.manager), signed_in(world.ours.reviewer)
    answer = manager.get(record_url(case), {"removal": ours.pk})
    assert answer.status_code == 409, "its looks have no bundles yet"
    assert reviewer.get(record_url(case), {"removal": ours.pk}).status_code == 404
    for removal in (other.pk, foreign.pk, "x", ""):
        assert manager.get(record_url(case), {"removal": removal}).status_code == 404


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_site_and_addressee_show_what_notices_came_to(world: World, case: Case, language: str) -> None:
    host = Notice.objects.get(addressee__name="某某云").addressee
    site, line = page_of(case.page.site, world.ours.manager, language), page_of(host, world.ours.manager, language)  # type: ignore[arg-type]
    assert "某某云" in site
    assert ("Effect of notices" if language == "en" else "通知成效") in site
    assert ("median days to removal 2" if language == "en" else "下架用时中位数（天） 2") in line
