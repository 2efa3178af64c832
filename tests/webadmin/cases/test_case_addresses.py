"""The same text at several addresses of a site: one case, which lists them, and stays while any of them shows it."""

import itertools
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse

from bundles import shapes
from core.addressees import Paper
from core.ids import CanonicalUrl, PageId, SiteId, VersionId, page_id
from core.obfuscations import Obfuscation, ObfuscationFound
from core.pages import Poster
from core.states import CaseState, Verdict
from core.visits import Visit, address_id
from tests.crawler.texts import SIMPLIFIED, own_text
from tests.support import admin_data
from tests.support.followed_site import FollowedSite
from tests.support.memory_pages import MemoryWorkStore
from tests.support.met_site import INNOCENT, MetSite
from tests.support.records import MOMENT
from tests.support.web_server import Answer, WebServer, page
from webadmin import stores
from webadmin.accounts.models import Membership
from webadmin.cases.models import Case, CaseMatch, Exclusion, Matter
from webadmin.cases.services.addresses import list_addresses
from webadmin.cases.services.overruling import overrule_exclusion, withdraw_overruling
from webadmin.cases.services.verdicts import decide
from webadmin.evidence.services.case_export import StoredMaterials
from webadmin.evidence.services.material import match_finding
from webadmin.notices.models import Notice, NoticeEvent
from webadmin.notices.services.values import all_values, initial_values
from webadmin.reports.services.report_rows import make_report
from webadmin.sites.models import PageRecord
from webadmin.sites.services.visit_repository import DjangoVisitRepository
from webadmin.works.models import Licence, OwnAccount

pytestmark = pytest.mark.django_db
A_DAY = timedelta(days=1)
TEXT, OTHER = "抄来的文字", "抄来的文字，改了一句"
A, B, C, D, E = (f"http://pirate.example/{path}/1" for path in "abcde")


class World(MetSite):
    """A site with a reviewer, and its visits."""

    def __init__(self) -> None:
        super().__init__()
        self.reviewer = admin_data.user("审核员", self.site.rights_holder)

    def meet(self, url: str, text: str, days: int = 0, **reading: Any) -> None:
        super().meet(url, text, MOMENT + days * A_DAY, **reading)

    def compare_owed(self) -> None:
        """Do what the daily comparison does."""
        for shown in PageRecord.objects.values_list("version_id", flat=True):
            self.compare(shown, MOMENT)

    def visit(self, url: str, days: int, gone: bool = False) -> None:
        """Note what a crawl notes of an address: that it is there, or is known to be gone."""
        site, at = SiteId(str(self.site.pk)), MOMENT + days * A_DAY
        page = page_id(site, CanonicalUrl(url))
        noted = {"absent_since": at, "gone_since": at} if gone else {"seen_at": at}
        visit = Visit(
            address_id(site, url), url, 1, found_at=at, due_at=at, page_id=PageId(page), page_url=url, **noted
        )
        DjangoVisitRepository().save(site, [visit])


def met(*urls: str) -> World:
    """All with the copied text, at once."""
    world = World()
    for url in urls:
        world.meet(url, TEXT)
    return world


def licence(world: World, **fields: Any) -> Licence:
    since = MOMENT.date()
    return admin_data.licence(world.site.rights_holder, domain="pirate.example", valid_from=since, **fields)


def told(case: Case) -> list[tuple[str, int, int, bool]]:
    """The addresses of a case, with the days on which each was seen first and last, and whether it shows the text."""
    return [
        (each.url, (each.first_seen_at - MOMENT).days, (each.last_seen_at - MOMENT).days, each.is_shown)
        for each in list_addresses(Case.objects.select_related("page").get(pk=case.pk))
    ]


def test_a_text_at_several_addresses_is_one_case_that_lists_them() -> None:
    world = met(A)
    case = Case.objects.get()
    assert told(case) == [(A, 0, 0, True)]
    decide(case, Verdict.CONFIRMED, world.reviewer)
    world.meet(B, TEXT, days=1)
    world.meet(C, OTHER, days=1)
    world.meet(B, TEXT, days=4)
    world.meet(D, TEXT, days=1, obfuscations=(ObfuscationFound(Obfuscation.ZERO_WIDTH, 4, ""),))
    world.meet(E, TEXT, days=4, obfuscations=(ObfuscationFound(Obfuscation.SLOW_PARTS, 1, ""),))
    others = Case.objects.exclude(pk=case.pk).order_by("pk")
    assert [other.page.url for other in others] == [C, D], "another text, or one that hides, is another case"
    assert told(case) == [(A, 0, 0, True), (B, 1, 4, True), (E, 4, 4, True)], "slowness is none of the text's"
    case.refresh_from_db()
    assert (case.page.url, case.state, case.last_seen_at) == (A, CaseState.CONFIRMED, MOMENT + 4 * A_DAY)
    assert case.changed_since is None, "a new address is no news for who decided"
    assert {match.final_url for match in CaseMatch.objects.filter(case=case)} == {A, B, E}, "what each showed is kept"
    matter = Matter.objects.get()
    assert (matter.open_cases, matter.confirmed_cases) == (2, 1)


def test_desk_letter_and_report_name_every_address_that_shows_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    monkeypatch.setattr(stores, "page_store", lambda: world.store)
    monkeypatch.setattr(stores, "work_store", MemoryWorkStore)
    for days, url in enumerate((A, B, C)):
        world.meet(url, TEXT, days)
    world.meet(C, INNOCENT, days=3)
    case = Case.objects.get()
    decide(case, Verdict.CONFIRMED, world.reviewer)
    notice = admin_data.notice(case, world.reviewer)
    (row,) = all_values(notice, [], ZoneInfo("UTC"))["addresses"]
    assert isinstance(row, dict)
    assert [line for line in row["url"].split("\n") if line.startswith("http")] == [A, B]
    assert "（共 2 个网址）" in initial_values(world.site, Paper.LETTER, [case], MOMENT.date())["facts"]
    report = make_report(world.site.rights_holder, MOMENT.date(), MOMENT.date())
    assert [each.other_urls for each in report.cases] == [(f"{B} (2026-03-02)", f"{C} (2026-03-03)")]
    desk = Client()
    desk.force_login(world.reviewer)
    shown = desk.get(reverse("admin:cases_case_change", args=[case.pk])).content.decode()
    assert all(shown.count(f"<bdi>{url}</bdi>") for url in (A, B, C))
    desk.force_login(admin_data.user("主管", world.site.rights_holder, Membership.Role.MANAGER))
    sent = desk.post(reverse("admin:cases_case_changelist"), {"action": "export_csv", "_selected_action": [case.pk]})
    assert f",{A},{B} {C}," in b"".join(sent).decode()


def test_a_case_whose_page_is_gone_goes_over_to_an_address_that_stands_and_back() -> None:
    world = met(A, B)
    for url in (A, B):
        world.visit(url, 0)
    case = Case.objects.get()
    decide(case, Verdict.CONFIRMED, world.reviewer)
    world.visit(A, 3, gone=True)
    case.refresh_from_db()
    assert (case.page.url, case.page_url, case.state) == (B, B, CaseState.CONFIRMED)
    assert case.decided_version == case.page.version_id == case.version_id
    world.compare_owed()
    case.refresh_from_db()
    assert (case.changed_since, case.page_url) == (None, B)
    assert told(case) == [(B, 0, 0, True), (A, 0, 0, False)]
    world.meet(B, INNOCENT, days=4)
    case.refresh_from_db()
    assert case.page.url == B, "no address shows the text any more"
    world.meet(A, TEXT, days=5)
    world.visit(A, 5)
    case.refresh_from_db()
    assert (case.page.url, Case.objects.count()) == (A, 1)
    assert case.returned_at is not None


def test_addresses_whose_texts_part_have_cases_of_their_own() -> None:
    world = met(A, B, C)
    world.meet(B, OTHER, days=1)
    first, second = Case.objects.order_by("pk")
    assert [each[0] for each in told(first)] == [A, C]
    assert told(second) == [(B, 1, 1, True)]
    world.meet(A, TEXT + "，又改", days=2)
    world.meet(C, TEXT, days=2)
    world.compare_owed()
    assert [case.page.url for case in Case.objects.order_by("pk")] == [A, B, C]


@pytest.mark.parametrize("are_all_changed", [False, True])
def test_a_verdict_stays_with_its_text_while_an_address_is_seen_with_it(are_all_changed: bool) -> None:
    world, changed = met(A, B, C), TEXT + "，又改"
    case = Case.objects.get()
    decide(case, Verdict.CONFIRMED, world.reviewer)
    for days, url in enumerate((A, B, C), 1):
        world.meet(url, changed if url == A or are_all_changed else TEXT, days)
    world.compare_owed()
    world.compare_owed()
    case.refresh_from_db()
    if are_all_changed:
        assert (Case.objects.count(), case.page.url) == (1, A)
        assert case.changed_since is not None
        return
    assert (case.page.url, case.page_url, case.state, case.changed_since) == (B, B, CaseState.CONFIRMED, None)
    assert [each[0] for each in told(case)] == [B, C]
    assert [(each.page.url, each.state) for each in Case.objects.exclude(pk=case.pk)] == [(A, CaseState.OPEN)]


def test_posts_of_two_accounts_are_two_cases() -> None:
    world = World()
    for url, account in ((A, "搬运工"), (B, "官方账号"), (C, "搬运工")):
        world.meet(url, TEXT, posters=(Poster(account, 0),))
    posted, own = Case.objects.order_by("pk")
    assert ([each[0] for each in told(posted)], own.page.url) == ([A, C], B)
    OwnAccount.objects.create(
        rights_holder=world.site.rights_holder, platform="论坛", domain="pirate.example", name="官方账号"
    )
    assert [each.state for each in Case.objects.order_by("pk")] == [CaseState.OPEN, CaseState.SET_ASIDE]


def test_an_overruling_that_is_taken_back_takes_the_address_from_its_case() -> None:
    world = World()
    licence(world, address=B)
    for url in (A, B):
        world.meet(url, TEXT)
    overruling = overrule_exclusion(Exclusion.objects.get(), world.reviewer, "并非授权转载")
    world.compare_owed()
    case = Case.objects.get()
    assert [each[0] for each in told(case)] == [A, B]
    withdraw_overruling(overruling, world.reviewer)
    assert [each[0] for each in told(case)] == [A]
    world.compare_owed()
    assert (Case.objects.count(), Exclusion.objects.get().page.url) == (1, B)


def test_rights_are_asked_for_each_address() -> None:
    world = met(A, B)
    of_other = licence(world, address=B)
    world.compare_owed()
    case = Case.objects.get()
    assert (case.state, [each[0] for each in told(case)]) == (CaseState.OPEN, [A])
    assert Exclusion.objects.get().page.url == B
    of_other.delete()
    world.compare_owed()
    assert [each[0] for each in told(case)] == [A, B]
    licence(world, address=A)
    world.compare_owed()
    assert [(each.page.url, each.state) for each in Case.objects.order_by("pk")] == [
        (A, CaseState.SET_ASIDE),
        (B, CaseState.OPEN),
    ]


def _session_site(sessions: Iterator[int], gone: set[str]) -> Callable[[str], Answer]:
    """Three chapters, of which each link has a new session, the first at another path as well, and a page beside."""

    def link(place: str) -> str:
        return f'<p><a href="{place}?sid={next(sessions)}">第{place[-1]}章 渡口</a></p>'

    def answer(path: str) -> Answer:
        place, _, query = path.partition("?")
        is_chapter = place.startswith("/n/") and place[3:] in "123"
        if place == "/":
            links = "".join(link(f"/n/{number}") for number in (1, 2, 3))
            return page("目录", links + '<a href="/m/1">第1章 渡口</a><a href="/weather">天气</a>')
        if place == "/weather":
            return page("天气", "".join(f"<p>今天江上有雾，第{number}班渡船停航。</p>" for number in range(30)))
        if place in gone or not (is_chapter or place == "/m/1") or (is_chapter and not query):
            return Answer(status=404)
        number = int(place[3:])
        return page(f"第{number}章", own_text(number) + link(f"/n/{number % 3 + 1}"))

    return answer


@pytest.mark.usefixtures("processes", "loopback")
def test_session_links_are_one_case_a_chapter_until_all_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = set[str]()
    with WebServer({}) as server:
        server.fallback = _session_site(itertools.count(1000), gone)
        site = FollowedSite(server, monkeypatch, "\n".join(SIMPLIFIED))
        for day in range(2):
            site.crawl(day * A_DAY)
            assert Case.objects.count() == 3
        case = next(each for each in Case.objects.select_related("page") if len(list_addresses(each)) > 1)
        session, mirror = (each.url for each in list_addresses(case))
        assert [urlsplit(url).path for url in (session, mirror)] in (["/n/1", "/m/1"], ["/m/1", "/n/1"])
        site.confirm_all()
        for match in case.matches.all():
            version = site.visited.store.version(VersionId(match.version_id))
            found = match_finding(match, version.reading.text, site.desk.ports.works)
            assert {each["url"] for each in shapes.finding(found, version.reading.text)["addresses"]} == {
                session,
                mirror,
            }
        told = StoredMaterials(site.evidence, site.visited.store).page_history(case)
        assert {(event["event"], event["url"]) for event in told} == {("first_seen", url) for url in (session, mirror)}
        notice = admin_data.notice(case, site.desk.manager, state=Notice.State.SENT)
        NoticeEvent.objects.create(notice=notice, state=Notice.State.SENT, by=site.desk.manager, at=site.now)
        days = 2
        for url, states in ((session, ("sent", "sent")), (mirror, ("sent", "removed"))):
            gone.add(urlsplit(url).path)
            for state in states:
                days += 1
                paths = [each.url.removeprefix(server.url("")) for each in list_addresses(case)]
                site.crawl(days * A_DAY, *paths, "/weather", "/")
                notice.refresh_from_db()
                assert notice.state == state
            case = Case.objects.select_related("page").get(pk=case.pk)
            assert case.page_url == mirror
    assert Case.objects.count() == 3
